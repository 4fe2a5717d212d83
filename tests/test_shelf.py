"""Labels kept from version to version: the same as from scratch, and no more work than what lies downstream."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random

import pytest

import tms.shelf
from tests.strategies import Sizes, changes, ledger
from tests.test_labels import Env, envs
from tms.compile import Compiled
from tms.graph import Change, Graph
from tms.labels import Shared
from tms.model import Assess, Claim, Decision, Line, Record, Relate, State

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420")) // 6
SMALL = Sizes(judged=6, later=8)


def shared(compiled: Compiled, name: str) -> set[Env]:
    """The label of an id as the versions of the graph keep it."""
    number = compiled.declared.names.number(name)
    assert number is not None
    labels = Shared(compiled)
    return envs(labels, labels.family(compiled.holder(number)))


def scratch(lines: list[Line], name: str, what_if: Sequence[Change] = ()) -> set[Env]:
    """The same, of a graph that was loaded at once."""
    return shared(Graph.replay(lines).assuming(what_if).compiled, name)


@pytest.mark.parametrize("chunk", range(4))
@pytest.mark.parametrize("room", [0, 400_000])
def test_labels_line_by_line_are_those_from_scratch(chunk: int, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever were asked for on the way, under what-ifs too, and of an old version afterwards."""
    monkeypatch.setattr(tms.shelf, "_ROOM", room)
    for seed in range(chunk * ROUNDS // 4, (chunk + 1) * ROUNDS // 4):
        rng = Random(seed)
        lines = ledger(rng, SMALL)
        graph, versions = Graph.empty(), []
        for count, line in enumerate(lines, 1):
            graph = graph.apply(line)
            versions.append((count, graph))
            assumed = changes(rng, lines[:count])
            what_if = graph.assuming(assumed)
            for name in rng.sample(graph.ids(), min(2, len(graph.ids()))):
                assert shared(what_if.compiled, name) == scratch(lines[:count], name, assumed), (seed, count, name)
        for count, old in [*rng.sample(versions, min(3, len(versions))), versions[-1]]:
            for name in old.ids():
                assert shared(old.compiled, name) == scratch(lines[:count], name), (seed, count, name)


def fan(count: int) -> Graph:
    """A root below many claims, each with a decision on it."""
    records: list[Record] = [Claim(id="root", state="accepted")]
    for n in range(count):
        records.append(Claim(id=f"c{n}", state="accepted", supports=(("root",),)))
        records.append(Decision(id=f"d{n}", choice="x", supports=((f"c{n}",),)))
    return Graph.empty().extend(records)


def ask_all(graph: Graph) -> int:
    """Work out every label; the labels that had to be made, counted."""
    labels = Shared(graph.compiled)
    before = {n for n, _ in labels.shelf.known()}
    for name in graph.ids():
        labels.family(graph.compiled.holder(graph.number(name)))
    return len({n for n, _ in labels.shelf.known()} - before)


def test_one_more_line_relabels_only_what_lies_downstream() -> None:
    """Other grounds of one claim: it and the decision on it; of the root: everything; a new node: itself."""
    graph = fan(50)
    assert ask_all(graph) == 101
    graph = graph.apply(Relate(relation="supports", source="c7", targets=("new",)))
    assert ask_all(graph) == 3
    graph = graph.apply(Claim(id="new", state="accepted"))
    assert ask_all(graph) == 3
    graph = graph.apply(Claim(id="leaf", state="accepted", supports=(("c9",),)))
    assert ask_all(graph) == 1
    graph = graph.apply(Relate(relation="supports", source="root", targets=("new",)))
    assert ask_all(graph) == 101 + 1
    assert ask_all(graph) == 0


def test_disputing_and_accepting_relabel_nothing() -> None:
    """As what-ifs and as lines: not one step of an operator, not one label made anew."""
    graph = fan(50)
    ask_all(graph)
    steps = graph.compiled.shelf.forest.steps
    for what_if in ([("dispute", "root")], [("revoke", "d3"), ("reject", "c3")], [("accept", "c3")]):
        assert ask_all(graph.assuming(what_if)) == 0
    later: list[tuple[str, State]] = [("root", "disputed"), ("root", "accepted"), ("d1", "revoked")]
    for node, state in later:
        told = tuple(line.hash for line in graph.node(node).lines)
        graph = graph.apply(Assess(node=node, state=state, replaces=told))
        assert (graph.status(node).state, ask_all(graph)) == (state, 0)
    assert graph.compiled.shelf.forest.steps == steps


def test_a_long_session_levels_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is a multiple of what is in use, however many versions there were."""
    monkeypatch.setattr(tms.shelf, "_ROOM", 1_000)
    rng, graph, most = Random(1), fan(20), 0
    ask_all(graph)
    for _ in range(600):
        source, target = f"c{rng.randrange(20)}", f"c{rng.randrange(20)}"
        ask_all(graph.apply(Relate(relation="supports", source=source, targets=(target,))))
        most = max(most, graph.compiled.shelf.forest.held())
    assert ask_all(graph) == 0
    assert most < 6_000
