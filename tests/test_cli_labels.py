"""What labels answer, as a user asks: environments, repair, critical, single, pivotal, conflicts."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli_call import BILLING, Tms, fresh

ROOT = Path(__file__).parents[1]
FALLEN = ("--assuming", "dispute c1, dispute c3")


@pytest.fixture(scope="module")
def billing(tmp_path_factory) -> Tms:
    return fresh(tmp_path_factory.mktemp("billing"), BILLING)


def claims(*rows: tuple[str, str, list[list[str]]]) -> str:
    return "".join(
        json.dumps({"kind": "claim", "id": name, "state": state, "supports": sets}) + "\n" for name, state, sets in rows
    )


def pairs(number: int) -> str:
    """`top` rests on one of each of so many pairs: 2 ** number environments."""
    rows: list[tuple[str, str, list[list[str]]]] = [
        (f"{side}{i}", "accepted", []) for i in range(number) for side in "ab"
    ]
    either = [(f"p{i}", "derived", [[f"a{i}"], [f"b{i}"]]) for i in range(number)]
    return claims(*rows, *either, ("top", "derived", [[f"p{i}" for i in range(number)]]))


def conflict(folder: Path) -> Tms:
    nogood = '{"kind":"nogood","id":"n1","members":["x","y"]}\n'
    return fresh(folder, claims(("x", "accepted", []), ("y", "accepted", []), ("z", "accepted", [["x"]])) + nogood)


def test_environments_are_counted_and_the_smallest_listed(billing):
    found = billing("environments", "d1", "--json").json
    assert found == {
        "format": "tms.environments/1",
        "id": "d1",
        "count": 2,
        "sizes": {"3": 1, "4": 1},
        "complete_to": None,
        "environments": [
            {"members": ["c3", "d1", "d2"], "open": True, "consistent": True},
            {"members": ["c1", "c2", "d1", "d2"], "open": True, "consistent": True},
        ],
        "listed": 2,
        "consistent": 2,
        "witness": found["witness"],
    }
    assert set(found["witness"]) in ({"c3", "d1", "d2"}, {"c1", "c2", "d1", "d2"})
    text = billing("environments", "d1").out
    assert text.startswith("d1 has 2 environments\n")
    assert "c3 d1 d2     open" in text


def test_environments_take_a_size_a_limit_and_conditions(billing):
    cut = billing("environments", "d1", "--size", "3", "--json").json
    assert (cut["count"], cut["complete_to"], cut["sizes"]) == (1, 3, {"3": 1})
    assert (
        "of up to 3 members\nLarger ones are not counted: as asked." in billing("environments", "d1", "--size", "3").out
    )
    one = billing("environments", "d1", "--limit", "1", "--json").json
    assert (one["count"], one["listed"], len(one["environments"])) == (2, 1, 1)
    assert "... and 1 more (--limit)" in billing("environments", "d1", "--limit", "1").out
    fallen = billing("environments", "d1", "--json", *FALLEN).json
    assert [e["open"] for e in fallen["environments"]] == [False, False]
    assert fallen["witness"] is None
    assert fallen["assuming"] == [["dispute", "c1"], ["dispute", "c3"]]


def test_a_count_may_have_more_than_64_bits(tmp_path):
    call = fresh(tmp_path, pairs(80))
    assert call("environments", "top", "--limit", "0", "--json").json["count"] == 2**80
    assert f"{2**80} environments" in call("environments", "top", "--limit", "0").out


def test_where_the_budget_ends_the_bound_and_one_environment_are_given(tmp_path):
    call = fresh(tmp_path, pairs(12))
    found = call("environments", "top", "--budget", "3", "--json").json
    assert (found["complete_to"], found["count"], len(found["witness"])) == (0, 0, 12)
    text = call("environments", "top", "--budget", "3").out
    assert "of up to 0 members" in text
    assert "the budget ended there; --budget gives more" in text
    assert "There is at least one, of at most 12 members: " in text


def test_repair_names_the_minimal_sets_that_would_make_a_node_hold(billing):
    found = billing("repair", "d1", "--json", *FALLEN).json
    assert (found["format"], found["sets"], found["complete"]) == ("tms.repair/1", [["c1"], ["c3"]], True)
    text = billing("repair", "d1", *FALLEN).out
    assert text == "Any one of these would make d1 hold (2)\n  accept c1\n  accept c3\n"
    assert "  adopt d2\n" in billing("repair", "d1", "--assuming", "revoke d2").out
    assert billing("repair", "d1").out == "d1: it holds already.\n"
    assert billing("repair", "d1", "--json").json["sets"] == [[]]


def test_a_repair_that_cannot_be_says_why(tmp_path):
    call = fresh(tmp_path, claims(("c1", "derived", [["c2"]]), ("c2", "derived", [["c1"]])))
    found = call("repair", "c1", "--json").json
    assert (found["sets"], found["complete"]) == ([], True)
    assert found["reason"]
    assert found["reason"] in call("repair", "c1").out


def test_critical_names_the_minimal_sets_whose_loss_fells_a_node(billing):
    found = billing("critical", "d1", "--json").json
    assert (found["format"], found["complete"]) == ("tms.critical/1", True)
    assert found["sets"] == [["d2"], ["c1", "c3"], ["c2", "c3"]]
    assert "  c1, c3\n" in billing("critical", "d1").out
    assert billing("critical", "c1", "--json").json["sets"] == []
    assert billing("critical", "c1").out == "c1: only its own judgement can fell it.\n"


def test_single_names_what_alone_carries_a_node(billing):
    found = billing("single", "--json").json
    assert found["format"] == "tms.single/1"
    assert {node["id"]: node["points"] for node in found["nodes"]} == {
        "c1": [],
        "c2": [],
        "c3": [],
        "d1": ["d2"],
        "d2": [],
    }
    (asked,) = billing("single", "d1", "--json", "--assuming", "dispute c3").json["nodes"]
    assert asked == {"id": "d1", "status": "active", "points": ["c1", "c2", "d2"]}
    text = billing("single").out
    assert text.startswith("Of all 5 claims and decisions that are IN:\n")
    assert [line.split() for line in text.splitlines()[2:]] == [["d1", "active", "d2"]]
    assert "unsupported" in billing("single", "d1", *FALLEN).out


def test_pivotal_names_the_open_matters_that_could_change_a_node(billing):
    found = billing("pivotal", "d1", "--json", *FALLEN).json
    assert (found["format"], found["matters"], found["complete"]) == ("tms.pivotal/1", ["c1", "c3"], True)
    assert "What is open and could change d1 (2)" in billing("pivotal", "d1", *FALLEN).out
    assert billing("pivotal", "c1", "--json").json["matters"] == []
    assert billing("pivotal", "c1").out == "c1: nothing that is open can change it.\n"


def test_conflicts_are_listed_with_their_culprits_and_are_no_failure(billing, tmp_path):
    assert billing("conflicts", "--json").json == {"format": "tms.conflicts/1", "conflicts": []}
    assert billing("conflicts").out == "No nogood is violated.\n"
    call = conflict(tmp_path)
    assert call("conflicts", "--json").json["conflicts"] == [
        {"id": "n1", "members": ["x", "y"], "culprits": [["x", "y"]], "complete": True}
    ]
    assert call("conflicts").out == "n1: x and y cannot all hold, and do\n  because of x y\n"
    assert call("conflicts", "--assuming", "dispute x").out == "No nogood is violated.\n"


def test_environments_tell_those_with_a_conflict_inside(tmp_path):
    call = conflict(tmp_path)
    call("record", "-", given=claims(("w", "derived", [["x", "y"], ["z"]])))
    found = call("environments", "w", "--json").json
    assert (found["count"], found["consistent"]) == (2, 1)
    assert [(e["members"], e["consistent"]) for e in found["environments"]] == [(["x", "y"], False), (["x", "z"], True)]
    text = call("environments", "w").out
    assert "1 of them without a conflict inside." in text
    assert "open, contains a conflict" in text


@pytest.mark.parametrize("name", ["environments", "repair", "critical", "single", "pivotal"])
def test_an_unknown_id_and_a_negative_budget_exit_2(billing, name):
    assert billing(name, "d11", "--json", ends=2).json["error"]["code"] == "unknown-id"
    assert billing(name, "d1", "--budget", "-1", "--json", ends=2).json["error"]["code"] == "usage"


@pytest.mark.parametrize("name", ["environments", "repair", "critical", "single", "pivotal"])
def test_a_point_in_time_is_a_condition_of_the_answer(tmp_path, name):
    call = fresh(tmp_path, BILLING)
    call("mark", "v1")
    before = call(name, "d1", "--json").json
    call("dispute", "c1", "c3")
    after = call(name, "d1", "--as-of", "v1", "--json").json
    assert after.pop("as_of") == "v1"
    assert after == before


def test_ctrl_c_ends_long_work_cleanly(tmp_path):
    call = fresh(tmp_path, BILLING)
    given = {name: value for name, value in call.env.items() if value is not None}
    slow = (
        "import cli.labels, cli.main, sys, time\n"
        "def work(*_, **__):\n    print('up', flush=True)\n    time.sleep(60)\n"
        "cli.labels.environments = work\n"
        "sys.argv[1:] = ['environments', 'd1', '--json']; cli.main.main()"
    )
    env = {**os.environ, **given, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", slow], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdout
        assert child.stdout.readline() == b"up\n"
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=30)
    assert (child.returncode, out, err.split()) == (130, b"", [b"interrupted"])
