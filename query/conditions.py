"""Conditions as functions of a row's values. A field that is not recorded is null: no comparison holds for it."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeAlias

from query import nodes as n
from query.patterns import compiled

Read: TypeAlias = Callable[[str], Any]  # the value of a field of the row that is looked at
Test: TypeAlias = Callable[[Read], bool]

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
            tests = [_equal(value) for value in node.values]
            return lambda read: any(test(read(node.field.name)) for test in tests) != node.negated
        case n.Compare():
            test = _compare(node.operator, node.value)
            return lambda read: test(read(node.field.name))


def is_null(value: Any) -> bool:
    """Nothing was recorded there: no value, an empty text or an empty list."""
    return value is None or value in ("", ())


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
