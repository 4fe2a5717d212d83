"""Reading a whole ledger: what counts, what is left out, and what is an error."""

from __future__ import annotations

import gc
import random
from pathlib import Path
from typing import Any

import pytest
import rfc8785

from tms.errors import LedgerError, UsageError
from tms.ledger import wire
from tms.ledger.format import seal, with_hash
from tms.ledger.reader import read
from tms.ledger.writer import Writer
from tms.model import Batch, Claim

TIME = "2026-01-31T12:00:00.000Z"


def chain(count: int) -> list[bytes]:
    """Lines that follow each other, with text of more than one byte a character."""
    prev: tuple[str, ...] = ()
    made = []
    for number in range(1, count + 1):
        line, raw = seal(Claim(id=f"c{number}", text="grün €😀"), prev=prev, time=TIME)
        prev = (line.hash,)
        made.append(raw)
    return made


def batch(name: str, count: int, prev: tuple[str, ...] = ()) -> list[bytes]:
    made = []
    for at in range(1, count + 1):
        line, raw = seal(Claim(id=f"{name}{at}"), prev=prev, time=TIME, batch=Batch(id=name, at=at, of=count))
        prev = (line.hash,)
        made.append(raw)
    return made


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    """A torn line is read again after a pause; hundreds of them are cut here."""
    monkeypatch.setattr("tms.ledger.reader._PAUSE", 0)


@pytest.fixture
def ledger(tmp_path):
    """Write the bytes as a ledger; returns its path."""

    def write(*lines: bytes) -> str:
        path = tmp_path / "ledger.jsonl"
        path.write_bytes(b"".join(lines))
        return str(path)

    return write


def ids(reading) -> list[str]:
    return [line.record.id for line in reading.lines]


def kinds(reading) -> list[str]:
    return [finding.kind for finding in reading.findings]


def test_lines_come_in_file_order_with_their_place(ledger):
    path = ledger(*chain(3))
    reading = read(path)
    assert ids(reading) == ["c1", "c2", "c3"]
    assert [(line.path, line.number) for line in reading.lines] == [(path, 1), (path, 2), (path, 3)]
    assert reading.heads == (reading.lines[-1].hash,)
    assert not reading.findings
    assert not reading.partial


def test_an_empty_file_is_an_empty_ledger(ledger):
    assert read(ledger()).lines == ()


def test_a_missing_file_and_a_folder_are_typed_errors(tmp_path):
    with pytest.raises(UsageError, match="no such ledger"):
        read(str(tmp_path / "none.jsonl"))
    with pytest.raises(LedgerError, match="cannot be read"):
        read(str(tmp_path))


def test_a_torn_last_line_is_left_out_reported_and_kept(ledger):
    one, two = chain(2)
    for size in range(1, len(two) - 1):
        path = ledger(one, two[:size])
        reading = read(path)
        assert ids(reading) == ["c1"]
        assert kinds(reading) == ["torn-line"]
        assert reading.findings[0].lines == ((path, 2),)
        assert reading.torn == two[:size]
        assert Path(path).read_bytes() == one + two[:size]


def test_a_whole_last_line_without_newline_counts_once(ledger):
    one, two = chain(2)
    reading = read(ledger(one, two[:-1]))
    assert ids(reading) == ["c1", "c2"]
    assert not reading.findings


def test_a_whole_last_line_that_is_damaged_is_no_torn_line(ledger):
    one, two = chain(2)
    for damaged in (two[:-1].replace(b"c2", b"c3"), two[:-1] + b"\x0b", two[:-1] + b"J"):
        with pytest.raises(LedgerError, match=r"ledger.jsonl:2: "):
            read(ledger(one, damaged))


def test_a_bad_line_elsewhere_stops_the_reading_and_all_of_them_can_be_listed(ledger):
    lines = chain(4)
    path = ledger(lines[0], b"{}\n", lines[1], b"\n", lines[2][:-20] + b"\n", lines[3])
    with pytest.raises(LedgerError, match=r":2: not a line of a ledger"):
        read(path)
    reading = read(path, collect=True)
    assert [(fault.line, fault.code) for fault in reading.faults] == [(2, "envelope"), (4, "syntax"), (5, "syntax")]
    assert ids(reading) == ["c1", "c2", "c4"]


def test_an_over_long_line_is_an_error_and_what_follows_is_read(ledger):
    one, two = chain(2)
    path = ledger(one, b'{"v":1,"x":"' + b"x" * (3 * wire.MAX_LINE) + b'"}\n', two)
    reading = read(path, collect=True)
    assert [(fault.line, fault.code) for fault in reading.faults] == [(2, "line-length")]
    assert [line.number for line in reading.lines] == [1, 3]
    longest = ledger(one, b"x" * (wire.MAX_LINE + 1))
    assert [fault.code for fault in read(longest, collect=True).faults] == ["line-length"]


def test_the_longest_line_is_read(ledger):
    line, raw = seal(Claim(id="c1"), prev=(), time=TIME)
    line, raw = seal(Claim(id="c1", text="x" * (wire.MAX_LINE - len(raw) - 9)), prev=(), time=TIME)
    assert len(raw) == wire.MAX_LINE + 1
    for ending in (b"\n", b"\r\n", b""):
        assert read(ledger(raw[:-1] + ending)).lines[0].hash == line.hash


