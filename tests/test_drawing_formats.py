"""Every format in the hands of a real consumer, with texts and ids that try to steer it."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET

import networkx
import pytest

from tests.browser import Visit, browser, mermaid_script
from tests.nasty import IDS, TEXTS, nasty
from tms import Claim, Graph
from tms.drawing import mermaid as mermaid_format
from tms.drawing.dot import dot
from tms.drawing.formats import TEXTS as FORMATS
from tms.drawing.formats import written
from tms.drawing.model import drawing
from tms.drawing.render import render
from tms.drawing.table import tables
from tms.drawing.words import paragraphs
from tms.errors import UsageError
from tms.plain import safe

GRAPH = nasty()
DRAWING = drawing(GRAPH)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


def flat(text: str) -> str:
    return "".join(safe(text).split())


def test_graphviz_reads_every_text_as_itself_and_finds_just_the_nodes_and_arrows_that_were_written():
    root = ET.fromstring(render(dot(DRAWING), "svg"))
    kinds = [group.get("class") for group in root.iter(f"{SVG}g")]
    assert kinds.count("node") == len(DRAWING.nodes)
    assert kinds.count("edge") == len(DRAWING.edges)
    shown = {flat("".join(text.itertext())) for text in root.iter(f"{SVG}text")}
    words = flat("".join("".join(text.itertext()) for text in root.iter(f"{SVG}text")))
    for name in IDS:
        assert flat(f"⊘ claim {name}: disputed") in shown, name
    for node in DRAWING.nodes:
        assert all(flat(text) in words for text in paragraphs(node)), node.id
    assert not list(root.iter(f"{SVG}script"))
    assert not [a for a in root.iter(f"{SVG}a") if a.get("{http://www.w3.org/1999/xlink}href")]


def test_a_picture_in_a_browser_runs_no_script_and_complains_of_nothing(chromium, tmp_path):
    page = tmp_path / "nasty.svg"
    page.write_bytes(render(dot(DRAWING), "svg"))
    visit = Visit(chromium).open(page)
    assert not visit.steered
    assert visit.said == []
    assert visit.page.evaluate("document.querySelectorAll('g.node').length") == len(DRAWING.nodes)


def test_mermaid_itself_reads_every_text_as_itself(chromium, monkeypatch):
    monkeypatch.setattr(mermaid_format, "MAX_TEXT", 10**7)
    script = mermaid_script()
    visit = Visit(chromium)
    visit.page.set_content("<!doctype html><div id=out></div>")
    visit.page.add_script_tag(content=script)
    labels = visit.page.evaluate(
        """async text => {
            mermaid.initialize({startOnLoad: false, securityLevel: "loose", maxTextSize: 1e7})
            document.getElementById("out").innerHTML = (await mermaid.render("m1", text)).svg
            return [...document.querySelectorAll("g.node .nodeLabel")].map(node => node.innerText)
        }""",
        mermaid_format.mermaid(DRAWING),
    )
    shown = {flat(label).replace("\u200b", "") for label in labels}
    assert {flat("".join(paragraphs(node))) for node in DRAWING.nodes} <= shown
    assert len(labels) == len(DRAWING.nodes) + 1  # the legend
    assert not visit.steered
    assert visit.said == []


def test_mermaid_above_the_limits_of_where_it_is_shown_is_refused_with_a_way_out():
    claims = [
        Claim(id=f"c{n}", text="[:] " * 40, state="accepted", supports=(("c0",),) if n else ()) for n in range(190)
    ]
    with pytest.raises(UsageError, match="50000 characters") as caught:
        mermaid_format.mermaid(drawing(Graph.empty().extend(claims), focus=["c0"], down=1))
    found = caught.value
    assert "--focus c0 --up 1 --down 1" in found.hint
    claims = [Claim(id=f"c{n}", supports=tuple((f"c{m}",) for m in range(n))) for n in range(40)]
    with pytest.raises(UsageError, match=r"500 arrows; this drawing has \d+ and 780"):
        mermaid_format.mermaid(drawing(Graph.empty().extend(claims)))


@pytest.mark.parametrize("form", ["graphml", "gexf"])
def test_networkx_reads_back_every_node_arrow_and_text(form, tmp_path):
    path = tmp_path / f"nasty.{form}"
    path.write_bytes(written(DRAWING, form))
    found = (
        networkx.read_graphml(path, force_multigraph=True)
        if form == "graphml"
        else networkx.read_gexf(path, version="1.2draft")
    )
    by_id = {node.id: node for node in DRAWING.nodes}
    assert {safe(name) for name in by_id} == set(found.nodes)
    for name, node in by_id.items():
        assert found.nodes[safe(name)]["status"] == node.status
        assert flat(found.nodes[safe(name)]["text"]) == flat(node.text)
    assert sorted((s, t, d["relation"], d["met"]) for s, t, d in found.edges(data=True)) == sorted(
        (safe(e.source), safe(e.target), e.kind, e.met) for e in DRAWING.edges
    )


def test_json_gives_back_every_text_as_recorded_and_ends_no_script_element():
    raw = written(DRAWING, "json").decode()
    found = json.loads(raw)
    assert {n["id"]: n["text"] for n in found["nodes"]} == {n.id: n.text for n in DRAWING.nodes}
    assert not re.search("[<>\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", raw)


def test_no_cell_is_a_formula_and_every_text_comes_back():
    nodes, edges = (list(csv.DictReader(io.StringIO(text))) for text in tables(DRAWING))
    cells = [value for row in (*nodes, *edges) for value in row.values()]
    assert not [value for value in cells if value.lstrip().startswith(("=", "+", "-", "@"))]
    told = {row["id"].removeprefix("'"): row["text"].removeprefix("'") for row in nodes}
    assert told == {safe(n.id): safe(n.text) for n in DRAWING.nodes}
    assert len(edges) == len(DRAWING.edges)


@pytest.mark.parametrize("form", [*FORMATS, "svg"])
def test_no_format_holds_a_byte_that_a_terminal_would_act_on(form):
    raw = written(DRAWING, form).decode() if form != "mermaid" else ""
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", raw)


def test_every_text_is_in_the_drawing_whole():
    assert {node.text for node in DRAWING.nodes} >= set(TEXTS.values())
