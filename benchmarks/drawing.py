"""How long a drawing takes and how large it gets, from 10 nodes to 10,000.

Run as `python -m benchmarks.drawing [--write]`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

from benchmarks.generate import synthetic
from benchmarks.page import machine, put_section, seconds, table
from tms.drawing.dot import dot
from tms.drawing.mermaid import mermaid
from tms.drawing.model import drawing
from tms.drawing.page import page
from tms.drawing.parts import Drawing
from tms.drawing.render import render
from tms.errors import UsageError
from tms.graph import Graph

T = TypeVar("T")
SIZES = (10, 100, 1_000, 10_000)
WHOLE = 1_000  # up to here Graphviz is also given everything
PATIENCE = 60.0


def timed(call: Callable[[], T]) -> tuple[T, float]:
    start = perf_counter()
    return call(), perf_counter() - start


def graph_of(size: int) -> Graph:
    graph = Graph.empty().extend(synthetic(size))
    graph.statuses()  # worked out before: only the drawing is measured
    return graph


def kilobytes(text: str | bytes) -> str:
    return f"{len(text) / 1000:,.0f} kB"


def row(graph: Graph, size: int, *, whole: bool) -> list[str]:
    found, making = timed(lambda: drawing(graph, only=graph.ids() if whole else None))
    text, writing = timed(lambda: dot(found))
    cells = [f"{size:,}", "all" if whole else "what fits", f"{len(found.nodes):,}", f"{len(found.edges):,}"]
    return [*cells, seconds(making), seconds(writing), kilobytes(text), *picture(text), mermaid_size(found)]


def picture(text: str) -> list[str]:
    try:
        svg, took = timed(lambda: render(text, "svg", patience=PATIENCE))
    except UsageError:
        return [f"more than {PATIENCE:g} s", "-"]
    return [seconds(took), kilobytes(svg)]


def mermaid_size(found: Drawing) -> str:
    try:
        return kilobytes(mermaid(found))
    except UsageError:
        return "refused"


def review_row(graph: Graph, size: int) -> list[str]:
    found = drawing(graph)
    text, took = timed(lambda: page(graph, found))
    return [f"{size:,}", f"{len(found.nodes):,}", seconds(took), kilobytes(text)]


def run() -> str:
    """Both tables, as Markdown."""
    graphs = {size: graph_of(size) for size in SIZES}
    rows = [row(graph, size, whole=False) for size, graph in graphs.items()]
    rows += [row(graphs[size], size, whole=True) for size in SIZES if 200 < size <= WHOLE]
    head = ["records", "drawn", "nodes", "arrows", "drawing", "DOT", "size", "SVG", "size", "Mermaid"]
    pages = [review_row(graph, size) for size, graph in graphs.items()]
    return "\n\n".join([
        "## Diagrams",
        f"Measured on {machine()}; one run. Above about 200 nodes a drawing has a focus; nodes count junctions.",
        table(head, rows),
        "The review page, with its picture, every derivation and every what-if:",
        table(["records", "nodes", "page", "size"], pages),
    ])  # fmt: skip


def main() -> None:
    """Print the tables, and write them where asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.drawing", description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the tables into docs/benchmarks.md")
    given = parser.parse_args()
    text = run()
    print(text)
    if given.write:
        put_section("drawing", text)


if __name__ == "__main__":
    main()
