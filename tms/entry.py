"""What the lines about one node come to: an `Entry` collects them, `fold` reads them as `Facts`.

The order of lines means nothing here: every rule works on sets of lines, hashes and bodies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import msgspec
from pyrsistent import PMap

from tms.model import (
    STATES,
    Alternative,
    Assess,
    Claim,
    Correct,
    Decision,
    Hypothesis,
    Line,
    Node,
    Nogood,
    Question,
    Relate,
    Review,
    SupportSet,
    Void,
)

CLASH = "clash"
MISSING = "missing"

Voids: TypeAlias = PMap[str, tuple[Line, ...]]  # target hash -> the lines that void it, or a relation in it
Supersedes: TypeAlias = tuple[tuple[str, str], ...]  # (superseded id, reason)


class Entry(msgspec.Struct, frozen=True, gc=False):
    """All lines about one node: those that record it, and the later ones, each in the order of arrival."""

    records: tuple[Line, ...] = ()
    later: tuple[Line, ...] = ()


class Facts(NamedTuple):
    """A node as recorded, with everything void left out.

    `sets` are the declared support sets (of an alternative: of its rejection; of a hypothesis: its `assuming`);
    `declared` says that some set was declared, be it void now. `bodies` are the distinct records with this id.
    """

    kind: str = ""
    state: str = MISSING
    sets: tuple[SupportSet, ...] = ()
    declared: bool = False
    depends_on: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    supersedes: Supersedes = ()
    contradicts: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    bodies: tuple[Node | Alternative, ...] = ()

    @property
    def exists(self) -> bool:
        return self.state != MISSING

    @property
    def judged(self) -> bool:
        """Carries a judgement: an assumption of labels."""
        return self.kind == "decision" or (self.kind == "claim" and self.state != "derived")


NOTHING = Facts()
RELATION_FIELDS = ("supports", "depends_on", "answers", "supersedes", "contradicts", "alternatives")
KIND = {Claim: "claim", Decision: "decision", Question: "question", Hypothesis: "hypothesis", Nogood: "nogood"}


def is_void(line_hash: str, voids: Voids) -> bool:
    """A line is void when some line that is not void voids it (chains of voids of any length)."""
    if not voids or line_hash not in voids:
        return False
    order, seen = [line_hash], {line_hash}
    for current in order:
        for voiding in _voiding(current, voids):
            if voiding not in seen:
                seen.add(voiding)
                order.append(voiding)
    return _void_in_order(order, voids)[line_hash]


def _voiding(line_hash: str, voids: Voids) -> list[str]:
    return [line.hash for line in voids.get(line_hash, ()) if line.record.field is None]  # type: ignore[union-attr]


def _void_in_order(order: list[str], voids: Voids) -> dict[str, bool]:
    """Decide from the end of the chains backwards; a void can only name a line that was there before it."""
    void: dict[str, bool] = {}
    pending = list(order)
    while pending:
        current = pending[-1]
        unknown = [h for h in _voiding(current, voids) if h not in void]
        if unknown:
            pending.extend(unknown)
            continue
        pending.pop()
        void[current] = any(not void[h] for h in _voiding(current, voids))
    return void


def _void_parts(line_hash: str, voids: Voids) -> set[tuple[str, int | None, str]]:
    """The relations of a line's record that are void: (field, position, key of the alternative)."""
    return {
        (v.field, v.position, v.key)
        for line in voids.get(line_hash, ())
        if isinstance(v := line.record, Void) and v.field is not None and not is_void(line.hash, voids)
    }


def live(lines: Iterable[Line], voids: Voids) -> list[Line]:
    """The lines that are not void."""
    return [line for line in lines if not is_void(line.hash, voids)] if voids else list(lines)


