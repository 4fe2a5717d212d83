"""Names, fields and arguments, checked before anything runs: all that is wrong is found at once, with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import zip_longest
from typing import Any

from query import nodes as n
from query.conditions import moment
from query.errors import Problem, QueryError, near
from query.fields import FIELDS, SETS, SHOWN, Column
from query.functions import FUNCTIONS, Function
from query.patterns import pattern_problem
from tms.graph import Graph
from tms.model import VERBS

_ORDERED = ("<", "<=", ">", ">=")


# -- parameters --------------------------------------------------------------------------------------------------


def bind(text: str, query: n.Query, given: Mapping[str, Any]) -> n.Query:
    """The query with each `$name` replaced by its value; where a set is meant, the value is an id."""
    problems: list[Problem] = []

    def call(node: n.Call) -> n.Call:
        function = FUNCTIONS.get(node.function)
        wanted = zip_longest(node.arguments, function.parameters if function else ())
        numbers = [(a, (p or "").rstrip("?") == "number") for a, p in wanted if a is not None]
        return replace(node, arguments=tuple(fill(argument, number) for argument, number in numbers))

    def fill(node: Any, is_value: bool) -> Any:
        if isinstance(node, n.Param):
            found = _meant(node, given, is_value)
            if isinstance(found, Problem):
                problems.append(found)
                return node
            return found
        elif isinstance(node, n.Call):
            return call(node)
        elif type(node) is tuple:
            return tuple(fill(part, is_value) for part in node)
        elif hasattr(node, "__dataclass_fields__"):
            value = is_value or isinstance(node, n.Compare | n.OneOf | n.Limit)
            parts = {name: getattr(node, name) for name in node.__dataclass_fields__}
            return replace(node, **{name: fill(part, value or name == "point") for name, part in parts.items()})
        return node

    bound: n.Query = fill(query, False)
    if problems:
        raise QueryError(text, problems)
    return bound


def _meant(param: n.Param, given: Mapping[str, Any], is_value: bool) -> n.Literal | n.Name | Problem:
    """A value where one may stand; elsewhere an id, whatever it looks like."""
    if param.name not in given:
        said = f"no value was given for ${param.name}"
        return Problem("parameter", said, param.span, near(param.name, given))
    text = _as_text(given[param.name])
    if text is None:
        said = f"${param.name} must be a text, a number below 10^15, a truth value, a date or a time with its zone"
        return Problem("parameter", said, param.span)
    if not is_value:
        return n.Name(text, True, param.span)
    is_number = isinstance(given[param.name], int | float) and not isinstance(given[param.name], bool)
    return n.Literal("number" if is_number else "text", text, param.span)


def _as_text(value: Any) -> str | None:
    """A value of a parameter as a query says it; None for what it cannot say."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value) if abs(value) < _MOST else None
    return value.isoformat() if isinstance(value, date) else None


# -- checking ----------------------------------------------------------------------------------------------------


def check(text: str, query: n.Query, graph: Graph) -> None:
    """Raises `QueryError` with everything that is wrong; `graph` is the one that the query will read."""
    checker = _Checker(graph)
    checker.set(query.set)
    checker.stages(columns_of(query.set), _is_nodes(query.set), query.stages)
    if checker.problems:
        raise QueryError(text, sorted(checker.problems, key=lambda problem: problem.span))


def check_changes(text: str, changes: Sequence[n.Change], graph: Graph) -> None:
    """The verbs and ids behind `assuming`. Raises `QueryError` with everything that is wrong."""
    check_verbs(text, changes)
    checker = _Checker(graph)
    for change in changes:
        if isinstance(change.node, n.Name) and change.node.text not in graph:
            checker.unknown(change.node, graph.ids())
    if checker.problems:
        raise QueryError(text, checker.problems)


def check_verbs(text: str, changes: Iterable[n.Change]) -> None:
    """The verbs behind `assuming`."""
    problems = [
        Problem("verb", f"no verb {c.verb}; there are {', '.join(VERBS)}", c.verb_span, near(c.verb, VERBS))
        for c in changes
        if c.verb not in VERBS
    ]
    if problems:
        raise QueryError(text, problems)


