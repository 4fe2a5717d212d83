"""`tms query`: every form of an answer, and what is said where there is none."""

import csv
import json

import pytest

import query
from query.fields import FIELDS
from query.functions import FUNCTIONS
from query.parse import _STAGES
from query.stages import STAGES
from tests.cli_call import BILLING, fresh
from tms.session import Session


@pytest.fixture
def tms(tmp_path):
    return fresh(tmp_path, BILLING)


def test_a_table_as_other_commands_have_it_with_empty_columns_left_out(tms):
    assert tms("query", "decisions | select id, rationale, status").out == "id  status\nd1  active\nd2  active\n"


def test_nothing_found_is_said(tms):
    assert tms("query", "blocked(decisions)").out == "No rows.\n"


def test_json_has_the_columns_in_order_and_lists_as_lists(tms):
    found = tms("query", "why(d1) | select member, heads, met | limit 1", "--json").json
    assert found == {
        "format": "tms.query/1",
        "columns": ["member", "heads", "met"],
        "rows": [{"member": "d2", "heads": ["d2"], "met": True}],
        "clipped": False,
    }


def test_the_frame_says_under_which_viewpoint_wherever_it_was_stated(tms):
    tms("mark", "v1")
    within = tms("query", "assuming dispute c1 as of v1 claims", "--json").json
    outside = tms("query", "claims", "--assuming", "dispute c1", "--as-of", "v1", "--json").json
    assert within == outside
    assert (outside["as_of"], outside["assuming"]) == ("v1", [["dispute", "c1"]])
    assert [row["status"] for row in outside["rows"]] == ["disputed", "in", "in"]


def test_the_query_s_own_point_counts_and_its_judgements_are_added(tms):
    tms("mark", "v1")
    tms("claim", "later", "--id", "c9", "--state", "accepted")
    tms("mark", "v2")
    found = tms(
        "query", "assuming dispute c2 as of v2 claims", "--as-of", "v1", "--assuming", "dispute c1", "--json"
    ).json
    assert [(row["id"], row["status"]) for row in found["rows"]] == [
        ("c1", "disputed"), ("c2", "disputed"), ("c3", "in"), ("c9", "in")
    ]  # fmt: skip
    assert (found["as_of"], found["assuming"]) == ("v2", [["dispute", "c1"], ["dispute", "c2"]])


def test_a_clipped_answer_says_so_in_every_form(tms):
    words = ("query", "claims", "--rows", "2")
    assert "clipped: there are 3 rows; the limit is 2" in tms(*words).out
    found = tms(*words, "--json").json
    assert (found["clipped"], len(found["rows"]), found["notes"]) == (True, 2, ["there are 3 rows; the limit is 2"])
    for form in ("--jsonl", "--csv", "--plain"):
        assert "clipped: there are 3 rows" in tms(*words, form).err


def test_fifty_rows_are_shown_and_all_where_all_are_asked_for(tms):
    tms("record", "-", given="\n".join(f'{{"kind":"claim","id":"n{i:02}","text":"t"}}' for i in range(60)))
    shown = tms("query", "claims").out
    assert len(shown.splitlines()) == 52
    assert shown.endswith("... and 13 more (--all)\n")
    assert len(tms("query", "claims", "--all").out.splitlines()) == 64


def test_one_object_a_row_with_the_keys_in_the_order_of_the_columns(tms):
    lines = tms("query", "decisions | select status, id", "--jsonl").out.splitlines()
    assert lines == ['{"status":"active","id":"d1"}', '{"status":"active","id":"d2"}']


HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "a,b", 'say "x"', "two\nlines", "\x1b[31mred", "plain"]


@pytest.fixture
def hostile(tmp_path):
    records = [{"kind": "claim", "id": f"c{i}", "text": text} for i, text in enumerate(HOSTILE)]
    return fresh(tmp_path, "\n".join(map(json.dumps, records)))


