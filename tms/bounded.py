"""One label within a budget: complete where that can be reached, else cut at an honest bound.

Several ways, each with its share of the budget:

- by modules (`tms.modules`), in the order of the records or with the largest part first: briefly, then at length;
- steered by the small environments: the goal's environments of at most two members are found first, and every label
  on the way leaves out what contains one of them. What is left out could only make environments of the goal that are
  not minimal, so the goal's label is whole; the labels on the way are not, and are thrown away. Where there are
  circles this comes early, for it is what tames them;
- cut to k members, for k = 1, 2, 3 ... as far as the budget goes.
"""

from __future__ import annotations

from typing import NamedTuple

from tms.compile import Compiled
from tms.components import components
from tms.labels import BUDGET, Labels
from tms.modules import Modular
from tms.zdd import EMPTY, Exhausted, deep

SMALL = 2


class Label(NamedTuple):
    """`family` is a node of `labels.forest`; `complete_to` the size up to which it is the whole truth, None: all."""

    labels: Labels
    family: int
    complete_to: int | None


def label(compiled: Compiled, number: int, *, size: int | None = None, budget: int = BUDGET) -> Label:
    """The label of a node; with `size`, cut to environments of at most so many members.

    It always ends: the label of size 0, the whole truth about no judgement at all, needs no budget.
    """
    if size is not None:
        return _cut(compiled, number, size, budget)
    brief = [(_declared, 0.04), (_largest, 0.06)]
    ways = [brief[0], (_steered, 0.4), (_declared, 0.5)] if _circular(compiled, number) else [*brief, (_declared, 0.6)]
    for way, share in ways:
        try:
            return way(compiled, number, int(budget * share))
        except Exhausted:
            continue
    return _deepening(compiled, number, None, budget // 6)


def _circular(compiled: Compiled, number: int) -> bool:
    """Whether some of what a node rests on rests on itself."""
    own, members = compiled.network.own, compiled.network.members
    found = components([number], lambda n: [m for just in own[n] for m in members[just]])
    return any(len(component) > 1 for component in found)


def _declared(compiled: Compiled, number: int, budget: int) -> Label:
    labels = Modular(compiled, budget=budget)
    return Label(labels, labels.family(number), None)


def _largest(compiled: Compiled, number: int, budget: int) -> Label:
    labels = Modular(compiled, budget=budget, largest_first=True)
    return Label(labels, labels.family(number), None)


def _steered(compiled: Compiled, number: int, budget: int) -> Label:
    labels = Steered(compiled, number, budget)
    return Label(labels, labels.family(number), None)


def _cut(compiled: Compiled, number: int, size: int, budget: int) -> Label:
    try:
        labels = Labels(compiled, limit=size, budget=budget)
        return Label(labels, labels.family(number), _complete_to(labels, size))
    except Exhausted:
        return _deepening(compiled, number, size, budget)


def _deepening(compiled: Compiled, number: int, size: int | None, budget: int) -> Label:
    """Cut to 0, 1, 2 ... members; the last that was finished."""
    labels, limit, left = Labels(compiled, limit=0, budget=None), 0, budget
    best = Label(labels, labels.family(number), _complete_to(labels, 0))
    while best.complete_to is not None and (size is None or limit < size):
        labels = Labels(compiled, limit=limit + 1, budget=left)
        try:
            family = labels.family(number)
        except Exhausted:
            break
        limit, left = limit + 1, left - labels.forest.steps
        best = Label(labels, family, _complete_to(labels, limit))
    return best


def _complete_to(labels: Labels, limit: int) -> int | None:
    """None where no environment can have more members than the limit: there are no more variables."""
    return None if len(labels.level_of) <= limit else limit


class Steered(Labels):
    """Labels made for one goal: whatever contains one of the goal's small environments is left out on the way."""

    def __init__(self, compiled: Compiled, goal: int, budget: int) -> None:
        super().__init__(compiled, budget=budget)
        small = Labels(compiled, limit=SMALL, budget=budget // 2)
        family = small.family(goal)
        self.goal = goal
        self._small = [tuple(small.node_at[level] for level in s) for s in small.forest.ordered(family)]
        self._spare = EMPTY

    def family(self, number: int) -> int:
        found = super().family(number)
        if number != self.goal:
            return found
        with deep():
            return self.forest.union(found, self._spare)

    def _give_levels(self, goals: list[int], found: list[list[int]]) -> None:
        super()._give_levels(goals, found)
        single, level_of = self.forest.single, self.level_of
        inside = (s for s in self._small if all(n in level_of for n in s))
        self._spare = self._union([self._product([single(level_of[n]) for n in s]) for s in inside])

    def _times(self, one: int, other: int) -> int:
        return self.forest.without(super()._times(one, other), self._spare)
