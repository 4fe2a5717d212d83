"""The questions that labels answer, held against brute force on generated ledgers and against the statuses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain, combinations
from random import Random

import pytest

from tests import oracle_asks
from tests.oracle import Oracle
from tests.strategies import Sizes, ledger
from tms.graph import Change, Graph
from tms.listing import environments, witness
from tms.model import Alternative, Claim, Decision, Line, Nogood, Question
from tms.questions import conflicts, critical, pivotal, repair, single

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420")) // 3
SIZES = Sizes(judged=7, later=6)
CHUNKS = [range(n * ROUNDS // 3, (n + 1) * ROUNDS // 3) for n in range(3)]
HOLDERS = ("claim", "decision", "alternative", "hypothesis")
HELD = ("in", "active", "ruled-out", "falsified")
OPEN = ("unassessed", "disputed", "proposed")
Env = frozenset[str]


def small(seeds: range) -> Iterator[tuple[int, list[Line], Graph, Oracle]]:
    """Generated ledgers that are small enough for brute force."""
    for seed in seeds:
        lines = ledger(Random(seed), SIZES)
        oracle = Oracle(lines)
        if len(oracle.assumptions) <= 8:
            yield seed, lines, Graph.replay(lines), oracle


def holders(oracle: Oracle) -> list[str]:
    """The nodes that can hold."""
    return [name for name in oracle.ids() if oracle.kind(name) in HOLDERS]


def restored(oracle: Oracle, names: Env) -> list[Change]:
    """The what-if that accepts or adopts these."""
    return [("accept" if oracle.kind(n) == "claim" else "adopt", n) for n in sorted(names)]


def lost(oracle: Oracle, names: Env) -> list[Change]:
    """The what-if that disputes or revokes these."""
    return [("dispute" if oracle.kind(n) == "claim" else "revoke", n) for n in sorted(names)]


def subsets(names: list[str]) -> Iterator[Env]:
    """All of them, the empty one too."""
    return map(frozenset, chain.from_iterable(combinations(names, n) for n in range(len(names) + 1)))


def decides(ways: set[Env], base: Env, matter: str, others: list[str]) -> bool:
    """Whether some setting of the other open matters makes this one decide."""
    return any(
        any(way <= base | rest | {matter} for way in ways) and not any(way <= base | rest for way in ways)
        for rest in subsets(others)
    )


def pivotal_by_definition(oracle: Oracle, name: str) -> set[str]:
    """Every open matter tried in every setting of the others; what is superseded is never decided."""
    if oracle.superseded(name):
        return set()
    matters = sorted(m for m in oracle.assumptions if oracle.state(m) in OPEN)
    ways = set(oracle.consistent_label(name))
    return {m for m in matters if decides(ways, oracle.context, m, [o for o in matters if o != m])}


@pytest.mark.parametrize("seeds", CHUNKS)
def test_repair_critical_and_single_are_those_of_the_definition(seeds: range) -> None:
    """Of claims, decisions, alternatives and hypotheses, also those that are superseded or do not hold."""
    for seed, _, graph, oracle in small(seeds):
        for name in holders(oracle):
            mended, felled = repair(graph, name), critical(graph, name)
            assert mended.complete, (seed, name)
            assert felled.complete, (seed, name)
            assert {frozenset(s) for s in mended.sets} == oracle_asks.repair(oracle, name), (seed, name)
            assert {frozenset(s) for s in felled.sets} == oracle_asks.critical(oracle, name), (seed, name)
            assert set(single(graph, name) or ()) == oracle_asks.single(oracle, name), (seed, name)
            assert mended.sets or mended.reason, (seed, name)
            assert felled.sets or felled.reason, (seed, name)


@pytest.mark.parametrize("seeds", CHUNKS)
def test_pivotal_is_that_of_the_definition(seeds: range) -> None:
    """Exactly the open matters that decide in some setting of the others, in the order of ids."""
    for seed, _, graph, oracle in small(seeds):
        for name in holders(oracle):
            found = pivotal(graph, name)
            assert found.complete, (seed, name)
            assert [s[0] for s in found.sets] == sorted(pivotal_by_definition(oracle, name)), (seed, name)


def test_a_repair_is_certified_by_the_status() -> None:
    """Applied, the node holds; with any one judgement less, it does not."""
    tried = 0
    for seed, _, graph, oracle in small(range(ROUNDS // 2)):
        for name in holders(oracle):
            if oracle.state(name) in ("active", "abandoned"):
                continue
            for members in map(frozenset, repair(graph, name).sets):
                tried += len(members) > 0
                assert graph.assuming(restored(oracle, members)).word(name) in HELD, (seed, name, members)
                for one in members:
                    less = graph.assuming(restored(oracle, members - {one}))
                    assert less.word(name) not in HELD, (seed, name, members, one)
    assert tried > 20


def test_a_critical_set_is_certified_by_the_status() -> None:
    """Lost, the node no longer holds; with any one of them kept, it does."""
    tried = 0
    for seed, _, graph, oracle in small(range(ROUNDS // 2)):
        for name in holders(oracle):
            for members in map(frozenset, critical(graph, name).sets):
                tried += 1
                assert graph.assuming(lost(oracle, members)).word(name) not in HELD, (seed, name, members)
                for one in members:
                    less = graph.assuming(lost(oracle, members - {one}))
                    assert less.word(name) in HELD, (seed, name, members, one)
    assert tried > 50


def test_environments_are_consistent_and_open_as_by_definition() -> None:
    """Each listed environment says rightly whether it stands and whether a nogood lies in it; counts agree."""
    for seed, _, graph, oracle in small(range(ROUNDS // 2)):
        for name in holders(oracle):
            found = environments(graph, name, limit=10**6)
            for env in found.environments:
                members = frozenset(env.members)
                said = (env.open, env.consistent)
                assert said == (members <= oracle.context, oracle.consistent(members)), (seed, name, members)
            assert found.consistent == len(oracle.consistent_label(name)), (seed, name)
            assert found.sizes == {k: n for k, n in sizes(oracle.label(name)).items() if n}, (seed, name)


def sizes(label: frozenset[Env]) -> dict[int, int]:
    """How many environments there are of each size."""
    return {k: sum(len(env) == k for env in label) for k in range(9)}


def test_disputing_relabels_nothing_on_generated_ledgers() -> None:
    """All that stands is lost, and every environment is as before, though none but the empty one is open."""
    for seed, _, graph, oracle in small(range(ROUNDS // 2)):
        after = graph.assuming(lost(oracle, oracle.context))
        for name in holders(oracle):
            before, now = environments(graph, name, limit=10**6), environments(after, name, limit=10**6)
            assert [e.members for e in before.environments] == [e.members for e in now.environments], (seed, name)
            assert all(not e.open for e in now.environments if e.members), (seed, name)


def test_a_label_that_grew_line_by_line_is_that_of_a_replay() -> None:
    """Incremental equals from scratch, with every label asked for on the way."""
    for seed, lines, graph, oracle in small(range(ROUNDS // 12)):
        grown = Graph.empty()
        for line in lines:
            grown = grown.apply(line)
            for name in grown.ids():
                environments(grown, name, limit=1)
        for name in holders(oracle):
            assert environments(grown, name) == environments(graph, name) or same_label(grown, graph, name), (
                seed,
                name,
            )


def same_label(one: Graph, other: Graph, name: str) -> bool:
    """Whether two graphs give the same environments; the witness, any environment, may differ."""
    first, second = environments(one, name, limit=10**6), environments(other, name, limit=10**6)
    return first.environments == second.environments and (first.witness is None) == (second.witness is None)


@pytest.mark.parametrize("seeds", CHUNKS)
def test_conflicts_are_the_violated_nogoods_with_their_culprits(seeds: range) -> None:
    """The culprits are the nogood's minimal environments that stand now; losing one member of each ends it."""
    for seed, _, graph, oracle in small(seeds):
        found = {c.id: {frozenset(s) for s in c.culprits} for c in conflicts(graph)}
        assert all(c.complete for c in conflicts(graph)), seed
        assert found == {
            name: {env for env in oracle.label(name) if env <= oracle.context}
            for name in oracle.ids()
            if oracle.kind(name) == "nogood" and oracle.violated(name, oracle.context)
        }, seed


