"""Text of records made visible: nothing in it steers what shows it, be it a terminal or a drawing."""

from __future__ import annotations

import re

# Controls but newline and tab; the marks that turn the direction of text; separators that break a line unseen.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


def safe(text: str) -> str:
    r"""The text without anything that a terminal would act on; newlines and tabs stay.

    >>> safe("a\x1b[31mb")
    'a\\x1b[31mb'
    >>> safe("a\u202eb")
    'a\\u202eb'
    """
    return _UNSAFE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def one_line(text: str, width: int = 0) -> str:
    """The text on one line, safe, cut to `width` characters where one is given.

    >>> one_line("two\\n lines"), one_line("rather long", 8)
    ('two lines', 'rathe...')
    """
    flat = safe(" ".join(text.split()))
    return flat[: width - 3] + "..." if width and len(flat) > width else flat
