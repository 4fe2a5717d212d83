"""Citations met literally, kept up to date: what a line changes is found where the change is."""

from __future__ import annotations

from random import Random

from tests.strategies import Sizes, ledger
from tests.test_graph import ROUNDS, one_by_one, told
from tms.compile import Compiled
from tms.graph import Graph, bare
from tms.model import Claim, Decision, Nogood, Relate, Supersession, Void

MOVING = Sizes(judged=12, questions=1, later=16, motifs=7, nogoods=False, superseding=50)

VOID = bare(Decision(id="d", choice="x", state="adopted", supports=(("a",),), depends_on=("p",)))
WITHOUT_SETS = [*map(bare, (Claim(id="a", state="accepted"), Claim(id="p", state="accepted"))), VOID]
WITHOUT_SETS.append(bare(Void(target=VOID.hash, field="supports", position=0)))


def test_a_prerequisite_added_to_a_decision_without_a_set_closes_a_circle() -> None:
    """x rests on m, m's successor on d, and d, which no set holds up, now depends on x."""
    graph = one_by_one(WITHOUT_SETS).extend(
        [
            Claim(id="m", state="accepted"),
            Claim(id="x", state="accepted", supports=(("m",),)),
            Claim(id="m2", state="accepted", supports=(("d",),), supersedes=(Supersession(id="m"),)),
        ]
    )
    assert graph.status("x").flags == ("flagged",)
    after = graph.apply(Relate(relation="depends_on", source="d", targets=("x",)))
    assert after.status("x").flags == ("flagged", "literal")
    assert told(after) == told(Graph.replay(after.lines))


def test_a_decision_without_a_set_is_found_from_what_it_depends_on() -> None:
    """It is flagged when its prerequisite moves, and listed among those that cite it."""
    graph = one_by_one(WITHOUT_SETS)
    assert graph.node("p").cited_by == ("d",)
    after = graph.apply(Claim(id="q", state="accepted", supersedes=(Supersession(id="p"),)))
    assert after.status("d").flags == ("flagged",)
    assert after.node("q").cited_by == after.node("p").cited_by == ("d",)


def test_the_members_of_a_nogood_are_no_citations_of_a_claim_with_its_id() -> None:
    """Two bodies of different kinds share an id: it is a claim, and cites what claims cite."""
    records = (Claim(id="b", state="accepted"), Claim(id="x", supports=(("b",),)), Nogood(id="x", members=("a", "b")))
    graph = one_by_one([bare(r) for r in records]).apply(Claim(id="a2", supersedes=(Supersession(id="a"),)))
    assert graph.node("x").members == graph.status("x").flags == ()
    assert told(graph) == told(Graph.replay(graph.lines))


def test_what_is_met_literally_is_the_same_line_by_line() -> None:
    """Where much is superseded: the circles that a line closes or opens are found without a search of the whole."""
    for seed in range(ROUNDS // 12):
        lines = ledger(Random(seed), MOVING)
        graph = one_by_one([])
        for count, line in enumerate(lines, 1):
            graph = graph.apply(line)
            same_circles(graph.compiled, Graph.replay(lines[:count]).compiled, (seed, count))


def same_circles(one: Compiled, other: Compiled, where: object) -> None:
    """Both have the same literal citations, circles and moved citations of what is there; numbers may differ."""

    def named(compiled: Compiled) -> tuple[set[tuple[str, str]], set[str], set[tuple[str, str]]]:
        name, facts = compiled.declared.names.name, compiled.declared.facts
        moves = {(name(x), name(m)) for x, ms in compiled.moves.items() for m in ms if facts(m).exists}
        return {(name(x), name(m)) for x, m in compiled.literals}, {name(x) for x in compiled.zone}, moves

    assert named(one) == named(other), where
