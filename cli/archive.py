"""`tms archive`: the narratives of settled hypotheses, out of the active view and read on demand."""

from __future__ import annotations

import sys

import click

from cli.common import Group, command, json_option, ledger_path, load, plural
from cli.output import say, say_json
from cli.render import in_words, table
from cli.shapes import Document
from cli.writing import open_session, write, writing_options
from tms.archive import MAX_NARRATIVE, Entry, archive_digest, entries, get, narratives, put
from tms.errors import UsageError
from tms.model import Purge


class Narrative(Document, frozen=True, kw_only=True):
    """`tms archive show --json`: the narratives of a hypothesis, oldest first."""

    format: str = "tms.narratives/1"
    id: str
    narratives: tuple[tuple[str, str], ...]


class ArchiveAnswer(Document, frozen=True, kw_only=True):
    """`tms archive list --json`: the index, without any narrative, and the digest over all of it."""

    format: str = "tms.archive/1"
    digest: str
    hypotheses: tuple[Entry, ...]


@click.group("archive", cls=Group, example="tms archive add h1 --file notes/h1.md\ntms archive show h1")
def archive() -> None:
    """The narratives of settled hypotheses: kept, read on demand, never printed by a briefing."""


@command("add", "tms archive add h1 --file notes/h1.md\ntms archive add h1   # its rationale")
@click.argument("id_", metavar="ID")
@click.option("--file", type=click.Path(allow_dash=True), help="The narrative, - for stdin; else the node's rationale.")
@click.option("--reason", default="", help="Why it leaves the active view.")
@writing_options
def add(id_: str, file: str | None, reason: str) -> None:
    """Move the narrative of a hypothesis to the archive: the file under its hash, and a marker in the ledger.

    From then on no briefing prints the words of the hypothesis; its action and signatures stay where they are.
    """
    session = open_session()
    kind = session.graph.node(id_).kind
    if kind != "hypothesis":
        raise UsageError(f"{id_} is a {kind}; expected a hypothesis", code="kind")
    text = _read(file) if file else session.graph.node(id_).rationale
    if not text:
        raise UsageError(f"{id_} has no rationale; expected a narrative", code="empty", hint="--file FILE")
    name = put(ledger_path(), text)
    write([Purge(node=id_, narrative=name, characters=len(text), reason=reason)], session=session)


def _read(file: str) -> str:
    try:
        with sys.stdin.buffer if file == "-" else open(file, "rb") as opened:  # noqa: PTH123 - a name was given
            data = opened.read(MAX_NARRATIVE + 1)
        return data.decode()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", code="unreadable") from None
    except UnicodeDecodeError:
        raise UsageError(f"{file}: not UTF-8", code="utf-8") from None


@command("show", "tms archive show h1")
@click.argument("id_", metavar="ID")
@json_option
def show(id_: str, as_json: bool) -> None:
    """The narratives of a hypothesis. One that is gone or changed is an error (exit 3)."""
    view = load()
    view.graph.number(id_)  # an id that nobody recorded is an error, not an empty archive
    found = [(name, get(ledger_path(), name)) for name in narratives(view.graph, id_)]
    if as_json:
        say_json(Narrative(id=id_, narratives=tuple(found), **view.frame))
        return
    for name, text in found:
        say(f"{id_}, narrative {name[:12]}:", "title")
        say(text.rstrip("\n"))
    if not found:
        say(f"{id_} has no narrative in the archive.")


@command("list", "tms archive list")
@json_option
def list_(as_json: bool) -> None:
    """Every hypothesis with its action, what gates said and how many narratives it has; and the archive digest."""
    view = load()
    found = tuple(entries(view.graph))
    digest = archive_digest(view.graph)
    if as_json:
        say_json(ArchiveAnswer(digest=digest, hypotheses=found, **view.frame))
        return
    if found:
        rows = [(e.id, e.action, in_words(e.signatures, ""), plural(len(e.narratives), "narrative")) for e in found]
        table(("id", "action", "signatures", "archive"), rows)
    say(f"digest {digest}")


for _command in (add, show, list_):
    archive.add_command(_command)

COMMANDS = {"archive": archive}
