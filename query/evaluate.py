"""Running a query: viewpoint, set, stages. Everything that is true of the graph is asked of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from query import nodes as n
from query.answers import ANSWERS, Row, of_nodes
from query.conditions import id_asked, is_null, test_of
from query.fields import FIELDS, SETS
from query.functions import FUNCTIONS
from query.parse import parse
from query.printer import text_of
from query.resolve import bind, check, check_changes, columns_of
from query.result import Result
from query.run import Bounds, Run
from tms.errors import UsageError
from tms.graph import Graph


def run(graph: Graph, text: str, params: Mapping[str, Any] | None = None, *, bounds: Bounds | None = None) -> Result:
    """The answer to a query. `$name` in the text is a value of `params`. Raises `QueryError`; writes nothing.

    >>> from tms import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="disputed"), Claim(id="c2", state="accepted"),
    ...     Decision(id="d1", choice="x", supports=(("c1",), ("c2",)))])
    >>> run(graph, "grounds($id) | where state = disputed | select id, status", {"id": "d1"}).to_dicts()
    [{'id': 'c1', 'status': 'disputed'}]
    """
    query = bind(text, parse(text), params or {})
    working = Run(text, graph, bounds or Bounds())
    working.graph = _seen(working, query)
    check(text, query, working.graph)
    rows = _Rows(working, query)
    for stage in query.stages:
        rows.apply(stage)
    return rows.result(text_of(query))


def _seen(working: Run, query: n.Query) -> Graph:
    """The graph at the point and under the judgements of the query."""
    graph = working.graph
    if query.point is not None:
        working.place = query.point.span
        graph = working.at(_word(query.point))
    check_changes(working.text, query.assuming, graph)
    for change in query.assuming:
        working.place = change.span
        try:
            graph = graph.assuming([(change.verb, _word(change.node))])
        except UsageError as error:
            raise working.error(error.code, error.message) from None
    return graph


def _wanted(query: n.Query) -> int | None:
    """How many rows of its set a query looks at, where it says so at once."""
    first = query.stages[0] if query.stages else None
    return int(_word(first.count)) if isinstance(first, n.Limit) else None


def _word(node: n.Value) -> str:
    assert not isinstance(node, n.Param)  # bound before
    return node.text


class _Rows:
    """The rows so far, and what their columns are."""

    def __init__(self, working: Run, query: n.Query) -> None:
        self.run = working
        self.columns = tuple(column.name for column in columns_of(query.set))
        self.explained = self.drawn = False
        narrowed = self._narrowed(query)
        self.rows = list(self._of(query.set, _wanted(query))) if narrowed is None else narrowed

    def _narrowed(self, query: n.Query) -> list[Row] | None:
        """A kind of which only one id is wanted is not looked through."""
        kind = SETS.get(query.set.text) if isinstance(query.set, n.Name) and not query.set.quoted else None
        first = query.stages[0] if query.stages else None
        wanted = id_asked(first.condition) if kind and isinstance(first, n.Where) else None
        if wanted is None:
            return None
        found = of_nodes([wanted] if self.run.graph.status(wanted).kind == kind else [])
        self.run.steps.append((f"the {kind} {wanted} alone", len(found)))
        return found

    # -- sets ---------------------------------------------------------------------------------------------------

    def _of(self, node: n.Set, wanted: int | None) -> Iterable[Row]:
        """The rows of a set, in order."""
        self.run.tick()
        self.run.place = node.span
        if isinstance(node, n.Call):
            return self._called(node, wanted)
        return of_nodes(self._names(node))

    def _names(self, node: n.Argument) -> list[str]:
        """The ids of a set, sorted, each once."""
        if isinstance(node, n.Name):
            kind = None if node.quoted else SETS.get(node.text)
            return list(self.run.graph.ids(kind)) if kind else [node.text]
        if isinstance(node, n.Combined):
            return self._combined(node)
        assert isinstance(node, n.Call)  # literals and parameters were refused
        return sorted({row.node for row in self._called(node) if row.node})

    def _combined(self, node: n.Combined) -> list[str]:
        found = set(self._names(node.first))
        for operator, each in node.rest:
            self.run.tick()
            other = self._names(each)
            if operator == "union":
                found |= set(other)
            else:
                found = found & set(other) if operator == "intersect" else found - set(other)
        self.run.steps.append((" ".join(["set", *(op for op, _ in node.rest[:3])]), len(found)))
        return sorted(found)

    def _called(self, node: n.Call, wanted: int | None = None) -> list[Row]:
        """The rows of a function; of a table no more than are `wanted`, or than the bound allows."""
        function = FUNCTIONS[node.function]
        given = [self._argument(p.rstrip("?"), a) for p, a in zip(function.parameters, node.arguments, strict=False)]
        self.run.place = node.span
        most = self.run.most_rows + 1
        self.run.wanted = most if wanted is None else min(wanted, most)
        rows = ANSWERS[function.name](self.run, *given)
        found = list(islice(rows, self.run.wanted) if function.columns else rows)
        if len(found) == most and function.columns:
            found.pop()
            self.run.clip(f"{function.name} gave more than {self.run.most_rows:,} rows")
        self.run.steps.append((function.name, len(found)))
        return found

    def _argument(self, parameter: str, node: n.Argument) -> Any:
        if parameter == "number":
            return int(_word(node))  # type: ignore[arg-type]
        if parameter == "node":
            return _word(node)  # type: ignore[arg-type]
        if parameter == "point":
            self.run.place = node.span
            return self.run.at(_word(node))  # type: ignore[arg-type]
        return self._names(node)

    # -- stages -------------------------------------------------------------------------------------------------

    def apply(self, stage: n.Stage) -> None:
        """The next stage."""
        self.run.place = stage.span
        match stage:
            case n.Where():
                self._where(test_of(stage.condition))
            case n.Sort():
                for field, down in reversed(stage.keys):
                    self._sort(field.name, down)
            case n.Select():
                self.columns = tuple(dict.fromkeys(field.name for field in stage.fields))
            case n.Count():
                self._count([field.name for field in stage.fields])
            case n.Limit():
                self.rows = self.rows[: int(_word(stage.count))]
            case n.Explain():
                self.explained = True
            case n.Diagram():
                self.drawn = True
        if not isinstance(stage, n.Explain | n.Diagram):
            self.run.steps.append((type(stage).__name__.lower(), len(self.rows)))

    def _read(self, row: Row, name: str) -> Any:
        if name in row.values or not row.node:
            return row.values.get(name)
        return FIELDS[name].read(self.run.graph, row.node)

    def _where(self, test: Callable[[Callable[[str], Any]], bool]) -> None:
        kept = []
        for row in self.run.each(self.rows):
            if test(partial(self._read, row)):
                kept.append(row)
        self.rows = kept

    def _sort(self, name: str, down: bool) -> None:
        """Nothing recorded comes last, whichever way it goes; equal ones stay as they were."""
        found = [(self._read(row, name), row) for row in self.run.each(self.rows)]
        there = [pair for pair in found if not is_null(pair[0])]
        there.sort(key=lambda pair: pair[0], reverse=down)
        self.rows = [row for _, row in there] + [row for value, row in found if is_null(value)]

    def _count(self, names: Sequence[str]) -> None:
        counted = Counter(tuple(self._read(row, name) for name in names) for row in self.run.each(self.rows))
        if not names:
            counted[()] = len(self.rows)
        ordered = sorted(counted.items(), key=lambda item: (-item[1], tuple(map(_sortable, item[0]))))
        self.columns = (*names, "count")
        self.rows = [Row("", {**dict(zip(names, values, strict=True)), "count": n}) for values, n in ordered]

    # -- the end ------------------------------------------------------------------------------------------------

    def result(self, text: str) -> Result:
        """The rows as values, cut at the bound."""
        working = self.run
        if self.explained:
            return Result(("step", "rows"), tuple(working.steps), text, working.graph)
        if len(self.rows) > working.most_rows:
            working.clip(f"there are {len(self.rows):,} rows; the limit is {working.most_rows:,}")
        kept = self.rows[: working.most_rows]
        values = [tuple(self._read(row, name) for name in self.columns) for row in working.each(kept)]
        nodes = tuple(dict.fromkeys(row.node for row in kept if row.node))
        return Result(
            self.columns, tuple(values), text, working.graph, working.clipped, tuple(working.notes), nodes, self.drawn
        )


def _sortable(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, tuple) else (str(value),)


class Prepared:
    """A query that was parsed once, to be run often."""

    def __init__(self, text: str) -> None:
        self.text = text
        parse(text)

    def run(self, graph: Graph, /, **params: Any) -> Result:
        """The answer for a graph, with the values of its parameters."""
        return run(graph, self.text, params)


def prepare(text: str) -> Prepared:
    """Parse a query now, run it later. Raises `QueryError` for what is wrong with the text itself.

    >>> from tms import Claim
    >>> states = prepare("claims | where state = $state | count")
    >>> states.run(Graph.empty().apply(Claim(id="c1", state="accepted")), state="accepted").to_dicts()
    [{'count': 1}]
    """
    return Prepared(text)
