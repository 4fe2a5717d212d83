"""Tables as text, and their place in `docs/benchmarks.md`: only what stands between two markers is replaced."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "benchmarks.md"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, its columns aligned so that it reads as well in a terminal.

    >>> print(table(["lines", "open"], [["1,000", "2 ms"]]))
    | lines | open |
    |-------|------|
    | 1,000 | 2 ms |
    """
    cells = [list(head), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def seconds(value: float | None) -> str:
    """A duration with two or three digits and a unit.

    >>> [seconds(v) for v in (0.0000042, 0.00123, 0.5, 12.34, None)]
    ['4.2 us', '1.2 ms', '500 ms', '12.3 s', '-']
    """
    if value is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size or unit == "us":
            scaled = value / size
            return f"{scaled:.1f} {unit}" if scaled < 100 else f"{scaled:.0f} {unit}"
    return ""


def ratio(value: float, base: float) -> str:
    """How many times `base` a value is.

    >>> ratio(3.0, 2.0), ratio(300.0, 2.0)
    ('1.5 x', '150 x')
    """
    times = value / base if base else 0.0
    return f"{times:.1f} x" if times < 10 else f"{times:,.0f} x"


def machine() -> str:
    """What the numbers were measured on."""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, {python}, msgspec {version('msgspec')}"


def put_section(name: str, text: str, page: Path = PAGE) -> None:
    """Put `text` between the markers of this name, which are added at the end of the page where it has none."""
    start, end = f"<!-- {name}: written by `make bench` -->", f"<!-- /{name} -->"
    before = page.read_text(encoding="utf-8") if page.exists() else "# Benchmarks\n"
    if start not in before:
        before = f"{before.rstrip()}\n\n{start}\n{end}\n"
    head, _, rest = before.partition(start)
    tail = rest.partition(end)[2]
    page.parent.mkdir(exist_ok=True)
    page.write_text(f"{head}{start}\n\n{text.strip()}\n\n{end}{tail}", encoding="utf-8")
