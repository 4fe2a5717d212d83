"""What is wrong with a query, shown under the text with a caret.

>>> error = QueryError("blocked(decisons)", [Problem("unknown-name", "no node or kind is named decisons", Span(8, 16),
...     ("decisions",))])
>>> print(error)
no node or kind is named decisons; did you mean decisions?
  1 | blocked(decisons)
    |         ^^^^^^^^
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from query.nodes import Span
from tms.errors import UsageError
from tms.plain import one_line, safe

MOST_SHOWN = 5
MOST_SUGGESTED = 5
_WIDEST = 120


class Problem(NamedTuple):
    """One thing that is wrong: a stable code, what was expected, where, and what was probably meant."""

    code: str
    message: str
    span: Span
    suggestions: tuple[str, ...] = ()


class QueryError(UsageError):
    """A query that cannot be run. `problems` holds everything that was found; `text` is the query."""

    def __init__(self, text: str, problems: Sequence[Problem]) -> None:
        self.text = text
        self.problems = tuple(problems)
        super().__init__(self._shown(), code=self.problems[0].code)

    def _shown(self) -> str:
        shown = [shown_at(self.text, problem) for problem in self.problems[:MOST_SHOWN]]
        left = len(self.problems) - len(shown)
        return "\n".join([*shown, *([f"... and {left} more"] if left else [])])

    def as_json(self) -> dict[str, Any]:
        """The first problem, and `more` where there are others; lines and columns start at 1."""
        first, *others = (_as_json(self.text, problem) for problem in self.problems)
        return {"error": first, **({"more": others} if others else {})}


def _as_json(text: str, problem: Problem) -> dict[str, Any]:
    line, column = place(text, problem.span.start)
    rest = text[problem.span.start : problem.span.end].split("\n")[0]
    return {
        "code": problem.code,
        "message": problem.message,
        "line": line,
        "column": column,
        "end_column": column + max(1, len(rest)),
        "suggestions": list(problem.suggestions),
    }


def place(text: str, offset: int) -> tuple[int, int]:
    """Line and column of an offset, in characters; both start at 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1


def shown_at(text: str, problem: Problem) -> str:
    """The message, the line, and carets under the span; a long line is cut around it."""
    said = f"; did you mean {' or '.join(problem.suggestions)}?" if problem.suggestions else ""
    line, column = place(text, problem.span.start)
    source = text.split("\n")[line - 1]
    start = column - 1
    left = max(0, start - _WIDEST // 2)
    right = left + _WIDEST
    end = max(start + 1, min(len(source), right, start + problem.span.end - problem.span.start))
    head, tail = "... " if left else "", " ..." if right < len(source) else ""
    shown = head + plain(source[left:right]) + tail
    margin = f"{line:>3} | "
    under = " " * width(head + plain(source[left:start])) + "^" * max(1, width(plain(source[start:end])))
    return f"{one_line(problem.message + said)}\n{margin}{shown}\n{' ' * (len(margin) - 2)}| {under}"


def plain(text: str) -> str:
    r"""Nothing that a terminal would act on, tabs one blank wide, so that a caret can stand below.

    >>> plain("a\tb\x1b[31m")
    'a b\\x1b[31m'
    """
    return safe(text).replace("\t", " ")


def width(text: str) -> int:
    """How many columns a text takes at a terminal: two for East Asian wide characters and emoji, none for marks.

    >>> width("決定"), width("e\\u0301"), width("🧪x")
    (4, 1, 3)
    """
    from rich.cells import cell_len

    return cell_len(unicodedata.normalize("NFC", text))


def near(word: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """What was probably meant: every candidate within two edits, the nearest first; none where that says little.

    Swapping two neighbours counts as one edit. There must be three letters to each edit, and few candidates.

    >>> near("decisons", ["decisions", "claims"]), near("d1", ["d2", "c1", "x9"]), near("statsu", ["status", "state"])
    (('decisions',), (), ('status', 'state'))
    """
    allowed = min(2, len(word) // 3)
    likely = {c for c in candidates if abs(len(c) - len(word)) <= allowed}
    measured = ((distance(word.lower(), c.lower(), allowed), c) for c in likely)
    found = tuple(c for d, c in sorted(measured) if d <= allowed)
    return found if len(found) <= MOST_SUGGESTED else ()


def distance(one: str, other: str, most: int) -> int:
    """Edits between two words (optimal string alignment), or more than `most`."""
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
