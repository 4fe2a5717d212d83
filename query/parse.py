"""Text into syntax nodes, by lark (LALR, the grammar in `grammar.lark`), with every failure as a `QueryError`.

The nodes are built while the parser reduces, so that no tree is walked and no depth of the text can exhaust the stack;
what a query may hold is bounded all the same.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from importlib import resources
from typing import Any, NamedTuple

from query import nodes as n
from query.errors import Problem, QueryError, near

LONGEST = 50_000  # characters
DEEPEST = 100  # brackets and functions inside one another
_PIECES = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`\n]+`|(?<!\S)#[^\n]*|\s+|[\w.:/\-]+|.')
_STAGES = ("where", "sort", "select", "count", "limit", "explain", "graph")
_KEYWORDS = ("assuming", "as", "of", "union", "intersect", "except", *_STAGES)
_SMALL = ("and", "or", "not", "in", "is", "null", "by")
_SAID = {
    "RPAR": "`)`",
    "LPAR": "`(`",
    "VBAR": "`|`",
    "COMMA": "`,`",
    "WORD": "a word",
    "OPERATOR": "union, intersect or except",
    "STRING": "a text",
    "COMPARE": "= != < <= > >= ~",
    "NUMBER": "a number",
    "DATE": "a date",
    "QUOTED": "an id in back-ticks",
    "$END": "the end",
}


@lru_cache(maxsize=256)
def parse(text: str) -> n.Query:
    """The query that a text means. Raises `QueryError`; equal texts are parsed once.

    >>> parse("blocked(decisions) | limit 5").stages
    (Limit(count=Literal(kind='number', text='5')),)
    """
    found: n.Query = _parsed(text, "query")
    return found


def parse_changes(text: str) -> tuple[n.Change, ...]:
    """The judgements behind `assuming`, without a query. Raises `QueryError`.

    >>> [change.verb for change in parse_changes("assuming dispute c1, revoke d2")]
    ['dispute', 'revoke']
    """
    found: _Viewpoint = _parsed(text, "viewpoint")
    return found.changes


def _parsed(text: str, start: str) -> Any:
    from lark.exceptions import UnexpectedInput

    if len(text) > LONGEST:
        said = f"a query may have {LONGEST:,} characters; this one has {len(text):,}"
        raise QueryError(text[:80], [Problem("too-long", said, n.Span(0, 1))])
    _check_depth(text)
    try:
        return _parser().parse(text, start=start)
    except UnexpectedInput as error:
        raise QueryError(text, [_problem(text, error)]) from None


def _check_depth(text: str) -> None:
    """Brackets inside one another, and each `not` before what it denies; none of them inside quotes or remarks."""
    outside: list[int] = []  # for each open bracket, how many `not` stood directly before it
    denied = 0  # how many of them deny what comes next
    for piece in _PIECES.finditer(text):
        word = piece.group()
        if word == "(":
            outside.append(denied)
        elif word == ")":
            denied = outside.pop() if outside else 0
        elif word == "not":
            denied += 1
        elif not word.isspace() and not word.startswith("#"):
            denied = outside[-1] if outside else 0
        if len(outside) + denied > DEEPEST:
            said = f"brackets and `not` may stand in one another {DEEPEST} deep"
            raise QueryError(text, [Problem("too-deep", said, n.Span(*piece.span()))])


@lru_cache(maxsize=1)
def _parser() -> Any:
    import lark

    grammar = resources.files("query").joinpath("grammar.lark").read_text("utf-8")
    return lark.Lark(grammar, start=["query", "viewpoint"], parser="lalr", transformer=_Builder(), keep_all_tokens=True)


def _problem(text: str, error: Any) -> Problem:
    """What lark could not go on with, in the reader's words."""
    start = min(error.pos_in_stream if error.pos_in_stream is not None else len(text), len(text))
    token = getattr(error, "token", None)
    expected = set(getattr(error, "expected", None) or getattr(error, "allowed", None) or ())
    if text.count("(", 0, start) == text.count(")", 0, start):  # nothing is open
        expected -= {"RPAR"}
    if token is not None and token.type == "$END":
        end = len(text.rstrip())
        return Problem("incomplete", f"the query ends too early; {_expected(expected)}", n.Span(end, end + 1))
    word = str(token) if token is not None else text[start]
    span = n.Span(start, start + len(word))
    if word == '"' or word == "`":
        return Problem("unclosed", f"this quote is not closed on its line: {word}", span)
    return Problem(
        "syntax", f"{word[:40]} is not expected here; {_expected(expected)}", span, near(word, _words(expected))
    )


