"""The answer to a query: rows and columns, and the forms in which others take them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from tms.graph import Graph

SHOWN = 50  # rows in a notebook
_MARKS = {"in": "✓", "active": "✓", "resolved": "✓", "ruled-out": "■", "falsified": "■", "dormant": "·", "retired": "·"}


class Result:
    """Rows of values. `clipped` says why rows are missing, "" where none are; `notes` what must be known besides.

    >>> found = Result(("id", "depth"), (("c1", 2),), "", Graph.empty())
    >>> len(found), found.to_dicts(), [row for row in found]
    (1, [{'id': 'c1', 'depth': 2}], [('c1', 2)])
    """

    def __init__(
        self,
        columns: tuple[str, ...],
        rows: tuple[tuple[Any, ...], ...],
        text: str,
        graph: Graph,
        clipped: str = "",
        notes: tuple[str, ...] = (),
        nodes: tuple[str, ...] = (),
        drawn: bool = False,
    ) -> None:
        self.columns, self.rows, self.text, self.graph = columns, rows, text, graph
        self.clipped, self.notes = clipped, notes
        self.nodes = nodes  # the ids that the rows are about
        self.drawn = drawn  # whether a diagram was asked for

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> tuple[Any, ...]:
        return self.rows[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Result) and (self.columns, self.rows) == (other.columns, other.rows)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Result of {self.text!r}: {len(self.rows)} rows of {', '.join(self.columns)}>"

    # -- for other programs -------------------------------------------------------------------------------------

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dict a row; lists are lists."""
        return [
            {name: list(v) if isinstance(v, tuple) else v for name, v in zip(self.columns, row, strict=True)}
            for row in self.rows
        ]

    def to_pandas(self) -> Any:
        """A pandas DataFrame; needs pandas."""
        import pandas

        return pandas.DataFrame(self.to_dicts(), columns=list(self.columns))

    def to_polars(self) -> Any:
        """A polars DataFrame; needs polars."""
        import polars

        return polars.DataFrame(self.to_dicts(), schema=list(self.columns), infer_schema_length=None)

    def to_arrow(self) -> Any:
        """A pyarrow Table; needs pyarrow."""
        import pyarrow

        found = self.to_dicts()
        return pyarrow.table({name: pyarrow.array([row[name] for row in found]) for name in self.columns})

    def to_networkx(self) -> Any:
        """The nodes of the rows as a networkx DiGraph, an edge from each ground to what rests on it."""
        import networkx

        from tms.reach import grounds

        web = networkx.DiGraph()
        for name in self.nodes:
            status = self.graph.status(name)
            web.add_node(name, kind=status.kind, state=status.state, status=status.status)
        for name in self.nodes:
            web.add_edges_from((ground, name) for ground in grounds(self.graph, [name], 1) if ground in web)
        return web

    # -- in a notebook ------------------------------------------------------------------------------------------

    def _repr_html_(self) -> str:
        head = "".join(f'<th style="text-align:left">{escape(name)}</th>' for name in self.columns)
        body = "".join(f"<tr>{''.join(map(_cell, self.columns, row))}</tr>" for row in self.rows[:SHOWN])
        said = [f"{len(self.rows)} rows, {SHOWN} shown" if len(self.rows) > SHOWN else ""]
        said += [f"clipped: {self.clipped}" if self.clipped else "", *self.notes]
        below = "".join(f"<p><em>{escape(text)}</em></p>" for text in said if text)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cell(name: str, value: Any) -> str:
    text = text_of_value(value)
    if name in ("status", "before", "after", "member_status") and text:
        text = f"{_MARKS.get(text, '✗')} {text}"
    inner = f"<code>{escape(text)}</code>" if name == "id" and text else escape(text)
    return f'<td style="text-align:left">{inner}</td>'


def text_of_value(value: Any) -> str:
    """A value as a person reads it.

    >>> [text_of_value(v) for v in (None, True, ("a", "b"), 3, "x")]
    ['', 'yes', 'a, b', '3', 'x']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
