"""The formula of one goal, reshaped so that its parts share as little as possible, and an order for its variables.

A vertex is TRUE, FALSE, a leaf (a variable), or a gate: AND or OR of its parts. `settle` reshapes what is reached:

dissolve  a gate that is used once, inside a gate of its kind, becomes part of it
bind      parts that always occur together become a gate of their own

Both make modules: vertices below which everything is reached through them alone, found in linear time (Dutuit & Rauzy
1996). The order of the variables puts what weighs most on top, in each module apart: the goal weighs one, and a gate
shares out its weight among its parts (Minato, Ishiura & Yajima 1990).
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeAlias

FALSE, TRUE = 0, 1
AND, OR = "and", "or"
Rank: TypeAlias = Callable[[int, list[int]], list[int]]  # a module and its body -> its leaves, the heaviest first
_LONGEST = 3_000_000  # arcs looked at to weigh anew after each variable


class Formula:
    """Vertices, built from below.

    >>> formula = Formula()
    >>> a, b, c = (formula.leaf(n) for n in (7, 8, 9))
    >>> formula.settle(formula.gate(OR, [formula.gate(OR, [a, b]), c]))
    >>> formula.parts[formula.top] == [a, b, c]
    True
    """

    def __init__(self) -> None:
        self.kind: dict[int, str] = {}
        self.parts: dict[int, list[int]] = {}
        self.number: dict[int, int] = {}
        self.top = FALSE
        self._made: dict[tuple[str, frozenset[int]], int] = {}
        self._count = 2

    def leaf(self, number: int) -> int:
        """A new variable, which stands for the node of that number."""
        self._count += 1
        self.number[self._count] = number
        return self._count

    def gate(self, kind: str, parts: Iterable[int]) -> int:
        """The gate of these parts; the same parts give the same vertex."""
        neutral, absorbing = (TRUE, FALSE) if kind == AND else (FALSE, TRUE)
        distinct = [part for part in dict.fromkeys(parts) if part != neutral]
        if absorbing in distinct:
            return absorbing
        if len(distinct) < 2:
            return distinct[0] if distinct else neutral
        key = (kind, frozenset(distinct))
        if key not in self._made:
            self._made[key] = self._fresh(kind, distinct)
        return self._made[key]

    def _fresh(self, kind: str, parts: list[int]) -> int:
        self._count += 1
        self.kind[self._count], self.parts[self._count] = kind, parts
        return self._count

    def settle(self, top: int) -> None:
        """Take `top` for the goal and reshape what it reaches."""
        self.top = top
        self._dissolve()
        self._bind()
        self._bind()  # what was bound may occur together again

    def upwards(self) -> list[int]:
        """What the goal reaches, parts before gates."""
        found, seen, stack = [], set(), [self.top]
        while stack:
            vertex = stack.pop()
            if vertex < 0:
                found.append(~vertex)
            elif vertex not in seen:
                seen.add(vertex)
                stack.append(~vertex)
                stack.extend(reversed(self.parts.get(vertex, ())))
        return found

    # -- reshaping ----------------------------------------------------------------------------------------------

    def _users(self) -> dict[int, list[int]]:
        users: dict[int, list[int]] = defaultdict(list)
        for vertex in self.upwards():
            for part in self.parts.get(vertex, ()):
                users[part].append(vertex)
        return users

    def _dissolve(self) -> None:
        users = self._users()
        for vertex in reversed(self.upwards()):
            if vertex in self.parts:
                self.parts[vertex] = self._dissolved(vertex, users)

    def _dissolved(self, vertex: int, users: dict[int, list[int]]) -> list[int]:
        parts, stack = [], self.parts[vertex][::-1]
        while stack:
            part = stack.pop()
            if self.kind.get(part) == self.kind[vertex] and len(users[part]) == 1:
                stack.extend(reversed(self.parts[part]))
            else:
                parts.append(part)
        return list(dict.fromkeys(parts))

    def _bind(self) -> None:
        users, independent = self._users(), self._independent()
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for part, gates in users.items():
            if part in independent and len({self.kind[gate] for gate in gates}) == 1:
                groups[tuple(gates)].append(part)
        for together, parts in groups.items():
            if len(parts) > 1:
                self._bind_in(together, parts)

    def _bind_in(self, gates: tuple[int, ...], parts: list[int]) -> None:
        """In each of some gates, one gate for the parts; where one is made of these parts alone, it is that gate."""
        whole = [gate for gate in gates if len(self.parts[gate]) <= len(parts)]
        if len(gates) == 1 and whole:
            return
        bound = whole[0] if whole else self._fresh(self.kind[gates[0]], parts)
        inside = set(parts)
        for gate in gates:
            if gate != bound:
                self.parts[gate] = [bound, *(part for part in self.parts[gate] if part not in inside)]

    # -- modules ------------------------------------------------------------------------------------------------

    def modules(self) -> set[int]:
        """The gates below the goal whose label can be worked out apart."""
        return {v for v in self._independent() if v in self.parts and v != self.top}

    def _independent(self) -> set[int]:
        """The modules, leaves among them: a vertex is one when all below it is met within its own first visit."""
        first, last, done = self._dates()
        lowest: dict[int, int] = {}
        highest: dict[int, int] = {}
        found = set()
        for vertex in self.upwards():
            parts = self.parts.get(vertex, ())
            lowest[vertex] = min((min(first[p], lowest[p]) for p in parts), default=sys.maxsize)
            highest[vertex] = max((max(last[p], highest[p]) for p in parts), default=-1)
            if lowest[vertex] > first[vertex] and highest[vertex] < done[vertex]:
                found.add(vertex)
        return found

    def _dates(self) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
        """When a walk comes to each vertex first and last, and when it has left all below it."""
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        done: dict[int, int] = {}
        stack, now = [self.top], 0
        while stack:
            now += 1
            vertex = stack.pop()
            if vertex < 0:
                done[~vertex] = now
                continue
            last[vertex] = now
            if vertex not in first:
                first[vertex] = now
                stack.append(~vertex)
                stack.extend(self.parts.get(vertex, ()))
        return first, last, done

    # -- the order of the variables -----------------------------------------------------------------------------

    def order(self, *, anew: bool) -> list[int]:
        """Leaves and modules, top first; what a module holds lies right below it.

        With `anew`, the weights are shared out again after each variable that was placed, as if it were not there.
        """
        modules = self.modules()
        rank = self._rank_anew(modules) if anew else self._rank_once(modules)
        found, stack = [], [self.top]
        while stack:
            vertex = stack.pop()
            found.append(vertex)
            if vertex == self.top or vertex in modules:
                stack.extend(reversed(rank(vertex, self._body(vertex, modules))))
        return found

    def _body(self, module: int, modules: set[int]) -> list[int]:
        """A module and what it rests on, gates before parts, down to the modules in it."""
        found: list[int] = []
        seen, stack = set(), [module]
        while stack:
            vertex = stack.pop()
            if vertex < 0:
                found.append(~vertex)
            elif vertex not in seen:
                seen.add(vertex)
                stack.append(~vertex)
                stack.extend(self.parts.get(vertex, ()) if vertex == module or vertex not in modules else ())
        return found[::-1]

    def _rank_once(self, modules: set[int]) -> Rank:
        """By the largest share that one gate gives."""
        weight: dict[int, float] = defaultdict(float, {self.top: 1.0})
        for vertex in reversed(self.upwards()):
            for part in self.parts.get(vertex, ()):
                weight[part] = max(weight[part], weight[vertex] / len(self.parts[vertex]))

        def rank(module: int, body: list[int]) -> list[int]:
            leaves = [v for v in body if v != module and (v in modules or v in self.number)]
            return sorted(leaves, key=lambda v: (-weight[v], v))

        return rank

    def _rank_anew(self, modules: set[int]) -> Rank:
        """By the sum of the shares, the next as if those before were not there; once only where that takes long."""
        once = self._rank_once(modules)

        def rank(module: int, body: list[int]) -> list[int]:
            parts = {v: self.parts[v] for v in body if v in self.parts and (v == module or v not in modules)}
            if sum(map(len, parts.values())) * len(body) > _LONGEST:
                return once(module, body)
            return _heaviest_first(body, parts)

        return rank


def _heaviest_first(downwards: list[int], parts: dict[int, list[int]]) -> list[int]:
    """The heaviest leaf, then without it the heaviest of the others, by the sum of the shares."""
    found: list[int] = []
    left = {v for v in downwards if v not in parts}
    while left:
        weight = dict.fromkeys(downwards, 0.0)
        weight[downwards[0]] = 1.0
        for vertex in downwards:
            below = parts.get(vertex, ())
            for part in below:
                weight[part] += weight[vertex] / len(below)
        heaviest = max(left, key=lambda v: (weight[v], v))
        left.discard(heaviest)
        found.append(heaviest)
        downwards, parts = _lacking(heaviest, downwards, parts)
    return found


def _lacking(leaf: int, downwards: list[int], parts: dict[int, list[int]]) -> tuple[list[int], dict[int, list[int]]]:
    """The gates without a leaf; a gate that has no other part goes with it."""
    gone, kept = {leaf}, dict(parts)
    for vertex in reversed(downwards):
        if vertex in kept and not gone.isdisjoint(kept[vertex]):
            kept[vertex] = [part for part in kept[vertex] if part not in gone]
            if not kept[vertex]:
                gone.add(vertex)
                del kept[vertex]
    return [vertex for vertex in downwards if vertex not in gone], kept
