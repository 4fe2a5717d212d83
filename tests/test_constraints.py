"""Negative constraints: which actions are known to fail; and the archive of what was told about them."""

from __future__ import annotations

import json
import shutil
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli_call import Tms
from tests.strategies import ledger
from tms.archive import archive_digest, check_archive, folder_of
from tms.constraints import constraints, known, known_to_fail
from tms.graph import Graph
from tms.ledger.reader import read
from tms.model import Assess, Claim, Falsification, Hypothesis, Line, Record, Void, is_receipt
from tms.session import Session
from tms.signature import signature_of

E1 = Falsification(signature="E0308", gate="rustc", reproducible=True)
E2 = Falsification(signature="test_load timed out", gate="pytest", reproducible=True)
WORDS = st.text(st.sampled_from("ab./ \n\t-=\"'~é"), max_size=24)


def graph_of(*records: Record) -> Graph:
    return Graph.empty().extend([Claim(id="c1", state="accepted"), *records])


def failed(
    name: str = "h1", action: str = "cargo build", said: Falsification | None = E1, **more: object
) -> Hypothesis:
    return Hypothesis(id=name, action=action, state="falsified", falsification=said, **more)  # type: ignore[arg-type]


# -- signatures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "same"),
    [
        ("  cargo\t build\n", "cargo build"),
        ("pytest ./tests/x.py", "pytest tests/x.py"),
        ("pytest tests//x.py", "pytest tests/x.py"),
        ("pytest tests/./x.py", "pytest tests/x.py"),
        ("pytest tests/../tests/x.py", "pytest tests/x.py"),
        ("run --file=./a/b", "run --file=a/b"),
        ("run './a/b'", "run 'a/b'"),
    ],
)
def test_white_space_and_the_prefix_of_a_path_make_no_difference(action, same):
    assert signature_of(action) == signature_of(same) == same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cargo build", "Cargo build"),
        ("cargo build", "cargo  build --release"),
        ("pytest a b", "pytest b a"),
        ("pytest 'a'", "pytest a"),
        ("get http://x/a//b", "get http://x/a/b"),
        ("cat ../x", "cat x"),
        ("cat /x", "cat x"),
    ],
)
def test_whatever_else_differs_makes_another_action(one, other):
    assert signature_of(one) != signature_of(other)


@given(WORDS)
def test_a_signature_is_its_own_signature(action):
    assert signature_of(signature_of(action)) == signature_of(action)


def test_paths_below_the_project_are_written_from_there():
    assert signature_of("pytest /srv/app/tests/x.py", "/srv/app") == "pytest tests/x.py"
    assert signature_of("pytest /srv/apple/x.py", "/srv/app") == "pytest /srv/apple/x.py"


# -- what forbids -----------------------------------------------------------------------------------------------------


def test_only_the_reproducible_signature_of_a_gate_forbids():
    for poor in (
        None,
        Falsification(signature="E1"),
        Falsification(signature="E1", gate="g"),
        Falsification(signature="E1", reproducible=True),
        Falsification(signature=" ", gate="g", reproducible=True),
    ):
        found = known(graph_of(failed(said=poor)), "cargo build")
        assert (found.known_to_fail, found.constraints, found.untested) == (False, (), ("h1",))
    assert known(graph_of(failed()), "cargo build").known_to_fail


def test_what_was_abandoned_is_untested_and_forbids_nothing():
    found = known(graph_of(Hypothesis(id="h1", action="cargo build", state="abandoned")), "cargo build")
    assert (found.known_to_fail, found.untested) == (False, ("h1",))
    active = known(graph_of(Hypothesis(id="h1", action="cargo build")), "cargo build")
    assert (active.known_to_fail, active.constraints, active.untested) == (False, (), ())


def test_two_falsifications_of_one_action_both_come_back():
    found = known(graph_of(failed(), failed("h2", " cargo  build", E2)), "cargo build")
    assert [(c.id, c.told[0].signature) for c in found.constraints] == [("h1", "E0308"), ("h2", "test_load timed out")]


def test_a_later_falsification_of_a_hypothesis_never_overwrites_an_earlier_one():
    graph = graph_of(failed())
    again = Assess(node="h1", state="falsified", falsification=E2, replaces=(graph.lines[-1].hash,))
    (found,) = known(graph.apply(again), "cargo build").constraints
    assert {told.signature for told in found.told} == {"E0308", "test_load timed out"}


def test_a_constraint_reopens_by_itself_when_an_assumption_falls_and_comes_back_with_it():
    graph = graph_of(failed(assuming=("c1",)))
    assert known(graph, "cargo build").known_to_fail
    fallen = graph.assuming([("dispute", "c1")])
    found = known(fallen, "cargo build")
    assert (found.known_to_fail, found.constraints[0].status) == (False, "reopened")
    assert found.constraints[0].assuming == (("c1", "disputed"),)
    assert known(fallen.assuming([("accept", "c1")]), "cargo build").known_to_fail


