"""The lower half of the oracle: what was recorded and still counts (`Declared`), what replaced what (`Succession`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec

from tms.model import (
    STATES,
    VERBS,
    Alternative,
    Assess,
    Correct,
    Line,
    Record,
    Relate,
    Supersession,
    Void,
)

Set = tuple[str, ...]
Env = frozenset[str]
KINDS = ("claim", "decision", "question", "hypothesis", "nogood")


def kind_of(record: Record) -> str:
    """The word under which a record is written: "claim", "assess" ..."""
    return str(record.__struct_config__.tag)


def split(ref: str) -> tuple[str, str]:
    """The node and the key of an alternative, ("d1", "/mysql"), or ("d1", "")."""
    node, slash, key = ref.partition("/")
    return node, slash + key


def reachable(start: str, edges: dict[str, set[str]]) -> set[str]:
    """Every node on some path from `start`, itself included."""
    seen, todo = {start}, [start]
    while todo:
        for node in edges.get(todo.pop(), set()) - seen:
            seen.add(node)
            todo.append(node)
    return seen


def counted(lines: Iterable[Line]) -> list[Line]:
    """Each hash once, and of the batches only those that are all there."""
    distinct = list({line.hash: line for line in lines}.values())
    there: dict[tuple[str, int], set[int]] = {}
    for line in distinct:
        if line.batch:
            there.setdefault((line.batch.id, line.batch.of), set()).add(line.batch.at)
    return [x for x in distinct if not x.batch or len(there[x.batch.id, x.batch.of]) == x.batch.of]


@dataclass(frozen=True)
class Body:
    """One record, in however many lines; `standing` are the hashes of those that are not void."""

    record: Record
    hashes: frozenset[str]
    standing: frozenset[str]


class Declared:
    """What was recorded: voids, bodies, relations, the newest assessments."""

    def __init__(self, lines: Iterable[Line], changes: Sequence[tuple[str, str]] = ()) -> None:
        self.lines = counted(lines)
        self.everything = self._bodies()
        self.bodies = [body for body in self.everything if body.standing]
        self.nodes: dict[str, list[Body]] = {}
        for body in self.bodies:
            if kind_of(body.record) in KINDS:
                self.nodes.setdefault(body.record.id, []).append(body)  # type: ignore[union-attr]
        self.changed: dict[str, str] = {}
        for verb, node in changes:
            self.changed[node] = self._hypothetical(verb, node)

    # ---- voids and bodies ------------------------------------------------------------------------------------------

    def void(self, line_hash: str) -> bool:
        """A line is void when some line that is not void voids it."""
        return any(
            isinstance(x.record, Void) and x.record.target == line_hash and not x.record.field and not self.void(x.hash)
            for x in self.lines
        )

    def _bodies(self) -> list[Body]:
        same: dict[bytes, list[Line]] = {}
        for line in self.lines:
            same.setdefault(msgspec.json.encode(line.record, order="sorted"), []).append(line)
        return [
            Body(
                group[0].record,
                frozenset(line.hash for line in group),
                frozenset(line.hash for line in group if not self.void(line.hash)),
            )
            for group in same.values()
        ]

    @cached_property
    def _part_voids(self) -> list[Void]:
        return [b.record for b in self.bodies if isinstance(b.record, Void) and b.record.field]

    def kept(self, body: Body, field: str, position: int, key: str = "") -> bool:
        """A relation stands while one of the standing lines of its record has it un-voided."""

        def voided(line_hash: str) -> bool:
            return any(
                v.target == line_hash
                and v.field == field
                and v.position in (None, position)
                and (v.key == key or (field == "alternatives" and not v.key))
                for v in self._part_voids
            )

        return any(not voided(line_hash) for line_hash in body.standing)

    # ---- relations -------------------------------------------------------------------------------------------------

    def related(self, node: str, field: str) -> Iterator[tuple[str, str]]:
        """Each (target, reason) of a relation of `node`, whether declared with it or later."""
        for body in self.nodes.get(node, ()):
            for position, target in enumerate(getattr(body.record, field, ())):
                if self.kept(body, field, position):
                    is_pair = isinstance(target, Supersession)
                    yield (target.id, target.reason) if is_pair else (target, "")
        for body in self.relates(node, field):
            assert isinstance(body.record, Relate)
            for position, target in enumerate(body.record.targets):
                if self.kept(body, field, position):
                    yield target, body.record.reason or "revise"

    def relates(self, node: str, field: str, void_too: bool = False) -> Iterator[Body]:
        """The later lines that give `node` one more relation."""
        for body in self.everything if void_too else self.bodies:
            if isinstance(body.record, Relate) and (body.record.source, body.record.relation) == (node, field):
                yield body

    def later_sets(self, node: str) -> list[Set]:
        """Support sets that were added by their own lines."""
        return [b.record.targets for b in self.relates(node, "supports") if self.kept(b, "supports", 0)]  # type: ignore[union-attr]

    def declared_later(self, node: str) -> bool:
        """Whether a support set was ever added: a void one counts, it ended the node's being a premise."""
        return any(True for _ in self.relates(node, "supports", void_too=True))

    def support_sets(self, node: str) -> list[Set]:
        """The sets of a claim or decision; a premise has the empty one."""
        declared = [(b, i, s) for b in self.nodes[node] for i, s in enumerate(getattr(b.record, "supports", ()))]
        if not declared and not self.declared_later(node):
            return [] if self.derived(node) else [()]
        return [s for b, i, s in declared if self.kept(b, "supports", i)] + self.later_sets(node)

    def own_alternatives(self, decision: str) -> dict[str, list[tuple[Body, Alternative]]]:
        """By key, each mention in a body of the decision; several bodies may tell it differently."""
        found: dict[str, list[tuple[Body, Alternative]]] = {}
        for body in self.nodes.get(decision, ()):
            for position, alternative in enumerate(getattr(body.record, "alternatives", ())):
                if self.kept(body, "alternatives", position, alternative.key):
                    found.setdefault(alternative.key, []).append((body, alternative))
        return found

    # ---- kinds and states ------------------------------------------------------------------------------------------

    def kind(self, node: str) -> str:
        """The kind, or "" of a node that is missing."""
        return min((kind_of(b.record) for b in self.nodes.get(node, ())), default="")

    def derived(self, node: str) -> bool:
        """A claim that carries no judgement of its own."""
        return all(getattr(b.record, "state", "") == "derived" for b in self.nodes[node])

    def judged(self, node: str) -> bool:
        """Whether the node is an assumption."""
        return self.kind(node) in ("claim", "decision") and not self.derived(node)

    def _assessments(self, node: str) -> list[Body]:
        fitting = () if self.derived(node) else STATES.get(self.kind(node), ())
        return [
            b
            for b in self.bodies
            if isinstance(b.record, Assess) and b.record.node == node and b.record.state in fitting
        ]

    def state(self, node: str) -> str:
        """What the newest assessments say; the record itself is the first one."""
        if node in self.changed:
            return self.changed[node]
        later = self._assessments(node)
        replaced = {h for b in later for h in b.record.replaces}  # type: ignore[union-attr]
        records = [b for b in self.nodes[node] if not b.hashes & replaced]
        newest = records + [b for b in later if not b.hashes & replaced]
        states = {getattr(b.record, "state", "") for b in newest}
        return "clash" if len(records) > 1 or len(states) > 1 else states.pop()

    def _hypothetical(self, verb: str, node: str) -> str:
        kind, state = VERBS[verb]
        if kind != self.kind(node) or self.derived(node):
            raise ValueError(f"cannot {verb} {node}")
        return state


