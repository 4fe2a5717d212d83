"""Appending: on disk when it returns, all of a batch or nothing, never glued to what a crash left."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tms.errors import LedgerBusy, LedgerError, NotWritable, RecordError
from tms.ledger import disk, lock, wire
from tms.ledger.history import verify
from tms.ledger.reader import read
from tms.ledger.writer import Writer, append
from tms.model import Claim


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch):
    """A torn line is read again after a pause; hundreds of them are cut here."""
    monkeypatch.setattr("tms.ledger.reader._PAUSE", 0)


@pytest.fixture
def path(tmp_path) -> str:
    return str(tmp_path / "ledger.jsonl")


def ids(path: str) -> list[str]:
    return [line.record.id for line in read(path).lines]  # type: ignore[union-attr]


def claims(*names: str) -> list[Claim]:
    return [Claim(id=name, text="grün €😀") for name in names]


def asides(path: str) -> list[Path]:
    return sorted(Path(path).parent.glob("*.torn-*"))


def test_an_append_is_read_back_with_its_envelope(path):
    writer = Writer.open(path, author="ann", session="s", branch="main", clock=lambda: datetime(2026, 1, 2, tzinfo=UTC))
    (line,) = writer.append(claims("c1"))
    assert read(path).lines == (line,)
    assert (line.author, line.session, line.branch, line.prev) == ("ann", "s", "main", ())
    assert (line.time, line.path, line.number, line.batch) == ("2026-01-02T00:00:00.000Z", path, 1, None)


def test_each_append_refers_to_the_heads_and_each_line_of_a_batch_to_the_one_before(path):
    writer = Writer.open(path)
    (one,) = writer.append(claims("c1"))
    two, three, four = writer.append(claims("c2", "c3", "c4"))
    (five,) = writer.append(claims("c5"))
    assert [line.prev for line in (two, three, four, five)] == [(one.hash,), (two.hash,), (three.hash,), (four.hash,)]
    places = [(line.batch.at, line.batch.of) for line in (two, three, four) if line.batch]
    assert places == [(1, 3), (2, 3), (3, 3)]
    assert len({line.batch.id for line in (two, three, four) if line.batch}) == 1
    assert read(path).lines == (one, two, three, four, five)


def test_no_records_write_nothing(path):
    assert append(path, []) == ()
    assert not Path(path).exists()


def test_a_batch_with_a_bad_record_writes_nothing(path):
    append(path, claims("c1"))
    before = Path(path).read_bytes()
    with pytest.raises(RecordError):
        append(path, [*claims("c2"), Claim(id="a b")])
    assert Path(path).read_bytes() == before


def test_too_large_a_batch_is_refused(path, monkeypatch):
    monkeypatch.setattr(wire, "MAX_BATCH", 2)
    with pytest.raises(RecordError, match="at most 2"):
        append(path, claims("c1", "c2", "c3"))


def test_a_writer_takes_in_what_others_appended_and_refers_to_it(path):
    mine, other = Writer.open(path), Writer.open(path)
    theirs = other.append(claims("c1", "c2"))
    (line,) = mine.append(claims("c3"))
    assert line.prev == (theirs[-1].hash,)
    assert mine.catch_up() == theirs
    assert mine.catch_up() == ()
    assert other.catch_up() == (line,)
    assert line.number == 3


def test_two_branches_are_joined_by_the_next_line(path):
    append(path, claims("c1"))
    base = Path(path).read_bytes()
    append(path, claims("left"))
    left = Path(path).read_bytes()
    Path(path).write_bytes(base)
    append(path, claims("right"))
    right = Path(path).read_bytes()
    Path(path).write_bytes(left + right[len(base) :])
    assert verify(path).word == "fork"
    (line,) = append(path, claims("join"))
    assert len(line.prev) == 2
    assert list(line.prev) == sorted(line.prev)
    assert verify(path).word == "intact"


def test_an_append_reads_only_what_is_new(path, monkeypatch):
    writer = Writer.open(path)
    writer.append(claims(*(f"c{number}" for number in range(100))))
    real, checked = wire.fast_line, []

    def counting(raw: bytes, *place: Any) -> Any:
        checked.append(raw)
        return real(raw, *place)

    monkeypatch.setattr(wire, "fast_line", counting)
    writer.append(claims("last"))
    assert len(checked) == 1  # its own line, as it is sealed


# ---- torn tails


def test_cut_at_any_byte_what_was_there_is_read_and_the_next_append_is_not_glued_to_the_rest(path):
    append(path, claims("c1"))
    first = Path(path).read_bytes()
    append(path, claims("c2"))
    whole = Path(path).read_bytes()
    for size in range(len(first), len(whole)):
        Path(path).write_bytes(whole[:size])
        append(path, claims("c3"))
        complete = size == len(whole) - 1
        assert ids(path) == (["c1", "c2", "c3"] if complete else ["c1", "c3"])
        assert verify(path).word == "intact"
        kept = b"".join(aside.read_bytes() for aside in asides(path))
        assert kept == (b"" if complete else whole[len(first) : size])
        for aside in asides(path):
            aside.unlink()


def test_a_batch_cut_at_any_byte_counts_not_at_all(path):
    append(path, claims("c1"))
    first = Path(path).read_bytes()
    append(path, claims("b1", "b2", "b3"))
    whole = Path(path).read_bytes()
    for size in range(len(first), len(whole) - 1, 7):
        Path(path).write_bytes(whole[:size])
        assert ids(path) == ["c1"]
        append(path, claims("c2"))
        assert ids(path) == ["c1", "c2"]
        assert {finding.kind for finding in read(path).findings} <= {"incomplete-batch"}


def test_a_batch_that_is_completed_later_counts_then(path):
    append(path, claims("b1", "b2"))
    one, two = Path(path).read_bytes().splitlines(keepends=True)
    Path(path).write_bytes(one)
    writer = Writer.open(path)
    assert not writer.heads
    with Path(path).open("ab") as file:
        file.write(two)
    assert [line.record.id for line in writer.catch_up()] == ["b1", "b2"]  # type: ignore[union-attr]
    assert writer.heads == {read(path).lines[1].hash}


def test_a_part_of_a_batch_takes_no_head_away(path):
    writer = Writer.open(path)
    (one,) = writer.append(claims("c1"))
    append(path, claims("b1", "b2"))
    lines = Path(path).read_bytes().splitlines(keepends=True)
    os.truncate(path, len(lines[0] + lines[1]))
    assert writer.catch_up() == ()
    (two,) = writer.append(claims("c2"))
    assert two.prev == (one.hash,)
    assert Writer.open(path).heads == {two.hash}


def test_a_whole_last_line_without_newline_gets_it_first(path):
    (one,) = append(path, claims("c1"))
    Path(path).write_bytes(Path(path).read_bytes()[:-1])
    writer = Writer.open(path)
    (two,) = writer.append(claims("c2"))
    assert (two.prev, two.number) == ((one.hash,), 2)
    assert writer.catch_up() == ()
    assert read(path).lines == (one, two)


def test_a_repair_that_was_itself_killed_is_done_again(path, monkeypatch):
    append(path, claims("c1"))
    with Path(path).open("ab") as file:
        file.write(b'{"author":"gr\xc3')

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "ftruncate", killed)
    with pytest.raises(KeyboardInterrupt):
        append(path, claims("c2"))
    monkeypatch.undo()
    assert Path(path).read_bytes().endswith(b"\xc3")
    append(path, claims("c2"))
    assert ids(path) == ["c1", "c2"]
    assert [aside.read_bytes() for aside in asides(path)] == [b'{"author":"gr\xc3']


def test_a_torn_tail_is_not_written_through_a_link(path, tmp_path):
    append(path, claims("c1"))
    torn = b'{"author'
    with Path(path).open("ab") as file:
        file.write(torn)
    victim = tmp_path / "victim"
    Path(f"{path}.torn-{hashlib.sha256(torn).hexdigest()[:12]}").symlink_to(victim)
    with pytest.raises(NotWritable):
        append(path, claims("c2"))
    assert not victim.exists()


# ---- failing disks


@pytest.mark.parametrize("failing", ["write", "fsync"])
def test_a_failed_write_raises_and_leaves_nothing(path, monkeypatch, failing):
    writer = Writer.open(path)
    writer.append(claims("c1"))
    before = Path(path).read_bytes()
    calls = []

    def fail(fd: int, data: bytes = b"") -> int:
        calls.append(data)
        if failing == "write" and len(calls) == 1:
            return real_write(fd, data[:30])  # a short write, then none
        raise OSError(errno.ENOSPC, "No space left on device")

    real_write = os.write
    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(NotWritable, match="No space left on device; nothing was recorded"):
        writer.append(claims("c2", "c3"))
    monkeypatch.undo()
    assert Path(path).read_bytes() == before
    writer.append(claims("c4"))
    assert ids(path) == ["c1", "c4"]


def test_short_writes_are_continued(path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: real(fd, data[:7]))
    append(path, claims("c1", "c2"))
    assert ids(path) == ["c1", "c2"]


def test_a_write_that_cannot_even_be_taken_back_is_a_torn_tail_for_the_next(path, monkeypatch):
    append(path, claims("c1"))
    real, calls = os.write, []

    def fail(fd: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) > 1:
            raise OSError(errno.EIO, "Input/output error")
        return real(fd, data[:30])

    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "write", fail)
    monkeypatch.setattr(os, "ftruncate", broken)
    with pytest.raises(NotWritable):
        append(path, claims("c2"))
    monkeypatch.undo()
    assert ids(path) == ["c1"]
    append(path, claims("c3"))
    assert ids(path) == ["c1", "c3"]
    assert len(asides(path)) == 1


def test_the_name_of_a_new_ledger_is_synced_too(path, monkeypatch):
    synced: list[str] = []
    monkeypatch.setattr(disk, "sync_folder", synced.append)
    append(path, claims("c1"))
    append(path, claims("c2"))
    assert len(synced) == 1


def test_no_folder_no_write(tmp_path):
    with pytest.raises(NotWritable):
        append(str(tmp_path / "none" / "ledger.jsonl"), claims("c1"))
    (tmp_path / "file").write_text("")
    with pytest.raises(NotWritable):
        append(str(tmp_path / "file" / "ledger.jsonl"), claims("c1"))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions bind no superuser")
def test_a_read_only_file_is_read_and_not_written(path):
    append(path, claims("c1"))
    Path(path).chmod(0o444)
    assert ids(path) == ["c1"]
    with pytest.raises(NotWritable):
        append(path, claims("c2"))


# ---- replaced files


def test_a_ledger_that_was_replaced_shortened_or_removed_must_be_opened_again(path, tmp_path):
    def replaced() -> None:
        (tmp_path / "new").write_bytes(Path(path).read_bytes())
        (tmp_path / "new").replace(path)

    def shortened() -> None:
        os.truncate(path, Path(path).stat().st_size - 10)

    def rewritten() -> None:
        Path(path).write_bytes(Path(other).read_bytes())

    other = str(tmp_path / "other.jsonl")
    append(other, claims("c1", "c2", "c3"))

    for change in (replaced, shortened, rewritten, lambda: Path(path).unlink()):
        Path(path).unlink(missing_ok=True)
        writer = Writer.open(path)
        writer.append(claims("c1", "c2"))
        change()
        for call in (writer.catch_up, lambda writer=writer: writer.append(claims("c3"))):
            with pytest.raises(NotWritable, match="not the file that was read") as caught:
                call()
            assert caught.value.code == "replaced"


def test_damage_by_others_stops_the_append(path):
    writer = Writer.open(path)
    writer.append(claims("c1"))
    with Path(path).open("ab") as file:
        file.write(b"<<<<<<< ours\n")
    with pytest.raises(LedgerError, match=r":2: a conflict marker"):
        writer.append(claims("c2"))


# ---- the lock


def test_a_held_lock_is_waited_for_and_then_given_up(path):
    with lock.locked(os.path.realpath(path), 1):
        began = time.monotonic()
        with pytest.raises(LedgerBusy, match=r"busy for 0\.05 s"):
            Writer.open(path, lock_timeout=0.05).append(claims("c1"))
        assert time.monotonic() - began >= 0.05
    assert not Path(path).exists()
    assert Path(path + lock.SUFFIX).exists()
    append(path, claims("c1"))
    assert Path(path + lock.SUFFIX).exists()


def test_one_lock_by_whatever_link_the_ledger_is_named(path, tmp_path):
    append(path, claims("c1"))
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    with lock.locked(os.path.realpath(path), 1), pytest.raises(LedgerBusy):
        Writer.open(str(link), lock_timeout=0).append(claims("c2"))
    append(str(link), claims("c2"))
    assert ids(path) == ["c1", "c2"]


def test_the_lock_is_held_over_several_calls_and_freed(path):
    writer = Writer.open(path)
    with writer.locked():
        writer.catch_up()
        writer.append(claims("c1"))
        with pytest.raises(LedgerBusy):
            Writer.open(path, lock_timeout=0).append(claims("c2"))
    append(path, claims("c2"))
