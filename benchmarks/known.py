"""Is an action known to fail? The cost of one check in an open session, and of the command, by number of constraints.

Run as `python -m benchmarks.known [--max 1000000] [--write]`. Each check asks for an action that the graph was not
asked for before.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.generate import write_ledger
from benchmarks.page import ROOT, machine, put_section, ratio, seconds, table
from tms.constraints import known, known_to_fail
from tms.graph import Graph, bare
from tms.model import Claim, Falsification, Hypothesis, Record

SIZES = (1_000, 10_000, 100_000, 1_000_000)
CHECKS = 400
COMMANDS = 5
RUN = "import sys; from cli.main import main; sys.exit(main())"
SAID = Falsification(signature="exit 1", gate="make", reproducible=True)


def main() -> None:
    """Print the table; `--write` puts it into `docs/benchmarks.md`."""
    parser = argparse.ArgumentParser(prog="benchmarks.known", description=__doc__.partition("\n")[0])
    parser.add_argument("--max", type=int, default=SIZES[-1], help="the most constraints")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = run(given.max)
    print(text)
    if given.write:
        put_section("known", text)


def records(number: int) -> Iterator[Record]:
    """A claim that every falsification assumes, and the constraints."""
    yield Claim(id="c", state="accepted")
    for n in range(number):
        yield Hypothesis(
            id=f"h{n}", action=f"make target-{n} -j 4", state="falsified", falsification=SAID, assuming=("c",)
        )


def checks(graph: Graph, number: int, fails: bool) -> list[float]:
    """The seconds of each check, of actions that fail or of others; the first ones, which warm up, are left out."""
    step = max(1, number // CHECKS)
    took = []
    for n in range(CHECKS):
        action = f"make {'target' if fails else 'another'}-{n * step % number} -j 4"
        start = perf_counter()
        found = known_to_fail(graph, action)
        took.append(perf_counter() - start)
        if found != fails or known(graph, action).known_to_fail != fails:
            raise RuntimeError(f"{action}: {found}")
    return took[20:]


def command(path: str) -> float:
    """The median seconds of `tms try`, after one run that leaves a cache of a long ledger."""
    took = []
    for _ in range(COMMANDS + 1):
        start = perf_counter()
        words = [sys.executable, "-c", RUN, "--ledger", path, "try", "make target-7 -j 4"]
        done = subprocess.run(words, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
        took.append(perf_counter() - start)
        if done.returncode != 1:
            raise RuntimeError(done.stderr)
    return median(took[1:])


def run(most: int = SIZES[-1]) -> str:
    """Measure every size; the table as Markdown."""
    rows, first = [], 0.0
    for number in (size for size in SIZES if size <= most):
        graph = Graph.replay(bare(record) for record in records(number))
        graph.compiled  # noqa: B018 - a session that is open has it
        known_, other = (sorted(checks(graph, number, fails)) for fails in (True, False))
        del graph
        first = first or median(known_)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ledger.jsonl"
            write_ledger(path, records(number))
            whole = command(str(path))
        worst = known_[int(len(known_) * 0.95)]
        cells = [median(other), median(known_), worst]
        rows.append([f"{number:,}", *map(seconds, cells), ratio(median(known_), first), seconds(whole)])
        print(rows[-1], file=sys.stderr, flush=True)
    head = ["constraints", "not known to fail", "known to fail", "19 of 20 within", "to the first", "tms try"]
    about = "*to the first*: a check of what is known to fail, against the smallest ledger."
    return f"## Is an action known to fail?\n\nMeasured on {machine()}. {about}\n\n{table(head, rows)}"


if __name__ == "__main__":
    main()
