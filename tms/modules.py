"""Labels by modules: parts of the grounds that share nothing with the rest are worked out apart.

A node is a module when everything below it is reached through it alone; modules are found in one walk, in linear time
(Dutuit & Rauzy 1996). Above a module its label is one variable; in the end each such variable is replaced by the
module's own family. As a module's variables stand side by side in the order, that is a matter of putting one family
into the place of one node: nothing needs to be made minimal again.
"""

from __future__ import annotations

from tms.labels import Labels
from tms.network import NEVER
from tms.zdd import EMPTY, UNIT, Forest


class Modular(Labels):
    """Labels for one goal; the families on the way are in terms of modules, and are dropped when the goal's is done."""

    def _work_out(self, goals: list[int]) -> None:
        if len(self._families) > 1:  # asked for something else behind the goal: its modules may be others
            super()._work_out(goals)
            return
        (goal,) = goals
        below = {number: tuple(dict.fromkeys(self._below(number))) for number in self.cone(goals)}
        self._modules = find_modules(goal, below)
        self._level_of_module: dict[int, int] = {}
        self._module_at: dict[int, int] = {}
        self._inner: dict[int, int] = {}
        self._full: dict[int, int] = {EMPTY: EMPTY, UNIT: UNIT}
        super()._work_out(goals)
        family = self._expanded(self._families[goal])
        self._modules = set()
        self._families = {NEVER: EMPTY, goal: family}

    def _label(self, number: int) -> int:
        found = super()._label(number)
        if number not in self._modules or found in (EMPTY, UNIT):
            return found
        self._inner[number] = found
        return self.forest.single(self._level_of_module[number])

    def _give_levels(self, goals: list[int], found: list[list[int]]) -> None:
        """As for all labels, with a level for each module above those of what it holds."""
        if not self._modules:
            super()._give_levels(goals, found)
            return
        order = []
        for number in self._visit(goals, found):
            order.extend([(number, True)] if number in self._modules else [])
            order.extend([(number, False)] if self.own(number) else [])
        for level, (number, module) in enumerate(order, -len(order)):
            if module:
                self._level_of_module[number], self._module_at[level] = level, number
            else:
                self.level_of[number], self.node_at[level] = level, number

    def _expanded(self, family: int) -> int:
        """The same family with each module's variable replaced by what the module is."""
        full, forest = self._full, self.forest
        stack = [family]
        while stack:
            node = stack[-1]
            if node in full:
                stack.pop()
                continue
            module = self._module_at.get(forest.level[node])
            parts = [forest.low[node], forest.high[node], *([self._inner[module]] if module is not None else [])]
            missing = [part for part in parts if part not in full]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            low, high = full[parts[0]], full[parts[1]]
            if module is None:
                full[node] = forest.node(forest.level[node], low, high)
            else:
                full[node] = graft(forest, full[parts[2]], high, low)
        return full[family]


def graft(forest: Forest, family: int, high: int, low: int) -> int:
    """`low`, and the sets of `family` each joined with one of `high`; the levels of `family` lie above both."""
    made = {EMPTY: EMPTY, UNIT: high}
    path = []  # the nodes that are reached without any member: below them stands `low`
    node = family
    while node > UNIT:
        path.append(node)
        node = forest.low[node]
    stack = [forest.high[node] for node in path]
    while stack:
        node = stack[-1]
        missing = [p for p in (forest.low[node], forest.high[node]) if p not in made] if node not in made else []
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if node not in made:
            made[node] = forest.node(forest.level[node], made[forest.low[node]], made[forest.high[node]])
    found = low
    for node in reversed(path):
        found = forest.node(forest.level[node], found, made[forest.high[node]])
    return found


def find_modules(goal: int, below: dict[int, tuple[int, ...]]) -> set[int]:
    """The nodes below which everything is reached through them alone; leaves and the goal left out.

    One walk gives each node the time of its first and last meeting, a second the earliest and latest time of all that
    lies below it: it is a module when these lie between its own first meeting and the end of its first visit.

    >>> sorted(find_modules(1, {1: (2, 3), 2: (4, 5), 3: (6, 5), 4: (7, 8), 5: (), 6: (), 7: (), 8: ()}))
    [4]
    """
    first, last, end, order = _meetings(goal, below)
    earliest: dict[int, int] = {}
    latest: dict[int, int] = {}
    found: set[int] = set()
    for number in order:  # what lies below comes first, where there is no circle
        parts = below[number]
        inside = [earliest.get(p, -1) for p in parts], [latest.get(p, len(last) * len(below)) for p in parts]
        low = min((min(first[p], e) for p, e in zip(parts, inside[0], strict=True)), default=end[number])
        high = max((max(last[p], t) for p, t in zip(parts, inside[1], strict=True)), default=first[number])
        earliest[number], latest[number] = low, high
        if parts and number != goal and first[number] < low and high < end[number]:
            found.add(number)
    return found


def _meetings(
    goal: int, below: dict[int, tuple[int, ...]]
) -> tuple[dict[int, int], dict[int, int], dict[int, int], list[int]]:
    """The times of first and last meeting and of the end of the visit, and the order in which visits end."""
    first, last, end, order = {goal: 0}, {goal: 0}, {}, []
    stack, time = [(goal, iter(below[goal]))], 0
    while stack:
        number, rest = stack[-1]
        for part in rest:
            time += 1
            last[part] = time
            if part not in first:
                first[part] = time
                stack.append((part, iter(below[part])))
                break
        else:
            time += 1
            end[number] = time
            order.append(number)
            stack.pop()
    return first, last, end, order
