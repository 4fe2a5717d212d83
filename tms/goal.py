"""The label of one goal by its formula: each module worked out apart, in an order of variables chosen for this goal.

Above a module its label is one variable; when the module is done, each such variable in it is replaced by what it
stands for. As a module's variables lie side by side in the order, that is a matter of putting one family into the place
of one node: nothing needs to be made minimal again.
"""

from __future__ import annotations

from tms.components import components
from tms.formula import AND, FALSE, OR, TRUE, Formula
from tms.labels import Labels
from tms.network import NEVER
from tms.zdd import EMPTY, UNIT, Forest


class Goal(Labels):
    """Labels in a forest of their own, made for one goal. `anew`: the order that takes longer to find (see Formula)."""

    def solve(self, goal: int, formula: Formula, budget: int | None, *, anew: bool) -> int:
        """The label of the goal, within so many steps; raises `Exhausted`."""
        with self.forest.working(budget):
            stand_in = self._give_levels_by(formula, anew)
            self._families = {NEVER: EMPTY, goal: self._evaluated(formula, stand_in)}
        return self._families[goal]

    def _give_levels_by(self, formula: Formula, anew: bool) -> dict[int, int]:
        """Levels for all leaves; returns those that stand for modules."""
        order, modules = formula.order(anew=anew), formula.modules()
        stand_in = {}
        for level, vertex in enumerate(reversed(order), 1):  # the lowest last, as in all labels
            if vertex in modules:
                stand_in[vertex] = -level
            elif vertex in formula.number:
                number = formula.number[vertex]
                self.level_of[number], self.node_at[-level] = -level, number
        return stand_in

    def _evaluated(self, formula: Formula, stand_in: dict[int, int]) -> int:
        families, wholes = {FALSE: EMPTY, TRUE: UNIT}, dict[int, int]()
        for vertex in formula.upwards():
            if vertex in formula.number:
                families[vertex] = self.forest.single(self.level_of[formula.number[vertex]])
            elif vertex in formula.parts:
                parts = [families[part] for part in formula.parts[vertex]]
                family = self._product(parts) if formula.kind[vertex] == AND else self._union(parts)
                if vertex in stand_in and family > UNIT:
                    level = stand_in[vertex]
                    wholes[level] = self._whole(family, wholes)
                    family = self.forest.single(level)
                families[vertex] = family
        return self._whole(families[formula.top], wholes)

    def _whole(self, family: int, wholes: dict[int, int]) -> int:
        """A set of at most `limit` members is made of at most so many modules, each with at most so many."""
        found = expanded(self.forest, family, wholes)
        return found if self.limit is None else self.forest.cut(found, self.limit)


def formula_of(labels: Labels, goal: int) -> Formula | None:
    """The formula of a goal, settled, in terms of the variables of `labels`; None where the goal rests on a circle.

    Each node is the AND of its own judgement, if it carries one, with the OR of the ANDs of its justifications.
    """
    formula, vertex = Formula(), {NEVER: FALSE}
    members, own = labels.network.members, labels.network.own
    for component in components([goal], lambda n: [m for just in own[n] for m in members[just]]):
        number = component[0]
        if len(component) > 1 or any(number in members[j] for j in own[number]):
            return None
        if number == NEVER or not labels.available(number):
            vertex[number] = FALSE
            continue
        ways = [formula.gate(AND, [vertex[m] for m in members[j]]) for j in own[number]]
        mine = [formula.leaf(number)] if labels.own(number) else []
        vertex[number] = formula.gate(AND, [*mine, formula.gate(OR, ways)])
    formula.settle(vertex[goal])
    return formula


def expanded(forest: Forest, family: int, wholes: dict[int, int]) -> int:
    """The same family with each level of `wholes` replaced by the sets of that family.

    Each such family has its levels to itself, all of them between that level and the next that `family` knows.
    """
    known = {EMPTY: EMPTY, UNIT: UNIT}
    for node in forest.from_below(family, known):
        level, low, high = forest.level[node], known[forest.low[node]], known[forest.high[node]]
        known[node] = graft(forest, wholes[level], high, low) if level in wholes else forest.node(level, low, high)
    return known[family]


def graft(forest: Forest, family: int, high: int, low: int) -> int:
    """`low`, and the sets of `family` each joined with one of `high`; the levels of `family` lie above both."""
    made = {EMPTY: EMPTY, UNIT: high}
    path = []  # the nodes that are reached without any member: below them stands `low`
    while family > UNIT:
        path.append(family)
        for node in forest.from_below(forest.high[family], made):
            made[node] = forest.node(forest.level[node], made[forest.low[node]], made[forest.high[node]])
        family = forest.low[family]
    for node in reversed(path):
        low = forest.node(forest.level[node], low, made[forest.high[node]])
    return low