def test_a_checkout_with_crlf_is_read(ledger):
    lines = chain(3)
    path = ledger(*(raw[:-1] + b"\r\n" for raw in lines))
    assert read(path).heads == read(ledger(*lines)).heads
    with pytest.raises(LedgerError):
        read(ledger(lines[0][:-1] + b"\r\r\n"))


def test_a_byte_order_mark_is_refused(ledger):
    with pytest.raises(LedgerError, match="byte order mark"):
        read(ledger(b"\xef\xbb\xbf", *chain(1)))


def test_conflict_markers_are_named_as_such(ledger):
    one, two, three = chain(3)
    path = ledger(one, b"<<<<<<< HEAD\n", two, b"=======\n", three, b">>>>>>> branch\n")
    with pytest.raises(LedgerError, match=r":2: a conflict marker") as caught:
        read(path)
    assert caught.value.hint
    assert [fault.line for fault in read(path, collect=True).faults] == [2, 4, 6]


def test_the_same_line_twice_counts_once(ledger):
    one, two = chain(2)
    reading = read(ledger(one, two, one, two))
    assert ids(reading) == ["c1", "c2"]
    assert kinds(reading) == ["duplicate-line", "duplicate-line"]
    assert {finding.severity for finding in reading.findings} == {"note"}


def test_the_order_of_lines_means_nothing_but_a_note(ledger):
    lines = chain(6) + batch("b", 3)
    expected = read(ledger(*lines))
    for seed in range(20):
        shuffled = random.Random(seed).sample(lines, len(lines))
        reading = read(ledger(*shuffled))
        assert {line.hash for line in reading.lines} == {line.hash for line in expected.lines}
        assert reading.heads == expected.heads
        assert set(kinds(reading)) <= {"out-of-order"}


def test_a_batch_counts_only_when_all_of_it_is_there(ledger):
    (first,) = chain(1)
    whole = batch("b", 3)
    for missing in range(3):
        rest = whole[:missing] + whole[missing + 1 :]
        reading = read(ledger(first, *rest))
        assert ids(reading) == ["c1"]
        assert len(reading.pending) == 2
        assert "incomplete-batch" in kinds(reading)
        assert len(reading.heads) == 1
    assert ids(read(ledger(whole[2], first, whole[0], whole[1]))) == ["b3", "c1", "b1", "b2"]


def test_a_line_twice_does_not_complete_a_batch(ledger):
    one, two, _ = batch("b", 3)
    assert read(ledger(one, two, one)).lines == ()


def test_a_line_that_refers_to_one_not_here_is_reported(ledger):
    _, two = chain(2)
    reading = read(ledger(two))
    assert ids(reading) == ["c2"]
    assert kinds(reading) == ["missing-prev"]


def later(body: dict[str, Any], **envelope: Any) -> bytes:
    fields: dict[str, Any] = {"body": body, "hash": "0" * 64, "prev": [], "time": TIME, "v": 1, **envelope}
    return with_hash(rfc8785.dumps(fields)) + b"\n"


def test_kinds_fields_and_versions_unknown_here_are_read_past_and_reported(ledger):
    path = ledger(
        *chain(1),
        later({"kind": "vow", "id": "v1", "weight": 0.5}),
        later({"kind": "claim", "id": "c9", "weight": 0.5, "text": "so"}),
        later({"kind": "claim"}, v=2),
    )
    reading = read(path)
    assert ids(reading) == ["c1", "c9"]
    assert reading.partial
    assert kinds(reading) == ["unknown-kind", "unknown-field", "unknown-version"]
    assert len(reading.unread) == 2


def test_the_line_after_one_of_an_unknown_kind_is_not_out_of_history(ledger):
    unknown = later({"kind": "vow", "id": "v1"})
    hash_ = wire.hash_bytes(unknown[:-1])
    _, known = seal(Claim(id="c1"), prev=(hash_,), time=TIME)
    assert kinds(read(ledger(unknown, known))) == ["unknown-kind"]


def test_the_collector_is_on_again_after_a_reading_that_failed(ledger):
    with pytest.raises(LedgerError):
        read(ledger(b"{}\n"))
    assert gc.isenabled()


def test_a_ledger_larger_than_the_limit_is_an_error_never_a_silent_stop(ledger, monkeypatch):
    path = ledger(*chain(3))
    monkeypatch.setattr(wire, "MAX_LINES", 2)
    with pytest.raises(LedgerError, match="more than 2 lines"):
        read(path)


def test_what_looks_torn_because_it_is_being_written_is_read_again(ledger, monkeypatch):
    lines = chain(2)
    path = ledger(lines[0], lines[1][:50])
    monkeypatch.setattr("tms.ledger.reader.time.sleep", lambda _: Path(path).write_bytes(b"".join(lines)))
    assert ids(read(path)) == ["c1", "c2"]


def test_reading_takes_no_lock_and_writes_nothing(ledger, tmp_path):
    read(ledger(*chain(2)))
    assert [entry.name for entry in tmp_path.iterdir()] == ["ledger.jsonl"]


def test_a_writer_of_a_partial_reading_is_refused(ledger):
    with pytest.raises(Exception, match="does not know"):
        Writer.open(ledger(later({"kind": "vow", "id": "v1"})))
