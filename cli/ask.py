"""`tms why`, `impact`, `changed`: derivations, what-if, time."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cli.common import changes_of, command, frame_of, json_option, ledger_path, load, reading_options, remark
from cli.output import say, say_json
from cli.render import changed_table, limited, say_more, set_in_words, table, title
from cli.shapes import ChangedAnswer, impact_answer, text_of, why_answer
from tms.consequences import Changed, Difference, Impact, Survived, changed, impact
from tms.explain import prose, why
from tms.graph import Graph
from tms.ledger.history import as_of
from tms.ledger.reader import read
from tms.questions import Aftermath, aftermath


@command("why", 'tms why d1\ntms why d1 --assuming "dispute c1, dispute c3"')
@click.argument("id_", metavar="ID")
@reading_options
def why_(id_: str, point: str | None, assuming: tuple[str, ...], as_json: bool) -> None:
    """Why a node stands as it does: the derivation down to the judgements; else the first cause of its fall."""
    view = load(point, assuming)
    found = why(view.graph, id_)
    if as_json:
        say_json(why_answer(found, view.frame))
        return
    say(prose(found))
    if found.missing and found.first_cause:
        say(f"Not given, and what it would take: {', '.join(found.missing)}")


# -- impact -----------------------------------------------------------------------------------------------------


@command(
    "impact", "tms impact dispute c1\ntms impact dispute c1 c3 revoke d2\ntms impact accept c9 --as-of v1.0 --json"
)
@click.argument("change", nargs=-1, required=True, metavar="VERB ID [VERB ID]...")
@click.option("--all", "everything", is_flag=True, help="List everything.")
@reading_options
def impact_(
    change: tuple[str, ...], everything: bool, point: str | None, assuming: tuple[str, ...], as_json: bool
) -> None:
    """What would follow from a change: what falls, rises, reopens, and what survives by what. Writes nothing.

    The verbs are accept, dispute, reject (a claim), adopt, revoke (a decision), falsify, abandon (a hypothesis). They
    are applied in order; the last word on a node counts.
    """
    view = load(point, assuming)
    found = impact(view.graph, changes_of(" ".join(change).replace(",", " ").split()))
    if as_json:
        say_json(impact_answer(found, aftermath(view.graph, found), view.frame))
    else:
        say_impact(view.graph, found, everything)
        _aftermath(aftermath(view.graph, found))


def say_impact(graph: Graph, found: Impact, everything: bool) -> None:
    """An impact as text, a section for each kind of consequence."""
    say(f"What if: {', '.join(f'{verb} {name}' for verb, name in found.change)}. Nothing is written.")
    if not found.changed and not found.survived:
        say("Nothing would change.")
        return
    violated, dormant = found.conflicts
    grouped = {
        "Falls": tuple(c.id for c in found.fell),
        "Rises": tuple(c.id for c in found.rose),
        "Reopens": found.reopened,
        "Closes again": found.closed,
        "New conflicts": violated,
        "Conflicts that vanish": dormant,
    }
    named = {name for names in grouped.values() for name in names}
    grouped["Changes otherwise"] = tuple(c.id for c in found.changed if c.id not in named)
    by_id = {c.id: c for c in found.changed}
    for heading, names in grouped.items():
        _section(heading, [by_id[name] for name in names], everything, always=heading == "Falls")
    _survivors(graph, found.survived, everything)


def _section(heading: str, found: Sequence[Changed], everything: bool, *, always: bool) -> None:
    if found:
        title(heading, len(found))
        changed_table(sorted(found, key=lambda c: (c.depth, c.id)), everything)
    elif always:
        title(f"{heading}: nothing")


def _survivors(graph: Graph, found: Sequence[Survived], everything: bool) -> None:
    if not found:
        title("Survives on other grounds: nothing had to")
        return
    title("Survives on other grounds", len(found))
    shown, left = limited(found, everything)
    rows = [
        (s.id, s.kind, s.status, set_in_words(s.by), "degraded" if s.degraded else "", text_of(graph, s.id))
        for s in shown
    ]
    table(("id", "kind", "status", "by", "", "text"), rows, "  ")
    say_more(left, "  ")


def _aftermath(left: Aftermath) -> None:
    for name, points in left.single_points.items():
        say(f"{name} rests on {', '.join(points)} alone now.")
    for name, sets in left.repairs.items():
        say(f"To repair {name}: {' or '.join(set_in_words(s) for s in sets)}.")


# -- changed ----------------------------------------------------------------------------------------------------


@command("changed", "tms changed v1.0\ntms changed 2026-01-01 2026-02-01\ntms changed 3f2a91c07b44 v1.0 --json")
@click.argument("start", metavar="A")
@click.argument("to", metavar="[B]", default="")
@click.option("--all", "everything", is_flag=True, help="List everything.")
@json_option
def changed_(start: str, to: str, everything: bool, as_json: bool) -> None:
    """What differs between two points in time, A and B (now), with the lines that caused it.

    A point is a mark, 6 or more digits of a line's hash, a date (the end of that day, UTC) or a time.
    """
    reading = read(ledger_path())
    remark(reading)
    before = Graph.replay(as_of(reading.lines, start))
    after = Graph.replay(as_of(reading.lines, to) if to else reading.lines)
    found = changed(before, after)
    if as_json:
        say_json(ChangedAnswer(start=start, to=to, changed=found, **frame_of(reading)))
    else:
        say_differences(found, start, to or "now", everything)


def say_differences(found: Sequence[Difference], start: str, to: str, everything: bool) -> None:
    """What differs, one row a node."""
    if not found:
        say(f"No status differs between {start} and {to}.")
        return
    title(f"From {start} to {to}", len(found))
    shown, left = limited(found, everything)
    rows = [(d.id, d.kind, f"{d.before or 'absent'} -> {d.after or 'absent'}", _because(d)) for d in shown]
    table(("id", "kind", "status", "because of"), rows, "  ")
    say_more(left, "  ")


def _because(found: Difference) -> str:
    if not found.lines:
        return "what it rests on"
    short = [hash_[:12] for hash_ in found.lines[:3]]
    return "line " + ", ".join(short) + (f", ... and {len(found.lines) - 3} more" if len(found.lines) > 3 else "")


COMMANDS = {"why": why_, "impact": impact_, "changed": changed_}
