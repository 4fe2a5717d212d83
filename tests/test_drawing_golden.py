"""Golden drawings: DOT, Mermaid and JSON as they are, so that a change of any of them is seen in review.

    python -m tests.test_drawing_golden      # writes them anew; look at the difference

No place of a box is compared: that depends on Graphviz' version and on the fonts that are there.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

from benchmarks.generate import synthetic
from tms import Claim, Graph
from tms.drawing.formats import written
from tms.drawing.model import drawing
from tms.drawing.parts import Drawing
from tms.ledger.history import as_of
from tms.ledger.intake import parse_records
from tms.ledger.reader import read

ROOT = Path(__file__).parents[1]
GOLDEN = Path(__file__).parent / "golden" / "drawing"
FORMS = {"dot": "gv", "mermaid": "mmd", "json": "json"}
# Points of the project's own ledger, so that it may go on growing.
EARLIER, LATER = "a3e00c9c3148", "4bb833c1d565"


@cache
def own(point: str) -> Graph:
    return Graph.replay(as_of(read(str(ROOT / ".tms" / "ledger.jsonl")).lines, point))


@cache
def example(name: str) -> Graph:
    path = ROOT / "examples" / name / "records.jsonl"
    return Graph.empty().extend(parse_records(path.read_bytes(), name))


@cache
def fault_tree() -> Graph:
    """100 gates over 60 events, each an AND or an OR of what stands below it."""
    rng = Random(1)
    claims = [Claim(id=f"e{n:02}", text=f"event {n}", state="unassessed") for n in range(60)]
    below = [claim.id for claim in claims]
    for n in range(100):
        members = sorted(rng.sample(below[-50:], rng.choice((2, 3))))
        both = rng.random() < 0.5
        sets = (tuple(members),) if both else tuple((m,) for m in members)
        claims.append(Claim(id=f"g{n:03}", text="AND" if both else "OR", state="derived", supports=sets))
        below.append(claims[-1].id)
    return Graph.empty().extend(claims)


@cache
def large() -> Graph:
    return Graph.empty().extend(synthetic(10_000))


def typing_peps() -> Drawing:
    peps = example("peps")
    return drawing(
        peps, only=[name for name in peps.ids() if "typing" in peps.node(name).scope], title="PEPs on typing"
    )


DRAWINGS: dict[str, Callable[[], Drawing]] = {
    "own": lambda: drawing(own(LATER), title="our own ledger"),
    "own-d-network": lambda: drawing(own(LATER), focus=["d-network"], title="our own ledger"),
    "own-difference": lambda: drawing(own(LATER), versus=own(EARLIER), title="our own ledger", since="the first batch"),
    "own-what-if": lambda: drawing(
        own(LATER).assuming([("dispute", "c-horn")]), versus=own(LATER), title="our own ledger"
    ),
    "billing": lambda: drawing(example("billing"), title="billing"),
    "peps-typing": typing_peps,
    "fault-tree": lambda: drawing(fault_tree(), title="a fault tree of 100 gates"),
    "large": lambda: drawing(large(), title="10,000 records"),
}


# The pictures in docs/.
WITHOUT = [("dispute", "c1"), ("dispute", "c3")]
PICTURES: dict[str, Callable[[], Drawing]] = {
    "billing": lambda: drawing(example("billing"), title="Which database for billing?"),
    "billing-what-if": lambda: drawing(
        example("billing").assuming(WITHOUT), versus=example("billing"), title="Without c1 and c3"
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", DRAWINGS)
def test_a_drawing_is_as_it_was(name, form):
    assert written(DRAWINGS[name](), form).decode() == golden(name, form).read_text("utf-8")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_on_the_pages_says_what_it_would_say_now(name):
    kept = (ROOT / "docs" / f"{name}.svg").read_bytes()
    assert said(kept) == said(written(PICTURES[name](), "svg"))


def said(svg: bytes) -> list[str]:
    return sorted("".join(text.itertext()) for text in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))


def golden(name: str, form: str) -> Path:
    return GOLDEN / f"{name}.{FORMS[form]}"


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, make in DRAWINGS.items():
        for form in FORMS:
            golden(name, form).write_bytes(written(make(), form))
    for name, make in PICTURES.items():
        (ROOT / "docs" / f"{name}.svg").write_bytes(written(make(), "svg"))
