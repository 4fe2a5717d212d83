"""What follows from a change: what fell, what rose, what survived and by which support set, and why.

`changes_between` compares a graph with the one that a step made of it; it looks only at what the step touched and at
what cites that. `impact` is that comparison for a what-if, which writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tms.cause import MAX_CHAIN
from tms.graph import Change, Graph
from tms.model import Line, SupportSet
from tms.nogoods import consistency
from tms.status import flags, set_holds, word


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """A node whose status differs. `before` is "" for a new node, `after` "missing" for one that is void now.

    `depth` counts the steps from the change (0: it is the change itself); `cause` is the path, both ends included; of
    more than 24 ids it keeps the first and the last 23.
    """

    id: str
    kind: str
    before: str
    after: str
    depth: int
    cause: tuple[str, ...]


class Survived(msgspec.Struct, frozen=True, kw_only=True):
    """A node that lost a support set and still holds: `by` is the first set that holds it, as declared.

    `by` is empty where the node stands on its own authority. `degraded` says that it was whole before.
    """

    id: str
    kind: str
    status: str
    by: SupportSet
    degraded: bool


class Impact(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to "what if": every node whose status differs, and what held out; all sorted by depth, then id."""

    change: tuple[Change, ...]
    changed: tuple[Changed, ...]
    survived: tuple[Survived, ...]

    def of(self, kind: str, *after: str) -> tuple[str, ...]:
        """The ids of changed nodes of one kind that now have one of these statuses."""
        return tuple(c.id for c in self.changed if c.kind == kind and c.after in after)

    @property
    def fell(self) -> tuple[Changed, ...]:
        """Claims and decisions that held and no longer do."""
        return tuple(c for c in self.changed if c.kind in _JUDGED and c.before in _IN and c.after not in _IN)

    @property
    def rose(self) -> tuple[Changed, ...]:
        """Claims and decisions that did not hold and now do."""
        return tuple(c for c in self.changed if c.kind in _JUDGED and c.before not in _IN and c.after in _IN)

    @property
    def reopened(self) -> tuple[str, ...]:
        """Questions that are open again, alternatives and hypotheses whose rejection lost its grounds."""
        return self.of("question", "open") + self.of("alternative", "reopened") + self.of("hypothesis", "reopened")

    @property
    def closed(self) -> tuple[str, ...]:
        """Questions that are resolved now, dead ends that are dead again."""
        return (
            self.of("question", "resolved") + self.of("alternative", "ruled-out") + self.of("hypothesis", "falsified")
        )

    @property
    def conflicts(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Nogoods that are violated now, and those that no longer are."""
        return self.of("nogood", "violated"), self.of("nogood", "dormant")


_IN = ("in", "active")
_JUDGED = ("claim", "decision")  # a hypothesis is `active` too, and means another thing


def impact(graph: Graph, change: Sequence[Change]) -> Impact:
    """What would follow from hypothetical judgements, applied in order. Writes nothing.

    Raises `UnknownNode` and `UsageError` as `Graph.assuming` does.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c3", state="accepted"),
    ...     Decision(id="d1", choice="Postgres", supports=(("c1",), ("c3",)))])
    >>> found = impact(graph, [("dispute", "c1")])
    >>> [(c.id, c.before, c.after) for c in found.changed], [(s.id, s.by) for s in found.survived]
    ([('c1', 'in', 'disputed')], [('d1', ('c3',))])
    """
    after = graph.assuming(change)
    roots = [graph.number(name) for _, name in change]
    changed = changes_between(graph, after, roots)
    pairs = tuple((verb, name) for verb, name in change)
    return Impact(change=pairs, changed=changed, survived=survivors(graph, after))


def changes_between(before: Graph, after: Graph, roots: Sequence[int]) -> tuple[Changed, ...]:
    """Every node whose status differs after one step (`after.touched`), with the path of causes from `roots`."""
    retired = _retired(before, after, roots)
    really = {n for n in after.touched if _differs(before, after, n)} | set(roots) | set(retired)
    candidates = _with_citing(after, really | _contended(before) | _contended(after))
    words = {}
    for node in candidates:
        old, new = _word_before(before, after, node), word(after.compiled, node)
        if old != new and not (old == "" and new == "missing"):
            words[node] = (old, new)
    paths = _Paths(after, roots, really | set(words), retired)
    name = after.declared.names.name
    found = [
        Changed(
            id=name(node),
            kind=after.declared.facts(node).kind or before.declared.facts(node).kind,
            before=old,
            after=new,
            depth=paths.depth.get(node, 0),
            cause=tuple(name(n) for n in paths.to(node)),
        )
        for node, (old, new) in words.items()
    ]
    return tuple(sorted(found, key=lambda c: (c.depth, c.id)))


def _contended(graph: Graph) -> set[int]:
    """What a violated nogood may decide, however far from the change."""
    found = consistency(graph.compiled)
    return found.resting_on_culprits() if found.violated else set()


def _retired(before: Graph, after: Graph, roots: Sequence[int]) -> dict[int, int]:
    """The nodes that supersessions of the roots retired or brought back, each with its root.

    Their own judgement and grounds are what they were, so that the network has nothing to settle for them.
    """
    found: dict[int, int] = {}
    known = len(before.declared.names)
    for root in roots:
        old = before.declared.facts(root).supersedes if root < known else ()
        if old == after.declared.facts(root).supersedes:
            continue
        waiting, seen = [root], {root}
        for node in waiting:  # a circle, closed or opened, changes all that lies on it
            targets = (*after.declared.facts(node).supersedes, *(old if node == root else ()))
            for number in sorted({n for m, _ in targets if (n := after.declared.names.number(m)) is not None}):
                if number not in seen:
                    seen.add(number)
                    waiting.append(number)
        for node in waiting[1:]:
            was = node < known and before.declared.succession.superseded(node)
            if was != after.declared.succession.superseded(node):
                found.setdefault(node, root)
    return found


def _differs(before: Graph, after: Graph, number: int) -> bool:
    old, new = before.compiled.network, after.compiled.network
    if number >= len(old.rank):
        return True
    return (
        old.stands[number] != new.stands[number]
        or bool(old.rank[number]) != bool(new.rank[number])
        or old.circular[number] != new.circular[number]
        or old.own[number] != new.own[number]
    )


def _with_citing(graph: Graph, numbers: set[int]) -> set[int]:
    """The nodes behind some numbers, and those that cite them: only their status can differ."""
    compiled = graph.compiled
    found = set(numbers)
    for number in numbers:
        for citing in compiled.network.consequents(number):
            found.add(citing)
            if compiled.owner(citing) != citing:
                found.update(compiled.network.consequents(citing))
    return {compiled.owner(number) for number in found} - {0}


def _word_before(before: Graph, after: Graph, node: int) -> str:
    number = before.declared.names.number(after.declared.names.name(node))
    if number is None or not before.declared.facts(number).exists:
        return ""
    return word(before.compiled, number)


class _Paths:
    """The shortest path of causes from the roots to each node that changed; ties go to the smaller ids."""

    def __init__(self, graph: Graph, roots: Sequence[int], within: set[int], retired: dict[int, int]) -> None:
        name = graph.declared.names.name
        self.before: dict[int, int] = dict.fromkeys(roots, 0)
        self.depth: dict[int, int] = dict.fromkeys(roots, 0)
        self.root: dict[int, int] = {root: root for root in roots}
        for node, root in retired.items():
            if node not in self.depth:
                self.before[node], self.root[node], self.depth[node] = root, root, 1
        front = sorted(roots, key=name)
        while front:
            reached = []
            for node in front:
                for citing in _citing(graph, node, within):
                    if citing not in self.depth:
                        self.before[citing], self.root[citing] = node, self.root[node]
                        self.depth[citing] = self.depth[node] + 1
                        reached.append(citing)
            front = sorted(reached, key=name)

    def to(self, node: int) -> tuple[int, ...]:
        """The path, at most `MAX_CHAIN` nodes: of a longer one the first and the last ones."""
        path = [node]
        while (node := self.before.get(node, 0)) and len(path) < MAX_CHAIN:
            path.append(node)
        if node:
            path[-1] = self.root[path[0]]
        return tuple(reversed(path))


def _citing(graph: Graph, node: int, within: set[int]) -> Iterator[int]:
    compiled = graph.compiled
    for number in compiled.network.consequents(node):
        owner = compiled.owner(number)
        if owner == number or compiled.holder(owner) == number:
            if owner in within or number in within:
                yield owner
        elif number in within:
            yield from (n for n in compiled.network.consequents(number) if n in within)


def survivors(before: Graph, after: Graph) -> tuple[Survived, ...]:
    """The nodes that lost a support set and hold still, sorted by id."""
    network = after.compiled.network
    fallen = [n for n in after.touched if not network.rank[n] and n < len(before.compiled.network.rank)]
    found = {c for n in fallen if before.compiled.network.rank[n] for c in network.consequents(n)}
    survived = []
    for node in {after.compiled.owner(number) for number in found}:
        status = word(after.compiled, node)
        judged = after.declared.facts(node).kind in _JUDGED
        if judged and status in _IN and _word_before(before, after, node) in _IN:
            survived.append(_survived(before, after, node, status))
    return tuple(sorted(survived, key=lambda s: s.id))


def _survived(before: Graph, after: Graph, node: int, status: str) -> Survived:
    facts = after.declared.facts(node)
    sets = (s for s in facts.sets if set_holds(after.compiled, node, s))
    degraded = "degraded" in flags(after.compiled, node) and "degraded" not in flags(before.compiled, node)
    name = after.declared.names.name(node)
    return Survived(id=name, kind=facts.kind, status=status, by=next(sets, ()), degraded=degraded)


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What differs between two points: `before` or `after` is "" where the node was not there.

    `lines` are the hashes of the lines about the node that only one of the two has; empty for a consequence.
    """

    id: str
    kind: str
    before: str
    after: str
    lines: tuple[str, ...]


def changed(before: Graph, after: Graph) -> tuple[Difference, ...]:
    """What differs between two graphs of one ledger, with the lines that caused it; sorted by id."""
    lines = _lines_that_differ(before, after)
    found = []
    for name in sorted({*before.ids(), *after.ids()}):
        old = before.status(name) if name in before else None
        new = after.status(name) if name in after else None
        words = (old.status if old else "", new.status if new else "")
        if words[0] != words[1]:
            kind = (new or old).kind  # type: ignore[union-attr]
            hashes = tuple(line.hash for line in lines.get(name, ()))
            found.append(Difference(id=name, kind=kind, before=words[0], after=words[1], lines=hashes))
    return tuple(found)


def _lines_that_differ(before: Graph, after: Graph) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for graph, other in ((before, after), (after, before)):
        known = {line.hash for line in other.lines}
        for line in graph.lines:
            node = graph.declared.node_of(line) if line.hash not in known else None
            if node is not None:
                found.setdefault(graph.declared.names.name(node), []).append(line)
    return found
