"""Decision frontiers: the four gates in order, what the hash covers, drift that matters and drift that does not."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli_call import Tms
from tests.strategies import ledger
from tms.config import FrontierPolicy, published
from tms.errors import UsageError
from tms.frontier import MISSING, STALE, VALID, frontier, selection_rationale_hash
from tms.graph import Graph
from tms.ledger.wire import canonical
from tms.model import Alternative, Assess, Claim, Correct, Correction, Decision, Falsification, Record, Relate

SAID = Falsification(signature="timeout in test_load", gate="pytest", reproducible=True)
MYSQL = Alternative(
    key="mysql",
    text="MySQL",
    because=(("c2",), ("c3", "c4")),
    criteria={"writes": "3k/s", "known": "no"},
    rationale="nobody here runs it",
    evidence=("bench/2026-01.md",),
    receipt=SAID,
    cost="two days",
)
FILES = Alternative(key="files", text="plain files", rationale="no locking")
IDEA = Alternative(key="idea", verdict="abandoned")
D1 = Decision(
    id="d1", text="billing uses Postgres", choice="Postgres", supports=(("c1",),), alternatives=(MYSQL, FILES, IDEA)
)
CLAIMS = tuple(Claim(id=f"c{n}", state="accepted") for n in range(1, 5))


def graph_of(decision: Decision = D1, *more: Record) -> Graph:
    return Graph.empty().extend([*CLAIMS, decision, *more])


def judged(graph: Graph, node: str, state: str) -> Graph:
    replaces = tuple(line.hash for line in graph.node(node).lines)
    return graph.apply(Assess(node=node, state=state, replaces=replaces))  # type: ignore[arg-type]


def changed(**fields: Any) -> Decision:
    """The decision with another first alternative."""
    return msgspec.structs.replace(D1, alternatives=(msgspec.structs.replace(MYSQL, **fields), FILES, IDEA))


# -- the gates --------------------------------------------------------------------------------------------------------


def test_first_gate_without_a_rejected_alternative_the_frontier_is_missing():
    for options in ((), (IDEA,)):
        found = frontier(graph_of(msgspec.structs.replace(D1, alternatives=options)), "d1")
        assert found.verdict == MISSING
        assert found.directive == "halt: no rejected alternative is recorded"


def test_second_gate_where_the_policy_wants_receipts_a_blank_one_is_missing_by_name():
    wanted = FrontierPolicy(require_receipts=True)
    found = frontier(graph_of(), "d1", {}, wanted)
    assert (found.verdict, found.directive) == (MISSING, "halt: d1/files has no receipt")
    only = msgspec.structs.replace(D1, alternatives=(MYSQL,))
    assert frontier(graph_of(only), "d1", {}, wanted).verdict == VALID
    for poor in (
        Falsification(signature="x", gate="pytest"),
        Falsification(signature=" ", gate="g", reproducible=True),
    ):
        bad = msgspec.structs.replace(D1, alternatives=(msgspec.structs.replace(MYSQL, receipt=poor),))
        assert frontier(graph_of(bad), "d1", {}, wanted).lacking == ("d1/mysql has no receipt",)


def test_third_gate_where_the_environment_differs_the_frontier_is_stale():
    told = msgspec.structs.replace(D1, environment={"python": "3.12", "os": "linux"})
    found = frontier(graph_of(told), "d1", {"python": "3.13", "os": "linux"})
    assert (found.verdict, found.directive) == (STALE, "re-evaluate, with the earlier rationale as context")
    assert [(f.key, f.before, f.after) for f in found.drift.facts] == [("python", "3.12", "3.13")]
    assert not found.drift.material
    judgement = frontier(judged(graph_of(told), "c1", "disputed"), "d1", {"python": "3.12"})
    assert judgement.verdict == STALE
    assert [(j.id, j.before, j.after) for j in judgement.drift.judgements] == [
        ("c1", "in", "disputed"),
        ("d1", "active", "unsupported"),
    ]
    assert judgement.drift.unchecked == ("os",)


def test_fourth_gate_otherwise_the_choice_stands():
    found = frontier(graph_of(), "d1")
    assert (found.verdict, found.directive) == (VALID, "proceed: the choice stands")
    assert [(o.id, o.status, o.permanent) for o in found.alternatives] == [
        ("d1/files", "ruled-out", True),
        ("d1/idea", "untested", False),
        ("d1/mysql", "ruled-out", False),
    ]


def test_the_gates_are_asked_in_order():
    drifted = judged(graph_of(msgspec.structs.replace(D1, alternatives=())), "c1", "disputed")
    assert frontier(drifted, "d1").verdict == MISSING  # though it is stale as well
    both = judged(graph_of(), "c1", "disputed")
    assert frontier(both, "d1", {}, FrontierPolicy(require_receipts=True)).verdict == MISSING


def test_a_tag_named_by_the_policy_lets_a_decision_go_without_a_frontier():
    told = msgspec.structs.replace(D1, alternatives=(), tag=("one-option",))
    found = frontier(graph_of(told), "d1", {}, FrontierPolicy(skip_tags=("one-*",)))
    assert (found.verdict, found.skipped) == (MISSING, "one-option")
    assert found.directive.startswith("proceed")


# -- drift ------------------------------------------------------------------------------------------------------------


def test_drift_that_leaves_every_rejection_and_the_choice_standing_does_not_matter():
    spare = msgspec.structs.replace(D1, supports=(("c1",), ("c4",)))
    found = frontier(judged(graph_of(spare), "c1", "disputed"), "d1")
    assert (found.verdict, found.drift.material) == (STALE, False)


def test_a_rejection_that_no_longer_holds_matters():
    graph = judged(judged(graph_of(), "c2", "disputed"), "c3", "rejected")
    found = frontier(graph, "d1")
    assert (found.verdict, found.drift.material) == (STALE, True)
    assert found.drift.because == ("d1/mysql is reopened",)
    option = next(o for o in found.alternatives if o.id == "d1/mysql")
    assert (option.status, option.reason) == (
        "reopened",
        "no longer holds: c2 (disputed); c3 (rejected) and c4 (in)",
    )


def test_a_choice_that_lost_its_support_matters():
    found = frontier(judged(graph_of(), "c1", "disputed"), "d1")
    assert found.drift.because == ("d1 is unsupported",)


def test_what_is_accepted_again_is_no_drift():
    graph = judged(judged(graph_of(), "c1", "disputed"), "c1", "accepted")
    before, after = frontier(graph_of(), "d1"), frontier(graph, "d1")
    assert (after.verdict, after.digest) == (VALID, before.digest)


def test_the_policy_says_which_facts_count_and_which_matter():
    told = msgspec.structs.replace(D1, environment={"git.commit": "a", "python": "3.12"})
    now = {"git.commit": "b", "python": "3.12"}
    assert frontier(graph_of(told), "d1", now, FrontierPolicy(facts=("python*",))).verdict == VALID
    assert frontier(graph_of(told), "d1", now, FrontierPolicy(material_facts=("git.*",))).drift.material


def test_a_correction_is_reported_and_changes_no_hash():
    graph = graph_of().apply(Correct(node="d1", fields=Correction(rationale="better said")))
    found = frontier(graph, "d1")
    assert found.drift.corrections == ("rationale",)
    assert found.selection_rationale_hash == frontier(graph_of(), "d1").selection_rationale_hash


def test_a_decision_adopted_later_is_compared_with_the_day_of_its_adoption():
    proposed = msgspec.structs.replace(D1, state="proposed")
    graph = judged(graph_of(proposed), "c4", "disputed")
    adopted = judged(graph, "d1", "adopted")
    assert frontier(adopted, "d1").verdict == VALID
    assert frontier(judged(adopted, "c4", "accepted"), "d1").verdict == STALE


def test_what_is_no_decision_has_no_frontier():
    with pytest.raises(UsageError, match="c1 is a claim; expected a decision"):
        frontier(graph_of(), "c1")


# -- the hash ---------------------------------------------------------------------------------------------------------


def test_the_order_of_alternatives_sets_and_members_does_not_change_the_hash():
    other = changed(because=(("c4", "c3"), ("c2",)), criteria={"known": "no", "writes": "3k/s"})
    other = msgspec.structs.replace(other, alternatives=tuple(reversed(other.alternatives)))
    assert selection_rationale_hash(graph_of(other), "d1") == selection_rationale_hash(graph_of(), "d1")


@pytest.mark.parametrize(
    "fields",
    [
        {"criteria": {"writes": "3k/s", "known": "yes"}},
        {"criteria": {"writes": "3k/s"}},
        {"because": (("c2",),)},
        {"because": (("c2",), ("c3",))},
        {"rationale": "nobody here runs it."},
        {"evidence": ()},
        {"receipt": None},
        {"receipt": msgspec.structs.replace(SAID, signature="timeout in test_load2")},
        {"receipt": msgspec.structs.replace(SAID, gate="tox")},
        {"receipt": msgspec.structs.replace(SAID, reproducible=False)},
        {"cost": "three days"},
        {"text": "MariaDB"},
        {"verdict": "abandoned"},
    ],
)
def test_a_changed_criterion_reason_receipt_or_signature_changes_the_hash(fields):
    assert selection_rationale_hash(graph_of(changed(**fields)), "d1") != selection_rationale_hash(graph_of(), "d1")


def test_flipping_any_byte_of_what_was_recorded_changes_the_hash():
    """Each byte inside a string of the decision, but for its id and kind, which name it."""
    plain = {name: value for name, value in msgspec.to_builtins(D1).items() if name in ("choice", "alternatives")}
    raw = json.dumps(plain)
    hashes = {selection_rationale_hash(graph_of(), "d1")}
    flipped = 0
    for at, char in enumerate(raw):
        if not char.isalnum():
            continue
        body = raw[:at] + chr(ord(char) ^ 1) + raw[at + 1 :]
        try:
            told = msgspec.convert({**msgspec.to_builtins(D1), **json.loads(body)}, Decision)
        except (msgspec.ValidationError, ValueError):  # the name of a field, or a word like `true`
            continue
        if told != D1:
            flipped += 1
            hashes.add(selection_rationale_hash(graph_of(told), "d1"))
    assert flipped > 120
    assert len(hashes) == flipped + 1  # all differ, from the first and from one another


def test_the_digest_is_over_every_other_field():
    found = frontier(graph_of(), "d1")
    bare = msgspec.to_builtins(msgspec.structs.replace(found, digest=""))
    assert found.digest == hashlib.sha256(canonical(bare)).hexdigest()


def test_a_ground_added_later_changes_the_hash():
    graph = graph_of().apply(Relate(relation="supports", source="d1/mysql", targets=("c1",)))
    assert selection_rationale_hash(graph, "d1") != selection_rationale_hash(graph_of(), "d1")


# -- on any ledger ----------------------------------------------------------------------------------------------------


@given(st.integers(0, 10**9))
def test_every_decision_of_any_ledger_has_a_frontier_that_agrees_with_its_statuses(seed):
    graph = Graph.replay(ledger(Random(seed)))
    for name in graph.ids("decision"):
        found = frontier(graph, name)
        assert [(o.id, o.status) for o in found.alternatives] == [
            (key, graph.word(key)) for key in graph.node(name).alternatives
        ]
        rejected = [o for o in found.alternatives if o.status != "untested"]
        drifted = bool(found.drift.facts or found.drift.judgements)
        assert found.verdict == (MISSING if not rejected else STALE if drifted else VALID)
        for option in found.alternatives:
            assert not (option.permanent and option.status in ("reopened", "untested"))
        assert all(graph.word(j.id) == j.after for j in found.drift.judgements)


@given(st.integers(0, 10**9), st.randoms(use_true_random=False))
def test_permanent_means_that_no_judgements_reopen_it(seed, rng):
    graph = Graph.replay(ledger(Random(seed)))
    kept = [o.id for name in graph.ids("decision") for o in frontier(graph, name).alternatives if o.permanent]
    claims = [n for n in graph.ids("claim") if not graph.declared.facts(graph.number(n)).derived]
    changes = [("dispute", name) for name in claims if rng.random() < 0.7]
    after = graph.assuming(changes + [("revoke", name) for name in graph.ids("decision") if rng.random() < 0.7])
    assert all(after.word(name) in ("ruled-out", "unknown") for name in kept)


def test_a_decision_whose_past_does_not_know_it_is_answered_all_the_same():
    """A record that was made void, and that void made void again later: the past of its adoption lacks it."""
    graph = Graph.replay(ledger(Random(23709)))
    for name in graph.ids("decision"):
        assert frontier(graph, name).verdict in (MISSING, STALE, VALID)


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def billing(tmp_path):
    made = Tms(tmp_path / ".tms" / "ledger.jsonl")
    made("init")
    for n in range(1, 5):
        made("claim", f"claim {n}", "--id", f"c{n}", "--state", "accepted")
    words = "--id d1 --choice Postgres --supports c1 --alternative mysql=MySQL --because mysql=c2 --fact python=3.12"
    made("decision", "billing uses Postgres", *words.split(), "--criterion", "mysql=writes: 3k/s", "--cost", "mysql=1d")
    return made


def test_two_successors_that_evaluate_the_same_frontier_get_the_same_bytes(billing):
    words = ("frontier", "d1", "--fact", "python=3.13", "--json")
    first = billing(*words, ends=1)
    billing.env["TMS_SESSION"], billing.env["TMS_AUTHOR"] = "s2", "bea"
    assert billing(*words, ends=1).out == first.out
    assert first.json["format"] == "tms.frontier/1"
    assert first.json["drift"] == {
        "facts": [{"key": "python", "before": "3.12", "after": "3.13"}],
        "judgements": [],
        "material": False,
        "because": [],
        "unchecked": [],
        "corrections": [],
    }
    assert first.json["environment_state_at_decision"] == {
        "facts": {"python": "3.12"},
        "judgements": ["c1", "c2", "d1"],
    }
    assert first.json["frontier_stability_receipt"] == {"d1/mysql": "provisional on {c2}"}


def test_the_exit_code_says_whether_to_proceed(billing):
    assert "FRONTIER_VALID: proceed" in billing("frontier", "d1", "--fact", "python=3.12").out
    assert "Not compared, since no value was given: python." in billing("frontier", "d1").out
    assert "FRONTIER_STALE: re-evaluate" in billing("frontier", "d1", "--assuming", "dispute c2", ends=1).out
    billing("decision", "no other way", "--id", "d9")
    assert "halt" in billing("frontier", "d9", ends=1).out
    (billing.ledger.parent / "config.toml").write_text('[frontier]\nskip_tags = ["trivial"]\n')
    billing("decision", "obvious", "--id", "d8", "--tag", "trivial")
    assert "proceed: the policy skips" in billing("frontier", "d8").out


def test_a_policy_with_a_typing_error_is_refused(billing):
    (billing.ledger.parent / "config.toml").write_text("[frontier]\nrequire_receipt = true\n")
    found = billing("frontier", "d1", "--json", ends=2)
    assert found.json["error"]["code"] == "config"
    assert "require_receipt" in found.json["error"]["message"]


def test_facts_come_from_options_files_and_providers(billing, tmp_path):
    (tmp_path / "facts.json").write_text('{"db":"16","team":"blue"}')
    (tmp_path / "uv.lock").write_text("one")
    words = ("--facts", str(tmp_path / "facts.json"), "--fact", "db=17", "--capture", "lock", "--capture", "python")
    billing("decision", "x", "--id", "d5", "--alternative", "y=Y", *words)
    facts = billing("frontier", "d5", "--json").json["environment_state_at_decision"]["facts"]
    assert (facts["db"], facts["team"]) == ("17", "blue")
    assert facts["lock.uv.lock"] == hashlib.sha256(b"one").hexdigest()
    assert "python.version" in facts
    (tmp_path / "uv.lock").write_text("two")
    drift = billing("frontier", "d5", "--json", ends=1).json["drift"]
    assert [fact["key"] for fact in drift["facts"]] == ["lock.uv.lock"]
    (tmp_path / "uv.lock").unlink()
    assert billing("frontier", "d5", "--json", ends=1).json["drift"]["facts"][0]["after"] == "absent"


@pytest.mark.parametrize("text", ["[]", '{"a":1}', '{"a":"1","a":"2"}', "{"])
def test_a_file_of_facts_that_is_none_is_refused(billing, tmp_path, text):
    (tmp_path / "facts.json").write_text(text)
    found = billing("frontier", "d1", "--facts", str(tmp_path / "facts.json"), "--json", ends=2)
    assert "facts.json" in found.json["error"]["message"]


def test_the_policy_on_the_page_is_the_default_one():
    page = (Path(__file__).parents[1] / "docs" / "frontiers.md").read_text("utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert tomllib.loads(block) == msgspec.json.decode(msgspec.json.encode(published()))
