"""`tms status`: how things stand, and what needs attention."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import click

from cli.common import View, command, ids_of, load, plural, reading_options
from cli.output import say, say_json
from cli.render import LIMIT, chain_in_words, limited, quoted, say_more, table, title
from cli.shapes import NodeRow, StatusAnswer, node_row, text_of, words_of
from tms.graph import Graph

KINDS = ("claim", "decision", "question", "hypothesis", "nogood", "alternative")
# What needs attention, the most pressing first.
PRESSING = ("clash", "violated", "contested", "blocked", "unsupported", "circular", "unknown", "reopened", "open")
FLAGS = ("forked", "flagged", "degraded", "literal")
SAID = {
    "clash": "clash: recorded or assessed apart",
    "violated": "violated: nogoods whose members all hold",
    "contested": "contested: rests on what contradicts itself",
    "blocked": "blocked: a prerequisite does not hold",
    "unsupported": "unsupported: no support set holds",
    "circular": "circular: held up only by itself",
    "unknown": "unknown: not settled within the bound",
    "reopened": "reopened: the grounds of a rejection fell",
    "open": "open questions",
    "forked": "forked: a ground was superseded apart",
    "flagged": "flagged: a ground was revised, and nobody reviewed it (tms review)",
    "degraded": "degraded: some support sets no longer hold",
    "literal": "literal: met as literally cited, inside a circle",
}


@command("status", 'tms status\ntms status d1 c1\ntms status --assuming "dispute c1"\ntms status --as-of 2026-01-31')
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="List all that needs attention.")
@reading_options
def status(ids: tuple[str, ...], everything: bool, point: str | None, assuming: tuple[str, ...], as_json: bool) -> None:
    """How things stand: a summary and what needs attention; with IDs, these nodes. With --json, every node."""
    view = load(point, assuming)
    names = ids_of(ids)
    if as_json:
        nodes = tuple(node_row(view.graph, name) for name in sorted(names) or view.graph.ids())
        say_json(StatusAnswer(nodes=nodes, **view.frame))
    elif names:
        say_rows([node_row(view.graph, name) for name in names])
    else:
        summary(view, everything)


def say_rows(rows: Sequence[NodeRow]) -> None:
    """Nodes as a table, then the blockers of those that have any."""
    shown = [(r.id, r.kind, r.status, _state(r), ", ".join(r.flags), r.text) for r in rows]
    table(("id", "kind", "status", "state", "flags", "text"), shown)
    for row in rows:
        for blocker in row.blockers:
            say(f"{row.id} is blocked by {blocker.prerequisite}: {chain_in_words(blocker)}")


def _state(row: NodeRow) -> str:
    return row.state if row.state != row.status else ""


def summary(view: View, everything: bool) -> None:
    """Counts by kind and status, then what needs attention."""
    graph = view.graph
    ids = graph.ids()
    if not ids:
        say('The ledger holds no node yet. Record one: tms claim "..." --id c1 --state accepted')
        return
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    pressing: dict[str, list[str]] = defaultdict(list)
    for name in ids:
        word, flags = words_of(graph, name)
        counts[graph.declared.facts(graph.number(name)).kind][word] += 1
        for found in (word, *flags):
            pressing[found].append(name)
    title(f"{plural(len(ids), 'node')} from {plural(len(graph.lines), 'line')} of {view.reading.path}")
    rows = [(_plural_kind(kind), _counted(counts[kind])) for kind in KINDS if counts[kind]]
    _say_counts(rows)
    _attention(graph, pressing, everything)


def _plural_kind(kind: str) -> str:
    return "hypotheses" if kind == "hypothesis" else f"{kind}s"


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {word}" for word, number in sorted(counts.items(), key=lambda c: (-c[1], c[0])))


def _say_counts(rows: Sequence[tuple[str, str]]) -> None:
    width = max(len(kind) for kind, _ in rows)
    for kind, counts in rows:
        say(f"  {kind.ljust(width)}  {counts}")


def _attention(graph: Graph, pressing: dict[str, list[str]], everything: bool) -> None:
    say()
    absent = graph.missing()
    if not absent and not any(pressing.get(word) for word in (*PRESSING, *FLAGS)):
        say("Nothing needs attention: no clash, nothing blocked or unsupported, no open question.")
        return
    title("Needs attention")
    for word in (*PRESSING, *FLAGS):
        if pressing.get(word):
            _section(graph, word, pressing[word], everything)
    if absent:
        shown, left = limited(absent, everything)
        say(f"  missing: referred to, never recorded ({len(absent)})")
        say(f"    {', '.join(shown)}")
        say_more(left, "    ")


def _section(graph: Graph, word: str, names: Sequence[str], everything: bool) -> None:
    say(f"  {SAID[word]} ({len(names)})")
    shown, left = limited(names, everything, LIMIT // 2)
    for name in shown:
        say(f"    {name} {quoted(text_of(graph, name))}".rstrip() + _root(graph, word, name))
    say_more(left, "    ")


def _root(graph: Graph, word: str, name: str) -> str:
    """The root causes of a blocked decision."""
    if word != "blocked":
        return ""
    roots = dict.fromkeys(f"{b.root} ({b.reason})" for b in graph.status(name).blockers)
    return f"  by {', '.join(roots)}"


COMMANDS = {"status": status}
