"""The page about the ledger and the published schema say what the code does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from tests.test_ledger_format import BODIES, TIME
from tms.errors import RecordError
from tms.ledger import strict, wire
from tms.ledger.format import seal
from tms.ledger.intake import parse_records
from tms.ledger.schema import schema, text
from tms.ledger.writer import append
from tms.model import Batch, Claim, Record

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ledger.md").read_text(encoding="utf-8")
SOURCE = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "tms" / "ledger").glob("*.py")))
VALIDATOR = jsonschema.Draft202012Validator(schema())


def fenced(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_published_schema_is_that_of_the_types():
    jsonschema.Draft202012Validator.check_schema(schema())
    assert (ROOT / "docs" / "ledger.schema.json").read_text(encoding="utf-8") == text()


@settings(max_examples=50)
@given(BODIES)
def test_every_line_that_is_written_fits_the_schema(body):
    try:
        _, raw = seal(
            msgspec.convert(body, Record), prev=["0" * 64], time=TIME, author="ann", batch=Batch(id="b", at=1, of=2)
        )
    except RecordError:
        return
    VALIDATOR.validate(json.loads(raw))


@pytest.mark.parametrize(
    "change", [{"v": 2}, {"time": "today"}, {"prev": ["x"]}, {"mood": "good"}, {"body": {"kind": "claim"}}]
)
def test_what_is_no_line_does_not_fit_the_schema(change):
    _, raw = seal(Claim(id="c1"), prev=(), time=TIME)
    assert not VALIDATOR.is_valid({**json.loads(raw), **change})


def test_the_hash_is_recomputed_as_the_page_says(tmp_path, monkeypatch):
    (code,) = fenced("python")
    assert len(code.splitlines()) <= 5
    monkeypatch.chdir(tmp_path)
    text = '"hash":"' + "0" * 64 + '",'
    append("ledger.jsonl", [Claim(id="c1", text="grün"), Claim(id="c2", text=text)])
    exec(code, {})
    Path("ledger.jsonl").write_bytes(Path("ledger.jsonl").read_bytes().replace("grün".encode(), b"blau"))
    with pytest.raises(AssertionError):
        exec(code, {})


def test_the_examples_of_records_are_records_and_show_every_kind():
    (examples,) = fenced("json")
    records = parse_records(examples.encode(), "ledger.md")
    assert {*strict.KINDS.values()} - {type(record) for record in records} == {
        strict.KINDS["claim"],
        strict.KINDS["decision"],
    }


def test_every_field_is_on_the_page():
    structs: set[Any] = {wire.Sealed, Batch, *strict.KINDS.values(), *strict.NESTED.values()}
    names = {field.name for struct in structs for field in msgspec.structs.fields(struct)}
    assert {name for name in names if f"`{name}`" not in PAGE and f'"{name}":' not in PAGE} == set()


def test_every_word_for_what_is_refused_or_reported_is_on_the_page():
    words = set(re.findall(r'(?:Bad|_fault|_note)\(\s*"([a-z0-9-]+)"', SOURCE))
    words |= set(re.findall(r'Finding\(\s*kind="([a-z-]+)"', SOURCE))
    checks = (ROOT / "tms" / "checks.py").read_text(encoding="utf-8")
    words |= set(re.findall(r'kind="([a-z-]+)"', checks))
    assert len(words) > 30
    assert {word for word in words if f"`{word}`" not in PAGE} == set()


def test_the_limits_on_the_page_are_those_of_the_code():
    for limit in (wire.MAX_LINE, wire.MAX_DEPTH, wire.MAX_BATCH, wire.MAX_LINES):
        assert f"| {limit:,} |" in PAGE


def test_the_four_words_of_verify_are_on_the_page():
    for word in ("intact", "fork", "incomplete history", "damaged"):
        assert f"| **{word}** |" in PAGE
        assert f'"{word}"' in SOURCE
