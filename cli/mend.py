"""`tms correct`, `review`, `void`, `mark`: lines about other lines."""

from __future__ import annotations

from typing import Any, cast, get_args

import click

from cli.common import command
from cli.output import note
from cli.writing import missing_option, open_session, write, writing_options
from tms.errors import UsageError
from tms.graph import Graph
from tms.model import Correct, Correction, Mark, Reason, Record, Review, Supersession, Void

CLEARED: dict[str, Any] = {"text": "", "rationale": "", "scope": (), "tag": (), "evidence": ()}
PARTS = (
    "supports",
    "depends_on",
    "answers",
    "supersedes",
    "would_supersede",
    "contradicts",
    "alternatives",
    "because",
)


@command("correct", 'tms correct c1 --text "Postgres handles 10k writes/s" --reason "said which volume"')
@click.argument("id_", metavar="ID")
@click.option("--text", help="The new text.")
@click.option("--rationale", help="The new rationale.")
@click.option("--scope", multiple=True, help="The new scopes, all of them. May be repeated.")
@click.option("--tag", multiple=True, help="The new tags, all of them. May be repeated.")
@click.option("--evidence", multiple=True, help="The new evidence, all of it. May be repeated.")
@click.option("--clear", multiple=True, type=click.Choice(tuple(CLEARED)), help="Make this field empty.")
@click.option(
    "--supersedes", multiple=True, metavar="ID=REASON", help="Another reason for a supersession that it makes."
)
@click.option("--reason", default="", help="Why it is corrected.")
@writing_options
def correct(id_: str, reason: str, clear: tuple[str, ...], supersedes: tuple[str, ...], **words: Any) -> None:
    """Correct words and metadata of a node; never its relations, kind, state or choice. A field not given stays."""
    fields = {name: value for name, value in words.items() if value not in (None, ())}
    fields |= {name: CLEARED[name] for name in clear}
    if supersedes:
        fields["supersedes"] = tuple(_supersession(value) for value in supersedes)
    if not fields:
        raise UsageError("nothing to correct", code="usage", hint="e.g. --text or --tag")
    write([Correct(node=id_, fields=Correction(**fields), reason=reason)])


def _supersession(value: str) -> Supersession:
    name, _, reason = value.partition("=")
    if not name or reason not in get_args(Reason):
        raise UsageError(f"--supersedes {value}: expected ID=restate, ID=revise or ID=reverse", code="usage")
    return Supersession(id=name, reason=cast("Reason", reason))


@command("review", 'tms review d5 d1 --reason "still fits"')
@click.argument("citing")
@click.argument("cited")
@click.argument("head", required=False)
@click.option("--reason", default="", help="Why it is fine.")
@missing_option
@writing_options
def review(citing: str, cited: str, head: str | None, reason: str) -> None:
    """Say that somebody looked: CITING cites CITED, which now means HEAD, and that is fine. The flag goes.

    Without HEAD, what CITED leads to now is meant.
    """
    session = open_session()
    heads = (head,) if head else _heads(session.graph, cited)
    records: list[Record] = [Review(citing=citing, cited=cited, head=name, reason=reason) for name in heads]
    write(records, session=session)
    if heads == (cited,):
        note(f"note: nothing supersedes {cited}, so there was no flag")


def _heads(graph: Graph, cited: str) -> tuple[str, ...]:
    names = graph.declared.names
    number = graph.number(cited)
    leads = graph.compiled.citations().heads(number)
    if leads.lost:
        raise UsageError(f"{cited} was reversed: what cites it has lost it, and no review brings it back", code="lost")
    return tuple(sorted(names.name(head) for head in leads.heads))


@command("void", 'tms void 3f2a91c07b44 --reason "recorded twice"\ntms void 3f2a91c07b44 --field supports --position 0')
@click.argument("target", metavar="HASH")
@click.option("--field", type=click.Choice(PARTS), help="Only one relation in the record: which field.")
@click.option("--position", type=click.IntRange(min=0), help="... and which of that field, 0 for the first.")
@click.option("--key", default="", help="... and, for because and alternatives, of which alternative.")
@click.option("--reason", default="", help="Why.")
@writing_options
def void(target: str, field: str | None, position: int | None, key: str, reason: str) -> None:
    """Make a line void, by its HASH or an unambiguous beginning of it (tms log shows them). Nothing is deleted.

    A void line can be made void in turn, which brings the first back.
    """
    session = open_session()
    found = _line(session.graph, target)
    given = cast("Any", field)
    write([Void(target=found, field=given, position=position, key=key, reason=reason)], session=session)


def _line(graph: Graph, beginning: str) -> str:
    if len(beginning) < 6:
        raise UsageError(f"{beginning!r} is too short; give 6 or more digits of the line's hash", code="unknown-line")
    found = sorted({line.hash for line in graph.lines if line.hash.startswith(beginning)})
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{beginning!r} is the beginning of {len(found)} lines; give more of it", code="ambiguous")
    raise UsageError(f"no line has the hash {beginning!r}", code="unknown-line", hint="see the hashes: tms log")


@command("mark", 'tms mark v1.0 "as released"\ntms status --as-of v1.0')
@click.argument("name")
@click.argument("text", default="")
@writing_options
def mark(name: str, text: str) -> None:
    """Name this point in time, so that --as-of and tms changed can refer to it."""
    write([Mark(name=name, text=text)])


COMMANDS = {"correct": correct, "review": review, "void": void, "mark": mark}
