"""`tms show`, `list`, `log`: what was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from cli.common import as_of_option, command, json_option, load, plural, reading_options
from cli.output import say, say_json
from cli.render import chain_in_words, limited, log_table, say_more, sets_in_words, table, title
from cli.shapes import ListAnswer, LogAnswer, ShowAnswer, line_row, node_row, show_node, text_of, words_of
from cli.status import KINDS
from tms.graph import Graph, NodeView
from tms.model import Line
from tms.plain import one_line
from tms.status import Status

ROWS = 50


# -- show -------------------------------------------------------------------------------------------------------


@command("show", "tms show d1\ntms show d1 --as-of v1.0 --json")
@click.argument("id_", metavar="ID")
@reading_options
def show(id_: str, point: str | None, assuming: tuple[str, ...], as_json: bool) -> None:
    """One node: its words, its relations in both directions, its history."""
    view = load(point, assuming)
    node, found = view.graph.node(id_), view.graph.status(id_)
    if as_json:
        say_json(ShowAnswer(node=show_node(node, found), **view.frame))
    else:
        say_node(node, found)


def say_node(node: NodeView, found: Status) -> None:
    """A node as text: what it says, how it stands, what it rests on, what rests on it, its lines."""
    title(f"{node.id}  {node.kind}, {_standing(found)}")
    for text in (node.text, node.rationale):
        if text:
            say("  " + text.rstrip().replace("\n", "\n  "))
    rows = [row for row in (*_relations(node), *_fields(node)) if row[1]]
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        say(f"  {name.ljust(width)}  {one_line(value)}")
    for blocker in found.blockers:
        say(f"  blocked by {blocker.prerequisite}: {chain_in_words(blocker)}")
    if node.lines:
        title("lines")
        log_table(node.lines, "  ")


def _standing(found: Status) -> str:
    state = f", recorded as {found.state}" if found.state and found.state != found.status else ""
    return found.status + state + (f" [{', '.join(found.flags)}]" if found.flags else "")


def _relations(node: NodeView) -> list[tuple[str, str]]:
    superseding = [f"{i} ({reason})" for i, reason in node.supersedes]
    return [
        ("rests on", sets_in_words(node.supports)),
        ("depends on", ", ".join(node.depends_on)),
        ("members", ", ".join(node.members)),
        ("answers", ", ".join(node.answers)),
        ("answered by", ", ".join(node.answered_by)),
        ("supersedes", ", ".join(superseding)),
        ("would supersede", ", ".join(f"{i} ({reason})" for i, reason in node.would_supersede)),
        ("superseded by", ", ".join(f"{i} ({reason})" for i, reason in node.superseded_by)),
        ("cited by", _some(node.cited_by)),
        ("alternatives", ", ".join(node.alternatives)),
    ]


def _some(names: Sequence[str]) -> str:
    shown, left = limited(names, False)
    return ", ".join(shown) + (f", ... and {left} more" if left else "")


_SHOWN = frozenset(("id", "text", "rationale", "state", "verdict"))


def _fields(node: NodeView) -> list[tuple[str, str]]:
    own = [(name.replace("_", " "), _plain(value)) for name, value in node.fields.items() if name not in _SHOWN]
    return [
        *own,
        ("scope", ", ".join(node.scope)),
        ("tag", ", ".join(node.tag)),
        ("evidence", "; ".join(node.evidence)),
    ]


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={_plain(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_plain(part) for part in value)
    return str(value)


# -- list -------------------------------------------------------------------------------------------------------


@command("list", "tms list --kind decision --status blocked\ntms list --tag storage --text postgres --json")
@click.option("--kind", multiple=True, type=click.Choice(KINDS), help="Of this kind. Each option may be repeated (or).")
@click.option("--status", "statuses", multiple=True, help="With this status, or this flag.")
@click.option("--state", multiple=True, help="Recorded in this state.")
@click.option("--scope", multiple=True, help="In this scope: it, or what lies below it.")
@click.option("--tag", multiple=True, help="With this tag.")
@click.option("--text", default="", help="With these letters in its id, text or rationale; case does not matter.")
@click.option("--all", "everything", is_flag=True, help=f"All of them, not only the first {ROWS}.")
@reading_options
def list_(everything: bool, point: str | None, assuming: tuple[str, ...], as_json: bool, **filters: Any) -> None:
    """The nodes that pass every filter."""
    view = load(point, assuming)
    names = [name for name in view.graph.ids() if passes(view.graph, name, filters)]
    if as_json:
        say_json(ListAnswer(nodes=tuple(node_row(view.graph, name) for name in names), **view.frame))
        return
    if not names:
        say("No node passes these filters." if any(filters.values()) else "The ledger holds no node.")
        return
    shown, left = limited(names, everything, ROWS)
    table(("id", "kind", "status", "flags", "text"), [_row(view.graph, name) for name in shown])
    say_more(left)


def _row(graph: Graph, name: str) -> tuple[str, ...]:
    word, flags = words_of(graph, name)
    return name, graph.declared.facts(graph.number(name)).kind, word, ", ".join(flags), text_of(graph, name)


def passes(graph: Graph, name: str, filters: dict[str, Any]) -> bool:
    """Whether a node passes every filter; the cheap ones are asked first."""
    number = graph.number(name)
    if filters["kind"] and graph.declared.facts(number).kind not in filters["kind"]:
        return False
    if filters["state"] and graph.declared.state(number) not in filters["state"]:
        return False
    if filters["statuses"]:
        word, flags = words_of(graph, name)
        if not {word, *flags} & set(filters["statuses"]):
            return False
    return not (filters["scope"] or filters["tag"] or filters["text"]) or _words_pass(graph.node(name), filters)


def _words_pass(node: NodeView, filters: dict[str, Any]) -> bool:
    if filters["scope"] and not any(_within(own, asked) for own in node.scope for asked in filters["scope"]):
        return False
    if filters["tag"] and not set(filters["tag"]) & set(node.tag):
        return False
    text = filters["text"].casefold()
    return any(text in part.casefold() for part in (node.id, node.text, node.rationale))


def _within(own: str, asked: str) -> bool:
    """Whether a scope is the one asked for, or below it: `src/db` is within `src`."""
    return own == asked or own.startswith(asked.rstrip("/") + "/")


# -- log --------------------------------------------------------------------------------------------------------


@command("log", "tms log\ntms log d1 --all")
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--all", "everything", is_flag=True, help=f"All of them, not only the last {ROWS}.")
@as_of_option
@json_option
def log(id_: str | None, everything: bool, point: str | None, as_json: bool) -> None:
    """The lines of the ledger, or those about one node, newest first. Their hashes name points in time."""
    view = load(point)
    lines = newest_first(view.graph.node(id_).lines if id_ else view.graph.lines)
    if as_json:
        say_json(LogAnswer(lines=tuple(line_row(line) for line in lines), **view.frame))
        return
    if not lines:
        say("The ledger holds no line.")
        return
    shown, left = limited(lines, everything, ROWS)
    log_table(shown)
    if left:
        say(f"... and {plural(left, 'more')} (--all)", "dim")


def newest_first(lines: Sequence[Line]) -> list[Line]:
    """By place in the file, the last first; a line refers only to earlier ones, whatever the clocks said."""
    return sorted(lines, key=lambda line: line.number, reverse=True)


COMMANDS = {"show": show, "list": list_, "log": log}
