"""Reading a ledger: every line checked, what counts kept, what does not reported.

A bad line stops the reading (`LedgerError`), unless all faults are asked for (`collect=True`). A torn last line, an
incomplete batch and what a later version wrote are findings: they are left out, and reading goes on.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import BinaryIO

import msgspec

from tms.collector import paused
from tms.errors import Finding, LedgerError, UsageError
from tms.ledger import docket, strict, wire
from tms.model import Line

_AGAIN = 3  # readings of a file that another process is writing to
_PAUSE = 0.01  # seconds between them
TAIL = 256  # bytes by which a place in a file is recognised


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a reading came to: which file (device, inode), the offset behind the last newline, how many lines that is,
    and the last bytes before it."""

    file: tuple[int, int] | None = None
    end: int = 0
    count: int = 0
    tail: bytes = b""

    def fits(self, file: BinaryIO) -> bool:
        """Whether the file is still the one, with the same bytes before this place; a place in no file fits any."""
        if self.file is not None and self.file != file_of(os.fstat(file.fileno())):
            return False
        file.seek(self.end - len(self.tail))
        return file.read(len(self.tail)) == self.tail


START = Place()


def file_of(stat: os.stat_result) -> tuple[int, int]:
    """What tells a file from another of the same name."""
    return stat.st_dev, stat.st_ino


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What a ledger holds, in file order.

    `lines` count: distinct hashes, complete batches. `pending` are whole lines of incomplete batches. `partial` says
    that something of a later version was read past, which forbids writing. `place` is behind the last newline; `torn`
    are the bytes behind it that are no line.
    """

    path: str
    lines: tuple[Line, ...] = ()
    heads: tuple[str, ...] = ()
    pending: tuple[Line, ...] = ()
    unread: tuple[strict.Unread, ...] = ()
    faults: tuple[LedgerError, ...] = ()
    findings: tuple[Finding, ...] = ()
    partial: bool = False
    docket: bool = False
    place: Place = Place()
    torn: bytes = b""


def read(path: str, *, collect: bool = False) -> Reading:
    """Read the ledger at `path`.

    Raises `LedgerError` for the first bad line (with `collect`, faults are listed in the reading instead), and
    `UsageError` (code `no-ledger`) if there is no such file.
    """
    path = os.fspath(path)
    reading = _read(path, collect)
    for _ in range(_AGAIN):
        if not (reading.torn or reading.pending) or not _grows(path, reading):
            break
        reading = _read(path, collect)
    return reading


def _read(path: str, collect: bool) -> Reading:
    try:
        with Path(path).open("rb") as file, paused():
            if docket.looks_like(file.read(4096)):
                return _read_docket(path, collect)
            file.seek(0)
            scan = Scan(path, collect, Place(file=file_of(os.fstat(file.fileno()))))
            scan.scan(file)
            return scan.reading()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such ledger", code="no-ledger", hint="tms init makes one") from None
    except OSError as error:
        raise LedgerError(f"cannot be read: {error.strerror}", path=path, line=None, code="unreadable") from None


def _grows(path: str, reading: Reading) -> bool:
    """Whether what looks torn is another process' write that is still going on."""
    time.sleep(_PAUSE)
    return Path(path).stat().st_size > reading.place.end + len(reading.torn)


def _read_docket(path: str, collect: bool) -> Reading:
    lines, faults, findings = docket.read(path, collect=collect)
    heads = (lines[-1].hash,) if lines else ()
    return Reading(path=path, lines=lines, heads=heads, faults=faults, findings=findings, docket=True)


