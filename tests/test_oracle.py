"""The oracle against what was worked out apart from it, and a count of what the generator makes."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings

from tests.oracle import Oracle, implied_nogood
from tests.oracle_asks import critical, repair, single
from tests.strategies import Sizes, changes, ledger, ledgers, line
from tms.model import (
    Alternative,
    Assess,
    Batch,
    Claim,
    Correct,
    Correction,
    Decision,
    Hypothesis,
    Line,
    Nogood,
    Question,
    Record,
    Relate,
    Review,
    Supersession,
    Void,
)

CASES = Path(__file__).parents[1].parent / "shared" / "cases" / "cases.json"
DECODER: msgspec.json.Decoder[Record] = msgspec.json.Decoder(Record)


def lines(*records: Record) -> list[Line]:
    return [line(record, n) for n, record in enumerate(records)]


def claim(node: str, *supports: tuple[str, ...], **rest: Any) -> Claim:
    return Claim(id=node, **{"state": "accepted", "supports": supports, **rest})


def decision(node: str, *supports: tuple[str, ...], **rest: Any) -> Decision:
    return Decision(id=node, choice=node, supports=supports, **rest)


def turn(old: str, reason: Any = "revise") -> tuple[Supersession, ...]:
    return (Supersession(id=old, reason=reason),)


def words(found: list[Line], *changed: tuple[str, str]) -> dict[str, str]:
    oracle = Oracle(found, changed)
    return {node: oracle.status(node) for node in oracle.ids()}


def envs(*environments: str) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(env.split()) for env in environments)


# ---- cases told elsewhere ------------------------------------------------------------------------------------------


def cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text()) if CASES.exists() else []


@pytest.mark.skipif(not CASES.exists(), reason="the cases are not beside this checkout")
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_every_case_has_its_statuses_and_labels(case):
    found = lines(*(DECODER.decode(json.dumps(record)) for record in case["records"]))
    for expected in case["expect"]:
        assert words(found, *map(tuple, expected["change"])) == expected["status"]
    oracle = Oracle(found)
    for node, told in case["labels"].items():
        label = oracle.label(node) if oracle.kind(node) == "nogood" else oracle.consistent_label(node)
        assert label == frozenset(map(frozenset, told)), node


# ---- the worked example --------------------------------------------------------------------------------------------

BILLING = lines(
    claim("c1"),
    claim("c2"),
    claim("c3"),
    decision("d2"),
    Question(id="q1"),
    decision(
        "d1",
        ("c1", "c2"),
        ("c3",),
        depends_on=("d2",),
        answers=("q1",),
        alternatives=(Alternative(key="mysql", because=(("c2",),)),),
    ),
)
COLUMNS = ("c1", "d2", "d1", "d1/mysql", "q1")
ROWS = [
    ("", "in active active ruled-out resolved", "", {"d2"}),
    ("dispute c1", "disputed active active ruled-out resolved", "degraded", {"c3", "d2"}),
    ("dispute c2", "in active active reopened resolved", "degraded", {"c3", "d2"}),
    ("dispute c1, dispute c3", "disputed active unsupported ruled-out open", "", set()),
    ("revoke d2", "in revoked blocked ruled-out open", "", set()),
    ("dispute c1, dispute c3, accept c1", "in active active ruled-out resolved", "degraded", {"c1", "c2", "d2"}),
]


def billing(change: str) -> Oracle:
    verbs = [tuple(part.split()) for part in change.split(", ")] if change else []
    return Oracle(BILLING, verbs)  # type: ignore[arg-type]


@pytest.mark.parametrize(("change", "row", "flags", "singles"), ROWS, ids=[row[0] or "now" for row in ROWS])
def test_worked_example_row(change, row, flags, singles):
    oracle = billing(change)
    assert [oracle.status(node) for node in COLUMNS] == row.split()
    assert oracle.flags("d1") == set(flags.split())
    assert single(oracle, "d1") == singles
    assert oracle.unmet("d1") == (["d2"] if change == "revoke d2" else [])


def test_worked_example_labels_never_change_with_a_dispute():
    for change, *_ in ROWS:
        oracle = billing(change)
        assert oracle.label("c1") == envs("c1")
        assert oracle.label("d2") == envs("d2")
        assert oracle.label("d1") == envs("c1 c2 d1 d2", "c3 d1 d2")
        assert oracle.label("d1/mysql") == envs("c2")


def test_worked_example_repairs_and_critical_sets():
    assert repair(billing("dispute c1, dispute c3"), "d1") == envs("c1", "c3")
    assert repair(billing(""), "d1") == envs("")
    assert critical(billing(""), "d1") == envs("d2", "c1 c3", "c2 c3")


# ---- one reading each ----------------------------------------------------------------------------------------------


def test_voiding_a_void_brings_the_line_back():
    told = lines(claim("a"))
    told += [line(Void(target=told[0].hash), 1)]
    assert words(told) == {}
    told += [line(Void(target=told[1].hash), 2)]
    assert words(told) == {"a": "in"}


def test_a_void_part_takes_one_relation_and_leaves_no_premise_behind():
    told = lines(claim("a", ("b",), ("zz",)), claim("b"))
    assert words(told)["a"] == "in"
    told += [line(Void(target=told[0].hash, field="supports", position=0), 2)]
    assert words(told)["a"] == "unsupported"
    told += [line(Void(target=told[0].hash, field="supports", position=1), 3)]
    assert words(told)["a"] == "unsupported"
    assert Oracle(told).label("a") == envs()


def test_two_lines_with_one_body_are_one_record_and_two_bodies_clash():
    assert words([line(claim("a"), 0), line(claim("a"), 1)]) == {"a": "in"}
    told = [line(claim("a"), 0), line(claim("a", text="other"), 1)]
    assert words(told) == {"a": "clash"}
    assert words(told, ("accept", "a")) == {"a": "in"}
    settled = Assess(node="a", state="accepted", replaces=tuple(x.hash for x in told))
    assert words([*told, line(settled, 2)]) == {"a": "in"}
    half = Assess(node="a", state="accepted", replaces=(told[0].hash,))
    assert words([*told, line(half, 2)]) == {"a": "in"}


def test_newest_assessments_that_differ_clash_and_a_void_one_uncovers_what_it_replaced():
    told = lines(claim("a"))
    first = line(Assess(node="a", state="disputed", replaces=(told[0].hash,)), 1)
    other = line(Assess(node="a", state="rejected", replaces=(told[0].hash,)), 2)
    assert words([*told, first]) == {"a": "disputed"}
    assert words([*told, first, other]) == {"a": "clash"}
    assert words([*told, first, other, line(Void(target=other.hash), 3)]) == {"a": "disputed"}
    assert words([*told, first, line(Void(target=first.hash), 3)]) == {"a": "in"}


def test_a_batch_counts_only_when_it_is_all_there():
    one, two = (
        msgspec.structs.replace(line(claim(x), n), batch=Batch(id="b", at=n, of=2)) for n, x in ((1, "x"), (2, "y"))
    )
    assert words([one]) == {}
    assert words([one, one]) == {}
    assert words([one, two]) == {"x": "in", "y": "in"}


def test_a_supersession_circle_counts_for_nothing():
    told = lines(claim("a", supersedes=turn("b")), claim("b", supersedes=turn("a")), claim("c", supersedes=turn("c")))
    assert words(told) == {"a": "in", "b": "in", "c": "in"}


def test_a_review_silences_its_revise_until_the_next_one():
    told = lines(claim("a"), claim("b", supersedes=turn("a")), claim("x", ("a",)))
    assert Oracle(told).flags("x") == {"flagged"}
    told += [line(Review(citing="x", cited="a", head="b"), 3)]
    assert Oracle(told).flags("x") == set()
    restated = [*told, line(claim("c", supersedes=turn("b", "restate")), 4)]
    assert Oracle(restated).flags("x") == set()
    revised = [*told, line(claim("c", supersedes=turn("b")), 4)]
    assert Oracle(revised).flags("x") == {"flagged"}


def test_a_corrected_reason_loses_or_saves_a_citation():
    told = lines(claim("a"), claim("b", supersedes=turn("a")), claim("x", ("a",)))
    wrong = line(Correct(node="b", fields=Correction(supersedes=turn("a", "reverse"))), 3)
    words_only = line(Correct(node="b", fields=Correction(text="t"), replaces=(wrong.hash,)), 4)
    back = line(Correct(node="b", fields=Correction(supersedes=turn("a", "restate")), replaces=(words_only.hash,)), 5)
    assert words([*told, wrong])["x"] == "unsupported"
    assert words([*told, wrong, words_only])["x"] == "unsupported"
    assert words([*told, wrong, words_only, back])["x"] == "in"


def test_alternatives_are_inherited_and_a_citation_goes_to_the_heir():
    options = (Alternative(key="k", because=(("g",),)), Alternative(key="l"))
    told = lines(
        claim("g"),
        decision("d1", alternatives=options),
        decision("d2", supersedes=turn("d1", "restate"), alternatives=(Alternative(key="l", because=(("zz",),)),)),
        claim("x", ("d1/k",)),
        claim("y", ("d1/l",)),
    )
    found = words(told)
    assert {k: v for k, v in found.items() if "/" in k} == {
        "d1/k": "ruled-out",
        "d1/l": "ruled-out",
        "d2/k": "ruled-out",
        "d2/l": "reopened",
    }
    assert (found["x"], found["y"]) == ("in", "unsupported")
    assert Oracle(told).label("x") == envs("g x")


def test_a_fork_needs_every_head_and_is_said():
    told = lines(claim("a"), claim("l", supersedes=turn("a")), claim("r", supersedes=turn("a", "restate")))
    told += [line(claim("x", ("a",)), 3)]
    assert words(told)["x"] == "in"
    assert Oracle(told).flags("x") == {"flagged", "forked"}
    assert words(told, ("dispute", "l"))["x"] == "unsupported"


def test_contradicts_is_a_nogood_of_two():
    told = lines(claim("a", contradicts=("b",)), claim("b"), claim("x", ("a", "b"), ("b",)))
    nogood = implied_nogood("b", "a")
    assert words(told) == {"a": "in", "b": "in", nogood: "violated", "x": "in"}
    assert Oracle(told).label(nogood) == envs("a b")
    assert Oracle(told).flags("x") == {"degraded"}
    assert Oracle(told, nogoods=False).flags("x") == set()


def test_a_reversed_member_puts_its_nogood_to_sleep():
    told = lines(
        claim("a"), claim("b"), claim("c", supersedes=turn("a", "reverse")), Nogood(id="n", members=("a", "b"))
    )
    assert words(told)["n"] == "dormant"
    assert Oracle(told).label("n") == envs()


def test_questions_follow_both_ends():
    told = lines(Question(id="q"), claim("a", answers=("q",)), claim("b", supersedes=turn("a", "restate")))
    assert words(told)["q"] == "resolved"
    told += [line(Question(id="p", supersedes=turn("q")), 3)]
    assert (words(told)["q"], words(told)["p"]) == ("retired", "resolved")
    told += [line(Relate(relation="supersedes", source="p", targets=("q",), reason="reverse"), 4)]
    assert (words(told)["q"], words(told)["p"]) == ("retired", "open")


def test_a_verb_that_does_not_fit_is_refused():
    told = lines(claim("a", state="derived"), decision("d"), Hypothesis(id="h"))
    for verb, node in (("accept", "a"), ("accept", "d"), ("falsify", "d"), ("adopt", "zz")):
        with pytest.raises(ValueError, match="cannot"):
            Oracle(told, [(verb, node)])


# ---- laws ----------------------------------------------------------------------------------------------------------

SMALL = Sizes(judged=6, later=6)


def test_in_is_a_consistent_environment_of_the_label_within_the_context():
    contested = 0
    for seed in range(120):
        oracle = Oracle(ledger(Random(seed), SMALL))
        for node in oracle.ids():
            if oracle.kind(node) not in ("question", "nogood"):
                inside = [env for env in oracle.label(node) if env <= oracle.context]
                assert oracle.holds(node) == any(map(oracle.consistent, inside)), (seed, node)
                contested += bool(inside) and not oracle.holds(node)
    assert contested > 10


def test_label_is_sound_complete_and_minimal():
    for seed in range(40):
        oracle = Oracle(ledger(Random(seed), SMALL))
        for node in oracle.rules:
            label = oracle.label(node)
            for env in label:
                assert node in oracle.held_in(env)
                assert not any(node in oracle.held_in(env - {one}) for one in env)
            assert (node in oracle.held_in(oracle.assumptions)) == bool(label)


@settings(max_examples=60)
@given(ledgers(SMALL))
def test_order_of_lines_means_nothing(told):
    assert words(told) == words(told[::-1]) == words(sorted(told, key=lambda x: x.hash))


def test_without_nogoods_both_modes_agree():
    for seed in range(60):
        told = ledger(Random(seed), Sizes(nogoods=False))
        fast, slow = Oracle(told, nogoods=False), Oracle(told)
        assert not slow.nogoods
        assert [fast.status(x) for x in fast.ids()] == [slow.status(x) for x in slow.ids()]


# ---- the generator -------------------------------------------------------------------------------------------------

EXPECTED = {
    "claim": "in unassessed disputed rejected clash retired contested circular unsupported",
    "decision": "active blocked contested circular unsupported proposed revoked clash retired",
    "question": "resolved open retired clash",
    "alternative": "ruled-out reopened untested",
    "hypothesis": "active falsified reopened untested clash",
    "nogood": "violated dormant clash",
    "flag": "flagged forked literal degraded",
    "shape": "inherited lost missing implied deep circle literal-needed body-clash changed",
}


def depth(oracle: Oracle) -> int:
    """The longest way from premises to something that holds: the steps of the least fixed point."""
    steps, held = 0, frozenset[str]()
    while (after := oracle._step(oracle.context, held)) != held:
        steps, held = steps + 1, after
    return steps


def shapes(oracle: Oracle) -> dict[str, bool]:
    """What else happens in this ledger."""
    citations = [c for node in oracle.ids() for c in oracle.citations(node)]
    held = oracle.held_in(oracle.context)
    nodes = oracle.declared.nodes
    return {
        "inherited": any(
            ref.split("/")[1] not in oracle.declared.own_alternatives(ref.split("/")[0]) for ref in oracle.alternatives
        ),
        "lost": any(oracle.succession.lost(c.cited) for c in citations),
        "missing": any(not oracle.kind(c.cited) for c in citations),
        "implied": bool(set(oracle.nogoods) - set(nodes)),
        "deep": depth(oracle) >= 6,
        "circle": bool(oracle.circular - held),
        "literal-needed": any(len(c.options) > 1 and c.met(held) and not c.heads <= held for c in citations),
        "body-clash": any(len(bodies) > 1 for bodies in nodes.values()),
        "changed": bool(oracle.declared.changed),
    }


def test_generator_makes_every_word_flag_and_shape_often():
    count: Counter[tuple[str, str]] = Counter()
    for seed in range(1500):
        rng = Random(seed)
        told = ledger(rng)
        oracle = Oracle(told, changes(rng, told))
        for node in oracle.ids():
            count[oracle.kind(node), oracle.status(node)] += 1
            count.update(("flag", flag) for flag in oracle.flags(node))
        count.update(("shape", shape) for shape, there in shapes(oracle).items() if there)
    seldom = {(k, w): count[k, w] for k, row in EXPECTED.items() for w in row.split() if count[k, w] < 30}
    unknown = [key for key in count if key[1] not in EXPECTED[key[0]].split()]
    assert (seldom, unknown) == ({}, [])
