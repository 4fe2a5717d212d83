"""`tms export`: formats, files, points in time, assumptions, and what cannot be asked."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli_call import BILLING, Tms, fresh


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tms:
    monkeypatch.chdir(tmp_path)
    return fresh(tmp_path, BILLING)


def drawn(call: Tms, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = call("export", "--format", "json", *words).json
    return found


def ids(found: dict[str, Any]) -> list[str]:
    return [node["id"] for node in found["nodes"] if node["kind"] not in ("and", "own")]


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("dot", "digraph "),
        ("svg", '<svg role="img"'),
        ("mermaid", "---\ntitle: "),
        ("graphml", "<graphml "),
        ("gexf", "<gexf "),
        ("json", '{"format":"tms.drawing/1"'),
    ],
)
def test_a_format_on_stdout_or_by_the_suffix_of_a_file(call, form, start):
    told = call("export", "--format", form).out
    assert told.startswith(start)
    suffix = {"dot": "gv", "mermaid": "mmd"}.get(form, form)
    assert call("export", "--output", f"x.{suffix}").out == f"wrote x.{suffix}\n"
    assert Path(f"x.{suffix}").read_text("utf-8") == told


def test_pictures_of_bytes(call):
    call("export", "--output", "x.png")
    call("export", "--output", "x.pdf")
    assert Path("x.png").read_bytes().startswith(b"\x89PNG")
    assert Path("x.pdf").read_bytes().startswith(b"%PDF")


def test_csv_makes_two_files_and_follows_no_link_that_was_not_named(call):
    assert call("export", "--output", "x.csv").out == "wrote x.nodes.csv and x.edges.csv\n"
    assert Path("x.nodes.csv").read_text("utf-8").splitlines()[1].startswith("c1,claim,in,accepted")
    assert len(Path("x.edges.csv").read_text("utf-8").splitlines()) == 9
    Path("y.edges.csv").symlink_to("elsewhere")
    assert "y.edges.csv" in call("export", "--output", "y.csv", ends=4).err
    assert not Path("elsewhere").exists()
    assert "two files" in call("export", "--format", "csv", ends=2).err


def test_focus_depth_only_fold_and_title(call):
    assert ids(drawn(call, "--focus", "c1", "--down", "1")) == ["c1", "d1"]
    assert ids(drawn(call, "--focus", "d1", "--up", "1")) == ["c1", "c2", "c3", "d1", "d2"]
    assert ids(drawn(call, "--only", "c1,q1", "--only", "d1")) == ["c1", "d1", "q1"]
    assert drawn(call, "--fold", "superseded", "--title", "Billing")["title"] == "Billing"


def test_what_was_left_out_is_said_beside_the_drawing_and_in_it(call):
    done = call("export", "--format", "json", "--only", "c1")
    assert done.err == "Only the nodes asked for; 6 of 7 nodes are left out.\n"
    assert done.json["note"] == done.err.strip()


def test_assumptions_are_in_the_subtitle_and_write_nothing(call):
    before = call.ledger.read_bytes()
    found = drawn(call, "--assuming", "dispute c1, dispute c3")
    assert found["subtitle"].endswith("assuming dispute c1, dispute c3")
    assert {n["id"]: n["status"] for n in found["nodes"]}["d1"] == "unsupported"
    assert call.ledger.read_bytes() == before


def test_a_what_if_against_now_is_the_impact(call):
    found = drawn(call, "--assuming", "dispute c1, dispute c3", "--impact")
    listed = call("impact", "dispute", "c1", "c3", "--json").json["changed"]
    nodes = {n["id"]: n for n in found["nodes"] if n["kind"] != "and"}
    differ = {
        name: (n["before"], n["status"]) for name, n in nodes.items() if n["change"] in ("changed", "consequence")
    }
    assert differ == {c["id"]: (c["before"], c["after"]) for c in listed}
    assert found["note"] == "0 added, 0 removed, 2 changed, 2 changed by consequence, 3 unchanged."


def test_a_difference_of_two_points_is_what_changed_says(call):
    call("mark", "v1")
    call("dispute", "c1")
    call("dispute", "c3")
    call("claim", "new", "--id", "c9")
    found = drawn(call, "--diff", "v1", "now")
    listed = call("changed", "v1", "--json").json["changed"]
    nodes = {n["id"]: n for n in found["nodes"] if n["kind"] != "and"}
    assert {name for name, n in nodes.items() if n["change"] != "context"} == {d["id"] for d in listed}
    assert {name for name, n in nodes.items() if n["change"] == "consequence"} == {
        d["id"] for d in listed if not d["lines"]
    }
    assert nodes["c9"]["change"] == "added"
    assert "compared with: as of v1" in found["subtitle"]
    assert [n["status"] for n in drawn(call, "--as-of", "v1")["nodes"] if n["id"] == "c1"] == ["in"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--focus", "nope"], "no node has the id 'nope'"),
        (["--up", "1"], "need a focus"),
        (["--only", "c1", "--focus", "c1"], "just these nodes"),
        (["--output", "x.bmp"], "no format goes by .bmp"),
        (["--impact"], "--impact needs --assuming"),
        (["--diff", "a", "b", "--as-of", "c"], "--diff names both points"),
        (["--diff", "nope", "now"], "nope"),
        (["--assuming", "dispute nope"], "no node has the id 'nope'"),
        (["--format", "bmp"], "bmp"),
    ],
)
def test_what_cannot_be_asked_exits_2_and_says_why(call, words, said):
    assert said in call("export", *words, ends=2).err


def test_without_graphviz_a_picture_is_refused_and_text_is_not(call, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "pip install 'tms-ledger[draw]'" in call("export", "--output", "x.svg", ends=2).err
    assert not Path("x.svg").exists()
    assert call("export").out.startswith("digraph ")


def test_where_nothing_can_be_written_it_exits_4(call):
    assert "no/such" in call("export", "--output", "no/such/x.dot", ends=4).err
    if os.geteuid():
        Path("x.dot").write_text("", "utf-8")
        Path("x.dot").chmod(0o400)
        assert "x.dot" in call("export", "--output", "x.dot", ends=4).err


def test_an_empty_ledger_is_an_empty_drawing(tmp_path):
    call = fresh(tmp_path)
    assert json.loads(call("export", "--format", "json").out)["nodes"] == []
    assert call("export", "--format", "svg").out.startswith("<svg")