def test_a_cell_of_csv_is_never_a_formula_and_reads_back(hostile):
    rows = list(csv.reader(hostile("query", "claims | select text", "--csv").out.splitlines(keepends=True)))
    assert [row[0] for row in rows] == [
        "text", "'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "a,b", 'say "x"', "two\nlines", "\\x1b[31mred", "plain"
    ]  # fmt: skip


def test_plain_is_one_line_a_row_and_a_tab_between_two_values(hostile):
    lines = hostile("query", "claims | select id, text", "--plain").out.split("\n")
    assert lines[0] == "c0\t=1+1"
    assert {line.count("\t") for line in lines[:-1]} == {1}
    assert len(lines) == len(HOSTILE) + 1


def test_no_text_of_a_record_steers_the_terminal_in_any_form(hostile):
    for form in ([], ["--json"], ["--jsonl"], ["--csv"], ["--plain"]):
        assert "\x1b" not in hostile("query", "claims", *form).out


def test_the_query_may_come_from_standard_input(tms):
    assert tms("query", "-", "--plain", given="claims |\n select id # the ids\n").out == "c1\nc2\nc3\n"
    assert "not UTF-8" in tms("query", "-", given=b"claims | where id = \xff", ends=2).err


def test_parameters_are_values_and_never_text_of_the_query(tms):
    why = tms("query", "why($id) | limit $n", "--param", "id=d1", "--param", "n=1", "--plain").out
    assert why.startswith("d1\tactive\tprerequisite")
    found = tms("query", "claims | where text = $text", "--param", 'text=x" or id = "c1').out
    assert found == "No rows.\n"
    assert tms("query", "environments(d1) | where size <= $n | count", "--param", "n=3", "--plain").out == "1\n"
    assert "expected NAME=VALUE" in tms("query", "claims", "--param", "oops", ends=2).err
    assert "no value was given for $id" in tms("query", "why($id)", ends=2).err


def test_an_id_of_digits_may_be_the_value_of_a_parameter(tmp_path):
    tms = fresh(tmp_path, '{"kind":"claim","id":"42"}\n{"kind":"claim","id":"43","supports":[["42"]],"text":"1.10"}')
    for text in ("$id", "dependents($id) union $id", "claims | where id = $id", "claims | where supports = $id"):
        assert tms("query", text, "--param", "id=42", "--json").json["rows"]


def test_a_query_that_is_wrong_is_shown_with_a_caret_and_ends_with_two(tms):
    done = tms("query", "blocked(decisons)", ends=2)
    assert done.out == ""
    assert done.err == (
        "error: no node or kind is named decisons; did you mean decisions?\n"
        "  1 | blocked(decisons)\n"
        "    |         ^^^^^^^^\n"
    )


def test_what_is_wrong_is_data_under_json(tms):
    found = tms("query", "claims | where stat = in", "--json", ends=2).json["error"]
    assert set(found) == {"code", "message", "line", "column", "end_column", "suggestions"}
    assert (found["code"], found["line"], found["column"], found["end_column"]) == ("unknown-field", 1, 16, 20)
    assert found["suggestions"] == ["state"]


def test_other_errors_are_those_of_every_command(tms):
    assert tms("query", "claims", "--as-of", "never", "--json", ends=2).json["error"]["code"] == "unknown-point"
    assert (
        tms("query", "claims", "--assuming", "dispute nobody", "--json", ends=2).json["error"]["code"] == "unknown-id"
    )
    assert "one form at a time, not --json and --csv" in tms("query", "claims", "--json", "--csv", ends=2).err
    assert "expected a query" in tms("query", ends=2).err


@pytest.mark.parametrize(
    "text", ["\udcff", "claims | where text ~ '\udcff'", 'claims | where text ~ "\udcff"', "\x00", ""]
)
def test_a_text_that_is_no_text_is_an_error_and_no_traceback(tms, text):
    tms("query", text, ends=2)
    assert "error" in tms("query", text, "--json", ends=2).json


def test_control_characters_of_a_query_do_not_reach_the_terminal(tms):
    err = tms("query", "claims \x1b[31m \u202e", ends=2).err
    assert "\x1b" not in err
    assert "\u202e" not in err


def test_help_leads_with_an_example_and_names_everything(tms):
    told = tms("query", "--help").out
    assert told.startswith("Example:\n  tms query 'blocked(decisions)'")
    words = told.replace(",", " ").replace(".", " ").split()
    assert {*FUNCTIONS, *STAGES, *FIELDS} <= set(words)


def test_the_lists_have_every_function_stage_and_field():
    assert list(STAGES) == list(_STAGES)


def test_what_the_lists_say_is_there(tms):
    functions, fields = tms("query", "--functions").out, tms("query", "--fields").out
    assert all(f"\n{function.signature} " in functions for function in FUNCTIONS.values())
    assert all(f"\n{stage.form} " in functions for stage in STAGES.values())
    assert all(f"\n{name} " in fields for name in FIELDS)


def test_the_command_answers_what_python_answers(tms):
    graph = Session.open(tms.ledger).graph
    for function in FUNCTIONS.values():
        if "point" not in "".join(function.parameters):
            found = query.run(graph, function.example)
            assert tms("query", function.example, "--json").json["rows"] == found.to_dicts()
