"""The review page in a real browser: what it shows, what a click answers, and that no text of a record steers it."""

import json
import re
from pathlib import Path

import pytest

from tests.browser import Visit, browser, npm
from tests.cli_call import BILLING, Tms, fresh
from tests.nasty import TEXTS, nasty
from tms import Claim, Graph
from tms.drawing import whatif
from tms.drawing.model import drawing
from tms.drawing.page import page
from tms.drawing.whatif import details
from tms.plain import safe


@pytest.fixture(scope="module")
def chromium():
    with browser() as started:
        yield started


@pytest.fixture
def call(tmp_path: Path) -> Tms:
    return fresh(tmp_path, BILLING)


@pytest.fixture
def visit(chromium, call, tmp_path):
    path = tmp_path / "review.html"
    call("export", "--output", str(path))
    found = Visit(chromium, offline=True).open(path)
    yield found
    assert found.said == []
    found.context.close()


def data(text: str):
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def marked(visit, name: str) -> set[str]:
    script = "name => drawing.nodes.filter((n, i) => drawn[i].classList.contains(name)).map(n => n.id)"
    return set(visit.page.evaluate(script, name))


def test_for_every_judged_node_the_page_holds_what_impact_says(call):
    found = data(call("export", "--format", "html").out)
    held = [d["whatif"] for d in found["details"] if d["whatif"]]
    assert [w["change"] for w in held] == [
        ["dispute", "c1"],
        ["dispute", "c2"],
        ["dispute", "c3"],
        ["revoke", "d1"],
        ["revoke", "d2"],
    ]
    for whatif_ in held:
        said = call("impact", *whatif_["change"], "--json").json
        assert (whatif_["changed"], whatif_["survived"]) == (said["changed"], said["survived"])
    why = call("why", "d1").out.strip()
    assert found["details"][[n["id"] for n in found["drawing"]["nodes"]].index("d1")]["why"] == why


def test_a_click_on_a_node_tells_why_and_what_would_fall(visit):
    page = visit.page
    page.locator("g.node", has_text="decision d2").click()
    assert page.inner_text("#details h2") == "decision d2"
    assert 'd2 "migrations run on deploy" is active' in page.inner_text("#details pre")
    page.click("#asking")
    assert "3 would change, 0 would survive" in page.inner_text("#answer")
    assert [item.split(" by ")[0] for item in page.locator("#answer li").all_inner_texts()] == [
        "d2 active → revoked",
        "d1 active → blocked",
        "q1 resolved → open",
    ]
    assert marked(visit, "differs") == {"d2", "d1", "q1"}
    assert {"c1", "c2", "c3", "d1/mysql"} <= marked(visit, "faint")
    assert set(page.locator("text.becomes").all_text_contents()) == {"→ blocked", "→ revoked", "→ open"}
    page.keyboard.press("Escape")
    assert marked(visit, "differs") == marked(visit, "faint") == set()


def test_what_survives_is_told_with_the_set_that_holds_it(visit):
    visit.page.locator("g.node", has_text="claim c1").click()
    visit.page.keyboard.press("w")
    assert "d1 stays active by {c3}, degraded" in visit.page.inner_text("#answer")


def test_search_filters_and_focus_by_keyboard_alone(visit):
    page = visit.page
    page.keyboard.press("/")
    page.keyboard.type("runs postgres")
    assert page.locator("#list button").all_inner_texts()[0].startswith("c2: in")
    assert page.inner_text("#count") == "1 of 7 nodes drawn"
    page.keyboard.press("Enter")
    assert page.inner_text("#details h2") == "claim c2"
    page.locator("#picture").focus()
    page.keyboard.press("f")
    assert marked(visit, "faint") == {"c1", "c3", "d2"}
    page.keyboard.press("Escape")
    page.select_option("#status", "active")
    assert page.locator("#list button").count() == 2
    page.locator("#list button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.inner_text("#details h2") == "decision d2"


def test_the_picture_zooms_moves_fits_and_turns_dark(visit):
    page = visit.page
    at = "JSON.stringify(view)"
    start = page.evaluate(at)
    page.keyboard.press("+")
    assert page.evaluate(at) != start
    page.keyboard.press("0")
    assert page.evaluate(at) == start
    box = page.locator("#picture").bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] - 40)
    page.mouse.down()
    page.mouse.move(box["x"] + 140, box["y"] + box["height"] - 90, steps=5)
    page.mouse.up()
    assert page.evaluate(at) != start
    dark = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(dark)
    page.keyboard.press("t")
    assert page.evaluate(dark) != light


