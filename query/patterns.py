"""Patterns for `~`: regular expressions, matched in linear time (RE2), without regard to upper and lower case."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

MOST_MEMORY = 1 << 20  # bytes of a compiled pattern


@lru_cache(maxsize=64)
def compiled(pattern: str) -> Any:
    """The pattern, ready to search. Raises `ValueError` with what is wrong.

    >>> bool(compiled("red.s").search("uses Redis")), bool(compiled("(a+)+$").search("a" * 10_000 + "b"))
    (True, False)
    """
    import re2

    options = re2.Options()
    options.case_sensitive, options.log_errors, options.max_mem = False, False, MOST_MEMORY
    try:
        return re2.compile(pattern, options=options)
    except re2.error as error:
        raise ValueError(_said(error)) from None


def _said(error: Exception) -> str:
    said = error.args[0] if error.args else "?"
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)


def pattern_problem(pattern: str) -> str | None:
    """What is wrong with a pattern, or None.

    >>> pattern_problem("a"), pattern_problem("(a")
    (None, 'missing ): (a')
    """
    try:
        compiled(pattern)
    except ValueError as error:
        return str(error)
    return None
