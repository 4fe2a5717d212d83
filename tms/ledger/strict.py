"""The slow path: decides exactly what is wrong with a line, or that nothing is.

`wire.fast_line` takes what is beyond doubt right. Everything else comes here: lines that are damaged, that spell out
a default, whose keys are not ASCII, or that come from a later version with kinds and fields unknown to this one.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import math
import re
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import rfc8785

from tms.errors import Finding, LedgerError
from tms.ledger import wire
from tms.model import Alternative, Batch, Correction, Falsification, Line, Record, Supersession

KINDS: dict[str, type[msgspec.Struct]] = {str(cls.__struct_config__.tag): cls for cls in get_args(Record)}
# The fields, of whatever record, that hold a struct or a list of structs.
NESTED: dict[str, type[msgspec.Struct]] = {
    "supersedes": Supersession,
    "would_supersede": Supersession,
    "alternatives": Alternative,
    "falsification": Falsification,
    "receipt": Falsification,
    "fields": Correction,
}
ENVELOPE = (
    f"expected a time such as 2026-01-31T12:00:00.000Z, hashes of 64 hex digits, 1 <= at <= of <= {wire.MAX_BATCH}"
)
_CONFLICT = re.compile(rb"(<{7}|\|{7}|={7}|>{7})( |$)")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_FIELD = re.compile(r"unknown field `(.*)`")


class Bad(Exception):
    """Why a text is refused: a stable word and a sentence. Becomes a `LedgerError` or a `RecordError`."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.line = 0  # within a text of several lines; 0 where the caller knows


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a later version: its place in the history is known, its record is not."""

    hash: str
    prev: tuple[str, ...]
    number: int


def parse(raw: bytes) -> Any:
    """Strict JSON: the value in `raw`, or `Bad`. The same on every Python.

    >>> parse(b'{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    if len(raw) > wire.MAX_LINE:
        raise Bad("line-length", f"line too long; expected at most {wire.MAX_LINE} bytes")
    text = decode(raw)
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise Bad("syntax", f"not JSON: {error.msg} at column {error.pos + 1}; expected one JSON object") from None


def is_torn(raw: bytes) -> bool:
    """Whether a last line without newline is the beginning of a write that did not end.

    A whole JSON value there is no torn write: it is a line, good or damaged. So is one with a byte behind it that is no
    text, which is what a flipped bit can make of the newline.

    >>> is_torn(b'{"a": 1'), is_torn(b'{"a": 1}'), is_torn(b'{"a": 1}\\x8a')
    (True, False, False)
    """
    readable = raw.decode("utf-8", "replace").encode()  # cut within a character, it stays a beginning
    try:
        DECODER.raw_decode(decode(readable))
    except (Bad, json.JSONDecodeError) as error:
        return not isinstance(error, Bad) or error.code == "nul"
    return False


def decode(raw: bytes) -> str:
    """The text in `raw`, safe for a recursive parser, or `Bad`."""
    if _CONFLICT.match(raw):
        raise Bad("conflict", "a conflict marker of a merge; expected a record", "keep the lines of both sides")
    if raw.startswith(b"\xef\xbb\xbf"):
        raise Bad("bom", "a byte order mark; expected UTF-8 without one")
    if b"\0" in raw:
        raise Bad("nul", f"a NUL byte at byte {raw.index(0) + 1}; expected text")
    check_depth(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Bad("utf-8", f"invalid UTF-8 at byte {error.start + 1}; expected UTF-8") from None


def check_depth(raw: bytes) -> None:
    """Refuse deep nesting before any recursive parser sees it."""
    depth = deepest = 0
    for char in _STRING.sub(b"", raw):
        if char in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif char in b"]}":
            depth -= 1
    if deepest > wire.MAX_DEPTH:
        raise Bad("nesting", f"nested {deepest} deep; expected at most {wire.MAX_DEPTH}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise Bad("duplicate-key", f"the key {twice!r} occurs twice; expected each key once")
    return made


def _integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > wire.MAX_INT:
        raise Bad("number", f"the integer {digits[:24]} is beyond 2^53 - 1; expected a smaller one, or a string")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise Bad("number", f"the number {digits[:24]} is out of range; expected a finite one")
    return value


def _constant(word: str) -> float:
    raise Bad("number", f"{word} is not JSON; expected a number")


DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)


def canonical(value: Any) -> bytes:
    """RFC 8785 bytes of `value`, or `Bad` for a lone surrogate."""
    try:
        return wire.canonical(value)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        raise Bad("surrogate", "a lone surrogate in a string; expected valid Unicode") from None


def slow_line(raw: bytes, path: str, number: int) -> tuple[Line | Unread, tuple[Finding, ...]]:
    """Decide about one line (without newline); raises `LedgerError` with file, line, reason and what was expected."""
    try:
        return decide(raw, path, number)
    except Bad as bad:
        raise LedgerError(bad.message, path=path, line=number, code=bad.code, hint=bad.hint) from None


def decide(raw: bytes, path: str, number: int) -> tuple[Line | Unread, tuple[Finding, ...]]:
    """As `slow_line`, but raises `Bad`."""
    value = parse(raw)
    if not isinstance(value, dict) or "hash" not in value or "v" not in value:
        raise Bad("envelope", 'not a line of a ledger; expected an object with "body", "hash", "prev", "time" and "v"')
    if canonical(value) != raw:
        raise Bad("canonical", "not in the canonical form of RFC 8785", "an edited line: restore it from history")
    hashed = {key: member for key, member in value.items() if key != "hash"}
    expected = hashlib.sha256(canonical(hashed)).hexdigest()
    if value["hash"] != expected:
        raise Bad("hash", f"the hash does not fit: the line says {value['hash']!s:.64}; expected {expected}")
    return _known(value, path, number)


def _known(value: dict[str, Any], path: str, number: int) -> tuple[Line | Unread, tuple[Finding, ...]]:
    """Read what this version knows of a line that is whole; report the rest."""
    body = value.get("body")
    kind = body.get("kind") if isinstance(body, dict) else None
    place = ((path, number),)
    if value["v"] != wire.VERSION and type(value["v"]) is int and value["v"] > wire.VERSION:
        message = f"line {number} is of version {value['v']}, which this program does not know"
        return _unread(value, number), (Finding(kind="unknown-version", message=message, lines=place),)
    if isinstance(kind, str) and kind not in KINDS:
        message = f"line {number} has the kind {kind!r}, which this program does not know{near(kind, tuple(KINDS))}"
        return _unread(value, number), (Finding(kind="unknown-kind", message=message, lines=place),)
    unknown: list[str] = []
    trimmed = _trim_line(value, unknown)
    findings = tuple(
        Finding(kind="unknown-field", message=f"line {number} has the unknown field {name!r}", lines=place)
        for name in unknown
    )
    sealed = convert(trimmed, wire.Sealed)
    if not wire.well_formed(sealed):
        raise Bad("envelope", f"time, prev or batch is out of form; {ENVELOPE}")
    return wire.to_line(sealed, path, number), findings


def _unread(value: dict[str, Any], number: int) -> Unread:
    prev = value.get("prev")
    hashes = tuple(item for item in prev if isinstance(item, str)) if isinstance(prev, list) else ()
    return Unread(hash=value["hash"], prev=hashes, number=number)


def _trim_line(value: dict[str, Any], unknown: list[str]) -> dict[str, Any]:
    line = _trim(value, wire.Sealed, "", unknown)
    if isinstance(line.get("batch"), dict):
        line["batch"] = _trim(line["batch"], Batch, "batch.", unknown)
    body = line.get("body")
    if isinstance(body, dict) and body.get("kind") in KINDS:
        line["body"] = trim_record(body, unknown)
    return line


def trim_record(body: dict[str, Any], unknown: list[str]) -> dict[str, Any]:
    """The record without its unknown fields, whose names are added to `unknown`."""
    return _trim_nested(_trim(body, KINDS[body["kind"]], "", unknown), "", unknown)


def _trim_nested(body: dict[str, Any], where: str, unknown: list[str]) -> dict[str, Any]:
    for name in body.keys() & NESTED.keys():
        path = f"{where}{name}."
        member = body[name]
        parts = member if isinstance(member, list) else [member]
        kept = [_trim_part(part, NESTED[name], path, unknown) for part in parts]
        body[name] = kept if isinstance(member, list) else kept[0]
    return body


def _trim_part(part: Any, cls: type[msgspec.Struct], where: str, unknown: list[str]) -> Any:
    if not isinstance(part, dict):
        return part
    return _trim_nested(_trim(part, cls, where, unknown), where, unknown)


def _trim(value: dict[str, Any], cls: type[msgspec.Struct], where: str, unknown: list[str]) -> dict[str, Any]:
    names = {*cls.__struct_fields__, "kind"} if cls in KINDS.values() else {*cls.__struct_fields__}
    unknown.extend(where + key for key in value if key not in names)
    return {key: member for key, member in value.items() if key in names}


def convert(value: Any, to: Any) -> Any:
    """Plain data as the type `to`, or `Bad` that says which field and what was expected."""
    try:
        return msgspec.convert(value, to)
    except msgspec.ValidationError as error:
        raise Bad(*explain(str(error), value)) from None


def explain(message: str, value: Any) -> tuple[str, str]:
    """The code and the sentence for a message of msgspec's, which names the path as `$.body.text`."""
    reason, _, path = message.partition(" - at `")
    where = path.rstrip("`").removeprefix("$").removeprefix(".").removeprefix("body.")
    unknown = _FIELD.search(reason)
    if unknown:
        return "unknown-field", f"unknown field {unknown[1]!r}{near(unknown[1], _names(value))}"
    name = where.split(".")[-1].split("[")[0]
    if name in ("id", "key") and ("length" in reason or "regex" in reason):
        return "id", f"{where}: not an id; expected 1 to 200 characters, no white space, comma, slash or leading dash"
    if "0-9a-f" in reason:
        return "field", f"{where}: not a hash; expected 64 hex digits"
    if reason.startswith("Invalid enum value"):
        return "field", f"{where}: no such word{reason.removeprefix('Invalid enum value')}; {_choices(value, name)}"
    return "field", f"{where}: {reason}" if where else reason


def _choices(value: Any, name: str) -> str:
    """The words that the field `name` takes, in the record or in one of its parts."""
    kind = value.get("body", value).get("kind") if isinstance(value, dict) else None
    for cls in (KINDS.get(str(kind), Batch), *NESTED.values()):
        hint = get_type_hints(cls).get(name)
        words = [word for part in (hint, *get_args(hint)) if get_origin(part) is Literal for word in get_args(part)]
        if words:
            return "expected one of " + ", ".join(repr(word) for word in words if word is not None)
    return "see the schema"


def _names(value: Any) -> tuple[str, ...]:
    cls = KINDS.get(value.get("kind", "")) if isinstance(value, dict) else None
    fields = cls.__struct_fields__ if cls else ()
    return (*fields, *(name for part in NESTED.values() for name in part.__struct_fields__))


def near(word: str, known: tuple[str, ...]) -> str:
    """A hint at the nearest known word, or nothing.

    >>> near("suports", ("supports", "scope"))
    "; did you mean 'supports'?"
    """
    found = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""
