"""Which nodes are drawn: all where they fit, else a focus and its surroundings, and words for what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tms.consequences import changed
from tms.errors import UsageError
from tms.graph import Graph

LIMIT = 200  # nodes, about; more is not readable as one picture
# What wants a look, the most pressing first.
_PRESSING = ("clash", "violated", "contested", "blocked", "unsupported", "circular", "reopened")


class Choice(NamedTuple):
    """The ids to draw, those in focus among them, and what to say about it."""

    ids: frozenset[str]
    focus: tuple[str, ...]
    note: str


def neighbours(graph: Graph, name: str) -> tuple[set[str], set[str]]:
    """What bears on a node (up) and what it bears on (down); ids that no line records among them."""
    if name not in graph:
        return set(), set()
    node = graph.node(name)
    up = {m for members in node.supports for m in members} | {*node.depends_on, *node.members, *node.answered_by}
    up |= {successor for successor, _ in node.superseded_by}
    down = {*node.cited_by, *node.answers, *node.alternatives}
    down |= {other for other, _ in (*node.supersedes, *node.would_supersede)}
    if node.kind == "alternative":
        up.add(name.partition("/")[0])
    return up - {name, ""}, down - {name, ""}


def choose(
    graph: Graph,
    *,
    focus: Sequence[str],
    up: int | None,
    down: int | None,
    only: Sequence[str] | None,
    fold: str | None,
    versus: Graph | None,
) -> Choice:
    """The nodes to draw. Raises `UnknownNode`, and `UsageError` where the wishes exclude one another."""
    if only is not None and (focus or up is not None or down is not None):
        raise UsageError("only draws just these nodes: it goes with no focus, up or down", code="only")
    if (up is not None or down is not None) and not focus:
        raise UsageError("up and down need a focus to count from", code="focus", hint="say which: --focus ID")
    graphs = [graph] if versus is None else [graph, versus]
    for name in (*focus, *(only or ())):
        if not any(name in g for g in graphs):
            graph.number(name)  # raises, with the nearest ids
    total = len({name for g in graphs for name in g.ids()})
    if only is not None:
        return _said(frozenset(only), (), "Only the nodes asked for", total)
    if focus:
        return _around(graphs, tuple(dict.fromkeys(focus)), up, down, total, "")
    if total <= LIMIT or fold == "scope":  # folded, it may well fit
        everything = {name for g in graphs for name in (*g.ids(), *g.missing())}
        return Choice(frozenset(everything), (), "")
    chosen, why = _interesting(graph, versus)
    return _around(graphs, chosen, None, None, total, why)


def _said(ids: frozenset[str], focus: tuple[str, ...], what: str, total: int) -> Choice:
    left = total - len(ids)
    tail = f"; {left} of {total} nodes are left out." if left > 0 else "."
    return Choice(ids, focus, what + tail)


def _interesting(graph: Graph, versus: Graph | None) -> tuple[tuple[str, ...], str]:
    """Where to look first in a graph that is too large, and why there."""
    if versus is not None:
        found = tuple(d.id for d in changed(versus, graph))[:LIMIT]
        if found:
            return found, "what differs"
    if graph.changes:
        return tuple(sorted({name for _, name in graph.changes}))[:LIMIT], "what is assumed"
    by_status: dict[str, list[str]] = {}
    for name in graph.ids():
        by_status.setdefault(graph.word(name), []).append(name)
    for status in _PRESSING:
        if status in by_status:
            return (by_status[status][0],), f"the first that is {status}"
    return (_widest(graph),), "the most lies around it"


def _widest(graph: Graph) -> str:
    """Of the nodes with most neighbours, the one with most around it that can be drawn."""
    size = {name: sum(map(len, neighbours(graph, name))) for name in graph.ids()}
    likely = sorted(size, key=lambda name: (-size[name], name))[:_TRIED]
    return max(likely, key=lambda name: len(_around([graph], (name,), None, None, 0, "").ids))


_TRIED = 20


def _around(
    graphs: list[Graph], focus: tuple[str, ...], up: int | None, down: int | None, total: int, why: str
) -> Choice:
    """The focus with what lies up and down of it: as deep as asked, else as deep as fits."""
    fits = up is None and down is None
    limits = (None, None) if fits else (up or 0, down or 0)
    cones = [_rings(graphs, focus, direction, limit) for direction, limit in enumerate(limits)]
    ids, depth, cut = set(focus), [0, 0], 0
    while any(rings := [next(cone, set()) for cone in cones]):
        new = set().union(*rings) - ids
        if fits and len(ids) + len(new) > LIMIT:
            if any(depth):  # a ring is drawn whole or not at all
                break
            kept = sorted(new)[: max(LIMIT - len(ids), 0)]  # but for the first
            cut, new = len(new) - len(kept), set(kept)
        ids |= new
        depth = [number + bool(ring) for number, ring in zip(depth, rings, strict=True)]
        if cut:
            break
    return _said(frozenset(ids), focus, _in_words(focus, depth, why, cut), total)


def _rings(graphs: list[Graph], focus: Sequence[str], direction: int, limit: int | None) -> Iterator[set[str]]:
    """What lies in one direction of the focus, ring by ring, until there is no more or the limit is reached."""
    front, seen, depth = set(focus), set(focus), 0
    while limit is None or depth < limit:
        front = {n for graph in graphs for name in front for n in neighbours(graph, name)[direction]} - seen
        if not front:
            return
        seen |= front
        depth += 1
        yield front


def _in_words(focus: tuple[str, ...], depth: Sequence[int], why: str, cut: int) -> str:
    more = f" and {len(focus) - 3} more" if len(focus) > 3 else ""
    because = f" ({why})" if why else ""
    text = f"Focus: {', '.join(focus[:3])}{more}{because}, {depth[0]} up, {depth[1]} down"
    return text + (f"; {cut} direct neighbours did not fit" if cut else "")
