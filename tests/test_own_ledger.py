"""The project's own decisions, in its own ledger: read, checked, replayed, and asked what `make demo` asks."""

from __future__ import annotations

import re
from pathlib import Path

from tms.checks import check
from tms.consequences import impact
from tms.graph import Graph
from tms.ledger.history import verify
from tms.ledger.reader import read

ROOT = Path(__file__).parents[1]
LEDGER = str(ROOT / ".tms" / "ledger.jsonl")


def demo(name: str) -> list[str]:
    """A variable of the Makefile, in words."""
    found = re.search(rf"^{name} \?= (.*)$", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    return found[1].split() if found else []


def test_it_is_intact_and_nothing_in_it_needs_a_look() -> None:
    """Every line as it was written, one history, no finding; at least thirty records."""
    reading = read(LEDGER)
    graph = Graph.replay(reading.lines)
    assert verify(LEDGER).word == "intact"
    assert check(graph, reading) == ()
    assert len(reading.lines) >= 30


def test_what_stands_in_it_stands() -> None:
    """No decision is blocked or unsupported, no question open; each ruled-out alternative says on what it rests."""
    graph = Graph.replay(read(LEDGER).lines)
    words = {(s.kind, s.status) for s in graph.statuses()}
    assert words <= {
        ("claim", "in"),
        ("decision", "active"),
        ("decision", "retired"),
        ("question", "resolved"),
        ("hypothesis", "falsified"),
        ("alternative", "ruled-out"),
        ("alternative", "untested"),
    }
    ruled_out = [s.id for s in graph.statuses() if s.status == "ruled-out"]
    assert ruled_out
    assert all(graph.node(name).supports not in ((), ((),)) for name in ruled_out)


def test_the_demo_shows_what_it_is_there_to_show() -> None:
    """Something falls by consequence, something survives, a question and a dead end reopen."""
    graph = Graph.replay(read(LEDGER).lines)
    change = demo("DEMO_CHANGE")
    found = impact(graph, list(zip(change[::2], change[1::2], strict=True)))
    (asked,) = demo("DEMO_FELL")
    assert asked in {c.id for c in found.fell if c.depth}
    assert found.survived
    assert {c.kind for c in found.changed if c.id in found.reopened} >= {"question", "alternative"}
