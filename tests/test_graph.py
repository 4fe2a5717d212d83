"""The engine held against the oracle, and against the laws that any reading must keep."""

from __future__ import annotations

import os
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.oracle import Oracle
from tests.strategies import SIZES, Sizes, changes, ledger
from tms.cause import root_of
from tms.compile import Compiled
from tms.consequences import changed, changes_between, impact
from tms.explain import prose, why
from tms.graph import Graph
from tms.model import Assess, Claim, Decision, Hypothesis, Line, Nogood, Question, Relate

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420"))
PLAIN = Sizes(nogoods=False)
MADE = st.integers(0, 10**9).map(lambda seed: ledger(Random(seed), PLAIN))  # a seed shrinks at once
Told = dict[str, tuple[str, str, tuple[str, ...]]]


def told(graph: Graph) -> Told:
    """Everything that a graph says of its nodes."""
    return {s.id: (s.state, s.status, s.flags) for s in graph.statuses()}


def told_by_oracle(oracle: Oracle) -> Told:
    """The same from the oracle."""
    return {name: (oracle.state(name), oracle.status(name), tuple(sorted(oracle.flags(name)))) for name in oracle.ids()}


def one_by_one(lines: list[Line]) -> Graph:
    """A graph that was asked at the start and so is kept up to date line by line."""
    graph = Graph.empty()
    graph.statuses()
    for line in lines:
        graph = graph.apply(line)
    return graph


