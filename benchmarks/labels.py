"""Labels of fault trees' top gates, against other programs in the same run.

    python -m benchmarks.labels MODELS_DIR [MODEL ...] [--peers-python PATH] [--cap SECONDS] [--write]

Ours: the label from the compiled graph, within one process. *bits*: antichains of integer bit masks, the same order of
evaluation. SCRAM: its own figure for its algorithm alone (`--zbdd`). graphillion: joins and minimal sets of its
families, the order of variables as in the file. Each run in a process of its own, ended at the cap.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.page import machine, put_section, ratio, seconds, table

ROOT = Path(__file__).parents[1]
WAYS = ("ours", "bits", "graphillion")


def main() -> None:
    """Print the table and the geometric means; `--write` puts them into `docs/benchmarks.md`."""
    parser = argparse.ArgumentParser(prog="benchmarks.labels", description=__doc__.partition("\n")[0])
    parser.add_argument("models", type=Path, help="a folder of Open-PSA files, such as the Aralia fault trees")
    parser.add_argument("only", nargs="*", help="models to run; else all that can be read")
    parser.add_argument("--peers-python", default=sys.executable, help="the interpreter that has graphillion")
    parser.add_argument("--cap", type=float, default=30.0, help="seconds for one run")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--one", choices=WAYS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(_RUN[given.one](given.models)))
        return
    text = run(given)
    print(text)
    if given.write:
        put_section("labels", text)


def run(given: argparse.Namespace) -> str:
    """All models, all ways."""
    files = sorted(given.models.glob("*.xml"))
    rows = []
    for file in files:
        if not given.only or file.stem in given.only:
            found = {way: _child(given, way, file) for way in WAYS} | {"scram": _scram(file, given.cap)}
            if "refused" not in found["ours"]:
                rows.append((file.stem, found))
                print("...", file.stem, found, file=sys.stderr)
    return "\n".join(["## Labels", "", f"{machine()}; one run, each cell a process; ended at {given.cap:.0f} s.", "",
                      _table(rows), "", _means(rows), "", _NOTE])  # fmt: skip


def _child(given: argparse.Namespace, way: str, file: Path) -> dict[str, Any]:
    python = given.peers_python if way == "graphillion" else sys.executable
    command = [python, "-m", "benchmarks.labels", str(file), "--one", way]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True, timeout=given.cap + 10)
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["?"]
        return {"refused": lines[-1]} if way == "ours" else {}
    found: dict[str, Any] = json.loads(done.stdout)
    return found if found["time"] <= given.cap else {}


def _scram(file: Path, cap: float) -> dict[str, Any]:
    if shutil.which("scram") is None:
        return {}
    command = ["scram", "--zbdd", "--limit-order", "10000", "--verbosity", "5", str(file), "-o", "/dev/null"]
    try:
        said = subprocess.run(command, capture_output=True, check=False, timeout=cap).stderr
    except subprocess.TimeoutExpired as late:  # often in writing its report, behind the algorithm
        said = late.stderr or b""
    found = re.search(rb"The algorithm finished in ([0-9.e-]+)", said)
    return {"time": float(found[1])} if found else {}


# -- the ways ---------------------------------------------------------------------------------------------------


def _ours(file: Path) -> dict[str, Any]:
    from tms.bounded import label

    graph, top = _graph(file)
    compiled, number = graph.compiled, graph.number(top)
    start = perf_counter()
    found = label(compiled, number, budget=12_000_000)
    spent = perf_counter() - start
    if found.complete_to is not None:
        return {"time": math.inf}
    return {"time": spent, "count": str(found.labels.forest.count(found.family)), "nodes": len(found.labels.forest)}


def _graph(file: Path) -> tuple[Any, str]:
    from tms.graph import Graph, bare
    from tms.openpsa import read_fault_tree

    tree = read_fault_tree(str(file))
    return Graph.replay(bare(record) for record in tree.records), tree.top[0]


def _bits(file: Path) -> dict[str, Any]:
    gates, order = _formulas(file)
    start = perf_counter()
    families: dict[int, list[int]] = {}
    for place, (number, sets) in enumerate(order):
        made: list[int] = []
        if not sets:
            made = [1 << place]
        for members in sets:
            product = [0]
            for member in members:
                product = _minimal([a | b for a in product for b in families[member]])
            made = _minimal(made + product)
        families[number] = made
    return {"time": perf_counter() - start, "count": str(len(families[gates]))}


def _minimal(masks: list[int]) -> list[int]:
    kept: list[int] = []
    for mask in sorted(set(masks), key=int.bit_count):
        if not any(small & mask == small for small in kept):
            kept.append(mask)
    return kept


def _formulas(file: Path) -> tuple[int, list[tuple[int, list[tuple[int, ...]]]]]:
    """The goal's number, and each node below it with its sets, members first; a premise has none."""
    from tms.components import components

    graph, top = _graph(file)
    network, goal = graph.compiled.network, graph.number(top)
    found = components([goal], lambda n: [m for j in network.own[n] for m in network.members[j]])
    order = [component[0] for component in found]
    return goal, [(n, [network.members[j] for j in network.own[n] if network.members[j]]) for n in order]


