"""What each function does: it asks the engine, and puts the answer into rows. Each stops at the bounds of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from query.run import Run
from tms.consequences import changed, impact
from tms.explain import Step, WhyMember, why
from tms.graph import Change, Graph
from tms.listing import environments
from tms.model import Assess, Falsification, Line
from tms.questions import conflicts, critical, pivotal, repair, single
from tms.reach import dependents, grounds, paths


class Row(NamedTuple):
    """One row: the node that it is about, if it is about one, and the values of the table's own columns."""

    node: str
    values: dict[str, Any]


Rows: TypeAlias = Iterable[Row]


def of_nodes(names: Iterable[str]) -> list[Row]:
    """Rows that are nodes, and nothing besides."""
    return [Row(name, {}) for name in names]


def _grounds(run: Run, names: Sequence[str], depth: int | None = None) -> Rows:
    return of_nodes(grounds(run.graph, names, depth))


def _dependents(run: Run, names: Sequence[str], depth: int | None = None) -> Rows:
    return of_nodes(dependents(run.graph, names, depth))


def _paths(run: Run, start: str, end: str) -> Iterator[Row]:
    for path in paths(run.graph, start, end):
        run.tick()
        yield Row("", {"length": len(path.relations), "path": path.ids, "relations": path.relations})


def _why(run: Run, name: str) -> Iterator[Row]:
    found = why(run.graph, name)
    chain = {each: place for place, each in enumerate(found.first_cause)}
    order = {step.id: place for place, step in enumerate(found.steps)}
    for step in sorted(found.steps, key=lambda step: (chain.get(step.id, len(chain)), order[step.id])):
        first = f"first cause: {found.cause}" if found.first_cause and step.id == found.first_cause[-1] else ""
        yield from _step_rows(step, first)


def _step_rows(step: Step, first: str) -> Iterator[Row]:
    cited = [("prerequisite", m) for m in step.prerequisites]
    cited += [(f"set {place}", m) for place, found in enumerate(step.sets, 1) for m in found.members]
    for by, member in cited:
        yield Row(step.id, {"id": step.id, "status": step.status, "by": by, **_of_member(member, first)})
    if not cited:
        own = {"by": "its own authority" if step.premise else "", "member": "", "heads": (), "member_status": ""}
        yield Row(step.id, {"id": step.id, "status": step.status, **own, "met": step.holds, "note": first})


def _of_member(member: WhyMember, first: str) -> dict[str, Any]:
    note = "; ".join(filter(None, (member.note, first)))
    values = {"member": member.cited, "heads": member.heads, "member_status": member.status}
    return {**values, "met": member.met, "note": note}


def _environments(run: Run, name: str) -> Iterator[Row]:
    found = environments(run.graph, name, limit=run.wanted)
    if found.complete_to is not None:
        run.note(f"only environments of up to {found.complete_to} members: the budget ended there")
    for each in found.environments:
        values = {"size": len(each.members), "members": each.members}
        yield Row("", {**values, "consistent": each.consistent, "open": each.open})


def _falls(run: Run, names: Sequence[str]) -> Iterator[Row]:
    change = [losing for name in names for losing in _losing(run.graph, name)]
    if not change:
        run.refuse("nothing here carries a judgement that could be disputed or revoked")
    found = impact(run.graph, change)
    outcomes = {c.id: "falls" for c in found.fell} | {c.id: "rises" for c in found.rose}
    outcomes |= dict.fromkeys(found.reopened, "reopens") | dict.fromkeys(found.closed, "closes")
    for c in found.changed:
        values = {"before": c.before, "after": c.after, "depth": c.depth, "cause": c.cause, "saved_by": ()}
        yield Row(c.id, {"id": c.id, "kind": c.kind, "outcome": outcomes.get(c.id, "changes"), **values})
    for s in found.survived:
        values = {"before": s.status, "after": s.status, "depth": None, "cause": (), "saved_by": s.by}
        yield Row(s.id, {"id": s.id, "kind": s.kind, "outcome": "survives", **values})


def _losing(graph: Graph, name: str) -> list[Change]:
    status = graph.status(name)
    verb = {("claim", "accepted"): "dispute", ("decision", "adopted"): "revoke"}.get((status.kind, status.state))
    return [(verb, name)] if verb else []


def _sets(run: Run, name: str, ask: Any) -> Iterator[Row]:
    found = ask(run.graph, name, limit=run.wanted)
    if found.reason:
        run.note(found.reason)
    if not found.complete:
        run.note("these are not all: the budget or the limit of rows ended there")
    for members in found.sets:
        yield Row("", {"size": len(members), "members": members})


