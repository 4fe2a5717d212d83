"""What the lines about one node come to: an `Entry` collects them, `fold` reads them as `Facts`.

The order of lines means nothing here: every rule works on sets of lines, hashes and bodies.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import msgspec

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
    SupportSet,
    Void,
)
from tms.table import Table

CLASH = "clash"
MISSING = "missing"

Voids: TypeAlias = Table[str, tuple[Line, ...]]  # target hash -> the lines that void it, or a relation in it
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
        return self.kind == "decision" or (self.kind == "claim" and not self.derived)

    @property
    def derived(self) -> bool:
        """A claim that carries no judgement of its own, by every record of it."""
        return self.kind == "claim" and all(getattr(body, "state", "") == "derived" for body in self.bodies)


NOTHING = Facts()
RELATIONS = {
    "claim": ("supports", "answers", "supersedes", "contradicts"),
    "decision": ("supports", "depends_on", "answers", "supersedes", "contradicts"),
    "question": ("supersedes", "contradicts"),
    "hypothesis": ("contradicts",),
    "nogood": ("contradicts",),
    "": ("supersedes", "contradicts"),  # by a record that is not here: it counts, and never holds
}
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
    return [line.hash for line in voids.get(line_hash, ()) if line.record.field is None]


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


Part: TypeAlias = tuple[str, int | None, str]  # field, position (None: every one), key of the alternative


def _void_parts(line_hash: str, voids: Voids) -> list[Part]:
    """The relations of a line's record that are void."""
    return [
        (v.field, v.position, v.key)
        for line in voids.get(line_hash, ())
        if isinstance(v := line.record, Void) and v.field is not None and not is_void(line.hash, voids)
    ]


def _kept(parts: list[Part], field: str, values: Iterable[Any], key: str = "") -> tuple[Any, ...]:
    """The values of a field that no part makes void."""
    mine = [position for f, position, k in parts if f == field and (k == key or (field == "alternatives" and not k))]
    return tuple(value for i, value in enumerate(values) if i not in mine and None not in mine)


def live(lines: Iterable[Line], voids: Voids) -> list[Line]:
    """The lines that are not void."""
    return [line for line in lines if not is_void(line.hash, voids)] if voids else list(lines)


def fold(entry: Entry | None, voids: Voids) -> Facts:
    """Read the lines of a recorded node (not of an alternative, which is a part of its decision).

    >>> fold(Entry((Line(record=Claim(id="c1", state="accepted"), hash="h"),)), Table({})).state
    'accepted'
    """
    if entry is None:
        return NOTHING
    if len(entry.records) == 1 and not entry.later and not voids:
        return _of_body(entry.records[0].record)
    records, later = live(entry.records, voids), live(entry.later, voids)
    if not records:
        return _with_corrected_reasons(_with_relations(NOTHING, later, voids), later)
    facts = _merge([_without_void_parts(line, voids) for line in records])
    facts = _with_relations(facts, later, voids)
    added = any(isinstance(x.record, Relate) and x.record.relation == "supports" for x in entry.later)
    if added and facts.kind in ("claim", "decision"):  # a void one too: it ended the node's being a premise
        facts = facts._replace(declared=True)
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
    return Facts("nogood", "", members=body.members, bodies=(body,))


def _without_void_parts(line: Line, voids: Voids) -> tuple[Any, Facts]:
    body: Any = line.record
    facts = _of_body(body)
    parts = _void_parts(line.hash, voids) if voids else []
    if not parts:
        return body, facts
    changes: dict[str, Any] = {
        "sets" if field == "supports" else field: _kept(parts, field, getattr(body, field, ()))
        for field in ("supports", "depends_on", "answers", "contradicts")
    }
    if facts.kind == "hypothesis":
        del changes["sets"]
    options = [a for a in facts.alternatives if _kept(parts, "alternatives", body.alternatives, a.key).count(a)]
    changes["alternatives"] = tuple(_without_void_grounds(a, parts) for a in options)
    changes["supersedes"] = _kept(parts, "supersedes", facts.supersedes)
    return body, facts._replace(**changes)


NEVER_MET: SupportSet = ("",)  # a ground whose member can have no record: what is left when the last one is void


def _without_void_grounds(option: Alternative, parts: list[Part]) -> Alternative:
    kept = _kept(parts, "because", option.because, option.key)
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
    facts = first._replace(**joined, declared=declared, alternatives=tuple(options), bodies=tuple(bodies))
    return _of_one_kind(facts, [facts for _, facts in ordered])


