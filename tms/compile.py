"""From the declared layer to the network of who holds, and from one version to the next.

`Compiled.of` builds the whole network. `Compiled.update` finds the nodes whose justifications a change can reach,
compiles only those again, and lets the network settle. Both give the same answers: a property test holds them
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tms.cite import HELD_BY_HELPER, Citations, Pair, find_literals
from tms.collector import paused
from tms.declared import Declared, contradiction_id
from tms.entry import Facts
from tms.network import NEVER, Draft, Members, Network
from tms.shelf import Shelf
from tms.table import Table

_MAX_GARBAGE = 4096


class Compiled:
    """An immutable compiled graph.

    `declared` has numbers for the helper nodes too; `literals` are the citations met also literally, `zone` the nodes
    of their circles; `moved[m]` are the nodes that cite the superseded m, `moves[x]` the superseded ones that x cites.
    """

    __slots__ = [
        "consistency",
        "declared",
        "literals",
        "moved",
        "moves",
        "network",
        "nogoods",
        "roots",
        "shelf",
        "zone",
    ]

    def __init__(
        self,
        declared: Declared,
        network: Network,
        literals: frozenset[Pair],
        zone: frozenset[int],
        moved: Table[int, frozenset[int]],
        moves: Table[int, tuple[int, ...]],
        nogoods: frozenset[int],
        shelf: Shelf,
    ) -> None:
        self.declared, self.network, self.literals, self.zone = declared, network, literals, zone
        self.moved, self.moves, self.nogoods, self.shelf = moved, moves, nogoods, shelf
        self.consistency: Any = None  # worked out by tms.nogoods when it is asked
        self.roots: dict[int, Any] = {}  # filled by tms.cause as it is asked

    @staticmethod
    def of(declared: Declared) -> Compiled:
        """Compile everything; linear in the size of the graph, and a component search where citations moved."""
        with paused():
            return _compile(declared)

    def citations(self) -> Citations:
        return Citations(self.declared, self.literals)

    def holder(self, node: int) -> int:
        if self.declared.facts(node).kind in HELD_BY_HELPER:
            return self.declared.names.number(self.declared.names.name(node) + "\n") or NEVER
        return node

    def owner(self, number: int) -> int:
        """The node that a helper belongs to; any other number is its own."""
        name = self.declared.names.name(number)
        if "\n" not in name:
            return number
        return self.declared.names.number(name.partition("\n")[0]) or NEVER

    def holds(self, node: int) -> bool:
        """In the plain fixed point: nogoods left aside, retired or not."""
        return self.network.holds(self.holder(node))

    def assuming(self, declared: Declared, nodes: Iterable[int]) -> tuple[Compiled, set[int]]:
        """The same graph under other judgements on `nodes`, and the numbers whose standing or holding changed."""
        draft, unjudged = self.network.draft(), []
        for node in nodes:
            if not self.declared.facts(node).judged and draft.stands[node] != declared.stands(node):
                unjudged.append(node)  # e.g. a hypothesis: labels do not tell its state apart, they take it as it is
            draft.flip(node, declared.stands(node))
        draft.settle()
        network = draft.freeze()
        shelf = self.shelf.after(unjudged, network) if unjudged else self.shelf
        compiled = Compiled(declared, network, self.literals, self.zone, self.moved, self.moves, self.nogoods, shelf)
        return compiled, set(draft.touched)

    def update(self, after: Declared, nodes: Iterable[int]) -> tuple[Compiled, set[int]]:
        """The compiled form of `after`, in which only `nodes` have other lines than before."""
        return _Update(self, after, sorted(set(nodes))).run()


def _compile(declared: Declared) -> Compiled:
    citations = Citations(_with_options(declared))
    moves = _all_moves(citations)
    literals, zone = find_literals(citations, _candidates(citations, moves))
    citations = Citations(citations.declared, literals)
    draft = Draft()
    for node, holder, justifications in _justified(citations):
        draft.grow(holder + 1)
        draft.grow(len(citations.declared.names))
        draft.stands[holder] = citations.declared.stands(node)
        draft.load(holder, justifications)
    for x, m in sorted(literals):
        helper = citations.literal_helper(x, m)
        draft.grow(len(citations.declared.names))
        draft.stands[helper] = True
        draft.load(helper, citations.literal_justifications(x, m))
    draft.settle_new()
    return Compiled(
        citations.declared,
        draft.freeze(),
        literals,
        zone,
        _inverse(moves),
        Table(moves),
        _nogoods(citations.declared),
        Shelf(),
    )


def _nogoods(declared: Declared) -> frozenset[int]:
    return frozenset(node for node in range(1, len(declared.names)) if declared.facts(node).kind == "nogood")


def _justified(citations: Citations) -> Iterator[tuple[int, int, list[Members]]]:
    """Each node that is there, the number that holds it, and its justifications."""
    for node, name in enumerate(citations.declared.names, 1):
        if "\n" not in name and citations.declared.facts(node).exists:
            yield node, citations.holder(node), citations.justifications(node)


def _with_options(declared: Declared) -> Declared:
    """Every alternative, inherited ones too, gets its number before anything cites it."""
    citations = Citations(declared)
    for node, name in enumerate(declared.names, 1):
        facts = declared.facts(node)
        if facts.kind == "decision" and (facts.alternatives or facts.supersedes):
            for key in citations.declared.options(node):
                citations.number(f"{name}/{key}")
    return citations.declared if citations.declared is declared else citations.declared.with_()


def _all_moves(citations: Citations) -> dict[int, tuple[int, ...]]:
    if not citations.declared.superseders:
        return {}
    moves = {node: citations.moves(node) for node in range(1, len(citations.declared.names))}
    return {node: found for node, found in moves.items() if found}


def _candidates(citations: Citations, moves: Any) -> list[Pair]:
    """Moved citations that a circle could make literal."""
    declared = citations.declared
    return [
        (x, m)
        for x, cited in moves.items()
        if declared.facts(x).kind not in HELD_BY_HELPER
        for m in cited
        if declared.facts(m).exists and not citations.heads(m).lost
    ]


def _inverse(moves: dict[int, tuple[int, ...]]) -> Table[int, frozenset[int]]:
    moved: dict[int, set[int]] = {}
    for node, found in moves.items():
        for target in found:
            moved.setdefault(target, set()).add(node)
    return Table({m: frozenset(xs) for m, xs in moved.items()})


def _rests_on(facts: Facts) -> tuple[object, ...]:
    relations = (facts.sets, facts.declared, facts.depends_on, facts.members)
    return facts.kind, facts.exists, facts.derived, relations


class _Update:
    """One step from a compiled graph to the next: collects what is dirty, compiles it again, settles."""

    def __init__(self, before: Compiled, after: Declared, nodes: list[int]) -> None:
        self.before = before
        self.nodes = nodes
        self.citations = Citations(after, before.literals)
        self.dirty: set[int] = set()
        self.draft = before.network.draft()
        self.moved, self.moves = before.moved, before.moves
        self.replaced: set[int] = set()  # numbers whose justifications differ
        self.stood: set[int] = set()  # numbers that were told whether they stand

    def run(self) -> tuple[Compiled, set[int]]:
        for node in self.nodes:
            self._compare(node)
        changed = self._compile_again(self.dirty)
        changed.extend(node for node in self.dirty if node in self.moves)  # led elsewhere, perhaps to the same members
        literals, zone = self._literals(changed)
        self._apply_literals(literals)
        for node in sorted({*self.nodes, *self.dirty}):
            self._stand(self.citations.holder(node), self.citations.declared.stands(node))
        self.draft.settle()
        touched = set(self.draft.touched) | self.dirty
        declared = self.citations.declared
        if self.draft.garbage > max(_MAX_GARBAGE, len(self.draft.edge_just) // 2):
            return Compiled.of(declared), touched
        network = self.draft.freeze()
        shelf = self.before.shelf.after(self._regrounded(), network)
        return Compiled(declared, network, literals, zone, self.moved, self.moves, self._nogoods(), shelf), touched

    def _regrounded(self) -> set[int]:
        """What rests on other grounds now, or carries a judgement of its own and did not, or the other way round."""
        before, after, network = self.before.declared, self.citations.declared, self.before.network
        found = set(self.replaced)
        for number in self.stood:
            own, mine = before._facts_if_there(number).judged, after.facts(number).judged
            stands = number < len(network.stands) and network.stands[number]
            if own != mine or (not own and stands != self.draft.stands[number]):
                found.add(number)
        return found

    def _nogoods(self) -> frozenset[int]:
        declared, before = self.citations.declared, self.before.nogoods
        looked_at = self.dirty | set(self.nodes)
        found = {node for node in looked_at if declared.facts(node).kind == "nogood"}
        return before if found == before & looked_at else (before - looked_at) | found

    # -- what a change can reach --------------------------------------------------------------------------------

    def _old(self, node: int) -> Facts:
        return self.before.declared._facts_if_there(node)

    def _compare(self, node: int) -> None:
        old, new = self._old(node), self.citations.declared.facts(node)
        if (old.kind, old.exists, old.derived) != (new.kind, new.exists, new.derived) or _rests_on(old) != _rests_on(
            new
        ):
            self.dirty.add(node)
        superseded = {m for m, _ in (*old.supersedes, *new.supersedes)}
        if old.supersedes != new.supersedes:
            for name in sorted(superseded):
                self._chain(self.citations.number(name))
            self._options_after(node)
        if old.kind != new.kind:
            self._chain(node)
            for name in sorted(superseded):
                self._chain(self.citations.number(name))
        name, slash, _ = self.citations.declared.names.name(node).partition("/")
        if slash:  # one more ground of a rejection: those that inherit it have it too
            self._options_after(self.citations.number(name))
        if old.alternatives != new.alternatives or old.kind != new.kind:
            self._options_after(node)
        for name in set(old.answers) ^ set(new.answers) if old.kind == new.kind else {*old.answers, *new.answers}:
            self._questions(self.citations.number(name))
        for name in set(old.contradicts) ^ set(new.contradicts):
            self._nogood(node, name)

    def _nogood(self, node: int, other: str) -> None:
        own = self.citations.declared.names.name(node)
        self.dirty.add(self.citations.number(contradiction_id(own, other)))

    def _questions(self, question: int) -> None:
        self.dirty.add(question)
        self.dirty.update(self.before.declared.succession.heads(question).heads)
        self.dirty.update(self.citations.declared.succession.heads(question).heads)

    def _chain(self, node: int) -> None:
        """Whatever cites a node, or one that it replaces, may lead elsewhere now."""
        for current in self._forerunners(node):
            self._citers(current)
            kinds = {self._old(current).kind, self.citations.declared.facts(current).kind}
            for name in {*self._old(current).answers, *self.citations.declared.facts(current).answers}:
                self._questions(self.citations.number(name))
            if kinds & {"question", ""}:  # a question that is not here may be answered, and replaced by one that is
                self._questions(current)
            if "decision" in kinds:
                self._options_of(current, self._citers)

    def _forerunners(self, node: int) -> list[int]:
        found, order = {node}, [node]
        for current in order:
            both = (*self._old(current).supersedes, *self.citations.declared.facts(current).supersedes)
            for name, _ in both:
                number = self.citations.number(name)
                if number not in found:
                    found.add(number)
                    order.append(number)
        return order

    def _citers(self, node: int) -> None:
        self.dirty.update(self.before.moved.get(node, ()))
        if node < len(self.before.network.edge):
            self.dirty.update(self.before.owner(number) for number in self.before.network.consequents(node))

    def _options_of(self, decision: int, then: Any) -> None:
        name = self.citations.declared.names.name(decision)
        keys = {*self.citations.declared.options(decision), *self.citations.declared.mentioned.get(name, ())}
        if self._old(decision).kind == "decision":
            keys |= set(self.before.declared.options(decision))
        for key in sorted(keys):
            then(self.citations.number(f"{name}/{key}"))

    def _options_after(self, node: int) -> None:
        """The alternatives of a node and of all that supersede it, for they may inherit."""
        found, order = {node}, [node]
        for current in order:
            self._options_of(current, self._dirty_option)
            for layer in (self.before.declared, self.citations.declared):
                for successor, _ in layer.superseders.get(current, ()):
                    if successor not in found:
                        found.add(successor)
                        order.append(successor)

    def _dirty_option(self, option: int) -> None:
        self.dirty.add(option)
        self.dirty.update(self.before.moved.get(option, ()))

    # -- compiling again ----------------------------------------------------------------------------------------

    def _compile_again(self, nodes: Iterable[int]) -> list[int]:
        """Returns the nodes whose justifications differ."""
        changed = []
        for node in sorted(nodes):
            self._record_moves(node)
            if self._replace(self.citations.holder(node), self._justifications(node)):
                changed.append(node)
            if (
                self._old(node).kind in HELD_BY_HELPER
                and self.citations.declared.facts(node).kind not in HELD_BY_HELPER
            ):
                self._replace(self.before.holder(node), [])
        return changed

    def _justifications(self, node: int) -> list[tuple[int, ...]]:
        return self.citations.justifications(node) if self.citations.declared.facts(node).exists else []

    def _replace(self, number: int, justifications: list[tuple[int, ...]]) -> bool:
        self.draft.grow(len(self.citations.declared.names))
        if not self.draft.replace(number, justifications):
            return False
        self.replaced.add(number)
        return True

    def _stand(self, number: int, stands: bool) -> None:
        self.draft.grow(len(self.citations.declared.names))
        self.draft.flip(number, stands)
        self.stood.add(number)

    def _record_moves(self, node: int) -> None:
        old, new = self.moves.get(node, ()), self.citations.moves(node)
        if old == new:
            return
        self.moves = self.moves.set(node, new) if new else self.moves.discard(node)
        for target in set(old) ^ set(new):
            citing = self.moved.get(target, frozenset()) ^ {node}
            self.moved = self.moved.set(target, citing) if citing else self.moved.discard(target)

    # -- circles ------------------------------------------------------------------------------------------------

    def _literals(self, changed: list[int]) -> tuple[frozenset[Pair], frozenset[int]]:
        """A component search, where the change may have closed or opened a circle with a moved citation in it."""
        before = self.before
        if before.zone.isdisjoint(self.dirty) and not (self.moves and (changed or before.literals)):
            return before.literals, before.zone
        return find_literals(self.citations, _candidates(self.citations, self.moves))

    def _apply_literals(self, literals: frozenset[Pair]) -> None:
        before = self.before.literals
        self.citations = Citations(self.citations.declared, literals)
        for x, m in sorted(pair for pair in literals if pair[0] in self.dirty or pair not in before):
            helper = self.citations.literal_helper(x, m)
            self._replace(helper, self.citations.literal_justifications(x, m))
            self._stand(helper, True)
        for x, m in sorted(before - literals):
            self._replace(self.citations.literal_helper(x, m), [])
        again = {x for x, _ in before ^ literals}
        self.dirty |= again
        self._compile_again(again)
