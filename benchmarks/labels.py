"""Labels of fault trees' top gates, against other programs in the same run.

    python -m benchmarks.labels MODELS_DIR [MODEL ...] [--peers-python PATH] [--cap SECONDS] [--our-cap SECONDS]
                                [--profile MODEL] [--write]

Ours: the label from the compiled graph, within the default budget. *bits*: antichains of integer bit masks, the same
order of evaluation, compared by their rarest member and only where operands have members in common. *graphillion*
(C++): joins and minimal sets of its families, the order of variables as in the file. *cudd* (C, by way of dd): the
diagram of the function, in the order of the file or with reordering as it goes, whichever was faster; then its minimal
solutions by Rauzy's recursion, which is in Python. *SCRAM* (C++): its own figure for its algorithm alone (`--zbdd`),
without reading and preprocessing; where that is long, the processor time of the same span.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from benchmarks.label_ways import MEMORY, formulas
from benchmarks.page import machine, put_section, seconds, table
from tms.errors import TmsError

ROOT = Path(__file__).parents[1]
SHORT, LONG = 2.0, 0.2  # seconds
STARTING = 5.0  # seconds beyond the cap, for a process to start and read
Found: TypeAlias = dict[str, dict[str, Any]]


class Bar(NamedTuple):
    """What we aim at beside one peer, over the models where it needs more than `least` seconds."""

    peer: str
    said: str
    least: float
    aim: float | None  # our time / its time; None: no aim
    capped: bool = False  # a peer that was ended counts with the time it was given


BARS = (
    Bar("bits", "bits, where it needs more than 100 ms", 0.1, 0.01),
    Bar("bits", "the same, counting what was ended as done at the cap", 0.1, None, True),
    Bar("graphillion", "graphillion", 0.0, 0.5),
    Bar("cudd", "cudd", 0.0, None),
    Bar("scram", "SCRAM's algorithm", 0.0, 4.0),
    Bar("scram", "SCRAM's algorithm, where it needs more than 10 ms", 0.01, None),
)


def main() -> None:
    """Print the tables; `--write` puts them into `docs/benchmarks.md`."""
    parser = argparse.ArgumentParser(prog="benchmarks.labels", description=__doc__.partition("\n")[0])
    parser.add_argument("models", type=Path, help="a folder of Open-PSA files, such as the Aralia fault trees")
    parser.add_argument("only", nargs="*", help="models to run; else all that can be read")
    parser.add_argument("--peers-python", default=sys.executable, help="the interpreter that has graphillion and dd")
    parser.add_argument("--cap", type=float, default=30.0, help="seconds for one run of a peer")
    parser.add_argument("--our-cap", type=float, default=40.0, help="seconds for one run of ours")
    parser.add_argument("--profile", default="edfpa14b", help="the model whose time is broken down")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = run(given)
    print(text)
    if given.write:
        put_section("labels", text)


def run(given: argparse.Namespace) -> str:
    """All models, all ways."""
    rows: list[tuple[str, Found]] = []
    refused = []
    for file in sorted(given.models.glob("*.xml")):
        if not given.only or file.stem in given.only:
            try:
                rows.append((file.stem, _model(given, file)))
                print("...", *rows[-1], file=sys.stderr, flush=True)
            except TmsError:
                refused.append(file.stem)
    ends = f"ended at {given.cap:.0f} s, ours at {given.our_cap:.0f} s, or at {MEMORY >> 30} GB"
    how = f"{machine()}; processor time; each run a process, below {SHORT:.0f} s the best of three"
    said = f" Not monotone, left out: {', '.join(refused)}." if refused else ""
    return "\n".join([
        "## Labels", "", f"Measured on {how}; {ends}.{said}", "",
        _table(rows), "", _unfinished(rows, given), "", _bars(rows, given.cap), "", _NOTE, *_profile(given),
    ])  # fmt: skip


def _model(given: argparse.Namespace, file: Path) -> Found:
    told = json.dumps(formulas(file))

    def way(name: str, python: str = given.peers_python) -> dict[str, Any]:
        return _best(lambda: _child(python, [name], given.cap, told))

    both = [way("cudd"), way("cudd-reordering")]
    return {
        "ours": _best(lambda: _child(sys.executable, ["ours", str(file)], given.our_cap)),
        "bits": way("bits", sys.executable),
        "graphillion": way("graphillion"),
        "cudd": min(both, key=lambda found: found.get("time", math.inf)),
        "scram": _best(lambda: _scram(file, given.cap)),
    }


def _best(run: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The fastest of three, where the first was short: what else the machine does weighs most there."""
    first = run()
    again = [run() for _ in range(2)] if first.get("time", math.inf) < SHORT else []
    return min([first, *again], key=lambda found: found.get("time", math.inf))