def _of_one_kind(facts: Facts, parts: list[Facts]) -> Facts:
    """Where bodies of several kinds share an id, what the kind that is taken cannot have is left out."""
    if facts.kind == "hypothesis":  # several bodies assume together
        assumed = _unique(m for part in parts if part.kind == "hypothesis" for members in part.sets for m in members)
        return facts._replace(sets=(assumed,), members=())
    sets = _unique(s for part in parts if part.kind in ("claim", "decision") for s in part.sets)
    declared = any(part.declared for part in parts if part.kind in ("claim", "decision"))
    facts = facts._replace(sets=sets, declared=declared, members=facts.members if facts.kind == "nogood" else ())
    return facts if facts.kind == "decision" else facts._replace(depends_on=(), alternatives=())


def _with_relations(facts: Facts, later: list[Line], voids: Voids) -> Facts:
    """Add what later lines relate."""
    found: dict[str, list[Any]] = {}
    allowed = RELATIONS.get(facts.kind, ())
    for line in later:
        record = line.record
        if not isinstance(record, Relate) or record.relation not in allowed:
            continue
        parts = _void_parts(line.hash, voids) if voids else []
        if record.relation == "supports":
            found.setdefault("sets", []).extend(_kept(parts, "supports", (record.targets,)))
            continue
        targets = _kept(parts, record.relation, record.targets)
        if record.relation == "supersedes":
            targets = tuple((target, record.reason or "revise") for target in targets)
        found.setdefault(record.relation, []).extend(targets)
    changes: dict[str, Any] = {name: _unique([*getattr(facts, name), *values]) for name, values in found.items()}
    return facts._replace(**changes) if found else facts


def added_sets(later: Iterable[Line], voids: Voids) -> tuple[SupportSet, ...]:
    """The support sets that later lines add to an alternative."""
    found: list[SupportSet] = []
    for line in live(later, voids):
        if isinstance(line.record, Relate) and line.record.relation == "supports":
            parts = _void_parts(line.hash, voids) if voids else []
            found.extend(_kept(parts, "supports", (line.record.targets,)))
    return tuple(found)


def corrections(lines: Iterable[Line]) -> dict[str, Any]:
    """The corrected value of each field, from corrections that are not void.

    A correction that leaves a field out passes on the value of those that it replaces. Where two branches corrected
    one field apart, the value of the smaller hash is taken; `check` reports it.
    """
    found = {line.hash: line.record for line in lines if isinstance(line.record, Correct)}
    values: dict[str, Any] = {}
    for field in ("text", "rationale", "scope", "tag", "evidence"):
        setters = {h: r for h, r in found.items() if getattr(r.fields, field) is not None}
        newest = _newest_setters(setters, found)
        if newest:
            values[field] = getattr(setters[newest[0]].fields, field)
    return values


def _newest_setters(setters: dict[str, Correct], found: dict[str, Correct]) -> list[str]:
    older = _replaced_transitively(setters, found)
    return sorted(h for h in setters if h not in older)


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
    """Each supersession with the reason that the newest corrections of it give; all of them, where branches differ."""
    found = {line.hash: line.record for line in later if isinstance(line.record, Correct)}
    if not any(record.fields.supersedes for record in found.values()):
        return facts
    corrected: list[tuple[str, str]] = []
    for target, reason in facts.supersedes:
        setters = {h: r for h, r in found.items() if any(s.id == target for s in r.fields.supersedes or ())}
        newest = _newest_setters(setters, found)
        reasons: list[str] = [s.reason for h in newest for s in setters[h].fields.supersedes or () if s.id == target]
        corrected.extend((target, new) for new in reasons or [reason])
    return facts._replace(supersedes=_unique(corrected))


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
    for line in (*records, *(line for line in later if isinstance(line.record, Assess))):
        record: Any = line.record
        if isinstance(record, Assess) and record.state not in allowed:
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
    derived = facts.derived
    if len(facts.bodies) == 1 and (derived or not any(isinstance(x.record, Assess) for x in later)):
        return facts.state
    if derived:
        later = []
    current = newest(assessments(facts.kind, records, later))
    bodies = [a for a in current if not isinstance(a.body, Assess)]
    if len({a.state for a in current}) > 1 or len(bodies) > 1:
        return CLASH
    return current[0].state if current else facts.state
