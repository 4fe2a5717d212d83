"""Records as they are typed: JSON lines or one array; every mistake is named with its line."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tms.errors import RecordError
from tms.ledger.intake import parse_records, with_id
from tms.model import Assess, Claim, Relate


def test_lines_and_an_array_say_the_same():
    one, two = '{"kind":"claim","id":"c1"}', '{"kind":"question","id":"q1","text":"[a]"}'
    as_lines = parse_records(f"{one}\n\n{two}\r\n".encode(), "stdin")
    as_array = parse_records(f" [ {one} ,\n {two} ]\n".encode(), "stdin")
    assert as_lines == as_array
    assert [record.id for record in as_lines] == ["c1", "q1"]  # type: ignore[union-attr]


@pytest.mark.parametrize("text", [b"", b"\n\n", b"[]", b" [ ] "])
def test_nothing_is_no_records(text):
    assert parse_records(text, "stdin") == []


def test_later_lines_are_taken_like_nodes():
    text = (
        b'{"kind":"assess","node":"c1","state":"disputed"}\n'
        b'{"kind":"relate","relation":"supports","source":"c1","targets":[]}'
    )
    assert parse_records(text, "stdin") == [
        Assess(node="c1", state="disputed"),
        Relate(relation="supports", source="c1", targets=()),
    ]


def test_an_absent_id_and_an_empty_one_are_derived_from_the_content_alone():
    texts = [b'{"kind":"claim","text":"so"}', b'{"text":"so","id":"","kind":"claim","state":"unassessed"}']
    ids = {record.id for text in texts for record in parse_records(text, "stdin")}  # type: ignore[union-attr]
    assert ids == {with_id(Claim(id="", text="so")).id}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b'{"kind":"claim","id":"a b"}', "stdin:1: id: not an id; expected 1 to 200 characters"),
        (b'{"kind":"claim","suports":[]}', "stdin:1: unknown field 'suports'; did you mean 'supports'?"),
        (b'{"kind":"claim","hash":"x"}', "stdin:1: unknown field 'hash'"),
        (b'[{"kind":"claim"},\n\n{"kind":"clam"}]', "stdin:3: unknown kind \"clam\"; did you mean 'claim'?"),
        (b'{"kind":"claim"}\n\n{"kind":5}', "stdin:3: unknown kind 5; expected one of claim, decision,"),
        (b'{"id":"c1"}', 'stdin:1: no "kind"; expected one of claim'),
        (
            b'{"kind":"claim","state":"ok"}',
            "stdin:1: state: no such word 'ok'; expected one of 'unassessed', 'accepted'",
        ),
        (b'{"kind":"assess","node":"c","state":"ok"}', "expected one of 'unassessed', 'accepted'"),
        (b'{"kind":"claim","supersedes":[{"id":"c","reason":"so"}]}', "'restate', 'revise', 'reverse'"),
        (b'{"kind":"decision","id":"d1"}', "stdin:1: Object missing required field `choice`"),
        (b'{"kind":"decision","choice":"x","alternatives":[{"kye":"a"}]}', "unknown field 'kye'; did you mean 'key'?"),
        (b'{"kind":"decision","choice":"x","alternatives":[{"key":"a"},{"key":"a"}]}', "the key 'a' occurs twice"),
        (b'{"kind":"assess","node":"c1","state":"accepted","replaces":["abc"]}', "replaces[0]: not a hash"),
        (b'{"kind":"nogood","members":["a"]}', "stdin:1: members: Expected `array` of length >= 2"),
        (b'{"kind":"relate","relation":"answers","source":"a","targets":[]}', "targets: empty"),
        (
            b'{"kind":"relate","relation":"answers","source":"a","targets":["q"],"reason":"revise"}',
            "answers takes none",
        ),
        (b'{"kind":"void","target":"' + b"a" * 64 + b'","position":1}', "expected the field"),
        (b'{"kind":"void","target":"' + b"a" * 64 + b'","field":"alternatives"}', "expected the key"),
        (b"[1,2]", 'stdin:1: 1 is not a record; expected an object with a "kind"'),
        (b"null", "stdin:1: null is not a record"),
        (b'[{"kind":"claim"} {"kind":"claim"}]', "stdin:1: expected a comma or the end of the array"),
        (b'[{"kind":"claim"},]', "stdin:1: expected a record behind the comma"),
        (b'[{"kind":"claim"}] 1', "stdin:1: expected nothing behind the array"),
        (b'[{"kind":"claim",\n"text":tru}]', "stdin:2: not JSON"),
        (b'{"kind":"claim",\n"text":"x"}', "stdin:1: not JSON"),
        (b'{"kind":"claim","text":"\\ud800"}', "stdin:1: a lone surrogate"),
        (b'[{"kind":"claim"},\n{"kind":"claim","a":1,"a":2}]', "stdin:2: the key 'a' occurs twice"),
        (b'{"kind":"claim"}\n\xff', "stdin:2: invalid UTF-8 at byte 1"),
        (b"[" * 100_000, "stdin:1: nested 100000 deep"),
        (b"<<<<<<< ours", "stdin:1: a conflict marker"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_what_was_expected(text, said):
    with pytest.raises(RecordError) as caught:
        parse_records(text, "stdin")
    assert said in str(caught.value)


def test_a_byte_order_mark_before_typed_records_is_forgiven():
    assert parse_records(b'\xef\xbb\xbf{"kind":"claim","id":"c1"}', "stdin") == [Claim(id="c1")]


@given(st.one_of(st.binary(max_size=40), st.text('{}[]",:\\ \nkindclaim1.eE-', max_size=40).map(str.encode)))
def test_no_input_ends_in_anything_but_records_or_a_record_error(text):
    with suppress(RecordError):
        parse_records(text, "stdin")
