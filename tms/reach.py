"""What a node rests on and what rests on it, following citations as the engine does; and the ways between two nodes.

A citation leads to the heads of what it cites; inside a circle, where it is met literally, to the cited node as well.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from tms.graph import Graph
from tms.network import NEVER


class Path(NamedTuple):
    """A simple path: the ids, and the relation by which each rests on the one before."""

    ids: tuple[str, ...]
    relations: tuple[str, ...]


def grounds(graph: Graph, names: Iterable[str], depth: int | None = None) -> dict[str, int]:
    """All that some nodes rest on, at most `depth` steps away, with the number of steps; sorted by id.

    A node of `names` is there only where another leads to it, or a circle leads back. Raises `UnknownNode`.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1"), Claim(id="c2", supports=(("c1",),)),
    ...     Decision(id="d1", choice="x", supports=(("c2",),))])
    >>> grounds(graph, ["d1"]), dependents(graph, ["c1"], 1)
    ({'c1': 2, 'c2': 1}, {'c2': 1})
    """
    return _reached(graph, names, depth, lambda number: _grounds(graph, number))


def dependents(graph: Graph, names: Iterable[str], depth: int | None = None) -> dict[str, int]:
    """All that rests on some nodes, at most `depth` steps away, with the number of steps; sorted by id.

    Raises `UnknownNode`.
    """
    return _reached(graph, names, depth, lambda number: _dependents(graph, number))


def _reached(
    graph: Graph, names: Iterable[str], depth: int | None, step: Callable[[int], Iterator[int]]
) -> dict[str, int]:
    found: dict[int, int] = {}
    front, steps = [graph.number(name) for name in names], 0
    while front and (depth is None or steps < depth):
        steps += 1
        reached = [n for number in front for n in step(number)]
        front = []
        for number in reached:
            if number not in found:
                found[number] = steps
                front.append(number)
    name = graph.declared.names.name
    return dict(sorted((name(n), steps) for n, steps in found.items() if graph.declared.facts(n).exists))


def _grounds(graph: Graph, node: int) -> Iterator[int]:
    compiled = graph.compiled
    network, stack, seen = compiled.network, [compiled.holder(node)], set()
    while stack:
        for just in network.own[stack.pop()]:
            for member in network.members[just]:
                if member == NEVER or member in seen:
                    continue
                seen.add(member)
                if compiled.owner(member) == member or compiled.holder(compiled.owner(member)) == member:
                    yield compiled.owner(member)
                else:  # the helper of a citation that is met literally: on to where it leads
                    stack.append(member)


def _dependents(graph: Graph, node: int) -> Iterator[int]:
    compiled = graph.compiled
    for number in {node, compiled.holder(node)}:
        for citing in compiled.network.consequents(number):
            yield compiled.owner(citing)


def relation(graph: Graph, citing: str, ground: str) -> str:
    """By which relation one node rests on another: supports, depends_on, because, assuming, members or answers.

    Several are joined by a plus sign. Raises `UnknownNode`.
    """
    node, target = graph.number(citing), graph.number(ground)
    facts = graph.declared.facts(node)
    sets = {"alternative": "because", "hypothesis": "assuming"}.get(facts.kind, "supports")
    groups = [(sets, [m for members in facts.sets for m in members]), ("depends_on", list(facts.depends_on))]
    groups.append(("members", list(facts.members)))
    found = [word for word, cited in groups if any(_leads(graph, node, name, target) for name in cited)]
    return "+".join(found) or "answers"


def _leads(graph: Graph, citing: int, cited: str, ground: int) -> bool:
    compiled = graph.compiled
    number = compiled.declared.names.number(cited)
    if number is None or not compiled.declared.facts(number).exists:
        return False
    found = compiled.citations().heads(number)
    literal = number == ground and (citing, number) in compiled.literals
    return literal or (ground in found.heads and not found.lost)


def paths(graph: Graph, start: str, end: str) -> Iterator[Path]:
    """The simple paths from `start` up to `end`, which rests on it; shortest first, ties in the order of ids.

    They can be very many: take as many as are needed. Raises `UnknownNode`.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1"), Claim(id="c2", supports=(("c1",),)),
    ...     Decision(id="d1", choice="x", supports=(("c2", "c1"),))])
    >>> [path.ids for path in paths(graph, "c1", "d1")]
    [('c1', 'd1'), ('c1', 'c2', 'd1')]
    """
    between = {*dependents(graph, [start]), start} & {*grounds(graph, [end]), end}
    if start == end or not {start, end} <= between:
        return
    above = {name: [n for n in dependents(graph, [name], 1) if n in between] for name in sorted(between)}
    for ids in _by_length(above, start, end):
        yield Path(ids, tuple(relation(graph, upper, lower) for lower, upper in pairwise(ids)))


def _by_length(above: dict[str, list[str]], start: str, end: str) -> Iterator[tuple[str, ...]]:
    """Every simple path in the order of (length, ids) (Yen 1971, each part searched once as in Lawler 1972).

    On the heap, each path is the first of those that begin with its first `kept` ids and then do not go to `barred`.
    """
    below: dict[str, list[str]] = {name: [] for name in above}
    for name, uppers in above.items():
        for upper in uppers:
            below[upper].append(name)
    first = _first(above, below, (start,), frozenset(), end)
    waiting = [] if first is None else [(len(first), first, 1, frozenset[str]())]
    while waiting:
        _, path, kept, barred = heapq.heappop(waiting)
        yield path
        for at in range(kept, len(path)):
            out = (barred if at == kept else frozenset()) | {path[at]}
            found = _first(above, below, path[:at], out, end)
            if found is not None:
                heapq.heappush(waiting, (len(found), found, at, out))


def _first(
    above: dict[str, list[str]], below: dict[str, list[str]], begun: tuple[str, ...], barred: frozenset[str], end: str
) -> tuple[str, ...] | None:
    """The first path, by length and then ids, that goes on from what is begun, and not to what is barred."""
    nexts = set(above[begun[-1]]) - barred - set(begun)
    left, front, steps = {end: 0}, [end], 0  # how many steps are left from each node
    while front and not nexts & set(front):
        steps += 1
        front = [name for upper in front for name in below[upper]]
        front = [name for name in dict.fromkeys(front) if name not in left and name not in begun]
        left.update(dict.fromkeys(front, steps))
    if not front:
        return None
    path = [*begun, min(nexts & set(front))]
    while path[-1] != end:
        steps -= 1
        path.append(min(name for name in above[path[-1]] if left.get(name) == steps))
    return tuple(path)
