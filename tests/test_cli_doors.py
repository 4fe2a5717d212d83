"""The edges of the command: exit codes, errors, empty results, terminals, pipes, interruption, start-up, its page."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli import manual
from cli.main import COMMANDS, tms
from tests.cli_call import BILLING, Tms, fresh
from tms.plain import safe

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def billing(tmp_path_factory) -> Tms:
    return fresh(tmp_path_factory.mktemp("billing"), BILLING)


def run(call: Tms, *words: str, shell: str = "", env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, its output to a pipe."""
    given = {name: value for name, value in call.env.items() if value is not None}
    every = {**os.environ, **given, "PYTHONPATH": str(ROOT), **(env or {})}
    own = [sys.executable, "-m", "cli.main", *words]
    line = ["bash", "-c", f'set -o pipefail; "$@" {shell}', "-", *own] if shell else own
    return subprocess.run(line, env=every, capture_output=True, text=True, check=False, timeout=60)


# -- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["show", "d11"], "unknown-id", "did you mean d1"),
        (["status", "nothing-like-it"], "unknown-id", "no node has the id"),
        (["why", "c9"], "unknown-id", "c9"),
        (["impact", "dispute", "d1"], "verb-kind", "dispute is for a claim"),
        (["impact", "disputed", "c1"], "verb", "did you mean dispute"),
        (["impact", "dispute"], "change", "dispute what?"),
        (["impact"], "usage", "Missing argument"),
        (["list", "--kind", "clam"], "usage", "clam"),
        (["status", "--as-of", "v9"], "unknown-point", "v9"),
        (["verify", "--head", "xyz"], "unknown-point", "no hash"),
        (["stauts"], "unknown-command", "did you mean status"),
    ],
)
def test_a_call_that_makes_no_sense_exits_2_in_one_line_and_in_json(billing, words, code, said):
    plain = billing(*words, ends=2)
    assert plain.out == ""
    assert plain.err.startswith("error: ")
    assert said in plain.err
    assert set(plain.err.splitlines()) - {plain.err.splitlines()[0]} <= {
        line for line in plain.err.splitlines() if line.startswith("hint: ")
    }
    error = billing(*words, "--json", ends=2).json["error"]
    assert error["code"] == code
    assert set(error) == {"code", "message", "hint"}


def test_no_ledger_exits_2_and_says_how_to_make_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call = Tms(tmp_path / "none.jsonl")
    call.env["TMS_LEDGER"] = None
    found = call("status", ends=2)
    assert "tms init" in found.err
    assert call("status", "--json", ends=2).json["error"]["code"] == "no-ledger"
    assert "tms init" in call("claim", "so", ends=2).err


def damaged(tmp_path: Path) -> Tms:
    call = fresh(tmp_path, BILLING)
    call.ledger.write_bytes(call.ledger.read_bytes().replace(b"already runs", b"never ran ab"))
    return call


def test_a_damaged_ledger_exits_3_with_file_and_line(tmp_path):
    call = damaged(tmp_path)
    for words in (["status"], ["verify"], ["check"], ["claim", "so"]):
        found = call(*words, ends=3)
        assert f"{call.ledger}:2:" in found.out + found.err
    assert call("status", "--json", ends=3).json["error"]["code"] == "hash"
    assert call("verify", "--json", ends=3).json["verdict"] == "damaged"


def test_a_ledger_that_is_busy_exits_4(tmp_path):
    from tms.ledger.lock import locked

    call = fresh(tmp_path, BILLING)
    before = call.ledger.read_bytes()
    with locked(str(call.ledger), 1.0):
        assert "busy" in call("dispute", "c1", "--lock-timeout", "0", ends=4).err
        assert call("dispute", "c1", "--lock-timeout", "0", "--json", ends=4).json["error"]["code"] == "busy"
    assert call.ledger.read_bytes() == before


def test_what_cannot_be_written_exits_4_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    call = Tms(tmp_path / "file" / "ledger.jsonl")
    assert call("init", ends=4).err.startswith("error: ")
    call = Tms(tmp_path / "folder.jsonl")
    call.ledger.mkdir()
    for words, code in ((["init"], 4), (["status"], 3), (["claim", "so"], 3)):
        assert call(*words, ends=code).err.startswith("error: ")


def test_a_cut_end_is_found_against_a_pinned_head(tmp_path):
    call = fresh(tmp_path, BILLING)
    call("dispute", "c1")
    head = call("verify", "--json").json["heads"][0]
    assert call("verify", "--head", head).out.startswith("intact")
    call.ledger.write_bytes(b"".join(call.ledger.read_bytes().splitlines(keepends=True)[:-1]))
    assert "incomplete history" in call("verify", "--head", head, ends=1).out


