"""Negative constraints: which actions are known to fail, under which assumptions, and since when.

A hypothesis whose falsification came from an external gate, with a signature that it gives again and again, is a
constraint on its action; whatever was dropped, or rejected on a feeling, constrains nothing. A constraint forbids while
its falsification holds: where a member of `assuming` falls it is *reopened*, says so, and forbids nothing.

The graph keeps an index from signatures of actions (`tms.signature`) to hypotheses, so that a check costs the same
whatever the number of records. It reads no narrative.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from tms.entry import live
from tms.graph import Graph
from tms.model import Assess, Falsification, Hypothesis, Line, is_receipt
from tms.nogoods import consistency
from tms.signature import signature_of
from tms.status import word

FORBIDS = ("falsified", "unknown", "clash")  # where nobody knows whether the grounds hold, nothing is waved through


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """One falsification as it was recorded: what the gate said, since when, in which line."""

    signature: str
    gate: str
    since: str
    hash: str


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """A hypothesis that a gate falsified; it forbids its action unless its status is `reopened`.

    `told` has every falsification, oldest first; `assuming` what they assume, each with its status now.
    """

    id: str
    action: str
    status: str
    told: tuple[Told, ...]
    assuming: tuple[tuple[str, str], ...]

    @property
    def forbids(self) -> bool:
        return self.status in FORBIDS


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an action: the constraints on it, and hypotheses about it that no gate tested.

    `untested` are those that were abandoned (UNVERIFIED_ABANDONED) or falsified without a gate: they forbid nothing.
    """

    action: str
    constraints: tuple[Constraint, ...] = ()
    untested: tuple[str, ...] = ()

    @property
    def known_to_fail(self) -> bool:
        return any(constraint.forbids for constraint in self.constraints)


def known(graph: Graph, action: str, *, root: str = "", exact: bool = False) -> Verdict:
    """What is known of an action; with `exact`, only of actions recorded in just these characters.

    `root`: paths below this folder are written from there, see `signature_of`.

    >>> said = Falsification(signature="E0308", gate="rustc", reproducible=True)
    >>> graph = Graph.empty().apply(Hypothesis(id="h1", action="cargo build", state="falsified", falsification=said))
    >>> verdict = known(graph, " cargo  build")
    >>> verdict.known_to_fail, verdict.constraints[0].told[0].signature, known(graph, "cargo run").known_to_fail
    (True, 'E0308', False)
    """
    signature = signature_of(action, root)
    found = graph.verdicts.get(signature)
    if found is None:
        found = graph.verdicts[signature] = _verdict(graph, signature)
    if not exact:
        return found
    kept = tuple(constraint for constraint in found.constraints if constraint.action == action)
    return Verdict(action=action, constraints=kept, untested=found.untested)


def known_to_fail(graph: Graph, action: str, root: str = "") -> bool:
    """The same as `known(...).known_to_fail`, without the details: what is asked again and again, before every act.

    >>> known_to_fail(Graph.empty().apply(Hypothesis(id="h1", action="cargo build")), "cargo build")
    False
    """
    signature = signature_of(action, root)
    return any(_forbids(graph, number, signature) for number in graph.declared.actions.get(signature, ()))


def _forbids(graph: Graph, number: int, signature: str) -> bool:
    declared, compiled = graph.declared, graph.compiled
    entry = declared.entry(number)
    if entry and len(entry.records) == 1 and not (entry.later or declared.voids or declared.assumed):
        record: Any = entry.records[0].record  # the only word on it, so nothing need be put together
        gated = record.state == "falsified" and is_receipt(record.falsification)
        return gated and consistency(compiled).holds((number,)) is not False
    return word(compiled, number) in FORBIDS and _says(graph, number, signature) and _is_told(graph, number)


def _is_told(graph: Graph, number: int) -> bool:
    """Whether some line that is not void has the receipt of a gate."""
    entry = graph.declared.entry(number)
    lines = live((*entry.records, *entry.later), graph.declared.voids) if entry else ()
    return any(is_receipt(_said(line)) for line in lines)


def _verdict(graph: Graph, signature: str) -> Verdict:
    numbers = graph.declared.actions.get(signature, ())
    names = [graph.declared.names.name(n) for n in numbers if _says(graph, n, signature)]
    found = {name: constraint(graph, name) for name in sorted(names)}
    return Verdict(
        action=signature,
        constraints=tuple(one for one in found.values() if one is not None),
        untested=tuple(name for name, one in found.items() if one is None and _is_untested(graph, name)),
    )


def _says(graph: Graph, number: int, signature: str) -> bool:
    """Whether some record that is not void has the action; the index keeps those of void ones as well."""
    for body in graph.declared.facts(number).bodies:
        if isinstance(body, Hypothesis) and (body.action == signature or signature_of(body.action) == signature):
            return True
    return False


def _is_untested(graph: Graph, name: str) -> bool:
    return graph.word(name) in ("untested", "falsified", "reopened")


def constraint(graph: Graph, name: str) -> Constraint | None:
    """The constraint that a hypothesis makes; None where it is not falsified, or no gate said so."""
    number = graph.compiled.declared.names.number(name)
    facts = graph.declared.facts(number) if number is not None else None
    if number is None or facts is None or facts.kind != "hypothesis":
        return None
    status = graph.word(name)
    told = falsifications(graph, number) if status in (*FORBIDS, "reopened") else ()
    if not told:
        return None
    body: Any = facts.bodies[0]
    members = sorted({member for members in facts.sets for member in members})
    assuming = tuple((member, graph.word(member)) for member in members)
    return Constraint(id=name, action=body.action, status=status, told=told, assuming=assuming)


def constraints(graph: Graph) -> Iterator[Constraint]:
    """Every constraint, by id."""
    for name in sorted({graph.declared.names.name(n) for _, found in graph.declared.actions.items() for n in found}):
        found = constraint(graph, name)
        if found is not None:
            yield found


def falsifications(graph: Graph, number: int) -> tuple[Told, ...]:
    """What gates said of a hypothesis, in lines that are not void; a later one never takes the place of an earlier."""
    entry = graph.declared.entry(number)
    lines = live((*entry.records, *entry.later), graph.declared.voids) if entry else []
    found = [_told(line, said) for line in lines if (said := _said(line)) is not None and is_receipt(said)]
    unique = {(told.signature, told.gate): told for told in sorted(found, key=_age, reverse=True)}
    return tuple(sorted(unique.values(), key=_age))


def _age(told: Told) -> tuple[str, str, str]:
    return told.since, told.signature, told.hash


def _said(line: Line) -> Falsification | None:
    record = line.record
    return record.falsification if isinstance(record, Hypothesis | Assess) else None


def _told(line: Line, said: Falsification) -> Told:
    return Told(signature=said.signature, gate=said.gate, since=line.time, hash=line.hash)