def fold(entry: Entry | None, voids: Voids) -> Facts:
    """Read the lines of a recorded node (not of an alternative, which is a part of its decision).

    >>> fold(Entry((Line(record=Claim(id="c1", state="accepted"), hash="h"),)), PMap.__new__(PMap)) is not None
    True
    """
    if entry is None or not entry.records:
        return NOTHING
    if len(entry.records) == 1 and not entry.later and not voids:
        return _of_body(entry.records[0].record)
    records = live(entry.records, voids)
    if not records:
        return NOTHING
    facts = _merge([_without_void_parts(line, voids) for line in records])
    later = live(entry.later, voids)
    facts = _with_relations(facts, later)
    facts = _with_corrected_reasons(facts, later)
    return facts._replace(state=_state(facts, records, later))


def _of_body(body: Any) -> Facts:
    """The facts of a node with one record and nothing later: the plain case, and most of a ledger."""
    cls = body.__class__
    if cls is Claim:
        supersedes = tuple((s.id, s.reason) for s in body.supersedes)
        return Facts(
            "claim", body.state, body.supports, bool(body.supports), (), body.answers, supersedes,
            body.contradicts, (), (), (body,),
        )  # fmt: skip
    if cls is Decision:
        supersedes = tuple((s.id, s.reason) for s in body.supersedes)
        return Facts(
            "decision", body.state, body.supports, bool(body.supports), body.depends_on, body.answers, supersedes,
            body.contradicts, (), body.alternatives, (body,),
        )  # fmt: skip
    if cls is Question:
        supersedes = tuple((s.id, s.reason) for s in body.supersedes)
        return Facts("question", "open", supersedes=supersedes, bodies=(body,))
    if cls is Hypothesis:
        return Facts("hypothesis", body.state, (body.assuming,), True, bodies=(body,))
    return Facts("nogood", "recorded", members=body.members, bodies=(body,))


def _without_void_parts(line: Line, voids: Voids) -> tuple[Any, Facts]:
    body: Any = line.record
    facts = _of_body(body)
    parts = _void_parts(line.hash, voids) if voids else set()
    if not parts:
        return body, facts
    changes: dict[str, Any] = {}
    for field in RELATION_FIELDS:
        if any(part[0] == field for part in parts):
            name = "sets" if field == "supports" else field
            values = getattr(facts, name)
            changes[name] = tuple(v for i, v in enumerate(values) if (field, i, "") not in parts)
    facts = facts._replace(**changes)
    kept = tuple(_without_void_grounds(a, parts) for a in facts.alternatives)
    return body, facts._replace(alternatives=kept)


NEVER_MET: SupportSet = ("",)  # a ground whose member can have no record: what is left when the last one is void


def _without_void_grounds(option: Alternative, parts: set[tuple[str, int | None, str]]) -> Alternative:
    kept = tuple(s for i, s in enumerate(option.because) if ("because", i, option.key) not in parts)
    if len(kept) == len(option.because):
        return option
    return msgspec.structs.replace(option, because=kept or (NEVER_MET,))


