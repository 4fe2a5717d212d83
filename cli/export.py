"""`tms export`: the ledger as a diagram, or as data for other programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from cli.common import changes_of, command, ids_of, ledger_path, remark
from cli.output import note, say
from tms.drawing.formats import written
from tms.drawing.model import drawing
from tms.drawing.parts import Drawing
from tms.drawing.table import tables
from tms.errors import UsageError
from tms.graph import Change, Graph
from tms.ledger.history import as_of
from tms.ledger.reader import read
from tms.model import Line

FORMATS = ("dot", "svg", "png", "pdf", "mermaid", "graphml", "gexf", "json", "csv")
SUFFIXES = {".gv": "dot", ".mmd": "mermaid", ".htm": "html"}
BINARY = ("png", "pdf")
NOW = "now"
EXAMPLE = """\
tms export --output ledger.svg
tms export --focus d1 --up 2 --output d1.png
tms export --assuming "dispute c1" --impact --format mermaid
tms export --diff v1.0 now --output since-v1.pdf"""


@command("export", EXAMPLE)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="If not given, the suffix of --output says it; without either, dot.",
)
@click.option("--output", metavar="FILE", help="Where to write it; stdout if not given. csv makes two files.")
@click.option("--focus", metavar="ID", multiple=True, help="Draw what lies around ID; as much as fits, or:")
@click.option("--up", type=click.IntRange(min=0), metavar="N", help="So many steps towards what ID rests on.")
@click.option("--down", type=click.IntRange(min=0), metavar="N", help="So many steps towards what rests on ID.")
@click.option("--only", metavar="ID", multiple=True, help="Draw just these nodes.")
@click.option("--fold", type=click.Choice(["scope", "superseded"]), help="One node a scope; or heads for chains.")
@click.option("--diff", nargs=2, metavar="A B", help="Draw what differs between two points; `now` is one.")
@click.option("--impact", is_flag=True, help="Draw what differs because of --assuming.")
@click.option("--assuming", metavar='"VERB ID, ..."', multiple=True, help="As if these judgements were passed.")
@click.option("--as-of", "point", metavar="POINT", help="As the ledger was at a mark, a line's hash, a date or a time.")
@click.option("--title", default="", metavar="TEXT", help="The title; the path of the ledger if not given.")
def export(form: str | None, output: str | None, **wishes: Any) -> None:
    """Draw the ledger, or a part of it, or what differs: as a picture, as text, as data.

    Status is told by words, marks and borders, and by colour last. A legend explains what occurs. Above about 200 nodes
    a focus is chosen, and the drawing says which and how much was left out. A picture needs Graphviz.
    """
    form = form or _by_suffix(output)
    _check(form, output, wishes)
    found = _drawn(**wishes)
    if output is None:
        _to_stdout(written(found, form), form)
    elif form == "csv":
        nodes, edges = _pair(output)
        for path, text in zip((nodes, edges), tables(found), strict=True):
            _write(path, text.encode(), follow=False)
        say(f"wrote {nodes} and {edges}")
    else:
        _write(Path(output), written(found, form), follow=True)
        say(f"wrote {output}")
    if found.note:
        note(found.note)


def _by_suffix(output: str | None) -> str:
    suffix = Path(output or "").suffix.lower()
    form = SUFFIXES.get(suffix, suffix[1:])
    if suffix and form not in FORMATS:
        raise UsageError(f"no format goes by {suffix}", code="format", hint=f"--format {'|'.join(FORMATS)}")
    return form or "dot"


def _check(form: str, output: str | None, wishes: dict[str, Any]) -> None:
    if form == "csv" and output is None:
        raise UsageError("csv makes two files", code="format", hint="--output NAME.csv: NAME.nodes.csv, NAME.edges.csv")
    if wishes["impact"] and not wishes["assuming"]:
        raise UsageError("--impact needs --assuming", code="impact", hint='tms export --assuming "dispute c1" --impact')
    if wishes["diff"] and (wishes["impact"] or wishes["point"]):
        raise UsageError("--diff names both points; it goes with neither --as-of nor --impact", code="diff")


# -- what is drawn ----------------------------------------------------------------------------------------------


def _drawn(
    *,
    focus: Sequence[str],
    up: int | None,
    down: int | None,
    only: Sequence[str],
    fold: str | None,
    diff: tuple[str, str] | None,
    impact: bool,
    assuming: Sequence[str],
    point: str | None,
    title: str,
) -> Drawing:
    path = ledger_path()
    reading = read(path)
    remark(reading)
    start, to = diff or ("", point or NOW)
    plain = _graph(reading.lines, to)
    changes = changes_of(" ".join(assuming).replace(",", " ").split())
    return drawing(
        _assuming(plain, changes),
        focus=ids_of(focus),
        up=up,
        down=down,
        only=ids_of(only) or None,
        fold=fold,
        versus=_graph(reading.lines, start) if diff else plain if impact else None,
        title=title or path,
        point=to if to != NOW else "",
        since=start if diff else to if impact and to != NOW else "",
    )


def _graph(lines: Sequence[Line], point: str) -> Graph:
    return Graph.replay(lines if point == NOW else as_of(lines, point))


def _assuming(graph: Graph, changes: Sequence[Change]) -> Graph:
    return graph.assuming(changes) if changes else graph


# -- where it goes ----------------------------------------------------------------------------------------------


def _to_stdout(data: bytes, form: str) -> None:
    if form in BINARY and sys.stdout.isatty():
        raise UsageError(f"{form} is nothing for a terminal", code="format", hint=f"--output FILE.{form}")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)


def _pair(output: str) -> tuple[Path, Path]:
    path = Path(output)
    name = path.name.removesuffix(".csv")
    return path.with_name(f"{name}.nodes.csv"), path.with_name(f"{name}.edges.csv")


def _write(path: Path, data: bytes, *, follow: bool) -> None:
    """Writes a file; through a link only where the user named it."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | (0 if follow else getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(os.open(path, flags, 0o666), "wb") as file:
        file.write(data)


COMMANDS = {"export": export}
