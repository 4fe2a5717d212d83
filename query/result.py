"""The answer to a query: rows and columns, and the forms in which others take them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from tms.display import SHOWN, code_html, html_table, remarks_html, status_html
from tms.errors import UsageError
from tms.graph import Graph

if TYPE_CHECKING:
    from tms.drawing.diagram import Diagram

_LINES, _CELL = 20, 60  # rows, and characters of a value, at a prompt
DRAWN = 200  # nodes in a diagram


class Result:
    """Rows of values. `clipped` says why rows are missing, "" where none are; `notes` what must be known besides.

    >>> found = Result(("id", "depth"), (("c1", 2),), "", Graph.empty())
    >>> len(found), found.to_dicts(), [row for row in found]
    (1, [{'id': 'c1', 'depth': 2}], [('c1', 2)])
    >>> found
    id  depth
    c1  2
    1 row
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
        """A plain table of the first rows, and what has to be known besides."""
        shown = [list(self.columns), *([text_of_value(v)[:_CELL] for v in row] for row in self.rows[:_LINES])]
        wide = [max(map(len, column)) for column in zip(*shown, strict=True)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(row, wide, strict=True)).rstrip() for row in shown]
        return "\n".join([*lines, *self._remarks(_LINES)])

    def _remarks(self, shown: int) -> list[str]:
        """What has to be known besides the rows."""
        count = f"{len(self.rows)} row" + ("" if len(self.rows) == 1 else "s")
        said = [f"{count}, {shown} shown" if len(self.rows) > shown else count]
        return [*said, *([f"clipped: {self.clipped}"] if self.clipped else []), *self.notes]

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

    @property
    def diagram(self) -> Diagram:
        """The nodes of the rows as a diagram, the first 200, with the query as its title."""
        left = [f"the first {DRAWN} are drawn"] if len(self.nodes) > DRAWN else []
        title = "; ".join([self.text, *self._remarks(len(self)), *left])
        return self.graph.diagram(only=self.nodes[:DRAWN], title=title)

    @cached_property
    def _picture(self) -> str:
        """The diagram as SVG where one was asked for; "" where there is no Graphviz to make it."""
        try:
            return self.diagram.svg() if self.drawn else ""
        except UsageError:
            return ""

    def _repr_html_(self) -> str | None:
        """A table, and below it what has to be known besides; None where a diagram takes its place."""
        if self._picture:
            return None
        rows = [list(map(_cell, self.columns, row)) for row in self.rows[:SHOWN]]
        left = ["no Graphviz here, so this is no diagram: pip install 'tms-ledger[draw]'"] if self.drawn else []
        return html_table(self.columns, rows) + remarks_html([*self._remarks(SHOWN), *left])

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        html = self._repr_html_()
        return {"text/plain": repr(self), **({"image/svg+xml": self._picture} if html is None else {"text/html": html})}


def _cell(name: str, value: Any) -> str:
    text = text_of_value(value)
    if name in ("status", "before", "after", "member_status"):
        return status_html(text)
    return code_html(text) if name == "id" else escape(text)


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