def test_a_node_is_reached_and_named_without_a_mouse(visit):
    node = visit.page.locator('g.node[aria-label^="claim c1: in."]')
    assert node.get_attribute("role") == "button"
    node.focus()
    visit.page.keyboard.press("Enter")
    assert visit.page.inner_text("#details h2") == "claim c1"


def test_no_text_of_a_record_steers_the_page(chromium, tmp_path):
    graph = nasty()
    path = tmp_path / "nasty.html"
    path.write_text(page(graph, drawing(graph, title="</title><script>window.steered=1</script>")), "utf-8")
    visit = Visit(chromium).open(path)
    texts = list(TEXTS.values())
    for number, text in enumerate(texts):
        visit.page.evaluate("id => choose(place.get(id), true)", f"t{number}")
        shown = visit.page.evaluate("document.querySelectorAll('#details > p')[1].textContent")
        assert shown == text
    for name in ("a::b", "__proto__", "constructor", "<b>", "x\\", '"'):
        visit.page.evaluate("id => { choose(place.get(id), true); suppose() }", name)
        assert visit.page.inner_text("#details h2") == f"claim {safe(name)}"
    assert not visit.steered
    assert visit.said == []
    assert visit.page.locator("img, iframe, object, embed, link").count() == 0


def test_the_policy_of_the_page_stops_any_other_script(chromium, tmp_path):
    path = tmp_path / "page.html"
    graph = Graph.empty().apply(Claim(id="c1", state="accepted"))
    text = page(graph, drawing(graph)).replace("</body>", "<script>window.steered=1</script></body>")
    path.write_text(text, "utf-8")
    visit = Visit(chromium).open(path)
    assert not visit.steered
    assert any("Content Security Policy" in said for said in visit.said)


def test_what_is_not_worked_out_for_a_page_is_said(monkeypatch):
    claims = [Claim(id=f"c{n}", state="accepted", supports=((f"c{n - 1}",),) if n else ()) for n in range(30)]
    graph = Graph.empty().extend(claims)
    monkeypatch.setattr(whatif, "MOST", 10)
    monkeypatch.setattr(whatif, "WORK", 100)
    found = details(graph, drawing(graph))
    first = found[0].whatif
    assert first is not None
    assert (len(first.changed), first.left_out) == (10, 20)
    assert [d.whatif is None for d in found][-1]
    monkeypatch.setattr(whatif, "WORK", 10**6)
    last = next(d for d, c in zip(details(graph, drawing(graph)), drawing(graph).nodes, strict=True) if c.id == "c29")
    assert last.why.endswith("... and 20 more lines: tms why c29")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_check_of_accessibility_finds_nothing(chromium, call, tmp_path, scheme):
    path = tmp_path / "review.html"
    call("export", "--output", str(path))
    visit = Visit(chromium, offline=True, color_scheme=scheme, bypass_csp=True).open(path)
    visit.page.evaluate(npm("axe-core", "4", "axe.min.js"))
    for _ in range(2):  # as it opens, and with a node chosen
        found = visit.page.evaluate("axe.run()")
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found["violations"]] == []
        assert len(found["passes"]) > 10
        visit.page.locator("g.node").first.focus()
        visit.page.keyboard.press("Enter")
    visit.context.close()
