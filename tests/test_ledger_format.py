"""A line of a ledger: its canonical form, its hash, and what is refused."""

from __future__ import annotations

import hashlib
import json
from typing import Any, get_args

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tms.errors import LedgerError, RecordError
from tms.ledger import strict, wire
from tms.ledger.format import read_line, seal, with_hash
from tms.model import Batch, Claim, Decision, Hypothesis, Line, Nogood, Question, Record, Review, Void

TIME = "2026-01-31T12:00:00.000Z"
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
WORD = st.text("abc123.é€", min_size=1, max_size=6)
HASH = st.text("0123456789abcdef", min_size=64, max_size=64)


def values(kind: type) -> st.SearchStrategy[Any]:
    """Any value of a type of the vocabulary."""
    hints = msgspec.inspect.type_info(kind)
    assert isinstance(hints, msgspec.inspect.StructType)
    fields = {
        field.encode_name: value(field.type) if field.required else st.one_of(st.none(), value(field.type))
        for field in hints.fields
    }
    made = st.fixed_dictionaries(fields)
    return made.map(lambda given: {name: member for name, member in given.items() if member is not None})


def value(of: Any) -> st.SearchStrategy[Any]:
    """Any value of one type, as plain data."""
    info = msgspec.inspect
    if isinstance(of, info.StrType):
        if of.pattern:
            return HASH if "0-9a-f" in of.pattern else WORD
        return WORD if of.min_length else TEXT
    if isinstance(of, info.VarTupleType):
        return st.lists(value(of.item_type), min_size=of.min_length or 0, max_size=3)
    if isinstance(of, info.UnionType):
        return st.one_of([value(part) for part in of.types])
    if isinstance(of, info.LiteralType):
        return st.sampled_from(of.values)
    if isinstance(of, info.StructType):
        return values(of.cls)
    simple: dict[Any, st.SearchStrategy[Any]] = {
        info.BoolType: st.booleans(),
        info.IntType: st.integers(0, 3),
        info.NoneType: st.none(),
        info.DictType: st.dictionaries(TEXT, TEXT, max_size=3),
    }
    return simple[type(of)]


