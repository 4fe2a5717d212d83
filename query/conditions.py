"""Conditions as functions of a row's values. A field that is not recorded is null: no comparison holds for it."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeAlias

from query import nodes as n
from query.fields import FIELDS
from query.patterns import compiled
from tms.ledger.wire import stamp

Read: TypeAlias = Callable[[str], Any]  # the value of a field of the row that is looked at
Test: TypeAlias = Callable[[Read], bool]

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def test_of(node: n.Condition) -> Test:
    """The condition, ready to be asked of rows."""
    match node:
        case n.Not():
            inner = test_of(node.condition)
            return lambda read: not inner(read)
        case n.All():
            every = [test_of(part) for part in node.conditions]
            return lambda read: all(test(read) for test in every)
        case n.AnyOf():
            some = [test_of(part) for part in node.conditions]
            return lambda read: any(test(read) for test in some)
        case n.IsNull():
            return lambda read: is_null(read(node.field.name)) != node.negated
        case n.OneOf():
            tests = [_asked(node.field.name, "=", value) for value in node.values]
            return lambda read: any(test(read(node.field.name)) for test in tests) != node.negated
        case n.Compare():
            test = _asked(node.field.name, node.operator, node.value)
            return lambda read: test(read(node.field.name))


def is_null(value: Any) -> bool:
    """Nothing was recorded there: no value, an empty text or an empty list."""
    return value is None or value in ("", ())


def _asked(field: str, sign: str, value: n.Value) -> Callable[[Any], bool]:
    """The comparison; with a day as its value, a time counts as its day."""
    if field not in FIELDS or FIELDS[field].column.type != "date":
        return _compare(sign, value)
    then = moment(_text(value)) or ""
    test = _compare(sign, n.Literal("text", then))
    return lambda found: test(found[: len(then)])


def moment(text: str) -> str | None:
    """A day as it is, a time as lines are stamped, and None for what is neither.

    >>> moment("2026-10-01"), moment("2026-10-01T12:00:00+02:00"), moment("2026-13-01")
    ('2026-10-01', '2026-10-01T10:00:00.000Z', None)
    """
    try:
        found = datetime.fromisoformat(text)
        if _DAY.fullmatch(text):
            return text
        return stamp(found) if found.tzinfo and len(text) > len("2026-10-01T12") else None
    except (ValueError, OverflowError):
        return None


def _compare(sign: str, value: n.Value) -> Callable[[Any], bool]:
    if sign == "~":
        pattern = compiled(_text(value))
        return lambda found: any(pattern.search(text) for text in _texts(found))
    equal = _equal(value)
    if sign == "=":
        return equal
    if sign == "!=":
        return lambda found: not is_null(found) and not equal(found)
    return _ordered(_ORDER[sign], value)


def _ordered(order: Callable[[Any, Any], bool], value: n.Value) -> Callable[[Any], bool]:
    """Numbers by size, texts as they are sorted."""
    text, number = _text(value), _number(value)

    def ordered(found: Any) -> bool:
        if isinstance(found, int | float):
            return number is not None and order(found, number)
        return isinstance(found, str) and not is_null(found) and order(found, text)

    return ordered


def _equal(value: n.Value) -> Callable[[Any], bool]:
    """A list equals a value when it contains it; a number one of the same size; yes and no are what they say."""
    text, number = _text(value), _number(value)

    def equal(found: Any) -> bool:
        if isinstance(found, tuple):
            return text in found
        if isinstance(found, bool):
            return text == ("yes" if found else "no")
        if isinstance(found, int | float):
            return found == number
        return found == text and found is not None

    return equal


def _texts(found: Any) -> list[str]:
    if isinstance(found, tuple):
        return [str(each) for each in found]
    return [] if is_null(found) else [str(found)]


def _text(value: n.Value) -> str:
    assert not isinstance(value, n.Param)  # bound before
    return value.text


def _number(value: n.Value) -> float | None:
    is_number = isinstance(value, n.Literal) and value.kind == "number"
    return float(_text(value)) if is_number else None


def id_asked(node: n.Condition) -> str | None:
    """The one id that a condition allows, where it says `id = ...`, alone or with `and`: nothing else is looked at."""
    parts = node.conditions if isinstance(node, n.All) else (node,)
    for part in parts:
        if isinstance(part, n.Compare) and part.field.name == "id" and part.operator == "=":
            return _text(part.value)
    return None
