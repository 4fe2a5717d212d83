"""Direction and ways: grounds, dependents and paths, by definition."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any

import networkx
import pytest

import query
from tests.oracle import Oracle
from tests.query_ledger import ids, rows
from tests.strategies import Sizes, ledger
from tms.graph import Graph
from tms.model import Claim, Decision, Relate, Void
from tms.reach import dependents, grounds, relation

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420"))


# -- direction --------------------------------------------------------------------------------------------------


def test_grounds_go_down_and_dependents_go_up_through_supersession_to_the_head() -> None:
    assert ids("grounds(d9, 1)") == ["c4", "d1", "d3"]
    assert ids("grounds(d3, 1)") == ["c10", "c5", "c6"]  # c7 was superseded by c10
    assert ids("dependents(c7)") == []
    assert ids("dependents(c10)") == ["d3", "d9"]
    assert ids("dependents(c1)") == ["c5", "d1", "d3", "d4", "d9", "q1"]
    assert ids("grounds(d1)") == ["c1", "c2", "c3", "d2"]
    assert ids("grounds(d1, 0)") == []


def rests_on(oracle: Oracle, there: set[str], node: str) -> set[str]:
    """What a node rests on in one step, by definition: where its citations lead, and what is met literally."""
    found: set[str] = set()
    for citation in cited(oracle, node):
        if citation.cited in there and not oracle.succession.lost(citation.cited):
            found |= citation.heads | ({citation.cited} if (node, citation.cited) in oracle.literal else set())
    return found & there


def cited(oracle: Oracle, node: str) -> list[Any]:
    if oracle.kind(node) != "question":
        return oracle.citations(node)
    if not oracle.superseded(node):
        return oracle.answers(node)
    judged = [x for x in oracle.declared.nodes if oracle.kind(x) in ("claim", "decision")]
    own = [x for x in judged if node in {asked for asked, _ in oracle.declared.related(x, "answers")}]
    return [oracle.citation(node, x) for x in own]


def reached(edges: dict[str, set[str]], start: str) -> dict[str, int]:
    """Whatever is reached, with the number of steps; the start only when a circle leads back."""
    found: dict[str, int] = {}
    front, steps = {start}, 0
    while front:
        steps += 1
        front = {upper for name in front for upper in edges[name]} - found.keys()
        found |= dict.fromkeys(front, steps)
    return found


def made(seeds: range) -> Iterator[tuple[int, Graph, Oracle]]:
    for seed in seeds:
        lines = ledger(Random(seed), Sizes(mixed_kinds=seed % 3 == 0))
        yield seed, Graph.replay(lines), Oracle(lines)


@pytest.mark.parametrize("part", range(3))
def test_grounds_and_dependents_are_those_of_the_definition_and_opposites(part: int) -> None:
    """On ledgers with circles, forks, reversals, voids, citations that are met literally or lost."""
    literal = 0
    for seed, graph, oracle in made(range(part * ROUNDS // 3, (part + 1) * ROUNDS // 3)):
        there = set(oracle.ids())
        down = {name: rests_on(oracle, there, name) for name in there}
        up = {name: {upper for upper in there if name in down[upper]} for name in there}
        literal += len(oracle.literal)
        for name in there:
            assert grounds(graph, [name]) == reached(down, name), (seed, name)
            assert dependents(graph, [name]) == reached(up, name), (seed, name)
            assert set(dependents(graph, [name], 1)) == up[name], (seed, name)
    assert literal


def test_the_relation_of_a_step_is_that_of_a_citation_that_leads_there() -> None:
    words = {"alternative": "because", "hypothesis": "assuming", "nogood": "members", "question": "answers"}
    seen: set[str] = set()
    for seed, graph, oracle in made(range(ROUNDS // 3)):
        there = set(oracle.ids())
        for name in there:
            needs = set(oracle._prerequisites(name))
            sets = {m for s in oracle._sets(name) for m in s}
            for below in rests_on(oracle, there, name):
                leading = {c.cited for c in cited(oracle, name) if below in rests_on_by(oracle, c)}
                expected = [words.get(oracle.kind(name), "supports")] if leading & sets else []
                expected += ["depends_on"] if leading & needs else []
                assert relation(graph, name, below) == ("+".join(expected) or "answers"), (seed, name, below)
                seen.add("+".join(expected))
    assert {"supports", "depends_on", "supports+depends_on", "because", "assuming", "members"} <= seen


def rests_on_by(oracle: Oracle, citation: Any) -> set[str]:
    """Where one citation leads."""
    if citation.cited not in oracle.ids() or oracle.succession.lost(citation.cited):
        return set()
    literal = (citation.citing, citation.cited) in oracle.literal
    return set(citation.heads) | ({citation.cited} if literal else set())


def test_a_decision_whose_grounds_are_void_depends_still_on_its_prerequisites() -> None:
    first = Graph.empty().extend([Claim(id="c1"), Decision(id="d2", choice="x")])
    graph = first.apply(Decision(id="d1", choice="x", supports=(("c1",),), depends_on=("d2",)))
    void = graph.apply(Void(target=graph.lines[-1].hash, field="supports", position=0))
    assert ids("grounds(d1)", void) == ["d2"]
    assert ids("dependents(d2)", void) == ["d1"]
    assert void.node("d2").cited_by == ("d1",)


# -- paths ------------------------------------------------------------------------------------------------------


def circle(*edges: tuple[str, str]) -> Graph:
    """Claims, each edge from a ground to what rests on it."""
    names = sorted({name for edge in edges for name in edge})
    rests = [Relate(relation="supports", source=upper, targets=(lower,)) for lower, upper in edges]
    return Graph.empty().extend([*(Claim(id=name, state="accepted") for name in names), *rests])


def test_a_self_loop_and_a_circle_of_two_make_no_phantom_paths() -> None:
    loop = circle(("a", "a"), ("a", "b"))
    assert [row[1] for row in rows("paths(a, b)", loop)] == [("a", "b")]
    assert rows("paths(a, a)", loop) == rows("paths(b, a)", loop) == []
    assert ids("grounds(a)", loop) == ids("dependents(a) except b", loop) == ["a"]
    assert ids("dependents(b)", loop) == []
    two = circle(("a", "b"), ("b", "a"), ("b", "c"))
    assert [row[1] for row in rows("paths(a, c)", two)] == [("a", "b", "c")]
    assert [row[1] for row in rows("paths(a, b)", two)] == [("a", "b")]
    assert rows("paths(c, a)", two) == rows("paths(b, b)", two) == []
    assert ids("grounds(a)", two) == ["a", "b"]
    assert ids("grounds(c)", two) == ["a", "b"]


def test_paths_are_all_simple_paths_by_length_then_ids() -> None:
    many = 0
    for seed in range(ROUNDS // 3):
        rng = Random(seed)
        names = [f"n{i}" for i in range(rng.randint(2, 6))]
        web = networkx.DiGraph([(a, b) for a in names for b in names if rng.random() < 0.4])
        if not {"n0", "n1"} <= set(web):
            continue
        graph = circle(*web.edges)
        expected = sorted(
            (tuple(path) for path in networkx.all_simple_paths(web, "n0", "n1")), key=lambda p: (len(p), p)
        )
        assert [row[1] for row in rows("paths(n0, n1)", graph)] == expected, seed
        many += len(expected) > 3
    assert many > 5


def ladder(steps: int) -> Graph:
    """Two ways at each step: 2 ** steps paths."""
    names = [f"{side}{step:02}" for step in range(steps) for side in "ab"]
    edges = [(lower, upper) for lower in names for upper in names if int(upper[1:]) == int(lower[1:]) + 1]
    return circle(*edges, ("start", "a00"), ("start", "b00"), (f"a{steps - 1:02}", "top"), (f"b{steps - 1:02}", "top"))


def test_of_very_many_paths_the_first_are_told_and_that_there_are_more() -> None:
    """A million and more; the limit of the query is looked at before they are made."""
    graph = ladder(20)
    first = query.run(graph, "paths(start, top) | limit 2")
    assert [row[1][-3:] for row in first] == [("a18", "a19", "top"), ("a18", "b19", "top")]
    cut = query.run(graph, "paths(start, top)", bounds=query.Bounds(rows=7))
    assert (len(cut), cut.clipped) == (7, "paths gave more than 7 rows")
    assert [*cut][:2] == [*first]
