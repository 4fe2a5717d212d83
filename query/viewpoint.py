"""A viewpoint that stays from query to query: at a prompt, on the command line, in a notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from query import nodes as n
from query.errors import Problem, QueryError
from query.evaluate import run
from query.parse import parse, parse_changes
from query.resolve import check_verbs
from query.result import Result
from query.run import Bounds
from tms.graph import Change, Graph


class Viewpoint:
    """A ledger at a point in time ("" for now) and under judgements that are assumed.

    A query that says `as of` itself is asked at its own point; what it assumes is added to what stays.

    >>> from tms import Claim
    >>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c2", state="accepted")])
    >>> view = Viewpoint(graph, changes=[("dispute", "c1")])
    >>> view.run("assuming reject c2 claims | select id, status").rows
    (('c1', 'disputed'), ('c2', 'rejected'))
    """

    def __init__(self, graph: Graph, point: str = "", changes: Sequence[Change] = ()) -> None:
        """Raises `UsageError` for a point that is not there, a verb that does not fit, `UnknownNode` for an id."""
        self.now = graph.assuming(changes) if changes else graph
        self.graph = self.now
        if point:
            then = graph.as_of(point)
            self.graph = then.assuming(changes) if changes else then

    def run(self, text: str, params: Mapping[str, Any] | None = None, *, bounds: Bounds | None = None) -> Result:
        """The answer to a query. Raises `QueryError`."""
        return run(self.graph if parse(text).point is None else self.now, text, params, bounds=bounds)


def point_of(found: Result) -> str:
    """The point in time that the query of an answer named itself; "" where it named none."""
    point = parse(found.text).point
    return point.text if isinstance(point, n.Literal) else ""


def changes_in(text: str) -> list[Change]:
    """Judgements as they are written behind `assuming`. Raises `QueryError`.

    >>> changes_in("dispute c1, revoke `2nd`")
    [('dispute', 'c1'), ('revoke', '2nd')]
    """
    whole = f"assuming {text}"
    changes = parse_changes(whole)
    check_verbs(whole, changes)
    given = [(change.verb, change.node.text) for change in changes if isinstance(change.node, n.Name)]
    if len(given) < len(changes):
        span = next(change.node.span for change in changes if isinstance(change.node, n.Param))
        raise QueryError(whole, [Problem("parameter", "there are no parameters here: expected an id", span)])
    return given