class Scan:
    """One pass over a file, from its beginning or from a place on."""

    def __init__(self, path: str, collect: bool, place: Place = START) -> None:
        self.path = path
        self.collect = collect
        self.start = place
        self.number = place.count
        self.end = place.end
        self.last = place.tail
        self.torn = b""
        self.unended = b""
        self.lines: list[Line] = []
        self.seen: dict[str, int] = {}  # hash -> line number, of every whole line
        self.later: list[tuple[str, int]] = []  # a prev not seen before its line: out of order, or not here
        self.heads: set[str] = set()
        self.unread: list[strict.Unread] = []
        self.faults: list[LedgerError] = []
        self.findings: list[Finding] = []

    def place(self) -> Place:
        """Where the pass came to."""
        count = self.number - bool(self.torn or self.unended)
        return Place(file=self.start.file, end=self.end, count=count, tail=self.last[-TAIL:])

    def reading(self) -> Reading:
        """What the pass found."""
        self._order()
        counted, pending = settle(self.lines)
        self.findings.extend(incomplete(self.path, pending))
        partial = any(finding.kind.startswith("unknown-") for finding in self.findings)
        # Taken one by one, heads are right only if every line counts and comes behind those that it refers to.
        heads = heads_of(counted) if pending or self.unread or self.later else self.heads
        return Reading(
            path=self.path,
            lines=tuple(counted),
            heads=tuple(sorted(heads)),
            pending=tuple(pending),
            unread=tuple(self.unread),
            faults=tuple(self.faults),
            findings=tuple(self.findings),
            partial=partial,
            place=self.place(),
            torn=self.torn,
        )

    def scan(self, file: BinaryIO) -> None:
        """Take every line of the file from where it stands."""
        path, fast, take, known = self.path, wire.fast_line, self._take, self.seen
        longest = wire.MAX_LINE + 3
        ended = self.last
        while raw := file.readline(longest):
            self.number += 1
            if raw[-1:] != b"\n":
                self._unended(raw, file)
                continue
            self.end += len(raw)
            ended = raw
            line = fast(raw[:-2] if raw[-2:] == b"\r\n" else raw[:-1], path, self.number, known)
            if line is None:
                self._slow(raw)
            else:
                take(line)
        self.last = ended
        if self.number > wire.MAX_LINES:
            self._fault("too-many", f"more than {wire.MAX_LINES} lines", self.number)

    def _take(self, line: Line) -> None:
        seen = self.seen
        if seen.setdefault(line.hash, line.number) != line.number:
            message = f"line {line.number} repeats line {seen[line.hash]}; it counts once"
            self._note("duplicate-line", message, line.number)
            return
        for hash_ in line.prev:
            if hash_ not in seen:
                self.later.append((hash_, line.number))
        self.heads.difference_update(line.prev)
        self.heads.add(line.hash)
        self.lines.append(line)

    def _slow(self, raw: bytes) -> None:
        bare = raw.removesuffix(b"\n").removesuffix(b"\r")
        try:
            line, findings = strict.slow_line(bare, self.path, self.number)
        except LedgerError as error:
            if not self.collect:
                raise
            self.faults.append(error)
            return
        self.findings.extend(findings)
        if isinstance(line, Line):
            self._take(line)
            return
        self.unread.append(line)
        self.seen.setdefault(line.hash, line.number)

    def _unended(self, raw: bytes, file: BinaryIO) -> None:
        """A chunk without a newline: over-long, or the last line, whole or torn."""
        if len(raw) > wire.MAX_LINE:
            self._over_long(raw, file)
        elif strict.is_torn(raw):
            self.torn = raw
            message = f"line {self.number} is torn: its write did not end; it is left out, and kept"
            self.findings.append(Finding(kind="torn-line", message=message, lines=((self.path, self.number),)))
        else:
            self.unended = raw
            self._slow(raw)

    def _over_long(self, raw: bytes, file: BinaryIO) -> None:
        self._fault("line-length", f"line too long; expected at most {wire.MAX_LINE} bytes", self.number)
        size = len(raw)
        while raw and not raw.endswith(b"\n"):
            raw = file.readline(wire.MAX_LINE)
            size += len(raw)
        self.end += size if raw else 0

    def _order(self) -> None:
        for hash_, number in self.later:
            if hash_ in self.seen:
                message = f"line {number} stands before line {self.seen[hash_]}, which it refers to"
                self._note("out-of-order", message, number)
            else:
                message = f"line {number} refers to the line {hash_[:12]}, which is not here"
                place = ((self.path, number),)
                self.findings.append(Finding(kind="missing-prev", message=message, lines=place))

    def _note(self, kind: str, message: str, number: int) -> None:
        place = ((self.path, number),)
        self.findings.append(Finding(kind=kind, message=message, lines=place, severity="note"))

    def _fault(self, code: str, message: str, number: int) -> None:
        error = LedgerError(message, path=self.path, line=number, code=code)
        if not self.collect:
            raise error
        self.faults.append(error)


def heads_of(lines: list[Line]) -> set[str]:
    """The hashes that no line refers to."""
    return {line.hash for line in lines}.difference(hash_ for line in lines for hash_ in line.prev)


def settle(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Part the lines: those that count, and those of batches that are not all there."""
    places: dict[tuple[str, int], set[int]] = {}
    for line in lines:
        if line.batch is not None:
            places.setdefault((line.batch.id, line.batch.of), set()).add(line.batch.at)
    lacking = {key for key, at in places.items() if len(at) != key[1]}
    if not lacking:
        return lines, []
    counted: list[Line] = []
    pending: list[Line] = []
    for line in lines:
        out = line.batch is not None and (line.batch.id, line.batch.of) in lacking
        (pending if out else counted).append(line)
    return counted, pending


def incomplete(path: str, pending: list[Line]) -> list[Finding]:
    """One finding for each batch that is not all there."""
    batches: dict[tuple[str, int], list[int]] = {}
    for line in pending:
        if line.batch is not None:
            batches.setdefault((line.batch.id, line.batch.of), []).append(line.number)
    return [
        Finding(
            kind="incomplete-batch",
            message=f"the batch {name} has {len(numbers)} of its {of} lines; none of them counts",
            lines=tuple((path, number) for number in numbers),
        )
        for (name, of), numbers in batches.items()
    ]
