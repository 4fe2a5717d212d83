"""Lines: sealing a record into one, reading one back.

>>> from tms.model import Claim
>>> line, raw = seal(Claim(id="c1", text="it rains", state="accepted"), prev=(), time="2026-01-01T00:00:00.000Z")
>>> read_line(raw, "ledger.jsonl", 1).record == line.record
True
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tms.errors import LedgerError, RecordError
from tms.ledger import strict, wire
from tms.ledger.intake import checked, parse_records, with_id
from tms.model import Batch, Line, Record

__all__ = ["parse_records", "read_line", "seal", "with_id"]

_NO_HASH = "0" * 64


def seal(
    record: Record,
    *,
    prev: Iterable[str],
    time: str,
    author: str = "",
    session: str = "",
    branch: str = "",
    batch: Batch | None = None,
) -> tuple[Line, bytes]:
    """A record as a line and its bytes on disk, newline included. `prev` are the hashes of the heads it saw.

    Raises `RecordError` for a record that no reader would take back.
    """
    try:
        sealed = wire.Sealed(
            body=checked(with_id(record)),
            hash=_NO_HASH,
            prev=tuple(sorted(set(prev))),
            time=time,
            v=1,
            author=author,
            session=session,
            branch=branch,
            batch=batch,
        )
        raw = with_hash(_bytes(sealed))
        line = wire.fast_line(raw, "", 0) or strict.decide(raw, "", 0)[0]
    except strict.Bad as bad:
        raise RecordError(bad.message, code=bad.code, hint=bad.hint) from None
    except (ValueError, TypeError, AttributeError, OverflowError) as error:  # what was built by hand, without its types
        raise RecordError(f"not a record: {error}", code="record") from None
    if not isinstance(line, Line):
        raise RecordError("a record of an unknown kind", code="unknown-kind")
    return line, raw + b"\n"


def _bytes(sealed: wire.Sealed) -> bytes:
    """The canonical bytes: by msgspec, which is quick, where it orders keys as RFC 8785 does."""
    if wire.orders_alike(sealed.body):
        return wire.encode(sealed)
    return wire.canonical(msgspec.json.decode(wire.encode(sealed)))


def with_hash(raw: bytes) -> bytes:
    """The line in `raw` with its hash filled in."""
    before, key, after = raw.rpartition(wire.HASH_KEY)
    return before + key + wire.hash_bytes(raw).encode() + after[64:]


def read_line(raw: bytes, path: str = "", number: int = 0) -> Line:
    r"""One line of a ledger, with or without its newline; raises `LedgerError`, also for a kind unknown here.

    >>> read_line(b'{"v":NaN}\n', "ledger.jsonl", 7)
    Traceback (most recent call last):
      ...
    tms.errors.LedgerError: ledger.jsonl:7: NaN is not JSON; expected a number
    """
    bare = raw.removesuffix(b"\n").removesuffix(b"\r")
    line = wire.fast_line(bare, path, number)
    if line is not None:
        return line
    read, findings = strict.slow_line(bare, path, number)
    if findings or not isinstance(read, Line):
        raise LedgerError(findings[0].message, path=path, line=number, code=findings[0].kind)
    return read
