"""The commands that write: what each records, what it says about it, what it refuses."""

import json
import subprocess

import pytest

from cli.envelope import envelope
from tests.cli_call import BILLING, fresh


def last(call):
    return call("log", "--json").json["lines"][0]


@pytest.fixture
def billing(tmp_path):
    return fresh(tmp_path, BILLING)


def test_init_may_be_run_again_and_tells_git_what_it_must_know(tmp_path):
    call = fresh(tmp_path)
    folder = call.ledger.parent
    call("claim", "so", "--id", "c1")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert "is there already" in call("init").out
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert before[".gitattributes"] == b"ledger.jsonl -text merge=union\n"


def test_the_ledger_is_the_nearest_one_upwards(tmp_path, monkeypatch):
    call = fresh(tmp_path, BILLING)
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    call.env["TMS_LEDGER"] = None
    assert call.status("d1") == {"d1": "active"}
    call.env["TMS_LEDGER"] = str(tmp_path / "none.jsonl")
    assert "none.jsonl" in call("status", ends=2).err
    for words in (["--ledger", str(call.ledger), "status"], ["status", "--ledger", str(call.ledger)]):
        assert "7 nodes from 6 lines" in call(*words).out


def test_a_claim_holds_what_its_options_say(billing):
    options = "--id c9 --state accepted --supports c1,c2 --supports c3 --keep-own --answers q1 --supersedes c1"
    words = "--reason restate --contradicts d2 --scope src --tag a --tag b --evidence make --rationale since --pinned"
    billing("claim", "a text", *options.split(), *words.split())
    assert last(billing)["record"] == {
        "kind": "claim",
        "id": "c9",
        "text": "a text",
        "rationale": "since",
        "scope": ["src"],
        "tag": ["a", "b"],
        "evidence": ["make"],
        "pinned": True,
        "supports": [["c1", "c2"], ["c3"], []],
        "answers": ["q1"],
        "supersedes": [{"id": "c1", "reason": "restate"}],
        "contradicts": ["d2"],
        "state": "accepted",
    }


def test_a_decision_holds_what_its_options_say(billing):
    words = "--id d9 --choice Redis --supports c1 --depends-on d2 --alternative disk=Files --because disk=c1,c2"
    more = "--because disk=c3 --alternative none= --fact python=3.11 --reversibility costly --decided-by all"
    billing("decision", "cache", *words.split(), *more.split())
    record = last(billing)["record"]
    assert (record["choice"], record["depends_on"], record["environment"]) == ("Redis", ["d2"], {"python": "3.11"})
    assert record["alternatives"] == [
        {"key": "disk", "text": "Files", "because": [["c1", "c2"], ["c3"]]},
        {"key": "none"},
    ]
    assert "state" not in record  # adopted, the default
    assert billing.status("d9", "d9/disk") == {"d9": "active", "d9/disk": "ruled-out"}


def test_the_other_nodes_hold_what_their_options_say(billing):
    billing("hypothesis", "wider index", "--id", "h1", "--action", "index", "--assuming", "c1", "--state", "falsified")
    billing("question", "Which cache?", "--id", "q2", "--supersedes", "q1", "--reason", "restate")
    billing("nogood", "not both", "--id", "n1", "--members", "c1,c2")
    found = billing.status("h1", "q1", "q2", "n1")
    assert found == {"h1": "falsified", "q1": "retired", "q2": "resolved", "n1": "violated"}


def test_an_id_that_is_not_given_is_derived_from_the_content(billing):
    first = billing("claim", "it rains", "--json").json["lines"][0]["id"]
    assert first.startswith("c-")
    assert "recorded already" in billing("claim", "it rains", ends=2).err


def test_the_default_states_are_unassessed_and_adopted(billing):
    billing("claim", "so", "--id", "c8")
    billing("decision", "do", "--id", "d8")
    assert billing.status("c8", "d8") == {"c8": "unassessed", "d8": "active"}


def test_the_envelope_comes_from_the_environment(billing):
    line = last(billing)
    assert (line["author"], line["session"], line["branch"]) == ("ann", "s1", "main")