class Succession:
    """What replaced what: the successors of each node, with the reasons; circles count for nothing."""

    def __init__(self, declared: Declared) -> None:
        self.declared = declared
        sources = set(declared.nodes) | {b.record.source for b in declared.bodies if isinstance(b.record, Relate)}
        edges: dict[str, dict[str, set[str]]] = {}
        for new in sorted(sources):
            for old, reason in declared.related(new, "supersedes"):
                if self._fit(new, old):
                    edges.setdefault(new, {}).setdefault(old, set()).add(reason)
        down = {new: set(olds) for new, olds in edges.items()}
        self.successors: dict[str, dict[str, set[str]]] = {}
        for new, olds in edges.items():
            for old, reasons in olds.items():
                if new not in reachable(old, down):
                    self.successors.setdefault(old, {})[new] = self._corrected(new, old) or reasons
        self.up = {old: set(news) for old, news in self.successors.items()}

    def _fit(self, new: str, old: str) -> bool:
        kinds = {self.declared.kind(new), self.declared.kind(old)} - {""}
        return "/" not in new + old and (kinds <= {"claim", "decision"} or kinds == {"question"})

    def _corrected(self, new: str, old: str) -> set[str]:
        """The reasons that the newest corrections give to this supersession."""
        corrections = [b for b in self.declared.bodies if isinstance(b.record, Correct) and b.record.node == new]
        replaces = {h: set(b.record.replaces) for b in corrections for h in b.hashes}  # type: ignore[union-attr]
        found: list[tuple[Body, str]] = []
        for body in corrections:
            for s in body.record.fields.supersedes or ():  # type: ignore[union-attr]
                if s.id == old:
                    found.append((body, s.reason))
        older = {h for body, _ in found for own in body.hashes for h in reachable(own, replaces) - body.hashes}
        return {reason for body, reason in found if not body.hashes & older}

    def heads(self, ref: str) -> Env:
        """The successors, transitively, that nothing supersedes; an alternative goes with its decision."""
        node, key = split(ref)
        return frozenset(x + key for x in reachable(node, self.up) if not self.up.get(x))

    def lost(self, ref: str) -> bool:
        """Whether some hop on some way to a head is a `reverse`."""
        passed = reachable(split(ref)[0], self.up)
        return any("reverse" in reasons for x in passed for reasons in self.successors.get(x, {}).values())

    def superseded(self, ref: str) -> bool:
        """Whether something else is to be read in its place."""
        return bool(self.up.get(ref))

    def unreviewed(self, citing: str, ref: str, reviews: set[tuple[str, str, str]]) -> bool:
        """Whether some head is reached by a `revise` that nobody has reviewed since."""
        node, key = split(ref)
        seen = {(node, False)}
        todo = [(node, False)]
        while todo:
            here, dirty = todo.pop()
            for there, reasons in self.successors.get(here, {}).items():
                for reason in reasons:
                    fresh = (citing, ref, there + key) not in reviews
                    arrival = (there, (dirty or reason == "revise") and fresh)
                    if arrival not in seen:
                        seen.add(arrival)
                        todo.append(arrival)
        return any(dirty and not self.up.get(x) for x, dirty in seen)
