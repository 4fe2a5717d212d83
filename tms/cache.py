"""Opening a long ledger again: what was worked out is kept beside the user's other caches, and never believed blindly.

A cache holds the compiled network of a ledger's first bytes, with their SHA-256: where the file still begins with just
these bytes, every line of them was checked already, and is decoded only when it is asked for. Lines behind them are
read and added as always. A cache of another version, of other bytes, or with a wrong checksum is not used; deleting it
costs time and nothing else. It is written whole to another name and moved, so that two processes cannot mix theirs.

`TMS_CACHE` names another folder, or is `off`. Short ledgers are not cached: reading them is as quick.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
from pyrsistent import pvector

from tms.collector import paused, unwalked
from tms.compile import Compiled
from tms.declared import Declared
from tms.entry import Entry
from tms.errors import Finding
from tms.graph import Graph
from tms.lazy import LazyNames, LazyVector
from tms.ledger import wire
from tms.ledger.reader import TAIL, Place, Reading, Scan, file_of, heads_of, read
from tms.model import Line
from tms.names import Names
from tms.network import ARRAYS, Network
from tms.shelf import Shelf
from tms.table import Table

WORTH = 4 << 20  # bytes of a ledger from which on a cache is kept
FRESH = 0.1  # share of the file that may lie behind a cache before it is written again
_MAGIC = b"tms cache 1\n"
_SUM = 32


class Opened(NamedTuple):
    """A ledger that was opened: what the file holds, and its graph."""

    reading: Reading
    graph: Graph


class Kept(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that a cache holds."""

    engine: str
    size: int
    digest: bytes
    lines: int  # in the file
    heads: tuple[str, ...]
    findings: tuple[Finding, ...]
    offsets: list[int]  # of the lines that count, in their order
    numbers: list[int]
    hashes: bytes
    names: list[str]
    first: list[int]  # of each node: the place of the one line that records it, or -1
    more: dict[int, tuple[tuple[int, ...], tuple[int, ...]]]  # of the others: records, later lines
    voids: dict[str, tuple[int, ...]]
    superseders: dict[int, tuple[tuple[int, str], ...]]
    answerers: dict[int, tuple[int, ...]]
    implied: dict[int, tuple[tuple[int, tuple[str, str]], ...]]
    mentioned: dict[str, tuple[str, ...]]
    actions: dict[str, tuple[int, ...]]
    literals: list[tuple[int, int]]
    zone: list[int]
    moved: dict[int, list[int]]
    moves: dict[int, tuple[int, ...]]
    nogoods: list[int]
    flags: dict[str, bytes]  # the arrays of yes and no
    tuples: dict[str, list[tuple[int, ...]]]
    integers: dict[str, list[int]]
    garbage: int


_FLAGS, _TUPLES = ("stands", "circular"), ("own", "members")
_INTEGERS = tuple(name for name in ARRAYS if name not in (*_FLAGS, *_TUPLES))
_decode = msgspec.msgpack.Decoder(Kept).decode


def open_ledger(path: str | os.PathLike[str]) -> Opened:
    """Read a ledger and its graph, by the cache where that fits. Raises what `read` raises.

    The answers are those of `Graph.replay(read(path).lines)`, whatever the cache holds (a property test says so).
    """
    path = os.fspath(path)
    place = _place(path)
    if place is None:
        reading = read(path)
        return Opened(reading, Graph.replay(reading.lines))
    opened, behind = _from_cache(path, place) or (None, 0)
    if opened is None:
        reading = read(path)
        opened = Opened(reading, Graph.replay(reading.lines))
        behind = reading.place.end
    if behind > FRESH * opened.reading.place.end:
        _write(path, place, opened)
    return opened


def _place(path: str) -> Path | None:
    """Where the cache of a ledger lies; None where none is kept."""
    given = os.environ.get("TMS_CACHE", "")
    try:
        if given == "off" or Path(path).stat().st_size < WORTH:
            return None
    except OSError:
        return None
    home = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(given) if given else Path(home) / "tms"
    return folder / (hashlib.sha256(os.fsencode(Path(path).resolve())).hexdigest()[:32] + ".cache")


