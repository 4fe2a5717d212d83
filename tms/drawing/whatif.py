"""What a reviewer can ask of each drawn node without the engine at hand: why it stands so, and what losing it would do.

All answers are the engine's own, worked out beforehand. In a large graph they are bounded, and each says so.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import msgspec

from tms.consequences import Changed, Survived, impact
from tms.drawing.parts import Drawing
from tms.explain import prose, why
from tms.graph import Change, Graph

MOST = 1_000  # nodes listed for one what-if, lines of one derivation
WORK = 50_000  # of both, for one page

# The judgement that takes the present one away, or else gives it.
_LOSING = {"accepted": "dispute", "adopted": "revoke", "falsified": "abandon"}
_GIVING = {"claim": "accept", "decision": "adopt"}


class WhatIf(msgspec.Struct, frozen=True, kw_only=True):
    """The impact of one judgement on one node, as `tms impact` has it; `left_out` counts what is not listed."""

    change: Change
    changed: tuple[Changed, ...]
    survived: tuple[Survived, ...]
    left_out: int = 0


class Detail(msgspec.Struct, frozen=True, kw_only=True):
    """What the page knows of one drawn node. `why` is empty where the work for it was no longer spent."""

    why: str = ""
    rationale: str = ""
    evidence: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    whatif: WhatIf | None = None


def details(graph: Graph, drawing: Drawing) -> tuple[Detail, ...]:
    """One detail for each node of the drawing, in its order; empty for what is no node of the graph.

    >>> from tms import Claim, Decision
    >>> from tms.drawing.model import drawing
    >>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"),
    ...     Decision(id="d1", choice="x", supports=(("c1",),))])
    >>> [(d.whatif.change, [c.id for c in d.whatif.changed]) for d in details(graph, drawing(graph)) if d.whatif]
    [(('dispute', 'c1'), ['c1', 'd1']), (('revoke', 'd1'), ['d1'])]
    """
    budget = _Budget(WORK)
    return tuple(_detail(graph, node.id, budget) if node.id in graph else Detail() for node in drawing.nodes)


class _Budget:
    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, amount: int) -> None:
        self.left -= amount


def _detail(graph: Graph, name: str, budget: _Budget) -> Detail:
    node = graph.node(name)
    return Detail(
        why=_why(graph, name, budget) if budget.left > 0 else "",
        rationale=node.rationale,
        evidence=node.evidence,
        tag=node.tag,
        whatif=_whatif(graph, name, budget) if budget.left > 0 else None,
    )


def _why(graph: Graph, name: str, budget: _Budget) -> str:
    found = why(graph, name)
    budget.spend(len(found.steps))
    lines = prose(found).split("\n")
    more = [f"... and {len(lines) - MOST} more lines: tms why {name}"] if len(lines) > MOST else []
    return "\n".join([*lines[:MOST], *more])


def _whatif(graph: Graph, name: str, budget: _Budget) -> WhatIf | None:
    change = _change(graph, name)
    if change is None:
        return None
    found = impact(graph, [change])
    budget.spend(len(found.changed) + len(found.survived))
    left = max(len(found.changed) - MOST, 0) + max(len(found.survived) - MOST, 0)
    return WhatIf(
        change=change,
        changed=tuple(islice(found.changed, MOST)),
        survived=tuple(islice(found.survived, MOST)),
        left_out=left,
    )


def _change(graph: Graph, name: str) -> Change | None:
    status = graph.status(name)
    verb: Any = _LOSING.get(status.state) or (_GIVING.get(status.kind) if status.state != "derived" else None)
    return (verb, name) if verb and status.kind in ("claim", "decision", "hypothesis") else None
