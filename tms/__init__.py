"""A truth-maintenance engine over a ledger of claims and decisions.

    >>> from tms import Claim, Decision, Graph, impact
    >>> graph = Graph.empty().extend([Claim(id="c1", text="it is fast", state="accepted"),
    ...     Decision(id="d1", text="use it", choice="yes", supports=(("c1",),))])
    >>> [(c.id, c.after) for c in impact(graph, [("dispute", "c1")]).changed]
    [('c1', 'disputed'), ('d1', 'unsupported')]

Names are loaded when first asked for, so that a command pays only for what it uses.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "tms.model": (
        "Act Alternative Assess Batch Claim Correct Correction Decision Falsification Hypothesis Line Mark Nogood "
        "Outcome Purge Question Record Relate Review Supersession Void"
    ),
    "tms.errors": ("Finding LedgerBusy LedgerError NotWritable RecordError TmsError UnknownNode UsageError"),
    "tms.graph": "Graph NodeView",
    "tms.status": "Blocker Status",
    "tms.consequences": "Changed Difference Impact Survived changed impact",
    "tms.explain": "Step Why WhyMember WhySet prose why",
    "tms.listing": "Environment Environments environments witness",
    "tms.questions": "Aftermath Answer Conflict aftermath conflicts critical pivotal repair single",
    "tms.session": "Report Session",
    "tms.checks": "check",
    "tms.drawing.model": "drawing",
    "tms.drawing.diagram": "Diagram",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605 - one list, in one place


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'tms' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