def test_a_witness_lies_within_the_context_and_holds() -> None:
    """Its judgements stand now, and they alone make the node hold, nogoods left aside."""
    for seed, _, graph, oracle in small(range(ROUNDS)):
        for name in holders(oracle):
            found = witness(graph, name)
            assert (found is not None) == (name in oracle.held_in(oracle.context)), (seed, name)
            if found is not None:
                assert frozenset(found) <= oracle.context, (seed, name)
                assert name in oracle.held_in(frozenset(found)), (seed, name)


@pytest.mark.parametrize("budget", [0, 1, 5, 30, 200])
def test_a_short_budget_never_invents_an_answer(budget: int) -> None:
    """Whatever is listed is right, and what calls itself complete is; single says None rather than too little."""
    for seed, _, graph, oracle in small(range(ROUNDS // 5)):
        for name in holders(oracle):
            for asked, expected in (
                (repair(graph, name, budget=budget), oracle_asks.repair(oracle, name)),
                (critical(graph, name, budget=budget), oracle_asks.critical(oracle, name)),
            ):
                got = {frozenset(s) for s in asked.sets}
                assert got == expected or not asked.complete, (seed, name, asked)
                assert got <= expected, (seed, name, asked)
            points = single(graph, name, budget=budget)
            assert points is None or set(points) == oracle_asks.single(oracle, name), (seed, name)
            whole = pivotal(graph, name, budget=budget)
            assert not whole.complete or {s[0] for s in whole.sets} == pivotal_by_definition(oracle, name), (seed, name)


def billing() -> Graph:
    """The worked example, with its question and its alternative."""
    mysql = Alternative(key="mysql", because=(("c2",),))
    d1 = Decision(
        id="d1",
        choice="Postgres",
        supports=(("c1", "c2"), ("c3",)),
        depends_on=("d2",),
        answers=("q1",),
        alternatives=(mysql,),
    )
    claims = [Claim(id=name, state="accepted") for name in ("c1", "c2", "c3")]
    return Graph.empty().extend([*claims, Decision(id="d2", choice="on deploy"), Question(id="q1"), d1])


WORKED = [
    ([], {"d2"}, {("d2",), ("c1", "c3"), ("c2", "c3")}, {()}),
    ([("dispute", "c1")], {"c3", "d2"}, {("c3",), ("d2",)}, {()}),
    ([("dispute", "c2")], {"c3", "d2"}, {("c3",), ("d2",)}, {()}),
    ([("dispute", "c1"), ("dispute", "c3")], set(), set(), {("c1",), ("c3",)}),
    ([("revoke", "d2")], set(), set(), {("d2",)}),
    (
        [("dispute", "c1"), ("dispute", "c3"), ("accept", "c1")],
        {"c1", "c2", "d2"},
        {("c1",), ("c2",), ("d2",)},
        {()},
    ),
]


@pytest.mark.parametrize(("change", "points", "losses", "ways"), WORKED)
def test_the_rows_of_the_worked_example(
    change: list[Change], points: set[str], losses: set[tuple[str, ...]], ways: set[tuple[str, ...]]
) -> None:
    """Single points, critical sets and repairs of d1, row by row."""
    graph = billing().assuming(change)
    assert set(single(graph, "d1") or ()) == points
    assert set(critical(graph, "d1").sets) == losses
    assert set(repair(graph, "d1").sets) == ways


def test_repairs_of_an_alternative_and_of_a_question() -> None:
    """What rests on a ground comes back with the ground."""
    graph = billing().assuming([("dispute", "c2"), ("revoke", "d2")])
    assert repair(graph, "d1/mysql").sets == (("c2",),)
    assert repair(graph, "q1").sets == (("d2",),)
    assert pivotal(graph, "d1/mysql").sets == (("c2",),)
    assert pivotal(graph, "d1").sets == ()  # d2 is revoked, which is not an open matter


def test_a_conflict_is_named_whole() -> None:
    """Each culprit set is minimal; a ground that two sides share is named once."""
    base = [Claim(id=name, state="accepted") for name in ("a", "b", "c")]
    one = Claim(id="one", state="derived", supports=(("a", "b"),))
    other = Claim(id="other", state="derived", supports=(("b", "c"),))
    graph = Graph.empty().extend([*base, one, other, Nogood(id="n", members=("one", "other"))])
    (found,) = conflicts(graph)
    assert (found.id, found.culprits, found.complete) == ("n", (("a", "b", "c"),), True)
    assert conflicts(graph.assuming([("dispute", "b")])) == ()


def test_single_points_are_all_told_also_beside_a_conflict() -> None:
    """A chain of 150, and two claims beside it that cannot both hold: every link below the tip is a single point."""
    links = [Claim(id=f"c{n:03}", state="accepted", supports=((f"c{n - 1:03}",),) if n else ()) for n in range(150)]
    sides = [Claim(id="x", state="accepted"), Claim(id="y", state="accepted", contradicts=("x",))]
    graph = Graph.empty().extend([*links, *sides])
    assert conflicts(graph)
    assert single(graph, "c149") == tuple(f"c{n:03}" for n in range(149))
