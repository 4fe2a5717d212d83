"""`tms shell`: driven by lines, by keys, and at a terminal of its own."""

import os
import random
import sys

import pytest

from cli.completion import offers, unfinished
from cli.shell import COMMANDS_OF_SHELL, Shell, _completer, at_prompt, history_path
from query.fields import FIELDS, SETS
from query.functions import FUNCTIONS
from query.stages import STAGES
from tests.cli_call import BILLING, fresh
from tms.model import VERBS, Claim, Mark
from tms.session import Session


@pytest.fixture
def tms(tmp_path):
    return fresh(tmp_path, BILLING)


@pytest.fixture
def graph(tms):
    session = Session.open(tms.ledger)
    session.append([Claim(id="2nd", text="no plain word"), Mark(name="v1")])
    return session.graph


# -- line by line ------------------------------------------------------------------------------------------------


def test_each_line_is_asked_in_its_turn(tms):
    done = tms("shell", given="claims | count\n\n# nothing\ndecisions | select id\n")
    assert done.out == "count\n3\nid\nd1\nd2\n"


def test_a_query_goes_on_while_a_bracket_is_open_or_a_bar_is_its_end(tms):
    assert tms("shell", given="grounds(\nd1\n) |\nselect id\n").out == "id\nc1\nc2\nc3\nd2\n"


def test_an_empty_line_ends_what_is_not_finished(tms):
    done = tms("shell", given="grounds(d1\n\nclaims | count\n", ends=2)
    assert "the query ends too early" in done.err
    assert done.out == "count\n3\n"


def test_what_is_wrong_has_a_caret_does_not_end_the_shell_and_ends_it_with_two_at_last(tms):
    done = tms("shell", given="clams\nclaims | count\n", ends=2)
    assert "error: no node or kind is named clams; did you mean claims?\n  1 | clams\n    | ^^^^^\n" in done.err
    assert done.out == "count\n3\n"


def test_a_viewpoint_stays_until_it_is_left(tms):
    tms("mark", "v1")
    tms("claim", "later", "--id", "c9")
    given = [":as-of v1", "claims | count", ":assuming dispute c1", ":assuming dispute c3", "d1 | select status"]
    given += [":now", "claims | count", "d1 | select status", ":reset", "d1 | select status", ":quit", "clams"]
    assert tms("shell", given="\n".join(given)).out.splitlines() == [
        "as of v1", "count", "3",
        "assuming dispute c1 as of v1", "assuming dispute c1, dispute c3 as of v1", "status", "unsupported",
        "assuming dispute c1, dispute c3", "count", "4", "status", "unsupported",
        "now, nothing assumed", "status", "active",
    ]  # fmt: skip


def test_a_viewpoint_that_makes_no_sense_is_refused_and_the_old_one_stays(tms):
    given = ":assuming dispute c1\n:as-of never\n:assuming dispute nobody\n:assuming disptue c1\nc1 | select status\n"
    done = tms("shell", given=given, ends=2)
    assert done.out == "assuming dispute c1\nstatus\ndisputed\n"
    assert "no line, mark or time is called 'never'" in done.err
    assert "no node has the id 'nobody'" in done.err
    assert "no verb disptue" in done.err


def test_the_last_answer_is_shown_whole_when_asked(tms):
    tms("record", "-", given="\n".join(f'{{"kind":"claim","id":"n{i:02}"}}' for i in range(60)))
    lines = tms("shell", given="claims | select id\n:all\n").out.splitlines()
    assert lines.index("... and 13 more (--all)") == 51
    assert len(lines) == 52 + 64


@pytest.mark.parametrize("name", ["", "functions", "fields", *FUNCTIONS, *STAGES, *FIELDS])
def test_help_has_a_word_on_everything(tms, name):
    assert tms("shell", given=f":help {name}\n").out.strip()


def test_a_command_and_a_name_that_are_not_there_are_said(tms):
    assert ":help, :as-of" in tms("shell", given=":halp\n", ends=2).err
    assert "no function, stage or field" in tms("shell", given=":help nothing\n", ends=2).err
    assert "no answer yet" in tms("shell", given=":all\n", ends=2).err


def test_every_example_of_the_help_is_a_query(tms):
    from cli.shell import EXAMPLES

    tms("shell", given="\n".join(EXAMPLES))


def test_the_ledger_is_read_again_when_it_has_changed(tms, capsys):
    shell = Shell(str(tms.ledger))
    shell.do("claims | count")
    tms("dispute", "c1")
    shell.do("c1 | select status")
    tms.ledger.unlink()
    assert not shell.do("claims")
    told = capsys.readouterr()
    assert told.out == "count\n3\nstatus\ndisputed\n"
    assert "read again: 7 lines" in told.err
    assert "no such ledger" in told.err


# -- completion --------------------------------------------------------------------------------------------------