def _child(python: str, way: list[str], cap: float, told: str = "") -> dict[str, Any]:
    """What a process prints; nothing, where it needs more time or memory."""
    command = [python, "-m", "benchmarks.label_ways", way[0], str(cap + STARTING), *way[1:]]
    done = subprocess.run(command, cwd=ROOT, input=told, capture_output=True, check=False, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        ended = last == "MemoryError" or -done.returncode in (signal.SIGXCPU, signal.SIGKILL)
        return {} if ended else {"failed": last}
    found: dict[str, Any] = json.loads(done.stdout)
    return found if found["time"] <= cap else {}


def _scram(file: Path, cap: float) -> dict[str, Any]:
    """Ended as soon as its algorithm is done and has counted: to write its report may take much longer."""
    if shutil.which("scram") is None:
        return {"failed": "not installed"}
    command = ["scram", "--zbdd", "--limit-order", "10000", "--verbosity", "5", str(file), "-o", "/dev/null"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        most = math.ceil(cap + STARTING)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (most, most))
        found = _scram_said(process)
        process.kill()
    return found if found.get("time", math.inf) <= cap else {}


def _scram_said(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Its figure is by the clock on the wall; a long one is held against the processor time between the same lines."""
    found: dict[str, Any] = {}
    launched = 0.0
    for line in process.stderr or ():
        if "Launching the algorithm" in line:
            launched = _processor_time(process.pid)
        if match := re.search("The algorithm finished in ([0-9.e-]+)", line):
            wall, spent = float(match[1]), _processor_time(process.pid) - launched
            found["time"] = min(wall, spent) if wall > LONG else wall
        if match := re.search("# of products: ([0-9]+)", line):
            return found | {"count": match[1]}
    return found


def _processor_time(process: int) -> float:
    """Seconds, exact to the microsecond; Linux only."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[0]) / 1e9


# -- the page ---------------------------------------------------------------------------------------------------


def _table(rows: list[tuple[str, Found]]) -> str:
    head = ["model", "environments", "ours", "bits", "graphillion", "cudd", "SCRAM", "bits / ours", "ours / SCRAM"]
    body = []
    for name, found in rows:
        cells = [_cell(found[way]) for way in ("ours", "bits", "graphillion", "cudd", "scram")]
        quotients = (_quotient(found["bits"], found["ours"]), _quotient(found["ours"], found["scram"]))
        body.append([name, _counted(found["ours"]), *cells, *(_times(q) for q in quotients)])
    return table(head, body)


def _whole(found: dict[str, Any]) -> bool:
    return "time" in found and found.get("complete_to") is None


def _cell(found: dict[str, Any]) -> str:
    return seconds(found["time"]) if _whole(found) else ("failed" if "failed" in found else "-")


def _counted(ours: dict[str, Any]) -> str:
    return f"{int(ours['count']):,}" if _whole(ours) else "-"


def _quotient(one: dict[str, Any], other: dict[str, Any]) -> float | None:
    return one["time"] / other["time"] if _whole(one) and _whole(other) else None


def _times(value: float | None) -> str:
    """A quotient with two digits or more.

    >>> [_times(v) for v in (None, 0.0123, 0.5, 2.34, 1234.5)]
    ['-', '0.012 x', '0.5 x', '2.3 x', '1,234 x']
    """
    if value is None:
        return "-"
    return f"{value:.2g} x" if value < 10 else f"{value:,.0f} x"


def _unfinished(rows: list[tuple[str, Found]], given: argparse.Namespace) -> str:
    """How many each has finished, what failed, and whether all that counted agree."""
    said = []
    for way, name in (("ours", "ours"), *((p, p) for p in ("bits", "graphillion", "cudd")), ("scram", "SCRAM")):
        done = [found for _, found in rows if _whole(found[way])]
        said.append(f"{name} {len(done)}")
    lines = [f"Of {len(rows)} models finished in time: {', '.join(said)}."]
    for name, found in rows:
        ours = found["ours"]
        if not _whole(ours):
            bound = f"whole up to {ours['complete_to']} members ({int(ours['count']):,}) after {seconds(ours['time'])}"
            lines.append(f"Ours on {name}: {bound if 'time' in ours else 'no answer in time'}.")
        counts = {f["count"] for f in found.values() if _whole(f) and "count" in f}
        if len(counts) > 1:
            lines.append(f"**The counts differ on {name}: {', '.join(sorted(counts))}.**")
    return " ".join(lines)


def _bars(rows: list[tuple[str, Found]], cap: float) -> str:
    head = ["our time / its time", "models", "geometric mean", "worst", "aim", "reached"]
    body = []
    for bar in BARS:
        pairs = list(_pairs(rows, bar, cap))
        if pairs:
            mean = math.exp(sum(math.log(quotient) for quotient, _ in pairs) / len(pairs))
            worst, name = max(pairs)
            aim = "-" if bar.aim is None else _times(bar.aim)
            reached = "-" if bar.aim is None else "yes" if mean <= bar.aim else "no"
            body.append([bar.said, str(len(pairs)), _faster(mean), f"{_faster(worst)} ({name})", aim, reached])
    return table(head, body)


def _pairs(rows: list[tuple[str, Found]], bar: Bar, cap: float) -> Iterable[tuple[float, str]]:
    for name, found in rows:
        peer = found[bar.peer]
        if bar.capped and not peer:
            peer = {"time": cap}
        quotient = _quotient(found["ours"], peer)
        if quotient is not None and peer["time"] > bar.least:
            yield quotient, name


def _faster(quotient: float) -> str:
    """A quotient far below one also the other way round.

    >>> _faster(0.005), _faster(2.5)
    ('0.005 x, 200 x faster', '2.5 x')
    """
    return f"{_times(quotient)}, {1 / quotient:,.0f} x faster" if quotient < 0.1 else _times(quotient)


def _profile(given: argparse.Namespace) -> list[str]:
    from benchmarks import breakdown

    file = given.models / f"{given.profile}.xml"
    if not file.exists():
        return []
    command = [sys.executable, "-m", "benchmarks.breakdown", str(file)]
    found = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    return ["", breakdown.text(given.profile, found)]


_NOTE = __doc__.partition("\n\n")[2].partition("\n\n")[2].strip()

if __name__ == "__main__":
    main()
