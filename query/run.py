"""One run of a query: the graph under its viewpoint, the bounds, and what is to be said beside the rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from time import monotonic
from typing import NamedTuple, TypeVar

from query.errors import Problem, QueryError
from query.nodes import NOWHERE, Span
from tms.errors import UsageError
from tms.graph import Graph

T = TypeVar("T")
_CHECKED = 256  # items between two looks at the clock


class Bounds(NamedTuple):
    """What a run may use: rows kept in any step, and seconds."""

    rows: int = 10_000
    seconds: float = 60.0


class Run:
    """What the functions of one run share."""

    def __init__(self, text: str, graph: Graph, bounds: Bounds) -> None:
        self.text, self.graph = text, graph
        self.most_rows = bounds.rows
        self.wanted = bounds.rows + 1  # how many rows a function may give: one more tells that there are more
        self.end = monotonic() + bounds.seconds
        self.seconds = bounds.seconds
        self.place: Span = NOWHERE  # of what is being worked out
        self.notes: list[str] = []
        self.clipped = ""
        self.steps: list[tuple[str, int]] = []  # what was done, with the rows that it gave

    def note(self, said: str) -> None:
        """Something that has to be known beside the rows; once."""
        if said not in self.notes:
            self.notes.append(said)

    def clip(self, what: str) -> None:
        """Say that rows are left out, and why."""
        self.clipped = self.clipped or what

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """The items one by one, with a look at the clock now and then."""
        for count, item in enumerate(items):
            if count % _CHECKED == 0:
                self.tick()
            yield item

    def tick(self) -> None:
        """Raises `QueryError` when the time is over."""
        if monotonic() > self.end:
            raise self.error("time", f"the query took more than {self.seconds:g} seconds; ask for less")

    def refuse(self, said: str) -> None:
        """Raises `QueryError`: this cannot be asked."""
        raise self.error("argument", said)

    def error(self, code: str, said: str) -> QueryError:
        """The error, at the place of what is being worked out."""
        return QueryError(self.text, [Problem(code, said, self.place)])

    def at(self, point: str) -> Graph:
        """The ledger as it was at a point in time, under what is assumed; a point that is not there is an error."""
        try:
            then = self.graph.as_of(point)
            return then.assuming(self.graph.changes) if self.graph.changes else then
        except UsageError as error:
            raise self.error(error.code, "; ".join(filter(None, (error.message, error.hint)))) from None
