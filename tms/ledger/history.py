"""The history of a ledger: each line names the heads that it saw (`prev`), like a commit does.

Which lines are ancestors of which is read off `prev` alone: the order of lines in a file means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import msgspec

from tms.errors import Finding, UsageError
from tms.ledger.reader import Reading, read
from tms.ledger.wire import stamp
from tms.model import Line, Mark, Void

_HEX = re.compile(r"[0-9a-f]{6,64}")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a ledger is whole, in one of four words: `intact`, `fork`, `incomplete history` or `damaged`."""

    word: str
    findings: tuple[Finding, ...]
    heads: tuple[str, ...]
    lines: int  # how many count


def heads(lines: Iterable[Line]) -> tuple[str, ...]:
    """The hashes of the lines that no other refers to, sorted. The next line names them as its `prev`."""
    hashes: set[str] = set()
    referred: set[str] = set()
    for line in lines:
        hashes.add(line.hash)
        referred.update(line.prev)
    return tuple(sorted(hashes - referred))


def ancestors(lines: Sequence[Line], hashes: Iterable[str]) -> frozenset[str]:
    """The hashes given, and all that they refer to, directly or not, as far as these are here."""
    prev = {line.hash: line.prev for line in lines}
    found: set[str] = set()
    todo = [hash_ for hash_ in hashes if hash_ in prev]
    while todo:
        hash_ = todo.pop()
        if hash_ not in found:
            found.add(hash_)
            todo.extend(other for other in prev[hash_] if other in prev)
    return frozenset(found)


def as_of(lines: Sequence[Line], point: str) -> tuple[Line, ...]:
    """The lines as they were at `point`, in their order.

    A point is the name of a mark, the hash of a line or an unambiguous beginning of it (6 hex digits or more), a date
    (the end of that day, UTC) or an RFC 3339 time. A line's past is the line and what it refers to. A time's past is
    every line not later than it, none of whose ancestors is later either. Raises `UsageError` for any other point.
    """
    anchors = _anchors(lines, point)
    if anchors is None:
        late = _late(lines, _moment(point))
        return tuple(line for line in lines if line.hash not in late)
    kept = ancestors(lines, anchors)
    return tuple(line for line in lines if line.hash in kept)


def _anchors(lines: Sequence[Line], point: str) -> tuple[str, ...] | None:
    """The lines that a name or a hash means; None if the point is a time."""
    named = {line.hash for line in lines if isinstance(line.record, Mark) and line.record.name == point}
    if named:
        return (_newest(lines, named, point),)
    if _HEX.fullmatch(point):
        found = sorted({line.hash for line in lines if line.hash.startswith(point)})
        if len(found) == 1:
            return (found[0],)
        if len(found) > 1:
            raise UsageError(f"{point!r} is the beginning of {len(found)} lines; give more of it", code="ambiguous")
    return None


def _newest(lines: Sequence[Line], named: set[str], name: str) -> str:
    """Of several marks of one name, the one that saw all others; marks that were made void don't count."""
    live = named - voided(lines) or named
    past = {hash_: ancestors(lines, [hash_]) for hash_ in live}
    newest = [hash_ for hash_ in sorted(live) if not any(hash_ in past[other] for other in live - {hash_})]
    if len(newest) > 1:
        which = ", ".join(hash_[:12] for hash_ in newest)
        raise UsageError(f"the mark {name!r} was made on several branches: {which}; give a hash", code="ambiguous")
    return newest[0]


def voided(lines: Iterable[Line]) -> set[str]:
    """The hashes of the lines that are void: some line that is not void voids them."""
    by: dict[str, list[str]] = {}
    for line in lines:
        if isinstance(line.record, Void) and line.record.field is None:
            by.setdefault(line.record.target, []).append(line.hash)
    void: dict[str, bool] = {}
    todo = list(by)
    while todo:
        target = todo[-1]
        waiting = [hash_ for hash_ in by.get(target, ()) if hash_ not in void]
        if target in void or not waiting:
            void[todo.pop()] = any(not void[hash_] for hash_ in by.get(target, ()))
        else:
            todo.extend(waiting)
    return {target for target, is_void in void.items() if is_void}


def _late(lines: Sequence[Line], moment: str) -> set[str]:
    """The lines later than the moment, and all that came after them."""
    after: dict[str, list[str]] = {}
    for line in lines:
        for hash_ in line.prev:
            after.setdefault(hash_, []).append(line.hash)
    todo = [line.hash for line in lines if line.time > moment]
    late: set[str] = set()
    while todo:
        hash_ = todo.pop()
        if hash_ not in late:
            late.add(hash_)
            todo.extend(after.get(hash_, ()))
    return late


def _moment(point: str) -> str:
    """The last time stamp that a date or a time includes.

    >>> _moment("2026-01-31")
    '2026-01-31T23:59:59.999Z'
    >>> _moment("2026-01-31T12:00:00+02:00")
    '2026-01-31T10:00:00.000Z'
    """
    try:
        if _DATE.fullmatch(point):
            return stamp(datetime.fromisoformat(point).replace(tzinfo=UTC) + timedelta(days=1, milliseconds=-1))
        moment = datetime.fromisoformat(point)
        if moment.tzinfo is None or len(point) < len("2026-01-31T00:00Z"):
            raise ValueError
    except (ValueError, OverflowError):
        raise UsageError(
            f"no line, mark or time is called {point!r}",
            code="unknown-point",
            hint="expected a mark, 6 or more digits of a line's hash, a date, or a time such as 2026-01-31T12:00:00Z",
        ) from None
    return stamp(moment)


def verify(path: str, head: str | None = None) -> Verdict:
    """Check every line of the ledger at `path` against its hash, and the lines against each other.

    `head` is the hash (or its beginning) of a line noted down earlier: it and all before it must be here, which finds
    lines removed or cut off at the end.
    """
    return verdict(read(path, collect=True), head)


def verdict(reading: Reading, head: str | None = None, archive: Sequence[Finding] = ()) -> Verdict:
    """The same of a file that was read with `collect`; `archive` are findings about what lies beside it."""
    findings = [
        Finding(kind=fault.code, message=fault.message, lines=((fault.path, fault.line),) if fault.line else ())
        for fault in reading.faults
    ]
    findings.extend((*reading.findings, *archive))
    if head and not _is_here(reading, head):
        message = f"the line {head[:12]} is not here; it was the head when it was noted down"
        findings.append(Finding(kind="pinned-head", message=message))
    if len(reading.heads) > 1:
        findings.append(_fork(reading))
    word = _word(reading, {finding.kind for finding in findings})
    return Verdict(word=word, findings=tuple(findings), heads=reading.heads, lines=len(reading.lines))


def _word(reading: Reading, kinds: set[str]) -> str:
    if reading.faults or "archive" in kinds:
        return "damaged"
    if kinds & {"missing-prev", "incomplete-batch", "pinned-head"}:
        return "incomplete history"
    return "fork" if "branches" in kinds else "intact"


def _is_here(reading: Reading, head: str) -> bool:
    if not _HEX.fullmatch(head):
        raise UsageError(f"{head!r} is no hash; expected 6 to 64 hex digits", code="unknown-point")
    every = [line.hash for line in (*reading.lines, *reading.pending)] + [line.hash for line in reading.unread]
    return any(hash_.startswith(head) for hash_ in every)


def _fork(reading: Reading) -> Finding:
    ends = [(line.path, line.number) for line in reading.lines if line.hash in reading.heads]
    message = f"{len(ends)} branches, which the next line joins"
    return Finding(kind="branches", message=message, lines=tuple(ends), severity="note")
