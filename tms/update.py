"""One step from a compiled graph to the next: what a change can reach is compiled again, and the network settles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tms.circles import between, find_literals
from tms.cite import HELD_BY_HELPER, Citations, Pair, leads
from tms.compile import MAX_GARBAGE, Compiled, candidates
from tms.declared import Declared, contradiction_id
from tms.entry import Facts


def _rests_on(facts: Facts) -> tuple[object, ...]:
    relations = (facts.sets, facts.declared, facts.depends_on, facts.members)
    return facts.kind, facts.exists, facts.derived, relations


class Update:
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
        self._compile_again(self.dirty)
        literals, zone = self._literals()
        self._apply_literals(literals)
        for node in sorted({*self.nodes, *self.dirty}):
            self._stand(self.citations.holder(node), self.citations.declared.stands(node))
        self.draft.settle()
        touched = set(self.draft.touched) | self.dirty
        declared = self.citations.declared
        if self.draft.garbage > max(MAX_GARBAGE, len(self.draft.edge_just) // 2):
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

    def _compile_again(self, nodes: Iterable[int]) -> None:
        for node in sorted(nodes):
            self._record_moves(node)
            self._replace(self.citations.holder(node), self._justifications(node))
            if (
                self._old(node).kind in HELD_BY_HELPER
                and self.citations.declared.facts(node).kind not in HELD_BY_HELPER
            ):
                self._replace(self.before.holder(node), [])

    def _justifications(self, node: int) -> list[tuple[int, ...]]:
        return self.citations.justifications(node) if self.citations.declared.facts(node).exists else []

    def _replace(self, number: int, justifications: list[tuple[int, ...]]) -> None:
        self.draft.grow(len(self.citations.declared.names))
        if self.draft.replace(number, justifications):
            self.replaced.add(number)

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

    def _literals(self) -> tuple[frozenset[Pair], frozenset[int]]:
        """Those of before, searched for again where the change can have made a difference (see `tms.circles`)."""
        old = self.before
        if not self.moves:
            return frozenset(), frozenset()
        starts, ends = self._altered_edges()
        self.draft.grow(len(self.citations.declared.names))
        region = between((ends, self._below), (starts, self._above))
        moves = {node: self.moves.get(node) for node in region if node in self.moves}
        gone = {(x, m) for x in region for m in old.moves.get(x, ()) if (x, m) in old.literals}
        if not moves and not gone:
            return old.literals, old.zone
        found, zone = find_literals(self.citations, candidates(self.citations, moves), region)
        return (old.literals - gone) | found, (old.zone - region) | zone

    def _altered_edges(self) -> tuple[set[int], set[int]]:
        """Where citations start that lead elsewhere than before, and where they end now or did."""
        old, count = Citations(self.before.declared), len(self.before.declared.names)
        starts: set[int] = set()
        ends: set[int] = set()
        for node in self.dirty:
            before = set(old.live(node)) if node < count else set()
            differ = before ^ set(self.citations.live(node))
            if differ:
                starts.add(node)
                ends.update(leads(differ))
        return starts, ends

    def _below(self, node: int) -> Iterator[int]:
        """Where a node leads, by its citations as they are resolved and as they stand; a helper's, as they were."""
        members = self.draft.members
        for just in self.draft.own[node]:
            yield from members[just]
        yield from self.moves.get(node, ())

    def _above(self, node: int) -> Iterator[int]:
        """The opposite of `_below`."""
        yield from self.draft.consequents(node)
        yield from self.moved.get(node, ())

    def _apply_literals(self, literals: frozenset[Pair]) -> None:
        before = self.before.literals
        more, gone = (literals - before, before - literals) if literals is not before else ((), ())
        again = {(x, m) for x in self.dirty for m in self.moves.get(x, ()) if (x, m) in literals}
        self.citations = Citations(self.citations.declared, literals)
        for x, m in sorted(again.union(more)):
            helper = self.citations.literal_helper(x, m)
            self._replace(helper, self.citations.literal_justifications(x, m))
            self._stand(helper, True)
        for x, m in sorted(gone):
            self._replace(self.citations.literal_helper(x, m), [])
        changed = {x for x, _ in (*more, *gone)}
        self.dirty |= changed
        self._compile_again(changed)
