"""The frontier of a decision: what was not chosen, on which grounds, and whether that evaluation still stands.

Four gates, in this order (`docs/frontiers.md`): is any rejected alternative recorded; does each have its receipt, where
the policy wants one; is the environment still the one at the decision; else the choice stands. That the environment
differs does not yet say that it matters: a drift is material where a rejection no longer holds, where the choice has
lost its support, or where the policy names the fact.

An *environment snapshot* is the state of the world at the decision: the facts its writer gave, and which judgements in
its cone held. It has nothing to do with the environments of a label.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from tms.config import FrontierPolicy
from tms.entry import Facts
from tms.errors import UsageError
from tms.graph import Graph
from tms.ledger.wire import canonical
from tms.listing import environments
from tms.model import Alternative, Decision, Falsification, SupportSet, is_receipt
from tms.past import past_of
from tms.reach import grounds
from tms.status import set_holds

MISSING, STALE, VALID = "FRONTIER_MISSING", "FRONTIER_STALE", "FRONTIER_VALID"
_HOLDING = ("in", "active", "falsified")
_JUDGED = ("claim", "decision", "hypothesis")
DEFAULT = FrontierPolicy()


class FactDrift(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that differs from the one at the decision."""

    key: str
    before: str
    after: str


class JudgementDrift(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement in the decision's cone that held at the decision and no longer does, or the other way round."""

    id: str
    before: str
    after: str


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """What differs from the decision; `unchecked` are facts that were recorded and not given now.

    `because` says why it is material, `corrections` which words of the rationale were corrected since.
    """

    facts: tuple[FactDrift, ...]
    judgements: tuple[JudgementDrift, ...]
    material: bool
    because: tuple[str, ...]
    unchecked: tuple[str, ...]
    corrections: tuple[str, ...]


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """An alternative: `ruled-out`, `reopened` or `untested`, with the reason; permanent: no judgement can reopen it.

    `on` are the support sets of its rejection: what a provisional one rests on.
    """

    id: str
    status: str
    permanent: bool
    reason: str
    on: tuple[SupportSet, ...]
    text: str
    criteria: dict[str, str]
    rationale: str
    evidence: tuple[str, ...]
    receipt: Falsification | None
    cost: str


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The state of the world at the decision: facts as given, and the judgements in its cone that held."""

    facts: dict[str, str]
    judgements: tuple[str, ...]


class Frontier(msgspec.Struct, frozen=True, kw_only=True):
    """One evaluation. `digest` is SHA-256 over all of it: who evaluates the same gets the same bytes."""

    id: str
    verdict: str
    directive: str
    skipped: str
    lacking: tuple[str, ...]
    selection_rationale_hash: str
    environment_state_at_decision: Snapshot
    frontier_stability_receipt: dict[str, str]
    drift: Drift
    alternatives: tuple[Option, ...]
    digest: str = ""


def frontier(
    graph: Graph, name: str, facts: Mapping[str, str] | None = None, policy: FrontierPolicy = DEFAULT
) -> Frontier:
    """Evaluate the frontier of a decision against the facts of today. Raises `UnknownNode`, `UsageError`.

    >>> from tms.model import Claim
    >>> told = Decision(id="d1", choice="Postgres", environment={"python": "3.12"},
    ...     alternatives=(Alternative(key="mysql", because=(("c2",),)),))
    >>> graph = Graph.empty().extend([Claim(id="c2", state="accepted"), told])
    >>> frontier(graph, "d1").verdict, frontier(graph, "d1", {"python": "3.13"}).verdict
    ('FRONTIER_VALID', 'FRONTIER_STALE')
    """
    decision = graph.declared.facts(graph.number(name))
    if decision.kind != "decision":
        raise UsageError(f"{name} is a {decision.kind}; expected a decision, which has a frontier", code="kind")
    options = tuple(_option(graph, key) for key in graph.node(name).alternatives)
    past = past_of(graph, name)
    snapshot = Snapshot(facts=_facts(decision), judgements=tuple(_held(past, name)))
    drift = _drift(graph, past, name, snapshot, options, (facts or {}, policy))
    lacking = _lacking(options, policy)
    verdict = MISSING if lacking else STALE if drift.facts or drift.judgements else VALID
    skipped = _skipped(graph, name, policy) if verdict == MISSING else ""
    found = Frontier(
        id=name,
        verdict=verdict,
        directive=_directive(verdict, lacking, skipped),
        skipped=skipped,
        lacking=lacking,
        selection_rationale_hash=selection_rationale_hash(graph, name),
        environment_state_at_decision=snapshot,
        frontier_stability_receipt={option.id: _stability(option) for option in options},
        drift=drift,
        alternatives=options,
    )
    return msgspec.structs.replace(found, digest=hashlib.sha256(_bytes(found)).hexdigest())


def _bytes(value: Any) -> bytes:
    return canonical(msgspec.to_builtins(value))


# -- what was chosen, and over what -----------------------------------------------------------------------------


def selection_rationale_hash(graph: Graph, name: str) -> str:
    """SHA-256 over what was recorded of a choice: its action, rationale and every alternative with all its parts.

    The order of alternatives, of support sets and of their members means nothing. Corrections do not change it; they
    are reported as drift.
    """
    declared = graph.declared
    number = graph.number(name)
    bodies = [body for body in declared.facts(number).bodies if isinstance(body, Decision)]
    chosen = sorted([body.choice, body.text, body.rationale, list(body.evidence)] for body in bodies)
    options = [_rationale(key, option) for key, option in sorted(declared.options(number).items())]
    return hashlib.sha256(_bytes({"alternatives": options, "chosen": chosen})).hexdigest()


def _rationale(key: str, option: Any) -> dict[str, Any]:
    parts = [msgspec.to_builtins(msgspec.structs.replace(body, because=())) for body in option.bodies]
    grounds_ = sorted(sorted(set(members)) for members in set(option.sets))
    return {"because": grounds_, "key": key, "parts": sorted(parts, key=_bytes), "verdict": option.verdict}


def _option(graph: Graph, name: str) -> Option:
    facts = graph.declared.facts(graph.number(name))
    body: Any = facts.bodies[0]
    status = graph.word(name)
    permanent = status != "untested" and bool(environments(graph, name, size=0, limit=0).consistent)
    sets = tuple(sorted(tuple(sorted(set(members))) for members in facts.sets if members))
    return Option(
        id=name,
        status=status,
        permanent=permanent,
        reason=_reason(graph, name, status, permanent, sets),
        on=() if permanent else sets,
        text=body.text,
        criteria=dict(sorted(body.criteria.items())),
        rationale=body.rationale,
        evidence=body.evidence,
        receipt=_receipt(facts),
        cost=body.cost,
    )


def _receipt(facts: Facts) -> Falsification | None:
    """The receipt of an alternative; where several records tell of it, one that a gate gave."""
    found = [body.receipt for body in facts.bodies if isinstance(body, Alternative) and body.receipt]
    return next((said for said in found if is_receipt(said)), found[0] if found else None)


def _reason(graph: Graph, name: str, status: str, permanent: bool, sets: tuple[SupportSet, ...]) -> str:
    if status == "untested":
        return "it was abandoned, not rejected"
    if permanent:
        return "its rejection rests on no judgement"
    compiled, number = graph.compiled, graph.number(name)
    if status == "ruled-out":
        return "rests on " + " or ".join(_named(graph, s) for s in sets if set_holds(compiled, number, s))
    return f"no longer holds: {'; '.join(_named(graph, s) for s in sets) or 'its grounds were made void'}"


def _named(graph: Graph, members: SupportSet) -> str:
    return " and ".join(f"{m or 'a void ground'} ({graph.word(m) if m else 'missing'})" for m in members)


def _stability(option: Option) -> str:
    if option.status == "untested":
        return "untested"
    if option.permanent:
        return "permanent"
    return "provisional on " + " or ".join("{" + ", ".join(s) + "}" for s in option.on)


# -- what differs -----------------------------------------------------------------------------------------------


def _facts(decision: Facts) -> dict[str, str]:
    """The recorded facts; where several records give one differently, all that was given."""
    given: dict[str, set[str]] = {}
    for body in decision.bodies:
        for key, value in body.environment.items() if isinstance(body, Decision) else ():
            given.setdefault(key, set()).add(value)
    return {key: " | ".join(sorted(values)) for key, values in sorted(given.items())}


def _held(graph: Graph, name: str) -> dict[str, str]:
    """The judgements in a decision's cone, its alternatives' grounds with it, that hold: id to status, sorted."""
    cone = _cone(graph, name)
    return {other: word for other in cone if (word := graph.word(other)) in _HOLDING}


def _cone(graph: Graph, name: str) -> list[str]:
    if name not in graph:
        return []
    found = {name, *grounds(graph, [name, *graph.node(name).alternatives])}
    return sorted(other for other in found if graph.declared.facts(graph.number(other)).kind in _JUDGED)


def _drift(
    graph: Graph,
    past: Graph,
    name: str,
    snapshot: Snapshot,
    options: tuple[Option, ...],
    today: tuple[Mapping[str, str], FrontierPolicy],
) -> Drift:
    given, policy = today
    facts = tuple(
        FactDrift(key=key, before=before, after=given[key])
        for key, before in snapshot.facts.items()
        if key in given and given[key] != before and _matches(key, policy.facts)
    )
    names = {*snapshot.judgements, *_held(graph, name)}
    differing = [other for other in sorted(names) if (past.word(other) in _HOLDING) != (graph.word(other) in _HOLDING)]
    because = _material(graph, past, name, options)
    because += [f"{fact.key} differs" for fact in facts if _matches(fact.key, policy.material_facts)]
    return Drift(
        facts=facts,
        judgements=tuple(JudgementDrift(id=o, before=past.word(o), after=graph.word(o)) for o in differing),
        material=bool(because),
        because=tuple(because),
        unchecked=tuple(key for key in snapshot.facts if key not in given and _matches(key, policy.facts)),
        corrections=tuple(sorted(graph.declared.corrected(graph.number(name)))),
    )


def _matches(key: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def _material(graph: Graph, past: Graph, name: str, options: tuple[Option, ...]) -> list[str]:
    """Why what differs matters: a rejection that held and does not, a choice that stood and does not."""
    found = []
    now, then = graph.word(name), past.word(name)
    if then == "active" and now != "active":
        found.append(f"{name} is {now}")
    for option in options:
        if option.status not in ("ruled-out", "untested") and past.word(option.id) in ("ruled-out", "missing"):
            found.append(f"{option.id} is {option.status}")
    return found


# -- the gates --------------------------------------------------------------------------------------------------


def _lacking(options: tuple[Option, ...], policy: FrontierPolicy) -> tuple[str, ...]:
    """What is missing: a rejected alternative at all, or the receipts that the policy wants."""
    rejected = [option for option in options if option.status != "untested"]
    if not rejected:
        return ("no rejected alternative is recorded",)
    blank = [option.id for option in rejected if policy.require_receipts and not is_receipt(option.receipt)]
    return tuple(f"{name} has no receipt" for name in blank)


def _skipped(graph: Graph, name: str, policy: FrontierPolicy) -> str:
    """The tag of the decision by which the policy lets it go without a frontier."""
    return next((tag for tag in sorted(graph.node(name).tag) if _matches(tag, policy.skip_tags)), "")


def _directive(verdict: str, lacking: tuple[str, ...], skipped: str) -> str:
    if skipped:
        return f"proceed: the policy skips a frontier with the tag {skipped}"
    if verdict == MISSING:
        return f"halt: {'; '.join(lacking)}"
    if verdict == STALE:
        return "re-evaluate, with the earlier rationale as context"
    return "proceed: the choice stands"
