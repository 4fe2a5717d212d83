"""The questions that the command answers, through its JSON: the worked example, the cases, the shapes."""

import json
from pathlib import Path

import pytest

from tests.cli_call import BILLING, Tms, fresh

SHARED = Path(__file__).parents[1].parent / "shared"
CASES = SHARED / "cases" / "cases.json"

# Section 9 of the semantics: change -> status of c1, d2, d1, d1/mysql, q1.
WORKED = {
    "": ("in", "active", "active", "ruled-out", "resolved"),
    "dispute c1": ("disputed", "active", "active", "ruled-out", "resolved"),
    "dispute c2": ("in", "active", "active", "reopened", "resolved"),
    "dispute c1, dispute c3": ("disputed", "active", "unsupported", "ruled-out", "open"),
    "revoke d2": ("in", "revoked", "blocked", "ruled-out", "open"),
    "dispute c1, dispute c3, accept c1": ("in", "active", "active", "ruled-out", "resolved"),
}
NODES = ("c1", "d2", "d1", "d1/mysql", "q1")


@pytest.fixture(scope="module")
def billing(tmp_path_factory) -> Tms:
    return fresh(tmp_path_factory.mktemp("billing"), BILLING)


@pytest.mark.parametrize("change", WORKED)
def test_the_worked_example_cell_by_cell(billing, change):
    found = billing.status("--assuming", change)
    assert tuple(found[name] for name in NODES) == WORKED[change]


@pytest.mark.parametrize("change", ["dispute c1", "dispute c2", "dispute c1 c3 accept c1"])
def test_a_lost_support_set_degrades_the_decision_of_the_example(billing, change):
    assert billing.flags("d1", "--assuming", change) == ["degraded"]
    assert billing.flags("d1") == []


@pytest.mark.parametrize("change", [c for c in WORKED if c])
def test_impact_lists_every_node_whose_status_differs(billing, change):
    before, after = billing.status(), billing.status("--assuming", change)
    found = billing("impact", *change.replace(",", "").split(), "--json").json
    assert {c["id"]: (c["before"], c["after"]) for c in found["changed"]} == {
        name: (before[name], after[name]) for name in before if before[name] != after[name]
    }


@pytest.mark.parametrize("change", [c for c in WORKED if c])
def test_assessing_for_good_says_what_the_impact_said(tmp_path, change):
    call = fresh(tmp_path, BILLING)
    for verb, name in (pair.split() for pair in change.split(", ")):
        foretold = call("impact", verb, name, "--json").json["changed"]
        assert call(verb, name, "--json").json["changed"] == foretold
    assert tuple(call.status()[name] for name in NODES) == WORKED[change]


def cases() -> list[dict]:
    if not CASES.exists():
        return []
    every = json.loads(CASES.read_text("utf-8"))
    return [c for c in every if not any(r["kind"] == "nogood" or r.get("contradicts") for r in c["records"])]


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not beside the checkout")
@pytest.mark.parametrize("case", cases(), ids=lambda c: c["id"])
def test_every_case_without_a_nogood_is_answered_right(tmp_path, case):
    call = fresh(tmp_path, "".join(json.dumps(record) + "\n" for record in case["records"]))
    now = call.status()
    for expected in case["expect"]:
        words = [word for change in expected["change"] for word in change]
        assert expected["status"].items() <= call.status("--assuming", " ".join(words)).items()
        if words:
            changed = call("impact", *words, "--json").json["changed"]
            after = now | {c["id"]: c["after"] for c in changed}
            assert expected["status"].items() <= after.items()


@pytest.mark.skipif(not SHARED.exists(), reason="the data is not beside the checkout")
def test_a_docket_ledger_is_read_as_it_is_and_imported_without_loss(tmp_path):
    docket = SHARED / "data" / "docket-ledger.jsonl"
    there, here = Tms(docket), fresh(tmp_path)
    assert here("import", "docket", str(docket), "--json").json["records"] == 165
    again = here("import", "docket", str(docket), "--json").json
    assert (again["format"], again["records"], again["already"]) == ("tms.import/1", 0, 165)
    theirs, ours = there("status", "--json").json, here("status", "--json").json
    assert theirs == ours
    words = sorted(node["status"] for node in ours["nodes"] if node["kind"] == "decision")
    assert (words.count("active"), words.count("retired"), words.count("unsupported")) == (76, 27, 1)
    fell = {c["id"] for c in here("impact", "dispute", "c10", "--json").json["changed"]}
    assert " ".join(sorted(fell)) == "c10 c136 c138 c20 d137 d140 d141 d142 d143 d144 d17 d45 d94 d95 q139 q15"
    for point in ("2026-09-06", "2026-09-20"):
        assert there.status("--as-of", point) == here.status("--as-of", point)
    assert here("verify").out.startswith("intact")
    assert "never written" in there("accept", "c10", ends=4).err


