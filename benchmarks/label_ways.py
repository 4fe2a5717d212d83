"""The label of one fault tree's top gate by one way: `python -m benchmarks.label_ways WAY SECONDS [MODEL]`.

Run in a process alone, which is ended after so many seconds of processor time. Ours reads the model. The others are
given its formulas on the standard input, as `formulas` makes them, and import nothing of ours: their interpreter need
not have what reading takes. Each prints its time and what it counted. The time is that of the thread: under a limit,
the clock of the process only moves with the timer.
"""

from __future__ import annotations

import json
import math
import resource
import sys
from collections import defaultdict
from pathlib import Path
from time import thread_time
from typing import Any, TypeAlias

MEMORY = 10 * 2**30  # bytes
Sets: TypeAlias = list[tuple[int, ...]]
Formulas: TypeAlias = tuple[int, list[tuple[int, Sets]]]  # the goal; each node, members first, an OR of ANDs


def formulas(file: Path) -> Formulas:
    """The goal's number, and each node below it with its sets, members first; a premise has none."""
    from tms.components import components

    graph, top = graph_of(file)
    network, goal = graph.compiled.network, graph.number(top)
    found = components([goal], lambda n: [m for j in network.own[n] for m in network.members[j]])
    order = [component[0] for component in found]
    return goal, [(n, [network.members[j] for j in network.own[n] if network.members[j]]) for n in order]


def graph_of(file: Path) -> tuple[Any, str]:
    """The graph of a model, and its top gate."""
    from tms.graph import Graph, bare
    from tms.openpsa import read_fault_tree

    tree = read_fault_tree(str(file))
    return Graph.replay(bare(record) for record in tree.records), tree.top[0]


def ours(file: Path) -> dict[str, Any]:
    from tms.bounded import label

    graph, top = graph_of(file)
    compiled, number = graph.compiled, graph.number(top)
    start = thread_time()
    found = label(compiled, number)
    spent = thread_time() - start
    count = found.labels.forest.count(found.family)
    return {"time": spent, "count": str(count), "complete_to": found.complete_to}


def bits(given: Formulas) -> dict[str, Any]:
    """Nothing is made minimal where no two operands have a member in common."""
    goal, order = given
    premises = [n for n, sets in order if not sets]
    start = thread_time()
    families = {n: [1 << place] for place, n in enumerate(premises)}
    support = {n: 1 << place for place, n in enumerate(premises)}
    for number, sets in order:
        made, reached, apart = families.get(number, []), support.get(number, 0), True
        for members in sets:
            product, inside = [0], 0
            for member in members:
                product = [a | b for a in product for b in families[member]]
                product = _minimal(product) if inside & support[member] else product
                inside |= support[member]
            made, apart, reached = made + product, apart and not reached & inside, reached | inside
        families[number], support[number] = made if apart else _minimal(made), reached
    return {"time": thread_time() - start, "count": str(len(families[goal]))}


def _minimal(masks: list[int]) -> list[int]:
    """Each is compared only with those kept under one of its members; one is kept under its rarest."""
    often: dict[int, int] = defaultdict(int)
    for mask in set(masks):
        for bit in _members(mask):
            often[bit] += 1
    kept: dict[int, list[int]] = defaultdict(list)
    for mask in sorted(set(masks), key=int.bit_count):
        members = _members(mask)
        if not _covers(kept, members, ~mask):
            kept[min(members, key=often.__getitem__)].append(mask)
    return [mask for some in kept.values() for mask in some]


def _covers(kept: dict[int, list[int]], members: list[int], outside: int) -> bool:
    for bit in members:
        if bit in kept:
            for small in kept[bit]:
                if not small & outside:
                    return True
    return False


def _members(mask: int) -> list[int]:
    found = []
    while mask:
        found.append(mask & -mask)
        mask &= mask - 1
    return found