def _repair(run: Run, name: str) -> Iterator[Row]:
    return _sets(run, name, repair)


def _critical(run: Run, name: str) -> Iterator[Row]:
    return _sets(run, name, critical)


def _single(run: Run, names: Sequence[str]) -> Iterator[Row]:
    for name in _of_kinds(run.graph, names, ("claim", "decision")):
        run.tick()
        points = single(run.graph, name)
        if points is None:
            run.note(f"the budget did not suffice to say it of {name}")
        for point in points or ():
            yield Row(name, {"id": name, "judgement": point, "text": run.graph.text(name)})


def _pivotal(run: Run, name: str) -> Rows:
    found = pivotal(run.graph, name)
    if found.reason:
        run.note(found.reason)
    return of_nodes(members[0] for members in found.sets)


def _of_kinds(graph: Graph, names: Iterable[str], kinds: tuple[str, ...]) -> list[str]:
    return [name for name in names if graph.status(name).kind in kinds]


def _by_status(*statuses: str) -> Callable[[Run, Sequence[str]], Rows]:
    return lambda run, names: of_nodes(n for n in run.each(names) if run.graph.status(n).status in statuses)


def _by_flag(flag: str) -> Callable[[Run, Sequence[str]], Rows]:
    return lambda run, names: of_nodes(n for n in run.each(names) if flag in run.graph.status(n).flags)


def _held(run: Run, names: Sequence[str]) -> Rows:
    kinds = _of_kinds(run.graph, names, ("claim", "decision"))
    return of_nodes(n for n in run.each(kinds) if run.graph.status(n).status in ("in", "active"))


def _deadends(run: Run, names: Sequence[str]) -> Iterator[Row]:
    alternatives = {a for n in _of_kinds(run.graph, names, ("decision",)) for a in run.graph.node(n).alternatives}
    alternatives |= set(_of_kinds(run.graph, names, ("alternative",)))
    tried = [n for n in _of_kinds(run.graph, names, ("hypothesis",)) if run.graph.status(n).status in _TRIED]
    for name in run.each(sorted({*alternatives, *tried})):
        decision, _, key = name.partition("/")
        values = {"id": name, "decision": decision if key else "", "signature": _signatures(run.graph, name)}
        yield Row(name, {**values, "status": run.graph.status(name).status, "text": run.graph.text(name)})


_TRIED = ("falsified", "reopened", "untested")


def _signatures(graph: Graph, name: str) -> tuple[str, ...]:
    """What the gates said, each once, in the order of the lines."""
    said = (getattr(line.record, "falsification", None) for line in graph.node(name).lines)
    return tuple(dict.fromkeys(f.signature for f in said if isinstance(f, Falsification)))


def _conflicts(run: Run) -> Iterator[Row]:
    for found in conflicts(run.graph, limit=run.wanted):
        if not found.complete:
            run.note(f"there are more culprits of {found.id} than these")
        for culprits in found.culprits or ((),):
            yield Row(found.id, {"id": found.id, "members": found.members, "culprits": culprits})


def _history(run: Run, name: str) -> Iterator[Row]:
    for line in sorted(run.graph.node(name).lines, key=lambda line: line.time):  # stable: of one time, as they came
        yield Row("", {"time": line.time, "what": _kind(line), **_judgement(line), "line": line.hash[:12]})


def _kind(line: Line) -> str:
    return str(line.record.__struct_config__.tag)


def _judgement(line: Line) -> dict[str, str]:
    record = line.record
    said = record.state if isinstance(record, Assess) else getattr(record, "state", "")
    return {"state": said, "reason": getattr(record, "reason", "") or "", "author": line.author}


def _changed(run: Run, before: Graph, after: Graph | None = None) -> Iterator[Row]:
    for found in changed(before, run.graph if after is None else after):
        values = {"before": found.before or "absent", "after": found.after or "absent"}
        lines = tuple(hash_[:12] for hash_ in found.lines)
        yield Row(
            found.id if found.id in run.graph else "", {"id": found.id, "kind": found.kind, **values, "lines": lines}
        )


ANSWERS: dict[str, Callable[..., Rows]] = {
    "grounds": _grounds,
    "dependents": _dependents,
    "paths": _paths,
    "why": _why,
    "environments": _environments,
    "falls": _falls,
    "repair": _repair,
    "critical": _critical,
    "single": _single,
    "pivotal": _pivotal,
    "blocked": _by_status("blocked"),
    "held": _held,
    "degraded": _by_flag("degraded"),
    "flagged": _by_flag("flagged"),
    "deadends": _deadends,
    "conflicts": _conflicts,
    "history": _history,
    "changed": _changed,
}