def test_without_an_environment_the_author_and_branch_are_those_of_git(tmp_path, monkeypatch):
    for name in ("TMS_AUTHOR", "TMS_BRANCH", "TMS_SESSION", "GIT_AUTHOR_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    git = tmp_path / ".git"
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/feature/x\n")
    (git / "config").write_text('[core]\n\tbare = false\n[user]\n\tname = Ann "B"\n')
    found = envelope(str(tmp_path / ".tms" / "ledger.jsonl"))
    assert found == {"author": 'Ann "B"', "session": "", "branch": "feature/x"}


def test_a_worktree_says_its_own_branch(tmp_path, monkeypatch):
    for name in ("TMS_AUTHOR", "TMS_BRANCH"):
        monkeypatch.delenv(name, raising=False)
    one = tmp_path / "one"
    for words in (
        f"init -q -b main {one}",
        f"-C {one} -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
        f"-C {one} config user.name Bee",
        f"-C {one} worktree add -q -b other ../two",
    ):
        subprocess.run(["git", *words.split()], check=True, capture_output=True)
    monkeypatch.delenv("GIT_AUTHOR_NAME", raising=False)
    assert envelope(str(tmp_path / "two" / "ledger.jsonl"))["branch"] == "other"
    assert envelope(str(tmp_path / "two" / "ledger.jsonl"))["author"] == "Bee"


# -- judgements and relations ----------------------------------------------------------------------------------------


def test_an_assessment_says_what_changed_because_of_it(billing):
    found = billing("dispute", "c1", "c3", "--reason", "slow", "--evidence", "bench")
    assert "d1  decision  active -> unsupported  c1 -> d1" in found.out
    assert last(billing)["record"]["reason"] == "slow"
    assert "d1  decision  unsupported -> active" in billing("accept", "c3").out


def test_falsify_keeps_what_the_gate_said(billing):
    billing("hypothesis", "wider index", "--id", "h1")
    billing("falsify", "h1", "--signature", "test_x", "--gate", "pytest", "--reproducible")
    assert last(billing)["record"]["falsification"] == {"signature": "test_x", "gate": "pytest", "reproducible": True}
    assert billing.status("h1") == {"h1": "falsified"}
    billing("abandon", "h1")
    assert billing.status("h1") == {"h1": "untested"}


def test_a_verb_that_does_not_fit_is_refused_with_those_that_do(billing):
    found = billing("dispute", "d1", ends=2)
    assert "dispute is for a claim; d1 is a decision" in found.err
    assert "adopt, revoke" in found.err
    billing("claim", "so", "--id", "c9", "--state", "derived", "--supports", "c1")
    assert "derived" in billing("accept", "c9", ends=2).err


def test_several_assessments_are_one_batch_or_none(billing):
    before = billing.ledger.read_bytes()
    billing("dispute", "c1", "c77", ends=2)
    assert billing.ledger.read_bytes() == before


def test_a_first_support_set_takes_the_place_of_the_own_authority_and_says_so(billing):
    found = billing("relate", "supports", "c1", "c2")
    assert "--keep-own" in found.err
    assert billing.status("c1", "--assuming", "dispute c2") == {"c1": "unsupported"}


def test_keep_own_adds_the_empty_set(billing):
    billing("relate", "supports", "c1", "c2,c3", "d2", "--keep-own")
    assert billing("show", "c1", "--json").json["node"]["supports"] == [[], ["c2", "c3"], ["d2"]]
    assert billing.status("c1", "--assuming", "dispute c2 revoke d2") == {"c1": "in"}


def test_own_standing_that_is_kept_is_not_said_to_be_lost(billing):
    assert "stood on its own" not in billing("relate", "supports", "c1", "c2", "--keep-own").err


def test_undoing_the_first_support_set_of_a_premise_says_how_it_stands_on_its_own_again(billing):
    billing("relate", "supports", "c1", "c2")
    found = billing("void", last(billing)["hash"])
    assert "tms relate supports c1 --keep-own" in found.err
    assert billing.status("c1") == {"c1": "unsupported"}
    billing("relate", "supports", "c1", "--keep-own")
    assert billing.status("c1") == {"c1": "in"}
    assert last(billing)["record"]["targets"] == []


def test_a_void_that_leaves_a_ground_or_a_premise_gives_no_hint(billing):
    billing("relate", "supports", "c1", "c2")
    first = last(billing)["hash"]
    billing("relate", "supports", "c1", "c3")
    assert "--keep-own" not in billing("void", first).err
    billing("dispute", "c2")
    assert "--keep-own" not in billing("void", last(billing)["hash"]).err


def test_a_relation_to_nothing_is_refused(billing):
    assert "what?" in billing("relate", "supports", "c1", ends=2).err
    assert "what?" in billing("relate", "answers", "d1", ends=2).err


def test_each_relation_can_be_added_later(billing):
    billing("question", "and then?", "--id", "q2")
    billing("decision", "again", "--id", "d3")
    billing("relate", "depends-on", "d3", "d2")
    billing("relate", "answers", "d3", "q2")
    billing("relate", "contradicts", "d3", "d1")
    billing("relate", "supports", "d1/mysql", "c3")
    changed = billing("relate", "supersedes", "d3", "d1", "--reason", "reverse", "--json").json["changed"]
    assert ("d1", "active", "retired") in [(c["id"], c["before"], c["after"]) for c in changed]
    node = billing("show", "d3", "--json").json["node"]
    assert (node["depends_on"], node["answers"], node["supersedes"]) == (["d2"], ["q2"], [["d1", "reverse"]])


def test_what_would_supersede_is_told_at_adoption(billing):
    billing("decision", "new", "--id", "d9", "--state", "proposed", "--would-supersede", "d1")
    assert billing.status("d1") == {"d1": "active"}
    assert "tms relate supersedes d9 d1" in billing("adopt", "d9").err
    assert "not yet" not in billing("relate", "supersedes", "d9", "d1").err
    assert billing.status("d1") == {"d1": "retired"}


def test_superseding_by_what_is_only_proposed_is_warned_about(billing):
    found = billing("decision", "new", "--id", "d9", "--state", "proposed", "--supersedes", "d1")
    assert "would_supersede waits" in found.err


def test_a_review_takes_the_flag_away(billing):
    billing("claim", "better measured", "--id", "c4", "--state", "accepted", "--supersedes", "c1")
    assert billing.flags("d1") == ["flagged"]
    billing("review", "d1", "c1", "--reason", "still fits")
    assert last(billing)["record"]["head"] == "c4"
    assert billing.flags("d1") == []


def test_a_correction_changes_words_only(billing):
    billing("correct", "c1", "--text", "it does", "--tag", "x", "--reason", "shorter")
    node = billing("show", "c1", "--json").json["node"]
    assert (node["text"], node["tag"], node["status"]) == ("it does", ["x"], "in")
    assert [n["text"] for n in billing("list", "--tag", "x", "--json").json["nodes"]] == ["it does"]
    billing("correct", "c1", "--clear", "tag")
    assert billing("show", "c1", "--json").json["node"]["tag"] == []
    assert "nothing to correct" in billing("correct", "c1", ends=2).err


def test_a_void_takes_a_line_or_one_relation_back(billing):
    hash_ = next(line["hash"] for line in billing("log", "d1", "--json").json["lines"])
    billing("void", hash_[:10], "--field", "depends_on", "--position", "0", "--reason", "not needed")
    assert billing.status("d1", "--assuming", "revoke d2") == {"d1": "active"}
    billing("dispute", "c1")
    billing("void", last(billing)["hash"])
    assert billing.status("c1") == {"c1": "in"}
    billing("void", last(billing)["hash"])
    assert billing.status("c1") == {"c1": "disputed"}


@pytest.mark.parametrize(("beginning", "said"), [("abc", "too short"), ("0000000000", "no line has the hash")])
def test_a_void_names_its_line(billing, beginning, said):
    assert said in billing("void", beginning, ends=2).err


# -- references ------------------------------------------------------------------------------------------------------


def test_a_reference_to_an_unknown_id_is_refused_unless_allowed(billing):
    before = billing.ledger.read_bytes()
    found = billing("decision", "do", "--id", "d9", "--supports", "c77", ends=2)
    assert "c77" in found.err
    assert billing.ledger.read_bytes() == before
    found = billing("decision", "do", "--id", "d9", "--supports", "c77", "--allow-missing")
    assert "warning: supports: no node has the id 'c77'" in found.err
    assert billing.status("d9") == {"d9": "unsupported"}
    assert "c77" in billing("status").out


def test_record_takes_unknown_references_and_reports_them(billing):
    text = '{"kind":"decision","id":"d9","choice":"x","depends_on":["d77"]}'
    assert "d77" in billing("record", "-", given=text).err
    assert billing("check", "--json", ends=1).json["findings"][0]["kind"] == "missing"


def test_a_batch_is_all_or_nothing(billing):
    before = billing.ledger.read_bytes()
    text = '{"kind":"claim","id":"c8"}\n{"kind":"claim","id":"c9","txt":"so"}\n'
    found = billing("record", "-", "--json", given=text, ends=2)
    assert "stdin:2" in found.json["error"]["message"]
    assert billing.ledger.read_bytes() == before


def test_a_file_is_recorded_by_name(billing, tmp_path):
    file = tmp_path / "more.json"
    file.write_text('[{"kind":"claim","id":"c8"},\n {"kind":"claim","id":"c9"}]')
    assert [line["id"] for line in billing("record", str(file), "--json").json["lines"]] == ["c8", "c9"]
    assert "No such file" in billing("record", str(tmp_path / "none"), ends=2).err
    assert "no record" in billing("record", "-", given="\n", ends=2).err


# -- the editor ------------------------------------------------------------------------------------------------------


def test_edit_records_what_the_editor_leaves(billing, monkeypatch):
    def fill(text, **_):
        assert '# support sets: [["c1", "c2"], ["c3"]] is (c1 and c2) or c3' in text
        return text.replace('"text": "as given"', '"text": "edited"').replace('"supports": []', '"supports": [["c1"]]')

    monkeypatch.setattr("click.edit", fill)
    billing("claim", "as given", "--id", "c9", "--edit")
    record = last(billing)["record"]
    assert record == {"kind": "claim", "id": "c9", "text": "edited", "supports": [["c1"]]}


def test_a_text_that_cannot_be_taken_is_kept(billing, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("click.edit", lambda text, **_: text.replace('"rationale"', '"rationals"'))
    found = billing("claim", "so", "--edit", "--rationale", "why", ends=2)
    assert "rationals" in found.err
    (kept,) = tmp_path.glob("tms-claim-*.json")
    assert json.loads(kept.read_text())["rationals"] == "why"
    monkeypatch.setattr("click.edit", lambda text, **_: None)
    assert "nothing was recorded" in billing("claim", "so", "--edit", ends=2).err