def _words(expected: set[str]) -> list[str]:
    found = [name.lower() for name in expected if name.lower() in _KEYWORDS]
    return [*found, *(["union", "intersect", "except"] if "OPERATOR" in expected else [])]


def _expected(expected: set[str]) -> str:
    if "WHERE" in expected:
        return f"expected a stage: {', '.join(_STAGES)}"
    said = [_SAID[name] for name in _SAID if name in expected]
    said += sorted(name.lower() for name in expected if name.lower() in (*_KEYWORDS, *_SMALL))
    if not said:
        return "nothing fits here"
    return "expected " + (f"{', '.join(said[:-1])} or {said[-1]}" if len(said) > 1 else said[0])


# -- building the nodes ------------------------------------------------------------------------------------------


def _start(item: Any) -> int:
    return int(item.span.start if hasattr(item, "span") else item.start_pos)


def _end(item: Any) -> int:
    return int(item.span.end if hasattr(item, "span") else item.end_pos)


def _span(items: list[Any]) -> n.Span:
    return n.Span(_start(items[0]), _end(items[-1]))


def _nodes(items: list[Any]) -> list[Any]:
    return [item for item in items if hasattr(item, "span")]


class _Builder:
    """One method a rule of the grammar, called by lark with what the rule is made of, tokens included."""

    def query(self, items: list[Any]) -> n.Query:
        assuming: tuple[n.Change, ...] = ()
        point, sets, stages = None, None, list[Any]()
        for item in items:
            if isinstance(item, _Stage):
                stages.append(item.stage)
            elif isinstance(item, _Viewpoint):
                assuming = item.changes
            elif isinstance(item, _At):
                point = item.point
            else:
                sets = item
        assert sets is not None  # the grammar has exactly one
        return n.Query(assuming, point, sets, tuple(stages), _span(items))

    def viewpoint(self, items: list[Any]) -> _Viewpoint:
        return _Viewpoint(tuple(item for item in items if isinstance(item, n.Change)), _span(items))

    def change(self, items: list[Any]) -> n.Change:
        return n.Change(str(items[0]), items[1], _span(items), _span(items[:1]))

    def at(self, items: list[Any]) -> _At:
        return _At(items[-1], _span(items))

    def point(self, items: list[Any]) -> n.Literal | n.Param:
        found = _value(items[0])
        return n.Literal("word", found.text, found.span) if isinstance(found, n.Name) else found

    def set(self, items: list[Any]) -> n.Set:
        if len(items) == 1:
            only: n.Set = items[0]
            return only
        rest = tuple((str(op), each) for op, each in zip(items[1::2], items[2::2], strict=True))
        return n.Combined(items[0], rest, _span(items))

    def bracketed(self, items: list[Any]) -> Any:
        return replace(items[1], span=_span(items))

    def call(self, items: list[Any]) -> n.Call:
        return n.Call(str(items[0]), tuple(_nodes(items)), _span(items), _span(items[:1]))

    def literal(self, items: list[Any]) -> n.Value:
        return _value(items[0])

    def name(self, items: list[Any]) -> n.Name | n.Param:
        found = _value(items[0])
        assert not isinstance(found, n.Literal)  # the grammar allows none here
        return found

    def stage(self, items: list[Any]) -> _Stage:
        return _Stage(items[1], _span(items))

    def where(self, items: list[Any]) -> n.Where:
        return n.Where(items[1], _span(items))

    def sort(self, items: list[Any]) -> n.Sort:
        return n.Sort(tuple(item.key for item in items if isinstance(item, _Key)), _span(items))

    def key(self, items: list[Any]) -> _Key:
        return _Key((items[0], str(items[-1]) == "desc"), _span(items))

    def select(self, items: list[Any]) -> n.Select:
        return n.Select(tuple(_nodes(items)), _span(items))

    def count(self, items: list[Any]) -> n.Count:
        return n.Count(tuple(_nodes(items)), _span(items))

    def limit(self, items: list[Any]) -> n.Limit:
        found = _value(items[1])
        assert not isinstance(found, n.Name)  # the grammar allows none here
        return n.Limit(found, _span(items))

    def explain(self, items: list[Any]) -> n.Explain:
        return n.Explain(_span(items))

    def graph(self, items: list[Any]) -> n.Diagram:
        return n.Diagram(_span(items))

    def any(self, items: list[Any]) -> n.Condition:
        found = _nodes(items)
        one: n.Condition = found[0]
        return one if len(found) == 1 else n.AnyOf(tuple(found), _span(items))

    def all(self, items: list[Any]) -> n.Condition:
        found = _nodes(items)
        one: n.Condition = found[0]
        return one if len(found) == 1 else n.All(tuple(found), _span(items))

    def negated(self, items: list[Any]) -> n.Not:
        return n.Not(items[1], _span(items))

    def compare(self, items: list[Any]) -> n.Compare:
        return n.Compare(items[0], str(items[1]), items[2], _span(items))

    def one_of(self, items: list[Any]) -> n.OneOf:
        return n.OneOf(items[0], tuple(_nodes(items)[1:]), False, _span(items))

    def none_of(self, items: list[Any]) -> n.OneOf:
        return n.OneOf(items[0], tuple(_nodes(items)[1:]), True, _span(items))

    def is_null(self, items: list[Any]) -> n.IsNull:
        return n.IsNull(items[0], False, _span(items))

    def is_not_null(self, items: list[Any]) -> n.IsNull:
        return n.IsNull(items[0], True, _span(items))

    def field(self, items: list[Any]) -> n.Field:
        return n.Field(str(items[0]), _span(items))

    def value(self, items: list[Any]) -> n.Value:
        found = _value(items[0])
        if isinstance(found, n.Name) and not found.quoted:
            return n.Literal("word", found.text, found.span)
        return found


