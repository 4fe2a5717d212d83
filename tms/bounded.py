"""One label within a budget: complete where that can be reached, else cut at an honest bound.

Several ways, each with its share of the budget:

- shared with all versions of the graph (`tms.labels.Shared`), where that is easy;
- by the goal's formula (`tms.goal`), in an order of variables that is quickly found, then in a better one;
- where there are circles, steered by the small environments: the goal's environments of at most two members are found
  first, and every label on the way leaves out what contains one of them. What is left out could only make environments
  of the goal that are not minimal, so the goal's label is whole; the labels on the way are not, and are thrown away;
- cut to k members, for k = 1, 2, 3 ... as far as the budget goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from typing import NamedTuple

from tms.compile import Compiled
from tms.formula import Formula
from tms.goal import Goal, formula_of
from tms.labels import Labels, Shared
from tms.shelf import BUDGET
from tms.zdd import EMPTY, Exhausted

SMALL = 2
BRIEF = 60_000  # steps


class Label(NamedTuple):
    """`family` is a node of `labels.forest`; `complete_to` the size up to which it is the whole truth, None: all."""

    labels: Labels
    family: int
    complete_to: int | None


def label(
    compiled: Compiled, number: int, *, size: int | None = None, budget: int = BUDGET, lacking: bool = False
) -> Label:
    """The label of a node; with `size`, cut to environments of at most so many members; `lacking`: see `Labels`.

    It always ends: the label of size 0, the whole truth about no judgement at all, needs no budget.
    """
    if size is not None or lacking:
        return _Asked(compiled, number, budget, lacking).answer(size)
    shared, shelf = Shared(compiled), compiled.shelf
    if (easy := _tried(lambda: _plain(shared, number, min(budget, shared.easy(number))))) is not None:
        return easy
    if number not in shelf.goals:
        found = _Asked(compiled, number, budget, lacking).answer(None)
        if found.complete_to is not None:
            return found
        shelf.keep(number, found)
    kept: Label = shelf.goals[number]
    return kept


def _tried(way: Callable[[], Label]) -> Label | None:
    try:
        return way()
    except Exhausted:
        return None


def _plain(labels: Labels, number: int, budget: int | None) -> Label:
    return Label(labels, labels.family(number, budget), None)


class _Asked:
    """One label in a forest of its own; the formula is None where there are circles."""

    def __init__(self, compiled: Compiled, number: int, budget: int, lacking: bool) -> None:
        self.compiled, self.number, self.budget, self.lacking = compiled, number, budget, lacking
        self.formula = formula_of(Labels(compiled, lacking=lacking), number)

    def answer(self, size: int | None) -> Label:
        """Whole, if that can be; cut to `size`, if that is asked; else as far as it goes."""
        if size is None:
            whole = next((found for found in map(_tried, self._ways()) if found is not None), None)
            return whole or self._deepened(None, self.budget // 6)
        asked = _tried(partial(self._cut, size, self.budget))
        return asked or self._deepened(size, self.budget)

    def _ways(self) -> Iterator[Callable[[], Label]]:
        if self.formula is not None:
            yield partial(self._by_formula, self.formula, min(BRIEF, self.budget // 20), anew=False)
            yield partial(self._by_formula, self.formula, int(self.budget * 0.6), anew=True)
            return
        share = int(self.budget * 0.4)
        yield partial(self._steered, share)
        yield lambda: _plain(Labels(self.compiled, lacking=self.lacking), self.number, share)

    def _by_formula(self, formula: Formula, budget: int, *, anew: bool) -> Label:
        labels = Goal(self.compiled, lacking=self.lacking)
        return Label(labels, labels.solve(self.number, formula, budget, anew=anew), None)

    def _steered(self, budget: int) -> Label:
        labels = Steered(self.compiled, self.number, budget // 2, self.lacking)
        return Label(labels, labels.family(self.number, budget), None)

    def _deepened(self, size: int | None, left: int) -> Label:
        """Cut to 0, 1, 2 ... members as far as the budget goes, at most to `size`."""
        best = self._cut(0, None)
        for limit in count(1):
            if best.complete_to is None or best.complete_to == size:
                break
            found = _tried(partial(self._cut, limit, left))
            if found is None:
                break
            best, left = found, left - found.labels.forest.steps
        return best

    def _cut(self, limit: int, budget: int | None) -> Label:
        if self.formula is None:
            plain = Labels(self.compiled, limit=limit, lacking=self.lacking)
            return Label(plain, plain.family(self.number, budget), _complete_to(plain, limit))
        goal = Goal(self.compiled, limit=limit, lacking=self.lacking)
        family = goal.solve(self.number, self.formula, budget, anew=False)
        return Label(goal, family, _complete_to(goal, limit))


def _complete_to(labels: Labels, limit: int) -> int | None:
    """None where no environment can have more members than the limit: there are no more variables."""
    return None if len(labels.level_of) <= limit else limit


class Steered(Labels):
    """Labels made for one goal: whatever contains one of the goal's small environments is left out on the way."""

    def __init__(self, compiled: Compiled, goal: int, budget: int, lacking: bool) -> None:
        super().__init__(compiled, lacking=lacking)
        small = Labels(compiled, limit=SMALL, lacking=lacking)
        family = small.family(goal, budget)
        self.goal = goal
        self._small = [tuple(small.node_at[level] for level in s) for s in small.forest.ordered(family)]
        self._spare = EMPTY

    def family(self, number: int, budget: int | None = None) -> int:
        found = super().family(number, budget)
        if number != self.goal:
            return found
        with self.forest.working(budget):
            return self.forest.union(found, self._spare)

    def _give_levels(self, goals: list[int]) -> None:
        super()._give_levels(goals)
        single, level_of = self.forest.single, self.level_of
        inside = (s for s in self._small if all(n in level_of for n in s))
        self._spare = self._union([self._product([single(level_of[n]) for n in s]) for s in inside])

    def _times(self, one: int, other: int) -> int:
        return self.forest.without(super()._times(one, other), self._spare)
