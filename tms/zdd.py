"""Families of minimal sets as hash-consed ZDDs of antichains (Minato 1993; minimal solutions: Rauzy 1993).

A `Forest` holds nodes `(level, low, high)`: the sets without the variable of `level`, and those with it, the variable
left out. `EMPTY` (0) is the family of no set, `UNIT` (1) the family of the empty set alone. Every family made here is
an antichain: no set contains another. Levels grow downwards; who makes the variables chooses their order.

    union    the minimal sets of both families
    product  the minimal unions of one set of each
    without  the sets of the first that contain no set of the second

Each is memoised, and recurses as deep as a family has members. They are called within `working`, which makes room and
bounds the steps of all operators together: beyond it `Exhausted` is raised, and what was computed before stays right.
With `limit` k, families are cut to sets of at most k members, exactly.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

from tms.collector import paused

EMPTY, UNIT = 0, 1
_BOTTOM = sys.maxsize
_DEEP = 1_000_000


_GLANCE = 1 << 17  # steps between two reports: about a third of a second
Watch: TypeAlias = Callable[[int, int | None], None]
watch: ContextVar[Watch | None] = ContextVar("watch", default=None)  # told of (steps, budget) while work goes on


class Exhausted(Exception):
    """The budget of steps is used up."""


@contextmanager
def deep() -> Iterator[None]:
    """Room for recursion as deep as a chain of judgements; calls from Python to Python take no C stack (3.11)."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class Forest:
    """A table of nodes and the operators on them.

    >>> forest = Forest()
    >>> a, b, c = (forest.single(level) for level in (1, 2, 3))
    >>> both = forest.product(a, b)
    >>> forest.sets(forest.union(both, c))
    [(3,), (1, 2)]
    >>> forest.sets(forest.union(both, a)), forest.count(forest.product(both, c))
    ([(1,)], 1)
    """

    def __init__(self) -> None:
        self.level = [_BOTTOM, _BOTTOM]
        self.low = [0, 0]
        self.high = [0, 0]
        self.smallest = [_BOTTOM, 0]  # size of the smallest set
        self.steps = 0
        self._budget: int | None = None  # the count of steps at which the work ends
        self._pause_at = 0
        self._unique: dict[tuple[int, int, int], int] = {}
        self._unions: dict[tuple[int, int], int] = {}
        self._products: dict[tuple[int, int], int] = {}
        self._withouts: dict[tuple[int, int], int] = {}
        self._cuts: dict[tuple[int, int], int] = {}
        self._bounded: dict[tuple[int, int, int], int] = {}
        self._counts: dict[int, tuple[int, ...]] = {EMPTY: (), UNIT: (1,)}

    def __len__(self) -> int:
        return len(self.level)

    def single(self, level: int) -> int:
        """The family of one set with one member."""
        return self.node(level, EMPTY, UNIT)

    def node(self, level: int, low: int, high: int) -> int:
        """The node of these parts; the same parts give the same number."""
        if high == EMPTY:
            return low
        key = (level, low, high)
        found = self._unique.get(key)
        if found is None:
            found = self._unique[key] = len(self.level)
            self.level.append(level)
            self.low.append(low)
            self.high.append(high)
            self.smallest.append(min(self.smallest[low], self.smallest[high] + 1))
        return found

    @contextmanager
    def working(self, steps: int | None) -> Iterator[None]:
        """Room for recursion, no collection, at most so many more steps, and never more than an outer one gives."""
        before = self._budget
        ends = [end for end in (before, None if steps is None else self.steps + steps) if end is not None]
        self._budget, self._pause_at = min(ends, default=None), self.steps  # the next step looks
        try:
            with deep(), paused():
                yield
        finally:
            self._budget, self._pause_at = before, self.steps

    def _pause(self) -> None:
        if self._budget is not None and self.steps > self._budget:
            raise Exhausted
        told = watch.get()
        if told is not None:
            told(self.steps, self._budget)
        glance = self.steps + _GLANCE
        self._pause_at = glance if self._budget is None else min(glance, self._budget)

    def union(self, f: int, g: int) -> int:
        """The minimal sets of both."""
        if f == g or g == EMPTY:
            return f
        if f == EMPTY:
            return g
        if f == UNIT or g == UNIT:
            return UNIT
        if f > g:
            f, g = g, f
        key = (f, g)
        found = self._unions.get(key)
        if found is not None:
            return found
        self.steps += 1
        if self.steps > self._pause_at:
            self._pause()
        at_f, at_g = self.level[f], self.level[g]
        if at_f == at_g:
            low = self.union(self.low[f], self.low[g])
            high = self.without(self.union(self.high[f], self.high[g]), low)
            found = self.node(at_f, low, high)
        elif at_f < at_g:
            found = self.node(at_f, self.union(self.low[f], g), self.without(self.high[f], g))
        else:
            found = self.node(at_g, self.union(f, self.low[g]), self.without(self.high[g], f))
        self._unions[key] = found
        return found

    def without(self, f: int, g: int) -> int:
        """The sets of f that contain no set of g."""
        if f == EMPTY or f == g or g == UNIT:
            return EMPTY
        if g == EMPTY or f == UNIT:
            return f
        at_f, at_g = self.level[f], self.level[g]
        while at_g < at_f:  # no set of f has that variable
            g = self.low[g]
            if g == EMPTY:
                return f
            at_g = self.level[g]
        if f == g or g == UNIT:
            return EMPTY
        key = (f, g)
        found = self._withouts.get(key)
        if found is not None:
            return found
        self.steps += 1
        if self.steps > self._pause_at:
            self._pause()
        low, high = self.low[f], self.high[f]  # trivial parts are met here: calls are what costs
        if at_f < at_g:
            low = self.without(low, g) if low else EMPTY
            high = self.without(high, g) if high != UNIT else UNIT
        else:
            rest = self.low[g]
            low = self.without(low, rest) if low and rest else low
            high = self.without(high, self.high[g])
            high = self.without(high, rest) if high and rest else high
        found = self.node(at_f, low, high)
        self._withouts[key] = found
        return found

    def product(self, f: int, g: int) -> int:
        """The minimal unions of a set of f and a set of g."""
        if f == EMPTY or g == EMPTY:
            return EMPTY
        if f == UNIT or f == g:
            return g
        if g == UNIT:
            return f
        if f > g:
            f, g = g, f
        key = (f, g)
        found = self._products.get(key)
        if found is not None:
            return found
        self.steps += 1
        if self.steps > self._pause_at:
            self._pause()
        at_f, at_g = self.level[f], self.level[g]
        if at_f == at_g:
            low = self.product(self.low[f], self.low[g])
            one = self.product(self.high[f], self.union(self.low[g], self.high[g]))
            high = self.union(one, self.product(self.low[f], self.high[g]))
            found = self.node(at_f, low, self.without(high, low))
        else:
            if at_f > at_g:
                f, g, at_f = g, f, at_g
            low = self.product(self.low[f], g)
            found = self.node(at_f, low, self.without(self.product(self.high[f], g), low))
        self._products[key] = found
        return found

    def hitting(self, f: int) -> int:
        """The minimal sets that have a member in common with every set of f (its transversals)."""
        known = {EMPTY: UNIT, UNIT: EMPTY}
        for node in self.from_below(f, known):
            low, high = known[self.low[node]], known[self.high[node]]
            known[node] = self.product(low, self.union(self.single(self.level[node]), high))
        return known[f]

    def beyond(self, f: int, levels: frozenset[int]) -> int:
        """The minimal sets that are left of those of f when what is in `levels` is taken out."""
        known = {EMPTY: EMPTY, UNIT: UNIT}
        for node in self.from_below(f, known):
            low, high = known[self.low[node]], known[self.high[node]]
            inside = self.level[node] in levels
            known[node] = self.union(low, high) if inside else self.node(self.level[node], low, self.without(high, low))
        return known[f]

    def support(self, f: int) -> set[int]:
        """The levels that occur in some set."""
        found: dict[int, int] = {EMPTY: 0, UNIT: 0}
        for node in self.from_below(f, found):
            found[node] = self.level[node]
        return {level for node, level in found.items() if node > UNIT}

    def from_below(self, f: int, known: Mapping[int, object]) -> Iterator[int]:
        """The nodes of f that are not known, each after its parts; whoever asks makes each known before the next."""
        stack = [f]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
                continue
            missing = [part for part in (self.low[node], self.high[node]) if part not in known]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            yield node

    def copied(self, other: Forest, families: Iterable[int]) -> dict[int, int]:
        """Families of another forest made in this one; what each of their nodes became."""
        made = {EMPTY: EMPTY, UNIT: UNIT}
        for family in families:
            for node in other.from_below(family, made):
                made[node] = self.node(other.level[node], made[other.low[node]], made[other.high[node]])
        return made

    def held(self) -> int:
        """How much is kept: nodes, and results of operators."""
        memos = (self._unions, self._products, self._withouts, self._cuts)
        return len(self.level) + sum(map(len, memos)) + len(self._bounded) + len(self._counts)

    def cut(self, f: int, limit: int) -> int:
        """The sets of at most `limit` members."""
        if self.smallest[f] > limit:
            return EMPTY
        if f == UNIT:
            return UNIT
        key = (f, limit)
        found = self._cuts.get(key)
        if found is None:
            self.steps += 1
            if self.steps > self._pause_at:
                self._pause()
            low, high = self.cut(self.low[f], limit), self.cut(self.high[f], limit - 1)
            found = self._cuts[key] = self.node(self.level[f], low, high)
        return found

    def bounded_product(self, f: int, g: int, limit: int) -> int:
        """The product, cut to sets of at most `limit` members, without making the larger ones first."""
        if max(self.smallest[f], self.smallest[g]) > limit:
            return EMPTY
        if f == UNIT or f == g:
            return self.cut(g, limit)
        if g == UNIT:
            return self.cut(f, limit)
        if f > g:
            f, g = g, f
        key = (f, g, limit)
        found = self._bounded.get(key)
        if found is not None:
            return found
        self.steps += 1
        if self.steps > self._pause_at:
            self._pause()
        at_f, at_g = self.level[f], self.level[g]
        times = self.bounded_product
        if at_f == at_g:
            low = times(self.low[f], self.low[g], limit)
            one = times(self.high[f], self.union(self.low[g], self.high[g]), limit - 1)
            high = self.union(one, times(self.low[f], self.high[g], limit - 1))
            found = self.node(at_f, low, self.without(high, low))
        else:
            if at_f > at_g:
                f, g, at_f = g, f, at_g
            low = times(self.low[f], g, limit)
            found = self.node(at_f, low, self.without(times(self.high[f], g, limit - 1), low))
        self._bounded[key] = found
        return found

    def sizes(self, f: int) -> tuple[int, ...]:
        """How many sets there are of 0, 1, 2 ... members; exact, linear in the nodes times the largest size."""
        counts = self._counts
        for node in self.from_below(f, counts):
            counts[node] = _added(counts[self.low[node]], (0, *counts[self.high[node]]))
        return counts[f]

    def count(self, f: int) -> int:
        """How many sets there are."""
        return sum(self.sizes(f))

    def ordered(self, f: int) -> Iterator[tuple[int, ...]]:
        """The sets, the smallest first; of one size in the order of their levels; lazily."""
        waiting: list[tuple[int, tuple[int, ...], int]] = []
        if f != EMPTY:
            waiting.append((self.smallest[f], (), f))
        while waiting:
            size, taken, node = heapq.heappop(waiting)
            while node != UNIT:
                low, high = self.low[node], self.high[node]
                if low != EMPTY:
                    heapq.heappush(waiting, (len(taken) + self.smallest[low], taken, low))
                taken = (*taken, self.level[node])
                node = high
                if len(taken) + self.smallest[node] > size:
                    heapq.heappush(waiting, (len(taken) + self.smallest[node], taken, node))
                    break
            else:
                yield taken

    def sets(self, f: int) -> list[tuple[int, ...]]:
        """All sets in order; for families known to be small."""
        return list(self.ordered(f))

    def contains_subset(self, f: int, levels: frozenset[int]) -> bool:
        """Whether some set of f lies within `levels`; linear in the nodes."""
        known = {EMPTY: False, UNIT: True}
        for node in self.from_below(f, known):
            known[node] = known[self.low[node]] or (self.level[node] in levels and known[self.high[node]])
        return known[f]


def _added(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if len(one) < len(other):
        one, other = other, one
    return (*(a + b for a, b in zip(one, other, strict=False)), *one[len(other) :])
