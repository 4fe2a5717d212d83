"""The same graph in other systems, in the same run: entering it, one dispute, accepting again.

    python -m benchmarks.peers [--peers-python PATH] [--max 100000] [--write]

The peers are PyPI's `ltms` (a JTMS), `ftl-reasons`, `veritas-tms`, and `networkx` for impact by reachability. They
need an environment of their own: `python -m venv peers; peers/bin/pip install ltms ftl-reasons veritas-tms networkx`.
Those that `PATH` cannot import are reported as absent.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from benchmarks.generate import synthetic
from benchmarks.page import ROOT, machine, put_section, seconds, table
from benchmarks.peer_worker import TOO_SLOW

Result: TypeAlias = dict[str, Any]

SIZES = (1_000, 10_000, 100_000)
PEERS = ("tms", "ltms", "ftl-reasons", "veritas-tms", "networkx")
DISPUTES = 200
BUDGET = 30.0  # seconds to enter all claims, and again for the disputes
WORKER = ROOT / "benchmarks" / "peer_worker.py"
HEAD = ("system", "claims", "entering", "one dispute", "worst", "accept again", "agrees")


def write_task(n: int, path: Path) -> None:
    """The graph and the disputes as plain data, the same for every system."""
    claims = [
        (claim.state == "accepted", [[int(member[1:]) for member in members] for members in claim.supports])
        for claim in synthetic(n)
    ]
    premises = [number for number, (accepted, sets) in enumerate(claims) if accepted and not sets]
    disputes = Random(1).sample(premises, min(DISPUTES, len(premises)))
    path.write_text(json.dumps({"claims": claims, "disputes": disputes, "budget": BUDGET}))


def run_peer(name: str, python: str, task: Path) -> Result:
    """What one system's process printed, and what ended it; systems are never run at the same time."""
    command = [sys.executable if name == "tms" else python, str(WORKER), name, str(task)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return {"absent": True}
    result = {key: value for line in done.stdout.splitlines() for key, value in json.loads(line).items()}
    if done.returncode:
        result["failed"] = f"> {BUDGET:.0f} s" if done.returncode == TOO_SLOW else done.stderr.strip().splitlines()[-1]
    return result


def row(name: str, n: int, result: Result, own: Result) -> list[str]:
    """One system at one size, as cells."""
    label = f"{name} {result.get('version', '')}".strip()
    if result.get("absent"):
        return [label, f"{n:,}", "absent", "-", "-", "-", "-"]
    if "enter" not in result:
        return [label, f"{n:,}", result["failed"], "-", "-", "-", "-"]
    entering = seconds(result["enter"])
    if "dispute" not in result:
        return [label, f"{n:,}", entering, result["failed"], "-", "-", "-"]
    durations = (result["dispute"], result["worst"], result["restore"])
    return [label, f"{n:,}", entering, *(seconds(value) for value in durations), agreement(result, own)]


def agreement(result: Result, own: Result) -> str:
    """Does the system believe as many nodes, and do as many fall, as here? Compared over the disputes both made."""
    if result is own:
        return "-"
    if result["holding"] is None:
        return f"no: says {result['fallen'] / result['disputes']:,.0f} fall" if result["disputes"] else "-"
    if result["disputes"] != own.get("disputes"):
        return f"yes, on {result['disputes']}" if result["fell_at"] == own["fell_at"][: result["disputes"]] else "no"
    same = (result["holding"], result["fell_at"]) == (own["holding"], own["fell_at"])
    return "yes" if same and result["same_again"] else "no"


def run(python: str, largest: int) -> str:
    """All systems at all sizes, as Markdown; a system that was too slow is not tried at the next size."""
    rows, slow = [], set()
    for n in (size for size in SIZES if size <= largest):
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            task = Path(folder) / "task.json"
            write_task(n, task)
            own: Result = {}
            for name in PEERS:
                if name in slow:
                    rows.append([name, f"{n:,}", "not tried", "-", "-", "-", "-"])
                    continue
                print(f"... {name}, {n:,}", file=sys.stderr, flush=True)
                result = run_peer(name, python, task)
                own = result if name == "tms" else own
                rows.append(row(name, n, result, own))
                if "failed" in result:
                    slow.add(name)
    return "\n\n".join(["## Beside other systems", f"Measured on {machine()}; one run.", table(HEAD, rows), NOTES])


NOTES = f"""\
The graph is that of the scale benchmark; {DISPUTES} premises chosen at random are disputed and accepted again, one
after the other; median and worst. *agrees*: it believes the same number of claims, and as many fall at each dispute.
All start from data in memory and keep nothing on disk. *tms*: all claims are compiled at once, and every dispute gives
a new graph beside the old one; the others change in place. *ftl-reasons* is given the hashes of its justifications,
without which 10^4 claims take minutes; its propagation keeps a circle up by itself (none here). *networkx* only says
what can be reached, which counts every OR as an AND; it has nothing to restore. `> {BUDGET:.0f} s`: ended there; *not
tried*: the size before took longer than that."""


def main() -> None:
    """Print the table, and write it where asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.peers", description=__doc__.partition("\n")[0])
    parser.add_argument("--peers-python", default=sys.executable, help="the interpreter that has the peers")
    parser.add_argument("--max", type=int, default=SIZES[-1], help="the largest graph, in claims")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks.md")
    given = parser.parse_args()
    text = run(given.peers_python, given.max)
    print(text)
    if given.write:
        put_section("peers", text)


if __name__ == "__main__":
    main()
