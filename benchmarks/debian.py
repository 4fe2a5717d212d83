"""What breaks a Debian package: the minimal sets of packages whose removal does it, in one graph of a whole release.

    python -m benchmarks.debian GRAPH.json.gz [--write]

The file holds `{package: [clause, ...]}`; a clause is the list of packages any of which satisfies a dependency. A
package is broken if it was removed, or if for some clause every alternative is broken. There are circles, so these
labels are steered by the small environments.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import thread_time
from typing import TypeAlias

from benchmarks.page import machine, put_section, seconds, table
from tms.bounded import label
from tms.graph import Graph, bare
from tms.model import Claim

Clauses: TypeAlias = Mapping[str, list[list[str]]]
GOALS = ("python3-numpy", "texlive-full", "libreoffice", "gnome-core")


def main() -> None:
    """Print the table; `--write` puts it into `docs/benchmarks.md`."""
    parser = argparse.ArgumentParser(prog="benchmarks.debian", description=__doc__.partition("\n")[0])
    parser.add_argument("graph", type=Path, help="the packages and their clauses, as gzipped JSON")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = run(given.graph)
    print(text)
    if given.write:
        put_section("debian", text)


def run(path: Path) -> str:
    """All goals in one graph, one after the other."""
    clauses = clauses_of(path)
    start = thread_time()
    graph = Graph.replay(bare(claim) for claim in claims(clauses, clauses))
    held = len(graph.compiled.network.own)
    building = f"{len(clauses):,} packages, {held:,} nodes, compiled in {seconds(thread_time() - start)}"
    rows = [_goal(graph, clauses, goal) for goal in GOALS]
    head = ["package", "rests on", "minimal sets", "by size", "time", "steps", "nodes"]
    how = f"Measured on {machine()}; one run, processor time"
    return "\n".join(["## What breaks a package", "", f"{how}. {building}.", "",
                      table(head, rows), "", _NOTE])  # fmt: skip


def _goal(graph: Graph, clauses: Clauses, goal: str) -> list[str]:
    start = thread_time()
    found = label(graph.compiled, graph.number(goal))
    spent, forest = thread_time() - start, found.labels.forest
    sizes = {size: number for size, number in enumerate(forest.sizes(found.family)) if number}
    whole = "" if found.complete_to is None else f", whole up to {found.complete_to} members"
    return [
        goal,
        f"{len(cone(clauses, goal)):,}",
        f"{forest.count(found.family):,}{whole}",
        said(sizes),
        seconds(spent),
        f"{forest.steps:,}",
        f"{len(forest):,}",
    ]


def said(sizes: Mapping[int, int]) -> str:
    """How many sets there are of each size; single large ones in one word.

    >>> said({1: 782, 2: 46, 94: 1, 122: 1})
    '782 of 1, 46 of 2, 2 of 94 to 122'
    """
    few = [size for size, number in sizes.items() if number == 1 and size > 50]
    words = [f"{number:,} of {size}" for size, number in sizes.items() if size not in few]
    return ", ".join(words + ([f"{len(few)} of {few[0]} to {few[-1]}"] if few else []))


# -- the graph --------------------------------------------------------------------------------------------------


def clauses_of(path: Path) -> Clauses:
    """The packages in a file."""
    with gzip.open(path) as file:
        found: Clauses = json.load(file)
    return found


def cone(clauses: Clauses, goal: str) -> list[str]:
    """A package and all that it rests on."""
    found, waiting = {goal: None}, [goal]
    for package in waiting:
        below = dict.fromkeys(name for clause in clauses[package] for name in clause if name not in found)
        found |= below
        waiting += below
    return list(found)


def claims(clauses: Clauses, packages: Iterable[str]) -> Iterator[Claim]:
    """Two claims for each package: that it was removed, which is a premise, and that it is broken."""
    for package in packages:
        removed = f"removed:{package}"
        yield Claim(id=removed, state="accepted")
        sets = (tuple(dict.fromkeys(clause)) for clause in clauses[package])
        yield Claim(id=package, state="derived", supports=((removed,), *sets))


_NOTE = __doc__.partition("\n\n")[2].partition("\n\n")[2].strip()

if __name__ == "__main__":
    main()
