"""Labels held against the brute-force oracle: sound, complete, minimal, consistent; and the bound that never lies."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from tests import oracle_asks
from tests.oracle import Oracle
from tests.strategies import Sizes, changes, ledger
from tms.bounded import label
from tms.compile import Compiled
from tms.consequences import impact
from tms.graph import Graph, bare
from tms.labels import Labels
from tms.listing import environments, witness
from tms.model import Claim, Decision, Line, Record
from tms.questions import aftermath, conflicts, critical, pivotal, repair, single
from tms.zdd import Exhausted

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420")) // 3
SMALL = Sizes(judged=6, later=6)
CASES = Path(__file__).parents[1].parent / "shared" / "cases" / "cases.json"
Env = frozenset[str]


def envs(labels: Labels, family: int) -> set[Env]:
    """A family as sets of ids."""
    name = labels.compiled.declared.names.name
    return {frozenset(name(labels.node_at[level]) for level in s) for s in labels.forest.sets(family)}


def label_of(compiled: Compiled, name: str) -> set[Env]:
    """The label of an id."""
    number = compiled.declared.names.number(name)
    assert number is not None
    found = label(compiled, compiled.holder(number))
    assert found.complete_to is None
    return envs(found.labels, found.family)


def made(seed: int) -> tuple[list[Line], Graph, Oracle] | None:
    """A generated ledger that is small enough for brute force."""
    lines = ledger(Random(seed), SMALL)
    oracle = Oracle(lines)
    return (lines, Graph.replay(lines), oracle) if len(oracle.assumptions) <= 8 else None


@pytest.mark.parametrize("chunk", range(4))
def test_labels_are_sound_complete_and_minimal(chunk: int) -> None:
    """Of every node, nogoods and alternatives too: exactly the minimal environments of the oracle."""
    for seed in range(chunk * ROUNDS // 4, (chunk + 1) * ROUNDS // 4):
        if found := made(seed):
            _, graph, oracle = found
            for name in oracle.ids():
                if oracle.kind(name) != "question":
                    assert label_of(graph.compiled, name) == set(oracle.label(name)), (seed, name)


@pytest.mark.parametrize("chunk", range(4))
def test_statuses_are_consistent(chunk: int) -> None:
    """With nogoods, contested ones among them: at once, line by line, and under hypothetical judgements."""
    for seed in range(chunk * ROUNDS // 4, (chunk + 1) * ROUNDS // 4):
        rng = Random(seed)
        lines = ledger(rng, SMALL)
        graph, grown = Graph.replay(lines), Graph.empty()
        grown.statuses()
        for line in lines:
            grown = grown.apply(line)
        for what_if in ([], changes(rng, lines)):
            oracle = Oracle(lines, what_if)
            expected = {n: (oracle.state(n), oracle.status(n), tuple(sorted(oracle.flags(n)))) for n in oracle.ids()}
            for one in (graph, grown):
                told = {s.id: (s.state, s.status, s.flags) for s in one.assuming(what_if).statuses()}
                assert told == expected, (seed, what_if)


def test_a_cut_label_is_the_whole_truth_up_to_its_bound() -> None:
    """Cut to k members it is exactly the environments of at most k; `complete_to` never claims more."""
    for seed in range(ROUNDS // 2):
        if found := made(seed):
            _, graph, oracle = found
            for name in oracle.ids():
                if oracle.kind(name) == "question":
                    continue
                for size in (0, 1, 2):
                    cut = label(graph.compiled, graph.compiled.holder(graph.number(name)), size=size)
                    assert envs(cut.labels, cut.family) == {e for e in oracle.label(name) if len(e) <= size}
                    whole = {e for e in oracle.label(name) if len(e) > size} == set()
                    assert cut.complete_to == size or (cut.complete_to is None and whole)


@pytest.mark.parametrize("budget", [1, 10, 100, 1000])
def test_a_small_budget_ends_at_an_honest_bound(budget: int) -> None:
    """Whatever the budget, what is listed is right, and complete up to `complete_to`."""
    for seed in range(25):
        if found := made(seed):
            _, graph, oracle = found
            for name in oracle.ids():
                if oracle.kind(name) in ("question", "nogood"):
                    continue
                got = environments(graph, name, budget=budget, limit=10**6)
                expected = {e for e in oracle.label(name) if got.complete_to is None or len(e) <= got.complete_to}
                assert {frozenset(e.members) for e in got.environments} == expected
                assert got.count == len(expected)


@pytest.mark.parametrize("chunk", range(2))
def test_repair_critical_and_single_are_those_of_the_definition(chunk: int) -> None:
    """All minimal sets, smallest first; a repair that is applied makes the node hold, with one less it does not."""
    for seed in range(chunk * ROUNDS // 2, (chunk + 1) * ROUNDS // 2):
        if found := made(seed):
            _, graph, oracle = found
            for name in oracle.ids():
                if oracle.kind(name) in ("claim", "decision") and not oracle.superseded(name):
                    answer = repair(graph, name)
                    assert answer.complete
                    assert {frozenset(s) for s in answer.sets} == set(oracle_asks.repair(oracle, name)), (seed, name)
                    assert [len(s) for s in answer.sets] == sorted(len(s) for s in answer.sets)
                    if oracle.holds(name):
                        got = {frozenset(s) for s in critical(graph, name).sets}
                        assert got == set(oracle_asks.critical(oracle, name)), (seed, name)
                        assert set(single(graph, name) or ()) == oracle_asks.single(oracle, name), (seed, name)


def test_a_witness_holds() -> None:
    """The judgements of the witness alone make the node hold; one is there for each node that holds plainly."""
    for seed in range(ROUNDS // 2):
        lines = ledger(Random(seed), SMALL)
        graph, oracle = Graph.replay(lines), Oracle(lines, nogoods=False)
        for name in oracle.ids():
            found = witness(graph, name)
            if oracle.kind(name) not in ("question", "nogood"):
                assert (found is not None) == (name in oracle.held_in(oracle.context))
                assert found is None or name in oracle.held_in(frozenset(found))


def read_cases() -> list[dict[str, Any]]:
    """The small graphs with right answers, where they lie beside the checkout."""
    return json.loads(CASES.read_text("utf-8")) if CASES.exists() else []


@pytest.mark.parametrize("case", read_cases(), ids=lambda case: case["id"])
def test_the_labels_and_statuses_of_a_case(case: dict[str, Any]) -> None:
    """Told after public bug reports of other programs: nogoods in the label are left out as the case says."""
    decode = msgspec.json.Decoder(Record).decode
    graph = Graph.empty().extend([decode(json.dumps(record)) for record in case["records"]])
    for name, expected in case["labels"].items():
        found = environments(graph, name, limit=10**6)
        kind = graph.status(name).kind
        listed = {frozenset(e.members) for e in found.environments if e.consistent or kind == "nogood"}
        assert listed == {frozenset(e) for e in expected}, name
    for asked in case["expect"]:
        after = graph.assuming([(verb, name) for verb, name in asked["change"]])
        assert {name: after.status(name).status for name in asked["status"]} == asked["status"]


def billing() -> Graph:
    """The worked example."""
    claims = [Claim(id=name, state="accepted") for name in ("c1", "c2", "c3")]
    billing = Decision(id="d1", choice="Postgres", supports=(("c1", "c2"), ("c3",)), depends_on=("d2",))
    return Graph.empty().extend([*claims, Decision(id="d2", choice="on deploy"), billing])


def test_the_worked_example() -> None:
    """Labels, single points, critical sets and repairs as the page on the semantics has them."""
    graph = billing()
    assert label_of(graph.compiled, "d1") == {frozenset(("c3", "d1", "d2")), frozenset(("c1", "c2", "d1", "d2"))}
    assert single(graph, "d1") == ("d2",)
    assert critical(graph, "d1").sets == (("d2",), ("c1", "c3"), ("c2", "c3"))
    after = graph.assuming([("dispute", "c1"), ("dispute", "c3")])
    assert repair(after, "d1").sets == (("c1",), ("c3",))
    assert pivotal(after, "d1").sets == (("c1",), ("c3",))
    back = after.assuming([("accept", "c1")])
    assert set(single(back, "d1") or ()) == {"c1", "c2", "d2"}


def test_what_cannot_be_repaired_says_why() -> None:
    """Missing, superseded, contested, circular: no set, and a reason."""
    graph = Graph.empty().extend(
        [
            Claim(id="a", state="accepted", supports=(("zz",),)),
            Claim(id="b", state="accepted"),
            Claim(id="c", state="accepted", contradicts=("b",)),
            Decision(id="d", choice="x", supports=(("b", "c"),)),
            Claim(id="e", state="accepted", supports=(("e",),)),
        ]
    )
    assert {repair(graph, name).sets for name in "ade"} == {()}
    assert "missing" in repair(graph, "a").reason
    assert "nogood" in repair(graph, "d").reason
    (conflict,) = conflicts(graph)
    assert conflict.culprits == (("b", "c"),)
    assert aftermath(graph, impact(graph, [("dispute", "b")])).complete


@pytest.mark.parametrize("pairs", [10, 20, 40, 60])
def test_independent_pairs_are_counted_exactly(pairs: int) -> None:
    """n pairs have 2^n environments: counted, not listed."""
    claims = [Claim(id=f"{side}{n}", state="accepted") for n in range(pairs) for side in "ab"]
    ors = [Claim(id=f"or{n}", state="derived", supports=((f"a{n}",), (f"b{n}",))) for n in range(pairs)]
    top = Claim(id="top", state="derived", supports=(tuple(f"or{n}" for n in range(pairs)),))
    found = environments(Graph.empty().extend([*claims, *ors, top]), "top", limit=3)
    assert (found.count, found.sizes, found.complete_to, len(found.environments)) == (
        2**pairs,
        {pairs: 2**pairs},
        None,
        3,
    )


@pytest.mark.parametrize("backwards", [False, True])
def test_deep_and_wide_labels(backwards: bool) -> None:
    """A chain of 10^5 has one environment of 10^5 members; 10^5 alternatives have 10^5 of one."""
    count = 100_000
    chain = [Claim(id=f"c{n}", state="accepted", supports=((f"c{n - 1}",),) if n else ()) for n in range(count)]
    wide = [Claim(id=f"w{n}", state="accepted") for n in range(count)]
    top = Claim(id="top", state="derived", supports=tuple((f"w{n}",) for n in range(count)))
    records = [*chain, *wide, top]
    graph = Graph.replay(bare(r) for r in (reversed(records) if backwards else records))
    for name, sizes in ((f"c{count - 1}", {count: 1}), ("top", {1: count})):
        labels = Labels(graph.compiled)
        family = labels.family(graph.number(name))
        smallest = labels.forest.smallest[family]
        assert smallest == next(iter(sizes))
        assert len(labels.forest) < 20 * count  # pairs of pairs: n log n


def test_disputing_relabels_nothing() -> None:
    """A label is the same family whatever is judged; only which environments are open differs."""
    graph = billing()
    after = graph.assuming([("dispute", "c1"), ("revoke", "d2")])
    assert label_of(graph.compiled, "d1") == label_of(after.compiled, "d1")
    before, now = environments(graph, "d1"), environments(after, "d1")
    assert [e.members for e in before.environments] == [e.members for e in now.environments]
    assert [e.open for e in now.environments] == [False, False]


def test_a_circle_that_was_not_finished_is_worked_out_again() -> None:
    """Whatever step the budget ends at, more budget then gives the right labels."""
    ring = [Claim(id=f"c{n}", state="derived", supports=((f"c{(n + 1) % 5}",), (f"p{n}",))) for n in range(5)]
    graph = Graph.empty().extend([*ring, *(Claim(id=f"p{n}", state="accepted") for n in range(5))])
    expected = label_of(graph.compiled, "c0")
    assert expected == {frozenset((f"p{n}",)) for n in range(5)}
    for budget in range(40):
        labels = Labels(graph.compiled)
        with contextlib.suppress(Exhausted):
            labels.family(graph.number("c0"), budget)
        assert envs(labels, labels.family(graph.number("c0"))) == expected