def _unique(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


def _merge(parts: list[tuple[Any, Facts]]) -> Facts:
    """The union of what several lines record under one id; equal bodies are one record."""
    if len(parts) == 1:
        return parts[0][1]
    ordered = sorted(parts, key=lambda part: (part[1].kind, msgspec.json.encode(part[0])))
    first = ordered[0][1]
    bodies: list[Any] = []
    for body, _ in ordered:
        if body not in bodies:
            bodies.append(body)
    joined: dict[str, Any] = {
        name: _unique(value for _, facts in ordered for value in getattr(facts, name))
        for name in ("sets", "depends_on", "answers", "supersedes", "contradicts", "members")
    }
    options: list[Alternative] = []
    for _, facts in ordered:
        options.extend(option for option in facts.alternatives if option not in options)
    declared = any(facts.declared for _, facts in ordered)
    return first._replace(**joined, declared=declared, alternatives=tuple(options), bodies=tuple(bodies))


def _with_relations(facts: Facts, later: list[Line]) -> Facts:
    """Add what later lines relate."""
    found: dict[str, list[Any]] = {}
    declared = facts.declared
    for line in later:
        record = line.record
        if isinstance(record, Relate):
            if record.relation == "supports":
                found.setdefault("sets", []).append(record.targets)
                declared = True
            elif record.relation == "supersedes":
                pairs = [(target, record.reason or "revise") for target in record.targets]
                found.setdefault("supersedes", []).extend(pairs)
            elif record.relation != "would_supersede":
                found.setdefault(record.relation, []).extend(record.targets)
    changes: dict[str, Any] = {name: _unique([*getattr(facts, name), *values]) for name, values in found.items()}
    return facts._replace(**changes, declared=declared) if found else facts


def corrections(lines: Iterable[Line]) -> dict[str, Any]:
    """The corrected value of each field, from corrections that are not void.

    A correction that leaves a field out passes on the value of those that it replaces. Where two branches corrected
    one field apart, the value of the smaller hash is taken; `check` reports it.
    """
    found = {line.hash: line.record for line in lines if isinstance(line.record, Correct)}
    values: dict[str, Any] = {}
    for field in ("text", "rationale", "scope", "tag", "evidence", "supersedes"):
        setters = {h: r for h, r in found.items() if getattr(r.fields, field) is not None}
        older = _replaced_transitively(setters, found)
        newest = sorted(h for h in setters if h not in older)
        if newest:
            values[field] = getattr(setters[newest[0]].fields, field)
    return values


def _replaced_transitively(starts: Iterable[str], found: dict[str, Correct]) -> set[str]:
    older: set[str] = set()
    stack = [h for start in starts for h in found[start].replaces]
    while stack:
        current = stack.pop()
        if current not in older:
            older.add(current)
            stack.extend(found[current].replaces if current in found else ())
    return older


def _with_corrected_reasons(facts: Facts, later: list[Line]) -> Facts:
    corrected = corrections(later).get("supersedes")
    if not corrected:
        return facts
    reasons = {s.id: s.reason for s in corrected}
    return facts._replace(supersedes=_unique((m, reasons.get(m, reason)) for m, reason in facts.supersedes))


class Assessment(NamedTuple):
    """One judgement on a node: the record itself, or an `assess` line; equal bodies are one, with several hashes."""

    state: str
    hashes: tuple[str, ...]
    body: Any
    replaces: tuple[str, ...]


def assessments(kind: str, records: Iterable[Line], later: Iterable[Line]) -> list[Assessment]:
    """Every judgement passed on a node by lines that are not void, and that fits its kind."""
    grouped: list[tuple[Any, list[str]]] = []
    allowed = STATES.get(kind, ())
    for line in (*records, *later):
        record: Any = line.record
        if isinstance(record, (Relate, Correct, Review)) or (
            isinstance(record, Assess) and record.state not in allowed
        ):
            continue
        for body, hashes in grouped:
            if body == record:
                hashes.append(line.hash)
                break
        else:
            grouped.append((record, [line.hash]))
    return [Assessment(getattr(b, "state", ""), tuple(hs), b, getattr(b, "replaces", ())) for b, hs in grouped]


def newest(found: list[Assessment]) -> list[Assessment]:
    """Those that no other one replaces."""
    replaced = {h for assessment in found for h in assessment.replaces}
    return [a for a in found if replaced.isdisjoint(a.hashes)]


def _state(facts: Facts, records: list[Line], later: list[Line]) -> str:
    if len(facts.bodies) == 1 and (facts.state == "derived" or not any(isinstance(x.record, Assess) for x in later)):
        return facts.state
    current = newest(assessments(facts.kind, records, later))
    bodies = [a for a in current if not isinstance(a.body, Assess)]
    if len({a.state for a in current}) > 1 or len(bodies) > 1:
        return CLASH
    return current[0].state if current else facts.state
