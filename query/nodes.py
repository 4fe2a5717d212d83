"""The syntax of a query as frozen values. Where a node stands in the text is kept, and does not count for equality."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Span(NamedTuple):
    """A piece of the text: offsets in characters, the end left out."""

    start: int
    end: int


NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Name:
    """An id or a kind. `quoted`: it stood in back-ticks, and so is an id whatever it looks like."""

    text: str
    quoted: bool = False
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Param:
    """`$name`: a value that is given when the query is run."""

    name: str
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value: `kind` is text, date, number, hex or word; `text` is what it says, quotes and escapes undone."""

    kind: str
    text: str
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments."""

    function: str
    arguments: tuple[Argument, ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)
    name_span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Combined:
    """Sets joined from left to right: the first, then each operator with its set."""

    first: Set
    rest: tuple[tuple[str, Set], ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


Set: TypeAlias = "Name | Param | Call | Combined"
Argument: TypeAlias = "Set | Literal"
Value: TypeAlias = "Literal | Name | Param"


@dataclass(frozen=True, slots=True)
class Field:
    """The name of a field."""

    name: str
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Compare:
    """`field OPERATOR value`."""

    field: Field
    operator: str
    value: Value
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class OneOf:
    """`field in (...)`, or `field not in (...)`."""

    field: Field
    values: tuple[Value, ...]
    negated: bool = False
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class IsNull:
    """`field is null`: nothing is recorded there; or `is not null`."""

    field: Field
    negated: bool = False
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    condition: Condition
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class All:
    """Every one: `and`."""

    conditions: tuple[Condition, ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one: `or`."""

    conditions: tuple[Condition, ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


Condition: TypeAlias = "Compare | OneOf | IsNull | Not | All | AnyOf"


@dataclass(frozen=True, slots=True)
class Where:
    """Keeps the rows for which a condition holds."""

    condition: Condition
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sort:
    """Puts the rows in order; each key with whether it goes down."""

    keys: tuple[tuple[Field, bool], ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Select:
    """Which columns, in which order."""

    fields: tuple[Field, ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows, for each combination of some fields."""

    fields: tuple[Field, ...]
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Limit:
    """The first rows only."""

    count: Literal | Param
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Explain:
    """What was done and what it cost, instead of the rows."""

    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Diagram:
    """The rows as a diagram: the stage `graph`."""

    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


Stage: TypeAlias = Where | Sort | Select | Count | Limit | Explain | Diagram


@dataclass(frozen=True, slots=True)
class Change:
    """One hypothetical judgement: a verb and a node."""

    verb: str
    node: Name | Param
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)
    verb_span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Query:
    """A whole query: viewpoint, set, stages."""

    assuming: tuple[Change, ...]
    point: Literal | Param | None
    set: Set
    stages: tuple[Stage, ...] = ()
    span: Span = dataclasses.field(default=NOWHERE, compare=False, repr=False)