def graphillion(given: Formulas) -> dict[str, Any]:
    from graphillion import setset

    goal, order = given
    setset.set_universe([n for n, sets in order if not sets])
    start = thread_time()
    families: dict[int, Any] = {}
    for number, sets in order:
        made = setset([[number]]) if not sets else setset()
        for members in sets:
            product = setset([[]])
            for member in members:
                product = product.join(families[member]).minimal()
            made = (made | product).minimal()
        families[number] = made
    return {"time": thread_time() - start, "count": str(len(families[goal]))}


# -- cudd -------------------------------------------------------------------------------------------------------


def cudd(given: Formulas, *, reordering: bool) -> dict[str, Any]:
    """The diagram of the function by CUDD, its minimal solutions by Rauzy's recursion over that, in Python."""
    from dd.cudd import BDD

    diagrams = BDD()
    diagrams.configure(reordering=reordering)
    diagrams.declare(*(str(n) for n, sets in given[1] if not sets))
    sys.setrecursionlimit(100_000)
    start = thread_time()
    top = _diagram(diagrams, given)
    diagrams.configure(reordering=False)
    count = _Solutions(diagrams).count(top)
    return {"time": thread_time() - start, "count": str(count)}


def _diagram(diagrams: Any, given: Formulas) -> Any:
    goal, order = given
    functions: dict[int, Any] = {}
    for number, sets in order:
        made = diagrams.false if sets else diagrams.var(str(number))
        for members in sets:
            product = diagrams.true
            for member in members:
                product = product & functions[member]
            made = made | product
        functions[number] = made
    return functions[goal]


class _Solutions:
    """The minimal solutions of a monotone function, as a family (Rauzy 1993)."""

    def __init__(self, diagrams: Any) -> None:
        self.false, self.true = diagrams.false, diagrams.true
        self.level, self.low, self.high = [sys.maxsize, sys.maxsize], [0, 0], [0, 0]
        self._unique: dict[tuple[int, int, int], int] = {}
        self._known: dict[int, int] = {}
        self._withouts: dict[tuple[int, int], int] = {}

    def count(self, top: Any) -> int:
        family = self._minimal(top)
        counts = [0, 1]
        for node in range(2, len(self.level)):  # parts have smaller numbers
            counts.append(counts[self.low[node]] + counts[self.high[node]])
        return counts[family]

    def _minimal(self, function: Any) -> int:
        if function in (self.false, self.true):
            return int(function == self.true)
        key = int(function)
        if key not in self._known:
            low, high = function.low, function.high
            if function.negated:
                low, high = ~low, ~high
            rest = self._minimal(low)
            self._known[key] = self._node(function.level, rest, self._without(self._minimal(high), rest))
        return self._known[key]

    def _node(self, level: int, low: int, high: int) -> int:
        if high == 0:
            return low
        key = (level, low, high)
        if key not in self._unique:
            self._unique[key] = len(self.level)
            self.level.append(level)
            self.low.append(low)
            self.high.append(high)
        return self._unique[key]

    def _without(self, f: int, g: int) -> int:
        level, low, high = self.level, self.low, self.high
        while level[g] < level[f]:
            g = low[g]
        if f == 0 or f == g or g == 1:
            return 0
        if g == 0 or f == 1:
            return f
        found = self._withouts.get((f, g))
        if found is not None:
            return found
        if level[f] < level[g]:
            found = self._node(level[f], self._without(low[f], g), self._without(high[f], g))
        else:
            rest = self._without(self._without(high[f], high[g]), low[g])
            found = self._node(level[f], self._without(low[f], low[g]), rest)
        self._withouts[f, g] = found
        return found


# -- the process ------------------------------------------------------------------------------------------------


def main() -> None:
    """Print one result as JSON."""
    way, most, *model = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(float(most)), math.ceil(float(most))))
    if way == "ours":
        print(json.dumps(ours(Path(model[0]))))
        return
    given = json.load(sys.stdin)
    if way == "bits":
        print(json.dumps(bits(given)))
    elif way == "graphillion":
        print(json.dumps(graphillion(given)))
    else:
        print(json.dumps(cudd(given, reordering=way == "cudd-reordering")))


if __name__ == "__main__":
    main()