# -- the shapes of the answers ---------------------------------------------------------------------------------------


def test_the_shape_of_a_status(billing):
    found = billing("status", "d1", "--assuming", "revoke d2", "--json").json
    assert found == {
        "format": "tms.status/1",
        "assuming": [["revoke", "d2"]],
        "nodes": [
            {
                "id": "d1",
                "kind": "decision",
                "state": "adopted",
                "status": "blocked",
                "flags": [],
                "blockers": [
                    {"prerequisite": "d2", "root": "d2", "reason": "revoked", "chain": ["d1", "d2"], "omitted": 0}
                ],
                "text": "billing uses Postgres",
            }
        ],
    }


def test_the_shape_of_an_impact(billing):
    found = billing("impact", "dispute", "c1", "c3", "--json").json
    assert found["format"] == "tms.impact/1"
    assert found["change"] == [["dispute", "c1"], ["dispute", "c3"]]
    assert found["changed"][-1] == {
        "id": "q1",
        "kind": "question",
        "before": "resolved",
        "after": "open",
        "depth": 2,
        "cause": ["c1", "d1", "q1"],
    }
    assert (found["fell"], found["rose"], found["reopened"]) == (["c1", "c3", "d1"], [], ["q1"])
    survived = billing("impact", "dispute", "c1", "--json").json["survived"]
    assert survived == [{"id": "d1", "kind": "decision", "status": "active", "by": ["c3"], "degraded": True}]


def test_an_answer_is_one_compact_document_and_the_same_each_time(billing):
    first = billing("status", "--json").out
    assert first == json.dumps(json.loads(first), separators=(",", ":"), ensure_ascii=False) + "\n"
    assert first == billing("status", "--json").out
    assert [node["id"] for node in json.loads(first)["nodes"]] == sorted(billing.status())


def test_every_reading_command_names_its_format(billing):
    billing_line = billing("log", "--json").json["lines"][0]["hash"]
    asked = {
        "tms.status/1": ["status"],
        "tms.show/1": ["show", "d1"],
        "tms.list/1": ["list"],
        "tms.log/1": ["log"],
        "tms.why/1": ["why", "d1"],
        "tms.impact/1": ["impact", "dispute", "c1"],
        "tms.changed/1": ["changed", billing_line],
        "tms.check/1": ["check"],
        "tms.verify/1": ["verify"],
    }
    for name, words in asked.items():
        assert billing(*words, "--json").json["format"] == name


def test_why_says_the_first_cause_and_what_is_missing(billing):
    found = billing("why", "q1", "--assuming", "dispute c1, dispute c3", "--json").json
    assert (found["id"], found["status"]["status"], found["cause"]) == ("q1", "open", "disputed")
    assert found["first_cause"][0] == "q1"
    assert found["first_cause"][-1] == "c1"
    assert found["missing"] == ["c1", "c3"]
    text = billing("why", "d1").out
    assert text.startswith('d1 "billing uses Postgres" is active')


def test_what_if_writes_nothing(billing):
    before = billing.ledger.read_bytes(), billing.ledger.stat().st_mtime_ns
    billing("impact", "dispute", "c1", "c3")
    billing("status", "--assuming", "revoke d2")
    assert (billing.ledger.read_bytes(), billing.ledger.stat().st_mtime_ns) == before


# -- time ------------------------------------------------------------------------------------------------------------


def test_as_of_a_mark_a_hash_and_a_time_answers_as_the_ledger_was(tmp_path):
    call = fresh(tmp_path, BILLING)
    call("mark", "v1", "as released")
    marked = call("log", "--json").json["lines"][0]
    call("dispute", "c1", "c3")
    assert call.status("d1") == {"d1": "unsupported"}
    for point in ("v1", marked["hash"], marked["hash"][:8]):
        assert call.status("d1", "--as-of", point) == {"d1": "active"}
    assert call.status("--as-of", "2020-01-01") == {}
    assert call("status", "--as-of", "v1", "--json").json["as_of"] == "v1"
    assert "no line, mark or time" in call("status", "--as-of", "v9", ends=2).err


def test_changed_names_the_lines_that_caused_a_difference(tmp_path):
    call = fresh(tmp_path, BILLING)
    call("mark", "v1")
    lines = call("dispute", "c1", "c3", "--json").json["lines"]
    call("mark", "v2")
    found = {d["id"]: d for d in call("changed", "v1", "v2", "--json").json["changed"]}
    assert {name: (d["before"], d["after"]) for name, d in found.items()} == {
        "c1": ("in", "disputed"),
        "c3": ("in", "disputed"),
        "d1": ("active", "unsupported"),
        "q1": ("resolved", "open"),
    }
    assert found["c1"]["lines"] == [lines[0]["hash"]]
    assert found["d1"]["lines"] == []
    assert call("changed", "v2").out == "No status differs between v2 and now.\n"
    assert "what it rests on" in call("changed", "v1").out