def bodies(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Any record of a kind."""
    return values(strict.KINDS[kind]).map(lambda fields: {**fields, "kind": kind})


BODIES = st.one_of([bodies(kind) for kind in strict.KINDS])


def as_line(body: dict[str, Any], **envelope: Any) -> bytes:
    """A line as the library of RFC 8785 writes it, without newline."""
    fields = {"body": body, "hash": "0" * 64, "prev": [], "time": TIME, "v": 1, **envelope}
    return with_hash(rfc8785.dumps(fields))


@given(BODIES)
def test_canonical_form_the_fast_path_accepts_only_what_the_slow_path_accepts_and_reads_it_alike(body):
    raw = as_line(body)
    slow, findings = strict.slow_line(raw, "x", 1)
    fast = wire.fast_line(raw, "x", 1)
    assert not findings
    assert fast is None or fast == slow
    record = msgspec.convert(body, Record)
    if wire.orders_alike(record):
        assert wire.encode(record) == rfc8785.dumps(wire.plain(record))


@given(BODIES)
def test_canonical_form_the_fast_path_takes_whatever_seal_writes_but_odd_keys(body):
    record = msgspec.convert(body, Record)
    try:
        line, raw = seal(record, prev=(), time=TIME, author="ann", batch=Batch(id="b", at=1, of=2))
    except RecordError:
        return  # a shape that is refused
    assert rfc8785.dumps(json.loads(raw)) + b"\n" == raw
    assert msgspec.structs.replace(read_line(raw), path="", number=0) == line
    fast = wire.fast_line(raw[:-1], "", 0)
    assert (fast == line) if wire.orders_alike(record) else fast is None or fast == line


@given(BODIES, st.integers(0, 10**6), st.sampled_from([" ", "\t", "0", '"', ",", "\\u0061", "A", "\x7f", "}"]))
def test_canonical_form_a_changed_line_is_never_taken(body, at, inserted):
    raw = as_line(body)
    at %= len(raw)
    changed = raw[:at] + inserted.encode() + raw[at:]
    assert wire.fast_line(changed, "x", 1) is None
    with pytest.raises(LedgerError):
        strict.slow_line(changed, "x", 1)


def test_every_kind_of_record_is_made_by_the_strategy():
    assert set(strict.KINDS.values()) == set(get_args(Record))


def test_keys_sort_by_utf_16_units_as_rfc_8785_wants():
    facts = {"\U0001f600": "emoji", "\ufb33": "hebrew", "a": "x"}
    line, raw = seal(Decision(id="d1", choice="x", environment=facts), prev=(), time=TIME)
    assert raw.index("\U0001f600".encode()) < raw.index("\ufb33".encode())
    assert wire.fast_line(raw[:-1], "", 0) is None
    assert read_line(raw) == line


def test_a_default_that_is_spelled_out_is_read():
    raw = as_line({"kind": "claim", "id": "c1", "text": "so", "state": "unassessed", "scope": []}, author="")
    assert read_line(raw).record == Claim(id="c1", text="so")


def test_the_hash_is_cut_out_where_it_stands_however_like_it_the_text_is():
    text = '"hash":"' + "0" * 64 + '",'
    line, raw = seal(Claim(id="c1", text=text), prev=(), time=TIME, session=text, author=text)
    assert read_line(raw) == line


GOOD = as_line({"kind": "claim", "id": "c1", "text": "so"})


def with_text(text: bytes) -> bytes:
    return GOOD.replace(b'"so"', text)


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "syntax"),
        (b"   ", "syntax"),
        (b"[]", "envelope"),
        (b"{}", "envelope"),
        (b'{"kind":"claim","id":"c1"}', "envelope"),
        (with_text(b'"no"'), "hash"),
        (with_text(b'"\xff"'), "utf-8"),
        (with_text(b'"\xed\xa0\x80"'), "utf-8"),
        (with_text(b'"\\ud800"'), "surrogate"),
        (with_text(b'"\x00"'), "nul"),
        (with_text(b'"\n"'), "syntax"),
        (with_text(b"NaN"), "number"),
        (with_text(b"-Infinity"), "number"),
        (with_text(b"1e999"), "number"),
        (with_text(b"9007199254740993"), "number"),
        (with_text(b"1" * 5000), "number"),
        (with_text(b"1.0"), "canonical"),
        (with_text(b'"s\\u006f"'), "canonical"),
        (with_text(b'"so","text":"so"'), "duplicate-key"),
        (with_text(b"[" * 100_000 + b"]" * 100_000), "nesting"),
        (with_text(b"[" * 100_000), "nesting"),
        (with_text(b'"' + b"x" * wire.MAX_LINE + b'"'), "line-length"),
        (b"\xef\xbb\xbf" + GOOD, "bom"),
        (GOOD + b" ", "canonical"),
        (GOOD + GOOD, "syntax"),
        (GOOD.upper(), "envelope"),
        (b"<<<<<<< ours", "conflict"),
        (b"||||||| base", "conflict"),
        (b"=======", "conflict"),
        (b">>>>>>> theirs", "conflict"),
        (as_line({"kind": "claim", "id": "c1", "text": 5}), "field"),
        (as_line({"kind": "claim", "id": "c1", "text": 1.5}), "field"),
        (as_line({"kind": "claim", "id": "c 1"}), "id"),
        (as_line({"kind": "claim", "id": "c" * 201}), "id"),
        (as_line({"kind": "claim", "id": "c1", "state": "so-so"}), "field"),
        (as_line({"kind": "claim"}), "field"),
        (as_line({"id": "c1"}), "field"),
        (as_line({"kind": "claim", "id": "c1"}, time="yesterday"), "envelope"),
        (as_line({"kind": "claim", "id": "c1"}, prev=["c1"]), "envelope"),
        (as_line({"kind": "claim", "id": "c1"}, batch={"id": "b", "at": 3, "of": 2}), "envelope"),
        (as_line({"kind": "claim", "id": "c1"}, batch={"id": "b", "at": 1, "of": 10**6}), "envelope"),
        (as_line({"kind": "claim", "id": "c1"}, v="1"), "field"),
        (as_line({"kind": "claim", "id": "c1"}, v=0), "field"),
    ],
)
def test_what_is_no_line_is_refused_with_file_line_and_a_stable_word(raw, code):
    with pytest.raises(LedgerError) as caught:
        read_line(raw, "ledger.jsonl", 7)
    assert caught.value.code == code
    assert str(caught.value).startswith("ledger.jsonl:7: ")
    assert len(str(caught.value)) < 400
    assert wire.fast_line(raw, "ledger.jsonl", 7) is None


def test_a_line_separator_inside_a_string_ends_no_line():
    line, raw = seal(Claim(id="c1", text="a\u2028b\u2029c\x85d\x0ce"), prev=(), time=TIME)
    assert raw.count(b"\n") == 1
    assert read_line(raw) == line


def test_what_a_later_version_wrote_is_told_from_what_is_damaged():
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"kind": "vow", "id": "v1", "weight": 1.5}, {}, "unknown-kind"),
        ({"kind": "claim", "id": "c1", "weight": 1.5}, {}, "unknown-field"),
        ({"kind": "claim", "id": "c1"}, {"signature": {"hash": "x"}}, "unknown-field"),
        ({"kind": "claim", "id": "c1", "supersedes": [{"id": "c2", "why": 1}]}, {}, "unknown-field"),
        ({"kind": "claim"}, {"v": 2}, "unknown-version"),
    ]
    for body, envelope, kind in cases:
        fields: dict[str, Any] = {"body": body, "prev": [], "time": TIME, "v": 1, **envelope}
        raw = rfc8785.dumps({**fields, "hash": hashlib.sha256(rfc8785.dumps(fields)).hexdigest()})
        line, findings = strict.slow_line(raw, "x", 1)
        assert [finding.kind for finding in findings] == [kind]
        assert isinstance(line, Line) == (kind == "unknown-field")
        with pytest.raises(LedgerError, match=r"unknown field|does not know"):
            read_line(raw)


@pytest.mark.parametrize(
    ("record", "code"),
    [
        (Claim(id="a b"), "id"),
        (Claim(id="x", text=5), "field"),  # type: ignore[arg-type]
        (Claim(id="x", text="\ud800"), "record"),
        (Claim(id="", text="\ud800"), "record"),
        (Claim(id="x", text="y" * wire.MAX_LINE), "line-length"),
        (Claim(id="x", state="ok"), "field"),  # type: ignore[arg-type]
        (Decision(id="d", choice=""), "field"),
        (Decision(id="d", choice="x", environment={"a": object()}), "record"),  # type: ignore[dict-item]
        (Decision(id="d", choice="x", alternatives=5), "record"),  # type: ignore[arg-type]
        (Nogood(id="n", members=("a",)), "field"),
        (Void(target="a" * 64, field="supports", position=2**53), "record"),
        (Void(target="a" * 64, field="supports"), "field"),
        (Void(target="no hash"), "field"),
        (Review(citing="", cited="b", head="c"), "field"),
        (None, "field"),
    ],
)
def test_a_record_that_no_reader_would_take_back_is_not_sealed(record, code):
    with pytest.raises(RecordError) as caught:
        seal(record, prev=(), time=TIME)
    assert caught.value.code == code


def test_equal_content_gives_an_equal_id_whatever_the_envelope():
    one, _ = seal(Question(id="", text="Which?"), prev=(), time=TIME, author="ann")
    two, _ = seal(Question(id="", text="Which?"), prev=["a" * 64], time=TIME, author="bob")
    assert one.record == two.record
    assert one.hash != two.hash
    assert one.record.id.startswith("q-")  # type: ignore[union-attr]
    other, _ = seal(Hypothesis(id="", text="Which?"), prev=(), time=TIME)
    assert other.record.id.startswith("h-")  # type: ignore[union-attr]
