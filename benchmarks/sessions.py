"""Labels in a long session: one line more, line by line against all at once, and what memory does.

    python -m benchmarks.sessions [--operations 100000] [--tree FILE] [--write]

Each part in a process of its own. `--tree` names an Open-PSA fault tree that is justified line by line.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.page import ROOT, machine, put_section, ratio, seconds, table
from tms.graph import Graph, bare
from tms.labels import Shared
from tms.model import Assess, Claim, Line, Record, Relate

SIZES = (1_000, 10_000, 100_000)
SAMPLES = 300
GROUP = 10  # claims that rest on one another; the groups know nothing of each other


def main() -> None:
    """Print the tables; `--write` puts them into `docs/benchmarks.md`."""
    parser = argparse.ArgumentParser(prog="benchmarks.sessions", description=__doc__.partition("\n")[0])
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        part, _, argument = given.part.partition(":")
        print(json.dumps(_PARTS[part](argument)))
        return
    text = run(given.operations, given.tree)
    print(text)
    if given.write:
        put_section("sessions", text)


def run(operations: int, tree: Path | None) -> str:
    """All parts, as text."""
    parts = ["## Labels in a session", "", f"{machine()}.", "", _rim_table()]
    if tree:
        parts += ["", _growth_table(tree)]
    return "\n".join([*parts, "", _memory_table(operations)])


def _child(part: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.sessions", "--part", part]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)


# -- one line more at the rim ------------------------------------------------------------------------------------


def grouped(count: int) -> Iterator[Record]:
    """Claims in groups: a premise, then claims on the one before, or on the one before that."""
    for n in range(count):
        start = n - n % GROUP
        below = [(f"c{m}",) for m in (n - 1, n - 2) if m >= start]
        yield Claim(id=f"c{n}", state="accepted", supports=tuple(below))


def ask(graph: Graph, name: str) -> int:
    """The label of an id, as the versions of a graph keep it."""
    return Shared(graph.compiled).family(graph.number(name))


def measure_rim(size: str) -> dict[str, float]:
    """All labels at once, then the median of one more claim on a group, with its label."""
    count, rng, times = int(size), Random(1), []
    graph = Graph.replay(bare(record) for record in grouped(count))
    start, _ = perf_counter(), graph.compiled
    for n in range(count):
        ask(graph, f"c{n}")
    everything = perf_counter() - start
    for sample in range(SAMPLES):
        group = rng.randrange(count // GROUP) * GROUP
        claim = Claim(id=f"new{sample}", state="accepted", supports=((f"c{group + GROUP - 1}",),))
        start = perf_counter()
        graph = graph.apply(claim)
        ask(graph, claim.id)
        times.append(perf_counter() - start)
    return {"all": everything, "one": median(times), "worst": max(times)}


def _rim_table() -> str:
    found = [_child(f"rim:{size}") for size in SIZES]
    base = found[0]["one"]
    rows = [
        [f"{size:,}", seconds(f["all"]), seconds(f["one"]), ratio(f["one"], base), seconds(f["worst"])]
        for size, f in zip(SIZES, found, strict=True)
    ]
    head = ["claims", "all labels", "one more claim, with its label", f"/ {SIZES[0]:,}", "worst"]
    return table(head, rows) + f"\n\nMedian and worst of {SAMPLES} claims, each at the end of a group of {GROUP}."


# -- line by line against all at once ----------------------------------------------------------------------------


def measure_growth(file: str) -> list[dict[str, float]]:
    """A fault tree whose gates come first and whose justifications come in random order; the top's label each time."""
    from tms.openpsa import read_fault_tree

    tree = read_fault_tree(file)
    gates = [record for record in tree.records if record.supports]
    first: list[Record] = [record for record in tree.records if not record.supports]
    first += [Claim(id=gate.id, state="derived") for gate in gates]
    found = []
    for seed in range(5):
        later = [
            Relate(relation="supports", source=gate.id, targets=members) for gate in gates for members in gate.supports
        ]
        Random(seed).shuffle(later)
        found.append(_grow([bare(record) for record in [*first, *later]], len(first), tree.top[0]))
    return found


def _grow(lines: list[Line], ready: int, top: str) -> dict[str, float]:
    gc.collect()
    start = perf_counter()
    graph = Graph.replay(lines)
    graph.number(top)
    labels_start = perf_counter()
    ask(graph, top)
    found = {"once": perf_counter() - start, "once_labels": perf_counter() - labels_start, "labels": 0.0}
    start, graph = perf_counter(), Graph.replay(lines[:ready])
    for line in lines[ready:]:
        graph = graph.apply(line)
        graph.number(top)
        labels_start = perf_counter()
        ask(graph, top)
        found["labels"] += perf_counter() - labels_start
    return {**found, "lines": perf_counter() - start}


def _growth_table(tree: Path) -> str:
    rows = [
        [
            *map(seconds, (f["once"], f["lines"])),
            ratio(f["lines"], f["once"]),
            *map(seconds, (f["once_labels"], f["labels"])),
            ratio(f["labels"], f["once_labels"]),
        ]
        for f in _child(f"growth:{tree}")
    ]
    head = ["all at once", "line by line", "/ all at once", "labels at once", "labels line by line", "/ at once"]
    said = f"{tree.stem}: its justifications in five random orders, the label of the top gate after each."
    return table(head, rows) + f"\n\n{said}"


# -- memory ------------------------------------------------------------------------------------------------------


def measure_memory(operations: str) -> list[dict[str, int]]:
    """Random what-ifs, appends that are kept or dropped, judgements and labels; memory every tenth of the way."""
    count, rng, found = int(operations), Random(1), []
    kept = graph = Graph.replay(bare(record) for record in grouped(2_000))
    for operation in range(count + 1):
        if operation % max(1, count // 10) == 0:
            gc.collect()
            found.append({"operations": operation, "memory": resident(), "held": graph.compiled.shelf.forest.held()})
        graph = kept if operation % 1_000 == 0 else _operation(rng, graph, operation)
    return found


def _operation(rng: Random, graph: Graph, operation: int) -> Graph:
    """One step; every thousandth goes back to the ledger as it was, which lets the versions between go."""
    name, kind = f"c{rng.randrange(2_000)}", rng.randrange(4)
    if kind == 0:
        graph.assuming([("dispute", name)]).status(name)
    elif kind == 1:
        state = rng.choice(("accepted", "disputed"))
        told = tuple(line.hash for line in graph.node(name).lines[-1:])
        graph = graph.apply(Assess(node=name, state=state, replaces=told))  # type: ignore[arg-type]
    elif kind == 2:
        graph = graph.apply(Relate(relation="supports", source=name, targets=(f"c{rng.randrange(2_000)}",)))
    ask(graph, name)
    return graph


def resident() -> int:
    """Bytes of memory in use now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4096


def _memory_table(operations: int) -> str:
    rows = [
        [f"{f['operations']:,}", f"{f['memory'] / 1e6:.0f} MB", f"{f['held']:,}"]
        for f in _child(f"memory:{operations}")
    ]
    said = "Random what-ifs, judgements, new support sets and labels on 2,000 claims; every thousand operations the"
    said += " session goes back to where it began. *kept*: nodes of families and remembered results of operators."
    return table(["operations", "memory", "kept"], rows) + f"\n\n{said}"


_PARTS: dict[str, Any] = {"rim": measure_rim, "growth": measure_growth, "memory": measure_memory}

if __name__ == "__main__":
    main()