class _Viewpoint(NamedTuple):
    """What stands behind `assuming`, until the query is whole."""

    changes: tuple[n.Change, ...]
    span: n.Span


class _At(NamedTuple):
    """What stands behind `as of`, until the query is whole."""

    point: n.Literal | n.Param
    span: n.Span


class _Stage(NamedTuple):
    """A stage with its bar, until the query is whole."""

    stage: n.Stage
    span: n.Span


class _Key(NamedTuple):
    """One key of `sort`, until its stage is whole."""

    key: tuple[n.Field, bool]
    span: n.Span


_KINDS = {"STRING": "text", "DATE": "date", "NUMBER": "number", "HEX": "hex"}


def _value(token: Any) -> n.Value:
    text, span = str(token), n.Span(token.start_pos, token.end_pos)
    if token.type == "PARAM":
        return n.Param(text[1:], span)
    if token.type == "WORD":
        return n.Name(text, False, span)
    if token.type == "QUOTED":
        return n.Name(text[1:-1], True, span)
    if token.type == "STRING":
        return n.Literal("text", _unescaped(text[1:-1]), span)
    return n.Literal(_KINDS[token.type], text, span)


def _unescaped(text: str) -> str:
    r"""Backslash and the next character: a new line for n, a tab for t, else that character.

    >>> _unescaped(r'a \"b\" \\ c')
    'a "b" \\ c'
    """
    pieces, rest = [], iter(text)
    for character in rest:
        if character == "\\":
            following = next(rest)
            character = {"n": "\n", "t": "\t"}.get(following, following)
        pieces.append(character)
    return "".join(pieces)