def _graphillion(file: Path) -> dict[str, Any]:
    from graphillion import setset

    goal, order = json.loads(_for_peer(file))
    setset.set_universe([n for n, sets in order if not sets])
    start = perf_counter()
    families: dict[int, Any] = {}
    for number, sets in order:
        made = setset([[number]]) if not sets else setset()
        for members in sets:
            product = setset([[]])
            for member in members:
                product = product.join(families[member]).minimal()
            made = (made | product).minimal()
        families[number] = made
    return {"time": perf_counter() - start, "count": str(len(families[goal]))}


def _for_peer(file: Path) -> str:
    """The formulas by way of our interpreter: the peer's need not have what reading takes."""
    code = "import json,sys;from pathlib import Path;from benchmarks.labels import _formulas;"
    code += "print(json.dumps(_formulas(Path(sys.argv[1]))))"
    ours = str(ROOT / ".venv" / "bin" / "python")
    return subprocess.run([ours, "-c", code, str(file)], cwd=ROOT, capture_output=True, text=True, check=True).stdout


_RUN = {"ours": _ours, "bits": _bits, "graphillion": _graphillion}


# -- the page ---------------------------------------------------------------------------------------------------


def _table(rows: list[tuple[str, dict[str, dict[str, Any]]]]) -> str:
    head = ["model", "environments", "ours", "bits", "graphillion", "SCRAM", "bits / ours", "ours / SCRAM"]
    body = []
    for name, found in rows:
        times = [found[way].get("time") for way in ("ours", "bits", "graphillion", "scram")]
        count = found["ours"].get("count", "")
        cells = ["-" if t is None or math.isinf(t) else seconds(t) for t in times]
        body.append(
            [name, f"{int(count):,}" if count else "-", *cells, _over(times[1], times[0]), _over(times[0], times[3])]
        )
    return table(head, body)


def _over(one: float | None, other: float | None) -> str:
    return "-" if not one or not other or math.isinf(one) or math.isinf(other) else ratio(one, other)


def _means(rows: list[tuple[str, dict[str, dict[str, Any]]]]) -> str:
    said = []
    for way, name in (("bits", "bits"), ("graphillion", "graphillion"), ("scram", "SCRAM's algorithm")):
        pairs = [(f["ours"].get("time"), f[way].get("time")) for _, f in rows]
        logs = [math.log(a / b) for a, b in pairs if a and b and not math.isinf(a)]
        if logs:
            said.append(f"{math.exp(sum(logs) / len(logs)):.2f} of {name} on {len(logs)} models")
    done = sum(1 for _, f in rows if f["ours"].get("count"))
    return f"Ours finished {done} of {len(rows)}. Geometric mean of our time: " + "; ".join(said) + "."


_NOTE = __doc__.partition("\n\n")[2].partition("\n\n")[2].strip()

if __name__ == "__main__":
    main()
