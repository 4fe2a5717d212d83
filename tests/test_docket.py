"""Docket ledgers are read as they are."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from tms.errors import LedgerError, NotWritable
from tms.graph import Graph
from tms.ledger.history import as_of, heads, verify
from tms.ledger.reader import read
from tms.ledger.writer import append
from tms.model import Alternative, Claim, Correct, Correction, Decision, Question, Review, Supersession

SAMPLE = Path(__file__).parents[1].parent / "shared" / "data" / "docket-ledger.jsonl"
sample = pytest.mark.skipif(not SAMPLE.exists(), reason="the sample is not beside this checkout")

COMMON = {
    "schema": 2,
    "ts": "2026-09-06T20:04:53+02:00",
    "author": "ann",
    "session": "s1",
    "branch": "main",
    "scope": [],
    "rationale": "",
    "supports": [],
    "depends_on": [],
    "answers": [],
    "supersedes": [],
    "evidence": [],
    "revisit": "",
    "cost_if_wrong": "",
    "pinned": False,
}
CLAIM = {**COMMON, "kind": "claim", "id": "c1", "text": "so", "state": "accepted", "evidence": [{"ref": "a.py:3"}]}
DECISION = {
    **COMMON,
    "kind": "decision",
    "id": "d2",
    "text": "we do",
    "state": "adopted",
    "choice": "this",
    "alternatives": ["this", "that", "neither"],
    "decided_by": "bob",
    "supports": [["c1"]],
    "depends_on": ["c1"],
}
QUESTION = {**COMMON, "kind": "question", "id": "q3", "text": "what?", "state": "resolved"}
LATER = {**DECISION, "id": "d4", "supersedes": ["d2"], "supersede_reason": "restate", "answers": ["q3"]}
LINE = {name: COMMON[name] for name in ("schema", "ts", "author", "session", "branch")}
CORRECTION = {
    **LINE,
    "kind": "correction",
    "id": "d4.1",
    "corrects": "d4",
    "fields": {"supersede_reason": "reverse", "rationale": "because", "evidence": [{"ref": "x", "commit": "4f2a"}]},
    "reason": "it was wrong",
}
AGAIN = {**CORRECTION, "id": "d4.2", "fields": {"text": "we did", "cost_if_wrong": "much"}}
REVIEW = {**LINE, "kind": "review", "id": "d4.r1", "reviews": "d4", "grounds": {"c1": "c1", "d2": "d4"}, "note": "fine"}
ALL = [CLAIM, DECISION, QUESTION, LATER, CORRECTION, AGAIN, REVIEW]


@pytest.fixture
def ledger(tmp_path):
    def write(*values: object) -> str:
        path = tmp_path / "docket.jsonl"
        path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
        return str(path)

    return write


def test_records_become_nodes_with_their_envelope(ledger):
    one, two, three, four = read(ledger(*ALL[:4])).lines
    assert (one.time, one.author, one.session, one.branch) == ("2026-09-06T18:04:53.000Z", "ann", "s1", "main")
    assert one.record == Claim(id="c1", text="so", state="accepted", evidence=("a.py:3",))
    assert two.record == Decision(
        id="d2",
        text="we do",
        choice="this",
        decided_by="bob",
        supports=(("c1",),),
        depends_on=("c1",),
        alternatives=(
            Alternative(key="a1", text="that", verdict="abandoned"),
            Alternative(key="a2", text="neither", verdict="abandoned"),
        ),
    )
    assert three.record == Question(id="q3", text="what?")
    assert four.record.supersedes == (Supersession(id="d2", reason="restate"),)  # type: ignore[union-attr]


def test_corrections_replace_the_record_or_the_correction_before(ledger):
    reading = read(ledger(*ALL))
    record, first, second = reading.lines[3:6]
    fields = Correction(
        rationale="because", evidence=("x (commit 4f2a)",), supersedes=(Supersession(id="d2", reason="reverse"),)
    )
    assert first.record == Correct(node="d4", fields=fields, reason="it was wrong", replaces=(record.hash,))
    assert second.record == Correct(
        node="d4", fields=Correction(text="we did"), reason="it was wrong", replaces=(first.hash,)
    )
    assert [(finding.kind, finding.lines[0][1]) for finding in reading.findings] == [("left-out", 6)]


def test_a_review_becomes_one_for_each_ground(ledger):
    path = ledger(*ALL)
    one, two = read(path).lines[6:]
    assert one.record == Review(citing="d4", cited="c1", head="c1", reason="fine")
    assert two.record == Review(citing="d4", cited="d2", head="d4", reason="fine")
    raw = Path(path).read_bytes().splitlines()[6]
    assert one.hash == hashlib.sha256(raw).hexdigest()
    assert two.hash == hashlib.sha256(raw + b"#2").hexdigest()


def test_schema_3_and_what_it_may_bring_are_read(ledger):
    newer = {
        **LATER,
        "schema": 3,
        "supersedes": [{"id": "d2", "reason": "reverse"}],
        "alternatives": [{"text": "that"}],
        "evidence": ["a.py", {"ref": "b.py", "note": "by hand"}],
        "mood": "good",
        "migrated_from": "d9",
    }
    reading = read(ledger(CLAIM, DECISION, newer))
    record = reading.lines[-1].record
    assert isinstance(record, Decision)
    assert record.supersedes == (Supersession(id="d2", reason="reverse"),)
    assert record.evidence == ("a.py", "b.py (by hand)")
    assert [option.text for option in record.alternatives] == ["that"]
    assert [finding.message for finding in reading.findings] == [
        "line 3: 'mood' of the decision d4 has no place here and is left out"
    ]
    assert not reading.partial


def test_the_order_of_the_file_serves_as_history(ledger):
    lines = read(ledger(*ALL)).lines
    assert heads(lines) == (lines[-1].hash,)
    assert as_of(lines, lines[2].hash) == lines[:3]
    assert verify(ledger(*ALL)).word == "intact"


@pytest.mark.parametrize(
    "value",
    [
        {**CLAIM, "schema": 1},
        {**CLAIM, "schema": 4},
        {**CLAIM, "kind": "vow"},
        {**CLAIM, "state": "so-so"},
        {**CLAIM, "supports": 5},
        {**CLAIM, "evidence": [{"note": "no ref"}]},
        {**CLAIM, "supersedes": 5},
        {**REVIEW, "grounds": None},
        {**CORRECTION, "corrects": "d99"},
        {**CORRECTION, "fields": []},
        [],
        5,
    ],
)
def test_a_line_out_of_form_is_an_error_with_its_line(ledger, value):
    path = ledger(CLAIM, DECISION, LATER, value, QUESTION)
    with pytest.raises(LedgerError, match=r"docket.jsonl:4: "):
        read(path)
    reading = read(path, collect=True)
    assert [fault.line for fault in reading.faults] == [4]
    assert len(reading.lines) == 4


def test_nothing_is_written_to_it(ledger):
    path = ledger(*ALL)
    before = Path(path).read_bytes()
    with pytest.raises(NotWritable, match="never written"):
        append(path, [Claim(id="c9")])
    assert Path(path).read_bytes() == before


@sample
def test_the_sample_is_read_whole_and_judged_by_our_rules():
    reading = read(str(SAMPLE))
    assert len(reading.lines) == 165
    assert {finding.kind for finding in reading.findings} == {"left-out"}
    counts = Counter((status.kind, status.status) for status in Graph.replay(reading.lines).statuses())
    assert {key: count for key, count in counts.items() if key[0] != "alternative"} == {
        ("decision", "active"): 76,
        ("decision", "unsupported"): 1,
        ("decision", "retired"): 27,
        ("claim", "in"): 29,
        ("claim", "unassessed"): 3,
        ("claim", "retired"): 6,
        ("question", "resolved"): 11,
        ("question", "open"): 1,
    }
