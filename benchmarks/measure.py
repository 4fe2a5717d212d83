"""Measures one ledger in a process of its own and prints the result as one JSON object.

Run as `python -m benchmarks.measure LEDGER [--no-append]`.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import perf_counter
from typing import Any, ParamSpec, TypeVar

import msgspec

from tms.collector import paused
from tms.graph import Graph, bare
from tms.ledger.reader import read
from tms.model import Assess, Claim, Line

T = TypeVar("T")
P = ParamSpec("P")
SAMPLES = 200


def main() -> None:
    """Measure the ledger named on the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.measure")
    parser.add_argument("ledger", type=Path)
    parser.add_argument("--no-append", action="store_true", help="leave the appends out, which change the ledger")
    parser.add_argument("--kept", action="store_true", help="only decode, and keep what is decoded")
    given = parser.parse_args()
    if given.kept:
        print(json.dumps({"decode_kept": timed(decode_kept, given.ledger)[0]}))
        return
    print(json.dumps(measure(given.ledger, append=not given.no_append)))


def measure(ledger: Path, *, append: bool) -> dict[str, Any]:
    """All measurements of one ledger, durations in seconds and memory in bytes.

    The decoding comes first and keeps nothing, so that the peak of memory is that of the opened graph.
    """
    result: dict[str, Any] = {"bytes": ledger.stat().st_size, "memory_before": peak_memory()}
    result["decode"], result["lines"] = timed(decode, ledger)
    result["read"], reading = timed(read, str(ledger))
    result["replay"], graph = timed(Graph.replay, reading.lines)
    result["memory_open"] = peak_memory()
    result["index"], _ = timed(getattr, graph, "compiled")
    result["status"], statuses = timed(graph.statuses)
    result["memory_all"] = peak_memory()
    result["nodes"] = len(statuses)
    result["holding"] = sum(status.status in ("in", "active") for status in statuses)
    gc.collect()
    result |= disputes(graph, reading.lines)
    del graph, reading, statuses
    if append:
        result |= appends(ledger)
    return result


def timed(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> tuple[float, T]:
    """How long one call took, and what it gave."""
    start = perf_counter()
    value = call(*args, **kwargs)
    return perf_counter() - start, value


def decode(ledger: Path) -> int:
    """The baseline: msgspec decodes every line to plain data, which is dropped at once."""
    decoder = msgspec.json.Decoder()
    count = 0
    with ledger.open("rb") as file:
        for raw in file:
            decoder.decode(raw)
            count += 1
    return count


def decode_kept(ledger: Path) -> list[Any]:
    """The other baseline: what is decoded is kept, as a reader must, with the collector off, as when opening."""
    decoder = msgspec.json.Decoder()
    with paused(), ledger.open("rb") as file:
        return [decoder.decode(raw) for raw in file]


def disputes(graph: Graph, lines: Iterable[Line]) -> dict[str, Any]:
    """Dispute a premise by one more line, accept it again by another; and the same dispute as a mere assumption."""
    fell, rose, assumed, changed = [], [], [], []
    for line in premises(lines):
        node = str(getattr(line.record, "id", ""))
        dispute = bare(Assess(node=node, state="disputed", replaces=(line.hash,)))
        accept = bare(Assess(node=node, state="accepted", replaces=(dispute.hash,)))
        took, fallen = timed(graph.apply, dispute)
        fell.append(took)
        rose.append(timed(fallen.apply, accept)[0])
        assumed.append(timed(graph.assuming, [("dispute", node)])[0])
        changed.append(len(fallen.touched))
    return {
        "dispute": median(fell), "dispute_worst": max(fell), "accept": median(rose), "accept_worst": max(rose),
        "assuming": median(assumed), "assuming_worst": max(assumed), "touched": median(changed),
        "touched_worst": max(changed),
    }  # fmt: skip


def premises(lines: Iterable[Line]) -> list[Line]:
    """Up to SAMPLES accepted premises, the same ones at each run; the hub first where there is one."""
    found = [line for line in lines if is_premise(line)]
    hub = [line for line in found if getattr(line.record, "id", "") == "hub"]
    return (hub + Random(1).sample(found, min(SAMPLES, len(found))))[:SAMPLES]


def is_premise(line: Line) -> bool:
    record = line.record
    return isinstance(record, Claim) and record.state == "accepted" and not record.supports


def appends(ledger: Path) -> dict[str, float]:
    """One claim at a time in an open session, on disk when the call returns; and a bare write and sync of as much."""
    from tms.session import Session

    session = Session.open(str(ledger), author="bench")
    ids = session.graph.ids("claim")
    chance = Random(2)
    took = []
    for number in range(SAMPLES):
        grounds = tuple(sorted({chance.choice(ids), chance.choice(ids)}))
        claim = Claim(id=f"n{number}", text="One more claim", state="accepted", supports=(grounds,))
        took.append(timed(session.append, [claim])[0])
    sync = sync_alone(ledger.parent)
    return {"append": median(took), "append_mean": fmean(took), "append_worst": max(took), "sync": sync}


def sync_alone(folder: Path) -> float:
    """What the disk takes by itself: write 350 bytes, sync; the median."""
    took = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(SAMPLES):
            start = perf_counter()
            os.write(file.fileno(), b"x" * 350)
            os.fsync(file.fileno())
            took.append(perf_counter() - start)
    return median(took)


def peak_memory() -> int:
    """The most memory this process had so far, in bytes.

    Linux keeps it for each program; `getrusage` would give the parent's where that was larger.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
