"""What may be written, held against the graph that it is to join: one rule a function, the first that fails speaks.

Reading is forgiving (a merge may bring anything; `tms.checks` lists it), writing is not: a record that would never
count is refused with the reason and the remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from tms.cite import cited
from tms.declared import Declared
from tms.entry import Facts, assessments, fold, live, newest
from tms.errors import RecordError
from tms.graph import Graph, bare
from tms.model import (
    STATES,
    Act,
    Assess,
    Correct,
    Line,
    Mark,
    Outcome,
    Purge,
    Record,
    Relate,
    Review,
    Void,
    is_receipt,
)

_MAY_BE_CITED = ("claim", "decision", "alternative", "hypothesis")
_SOURCES = {
    "supports": ("claim", "decision", "alternative"),
    "depends_on": ("decision",),
    "answers": ("claim", "decision"),
    "supersedes": ("claim", "decision", "question"),
    "would_supersede": ("claim", "decision", "question"),
    "contradicts": ("claim", "decision"),
}
Problem: TypeAlias = tuple[str, str, str]  # code, message, hint


class Admission:
    """Judges records one by one; `declared` is the ledger with the records judged before added to it.

    With `allow_missing`, references to unknown ids are allowed; they are listed in `warnings`.
    """

    def __init__(self, graph: Graph, *, allow_missing: bool = False) -> None:
        self.graph = graph
        self.declared = graph.compiled.declared  # compiled: the alternatives have their numbers
        self.allow_missing = allow_missing
        self.warnings: list[str] = []
        self._announced: set[str] = set()

    def announce(self, records: Sequence[Record]) -> None:
        """The records of one batch may refer to one another, in any order."""
        for record in records:
            name = getattr(record, "id", None)
            if name is not None:
                self._announced.add(name)
                self._announced.update(f"{name}/{option.key}" for option in getattr(record, "alternatives", ()))

    def judge(self, record: Record, where: str = "") -> None:
        """Raises `RecordError` with the first thing that is wrong; collects warnings."""
        for rule in _RULES:
            for code, message, hint in rule(self, record):
                raise RecordError(message, code=code, where=where, hint=hint)
        for warn in _WARNINGS:
            self.warnings.extend(warn(self, record))

    def facts(self, name: str) -> Facts | None:
        """What is known under an id; None where nothing is, empty facts where a record of the batch brings it."""
        number = self.declared.names.number(name)
        facts = self.declared.facts(number) if number is not None else None
        if facts is not None and facts.exists:
            return facts
        return Facts() if name in self._announced else None

    def kind(self, name: str) -> str:
        facts = self.facts(name)
        return facts.kind if facts else ""

    def take(self, line: Line) -> None:
        """A record was sealed: later ones of the batch are judged and completed with it in place."""
        self.declared = self.declared.add([line])

    def complete(self, record: Record) -> Record:
        """The record with `replaces` filled in: an assessment or a correction replaces all the newest ones."""
        if isinstance(record, Assess | Correct) and not record.replaces:
            return msgspec.structs.replace(record, replaces=newest_hashes(self.declared, record))
        return record


def newest_hashes(declared: Declared, record: Assess | Correct) -> tuple[str, ...]:
    """The hashes of everything that a new assessment or correction of the same node replaces, sorted."""
    number = declared.names.number(record.node)
    entry = declared.entry(number) if number is not None else None
    if entry is None:
        return ()
    records, later = live(entry.records, declared.voids), live(entry.later, declared.voids)
    if isinstance(record, Assess):
        found = newest(assessments(fold(entry, declared.voids).kind, records, later))
        return tuple(sorted(h for assessment in found for h in assessment.hashes))
    corrections = [line for line in later if isinstance(line.record, Correct)]
    replaced = {h for line in corrections for h in line.record.replaces}  # type: ignore[union-attr]
    return tuple(sorted({line.hash for line in corrections} - replaced))


# -- rules ------------------------------------------------------------------------------------------------------


def _known_already(admission: Admission, record: Record) -> Iterator[Problem]:
    name = getattr(record, "id", None)
    facts = admission.facts(name) if name is not None else None
    if facts is not None and facts.exists:
        same = record in facts.bodies
        hint = "nothing to do" if same else "choose another id, or supersede or correct the one that is there"
        yield "duplicate", f"{name} is recorded already" + ("" if same else ", with other content"), hint


def references(record: Record) -> Iterator[tuple[str, str]]:
    """Every id that a record refers to, with the field that does."""
    if isinstance(record, Assess | Correct | Outcome | Purge):
        yield "node", record.node
    elif isinstance(record, Review):
        yield from (("citing", record.citing), ("cited", record.cited), ("head", record.head))
    elif isinstance(record, Relate):
        yield "source", record.source
        yield from ((record.relation, target) for target in record.targets)
    elif not isinstance(record, Void | Mark | Act):
        yield from _node_references(record)


def _node_references(record: Any) -> Iterator[tuple[str, str]]:
    for members in getattr(record, "supports", ()):
        yield from (("supports", m) for m in members)
    for field in ("depends_on", "answers", "contradicts", "assuming", "members"):
        yield from ((field, m) for m in getattr(record, field, ()))
    for field in ("supersedes", "would_supersede"):
        yield from ((field, s.id) for s in getattr(record, field, ()))
    for option in getattr(record, "alternatives", ()):
        yield from (("because", m) for members in option.because for m in members)


def _unknown_references(admission: Admission, record: Record) -> Iterator[Problem]:
    for field, name in references(record):
        if admission.facts(name) is not None:
            continue
        near = admission.graph.nearest(name)
        hint = f"did you mean {', '.join(near)}?" if near else "record it first, or pass --allow-missing"
        if not admission.allow_missing or field in ("node", "citing"):
            yield "unknown-id", f"{field}: no node has the id {name!r}", hint
        else:
            admission.warnings.append(f"{field}: no node has the id {name!r}; it counts as not holding until one has")


def _kinds(admission: Admission, record: Record) -> Iterator[Problem]:
    for field, name in references(record):
        kind = admission.kind(name)
        if not kind:
            continue
        if field == "answers" and kind != "question":
            yield "kind", f"answers: {name} is a {kind}; expected a question", "use supports or depends_on"
        elif field in ("supersedes", "would_supersede") and kind not in ("claim", "decision", "question"):
            yield "kind", f"{field}: {name} is a {kind}; only claims, decisions and questions are superseded", ""
        elif field in _CITING and kind not in _MAY_BE_CITED:
            yield "kind", f"{field}: {name} is a {kind}; expected a claim, decision, alternative or hypothesis", ""


_CITING = ("supports", "depends_on", "because", "assuming", "members", "contradicts")


def _superseding_kinds(admission: Admission, record: Record) -> Iterator[Problem]:
    if isinstance(record, Relate):
        if record.relation not in ("supersedes", "would_supersede"):
            return
        own, targets = admission.kind(record.source), record.targets
    else:
        own = "question" if type(record).__name__ == "Question" else "claim"
        targets = tuple(s.id for s in (*getattr(record, "supersedes", ()), *getattr(record, "would_supersede", ())))
    for name in targets:
        kind = admission.kind(name)
        if own and kind and (own == "question") != (kind == "question"):
            yield "kind", f"a {own} cannot supersede {name}, which is a {kind}", ""


def _assess_fits(admission: Admission, record: Record) -> Iterator[Problem]:
    if not isinstance(record, Assess):
        return
    facts = admission.facts(record.node)
    if facts is None or not facts.kind:
        return
    if facts.derived:
        yield "derived", f"{record.node} is derived: it carries no judgement of its own", "assess what it rests on"
    elif record.state not in STATES.get(facts.kind, ()):
        allowed = ", ".join(STATES.get(facts.kind, ())) or "no state"
        yield "state", f"{record.node} is a {facts.kind}; it takes {allowed}, not {record.state}", ""


def _relate_fits(admission: Admission, record: Record) -> Iterator[Problem]:
    if isinstance(record, Relate):
        kind = admission.kind(record.source)
        if kind and kind not in _SOURCES[record.relation]:
            expected = " or ".join(_SOURCES[record.relation])
            yield "kind", f"{record.relation}: {record.source} is a {kind}; expected a {expected}", ""


def _review_fits(admission: Admission, record: Record) -> Iterator[Problem]:
    if isinstance(record, Review):
        facts = admission.facts(record.citing)
        if facts is not None and facts.kind and record.cited not in set(cited(facts)):
            yield (
                "review",
                f"{record.citing} does not cite {record.cited}",
                f"see what it cites: tms show {record.citing}",
            )


def _void_fits(admission: Admission, record: Record) -> Iterator[Problem]:
    if not isinstance(record, Void):
        return
    line = admission.declared.line(record.target)
    if line is None:
        yield "unknown-line", f"no line has the hash {record.target}", "see the hashes: tms log"
    elif record.field is not None and not _has_part(line.record, record):
        place = f"{record.field}[{record.position}]" + (f" of alternative {record.key}" if record.key else "")
        yield "unknown-part", f"the line {record.target[:12]} has no {place}", "see its record: tms log --json"


def _has_part(record: Any, void: Void) -> bool:
    holder = record
    if void.field == "because":
        holder = next((a for a in getattr(record, "alternatives", ()) if a.key == void.key), None)
    values = getattr(holder, void.field or "", ())
    return void.position is not None and void.position < len(values)


def _later_fits(admission: Admission, record: Record) -> Iterator[Problem]:
    expected = {Outcome: "decision", Purge: "hypothesis"}.get(type(record))
    kind = admission.kind(record.node) if isinstance(record, Outcome | Purge) else ""
    if kind and kind != expected:
        yield "kind", f"node: {record.node} is a {kind}; expected a {expected}", ""  # type: ignore[union-attr]


def _mark_fits(admission: Admission, record: Record) -> Iterator[Problem]:
    if isinstance(record, Mark):
        names = {line.record.name for line in admission.declared.log if isinstance(line.record, Mark)}
        if record.name in names:
            yield "duplicate", f"there is a mark {record.name!r} already", "choose another name"


_RULES: tuple[Callable[[Admission, Record], Iterator[Problem]], ...] = (
    _known_already,
    _unknown_references,
    _kinds,
    _superseding_kinds,
    _assess_fits,
    _relate_fits,
    _review_fits,
    _void_fits,
    _later_fits,
    _mark_fits,
)


# -- warnings ---------------------------------------------------------------------------------------------------


def _loses_own_standing(admission: Admission, record: Record) -> Iterator[str]:
    if isinstance(record, Relate) and record.relation == "supports" and record.targets:
        facts = admission.facts(record.source)
        if facts and facts.kind in ("claim", "decision") and not facts.declared and not facts.derived:
            yield (
                f"{record.source} stood on its own authority; from now on it holds only by this support set"
                " (to keep its own standing as well: --keep-own, which adds an empty set)"
            )


def _last_set_goes(admission: Admission, record: Record) -> Iterator[str]:
    line = admission.declared.line(record.target) if isinstance(record, Void) else None
    node = admission.declared.node_of(line) if line else None
    if node is None:
        return
    before, after = admission.declared.facts(node), admission.declared.add([bare(record)]).facts(node)
    if after.kind in ("claim", "decision") and before.sets and not after.sets and after.declared and not after.derived:
        name = admission.declared.names.name(node)
        yield (
            f"{name} has no support set left, which does not make it a premise again; to let it stand on its own"
            f" authority: tms relate supports {name} --keep-own"
        )


def _early_supersession(admission: Admission, record: Record) -> Iterator[str]:
    if isinstance(record, Relate) and record.relation == "supersedes":
        facts = admission.facts(record.source)
        state, name, pairs = (facts.state if facts else ""), record.source, record.targets
    else:
        state, name = getattr(record, "state", ""), getattr(record, "id", "")
        pairs = tuple(s.id for s in getattr(record, "supersedes", ()))
    if pairs and state in ("proposed", "unassessed", "disputed", "rejected", "revoked"):
        yield f"{name} is {state}, and supersedes {', '.join(pairs)} all the same; would_supersede waits for adoption"


def _constrains_nothing(admission: Admission, record: Record) -> Iterator[str]:
    if getattr(record, "state", "") == "falsified" and not is_receipt(getattr(record, "falsification", None)):
        name = getattr(record, "node", "") or getattr(record, "id", "")
        yield f"{name} is falsified without the reproducible signature of a gate: it forbids no action"


_WARNINGS: tuple[Callable[[Admission, Record], Iterator[str]], ...] = (
    _loses_own_standing,
    _last_set_goes,
    _early_supersession,
    _constrains_nothing,
)


def admit(graph: Graph, records: Sequence[Record], *, allow_missing: bool = False, source: str = "") -> Admission:
    """Judge a batch against a graph, without writing: `RecordError` for the first record that may not be written.

    >>> from tms.model import Claim, Decision
    >>> admit(Graph.empty(), [Claim(id="c1"), Decision(id="d1", choice="x", supports=(("c1",),))]).warnings
    []
    """
    admission = Admission(graph, allow_missing=allow_missing)
    admission.announce(records)
    for at, record in enumerate(records, 1):
        admission.judge(record, f"{source}record {at}" if len(records) > 1 else source)
        admission.take(bare(record))
    return admission