def columns_of(node: n.Set) -> tuple[Column, ...]:
    """The columns that a set shows by itself."""
    if isinstance(node, n.Call) and node.function in FUNCTIONS and FUNCTIONS[node.function].columns:
        return FUNCTIONS[node.function].columns
    return tuple(FIELDS[name].column for name in SHOWN)


def _is_nodes(node: n.Set) -> bool:
    return not isinstance(node, n.Call) or node.function not in FUNCTIONS or FUNCTIONS[node.function].is_set


class _Checker:
    """Collects problems; goes on behind each."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.problems: list[Problem] = []

    def wrong(self, code: str, message: str, span: n.Span, suggestions: Sequence[str] = ()) -> None:
        self.problems.append(Problem(code, message, span, tuple(suggestions)))

    # sets

    def set(self, node: n.Set) -> None:
        if isinstance(node, n.Name):
            self._name(node)
        elif isinstance(node, n.Call):
            self._call(node)
        elif isinstance(node, n.Combined):
            for part in (node.first, *(each for _, each in node.rest)):
                self.set(part)
                self._as_set(part)

    def _as_set(self, node: n.Set) -> None:
        if not _is_nodes(node) and isinstance(node, n.Call):
            self.wrong("not-a-set", f"{node.function} gives a table, not a set of nodes", node.span)

    def _name(self, node: n.Name) -> None:
        if node.text in self.graph or (node.text in SETS and not node.quoted):
            return
        self.unknown(node, [*SETS, *(f"{name}()" for name in FUNCTIONS), *self.graph.ids()])

    def unknown(self, node: n.Name | n.Literal, meant: Iterable[str]) -> None:
        self.wrong("unknown-name", f"no node or kind is named {node.text}", node.span, near(node.text, meant))

    def _call(self, node: n.Call) -> None:
        function = FUNCTIONS.get(node.function)
        if function is None:
            meant = near(node.function, FUNCTIONS)
            said = f"there is no function {node.function}" + ("" if meant else f"; there are {', '.join(FUNCTIONS)}")
            self.wrong("unknown-function", said, node.name_span, meant)
            return
        least = sum(not parameter.endswith("?") for parameter in function.parameters)
        if not least <= len(node.arguments) <= len(function.parameters):
            self.wrong(
                "arguments", f"{function.signature} was given {len(node.arguments)}: {function.about}", node.span
            )
            return
        for parameter, argument in zip(function.parameters, node.arguments, strict=False):
            self._argument(function, parameter.rstrip("?"), argument)

    def _argument(self, function: Function, parameter: str, argument: n.Argument) -> None:
        if parameter == "point":
            if not isinstance(argument, n.Literal | n.Name):
                self.wrong("argument", f"{function.name} takes a point in time here: {_POINT}", argument.span)
        elif parameter == "number":
            if not (isinstance(argument, n.Literal) and _WHOLE.fullmatch(argument.text)):
                self.wrong("argument", f"{function.name} takes a whole number here, of at most 9 digits", argument.span)
        elif isinstance(argument, n.Literal):
            self.wrong(
                "argument", f"{function.name} takes {_A[parameter]} here; ids stand without quotes", argument.span
            )
        elif parameter == "node" and (not isinstance(argument, n.Name) or self._is_kind(argument)):
            self.wrong("argument", f"{function.name} takes one node here: an id", argument.span)
        else:
            self.set(argument)
            self._as_set(argument)

    def _is_kind(self, name: n.Name) -> bool:
        return name.text in SETS and not name.quoted

    # stages

    def stages(self, columns: Sequence[Column], nodes: bool, stages: Sequence[n.Stage]) -> None:
        """`nodes`: the rows are nodes, and have all their fields beside the columns."""
        known = {**({f: FIELDS[f].column for f in FIELDS} if nodes else {}), **{c.name: c for c in columns}}
        for place, stage in enumerate(stages):
            if isinstance(stage, n.Explain | n.Diagram) and place != len(stages) - 1:
                self.wrong("last", "this stage comes last", stage.span)
            if isinstance(stage, n.Diagram) and not nodes:
                self.wrong("not-a-set", "only nodes make a diagram; these rows are a table", stage.span)
            known, nodes = self._stage(stage, known, nodes)

    def _stage(self, stage: n.Stage, known: dict[str, Column], nodes: bool) -> tuple[dict[str, Column], bool]:
        if isinstance(stage, n.Where):
            self._condition(stage.condition, known)
        elif isinstance(stage, n.Sort):
            for field, _ in stage.keys:
                self._field(field, known)
        elif isinstance(stage, n.Limit):
            if isinstance(stage.count, n.Literal) and not _WHOLE.fullmatch(stage.count.text):
                self.wrong("argument", "limit takes a whole number, of at most 9 digits", stage.count.span)
        elif isinstance(stage, n.Select | n.Count):
            found = [self._field(field, known) for field in stage.fields]
            kept = {column.name: column for column in found if column}
            if isinstance(stage, n.Select):
                return kept, nodes and "id" in kept
            return {**kept, "count": Column("count", "number")}, False
        return known, nodes

    def _field(self, field: n.Field, known: Mapping[str, Column]) -> Column | None:
        if field.name not in known:
            meant = near(field.name, known)
            said = f"there is no field {field.name}" + ("" if meant else f"; there are {', '.join(known)}")
            self.wrong("unknown-field", said, field.span, meant)
        return known.get(field.name)

    def _condition(self, node: n.Condition, known: Mapping[str, Column]) -> None:
        if isinstance(node, n.Not):
            self._condition(node.condition, known)
        elif isinstance(node, n.All | n.AnyOf):
            for part in node.conditions:
                self._condition(part, known)
        else:
            column = self._field(node.field, known)
            if column and isinstance(node, n.Compare):
                self._value(column, node.operator, node.value)
            elif column and isinstance(node, n.OneOf):
                for value in node.values:
                    self._value(column, "=", value)

    def _value(self, column: Column, operator: str, value: n.Value) -> None:
        if isinstance(value, n.Param):
            return
        kind = value.kind if isinstance(value, n.Literal) else "word"
        if operator == "~":
            self._pattern(column, value)
        elif column.type == "number" and kind != "number":
            self.wrong("type", f"{column.name} is a number", value.span)
        elif column.type == "date":
            self._date(column, value)
        elif column.type == "yes" and value.text not in ("yes", "no"):
            self.wrong("type", f"{column.name} is yes or no", value.span, near(value.text, ("yes", "no")))
        elif operator in _ORDERED and (column.values or column.type in ("list", "yes")):
            self.wrong("type", f"{column.name} has no order; use = or in", value.span)
        elif operator in _ORDERED and column.type == "text" and kind == "number":
            self.wrong("type", f"{column.name} is a text: put the value in quotes", value.span)
        elif column.ids and not self._is_there(column, value.text):
            self.unknown(value, self.graph.ids())
        elif column.values and value.text not in column.values:
            meant = near(value.text, column.values)
            there = "" if meant else f"; there are {', '.join(filter(None, column.values))}"
            self.wrong("unknown-value", f"{value.text} is no {column.name}{there}", value.span, meant)

    def _date(self, column: Column, value: n.Name | n.Literal) -> None:
        then = moment(value.text)
        if then is None:
            self.wrong("type", f"{column.name} is a time: {_POINT_IN_TIME}", value.span)
        elif column.name == "date" and then != value.text:
            self.wrong("type", "date is a day, such as 2026-10-01; the field time has the time", value.span)

    def _is_there(self, column: Column, name: str) -> bool:
        return name in self.graph or (column.name != "id" and name in self.graph.missing())

    def _pattern(self, column: Column, value: n.Name | n.Literal) -> None:
        if column.type not in ("text", "list"):
            self.wrong("type", f"{column.name} is no text; ~ is for texts", value.span)
        elif (said := pattern_problem(value.text)) is not None:
            self.wrong("pattern", f"this pattern cannot be read: {said}", value.span)


_WHOLE = re.compile(r"[0-9]{1,9}")
_MOST = 10**15  # of a number that is a parameter
_POINT = "a mark, 6 or more digits of a line's hash, a date or a time"
_POINT_IN_TIME = "a date such as 2026-10-01, or a time such as 2026-10-01T12:00:00Z"
_A = {"set": "a set", "node": "a node"}
