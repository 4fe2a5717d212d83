"""A drawing as two tables of comma-separated values: its nodes and its arrows."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from tms.drawing.parts import Drawing, DrawnEdge, DrawnNode
from tms.plain import safe

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "\t", "\r")  # noqa: RUF001 - as spreadsheets read them


def cell(value: Any) -> str:
    r"""A value as a cell that no spreadsheet takes for a formula: such a text gets an apostrophe in front.

    >>> cell("=HYPERLINK(1)"), cell("  @SUM(1)"), cell("\t=1"), cell("a=1")
    ("'=HYPERLINK(1)", "'  @SUM(1)", "'\t=1", 'a=1')
    >>> cell(("a", "b")), cell(True), cell(3), cell("two\nlines\x1b")
    ('a b', 'true', '3', 'two\nlines\\x1b')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        value = " ".join(value)
    text = safe(str(value))
    return f"'{text}" if text.startswith("\t") or text.lstrip().startswith(_FORMULA) else text


def tables(drawing: Drawing) -> tuple[str, str]:
    """The nodes and the arrows, each with a line of headings.

    >>> from tms import Claim, Graph
    >>> from tms.drawing.model import drawing
    >>> nodes, edges = tables(drawing(Graph.empty().apply(Claim(id="c1", text="fast, cheap", state="accepted"))))
    >>> print(nodes)
    id,kind,status,state,flags,text,scope,tone,focus,hidden_up,hidden_down,replaces,change,before
    c1,claim,in,accepted,,"fast, cheap",,holds,false,0,0,,,
    """
    return _table(DrawnNode.__struct_fields__, drawing.nodes), _table(DrawnEdge.__struct_fields__, drawing.edges)


def _table(fields: Sequence[str], rows: Iterable[msgspec.Struct]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(fields)
    writer.writerows([cell(getattr(row, field)) for field in fields] for row in rows)
    return out.getvalue()
