"""How the review page of 2,000 records feels in a browser: opening it, and what each action takes until it is painted.

Run as `python -m benchmarks.review_page [--records 2000] [--write]`; needs Chromium, Graphviz and playwright.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.generate import synthetic
from benchmarks.page import machine, put_section, seconds, table
from tests.browser import Visit, browser
from tms.drawing.model import drawing
from tms.drawing.page import page
from tms.graph import Graph

ACTIONS = {
    "choose a node": "drawn[500].dispatchEvent(new MouseEvent('click', {bubbles: true}))",
    "show only its surroundings": "focus()",
    "suppose that it is lost": "suppose()",
    "search": "typed('search', 'c12')",
    "end the search": "typed('search', '')",
    "zoom": "zoom(1.25)",
    "fit": "fit()",
    "dark": "theme()",
    "next node by key": "step(1)",
}
TIMED = """action => new Promise(done => {
  window.typed = (id, value) => {
    const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event("input"));
  };
  const start = performance.now();
  (0, eval)(action);
  requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
})"""


def main() -> None:
    """Print the table; `--write` puts it into `docs/benchmarks.md`."""
    parser = argparse.ArgumentParser(prog="benchmarks.review_page", description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=2_000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = run(given.records)
    print(text)
    if given.write:
        put_section("review-page", text)


def run(records: int) -> str:
    """Measure one page; the table as Markdown."""
    graph = Graph.empty().extend(synthetic(records))
    graph.statuses()
    found = drawing(graph, only=graph.ids())
    start = perf_counter()
    text = page(graph, found)
    rows = [["make the page", seconds(perf_counter() - start)]]
    with tempfile.TemporaryDirectory() as folder, browser() as started:
        path = Path(folder) / "review.html"
        path.write_text(text, "utf-8")
        rows += visited(started, path)
    about = f"{records:,} records, {len(found.nodes):,} nodes and junctions, {len(text) / 1e6:.1f} MB"
    return f"## The review page in a browser\n\nMeasured on {machine()}: {about}.\n\n{table(['action', 'time'], rows)}"


def visited(started: Any, path: Path) -> list[list[str]]:
    """Each action, timed in the page itself."""
    start = perf_counter()
    visit = Visit(started, offline=True, bypass_csp=True).open(path)
    visit.page.wait_for_selector("g.node")
    rows = [["open it", seconds(perf_counter() - start)]]
    for name, action in ACTIONS.items():
        rows.append([name, seconds(visit.page.evaluate(TIMED, action) / 1000)])
    if visit.said:
        raise RuntimeError(f"the page complained: {visit.said}")
    return rows


if __name__ == "__main__":
    main()
