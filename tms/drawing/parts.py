"""What a drawing is made of: frozen values that say what is drawn and why, nothing of any format.

An arrow leads from what bears on something to what it bears on: from a ground to what rests on it, from a successor to
what it supersedes. A support set of several members is a junction, a small node of kind `and`, so that OR is told from
AND at sight. Text stands here as recorded; each format escapes it in its own one place.
"""

from __future__ import annotations

import msgspec

JUNCTIONS = ("and", "own")  # a support set with several members; the empty set, which keeps a node's own authority


class DrawnNode(msgspec.Struct, frozen=True, kw_only=True):
    """One node as drawn. `kind` is one of the glossary, or `missing`, `scope` (folded), `and`, `own` (junctions).

    `hidden_up` and `hidden_down` count the neighbours that are not drawn: what it rests on, what rests on it.
    `change` is "" or, against another graph, one of `CHANGES` in `tms.drawing.style`; `before` is the status there.
    """

    id: str
    kind: str
    status: str = ""
    state: str = ""
    flags: tuple[str, ...] = ()
    text: str = ""
    scope: tuple[str, ...] = ()
    tone: str = ""
    focus: bool = False
    hidden_up: int = 0
    hidden_down: int = 0
    replaces: tuple[str, ...] = ()  # superseded nodes that are folded into this one
    change: str = ""
    before: str = ""


class DrawnEdge(msgspec.Struct, frozen=True, kw_only=True):
    """One arrow. `met` is false where the citation is not met; `count` says how many were folded into one."""

    source: str
    target: str
    kind: str
    met: bool = True
    note: str = ""
    count: int = 1
    change: str = ""


class DrawnGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The nodes of one scope, junctions among them."""

    name: str
    nodes: tuple[str, ...]


class LegendRow(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that occurs in the drawing: its sign and what it means; `of` is `node`, `tone`, `edge` or `change`."""

    of: str
    key: str
    sign: str
    text: str


class Drawing(msgspec.Struct, frozen=True, kw_only=True):
    """All that is drawn, sorted: the same graph gives the same value, whatever the hash seed.

    `title` says which ledger, `subtitle` which point in time and which viewpoint, `note` what was left out.
    """

    title: str
    subtitle: str
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]
    groups: tuple[DrawnGroup, ...]
    legend: tuple[LegendRow, ...]
    note: str
