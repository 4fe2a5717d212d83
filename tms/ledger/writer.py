"""Appending to a ledger: under its lock, synced before the call returns, all of a batch or nothing.

    writer = Writer.open("ledger.jsonl", author="ann")
    with writer.locked():
        theirs = writer.catch_up()      # what others appended since
        ours = writer.append([record])  # on disk when this returns

An append costs the same however long the ledger is: the writer remembers size and heads, and reads only the bytes
behind that size.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from tms.errors import NotWritable, RecordError
from tms.ledger import disk, lock, wire
from tms.ledger.format import seal
from tms.ledger.reader import TAIL, Place, Reading, Scan, file_of, read, settle
from tms.model import Batch, Line, Record

LOCK_TIMEOUT = 10.0  # seconds


class Writer:
    """The writing end of a ledger, made from a reading of it. `author`, `session`, `branch` go into each line."""

    def __init__(
        self,
        reading: Reading,
        *,
        author: str = "",
        session: str = "",
        branch: str = "",
        lock_timeout: float = LOCK_TIMEOUT,
        clock: Callable[[], datetime] = wire.utc_now,
    ) -> None:
        _refuse(reading)
        self.path = reading.path
        self.author, self.session, self.branch = author, session, branch
        self.lock_timeout = lock_timeout
        self.clock = clock
        self.heads = frozenset(reading.heads)
        self._real = os.path.realpath(reading.path)  # one lock, by whatever link the ledger is named
        self._place = reading.place
        self._lines = reading.lines
        self._pending = list(reading.pending)
        self._own: list[Line] = []
        self._arrived: list[Line] = []
        self._known: set[str] | None = None
        self._referred: set[str] = set()
        self._torn = b""
        self._unended = b""  # a whole last line that lacks its newline
        self._holding = False

    @classmethod
    def open(cls, path: str, **options: Any) -> Writer:
        """A writer for the ledger at `path`, which is read; if there is none, the first append makes it."""
        path = os.fspath(path)
        return cls(read(path) if Path(path).exists() else Reading(path=path), **options)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the ledger's lock, also over several calls; `LedgerBusy` after `lock_timeout` seconds."""
        if self._holding:
            yield
            return
        with lock.locked(self._real, self.lock_timeout):
            self._holding = True
            try:
                yield
            finally:
                self._holding = False

    def catch_up(self) -> tuple[Line, ...]:
        """The lines that count now and did not at the last call, or at opening: what other processes appended.

        Raises `NotWritable` (code `replaced`) when the file is no longer the one that was read: open it again.
        """
        self._take_in()
        arrived, self._arrived = tuple(self._arrived), []
        return arrived

    def append(
        self,
        records: Sequence[Record],
        *,
        complete: Callable[[Record], Record] | None = None,
        sealed: Callable[[Line], None] | None = None,
        stamps: Sequence[Line] = (),
    ) -> tuple[Line, ...]:
        """Write the records, several as one batch; they are on disk when this returns, or it raises.

        `complete` may fill in what only the lines before a record can say (hashes that it replaces); `sealed` is told
        of each line made, before anything is written. `stamps`, one a record, are lines from elsewhere whose time,
        author, session and branch are kept: an import says who wrote it when, not who imported it.
        What others appended in the meantime is seen first (`prev` names it) and given by the next `catch_up`.
        """
        if not records:
            return ()
        if len(records) > wire.MAX_BATCH:
            raise RecordError(f"too many records; expected at most {wire.MAX_BATCH} at once", code="too-many")
        with self.locked():
            self._take_in()
            made = self._seal(records, complete, sealed, stamps)
            self._mend()
            data = (b"\n" if self._unended else b"") + b"".join(raw for _, raw in made)
            disk.append_bytes(self._real, data, self._place.end + len(self._unended))
            return self._written([line for line, _ in made], data)

    def _seal(
        self,
        records: Sequence[Record],
        complete: Callable[[Record], Record] | None,
        sealed: Callable[[Line], None] | None,
        stamps: Sequence[Line],
    ) -> list[tuple[Line, bytes]]:
        time = wire.stamp(self.clock())
        batch = self._batch_id(records, time) if len(records) > 1 else ""
        prev = sorted(self.heads)
        made = []
        for at, record in enumerate(records, 1):
            place = Batch(id=batch, at=at, of=len(records)) if batch else None
            own = stamps[at - 1] if stamps else self
            line, raw = seal(
                complete(record) if complete else record,
                prev=prev,
                time=(stamps[at - 1].time if stamps else "") or time,
                author=own.author,
                session=own.session,
                branch=own.branch,
                batch=place,
            )
            prev = [line.hash]
            made.append((line, raw))
            if sealed:
                sealed(line)
        return made

    def _batch_id(self, records: Sequence[Record], time: str) -> str:
        """From what the batch says and when: two batches are one only if they agree in every byte."""
        digest = hashlib.sha256("\0".join((time, self.author, self.session, self.branch, *sorted(self.heads))).encode())
        for record in records:
            digest.update(msgspec.json.encode(record, order="sorted"))
        return digest.hexdigest()[:16]

    def _mend(self) -> None:
        if self._torn:
            disk.set_aside(self._real, self._torn, self._place.end)
            self._torn = b""

    def _written(self, lines: list[Line], data: bytes) -> tuple[Line, ...]:
        start = self._place.count + bool(self._unended)
        made = tuple(
            msgspec.structs.replace(line, path=self.path, number=start + at) for at, line in enumerate(lines, 1)
        )
        self._place = Place(
            file=file_of(Path(self._real).stat()),
            end=self._place.end + len(self._unended) + len(data),
            count=start + len(lines),
            tail=data[-TAIL:],
        )
        self._unended = b""
        self.heads = frozenset((made[-1].hash,))
        if self._known is None:
            self._own.extend(made)
        else:
            self._known.update(line.hash for line in made)
            self._referred.update(hash_ for line in made for hash_ in line.prev)
        return made

    def _take_in(self) -> None:
        """Read what stands behind the place where this writer last was."""
        try:
            with Path(self._real).open("rb") as file:
                self._read_on(file)
        except FileNotFoundError:
            if self._place.file is not None:
                raise _replaced(self.path) from None
        except OSError as error:
            raise NotWritable(f"{self.path}: {error.strerror}", code="not-writable") from None

    def _read_on(self, file: BinaryIO) -> None:
        place = self._place
        if not place.fits(file):
            raise _replaced(self.path)
        file.seek(place.end)
        scan = Scan(self.path, collect=False, place=place)
        scan.scan(file)
        self._accept(scan, msgspec.structs.replace(scan.place(), file=file_of(os.fstat(file.fileno()))))

    def _accept(self, scan: Scan, place: Place) -> None:
        if scan.lines or scan.unread:
            _refuse(scan.reading())
            known = self._known_hashes()
            fresh = [line for line in scan.lines if line.hash not in known]
            known.update(line.hash for line in fresh)
            counted, self._pending = settle([*self._pending, *fresh])
            self._arrived.extend(counted)
            self._referred.update(hash_ for line in counted for hash_ in line.prev)
            self.heads = (self.heads | {line.hash for line in counted}) - self._referred
        self._place, self._torn, self._unended = place, scan.torn, scan.unended

    def _known_hashes(self) -> set[str]:
        """The hashes of all lines; gathered when others first append, which takes time in their number."""
        if self._known is None:
            self._known = {line.hash for line in (*self._lines, *self._pending, *self._own)}
            # What does not count refers to nothing: a part of a batch must not take the heads away.
            self._referred = {hash_ for line in (*self._lines, *self._own) for hash_ in line.prev}
            self._lines, self._own = (), []
        return self._known


def append(path: str, records: Sequence[Record], **options: Any) -> tuple[Line, ...]:
    """Open the ledger at `path`, append the records, and return their lines; options as for `Writer`."""
    return Writer.open(path, **options).append(records)


def _refuse(reading: Reading) -> None:
    """A ledger that was not read whole is not written to."""
    if reading.faults:
        raise reading.faults[0]
    if reading.docket:
        hint = "tms import makes a ledger of our own from it"
        raise NotWritable(f"{reading.path}: a Docket ledger is read, never written", code="docket", hint=hint)
    if reading.partial:
        hint = "a newer version of the program wrote it: use that"
        message = f"{reading.path}: holds records or fields that this program does not know; it is not written to"
        raise NotWritable(message, code="partial", hint=hint)


def _replaced(path: str) -> NotWritable:
    message = f"{path}: is not the file that was read: it was replaced, shortened or removed"
    return NotWritable(message, code="replaced", hint="open it again")
