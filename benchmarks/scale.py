"""How the engine grows: open, index, status, one dispute, one append, memory, from 10^3 lines to 10^6.

    python -m benchmarks.scale [--max 1000000] [--write]

Every ledger is made and measured in processes of its own. `--write` puts the tables into `docs/benchmarks.md`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from typing import Any, TypeAlias

from benchmarks.generate import EXTREMES
from benchmarks.page import ROOT, machine, put_section, ratio, seconds, table

Result: TypeAlias = dict[str, Any]

SIZES = (1_000, 10_000, 100_000, 1_000_000)
WIDE = 100_000  # the size of the extremes, and of the mixed graphs
MIXED = {
    "decisions and supersessions": ("--decisions", "0.1", "--supersessions", "0.05"),
    "the same, with circles": ("--decisions", "0.1", "--supersessions", "0.05", "--regressions", "0.02"),
    "newest first": ("--reverse",),
}
LIMIT = 1800.0  # seconds for one ledger; one that takes longer is reported as such


def run_one(n: int, kind: str = "synthetic", options: tuple[str, ...] = (), *, append: bool = True) -> Result:
    """Make one ledger in a new folder and measure it; `failed` says why there is nothing else."""
    print(f"... {kind}, {n:,}", *options, file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = f"{folder}/ledger.jsonl"
        _python("benchmarks.generate", str(n), path, "--kind", kind, *options)
        try:
            kept: Result = json.loads(_python("benchmarks.measure", path, "--kept"))
            return {**kept, **json.loads(_python("benchmarks.measure", path, *([] if append else ["--no-append"])))}
        except subprocess.TimeoutExpired:
            return {"failed": f"more than {LIMIT:.0f} s"}
        except subprocess.CalledProcessError as error:
            return {"failed": error.stderr.strip().splitlines()[-1]}


def _python(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, timeout=LIMIT)
    return done.stdout


def growth_table(results: dict[str, Result]) -> str:
    """One row a ledger: the phases of opening, each against what it should be in proportion to."""
    head = [
        "records",
        "decode",
        "kept",
        "open",
        "/ decode",
        "/ kept",
        "index",
        "statuses",
        "/ index",
        "memory",
        "a record",
    ]
    return table(head, [[name, *_growth(result)] for name, result in results.items()])


def _growth(result: Result) -> list[str]:
    if "failed" in result:
        return [result["failed"], *[""] * 9]
    opened = result["read"] + result["replay"]
    memory = result["memory_all"] - result["memory_before"]
    return [
        seconds(result["decode"]),
        seconds(result["decode_kept"]),
        seconds(opened),
        ratio(opened, result["decode"]),
        ratio(opened, result["decode_kept"]),
        seconds(result["index"]),
        seconds(result["status"]),
        ratio(result["status"], result["index"]),
        f"{result['memory_all'] / 1e6:,.0f} MB",
        f"{memory / result['lines']:,.0f} B",
    ]


def step_table(results: dict[str, Result]) -> str:
    """One row a ledger: what one more line costs."""
    head = [
        "records",
        "dispute",
        "worst",
        "accept again",
        "worst",
        "what-if",
        "worst",
        "touched",
        "append",
        "mean",
        "worst",
        "/ sync",
    ]
    return table(head, [[name, *_steps(result)] for name, result in results.items() if "failed" not in result])


def _steps(result: Result) -> list[str]:
    names = ("dispute", "dispute_worst", "accept", "accept_worst", "assuming", "assuming_worst")
    touched = f"{result['touched']:,.0f} to {result['touched_worst']:,}"
    return [
        *(seconds(result[name]) for name in names),
        touched,
        *(seconds(result.get(name)) for name in ("append", "append_mean", "append_worst")),
        ratio(result["append"], result["sync"]) if "append" in result else "-",
    ]


def summary(results: dict[str, Result]) -> str:
    """What a thousand times the records costs, in one sentence each."""
    fine = [result for result in results.values() if "failed" not in result]
    if len(fine) < 2:
        return ""
    small, large = fine[0], fine[-1]
    times = large["lines"] / small["lines"]
    said = [
        f"{label} {ratio(large[name], small[name])}"
        for name, label in (("append", "one append"), ("dispute", "one dispute"), ("index", "the index"))
        if name in small and name in large
    ]
    return f"From {small['lines']:,} records to {large['lines']:,}, {times:,.0f} times as many: {', '.join(said)}."


NOTES = """\
*decode*: msgspec alone decodes the same lines to plain data and drops them; *kept*: it keeps them, as a reader must.
*open*: every line read, checked against
its hash and its canonical form, and declared. *index*: the compiled network and its least fixed point. *statuses*: the
status of every node with its flags. *memory*: the peak of the process, and what each record adds. *dispute*, *accept
again*: one more line about one of 200 premises chosen at random, median and worst; *what-if*: the same dispute as an
assumption. *touched*: nodes looked at, median to worst. *append*: one claim in an open session, on disk when the call
returns, median, mean and worst of 200 (the mean has the collector's pauses in it); */ sync*: the median against a bare
write and sync on the same disk."""


def run(largest: int, *, append: bool = True) -> str:
    """All measurements up to `largest` records, as Markdown."""
    growing = {f"{n:,}": run_one(n, append=append) for n in SIZES if n <= largest}
    wide = min(WIDE, largest)
    others = {name: run_one(wide, options=options, append=append) for name, options in MIXED.items()}
    others |= {name: run_one(wide, kind=name, append=append) for name in EXTREMES}
    parts = [
        "## How it grows",
        f"Measured on {machine()}; one run, each ledger in a process of its own. The graph: a fifth premises, 3.2 "
        "antecedents a record (`benchmarks/generate.py`).",
        growth_table(growing),
        step_table(growing),
        summary(growing),
        NOTES,
        f"### Other shapes, {wide:,} records",
        growth_table(others),
        step_table(others),
    ]
    return "\n\n".join(part for part in parts if part)


def main() -> None:
    """Print the tables, and write them where asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.scale", description=__doc__.partition("\n")[0])
    parser.add_argument("--max", type=int, default=SIZES[-1], help="the largest ledger, in records")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    parser.add_argument("--no-append", action="store_true", help="leave the appends out")
    given = parser.parse_args()
    text = run(given.max, append=not given.no_append)
    print(text)
    if given.write:
        put_section("scale", text)


if __name__ == "__main__":
    main()
