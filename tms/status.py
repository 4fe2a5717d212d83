"""The one function that says how a node stands: `status_of`. Every surface asks it.

The words are those of the contract's table (`docs/semantics.md`); the order of the questions is the order there.
"""

from __future__ import annotations

import msgspec

from tms.cite import HELD_BY_HELPER
from tms.compile import Compiled
from tms.entry import CLASH, MISSING, Facts
from tms.model import Review, State
from tms.network import NEVER, Members
from tms.nogoods import consistency


class Blocker(msgspec.Struct, frozen=True, kw_only=True):
    """Why a prerequisite is not met: `chain` leads from the blocked decision to the root cause.

    `reason` is the root's status, or `missing`, `lost` (a reversed ground), `wrong-kind` or `circular`. A long chain
    is cut in the middle: `omitted` ids were left out before the root.
    """

    prerequisite: str
    root: str
    reason: str
    chain: tuple[str, ...]
    omitted: int = 0


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """How one node stands: `state` is what was recorded, `status` what follows; `flags` are sorted."""

    id: str
    kind: str
    state: str
    status: str
    flags: tuple[str, ...] = ()
    blockers: tuple[Blocker, ...] = ()

    def _repr_html_(self) -> str:
        return Statuses((self,))._repr_html_()


class Statuses(tuple[Status, ...]):
    """The statuses of several nodes: a tuple that a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from tms.display import statuses_html

        return statuses_html(self)


UNKNOWN = "unknown"
_JUDGED_WORDS: dict[str, State | str] = {
    "unassessed": "unassessed",
    "disputed": "disputed",
    "rejected": "rejected",
    "proposed": "proposed",
    "revoked": "revoked",
    CLASH: CLASH,
}


def held(graph: Compiled, node: int) -> bool | None:
    """Whether a node holds in a consistent open environment; None where the work was bounded before it was known."""
    return consistency(graph).holds((graph.holder(node),))


def word(graph: Compiled, node: int) -> str:
    """The derived status of a node, as one word."""
    facts = graph.declared.facts(node)
    state = graph.declared.state(node)
    if facts.kind == "hypothesis":
        return _hypothesis(graph, node, state)
    if facts.kind == "alternative":
        return "untested" if state == "abandoned" else _said(held(graph, node), "ruled-out", "reopened")
    if facts.kind == "nogood":
        return CLASH if state == CLASH else "violated" if graph.holds(node) else "dormant"
    if not facts.exists:
        return MISSING
    if graph.declared.succession.superseded(node):
        return "retired"
    if facts.kind == "question":
        return CLASH if state == CLASH else _said(held(graph, node), "resolved", "open")
    return _judged(graph, node, facts, state)


def _hypothesis(graph: Compiled, node: int, state: str) -> str:
    if state == "falsified":
        return _said(held(graph, node), "falsified", "reopened")
    return "untested" if state == "abandoned" else state


def _judged(graph: Compiled, node: int, facts: Facts, state: str) -> str:
    if state in _JUDGED_WORDS:
        return state
    holds = held(graph, node)
    if holds:
        return "in" if facts.kind == "claim" else "active"
    if facts.kind == "decision" and unmet_prerequisites(graph, node):
        return "blocked"
    if graph.holds(node):
        return UNKNOWN if holds is None else "contested"
    return "circular" if graph.network.circular[node] else "unsupported"


def _said(holds: bool | None, yes: str, no: str) -> str:
    return UNKNOWN if holds is None else yes if holds else no


def met(graph: Compiled, members: Members) -> bool:
    """Whether all of some node numbers hold together, consistently; where that is unknown, whether they hold."""
    return consistency(graph).holds(members) is not False


def citation(graph: Compiled, node: int, name: str) -> Members:
    """What must hold for the citation of `name` by `node` to be met."""
    return graph.citations().resolve(node, name)


def set_holds(graph: Compiled, node: int, names: tuple[str, ...]) -> bool:
    """Whether all citations of a support set are met together."""
    return met(graph, tuple(sorted({n for name in names for n in citation(graph, node, name)})))


def unmet_prerequisites(graph: Compiled, node: int) -> list[str]:
    """The prerequisites of a node whose citation is not met, as declared."""
    names = graph.declared.facts(node).depends_on
    return [name for name in names if not met(graph, citation(graph, node, name))]


def flags(graph: Compiled, node: int) -> tuple[str, ...]:
    """The flags beside the status of a node that is not retired, sorted."""
    facts = graph.declared.facts(node)
    if not facts.exists or graph.declared.succession.superseded(node):
        return ()
    found = {"degraded"} if _degraded(graph, node, facts) else set()
    moved = graph.moves.get(node, ())
    if moved:
        found |= _moved_flags(graph, node, moved)
    return tuple(sorted(found))


def _degraded(graph: Compiled, node: int, facts: Facts) -> bool:
    if len(facts.sets) < 2 or facts.kind not in ("claim", "decision") or not held(graph, node):
        return False
    if consistency(graph).violated:
        return not all(set_holds(graph, node, members) for members in facts.sets)
    unmet = graph.network.unmet
    return any(unmet[just] for just in graph.network.own[node])


def _moved_flags(graph: Compiled, node: int, moved: tuple[int, ...]) -> set[str]:
    citations, found = graph.citations(), set()
    for target in moved:
        heads = citations.heads(target)
        kind = graph.declared.facts(target).kind
        if heads.lost or kind in ("", *HELD_BY_HELPER):  # it leads nowhere
            continue
        if len(heads.heads) > 1:
            found.add("forked")
        if (node, target) in graph.literals:
            found.add("literal")
        if graph.declared.succession.revised(*_base(graph, node, target)):
            found.add("flagged")
    return found


def _base(graph: Compiled, node: int, target: int) -> tuple[int, frozenset[int]]:
    """The node whose supersession a citation follows (an alternative: its decision), and what was reviewed there."""
    names = graph.declared.names
    name = names.name(target)
    reviewed = reviews(graph, node).get(name, set())
    owner, _, key = name.partition("/")
    heads = {head.partition("/")[0] if key else head for head in reviewed}
    numbers = (names.number(head) for head in heads)
    return names.number(owner) or NEVER, frozenset(number for number in numbers if number is not None)


def reviews(graph: Compiled, node: int) -> dict[str, set[str]]:
    """What was reviewed for a citing node: cited id to the heads looked at."""
    entry = graph.declared.entry(node)
    found: dict[str, set[str]] = {}
    for line in entry.later if entry else ():
        record = line.record
        if isinstance(record, Review) and not graph.declared.is_void(line.hash):
            found.setdefault(record.cited, set()).add(record.head)
    return found


def _blockers(graph: Compiled, node: int) -> tuple[Blocker, ...]:
    from tms.cause import first_cause

    found = []
    for name in unmet_prerequisites(graph, node):
        chain, omitted, reason = first_cause(graph, node, name)
        found.append(Blocker(prerequisite=name, root=chain[-1], reason=reason, chain=chain, omitted=omitted))
    return tuple(found)


def status_of(graph: Compiled, node: int) -> Status:
    """The status of a node with its flags and, for a blocked decision, its blockers."""
    facts = graph.declared.facts(node)
    status = word(graph, node)
    return Status(
        id=graph.declared.names.name(node),
        kind=facts.kind,
        state=graph.declared.state(node),
        status=status,
        flags=flags(graph, node),
        blockers=_blockers(graph, node) if status == "blocked" else (),
    )