def test_two_branches_are_a_fork_and_fine(tmp_path):
    call = fresh(tmp_path, BILLING)
    common = call.ledger.read_bytes()
    call("dispute", "c1")
    ours = call.ledger.read_bytes()
    call.ledger.write_bytes(common)
    call("reject", "c1")
    call.ledger.write_bytes(ours + call.ledger.read_bytes()[len(common) :])
    assert "fork: every line" in call("verify").out
    assert call.status("c1") == {"c1": "clash"}
    finding = call("check", "--json", ends=1).json["findings"][0]
    assert (finding["kind"], finding["nodes"]) == ("clash", ["c1"])
    assert [place["line"] for place in finding["lines"]] == [7, 8]
    assert f"{call.ledger}:7,8: error: " in call("check", ends=1).out
    call("accept", "c1")
    assert call.status("c1") == {"c1": "in"}


def test_notes_alone_are_no_error(tmp_path):
    call = fresh(tmp_path, BILLING)
    call("decision", "new", "--id", "d9", "--state", "proposed", "--supersedes", "d1")
    found = call("check").out
    assert "note: d9 is proposed" in found
    assert found.endswith("0 errors, 1 note.\n")


def test_a_reading_past_what_a_newer_version_wrote_says_that_it_is_partial(tmp_path):
    import hashlib

    import rfc8785

    call = fresh(tmp_path, BILLING)
    line: Any = {"body": {"kind": "dream", "id": "x"}, "prev": [], "time": "2026-01-01T00:00:00.000Z", "v": 1}
    sealed = line | {"hash": hashlib.sha256(rfc8785.dumps(line)).hexdigest()}
    with call.ledger.open("ab") as file:
        file.write(rfc8785.dumps(sealed) + b"\n")
    for words in (["status"], ["impact", "dispute", "c1"], ["why", "d1"], ["list"], ["show", "d1"], ["log"]):
        assert call(*words, "--json").json["partial"] is True
    assert "partial" in call("status").err
    assert call("dispute", "c1", "--json", ends=4).json["error"]["code"] == "partial"


# -- empty results ---------------------------------------------------------------------------------------------------


def test_empty_results_say_so_in_words(tmp_path, billing):
    empty = fresh(tmp_path)
    assert "no node yet" in empty("status").out
    assert "no node" in empty("list").out
    assert "no line" in empty("log").out
    assert "no findings" in empty("check").out
    assert empty("verify").out.startswith("intact")
    assert empty("status", "--json").json == {"format": "tms.status/1", "nodes": []}
    assert "Nothing needs attention" in billing("status").out
    assert billing("list", "--tag", "none").out == "No node passes these filters.\n"
    assert "Nothing would change" in billing("impact", "accept", "c1").out
    assert "Survives on other grounds: nothing had to" in billing("impact", "revoke", "d2").out
    assert "Nothing changed because of it." in fresh(tmp_path / "more", BILLING)("accept", "c1").out


def test_long_lists_are_cut_and_say_how(tmp_path):
    records = "".join(json.dumps({"kind": "question", "id": f"q{i}"}) + "\n" for i in range(80))
    call = Tms(tmp_path / "ledger.jsonl")
    call("init")
    assert "... and 60 more (--all)" in call("record", "-", given=records).out
    for words in (["status"], ["list"], ["log"]):
        assert " more (--all)" in call(*words).out
        assert " more" not in call(*words, "--all").out
    assert len(call("list", "--json").json["nodes"]) == 80


def test_filters_are_joined_by_and_their_repetitions_by_or(tmp_path):
    call = fresh(tmp_path, BILLING)
    call("claim", "Redis is fast", "--id", "c9", "--tag", "cache", "--scope", "src/cache")
    listed = {
        "c1 c2 c3 c9": ["--kind", "claim"],
        "c1 c2 c3 d1 d2": ["--status", "in", "--status", "active"],
        "c9": ["--kind", "claim", "--state", "unassessed"],
        "c1 c2 c3 d1": ["--text", "POSTGRES"],
        "c9 ": ["--scope", "src"],
        "c9  ": ["--tag", "cache", "--tag", "none"],
    }
    for expected, words in listed.items():
        assert [node["id"] for node in call("list", "--json", *words).json["nodes"]] == expected.split()


# -- terminals -------------------------------------------------------------------------------------------------------

NASTY = 'a\x1b[31mred\x1b]0;title\x07 [bold]b[/bold] \x9b2J \u202e \r\nnext "quoted" ' + "\U0001f600"


def test_no_text_of_a_record_steers_a_terminal(tmp_path):
    record = {"kind": "claim", "text": NASTY, "rationale": NASTY, "state": "accepted", "tag": [NASTY]}
    decision = {"kind": "decision", "choice": NASTY, "text": NASTY, "supports": [["c1"]], "answers": ["q1"]}
    text = json.dumps(
        [{**record, "id": "c1"}, {**decision, "id": "d1"}, {"kind": "question", "id": "q1", "text": NASTY}]
    )
    call = fresh(tmp_path, text)
    call.env["TMS_AUTHOR"] = NASTY
    for words in (
        ["mark", NASTY[:20], NASTY],
        ["status"],
        ["status", "c1", "d1"],
        ["show", "c1"],
        ["list"],
        ["log"],
        ["why", "d1"],
        ["impact", "dispute", "c1"],
        ["status", "--json"],
        ["log", "--json"],
        ["check"],
    ):
        done = call(*words)
        assert not set(done.out + done.err) & set("\x1b\x07\x9b\r\u202e" if "--json" not in words else "\x1b\x07\x9b\r")
    assert "\\x1b[31mred" in call("show", "c1").out
    assert "[bold]b[/bold]" in call("list").out
    assert [n["text"] for n in call("status", "c1", "--json").json["nodes"]] == [NASTY]
    assert "\\x1b" in call("show", "\x1b[31m", ends=2).err


