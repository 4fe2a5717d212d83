"""Findings about a ledger: one rule a function, each with the lines that it is about; nothing here stops reading.

`check` asks every rule. A finding of severity `error` means that some record does not say what its writer meant; a
`note` is worth a look and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from tms.admit import references
from tms.cite import HELD_BY_HELPER, cited
from tms.components import components
from tms.entry import CLASH, assessments, live, newest
from tms.errors import Finding
from tms.graph import Graph
from tms.ledger.reader import Reading
from tms.model import STATES, Assess, Correct, Correction, Line, Relate, Review, Void


def check(graph: Graph, reading: Reading | None = None) -> tuple[Finding, ...]:
    """Everything about a ledger that a person should look at, in a fixed order.

    >>> from tms.model import Claim
    >>> [f.kind for f in check(Graph.empty().apply(Claim(id="c1", supports=(("c9",),))))]
    ['missing']
    """
    found = list(reading.findings) if reading else []
    for fault in reading.faults if reading else ():
        place = ((fault.path, fault.line),) if fault.line is not None else ()
        found.append(Finding(kind=fault.code, message=fault.message, lines=place))
    for rule in RULES:
        found.extend(rule(graph))
    return tuple(sorted(found, key=lambda f: (f.severity != "error", f.kind, f.nodes, f.lines, f.message)))


def _places(lines: Iterable[Line]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted({(line.path, line.number) for line in lines if line.number}))


def _numbers(graph: Graph) -> Iterator[tuple[int, str]]:
    for number, name in enumerate(graph.compiled.declared.names, 1):
        if "\n" not in name:
            yield number, name


def _live(graph: Graph, number: int) -> tuple[list[Line], list[Line]]:
    entry = graph.declared.entry(number)
    if entry is None:
        return [], []
    return live(entry.records, graph.declared.voids), live(entry.later, graph.declared.voids)


def clashes(graph: Graph) -> Iterator[Finding]:
    """One id recorded with different bodies, or newest assessments that disagree."""
    for number, name in _numbers(graph):
        facts = graph.declared.facts(number)
        records, later = _live(graph, number) if facts.exists and facts.kind != "alternative" else ([], [])
        if len(facts.bodies) > 1 and records:
            message = f"{name} is recorded with {len(facts.bodies)} different contents; void all but one"
            yield Finding(kind=CLASH, message=message, nodes=(name,), lines=_places(records))
        elif facts.state == CLASH:
            current = newest(assessments(facts.kind, records, later))
            hashes = {h for assessment in current for h in assessment.hashes}
            states = ", ".join(sorted({assessment.state for assessment in current}))
            lines = [line for line in (*records, *later) if line.hash in hashes]
            message = f"{name} was assessed {states} apart; any new assessment settles it"
            yield Finding(kind=CLASH, message=message, nodes=(name,), lines=_places(lines))


def missing(graph: Graph) -> Iterator[Finding]:
    """References to ids that no line records."""
    absent = set(graph.missing())
    if not absent:
        return
    where: dict[str, list[Line]] = {name: [] for name in absent}
    for line in graph.lines:
        for name in absent.intersection(_mentions(line)):
            if not graph.declared.is_void(line.hash):
                where[name].append(line)
    for name in sorted(absent):
        if where[name]:
            message = f"{name} is referred to, and no line records it; it counts as not holding"
            yield Finding(kind="missing", message=message, nodes=(name,), lines=_places(where[name]))


def _mentions(line: Line) -> Iterator[str]:
    yield from (name for _, name in references(line.record))


def forks(graph: Graph) -> Iterator[Finding]:
    """Records superseded by several that nothing joins."""
    succession = graph.compiled.declared.succession
    name_of = graph.declared.names.name
    for number in sorted(graph.declared.superseders):
        heads = succession.heads(number).heads
        if len(heads) > 1 and len({s for s, _ in succession.hops(number)}) > 1:
            names = tuple(sorted(name_of(head) for head in heads))
            message = (
                f"{name_of(number)} was superseded apart: {', '.join(names)}; one record superseding them all joins it"
            )
            lines = [line for head in heads for line in _live(graph, head)[0]]
            yield Finding(kind="fork", message=message, nodes=(name_of(number), *names), lines=_places(lines))


def supersession_circles(graph: Graph) -> Iterator[Finding]:
    """Supersessions in a circle: they count for nothing."""
    for circle in graph.compiled.declared.succession.circles():
        names = tuple(sorted(graph.declared.names.name(n) for n in circle))
        lines = [line for n in circle for part in _live(graph, n) for line in part if _supersedes(line)]
        message = f"{', '.join(names)} supersede one another in a circle, which counts for nothing; void one"
        yield Finding(kind="supersession-circle", message=message, nodes=names, lines=_places(lines))


def _supersedes(line: Line) -> bool:
    record = line.record
    if isinstance(record, Relate):
        return record.relation == "supersedes"
    return bool(getattr(record, "supersedes", ()))


def support_circles(graph: Graph) -> Iterator[Finding]:
    """Nodes that hold each other up and nothing else does."""
    compiled = graph.compiled
    circular = [n for n in range(1, len(compiled.network.circular)) if compiled.network.circular[n]]
    inside = set(circular)
    found = components(
        circular, lambda n: [m for j in compiled.network.own[n] for m in compiled.network.members[j] if m in inside]
    )
    for component in found:
        own = [m for j in compiled.network.own[component[0]] for m in compiled.network.members[j]]
        if len(component) > 1 or component[0] in own:
            nodes = sorted({compiled.owner(n) for n in component})
            names = tuple(sorted(graph.declared.names.name(n) for n in nodes))
            lines = [line for n in nodes for line in _live(graph, n)[0]]
            message = f"{', '.join(names)} rest on one another and on nothing else"
            yield Finding(kind="circle", message=message, nodes=names, lines=_places(lines))


def wrong_kinds(graph: Graph) -> Iterator[Finding]:
    """Citations, answers and supersessions of a kind that cannot be meant."""
    for number, name in _numbers(graph):
        facts = graph.declared.facts(number)
        for field, target in [*(("cites", m) for m in cited(facts)), *(("answers", q) for q in facts.answers)]:
            other = graph.declared.names.number(target) if target else None
            kind = graph.declared.facts(other).kind if other else ""
            if (
                kind
                and ((field == "cites") == (kind in HELD_BY_HELPER))
                and not (field == "answers" and kind == "question")
            ):
                message = f"{name} {field} {target}, which is a {kind}; that never counts"
                yield Finding(
                    kind="wrong-kind", message=message, nodes=(name, target), lines=_places(_live(graph, number)[0])
                )
        yield from _wrong_supersessions(graph, number, name)


def _wrong_supersessions(graph: Graph, number: int, name: str) -> Iterator[Finding]:
    declared = graph.declared
    for target, _ in declared.facts(number).supersedes:
        other = declared.names.number(target)
        if other is not None and not declared.supersession_counts(number, other):
            kinds = f"a {declared.facts(number).kind}", f"a {declared.facts(other).kind}"
            message = f"{name}, {kinds[0]}, cannot supersede {target}, {kinds[1]}; that never counts"
            yield Finding(
                kind="wrong-kind", message=message, nodes=(name, target), lines=_places(_live(graph, number)[0])
            )


def idle_assessments(graph: Graph) -> Iterator[Finding]:
    """Assessments that do not fit their node and so do not count."""
    for number, name in _numbers(graph):
        facts = graph.declared.facts(number)
        for line in _live(graph, number)[1] if facts.exists else ():
            record = line.record
            if not isinstance(record, Assess):
                continue
            if facts.derived:
                message = f"{name} is derived and carries no judgement; this assessment does not count"
            elif record.state not in STATES.get(facts.kind, ()):
                message = f"{name} is a {facts.kind}, which cannot be {record.state}; this assessment does not count"
            else:
                continue
            yield Finding(kind="idle-assessment", message=message, nodes=(name,), lines=_places([line]))


def correction_clashes(graph: Graph) -> Iterator[Finding]:
    """Fields that two branches corrected apart."""
    for number, name in _numbers(graph):
        later = [line for line in _live(graph, number)[1] if isinstance(line.record, Correct)]
        replaced = {h for line in later for h in line.record.replaces}  # type: ignore[union-attr]
        current = [line for line in later if line.hash not in replaced]
        for field in Correction.__struct_fields__:
            values = {repr(v) for line in current if (v := getattr(line.record.fields, field)) is not None}  # type: ignore[union-attr]
            if len(values) > 1:
                message = f"{field} of {name} was corrected apart; one more correction settles it"
                yield Finding(kind="correction-clash", message=message, nodes=(name,), lines=_places(current))


def idle_lines(graph: Graph) -> Iterator[Finding]:
    """Voids of lines that are not here; corrections and reviews of what is not there."""
    for line in graph.lines:
        record = line.record
        if isinstance(record, Void) and graph.declared.line(record.target) is None:
            message = f"voids the line {record.target[:12]}, which is not here"
            yield Finding(kind="unknown-line", message=message, lines=_places([line]))
        elif isinstance(record, Review) and not graph.declared.is_void(line.hash):
            number = graph.declared.names.number(record.citing)
            facts = graph.declared.facts(number) if number else None
            if facts and facts.exists and record.cited != record.head and record.cited not in set(cited(facts)):
                message = f"reviews {record.cited} for {record.citing}, which does not cite it"
                yield Finding(
                    kind="idle-review", message=message, nodes=(record.citing,), lines=_places([line]), severity="note"
                )


def early_supersessions(graph: Graph) -> Iterator[Finding]:
    """What is not adopted or accepted and supersedes all the same; what is, and only would."""
    for number, name in _numbers(graph):
        facts = graph.declared.facts(number)
        records = _live(graph, number)[0]
        done = {m for m, _ in facts.supersedes}
        if facts.supersedes and facts.state in ("proposed", "unassessed"):
            message = f"{name} is {facts.state} and supersedes {', '.join(sorted(done))} all the same"
            yield Finding(
                kind="early-supersession", message=message, nodes=(name,), lines=_places(records), severity="note"
            )
        waiting = {s.id for body in facts.bodies for s in getattr(body, "would_supersede", ())} - done
        if waiting and facts.state in ("adopted", "accepted"):
            message = (
                f"{name} is {facts.state}: {', '.join(sorted(waiting))} waits for tms relate supersedes {name} ..."
            )
            yield Finding(
                kind="late-supersession", message=message, nodes=(name,), lines=_places(records), severity="note"
            )


RULES: tuple[Callable[[Graph], Iterator[Finding]], ...] = (
    clashes,
    missing,
    forks,
    supersession_circles,
    support_circles,
    wrong_kinds,
    idle_assessments,
    correction_clashes,
    idle_lines,
    early_supersessions,
)
