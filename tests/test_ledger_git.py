"""Two branches that both appended merge under git without lost or doubled records."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tms.errors import LedgerError
from tms.ledger.history import verify
from tms.ledger.reader import read
from tms.ledger.writer import append
from tms.model import Claim

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


@pytest.fixture
def git(tmp_path, monkeypatch):
    """A repository with a ledger of one line, and two branches that each added a batch and a line."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> int:
        who = {
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@b",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(
            ["git", *words], env={**os.environ, **who, **quiet}, capture_output=True, check=False
        ).returncode

    def commit() -> None:
        assert run("add", "ledger.jsonl") == 0
        assert run("commit", "-qm", "x") == 0

    assert run("init", "-q", "-b", "left") == 0
    append("ledger.jsonl", [Claim(id="base")])
    commit()
    assert run("branch", "right") == 0
    for branch in ("left", "right"):
        assert run("checkout", "-q", branch) == 0
        append("ledger.jsonl", [Claim(id=f"{branch}.1"), Claim(id=f"{branch}.2")])
        append("ledger.jsonl", [Claim(id="both", text="the same record")])
        commit()
    assert run("checkout", "-q", "left") == 0
    return run


def check_merged() -> None:
    reading = read("ledger.jsonl")
    ids = sorted(line.record.id for line in reading.lines)  # type: ignore[union-attr]
    assert ids == ["base", "both", "both", "left.1", "left.2", "right.1", "right.2"]
    assert len({line.record for line in reading.lines}) == 6
    assert verify("ledger.jsonl").word == "fork"
    append("ledger.jsonl", [Claim(id="join")])
    assert verify("ledger.jsonl").word == "intact"


def test_a_union_merge_keeps_both_sides(git):
    Path(".gitattributes").write_text("*.jsonl merge=union -text\n")
    assert git("merge", "-q", "right") == 0
    check_merged()


def test_a_merge_without_attributes_is_a_conflict_that_is_named_and_settled_by_keeping_both_sides(git):
    assert git("merge", "-q", "right") != 0
    with pytest.raises(LedgerError, match=r":2: a conflict marker"):
        read("ledger.jsonl")
    lines = Path("ledger.jsonl").read_bytes().splitlines(keepends=True)
    Path("ledger.jsonl").write_bytes(b"".join(line for line in lines if line.startswith(b"{")))
    check_merged()


def test_a_cherry_pick_is_an_incomplete_history(git):
    Path(".gitattributes").write_text("*.jsonl merge=union -text\n")
    base, *_, last = Path("ledger.jsonl").read_bytes().splitlines(keepends=True)
    Path("ledger.jsonl").write_bytes(base + last)
    assert verify("ledger.jsonl").word == "incomplete history"
    assert len(read("ledger.jsonl").lines) == 2