@pytest.mark.parametrize("chunk", range(7))
def test_status_is_that_of_the_oracle(chunk: int) -> None:
    """All at once, line by line, and under hypothetical judgements."""
    for seed in range(chunk * ROUNDS // 7, (chunk + 1) * ROUNDS // 7):
        rng = Random(seed)
        lines = ledger(rng, PLAIN)
        expected = told_by_oracle(Oracle(lines, nogoods=False))
        whole, grown = Graph.replay(lines), one_by_one(lines)
        assert told(whole) == expected, seed
        assert told(grown) == expected, seed
        what_if = changes(rng, lines)
        if what_if:
            expected = told_by_oracle(Oracle(lines, what_if, nogoods=False))
            assert told(whole.assuming(what_if)) == expected, (seed, what_if)
            assert told(grown.assuming(what_if)) == expected, (seed, what_if)


@given(MADE, st.integers(0, 10**9).map(Random))
@settings(max_examples=60)
def test_the_order_of_lines_means_nothing(lines: list[Line], rng: Random) -> None:
    """Any permutation of the lines gives the same graph; a line that comes twice counts once."""
    expected = told(Graph.replay(lines))
    shuffled = [*lines, *lines[:3]]
    rng.shuffle(shuffled)
    assert told(Graph.replay(shuffled)) == expected
    assert told(one_by_one(shuffled)) == expected


@given(MADE, st.integers(0, 10**9).map(Random))
@settings(max_examples=60)
def test_accepting_again_restores_everything(lines: list[Line], rng: Random) -> None:
    """Dispute what is accepted, revoke what is adopted, and back: everything is as before, in any order."""
    graph = Graph.replay(lines)
    standing = [s for s in graph.statuses() if s.state in ("accepted", "adopted")]
    away = [("dispute" if s.kind == "claim" else "revoke", s.id) for s in standing]
    back = [("accept" if s.kind == "claim" else "adopt", s.id) for s in standing]
    rng.shuffle(away)
    rng.shuffle(back)
    assert told(graph.assuming(away).assuming(back)) == told(graph)
    assert told(graph.assuming([*away, *back])) == told(graph)


@given(MADE, st.data())
@settings(max_examples=60)
def test_a_graph_is_a_value(lines: list[Line], data: st.DataObject) -> None:
    """Whatever is made from a graph, the graph itself stays as it was, also when two are made from one."""
    is_a_value(lines, data.draw(st.integers(0, len(lines))))


def test_a_graph_is_a_value_when_a_circle_closes_through_a_decision_whose_sets_are_void() -> None:
    """The ledger by which it was found, cut anywhere."""
    lines = ledger(Random(28267752), PLAIN)
    for cut in range(len(lines) + 1):
        is_a_value(lines, cut)


def is_a_value(lines: list[Line], cut: int) -> None:
    base = one_by_one(lines[:cut])
    before = told(base)
    one, other = base, base
    for line in lines[cut:]:
        one = one.apply(line)
    for line in reversed(lines[cut:]):
        other = other.apply(line)
    assert told(one) == told(other) == told(Graph.replay(lines))
    assert told(base) == before == told(Graph.replay(lines[:cut]))


class Growing(RuleBasedStateMachine):
    """Incremental equals from scratch, after any sequence of lines and what-ifs."""

    @initialize(seed=st.integers(0, 10**6))
    def start(self, seed: int) -> None:
        self.rng = Random(seed)
        self.waiting = ledger(self.rng, SIZES)
        self.lines: list[Line] = []
        self.graph = one_by_one([])

    @rule(count=st.integers(1, 4))
    def append(self, count: int) -> None:
        fresh, self.waiting = self.waiting[:count], self.waiting[count:]
        before = self.graph
        self.graph = self.graph.extend(fresh)
        self.lines += fresh
        self.reported(before)

    def reported(self, before: Graph) -> None:
        """What a step reports is exactly what differs."""
        roots = [n for n in (self.graph.declared.node_of(line) for line in self.lines) if n]
        found = {c.id: (c.before, c.after) for c in changes_between(before, self.graph, roots)}
        old, new = told(before), told(self.graph)
        expected = {
            name: (old[name][1] if name in old else "", new[name][1] if name in new else "missing")
            for name in {*old, *new}
            if (old[name][1] if name in old else "") != (new[name][1] if name in new else "missing")
        }
        assert found == expected

    @rule()
    def suppose(self) -> None:
        what_if = changes(self.rng, self.lines)
        scratch = Graph.replay(self.lines)
        assert told(self.graph.assuming(what_if)) == told(scratch.assuming(what_if))

    @invariant()
    def equals_from_scratch(self) -> None:
        scratch = Graph.replay(self.lines)
        assert told(self.graph) == told(scratch)
        assert self.reverse(self.graph) == self.reverse(scratch)
        well_founded(self.graph.compiled)

    @staticmethod
    def reverse(graph: Graph) -> dict[str, tuple[tuple[str, ...], ...]]:
        views = (graph.node(name) for name in graph.ids())
        return {v.id: (v.cited_by, v.answered_by, tuple(n for n, _ in v.superseded_by)) for v in views}


TestGrowing = Growing.TestCase
TestGrowing.settings = settings(max_examples=25, stateful_step_count=10, deadline=None)


def well_founded(compiled: Compiled) -> None:
    """The invariants of the network, as `tms.network` states them."""
    net = compiled.network
    for node, rank in enumerate(net.rank):
        live = net.own[node]
        for just in live:
            members = net.members[just]
            assert net.consequent[just] == node
            assert net.unmet[just] == sum(1 for m in members if not net.rank[m])
            assert net.height[just] >= max((net.rank[m] for m in members), default=0)
        if rank:
            assert net.stands[node]
            assert not net.circular[node]
            assert any(all(0 < net.rank[m] < rank for m in net.members[just]) for just in live)


@given(MADE, st.integers(0, 10**9).map(Random))
@settings(max_examples=60)
def test_impact_lists_exactly_what_differs_and_writes_nothing(lines: list[Line], rng: Random) -> None:
    """`changed` is the difference of the statuses; each cause is a path of citations from the change."""
    graph = Graph.replay(lines)
    what_if = changes(rng, lines)
    before, count = told(graph), len(graph.lines)
    found = impact(graph, what_if)
    after = told(graph.assuming(what_if))
    expected = {name: (before[name][1], after[name][1]) for name in before if before[name][1] != after[name][1]}
    assert {c.id: (c.before, c.after) for c in found.changed} == expected
    assert told(graph) == before
    assert len(graph.lines) == count
    names = {name for _, name in what_if}
    for c in found.changed:
        assert c.cause[0] in names
        assert c.cause[-1] == c.id
        assert c.depth == len(c.cause) - 1  # short enough to be whole


@given(MADE, st.integers(0, 10**9).map(Random))
@settings(max_examples=60)
def test_survivors_hold_by_the_set_that_is_named(lines: list[Line], rng: Random) -> None:
    """`by` is a declared support set, all of whose citations are met after the change."""
    graph = Graph.replay(lines)
    what_if = changes(rng, lines)
    after = graph.assuming(what_if)
    for survivor in impact(graph, what_if).survived:
        assert after.status(survivor.id).status == survivor.status in ("in", "active")
        step = why(after, survivor.id).steps[0]
        held = any(s.holds and tuple(m.cited for m in s.members) == survivor.by for s in step.sets)
        assert held or (step.premise and not survivor.by)


@given(MADE)
@settings(max_examples=60)
def test_replaying_what_a_derivation_cites_reproduces_it(lines: list[Line]) -> None:
    """Only the lines about the nodes that `why` mentions are needed for its conclusion."""
    graph = Graph.replay(lines)
    for name in graph.ids():
        found = why(graph, name)
        assert prose(found)
        if found.steps[0].holds:
            kept = mentioned(graph, found)
            again = Graph.replay(line for line in lines if about(graph, line) & kept)
            assert again.word(name) == found.status.status, name


def mentioned(graph: Graph, found: object) -> set[str]:
    """The ids in a derivation, and what leads from a cited id to the one that is meant."""
    kept: set[str] = set()
    waiting = [step.id for step in found.steps]  # type: ignore[attr-defined]
    waiting += [m.cited for step in found.steps for s in step.sets for m in s.members]  # type: ignore[attr-defined]
    waiting += [m.cited for step in found.steps for m in step.prerequisites]  # type: ignore[attr-defined]
    name_of = (
        graph.compiled.declared.names.name
    )  # a circle is what lets a citation be met literally: all of it is cited
    waiting += [name_of(n) for n in graph.compiled.zone]
    while waiting:
        name = waiting.pop()
        owner = name.partition("/")[0]
        if owner not in kept:
            kept.add(owner)
            view = graph.node(owner) if owner in graph else None
            waiting += [n for n, _ in view.superseded_by] if view else []
            waiting += [n for n, _ in view.supersedes] if view else []
            waiting += list(view.answered_by) if view else []
    return kept


def about(graph: Graph, line: Line) -> set[str]:
    """The nodes that a line is about, without the keys of alternatives."""
    node = graph.declared.node_of(line)
    return {graph.declared.names.name(node).partition("/")[0]} if node is not None else set()


@given(MADE)
@settings(max_examples=60)
def test_the_root_of_a_blocked_decision_does_not_hold_by_itself(lines: list[Line]) -> None:
    """Each blocker's chain starts at the decision and ends at the root; asking in another order changes nothing."""
    graph, other = Graph.replay(lines), Graph.replay(lines)
    blocked = [s for s in graph.statuses() if s.status == "blocked"]
    for status in reversed(blocked):
        assert other.status(status.id) == status
        assert {b.prerequisite for b in status.blockers} == set(Oracle(lines, nogoods=False).unmet(status.id))
        for blocker in status.blockers:
            assert blocker.chain[0] == status.id
            assert blocker.chain[-1] == blocker.root
            if blocker.reason == "circular":
                assert root_of(graph.compiled, graph.number(blocker.root)).reason == "circular"


@given(MADE, st.data())
@settings(max_examples=40)
def test_changed_names_the_lines(lines: list[Line], data: st.DataObject) -> None:
    """Two points differ exactly where their statuses do; a node with lines of its own names them."""
    cut = data.draw(st.integers(0, len(lines)))
    before, after = Graph.replay(lines[:cut]), Graph.replay(lines)
    old, new = told(before), told(after)
    differ = {n for n in {*old, *new} if old.get(n, ("", "", ()))[1] != new.get(n, ("", "", ()))[1]}
    found = changed(before, after)
    assert {d.id for d in found} == differ
    fresh = {line.hash for line in lines[cut:]}
    assert all(set(d.lines) <= fresh for d in found)


def chain(length: int) -> list[Claim]:
    """Each claim rests on the one before it."""
    rest = [Claim(id=f"c{i}", state="accepted", supports=((f"c{i - 1}",),)) for i in range(1, length)]
    return [Claim(id="c0", state="accepted"), *rest]


@pytest.mark.parametrize("backwards", [False, True])
def test_a_chain_of_a_hundred_thousand_needs_no_recursion(backwards: bool) -> None:
    """Deep in either order of arrival: replay, dispute the root, see the tip fall, and why."""
    records = chain(100_000)
    graph = Graph.empty().extend(reversed(records) if backwards else records)
    assert graph.word("c99999") == "in"
    found = impact(graph, [("dispute", "c0")])
    assert len(found.changed) == 100_000
    assert found.changed[-1].depth == 99_999
    assert (found.changed[-1].cause[0], found.changed[-1].cause[-1], len(found.changed[-1].cause)) == (
        "c0",
        "c99999",
        24,
    )
    assert why(graph.assuming([("dispute", "c0")]), "c19999").first_cause[-1] == "c0"


def test_a_deep_chain_of_prerequisites_names_its_root() -> None:
    """Ten thousand decisions blocked by one claim: each names it, with a chain that says what it leaves out."""
    depends = [Decision(id=f"d{i}", choice="x", depends_on=(f"d{i - 1}" if i else "c",)) for i in range(10_000)]
    graph = Graph.empty().extend([Claim(id="c"), *depends])
    statuses = [s for s in graph.statuses() if s.kind == "decision"]
    assert {s.status for s in statuses} == {"blocked"}
    assert {s.blockers[0].root for s in statuses} == {"c"}
    last = graph.status("d9999").blockers[0]
    assert (last.chain[0], last.chain[-1], len(last.chain) + last.omitted) == ("d9999", "c", 10_001)


def test_a_hub_cited_by_a_hundred_thousand() -> None:
    """Wide, too: one claim under all, one node over all."""
    users = [Claim(id=f"c{i}", state="accepted", supports=(("hub",),)) for i in range(100_000)]
    top = Claim(id="top", state="accepted", supports=tuple((f"c{i}",) for i in range(100_000)))
    graph = Graph.empty().extend([Claim(id="hub", state="accepted"), *users, top])
    assert len(impact(graph, [("dispute", "hub")]).changed) == 100_002
    assert graph.assuming([("dispute", "c7")]).status("top").flags == ("degraded",)


def test_a_circle_of_twenty_thousand_holds_nothing_up() -> None:
    """A big ring that nothing carries is circular; one accepted root carries it all."""
    ring = [Claim(id=f"c{i}", state="accepted", supports=((f"c{i - 1}",),)) for i in range(1, 20_000)]
    graph = Graph.empty().extend([*ring, Claim(id="c0", state="accepted", supports=(("c19999",),))])
    assert graph.word("c123") == "circular"
    held = graph.apply(Claim(id="root", state="accepted")).apply(
        Relate(relation="supports", source="c0", targets=("root",))
    )
    assert held.word("c19999") == "in"
    assert held.assuming([("dispute", "root")]).word("c19999") == "circular"


def test_twenty_thousand_supersessions_are_followed() -> None:
    """A citation of the first version leads to the last."""
    records = [Claim(id="v0", state="accepted")]
    moves = [Relate(relation="supersedes", source=f"v{i}", targets=(f"v{i - 1}",)) for i in range(1, 20_000)]
    records += [Claim(id=f"v{i}", state="accepted") for i in range(1, 20_000)]
    user = Decision(id="d", choice="x", supports=(("v0",),))
    graph = Graph.empty().extend([*records, *moves, user])
    assert graph.word("d") == "active"
    assert graph.assuming([("dispute", "v19999")]).word("d") == "unsupported"


def test_verbs_that_do_not_fit_are_refused() -> None:
    """A what-if on the wrong kind, a derived claim, an unknown id or verb is an error with a hint."""
    graph = Graph.empty().extend([Claim(id="c1"), Claim(id="c2", state="derived"), Question(id="q1")])
    for verb, name, words in (
        ("adopt", "c1", "adopt is for a decision"),
        ("dispute", "c2", "derived"),
        ("accept", "q1", "question"),
        ("accept", "c11", "did you mean c"),
        ("shrug", "c1", "no verb"),
    ):
        with pytest.raises(Exception, match=words):
            graph.assuming([(verb, name)])


def test_nogoods_and_hypotheses_as_recorded() -> None:
    """A nogood is violated when all its members are met; a falsification reopens when what it assumed falls."""
    graph = Graph.empty().extend(
        [
            Claim(id="a", state="accepted"),
            Claim(id="b", state="accepted", contradicts=("a",)),
            Nogood(id="n", members=("a", "b")),
            Hypothesis(id="h", state="falsified", action="x", assuming=("a",)),
        ]
    )
    assert {s.status for s in graph.statuses() if s.kind == "nogood"} == {"violated"}
    after = graph.apply(Assess(node="a", state="disputed", replaces=tuple(x.hash for x in graph.node("a").lines)))
    assert {s.status for s in after.statuses() if s.kind == "nogood"} == {"dormant"}
    assert (graph.word("h"), after.word("h")) == ("falsified", "reopened")
