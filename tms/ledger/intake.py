"""Records as people and programs type them: JSON lines, or one JSON array, of flat objects with a `kind`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from tms.errors import RecordError
from tms.ledger import strict, wire
from tms.ledger.strict import Bad
from tms.model import Claim, Decision, Hypothesis, Nogood, Question, Record, Relate, Void

NODES = (Claim, Decision, Question, Hypothesis, Nogood)
_BOM = "\ufeff"
_R = TypeVar("_R", bound=Record)


def parse_records(text: bytes, source: str) -> list[Record]:
    r"""The records in `text`; `source` is named in errors. The first one that is wrong refuses all.

    >>> [record.id for record in parse_records(b'{"kind":"question","id":"q1","text":"Which?"}', "stdin")]
    ['q1']
    >>> parse_records(b'{"kind":"claim","id":"c1","txt":"so"}', "stdin")
    Traceback (most recent call last):
      ...
    tms.errors.RecordError: stdin:1: unknown field 'txt'; did you mean 'text'?
    """
    made: list[Record] = []
    at = 1
    try:
        for line, value in _values(text):
            at = line
            made.append(record_of(value))
            if len(made) > wire.MAX_BATCH:
                raise Bad("too-many", f"too many records; expected at most {wire.MAX_BATCH} at once")
    except Bad as bad:
        raise RecordError(bad.message, code=bad.code, where=f"{source}:{bad.line or at}", hint=bad.hint) from None
    return made


def record_of(value: Any) -> Record:
    """One record from plain data; raises `strict.Bad`."""
    if not isinstance(value, dict):
        raise Bad("record", f'{_short(value)} is not a record; expected an object with a "kind"')
    kind = value.get("kind")
    if kind is None:
        raise Bad("kind", f'no "kind"; expected one of {", ".join(strict.KINDS)}')
    if not isinstance(kind, str) or kind not in strict.KINDS:
        hint = strict.near(kind, tuple(strict.KINDS)) if isinstance(kind, str) else ""
        raise Bad("kind", f"unknown kind {_short(kind)}{hint or '; expected one of ' + ', '.join(strict.KINDS)}")
    strict.canonical(value)
    if strict.KINDS[kind] in NODES and value.get("id", "") == "":
        value = {**value, "id": "x"}
        unnamed: Record = msgspec.structs.replace(strict.convert(value, Record), id="")
        return _shape(with_id(unnamed))
    record: Record = strict.convert(value, Record)
    return _shape(record)


def with_id(record: _R) -> _R:
    """The record with an id from its content, if it is a node without one; equal content gives an equal id.

    >>> with_id(Claim(id="", text="it rains")).id
    'c-897e5fc6de4f'
    """
    if not isinstance(record, NODES) or record.id:
        return record
    body = wire.plain(record)
    del body["id"]
    digest = hashlib.sha256(strict.canonical(body)).hexdigest()
    return msgspec.structs.replace(record, id=f"{body['kind'][0]}-{digest[:12]}")


def checked(record: _R) -> _R:
    """The record, or `RecordError` for what the types allow but no reader could make sense of."""
    try:
        return _shape(record)
    except Bad as bad:
        raise RecordError(bad.message, code=bad.code, hint=bad.hint) from None


def _shape(record: _R) -> _R:
    if isinstance(record, Relate):
        _relate_shape(record)
    elif isinstance(record, Void):
        _void_shape(record)
    elif isinstance(record, Decision):
        keys = [option.key for option in record.alternatives]
        twice = sorted({key for key in keys if keys.count(key) > 1})
        if twice:
            raise Bad("duplicate-key", f"alternatives: the key {twice[0]!r} occurs twice; expected each key once")
    return record


def _relate_shape(record: Relate) -> None:
    if record.reason is not None and record.relation not in ("supersedes", "would_supersede"):
        raise Bad("field", f"reason: {record.relation} takes none; expected one only for supersedes, would_supersede")
    if not record.targets and record.relation != "supports":
        raise Bad("field", f"targets: empty; expected at least one id for {record.relation}")


def _void_shape(record: Void) -> None:
    if record.field is None and (record.position is not None or record.key):
        raise Bad("field", "position or key without a field; expected the field that holds the relation")
    if record.field == "because" and not (record.key and record.position is not None):
        raise Bad("field", "because: expected the key of the alternative and the position of the set")
    if record.field == "alternatives" and not (record.key or record.position is not None):
        raise Bad("field", "alternatives: expected the key of the alternative, or its position")
    if record.field not in (None, "because", "alternatives") and record.position is None:
        raise Bad("field", f"{record.field}: expected a position, 0 for the first")


def _values(text: bytes) -> Iterator[tuple[int, Any]]:
    """Each value in the text with the line that it starts on."""
    bare = text.removeprefix(_BOM.encode())
    if bare.lstrip()[:1] == b"[":
        yield from _array(strict.decode(bare))
        return
    for line, raw in enumerate(bare.split(b"\n"), 1):
        if raw.strip():
            try:
                yield line, strict.parse(raw)
            except Bad as bad:
                bad.line = line
                raise


def _array(text: str) -> Iterator[tuple[int, Any]]:
    at = _skip(text, text.index("[") + 1)
    line, seen = 1, 0
    while text[at : at + 1] != "]":
        line, seen = line + text.count("\n", seen, at), at
        value, at = _element(text, at, line)
        yield line, value
        at = _skip(text, at)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
            if text[at : at + 1] == "]":
                raise _bad_at(text, at, "expected a record behind the comma")
        elif text[at : at + 1] != "]":
            raise _bad_at(text, at, "expected a comma or the end of the array")
    if text[at + 1 :].strip():
        raise _bad_at(text, _skip(text, at + 1), "expected nothing behind the array")


def _element(text: str, at: int, line: int) -> tuple[Any, int]:
    try:
        value, end = strict.DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        raise _bad_at(text, error.pos, f"not JSON: {error.msg}") from None
    except Bad as bad:
        bad.line = line
        raise
    return value, end


def _skip(text: str, at: int) -> int:
    while text[at : at + 1] in (" ", "\t", "\r", "\n"):
        at += 1
    return at


def _bad_at(text: str, at: int, message: str) -> Bad:
    bad = Bad("syntax", message)
    bad.line = text.count("\n", 0, at) + 1
    return bad


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
