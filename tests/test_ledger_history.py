"""Who saw whom: heads, as of, and the four words of verify."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tms.errors import UsageError
from tms.ledger.format import seal
from tms.ledger.history import ancestors, as_of, heads, verify, voided
from tms.ledger.wire import stamp
from tms.ledger.writer import Writer
from tms.model import Claim, Line, Mark, Void

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(minutes: int) -> str:
    return stamp(START + timedelta(minutes=minutes))


def made(record, prev: list[Line], minutes: int = 0) -> Line:
    return seal(record, prev=[line.hash for line in prev], time=at(minutes))[0]


A = made(Claim(id="a"), [], 1)
B = made(Claim(id="b"), [A], 2)
LEFT = made(Mark(name="left"), [B], 3)
C = made(Claim(id="c"), [A], 4)
EARLY = made(Claim(id="early"), [C], 0)  # its clock was behind
JOIN = made(Claim(id="join"), [LEFT, EARLY], 5)
ALL = [A, B, LEFT, C, EARLY, JOIN]


def test_heads_are_the_lines_that_no_other_refers_to():
    assert heads([A, B, C]) == tuple(sorted((B.hash, C.hash)))
    assert heads(ALL) == (JOIN.hash,)
    assert heads([]) == ()


def test_ancestors_follow_prev_as_far_as_it_goes():
    assert ancestors(ALL, [LEFT.hash]) == {A.hash, B.hash, LEFT.hash}
    assert ancestors([B], [B.hash]) == {B.hash}


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (C.hash, [A, C]),
        (C.hash[:6], [A, C]),
        ("left", [A, B, LEFT]),
        (JOIN.hash, ALL),
        (at(2), [A, B]),
        (at(3), [A, B, LEFT]),
        (at(4), [A, B, LEFT, C, EARLY]),
        ("2026-01-01", ALL),
        ("2025-12-31", []),
        ("2026-01-01T01:02:00+01:00", [A, B]),
        ("2026-01-01T00:02:00Z", [A, B]),
    ],
)
def test_as_of_a_line_a_mark_a_day_or_a_time(point, expected):
    for seed in range(5):
        lines = random.Random(seed).sample(ALL, len(ALL))
        assert as_of(lines, point) == tuple(line for line in lines if line in expected)


@pytest.mark.parametrize(
    "point", ["", "nobody", "abcde", "f" * 64, "2026-13-01", "2026-01-01T00:00", "9999-99-99", "12"]
)
def test_a_point_that_is_none_is_a_usage_error(point):
    with pytest.raises(UsageError, match="no line, mark or time"):
        as_of(ALL, point)


def test_an_ambiguous_beginning_of_a_hash_is_an_error():
    twins: dict[str, Line] = {}
    for number in count():
        line = made(Claim(id=f"t{number}"), [])
        twin = twins.setdefault(line.hash[:3], line)
        if twin is not line:
            break
    with pytest.raises(UsageError):
        as_of([twin, line], line.hash[:3])
    assert as_of([twin, line], line.hash[:12]) == (line,)


def test_a_mark_made_again_means_the_later_one_and_on_two_branches_is_ambiguous():
    again = made(Mark(name="left", text="again"), [JOIN], 6)
    assert len(as_of([*ALL, again], "left")) == 7
    other = made(Mark(name="left"), [C], 6)
    with pytest.raises(UsageError, match="several branches"):
        as_of([*ALL, other], "left")


def test_a_mark_that_was_made_void_does_not_count():
    again = made(Mark(name="left", text="again"), [JOIN], 6)
    void = made(Void(target=again.hash), [again], 7)
    assert as_of([*ALL, again, void], "left") == (A, B, LEFT)


def test_a_void_that_is_void_voids_nothing():
    one = made(Void(target=A.hash), [A])
    two = made(Void(target=one.hash), [one])
    three = made(Void(target=two.hash), [two])
    assert voided([A, one]) == {A.hash}
    assert voided([A, one, two]) == {one.hash}
    assert voided([three, two, one, A]) == {two.hash, A.hash}


@st.composite
def histories(draw: st.DrawFn) -> list[Line]:
    lines: list[Line] = []
    for number in range(draw(st.integers(1, 8))):
        prev = draw(st.lists(st.sampled_from(lines), max_size=2, unique_by=lambda line: line.hash)) if lines else []
        lines.append(made(Claim(id=f"c{number}"), prev, draw(st.integers(0, 9))))
    return lines


@given(histories(), st.integers(0, 9))
def test_as_of_a_time_is_closed_under_ancestors_and_leaves_out_nothing_else(lines, minute):
    kept = as_of(lines, at(minute))
    by_hash = {line.hash: line for line in lines}
    for line in lines:
        past = [by_hash[hash_] for hash_ in ancestors(lines, [line.hash])]
        assert (line in kept) == all(other.time <= at(minute) for other in past)


# ---- verify


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"".join(raw_of(line) for line in ALL))
    return path


def raw_of(line: Line) -> bytes:
    return seal(line.record, prev=line.prev, time=line.time)[1]


def word(path, head: str | None = None) -> str:
    return verify(str(path), head).word


def test_a_whole_ledger_is_intact(ledger):
    verdict = verify(str(ledger), JOIN.hash)
    assert (verdict.word, verdict.findings, verdict.heads, verdict.lines) == ("intact", (), (JOIN.hash,), 6)


def test_two_branches_are_a_fork_and_the_next_line_joins_them(ledger):
    ledger.write_bytes(b"".join(map(raw_of, [A, B, C])))
    assert word(ledger) == "fork"
    assert [finding.severity for finding in verify(str(ledger)).findings] == ["note"]
    Writer.open(str(ledger)).append([Claim(id="next")])
    assert word(ledger) == "intact"


def test_a_cherry_pick_is_an_incomplete_history_not_damage(ledger):
    ledger.write_bytes(raw_of(A) + raw_of(EARLY))
    assert word(ledger) == "incomplete history"
    assert [finding.kind for finding in verify(str(ledger)).findings][:1] == ["missing-prev"]


def test_a_pinned_head_finds_removal_and_truncation(ledger):
    ledger.write_bytes(b"".join(map(raw_of, ALL[:-1])))
    assert word(ledger) == "fork"
    assert word(ledger, JOIN.hash) == "incomplete history"
    assert word(ledger, JOIN.hash[:12]) == "incomplete history"
    assert word(ledger, EARLY.hash) == "fork"
    ledger.write_bytes(b"".join(map(raw_of, [A, LEFT, C, EARLY, JOIN])))
    assert word(ledger, JOIN.hash) == "incomplete history"
    with pytest.raises(UsageError, match="no hash"):
        verify(str(ledger), "HEAD")


def test_lines_out_of_order_are_a_note(ledger):
    ledger.write_bytes(b"".join(map(raw_of, reversed(ALL))))
    verdict = verify(str(ledger))
    assert verdict.word == "intact"
    assert {(finding.kind, finding.severity) for finding in verdict.findings} == {("out-of-order", "note")}


@settings(max_examples=300)
@given(st.data())
def test_any_flipped_bit_is_found_with_its_line(tmp_path_factory, data):
    whole = b"".join(map(raw_of, ALL))
    at_byte, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    flipped = bytearray(whole)
    flipped[at_byte] ^= 1 << bit
    path = tmp_path_factory.getbasetemp() / "flipped.jsonl"
    path.write_bytes(flipped)
    verdict = verify(str(path), JOIN.hash)
    line = whole.count(b"\n", 0, at_byte) + 1
    assert verdict.word == "damaged"
    assert (str(path), line) in {place for finding in verdict.findings for place in finding.lines}


@pytest.mark.parametrize("bit", range(8))
def test_a_bit_flipped_in_the_last_newline_is_damage_not_a_torn_write(ledger, bit):
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1 << bit]))
    verdict = verify(str(ledger), JOIN.hash)
    assert verdict.word == "damaged"
    assert (str(ledger), 6) in {place for finding in verdict.findings for place in finding.lines}


def test_a_crlf_checkout_verifies(ledger):
    ledger.write_bytes(ledger.read_bytes().replace(b"\n", b"\r\n"))
    assert word(ledger, JOIN.hash) == "intact"


def test_verify_lists_every_fault_with_its_line(ledger):
    lines = ledger.read_bytes().split(b"\n")
    lines[1], lines[3] = b"<<<<<<< ours", lines[3].replace(b'"c"', b'"x"')
    ledger.write_bytes(b"\n".join(lines))
    verdict = verify(str(ledger))
    assert verdict.word == "damaged"
    assert [(f.kind, f.lines[0][1]) for f in verdict.findings if f.kind in ("conflict", "hash")] == [
        ("conflict", 2),
        ("hash", 4),
    ]
