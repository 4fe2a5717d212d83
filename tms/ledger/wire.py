"""The form of a line on disk: its fields, its limits, its hash. The lowest step of the package.

A line is one JSON object in the canonical form of RFC 8785, ended by a newline:

    {"author":..,"batch":{..},"body":{RECORD},"branch":..,"hash":..,"prev":[..],"session":..,"time":..,"v":1}

`hash` is SHA-256 (hex) over these bytes, without the newline and without the member `"hash":"...",` itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Container
from datetime import UTC, datetime
from sys import intern
from typing import Annotated, Any, Literal

import msgspec
import rfc8785
from msgspec import Meta

from tms.model import Batch, Decision, Line, Purge, Record, Void

VERSION = 1
MAX_LINE = 1 << 20  # bytes of one line, its newline left out
MAX_DEPTH = 64  # nested arrays and objects
MAX_INT = 2**53 - 1  # beyond it JSON numbers are not exact everywhere
MAX_BATCH = 100_000  # lines of one batch
MAX_LINES = 10_000_000  # lines of one ledger

TIME_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$"
# Stated for the schema, checked by `well_formed`: patterns in the types would double the time of reading a ledger.
Time = Annotated[str, Meta(extra_json_schema={"pattern": TIME_PATTERN})]
LineHash = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9a-f]{64}$"})]

HASH_KEY = b'"hash":"'
_HASH_REST = 64 + len(b'",')
_is_time = re.compile(TIME_PATTERN[1:-1]).fullmatch
_is_hash = re.compile("[0-9a-f]{64}").fullmatch
_PLAIN_KEY = re.compile(r"[\x20-\x7e]*").fullmatch


class Sealed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A line as it stands on disk: the record (`body`) in its envelope."""

    body: Record
    hash: LineHash
    prev: tuple[LineHash, ...]
    time: Time
    v: Literal[1]
    author: str = ""
    session: str = ""
    branch: str = ""
    batch: Batch | None = None


decode_sealed = msgspec.json.Decoder(Sealed).decode
encode = msgspec.json.Encoder(order="sorted").encode


def canonical(value: Any) -> bytes:
    """RFC 8785 bytes of plain data (dict, list, str, int, float, bool, None).

    >>> canonical({"b": 1, "a": "é"})
    b'{"a":"\\xc3\\xa9","b":1}'
    """
    return rfc8785.dumps(value)


def plain(record: Record) -> dict[str, Any]:
    """A record as plain data, its default-valued fields left out.

    >>> from tms.model import Question
    >>> plain(Question(id="q1", text="Which database?"))
    {'kind': 'question', 'id': 'q1', 'text': 'Which database?'}
    """
    data: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record))
    return data


def stamp(moment: datetime) -> str:
    """The time of a line: UTC, milliseconds, `Z`. Such texts sort as the moments do.

    >>> stamp(datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC))
    '2026-01-02T03:04:05.678Z'
    """
    utc = moment.astimezone(UTC)
    return utc.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + f".{utc.microsecond // 1000:03d}Z"


def utc_now() -> datetime:
    """The clock that lines are stamped with."""
    return datetime.now(UTC)


def hash_bytes(raw: bytes) -> str:
    """SHA-256 of a line (without newline) that has its hash member, with that member cut out.

    The last `"hash":"` is the envelope's own: behind it come only prev, session, time and v, and quotes inside a
    string are escaped.
    """
    before, _, after = raw.rpartition(HASH_KEY)
    return hashlib.sha256(before + after[_HASH_REST:]).hexdigest()


def well_formed(sealed: Sealed, known: Container[str] = ()) -> bool:
    """Whether time, `prev` and the place in a batch are in form; the hashes in `known` are."""
    batch = sealed.batch
    if batch is not None and not batch.at <= batch.of <= MAX_BATCH:
        return False
    for hash_ in sealed.prev:
        if hash_ not in known and not _is_hash(hash_):
            return False
    return _is_time(sealed.time) is not None


def orders_alike(record: Record) -> bool:
    """Whether msgspec's key order, by code point, is that of RFC 8785, by UTF-16 unit; and its integers are in range.

    The names of fields are ASCII, so only the caller's own keys, in `environment` and `criteria`, can differ.
    """
    kind = type(record)
    if kind is Decision:
        maps = (record.environment, *(option.criteria for option in record.alternatives))  # type: ignore[union-attr]
        return all(all(map(_PLAIN_KEY, keys)) for keys in maps)
    if kind is Purge:
        return record.characters <= MAX_INT  # type: ignore[union-attr]
    if kind is Void:
        return (record.position or 0) <= MAX_INT  # type: ignore[union-attr]
    return True


def fast_line(raw: bytes, path: str, number: int, known: Container[str] = ()) -> Line | None:
    """The line in `raw` (without newline) if it is beyond doubt right, else None: then `strict` decides.

    What encodes again to the same bytes was canonical: no duplicate keys, no odd numbers or escapes, valid UTF-8.
    """
    try:
        sealed: Sealed = decode_sealed(raw)
    except (ValueError, RecursionError):
        return None
    if len(raw) > MAX_LINE or encode(sealed) != raw or hash_bytes(raw) != sealed.hash:
        return None
    if not orders_alike(sealed.body) or not well_formed(sealed, known):
        return None
    return to_line(sealed, path, number)


def to_line(sealed: Sealed, path: str, number: int) -> Line:
    """The line as the engine holds it."""
    return Line(
        record=sealed.body,
        hash=sealed.hash,
        prev=sealed.prev,
        time=sealed.time,
        author=intern(sealed.author),
        session=intern(sealed.session),
        branch=intern(sealed.branch),
        batch=sealed.batch,
        path=path,
        number=number,
    )
