"""What may stand at the cursor of a query: functions, stages, fields, kinds, verbs, values, ids. Needs no terminal."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from query.fields import FIELDS, SETS, Column
from query.functions import FUNCTIONS
from query.printer import id_text
from query.stages import STAGES
from tms.graph import Graph
from tms.model import VERBS, Mark

MOST_IDS = 100
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`\n]*`|[\w$.:/\-]+|[|(),]|[<>=!~]+')
_WORD = re.compile(r"`[^`\n]*$|[\w.:/\-]*$")
_HIDDEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`\n]*`|#[^\n]*')
_OPERATORS = {"union": "in either", "intersect": "in both", "except": "in the first only"}
_IDS = frozenset(("id", "supports", "depends_on", "answers", "members", "supersedes", "superseded_by", "cited_by"))


class Offer(NamedTuple):
    """Something to put at the cursor, and a word about it."""

    text: str
    about: str = ""


def unfinished(text: str) -> bool:
    """Whether a query goes on on the next line: a bracket is open, or a `|` is the last thing. An empty line ends it.

    >>> [unfinished(text) for text in ("blocked(", "claims |", 'claims | where text ~ "("', "claims |\\n")]
    [True, True, False, False]
    """
    if "\n" in text and not text.rpartition("\n")[2].strip():
        return False
    bare = _HIDDEN.sub(" ", text).rstrip()
    return bare.endswith("|") or bare.count("(") > bare.count(")")


def says_nothing(text: str) -> bool:
    """Whether there is nothing but blanks and comments.

    >>> says_nothing(" # a comment"), says_nothing("claims # a comment")
    (True, False)
    """
    return not re.sub("#[^\n]*", "", text).strip()


def offers(before: str, graph: Graph, commands: dict[str, str]) -> tuple[int, list[Offer]]:
    """How many characters before the cursor are replaced, and by what; `commands` are those of the shell."""
    if before.startswith(":"):
        return _of_command(before, graph, commands)
    if '"' in _HIDDEN.sub("", before) or "#" in before.rpartition("\n")[2]:  # within a text, or in a comment
        return 0, []
    found = _WORD.search(before)
    word = found.group() if found else ""
    tokens = _TOKEN.findall(before[: len(before) - len(word)])
    return len(word), list(_fitting(word, _wanted(tokens, graph), graph))


def _of_command(before: str, graph: Graph, commands: dict[str, str]) -> tuple[int, list[Offer]]:
    name, blank, rest = before.partition(" ")
    word = rest.rpartition(" ")[2] if blank else name
    if not blank:
        there = [Offer(*item) for item in commands.items()]
    elif name == ":assuming":
        return offers(f"assuming {rest}", graph, {})
    elif name == ":as-of":
        there = _marks(graph)
    else:
        there = [*_functions(), *_stages(), *_fields([])] if name == ":help" else []
    return len(word), [offer for offer in there if offer.text.startswith(word)]


class _Wanted(NamedTuple):
    """What fits: some words, and whether ids do."""

    words: Sequence[Offer] = ()
    ids: bool = False


def _fitting(word: str, wanted: _Wanted, graph: Graph) -> Iterator[Offer]:
    low = word.lower()
    yield from (offer for offer in wanted.words if offer.text.lower().startswith(low))
    if wanted.ids:
        start = word.removeprefix("`")
        ids = graph.ids()
        first = bisect_left(ids, start)
        for name in ids[first : first + MOST_IDS]:
            if name.startswith(start):
                yield Offer(f"`{name}`" if word.startswith("`") else id_text(name), graph.text(name)[:50])


def _wanted(tokens: Sequence[str], graph: Graph) -> _Wanted:
    if "|" in tokens:
        return _in_stage(tokens[_last(tokens, "|") + 1 :], _columns(tokens[: tokens.index("|")]))
    last = tokens[-1] if tokens else ""
    is_open = tokens.count("(") > tokens.count(")")
    before_set = not tokens or (tokens[0] in ("assuming", "as") and not is_open)
    if last == "assuming" or (before_set and last == ","):
        return _Wanted([Offer(verb, f"a {kind}") for verb, (kind, _) in VERBS.items()])
    if list(tokens[-2:]) == ["as", "of"] or (is_open and _called(tokens) == "changed"):
        return _Wanted([Offer(m.text if id_text(m.text) == m.text else f'"{m.text}"', m.about) for m in _marks(graph)])
    if last == "as":
        return _Wanted([Offer("of")])
    if last in VERBS and before_set:
        return _Wanted(ids=True)
    sets = [*_functions(), *(Offer(name, "all of them") for name in SETS)]
    if last in ("(", ",", *_OPERATORS):
        return _Wanted(sets, ids=True)
    if not tokens:
        return _Wanted([*sets, Offer("assuming", "as if judged so"), Offer("as of", "as it was")], ids=True)
    joins = [Offer(*item) for item in _OPERATORS.items()]
    return _Wanted([*joins, *sets, Offer("as of", "as it was")], ids=True) if before_set else _Wanted(joins)


def _called(tokens: Sequence[str]) -> str:
    """The function whose bracket was opened last."""
    opened = _last(tokens, "(")
    return tokens[opened - 1] if opened > 0 else ""


def _in_stage(tokens: Sequence[str], columns: dict[str, Column]) -> _Wanted:
    if not tokens:
        return _Wanted(list(_stages()))
    fields = [Offer(name, column.about) for name, column in columns.items()]
    stage, last = tokens[0], tokens[-1]
    if stage == "where":
        return _in_where(tokens, columns, fields)
    if stage == "count" and last == "count":
        return _Wanted([Offer("by")])
    if (stage, last) in (("sort", "sort"), ("select", "select"), ("count", "by")) or last == ",":
        return _Wanted(fields)
    return _Wanted([Offer("desc", "the last first")] if stage == "sort" else [])


def _in_where(tokens: Sequence[str], columns: dict[str, Column], fields: Sequence[Offer]) -> _Wanted:
    last = tokens[-1]
    if last in ("and", "or", "not", "where") or (last == "(" and tokens[-2:-1] != ["in"]):
        return _Wanted([*fields, Offer("not")])
    if last == "is":
        return _Wanted([Offer("null", "nothing is recorded"), Offer("not null")])
    if last in columns:
        return _Wanted([Offer(word) for word in ("in (", "not in (", "is null", "is not null")])
    asked = _asked(tokens)
    if asked is None:
        return _Wanted([Offer("and"), Offer("or")])
    column = columns.get(asked, Column(""))
    named = ("yes", "no") if column.type == "yes" else filter(None, column.values)
    return _Wanted([Offer(value) for value in named], ids=asked in _IDS)


def _asked(tokens: Sequence[str]) -> str | None:
    """The field of which a value is expected: behind an operator, or in the list behind `in`."""
    before = list(tokens)
    if before[-1] in ("(", ","):
        before = before[: max(0, _last(tokens, "("))]
        if before[-1:] != ["in"]:
            return None
        if before[-2:-1] == ["not"]:
            del before[-2]
    elif before[-1][0] not in "<>=!~":
        return None
    return before[-2] if len(before) > 1 else None


def _last(tokens: Sequence[str], wanted: str) -> int:
    """The place of the last of some tokens; -1 where there is none."""
    return max((place for place, token in enumerate(tokens) if token == wanted), default=-1)


def _columns(tokens: Iterable[str]) -> dict[str, Column]:
    """The columns of the functions that are called, then the fields of nodes."""
    own = {c.name: c for name in tokens if name in FUNCTIONS for c in FUNCTIONS[name].columns}
    return own | {name: field.column for name, field in FIELDS.items() if name not in own}


def _functions() -> Iterator[Offer]:
    return (Offer(f"{name}(", function.about) for name, function in FUNCTIONS.items())


def _stages() -> Iterator[Offer]:
    return (Offer(name, stage.about) for name, stage in STAGES.items())


def _fields(tokens: Iterable[str]) -> Iterator[Offer]:
    return (Offer(name, column.about) for name, column in _columns(tokens).items())


@lru_cache(maxsize=1)
def _marks(graph: Graph) -> list[Offer]:
    names = dict.fromkeys(line.record.name for line in graph.lines if isinstance(line.record, Mark))
    return [Offer(name, "a mark") for name in sorted(names)]
