"""Labels: the minimal environments in which a node holds (de Kleer 1986), as families of sets of assumptions.

A label is worked out when it is asked for, from the labels of what the node rests on: the minimal union over its
justifications of the minimal product of their members, times its own judgement. In a circle the labels start empty and
are worked out again until none changes: the least fixed point. Four invariants, which property tests carry as names:

sound       the node holds in every environment listed
complete    every environment in which it holds contains one that is listed, up to `complete_to` members
minimal     no environment contains another
consistent  none contains an environment of a nogood (`Labels.consistent`; labels themselves are made without nogoods,
            so that disputing, accepting or voiding a nogood changes none)

The order of the variables decides the cost: consequents above what they rest on, each branch in one piece.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from tms.compile import Compiled
from tms.components import components
from tms.network import NEVER
from tms.shelf import Families
from tms.zdd import EMPTY, UNIT, Exhausted, Forest

EASY, NEAR = 4_000, 20  # steps that are spent on labels for all versions, and for each node that is new to them


class Labels:
    """The labels of one compiled graph.

    With `open_only`, only judgements that stand may be used: what is open now. With `lacking`, what stands is taken for
    granted, and the rest is told: the minimal sets of judgements that are lacking. With `limit`, environments of more
    members are left out, exactly.
    """

    def __init__(
        self,
        compiled: Compiled,
        *,
        open_only: bool = False,
        lacking: bool = False,
        limit: int | None = None,
    ) -> None:
        self.compiled = compiled
        self.network = compiled.network
        self.open_only = open_only
        self.lacking = lacking
        self.limit = limit
        self.forest = Forest()
        self.level_of: dict[int, int] = {}
        self.node_at: dict[int, int] = {}
        self._families: dict[int, int] | Families = {NEVER: EMPTY}

    def family(self, number: int, budget: int | None = None) -> int:
        """The label of a node number, within so many steps; raises `Exhausted`."""
        if number not in self._families:
            with self.forest.working(budget):
                self._work_out([number])
        return self._families[number]

    def own(self, number: int) -> bool:
        """Whether a node carries a judgement of its own that is told in the label: it is a variable."""
        if self.lacking and number < len(self.network.stands) and self.network.stands[number]:
            return False
        return self.compiled.declared.facts(number).judged

    def joint(self, numbers: Iterable[int]) -> int:
        """The minimal environments in which all of some nodes hold."""
        families = [self.family(number) for number in numbers]
        with self.forest.working(None):
            return self._product(families)

    def cone(self, numbers: Iterable[int]) -> set[int]:
        """Some nodes and all that they rest on."""
        found, stack = set(), list(numbers)
        members, own = self.network.members, self.network.own
        while stack:
            number = stack.pop()
            if number not in found:
                found.add(number)
                stack.extend(m for just in own[number] for m in members[just])
        return found

    # -- working out --------------------------------------------------------------------------------------------

    def _below(self, number: int) -> Iterator[int]:
        if number in self._families:
            return
        members = self.network.members
        for just in self.network.own[number]:
            yield from members[just]

    def available(self, number: int) -> bool:
        """Whether a node stands by itself, or could if it were judged so."""
        if number >= len(self.network.stands):
            return False
        return self.network.stands[number] or (not self.open_only and self.own(number))

    def _work_out(self, goals: list[int]) -> None:
        found = components(goals, self._below)
        self._give_levels(goals)
        for component in found:
            fresh = [number for number in component if number not in self._families]
            if len(fresh) == 1 and fresh[0] not in self._below(fresh[0]):
                self._families[fresh[0]] = self._label(fresh[0])
            elif fresh:
                try:
                    self._circle(fresh)
                except Exhausted:  # unfinished, the labels of a circle are too small: nobody may read them
                    for number in fresh:
                        self._families.pop(number, None)
                    raise

    def _circle(self, component: list[int]) -> None:
        """The least fixed point in a circle: from nothing, each label again when one below it has grown."""
        families = self._families
        inside = set(component)
        above: dict[int, set[int]] = defaultdict(set)
        for number in component:
            for below in set(self._below(number)) & inside:
                above[below].add(number)
        for number in component:
            families[number] = EMPTY
        waiting, queued = list(component), set(component)
        while waiting:
            number = waiting.pop(0)
            queued.discard(number)
            family = self._label(number)
            if family != families[number]:
                families[number] = family
                for upper in sorted(above[number] - queued):
                    queued.add(upper)
                    waiting.append(upper)

    def _label(self, number: int) -> int:
        if not self.available(number):
            return EMPTY
        family = self._grounds(number)
        if not self.own(number):
            return family
        return self._times(self.forest.single(self.level_of[number]), family)

    def _grounds(self, number: int) -> int:
        families, members = self._families, self.network.members
        return self._union([self._product([families[m] for m in members[j]]) for j in self.network.own[number]])

    def _times(self, one: int, other: int) -> int:
        if self.limit is None:
            return self.forest.product(one, other)
        return self.forest.bounded_product(one, other, self.limit)

    def _product(self, families: list[int]) -> int:
        """Deepest variables first, so that each factor lies above what is there."""
        found = UNIT
        for family in sorted(families, key=self.forest.level.__getitem__, reverse=True):
            found = self._times(family, found)
            if found == EMPTY:
                return EMPTY
        return found

    def _union(self, families: list[int]) -> int:
        """In pairs, so that no operand grows long while the other stays short."""
        level = self.forest.level
        waiting = sorted(set(families), key=lambda f: (level[f], f), reverse=True)
        while len(waiting) > 1:
            pairs = zip(waiting[::2], [*waiting[1::2], EMPTY], strict=False)
            waiting = [self.forest.union(one, other) for one, other in pairs]
        return waiting[0] if waiting else EMPTY

    # -- the order of the variables -----------------------------------------------------------------------------

    def _give_levels(self, goals: list[int]) -> None:
        """New variables go above all that are known: what comes later rests on what was there."""
        order = [n for n in self._visit(goals) if self.own(n) and n not in self.level_of]
        lowest = next(reversed(self.node_at), 0)  # the last that was given
        for level, number in enumerate(reversed(order), 1):
            self.level_of[number], self.node_at[lowest - level] = lowest - level, number

    def _visit(self, goals: list[int]) -> Iterator[int]:
        """Depth first from the goals, what a node rests on in the order of its record."""
        seen: set[int] = set()
        stack = list(goals)
        while stack:
            number = stack.pop()
            if number not in seen:
                seen.add(number)
                yield number
                stack.extend(reversed([m for m in dict.fromkeys(self._below(number)) if m not in seen]))


class Shared(Labels):
    """The labels that all versions of a graph keep together (`tms.shelf`)."""

    def __init__(self, compiled: Compiled) -> None:
        super().__init__(compiled)
        self.shelf = compiled.shelf
        self.shelf.tidy()
        self.forest = self.shelf.forest
        self.level_of, self.node_at = self.shelf.level_of, self.shelf.node_at
        self._kept = Families(self.shelf.families)
        self._families = self._kept

    def easy(self, number: int) -> int:
        """The steps that are worth spending on a label here: more, the more nodes it makes known."""
        return EASY + NEAR * len(components([number], self._below))

    def _work_out(self, goals: list[int]) -> None:
        try:
            super()._work_out(goals)
        finally:  # what was finished stays right
            self.shelf.families = self._kept.kept()
