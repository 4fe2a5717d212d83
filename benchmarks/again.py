"""Opening a ledger for the first time and again, each with one question, in processes of their own.

python -m benchmarks.again [--max 1000000] [--write]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.page import ROOT, machine, put_section, ratio, seconds, table

SIZES = (10_000, 100_000, 1_000_000)


def main() -> None:
    """Print the table; `--write` puts it into `docs/benchmarks.md`."""
    parser = argparse.ArgumentParser(prog="benchmarks.again", description=__doc__.partition("\n")[0])
    parser.add_argument("--max", type=int, default=SIZES[-1], help="the largest ledger, in records")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(ask_one(given.one)))
        return
    text = run(given.max)
    print(text)
    if given.write:
        put_section("again", text)


def ask_one(path: str) -> dict[str, float]:
    """Open a ledger and ask for the status of one node; the import of the program counts."""
    start = perf_counter()
    import tms.cache

    tms.cache.WORTH = 0
    graph = tms.cache.open_ledger(path).graph
    graph.status(graph.compiled.declared.names.name(500))
    return {"time": perf_counter() - start}


def run(largest: int) -> str:
    """All sizes, as Markdown."""
    rows = [_row(size) for size in SIZES if size <= largest]
    said = "One question each: the status of one node. The first time writes the cache, the second goes by it."
    head = ["records", "file", "first", "again", "/ first", "cache"]
    return "\n\n".join(["## Opening again", f"{machine()}.", table(head, rows), said])


def _row(size: int) -> list[str]:
    print(f"... again, {size:,}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path, caches = Path(folder, "ledger.jsonl"), Path(folder, "caches")
        _python("benchmarks.generate", str(size), str(path))
        first, again = (_asked(path, caches) for _ in range(2))
        kept = sum(file.stat().st_size for file in caches.iterdir())
        sizes = [f"{n / 1e6:,.1f} MB" for n in (path.stat().st_size, kept)]
        return [f"{size:,}", sizes[0], seconds(first), seconds(again), ratio(again, first), sizes[1]]


def _asked(path: Path, caches: Path) -> float:
    found: dict[str, float] = json.loads(_python("benchmarks.again", "--one", str(path), cache=str(caches)))
    return found["time"]


def _python(module: str, *arguments: str, cache: str = "off") -> str:
    command = [sys.executable, "-m", module, *arguments]
    environment = {**os.environ, "TMS_CACHE": cache}
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, env=environment)
    return done.stdout


if __name__ == "__main__":
    main()
