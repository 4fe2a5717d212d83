"""The one way out: plain text, made safe for a terminal, and JSON. Nothing here needs rich.

Text of a record never steers a terminal: a control character is shown as its escape.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Any

import click
import msgspec

# Controls but newline and tab; the marks that turn the direction of text; separators that break a line unseen.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_RAW = re.compile(rb"\x7f|\xc2[\x80-\x9f]")  # controls that JSON lets stand as they are
_encode = msgspec.json.Encoder(order="deterministic").encode


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


def fancy() -> bool:
    """Whether output may have colours: a terminal that is not dumb, and nobody said NO_COLOR."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def say(text: str = "", style: str = "") -> None:
    """One or more lines on stdout."""
    clean = safe(text)
    if style and fancy():
        clean = click.style(clean, **STYLES[style])
    sys.stdout.write(clean + "\n")


STYLES: dict[str, dict[str, Any]] = {
    "title": {"bold": True},
    "dim": {"dim": True},
    "warn": {"fg": "yellow"},
}


def note(text: str) -> None:
    """A remark on stderr."""
    sys.stdout.flush()
    click.echo(one_line(text), err=True)


def failure(message: str, hint: str = "") -> None:
    """Why nothing came of it, on stderr: one line, and a hint."""
    note(f"error: {message}")
    if hint:
        note(f"hint: {hint}")


def say_json(value: Any) -> None:
    """One JSON document on stdout: compact, UTF-8, without raw controls."""
    _say_raw(_encode(value))


def say_counts(value: Any) -> None:
    """The same for a document with numbers that 64 bits may not hold; objects keep their order."""
    import json

    plain = msgspec.to_builtins(value, str_keys=True)
    _say_raw(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())


def _say_raw(raw: bytes) -> None:
    raw = _RAW.sub(lambda m: b"\\u00" + m.group()[-1:].hex().encode(), raw) + b"\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(raw)  # UTF-8 whatever the locale
