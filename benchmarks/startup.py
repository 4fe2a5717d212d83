"""How long the command takes to start, and on what: against an interpreter that does nothing.

Run as `python -m benchmarks.startup [--write]`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.generate import synthetic, write_ledger
from benchmarks.page import ROOT, machine, put_section, ratio, seconds, table

RUNS = 10
SMALL = 50  # records of the ledger that `tms status` reads
RUN = "import sys; from cli.main import main; sys.exit(main())"


def commands(ledger: Path) -> dict[str, list[str]]:
    """What is timed; `tms` is run by the same interpreter as the rest, so that no start script comes between."""
    tms = [sys.executable, "-c", RUN]
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        'python -c "import msgspec, click"': [sys.executable, "-c", "import msgspec, click"],
        "tms --help": [*tms, "--help"],
        f"tms status, {SMALL} records": [*tms, "--ledger", str(ledger), "status"],
    }


def wall(command: list[str]) -> float:
    """The median of RUNS runs, after one that fills the caches."""
    took = []
    for _ in range(RUNS + 1):
        start = perf_counter()
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        took.append(perf_counter() - start)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-300:]}")
    return median(took[1:])


def imports(module: str = "cli.main") -> list[tuple[str, float]]:
    """The seconds that each top-level package's own modules take while `module` is imported, longest first.

    A line of `-X importtime` is `import time: SELF | CUMULATIVE | NAME`, in microseconds.
    """
    command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    totals: dict[str, float] = {}
    for line in done.stderr.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if len(parts) == 3 and parts[0].strip().isdigit():
            package = parts[2].strip().partition(".")[0]
            totals[package] = totals.get(package, 0.0) + int(parts[0]) / 1e6
    return sorted(totals.items(), key=lambda item: -item[1])


def run() -> str:
    """Both tables, as Markdown."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        ledger = Path(folder) / "ledger.jsonl"
        write_ledger(ledger, synthetic(SMALL))
        took = {name: wall(command) for name, command in commands(ledger).items()}
    base = took["python -c pass"]
    walls = table(["command", "wall", "/ python"], [[n, seconds(t), ratio(t, base)] for n, t in took.items()])
    found = imports()
    rows = [[name, seconds(value)] for name, value in found[:12]]
    rows.append([f"{len(found) - len(rows)} others", seconds(sum(value for _, value in found[12:]))])
    return "\n\n".join([
        "## Starting", f"Measured on {machine()}; the median of {RUNS} runs.", walls,
        "Where the import of the command goes, by top-level package (under `-X importtime`, which slows it down):",
        table(["package", "its own modules"], rows),
    ])  # fmt: skip


def main() -> None:
    """Print the tables, and write them where asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.startup", description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    given = parser.parse_args()
    text = run()
    print(text)
    if given.write:
        put_section("startup", text)


if __name__ == "__main__":
    main()
