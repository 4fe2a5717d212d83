"""Which moved citations lie in a circle: found in the whole graph, or only where a change can have made a difference.

Let U be the graph of every edge that some round of `find_literals` could use: from x to the heads of each live citation
of x, and to what is cited itself, should it be met literally. A circle lies within one component of U. So whether a
citation of x is literal follows from the edges within the component of x alone, whatever the judgements are.

A component of U, before or after a change, within which no edge was altered is one both before and after, with the same
edges and so with the same literals. Any other x is or was on a closed way that takes an altered edge. Follow it from x
to the first such edge: x leads to where that starts, today. Follow it backwards: x is led to, today, from where one
ends. What does both is the region of the change: whole components, of U before and after. Only it is searched again.
A new node that nothing cites is where all altered edges start, nothing else leads to it: its region is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import cycle
from typing import TypeAlias

from tms.cite import Citations, Pair, leads
from tms.components import components

Step: TypeAlias = Callable[[int], Iterable[int]]
Side: TypeAlias = tuple[set[int], Step]  # where a search starts, and what follows from each node


def find_literals(
    citations: Citations, pairs: Iterable[Pair], region: set[int] | None = None
) -> tuple[frozenset[Pair], frozenset[int]]:
    """The moved citations that lie in a circle, and the nodes of those circles; of the whole graph, or in a region.

    A literal citation adds an edge, which may close further circles: repeated until nothing changes.
    """
    possible, around = _in_circles(citations, sorted(pairs), _within(lambda n: leads(citations.live(n)), region))
    live = {node: list(citations.live(node)) for node in sorted(around)}
    literals: set[Pair] = set()

    def grounds(node: int) -> list[int]:
        ways = ((*heads, m) if (node, m) in literals else heads for m, heads in live[node])
        return [target for way in ways for target in way if target in live]

    while True:
        found, zone = _in_circles(citations, possible, grounds)
        if len(found) == len(literals):
            return frozenset(literals), frozenset(zone)
        literals.update(found)


def _in_circles(citations: Citations, pairs: list[Pair], step: Step) -> tuple[list[Pair], set[int]]:
    """Those citations whose heads lead back to them, and the components that they are in."""
    found = components(sorted({x for x, _ in pairs}), step)
    place = {node: i for i, component in enumerate(found) for node in component}
    closed = [(x, m) for x, m in pairs if any(place.get(head) == place[x] for head in citations.heads(m).heads)]
    return closed, {node for i in {place[x] for x, _ in closed} for node in found[i]}


def between(down: Side, up: Side) -> set[int]:
    """What both searches find.

    They take turns until one of them has ended, and the other is made inside what that one found: the cost is in
    proportion to the smaller.

    >>> below, above = {1: [0], 2: [1], 3: [2]}, {0: [1], 1: [2], 2: [3]}
    >>> sorted(between(({3}, lambda n: below.get(n, ())), ({1}, lambda n: above.get(n, ()))))
    [1, 2, 3]
    """
    sides: tuple[Side, Side] = (up, down)
    found: tuple[set[int], set[int]] = (set(), set())
    turns = [_reach(start, step, seen) for (start, step), seen in zip(sides, found, strict=True)]
    ended = next(side for side in cycle((0, 1)) if next(turns[side], None) is None)
    start, step = sides[1 - ended]
    both: set[int] = set()
    for _ in _reach(start & found[ended], _within(step, found[ended]), both):
        pass
    return both


def _within(step: Step, region: set[int] | None) -> Step:
    return step if region is None else lambda node: [target for target in step(node) if target in region]


def _reach(start: set[int], step: Step, seen: set[int]) -> Iterator[int]:
    """Fills `seen` with what `start` leads to; stops at each node and edge, so that it can be left off."""
    seen |= start
    order = list(start)
    for node in order:
        yield node
        for target in step(node):
            if target not in seen:
                seen.add(target)
                order.append(target)
            yield target