def test_safe_text_keeps_its_letters_and_newlines():
    assert safe("café\n\tnaïve \U0001f600") == "café\n\tnaïve \U0001f600"


@pytest.mark.parametrize("plain", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_colours_are_for_a_terminal_that_wants_them(billing, monkeypatch, plain):
    import io

    from cli import render

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in plain.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.stdout", out)
    render.title("Falls", 2)
    render.table(("id", "status", "text"), [("c1", "in", "[bold]\x1b[31m"), ("d1", "blocked", "")])
    text = out.getvalue()
    assert ("\x1b[" in text) == (not plain)
    assert "[bold]\\x1b[31m" in text
    assert "\x1b[31m" not in text.replace("\x1b[31mblocked", "")


def test_an_ascii_locale_loses_no_answer(tmp_path):
    call = fresh(tmp_path, '{"kind":"claim","id":"c1","text":"café \U0001f600"}')
    env = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert "caf\\xe9" in run(call, "list", env=env).stdout
    given = {name: value for name, value in call.env.items() if value is not None}
    raw = subprocess.run(
        [sys.executable, "-m", "cli.main", "list", "--json"],
        env={**os.environ, **given, **env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert json.loads(raw.stdout.decode("utf-8"))["nodes"][0]["text"] == "café \U0001f600"


# -- pipes, interruption, start-up -----------------------------------------------------------------------------------


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path):
    records = "".join(json.dumps({"kind": "claim", "id": f"c{i}", "text": "x" * 500}) + "\n" for i in range(400))
    call = fresh(tmp_path, records)
    for words in (["list", "--all"], ["log", "--json"]):
        done = run(call, *words, shell="| head -c 10")
        assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_exits_130_and_leaves_no_half_batch(tmp_path):
    call = fresh(tmp_path, BILLING)
    before = call.ledger.read_bytes()
    given = {name: value for name, value in call.env.items() if value is not None}
    env = {**os.environ, **given, "PYTHONPATH": str(ROOT)}
    script = (
        "import cli.main, cli.record, sys; print('up', flush=True); sys.argv[1:] = ['record', '-']; cli.main.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        assert child.stdin
        assert child.stdout
        assert child.stdout.readline() == b"up\n"
        child.stdin.write(b'{"kind":"claim","id":"c8"}\n')
        child.stdin.flush()
        wait_until_reading(child.pid)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert child.returncode == 130
    assert err.split() == [b"interrupted"]
    assert call.ledger.read_bytes() == before


def wait_until_reading(pid: int) -> None:
    """Until the child sleeps in its read; where that cannot be seen, a while."""
    import time

    where = Path(f"/proc/{pid}/wchan")
    for _ in range(200):
        time.sleep(0.05)
        try:
            if "pipe" in where.read_text():
                return
        except OSError:
            break
    time.sleep(1)


def test_the_help_loads_no_engine_and_no_heavy_library():
    script = (
        "import sys; from cli.main import tms; tms(['--help'], standalone_mode=False); "
        "heavy = {'rich', 'networkx', 'graphviz', 'lark', 'hypothesis', 'tms.graph', 'tms.ledger'}; "
        "sys.exit(','.join(sorted(heavy & sys.modules.keys())) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_status_that_goes_to_a_pipe_loads_no_heavy_library(billing):
    script = (
        "import sys; from cli.main import tms; tms(['status'], standalone_mode=False); "
        "sys.exit(','.join(sorted({'rich', 'networkx', 'graphviz', 'lark'} & sys.modules.keys())) or 0)"
    )
    env = {**os.environ, "TMS_LEDGER": str(billing.ledger), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# -- the help and its page -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_leads_with_an_example(billing, name):
    found = billing(name, "--help").out
    assert found.startswith("Example:\n  ")
    assert f"tms {name}" in found[: found.index("Usage:")]
    assert found.index("Example:") < found.index("Usage:")


def test_the_help_of_the_whole_leads_with_an_example_and_lists_every_command(billing):
    found = billing("--help").out
    assert found.startswith("Example:\n  tms init\n")
    assert all(f"\n  {name}" in found for name in COMMANDS)
    assert billing("--version").out.startswith("tms ")


def test_the_page_of_the_command_line_is_current():
    assert (ROOT / "docs" / "cli.md").read_text("utf-8") == manual.page()


def test_every_command_of_the_table_is_there():
    context = tms.make_context("tms", ["status"], resilient_parsing=True)
    assert all(tms.get_command(context, name) is not None for name in COMMANDS)
