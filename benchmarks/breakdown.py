"""Where the time for one label goes: `python -m benchmarks.breakdown MODEL`, in a process alone.

What is timed are calls that do not hold one another, so the operators run without a clock inside them.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from time import thread_time
from typing import Any

from benchmarks.page import seconds, table
from tms import bounded
from tms.formula import Formula
from tms.goal import Goal
from tms.labels import Labels
from tms.zdd import Forest

OPERATORS = "union, product, without"
CALLS = (
    (Labels, "_union", OPERATORS),
    (Labels, "_product", OPERATORS),
    (bounded, "formula_of", "the formula"),
    (Formula, "order", "the order of the variables"),
    (Goal, "_whole", "modules put in their places"),
)


class Clock:
    """Time by part, and the forests that were worked in."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self.forests: dict[int, Forest] = {}

    def watch(self, owner: Any, name: str, part: str) -> None:
        """Every call of that function counts for this part from now on."""
        call = getattr(owner, name)

        def timed(*given: Any, **named: Any) -> Any:
            if isinstance(given[0], Labels):
                self.forests[id(given[0].forest)] = given[0].forest
            start = thread_time()
            try:
                return call(*given, **named)
            finally:
                self.spent[part] += thread_time() - start

        setattr(owner, name, timed)


def measured(file: Path) -> dict[str, Any]:
    """Seconds by part, steps by operator, nodes."""
    from benchmarks.label_ways import graph_of

    graph, top = graph_of(file)
    compiled, number = graph.compiled, graph.number(top)
    clock = Clock()
    for call in CALLS:
        clock.watch(*call)
    start = thread_time()
    bounded.label(compiled, number)
    whole = thread_time() - start
    rest = whole - sum(clock.spent.values())
    forests = list(clock.forests.values())
    memos = {"union": "_unions", "product": "_products", "without": "_withouts"}
    steps = {name: sum(len(getattr(f, memo)) for f in forests) for name, memo in memos.items()}
    return {"whole": whole, "spent": {**clock.spent, "all else": rest}, "steps": steps, "nodes": sum(map(len, forests))}


def text(name: str, found: dict[str, Any]) -> str:
    """As a table, and what follows for a core that is compiled."""
    whole, spent, steps = found["whole"], found["spent"], found["steps"]
    parts = sorted(spent.items(), key=lambda item: -item[1])
    rows = [[part, seconds(time), f"{100 * time / whole:.1f} %"] for part, time in parts]
    number, inside = sum(steps.values()), spent[OPERATORS]
    return "\n".join([
        f"### Where the time goes: {name}, {seconds(whole)}", "", table(["part", "time", "share"], rows), "",
        f"{number:,} steps of the operators are remembered ({', '.join(f'{k} {n:,}' for k, n in steps.items())}), "
        f"{found['nodes']:,} nodes made: {seconds(inside / number)} a step. If the operators took no time at all, "
        f"{seconds(whole - inside)} would be left: that bounds what a compiled core could give at "
        f"{whole / (whole - inside):.0f} x.",
    ])  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1]))))
