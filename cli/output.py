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

from tms.plain import one_line, safe

_RAW = re.compile(rb"\x7f|\xc2[\x80-\x9f]")  # controls that JSON lets stand as they are
_encode = msgspec.json.Encoder(order="deterministic").encode


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