def test_exact_asks_for_the_very_characters():
    graph = graph_of(failed(action="cargo  build"))
    assert known(graph, "cargo build").known_to_fail
    assert not known(graph, "cargo build", exact=True).known_to_fail
    assert known(graph, "cargo  build", exact=True).known_to_fail


def oracle(lines: list[Line], graph: Graph, action: str) -> dict[str, set[tuple[str, str]]]:
    """Every record read anew: the hypotheses about an action that a gate falsified, with what the gates said."""
    void = {line.hash for line in lines if graph.declared.is_void(line.hash)}
    found: dict[str, set[tuple[str, str]]] = {}
    for line in lines:
        record = line.record
        if isinstance(record, Hypothesis) and line.hash not in void and signature_of(record.action) == action:
            found.setdefault(record.id, set())
    for line in lines:
        record = line.record
        name = getattr(record, "id", getattr(record, "node", ""))
        said = getattr(record, "falsification", None)
        if name in found and line.hash not in void and said is not None and is_receipt(said):
            found[name].add((said.signature, said.gate))
    return {
        name: said for name, said in found.items() if said and graph.word(name) in ("falsified", "reopened", "clash")
    }


@given(st.integers(0, 10**9))
def test_the_index_says_what_reading_every_record_says_step_by_step_and_at_once(seed):
    rng = Random(seed)
    lines = ledger(rng)
    extra = [
        failed(f"h{n}", rng.choice(("a b", " a  b", "./x/y", "x/y")), rng.choice((E1, E2, None)), assuming=("c1",))
        for n in range(6)
    ]
    voided = Void(target=rng.choice(lines).hash)
    grown = Graph.replay(lines[: len(lines) // 2]).extend(lines[len(lines) // 2 :]).extend([*extra, voided])
    at_once = Graph.replay(grown.lines)
    for action in ("a b", "x/y", "h0", "h1"):
        found = known(grown, action)
        assert found == known(at_once, action)
        said = {c.id: {(t.signature, t.gate) for t in c.told} for c in found.constraints}
        assert said == oracle(list(grown.lines), grown, action)
        assert {c.id for c in found.constraints} <= {c.id for c in constraints(grown)}


# -- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def tms(tmp_path):
    made = Tms(tmp_path / ".tms" / "ledger.jsonl")
    made("init")
    made("claim", "the compiler is 1.80", "--id", "c1", "--state", "accepted")
    made("hypothesis", "a generic impl", "--id", "h1", "--action", "cargo build", "--assuming", "c1")
    return made


SAID = ("--signature", "E0308", "--gate", "rustc", "--reproducible")


@pytest.mark.parametrize(
    "words", [(), SAID[:2], SAID[:4], SAID[2:], (*SAID[:2], "--reproducible"), ("--signature", " ", *SAID[2:])]
)
def test_falsify_refuses_what_no_gate_said_for_good(tms, words):
    found = tms("falsify", "h1", *words, "--json", ends=2)
    assert found.json["error"]["code"] == "receipt"
    assert "tms abandon h1" in found.json["error"]["hint"]
    assert tms.status("h1") == {"h1": "active"}


def test_try_says_1_with_every_signature_and_0_for_what_is_not_known_to_fail(tms):
    assert tms("try", "cargo build").out.startswith("Not known to fail: cargo build")
    tms("falsify", "h1", *SAID)
    tms("hypothesis", "again", "--id", "h2", "--action", "cargo  build", "--state", "falsified", *("--gate", "ci"),
        "--signature", "exit 101", "--reproducible")  # fmt: skip
    found = tms("try", " cargo build", "--json", ends=1).json
    assert found["format"] == "tms.try/1"
    assert found["known_to_fail"] is True
    assert [(c["id"], c["signature"], c["status"], c["under"]) for c in found["constraints"]] == [
        ("h1", "E0308", "falsified", [["c1", "in"]]),
        ("h2", "exit 101", "falsified", []),
    ]
    assert all(c["since"].endswith("Z") for c in found["constraints"])
    assert "assuming c1 (in)" in tms("try", "cargo build", ends=1).out
    tms("dispute", "c1")
    tms("void", found_line(tms, "h2"))
    reopened = tms("try", "cargo build")
    assert "h1 is reopened" in reopened.out


def found_line(tms: Tms, name: str) -> str:
    lines = tms("log", "--json").json["lines"]
    return str(next(line["hash"] for line in lines if line["record"].get("id") == name))


def test_an_abandoned_hypothesis_is_listed_as_untested(tms):
    tms("abandon", "h1", "--reason", "out of time")
    found = tms("try", "cargo build")
    assert "UNVERIFIED_ABANDONED" in found.out
    assert tms("try", "cargo build", "--json").json["untested"] == ["h1"]


def test_a_damaged_ledger_is_an_error_and_never_allowed(tms):
    tms("falsify", "h1", *SAID)
    raw = tms.ledger.read_bytes()
    tms.ledger.write_bytes(raw.replace(b"E0308", b"E0309"))
    assert tms("try", "cargo build", "--json", ends=3).json["error"]["code"] == "hash"


# -- the archive ------------------------------------------------------------------------------------------------------

STORY = "We tried a blanket impl.\nIt overlaps with the one for str.\n"


@pytest.fixture
def archived(tms, tmp_path):
    tms("falsify", "h1", *SAID)
    (tmp_path / "story.md").write_text(STORY)
    tms("archive", "add", "h1", "--file", str(tmp_path / "story.md"), "--reason", "settled")
    return tms


def test_a_narrative_is_read_on_demand_and_the_ledger_has_its_hash(archived):
    assert STORY.strip() in archived("archive", "show", "h1").out
    (line,) = [x for x in archived("log", "--json").json["lines"] if x["record"]["kind"] == "context_purge_marker"]
    assert line["record"]["characters"] == len(STORY)
    assert archived("archive", "show", "h1", "--json").json["narratives"] == [[line["record"]["narrative"], STORY]]
    assert STORY.split()[0] not in archived("archive", "list").out


def test_checks_work_where_no_narrative_can_be_read(archived, monkeypatch):
    for path in folder_of(str(archived.ledger)).rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff nothing")
    assert archived("try", "cargo build", ends=1).out.startswith("Known to fail")
    assert archived("archive", "show", "h1", "--json", ends=3).json["error"]["code"] == "archive"
    assert archived("verify", "--json", ends=3).json["verdict"] == "damaged"


def test_an_archive_that_is_gone_is_an_error_and_never_allowed(archived):
    archived("dispute", "c1")  # the constraint is reopened: without the archive even that is not believed
    shutil.rmtree(folder_of(str(archived.ledger)))
    assert archived("try", "cargo build", "--json", ends=3).json["error"]["code"] == "archive"
    assert archived("try", "something else").code == 0
    assert archived("verify", ends=3).out.count("archive") >= 1


def test_any_changed_byte_of_a_narrative_is_found_and_named(archived):
    (path,) = [p for p in folder_of(str(archived.ledger)).rglob("*") if p.is_file()]
    raw = path.read_bytes()
    graph = Graph.replay(read(str(archived.ledger)).lines)
    assert check_archive(str(archived.ledger), graph) == ()
    for at in range(len(raw)):
        path.write_bytes(raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :])
        (found,) = check_archive(str(archived.ledger), graph)
        assert (found.kind, found.nodes) == ("archive", ("h1",))
    path.write_bytes(raw)
    assert archived("verify").out.startswith("intact")


def test_the_archive_digest_is_over_ids_actions_signatures_and_narratives(archived):
    before = archived("archive", "list", "--json").json["digest"]
    assert before == archived("verify", "--json").json["archive"]
    archived("claim", "unrelated")
    assert archived("archive", "list", "--json").json["digest"] == before
    digests = {before}
    for words in (
        ("falsify", "h1", "--signature", "E0309", "--gate", "rustc", "--reproducible"),
        ("archive", "add", "h1", "--file", __file__),
        ("hypothesis", "other", "--id", "h2", "--action", "x"),
        ("hypothesis", "other", "--id", "h3", "--action", "x"),
    ):
        archived(*words)
        digests.add(archived("archive", "list", "--json").json["digest"])
    assert len(digests) == 5
    assert archive_digest(Graph.empty()) == archive_digest(Graph.empty().apply(Claim(id="c1")))


def test_the_archive_takes_narratives_of_hypotheses_and_only_text(archived, tmp_path):
    assert "expected a hypothesis" in archived("archive", "add", "c1", ends=2).err
    assert "has no rationale" in archived("archive", "add", "h1", ends=2).err
    (tmp_path / "b").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in archived("archive", "add", "h1", "--file", str(tmp_path / "b"), ends=2).err
    (tmp_path / "e").write_bytes(b"\n")
    assert "expected some text" in archived("archive", "add", "h1", "--file", str(tmp_path / "e"), ends=2).err
    assert archived("archive", "show", "nobody", ends=2).err


def test_the_same_narrative_twice_is_one_file(archived, tmp_path):
    archived("archive", "add", "h1", "--file", str(tmp_path / "story.md"))
    assert len([p for p in folder_of(str(archived.ledger)).rglob("*") if p.is_file()]) == 1
    assert len(json.loads(archived("archive", "show", "h1", "--json").out)["narratives"]) == 1


def test_a_session_sees_a_constraint_that_another_wrote(tmp_path):
    path = str(tmp_path / "ledger.jsonl")
    one, two = Session.open(path, create=True), Session.open(path, create=True)
    one.append([failed()])
    assert not known(two.graph, "cargo build").known_to_fail
    two.refresh()
    assert known(two.graph, "cargo build").known_to_fail


@given(st.integers(0, 10**9))
def test_the_quick_check_says_what_the_whole_answer_says(seed):
    rng = Random(seed)
    extra = [
        failed(f"h{n}", rng.choice(("a b", "x/y", "h1")), rng.choice((E1, None)), assuming=(rng.choice(("c1", "d1")),))
        for n in range(4)
    ]
    graph = Graph.replay([*ledger(rng)]).extend(extra)
    for action in ("a b", "x/y", "h0", "h1", "z"):
        assert known_to_fail(graph, action) == known(graph, action).known_to_fail
