"""Syntax nodes back into text: parsing what is printed gives the same nodes."""

from __future__ import annotations

import re

from query import nodes as n
from query.fields import SETS

_PLAIN = re.compile(r"[^\W\d][\w.:/\-]*")
_OPENING = ("assuming", "as")  # at the beginning of a query, these open a viewpoint
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def text_of(query: n.Query) -> str:
    """A query as text, on one line.

    >>> from query.parse import parse
    >>> text_of(parse("assuming dispute c1   blocked( decisions )|sort id desc | limit 3"))
    'assuming dispute c1 blocked(decisions) | sort id desc | limit 3'
    """
    changes = ", ".join(f"{change.verb} {_set(change.node)}" for change in query.assuming)
    view = [f"assuming {changes}"] if changes else []
    view += [f"as of {_value(query.point)}"] if query.point else []
    sets = _set(query.set)
    if re.split(r"[^\w.:/\-]", sets, maxsplit=1)[0] in _OPENING:
        sets = f"({sets})"
    return " | ".join([" ".join([*view, sets]), *map(_stage, query.stages)])


def _set(node: n.Argument) -> str:
    if isinstance(node, n.Call):
        return f"{node.function}({', '.join(map(_set, node.arguments))})"
    if isinstance(node, n.Combined):
        return " ".join([_operand(node.first), *(f"{op} {_operand(each)}" for op, each in node.rest)])
    return _value(node)


def _operand(node: n.Set) -> str:
    return f"({_set(node)})" if isinstance(node, n.Combined) else _set(node)


def _value(node: n.Value) -> str:
    if isinstance(node, n.Param):
        return f"${node.name}"
    if isinstance(node, n.Name):
        return _ticked(node.text) if node.quoted else node.text
    return _quoted(node.text) if node.kind == "text" else node.text


def _ticked(text: str) -> str:
    """In back-ticks; what came in as a parameter and cannot stand in them, in quotes: a mark may be called so."""
    return _quoted(text) if not text or "`" in text or "\n" in text else f"`{text}`"


def _quoted(text: str) -> str:
    return f'"{text.translate(_ESCAPED)}"'


def _stage(stage: n.Stage) -> str:
    match stage:
        case n.Where():
            return f"where {_condition(stage.condition)}"
        case n.Sort():
            return "sort " + ", ".join(f.name + (" desc" if down else "") for f, down in stage.keys)
        case n.Select():
            return "select " + ", ".join(f.name for f in stage.fields)
        case n.Count():
            return "count" + (" by " + ", ".join(f.name for f in stage.fields) if stage.fields else "")
        case n.Limit():
            return f"limit {_value(stage.count)}"
        case n.Explain():
            return "explain"
        case n.Diagram():
            return "graph"


def _condition(node: n.Condition) -> str:
    match node:
        case n.Compare():
            return f"{node.field.name} {node.operator} {_value(node.value)}"
        case n.OneOf():
            return f"{node.field.name} {'not ' * node.negated}in ({', '.join(map(_value, node.values))})"
        case n.IsNull():
            return f"{node.field.name} is {'not ' * node.negated}null"
        case n.Not():
            return f"not {_inner(node.condition)}"
        case n.All():
            return " and ".join(map(_inner, node.conditions))
        case n.AnyOf():
            return " or ".join(_inner(c) if isinstance(c, n.AnyOf) else _condition(c) for c in node.conditions)


def _inner(node: n.Condition) -> str:
    return f"({_condition(node)})" if isinstance(node, n.All | n.AnyOf) else _condition(node)


def id_text(name: str) -> str:
    """An id as it is written in a query: in back-ticks where it is not a plain word.

    >>> id_text("d1"), id_text("as"), id_text("2nd"), id_text("claims")
    ('d1', '`as`', '`2nd`', '`claims`')
    """
    plain = _PLAIN.fullmatch(name) and name not in _OPENING and name not in SETS
    return name if plain else f"`{name}`"