def _engine() -> str:
    """What tells one state of this program from another: a cache is good for the one that wrote it."""
    home = Path(__file__).parent
    stats = [(f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in sorted(home.rglob("*.py"))]
    return hashlib.sha256(repr(stats).encode()).hexdigest()


# -- reading -----------------------------------------------------------------------------------------------------


def _from_cache(path: str, place: Path) -> tuple[Opened, int] | None:
    """The ledger by its cache, and how many bytes lie behind what that covers; None where it does not fit."""
    with paused():
        kept = _load(place)
        if kept is None:
            return None
        try:
            with Path(path).open("rb") as file:
                data = file.read(kept.size)
                if hashlib.sha256(data).digest() != kept.digest:
                    return None
                return _grown(_restored(path, kept, data, file_of(os.fstat(file.fileno()))), kept, file)
        except OSError:
            return None


def _load(place: Path) -> Kept | None:
    try:
        raw = place.read_bytes()
    except OSError:
        return None
    body = memoryview(raw)[len(_MAGIC) + _SUM :]
    if raw[: len(_MAGIC)] != _MAGIC or hashlib.sha256(body).digest() != raw[len(_MAGIC) : len(_MAGIC) + _SUM]:
        return None
    try:
        kept = _decode(body)
    except msgspec.DecodeError:
        return None
    return kept if kept.engine == _engine() else None


def _restored(path: str, kept: Kept, data: bytes, file: tuple[int, int]) -> Opened:
    def line(at: int) -> Line:
        start = kept.offsets[at]
        raw = data[start : data.index(b"\n", start)].removesuffix(b"\r")
        return wire.to_line(wire.decode_sealed(raw), path, kept.numbers[at])

    lines: Any = LazyVector(line, len(kept.offsets))
    tail = data[data.rfind(b"\n", 0, len(data) - 1) + 1 :][-TAIL:]
    at = Place(file=file, end=kept.size, count=kept.lines, tail=tail)
    reading = Reading(path=path, lines=lines, heads=kept.heads, findings=kept.findings, place=at)
    declared = _declared(kept, lines)
    return Opened(reading, Graph(declared, _compiled(kept, declared)))


def _declared(kept: Kept, lines: Any) -> Declared:
    def entry(node: int) -> Entry | None:
        if node in kept.more:
            records, later = kept.more[node]
            return Entry(tuple(lines[n] for n in records), tuple(lines[n] for n in later))
        at = kept.first[node]
        return None if at < 0 else Entry((lines[at],))

    def numbers() -> dict[str, int]:
        text = kept.hashes.hex()
        return {text[64 * n : 64 * n + 64]: n + 1 for n in range(len(kept.offsets))}

    entries: Any = LazyVector(entry, len(kept.first))
    where: Any = LazyNames(numbers, len(kept.offsets))
    return Declared(
        Names.of({name: n for n, name in enumerate(kept.names, 1)}),
        entries,
        lines,
        where,
        Table({target: tuple(lines[n] for n in found) for target, found in kept.voids.items()}),
        Table(kept.superseders),
        Table(kept.answerers),
        Table(kept.implied),
        Table({}),
        Table(kept.mentioned),
        Table(kept.actions),
    )


def _compiled(kept: Kept, declared: Declared) -> Compiled:
    arrays: dict[str, Any] = {name: list(map(bool, kept.flags[name])) for name in _FLAGS}
    arrays |= kept.tuples | kept.integers
    network = Network({name: unwalked(pvector(arrays[name])) for name in ARRAYS}, kept.garbage)
    moved = Table({m: frozenset(xs) for m, xs in kept.moved.items()})
    return Compiled(
        declared,
        network,
        frozenset(kept.literals),
        frozenset(kept.zone),
        moved,
        Table(kept.moves),
        frozenset(kept.nogoods),
        Shelf(),
    )


def _grown(opened: Opened, kept: Kept, file: BinaryIO) -> tuple[Opened, int] | None:
    """With what was appended since; None where the two parts are not simply one behind the other."""
    before = opened.reading
    scan = Scan(before.path, False, before.place)
    scan.scan(file)
    rest = scan.reading()
    known = opened.graph.declared.where
    if rest.place.end == before.place.end and not rest.torn and not scan.unended:
        return opened, 0
    other = any(finding.kind != "missing-prev" for finding in rest.findings)
    if other or rest.pending or rest.unread or rest.torn or scan.unended:
        return None
    twice = any(known.number(line.hash) for line in rest.lines)
    if twice or any(known.number(hash_) is None for hash_, _ in scan.later):
        return None
    heads = (set(before.heads) - {h for line in rest.lines for h in line.prev}) | heads_of(list(rest.lines))
    lines: Any = LazyVector(before.lines.__getitem__, len(before.lines))
    for line in rest.lines:
        lines = lines.append(line)
    reading = msgspec.structs.replace(before, lines=lines, heads=tuple(sorted(heads)), place=rest.place)
    return Opened(reading, opened.graph.extend(rest.lines)), rest.place.end - kept.size


# -- writing -----------------------------------------------------------------------------------------------------


def _write(path: str, place: Path, opened: Opened) -> None:
    """Keep what was worked out; where that cannot be, nothing is lost."""
    reading = opened.reading
    if reading.docket or reading.partial or reading.pending or reading.unread or reading.torn or reading.faults:
        return
    with contextlib.suppress(OSError):
        with Path(path).open("rb") as file:
            data = file.read(reading.place.end)
        if not data.endswith(b"\n") or len(data) != reading.place.end:
            return
        with paused():
            body = msgspec.msgpack.encode(_kept(data, opened))
        _put(place, _MAGIC + hashlib.sha256(body).digest() + body)


def _put(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=place.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(place)
    except OSError:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _kept(data: bytes, opened: Opened) -> Kept:
    reading, compiled = opened.reading, opened.graph.compiled
    declared, network = compiled.declared, compiled.network
    at = {line.hash: n for n, line in enumerate(declared.log)}
    starts = _starts(data)
    first, more = _entries(declared, at)
    return Kept(
        engine=_engine(),
        size=len(data),
        digest=hashlib.sha256(data).digest(),
        lines=reading.place.count,
        heads=reading.heads,
        findings=reading.findings,
        offsets=[starts[line.number - 1] for line in declared.log],
        numbers=[line.number for line in declared.log],
        hashes=b"".join(bytes.fromhex(line.hash) for line in declared.log),
        names=list(declared.names),
        first=first,
        more=more,
        voids={target: tuple(at[line.hash] for line in lines) for target, lines in declared.voids.items()},
        superseders=dict(declared.superseders.items()),
        answerers=dict(declared.answerers.items()),
        implied=dict(declared.implied.items()),
        mentioned=dict(declared.mentioned.items()),
        actions=dict(declared.actions.items()),
        literals=sorted(compiled.literals),
        zone=sorted(compiled.zone),
        moved={m: sorted(xs) for m, xs in compiled.moved.items()},
        moves=dict(compiled.moves.items()),
        nogoods=sorted(compiled.nogoods),
        flags={name: bytes(getattr(network, name)) for name in _FLAGS},
        tuples={name: list(getattr(network, name)) for name in _TUPLES},
        integers={name: list(getattr(network, name)) for name in _INTEGERS},
        garbage=network.garbage,
    )


def _starts(data: bytes) -> list[int]:
    """Where each line of the file begins."""
    found, at = [0], data.find(b"\n")
    while at >= 0:
        found.append(at + 1)
        at = data.find(b"\n", at + 1)
    return found


def _entries(declared: Declared, at: dict[str, int]) -> tuple[list[int], dict[int, Any]]:
    first, more = [], {}
    for node, entry in enumerate(declared.entries):
        records, later = (entry.records, entry.later) if entry else ((), ())
        if len(records) == 1 and not later:
            first.append(at[records[0].hash])
            continue
        first.append(-1)
        if records or later:
            more[node] = (_places(records, at), _places(later, at))
    return first, more


def _places(lines: Iterable[Line], at: dict[str, int]) -> tuple[int, ...]:
    return tuple(at[line.hash] for line in lines)
