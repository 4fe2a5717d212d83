"""The fields of a node, as a query names them: what each is, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tms.graph import Graph, NodeView

KINDS = ("claim", "decision", "question", "alternative", "hypothesis", "nogood")
SETS = {"claims": "claim", "decisions": "decision", "questions": "question", "alternatives": "alternative",
        "hypotheses": "hypothesis", "nogoods": "nogood"}  # fmt: skip
STATES = ("unassessed", "accepted", "disputed", "rejected", "derived", "proposed", "adopted", "revoked", "active",
          "falsified", "abandoned", "clash", "open", "")  # fmt: skip
STATUSES = ("in", "active", "unsupported", "blocked", "circular", "contested", "unknown", "unassessed", "disputed",
            "rejected", "proposed", "revoked", "clash", "retired", "open", "resolved", "ruled-out", "reopened",
            "untested", "falsified", "violated", "dormant", "missing", "absent")  # fmt: skip
FLAGS = ("degraded", "flagged", "forked", "literal")


class Column(NamedTuple):
    """A column of a result. `type` is text, list, number, date or yes; `values`: all there can be, where known.

    `ids`: its values are ids, of nodes or of what is missing.
    """

    name: str
    type: str = "text"
    about: str = ""
    values: tuple[str, ...] = ()
    ids: bool = False


class Field(NamedTuple):
    """A column that every node has, and how it is read."""

    column: Column
    read: Callable[[Graph, str], Any]


def _view(name: str) -> Callable[[Graph, str], Any]:
    return lambda graph, node: getattr(_node(graph, node), name)


def _extra(name: str, default: Any = "") -> Callable[[Graph, str], Any]:
    return lambda graph, node: _node(graph, node).fields.get(name, default)


def _node(graph: Graph, node: str) -> NodeView:
    return graph.node(node)


def _ids(name: str) -> Callable[[Graph, str], tuple[str, ...]]:
    return lambda graph, node: tuple(sorted({pair[0] for pair in getattr(_node(graph, node), name)}))


def _members(graph: Graph, node: str) -> tuple[str, ...]:
    return tuple(sorted({name for members in _node(graph, node).supports for name in members}))


def _line(name: str) -> Callable[[Graph, str], str]:
    def read(graph: Graph, node: str) -> str:
        lines = _node(graph, node).lines
        return str(getattr(lines[0], name)) if lines else ""

    return read


def _date(graph: Graph, node: str) -> str:
    return _line("time")(graph, node)[:10]


_ALL = [
    Field(Column("id", about="the node's id", ids=True), lambda graph, node: node),
    Field(Column("kind", about="what it is", values=KINDS), lambda graph, node: graph.status(node).kind),
    Field(
        Column("state", about="what was recorded", values=STATES),
        lambda graph, node: graph.status(node).state,
    ),
    Field(
        Column("status", about="what follows from all that was recorded", values=STATUSES),
        lambda graph, node: graph.status(node).status,
    ),
    Field(
        Column("flags", "list", "what else is to be said of it", FLAGS), lambda graph, node: graph.status(node).flags
    ),
    Field(Column("text", about="its words, corrected"), lambda graph, node: graph.text(node)),
    Field(Column("rationale", about="why, in words"), _view("rationale")),
    Field(Column("choice", about="what a decision chose"), _extra("choice")),
    Field(Column("scope", "list", "what it is about"), _view("scope")),
    Field(Column("tag", "list", "its tags"), _view("tag")),
    Field(Column("evidence", "list", "where the evidence is"), _view("evidence")),
    Field(Column("date", "date", "the day on which it was recorded"), _date),
    Field(Column("time", "date", "the time at which it was recorded"), _line("time")),
    Field(Column("author", about="who recorded it"), _line("author")),
    Field(Column("session", about="in which session"), _line("session")),
    Field(Column("branch", about="on which branch"), _line("branch")),
    Field(Column("pinned", "yes", "whether it is pinned"), _extra("pinned", False)),
    Field(Column("decided_by", about="who decided"), _extra("decided_by")),
    Field(Column("reversibility", about="how hard it is to undo"), _extra("reversibility")),
    Field(Column("revisit", about="when to look at it again"), _extra("revisit")),
    Field(Column("cost_if_wrong", about="what it costs if it is wrong"), _extra("cost_if_wrong")),
    Field(Column("action", about="what a hypothesis tries"), _extra("action")),
    Field(Column("supports", "list", "the members of its support sets, as recorded", ids=True), _members),
    Field(Column("depends_on", "list", "its prerequisites, as recorded", ids=True), _view("depends_on")),
    Field(Column("answers", "list", "the questions that it answers", ids=True), _view("answers")),
    Field(Column("members", "list", "the members of a nogood", ids=True), _view("members")),
    Field(Column("supersedes", "list", "what it replaces", ids=True), _ids("supersedes")),
    Field(Column("superseded_by", "list", "what replaces it", ids=True), _ids("superseded_by")),
    Field(Column("cited_by", "list", "what cites it", ids=True), _view("cited_by")),
]
FIELDS = {found.column.name: found for found in _ALL}
SHOWN = ("id", "kind", "state", "status", "flags", "text")  # of a set of nodes, where nothing is selected
