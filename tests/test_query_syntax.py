"""Text and syntax nodes: printing and parsing undo one another, places are right, and no text is too much."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query import nodes as n
from query.errors import QueryError, width
from query.parse import parse
from query.printer import text_of

WORD = st.from_regex(r"[a-z_][a-z0-9_.:/\-]{0,6}", fullmatch=True)
FIRST = "assuming as of union intersect except where sort select count limit explain graph"
KEYWORDS = [*FIRST.split(), *"by and or not in is null asc desc".split()]  # noqa: SIM905
plain = WORD.filter(lambda word: word not in KEYWORDS)
quoted = st.text(st.characters(blacklist_characters="`\n", blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=8)
names = plain.map(n.Name) | quoted.map(lambda text: n.Name(text, True))
params = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,5}", fullmatch=True).map(n.Param)
numbers = st.integers(0, 10**9).map(lambda count: n.Literal("number", str(count)))
dates = st.dates().map(lambda day: n.Literal("date", day.isoformat()))
texts = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8).map(lambda text: n.Literal("text", text))
values = st.one_of(numbers, dates, texts, params, plain.map(lambda w: n.Literal("word", w)))


def calls(sets: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    arguments = st.lists(st.one_of(sets, numbers, dates, texts), max_size=3).map(tuple)
    joins = st.lists(st.tuples(st.sampled_from(("union", "intersect", "except")), sets), min_size=1, max_size=3)
    combined = st.tuples(sets, joins)
    return st.builds(n.Call, plain, arguments) | combined.map(lambda pair: n.Combined(pair[0], tuple(pair[1])))


sets = st.recursive(names | params, calls, max_leaves=6)
fields = plain.map(n.Field)
comparisons = st.one_of(
    st.builds(n.Compare, fields, st.sampled_from(("=", "!=", "<", "<=", ">", ">=", "~")), values),
    st.builds(n.OneOf, fields, st.lists(values, min_size=1, max_size=3).map(tuple), st.booleans()),
    st.builds(n.IsNull, fields, st.booleans()),
)


def joined(conditions: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(conditions, min_size=2, max_size=3).map(tuple)
    return several.map(n.All) | several.map(n.AnyOf) | conditions.map(n.Not)


conditions = st.recursive(comparisons, joined, max_leaves=5)
stages = st.one_of(
    conditions.map(n.Where),
    st.lists(st.tuples(fields, st.booleans()), min_size=1, max_size=3).map(lambda keys: n.Sort(tuple(keys))),
    st.lists(fields, min_size=1, max_size=3).map(lambda found: n.Select(tuple(found))),
    st.lists(fields, max_size=3).map(lambda found: n.Count(tuple(found))),
    (numbers | params).map(n.Limit),
    st.builds(n.Explain),
    st.builds(n.Diagram),
)
points = st.one_of(dates, texts, numbers, params, plain.map(lambda word: n.Literal("word", word)))
changes = st.builds(n.Change, plain, names | params)
queries = st.builds(
    n.Query, st.lists(changes, max_size=2).map(tuple), st.none() | points, sets, st.lists(stages, max_size=3).map(tuple)
)


@given(queries)
@settings(max_examples=400)
def test_parsing_what_is_printed_gives_the_same_nodes(query: n.Query) -> None:
    """For any nodes that the grammar can mean; the places do not count."""
    assert parse(text_of(query)) == query


def test_a_place_in_the_text_is_that_of_the_words() -> None:
    """Of names, calls and fields; offsets in characters, whatever stands before."""
    text = "grounds(`決定 🧪`) | where status = in"
    query = parse(text)
    assert isinstance(query.set, n.Call)
    (name,) = query.set.arguments
    (where,) = query.stages
    assert isinstance(where, n.Where)
    assert isinstance(where.condition, n.Compare)
    spans = [query.set.name_span, name.span, where.condition.field.span, where.condition.value.span]
    assert [text[s.start : s.end] for s in spans] == ["grounds", "`決定 🧪`", "status", "in"]


@pytest.mark.parametrize("before", ["", "`決定`", "`🧪🧪`", "`e\u0301`", "`a\u200d`", '"\t"'])
def test_the_caret_stands_under_the_word(before: str) -> None:
    """Also behind wide characters, emoji, combining marks and tabs: as many columns in as a terminal gives them."""
    text = f"claims intersect grounds({before}) | wher"
    with pytest.raises(QueryError) as caught:
        parse(text)
    line, carets = str(caught.value).splitlines()[-2:]
    assert carets.endswith("^^^^")
    assert width(carets) - 4 == width(line[: line.index("wher")])


@pytest.mark.parametrize(
    "text",
    [
        "a" + " union a" * 20_000,
        "(" * 10_000 + "a",
        "grounds(" * 10_000 + "a",
        "a | where " + "not " * 10_000 + "id = a",
        "a | where " + "(" * 10_000 + "id = a",
        "a | where id = a" + " or id = a" * 20_000,
        "",
        "   ",
        "|",
        "a |",
        '"',
        "`",
        "\x00",
        "$",
        "a # only a remark",
    ],
)
def test_too_much_or_nothing_is_one_clear_error(text: str) -> None:
    """Never a recursion error; and as data it has its place."""
    if text.startswith("a #"):
        assert parse(text).set == n.Name("a")
        return
    with pytest.raises(QueryError) as caught:
        parse(text)
    error = caught.value.as_json()["error"]
    assert set(error) == {"code", "message", "line", "column", "end_column", "suggestions"}
    assert 1 <= error["column"] < error["end_column"]
    assert len(str(caught.value)) < 2_000
