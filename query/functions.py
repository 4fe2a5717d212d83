"""The functions of the language: what each takes, what it gives, and an example."""

from __future__ import annotations

from typing import NamedTuple

from query.fields import KINDS, STATUSES, Column


class Function(NamedTuple):
    """A function. Parameters are set, node, point, or number; a question mark: may be left out.

    `columns` is empty where it gives a set of nodes. A table with a column `id` may stand where a set may.
    """

    name: str
    parameters: tuple[str, ...]
    about: str
    example: str
    columns: tuple[Column, ...] = ()

    @property
    def is_set(self) -> bool:
        """Whether its rows are nodes."""
        return not self.columns or any(column.name == "id" for column in self.columns)

    @property
    def signature(self) -> str:
        """As it is written, e.g. `grounds(set, number?)`."""
        return f"{self.name}({', '.join(self.parameters)})"


_ID = Column("id", about="the node's id", ids=True)
_KIND = Column("kind", about="what it is", values=KINDS)
_SIZE = Column("size", "number", "how many members")
_MEMBERS = Column("members", "list", "the judgements, together", ids=True)
_TEXT = Column("text", about="its words, corrected")


def _status(name: str, about: str) -> Column:
    return Column(name, about=about, values=STATUSES)


_ALL = [
    Function("grounds", ("set", "number?"), "all that a set rests on, or so many steps deep", "grounds(d1, 2)"),
    Function("dependents", ("set", "number?"), "all that rests on a set, or so many steps", "dependents(c1)"),
    Function(
        "paths",
        ("node", "node"),
        "simple paths from the first up to the second, which rests on it, shortest first",
        "paths(c1, d1) | limit 5",
        (
            Column("length", "number", "how many steps"),
            Column("path", "list", "the ids, from the ground up", ids=True),
            Column("relations", "list", "by which relation each rests on the one before"),
        ),
    ),
    Function(
        "why",
        ("node",),
        "the derivation: each support set, each member as it stands, the first cause first",
        "why(d1)",
        (
            _ID,
            _status("status", "how the node stands"),
            Column("by", about="a support set (set 1, set 2 ...), a prerequisite, or its own authority"),
            Column("member", about="what is cited", ids=True),
            Column("heads", "list", "where the citation leads", ids=True),
            Column("member_status", about="how that stands", values=(*STATUSES, "lost", "wrong-kind")),
            Column("met", "yes", "whether the citation is met"),
            Column("note", about="what moved or lost it; the first cause"),
        ),
    ),
    Function(
        "environments",
        ("node",),
        "the label: one row an environment, the smallest first",
        "environments(d1) | sort size | limit 5",
        (
            _SIZE,
            _MEMBERS,
            Column("consistent", "yes", "whether it contains no nogood's environment"),
            Column("open", "yes", "whether all its members stand now"),
        ),
    ),
    Function(
        "falls",
        ("set",),
        "what would follow if a set were disputed or revoked, and what would survive by what",
        "falls(c1)",
        (
            _ID,
            _KIND,
            Column(
                "outcome",
                about="what would happen to it",
                values=("falls", "rises", "reopens", "closes", "changes", "survives"),
            ),
            _status("before", "how it stands now"),
            _status("after", "how it would stand"),
            Column("depth", "number", "how many steps from the change"),
            Column("cause", "list", "the path of causes", ids=True),
            Column("saved_by", "list", "the support set by which it survives", ids=True),
        ),
    ),
    Function(
        "repair", ("node",), "the minimal sets to accept or adopt so that a node holds", "repair(d1)", (_SIZE, _MEMBERS)
    ),
    Function("critical", ("node",), "the minimal sets whose loss fells a node", "critical(d1)", (_SIZE, _MEMBERS)),
    Function(
        "single",
        ("set",),
        "the members of a set that rest on one judgement, with it",
        "single(decisions)",
        (_ID, Column("judgement", about="without which it falls", ids=True), _TEXT),
    ),
    Function("pivotal", ("node",), "the open matters that could change a node", "pivotal(d1)"),
    Function("blocked", ("set",), "the decisions of a set with a prerequisite that is not met", "blocked(decisions)"),
    Function("held", ("set",), "the claims and decisions of a set that are IN", "held(claims)"),
    Function("degraded", ("set",), "those that lost a support set and hold still", "degraded(decisions)"),
    Function("flagged", ("set",), "those that cite what was revised and not reviewed since", "flagged(decisions)"),
    Function(
        "deadends",
        ("set",),
        "rejected alternatives of the decisions, and falsified hypotheses, of a set",
        "deadends(decisions)",
        (
            _ID,
            Column("decision", about="whose alternative it is", ids=True),
            Column("signature", "list", "what the gates said"),
            _status("status", "whether it is dead still"),
            _TEXT,
        ),
    ),
    Function(
        "conflicts",
        (),
        "the violated nogoods, one row a minimal set of culprits",
        "conflicts()",
        (
            _ID,
            Column("members", "list", "what cannot all hold", ids=True),
            Column("culprits", "list", "judgements that make it so", ids=True),
        ),
    ),
    Function(
        "history",
        ("node",),
        "what was recorded about a node, in the order of time",
        "history(c1)",
        (
            Column("time", "date", "when"),
            Column("what", about="what kind of line"),
            Column("state", about="the judgement that was passed"),
            Column("reason", about="why"),
            Column("author", about="by whom"),
            Column("line", about="the beginning of the line's hash"),
        ),
    ),
    Function(
        "changed",
        ("point", "point?"),
        "what differs between two points in time, or since one, and by which lines",
        "changed(2026-10-01, 2026-11-01)",
        (
            Column("id", about="the node's id, there at one of the two"),
            _KIND,
            _status("before", "how it stood"),
            _status("after", "how it stands"),
            Column("lines", "list", "the lines about it; none: a consequence"),
        ),
    ),
]
FUNCTIONS = {function.name: function for function in _ALL}