def offered(before, graph):
    return [offer.text for offer in offers(before, graph, COMMANDS_OF_SHELL)[1]]


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("blo", ["blocked("]),
        ("grounds(q", ["questions", "q1"]),
        ("why(2", ["`2nd`"]),
        ("why(`2", ["`2nd`"]),
        ("decisions un", ["union"]),
        ("decisions | ", list(STAGES)),
        ("decisions | where st", ["state", "status"]),
        ("decisions | where status = un", ["unsupported", "unknown", "unassessed", "untested"]),
        ("decisions | where status in (in, un", ["unsupported", "unknown", "unassessed", "untested"]),
        ("decisions | where kind not in (q", ["question"]),
        ("decisions | where pinned = ", ["yes", "no"]),
        ("decisions | where supports = c", ["c1", "c2", "c3"]),
        ("falls(c1) | sort de", ["depth", "depends_on", "decided_by"]),
        ("decisions | sort id ", ["desc"]),
        ("decisions | count ", ["by"]),
        ("assuming ", list(VERBS)),
        ("assuming dispute c1, re", ["reject", "revoke"]),
        ("assuming dispute c", ["c1", "c2", "c3"]),
        ("as of ", ["v1"]),
        ("changed(", ["v1"]),
        (":as", [":as-of", ":assuming"]),
        (":as-of ", ["v1"]),
        (":assuming re", ["reject", "revoke"]),
        (":help whe", ["where"]),
        ('claims | where text ~ "in', []),
        ("claims # in", []),
    ],
)
def test_what_fits_is_offered(graph, before, expected):
    assert sorted(offered(before, graph)) == sorted(expected)


def test_at_the_start_there_are_functions_kinds_viewpoints_and_ids(graph):
    found = offered("", graph)
    assert {*(f"{name}(" for name in FUNCTIONS), *SETS, "assuming", "as of"} <= set(found)
    assert {"`2nd`", "c1", "c2", "c3", "d1", "d1/mysql", "d2", "q1"} <= set(found)


def test_completion_takes_any_text(graph):
    words = [
        "where",
        "in",
        "(",
        ")",
        ",",
        "|",
        "not",
        "=",
        "as",
        "of",
        "assuming",
        "dispute",
        "changed(",
        '"',
        "`",
        ":",
        "",
    ]
    choose = random.Random(1)
    for _ in range(3000):
        before = " ".join(choose.choices(words, k=choose.randint(0, 9)))
        length, _ = offers(before, graph, COMMANDS_OF_SHELL)
        assert length <= len(before)


def test_brackets_within_a_text_an_id_or_a_comment_are_not_open():
    assert [unfinished(text) for text in ('claims | where text ~ "("', "`a(`", "claims # (")] == [False] * 3


# -- at a prompt -------------------------------------------------------------------------------------------------


@pytest.fixture
def keys(tms, tmp_path, monkeypatch):
    """Types keys into the shell; what it remembers stays in the test's folder."""
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.application import create_app_session
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def type_in(text):
        with create_pipe_input() as given, create_app_session(input=given, output=DummyOutput()):
            given.send_text(text)
            at_prompt(Shell(str(tms.ledger)))

    return type_in


def test_keys_ask_and_leave(keys, capsys):
    keys("decisions | count\r:quit\r")
    assert capsys.readouterr().out.splitlines()[1:] == ["count", "2"]


def test_the_prompt_completes_what_fits(tms):
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    found = list(_completer(Shell(str(tms.ledger))).get_completions(Document("why(d1) | whe"), CompleteEvent()))
    assert [(each.text, each.start_position) for each in found] == [("where", -3)]


def test_return_goes_on_on_the_next_line_while_a_bracket_is_open(keys, capsys):
    keys("grounds(\rd1) | select id\r\x04")
    assert capsys.readouterr().out.splitlines()[1:] == ["id", "c1", "c2", "c3", "d2"]


def test_control_c_drops_the_line_and_stays(keys, capsys):
    keys("claims | coun\x03claims | count\r\x04")
    assert capsys.readouterr().out.splitlines()[1:] == ["count", "3"]


def test_what_was_typed_is_remembered_for_the_user_alone(keys, capsys):
    keys("claims | count\r:quit\r")
    keys("\x1b[A\x1b[A\r:quit\r")
    assert capsys.readouterr().out.count("count\n3\n") == 2
    assert history_path().stat().st_mode & 0o077 == 0


def test_a_place_that_cannot_be_written_means_no_memory_and_no_error(keys, capsys, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    keys("claims | count\r:quit\r")
    assert "count\n3\n" in capsys.readouterr().out


def test_at_a_terminal_it_says_what_to_install_where_it_is_missing(tms, monkeypatch):
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    monkeypatch.setattr("sys.stdin", type("Terminal", (), {"isatty": lambda self: True})())
    from tms.errors import UsageError

    with pytest.raises(UsageError, match="needs prompt_toolkit") as caught:
        at_prompt(Shell(str(tms.ledger)))
    assert "pip install 'tms-ledger[shell]'" in caught.value.hint


def test_it_works_at_a_real_terminal(tms, tmp_path):
    pexpect = pytest.importorskip("pexpect")
    pytest.importorskip("prompt_toolkit")
    env = {**os.environ, "TERM": "dumb", "XDG_STATE_HOME": str(tmp_path), "PYTHONWARNINGS": "default"}
    with pexpect.spawn(
        sys.executable, ["-m", "cli.main", "--ledger", str(tms.ledger), "shell"], env=env, timeout=60, encoding="utf-8"
    ) as child:
        child.expect("tms> ")
        child.sendline("clams")
        child.expect("did you mean claims")
        child.sendline(":assuming dispute c1")
        child.expect("tms assuming dispute c1> ")
        child.sendline("c1 | select status")
        child.expect("disputed")
        child.sendline(":quit")
        child.expect(pexpect.EOF)
    assert child.wait() == 0
