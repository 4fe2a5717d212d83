"""Appending while others append, and while killed: nothing is lost, doubled or half there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tms.ledger.history import verify
from tms.ledger.reader import read
from tms.ledger.writer import append
from tms.model import Claim, Question

ROOT = Path(__file__).parents[1]


@pytest.fixture
def path(tmp_path) -> str:
    return str(tmp_path / "ledger.jsonl")


def ids(path: str) -> list[str]:
    return [line.record.id for line in read(path).lines]  # type: ignore[union-attr]


def child(code: str, *args: str) -> subprocess.Popen[bytes]:
    """Unbuffered: `communicate` would not see the lines that a buffer holds behind the one that was read."""
    command = [sys.executable, "-c", code, *args]
    return subprocess.Popen(command, bufsize=0, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


APPENDER = """
import sys
from tms.ledger.writer import Writer
from tms.model import Claim
path, name, count, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
writer = Writer.open(path, lock_timeout=60)
for number in range(count):
    writer.append([Claim(id=f"{name}.{number}.{part}") for part in range(size)])
    print(number, flush=True)
"""


def test_processes_that_append_at_once_lose_and_double_nothing(path):
    running = [child(APPENDER, path, f"p{number}", "15", str(1 + number % 2)) for number in range(4)]
    for process in running:
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said.decode()
    assert len(ids(path)) == len(set(ids(path))) == 2 * 15 + 2 * 30
    assert verify(path).word == "intact"


def test_killed_at_any_time_what_was_acknowledged_is_there_and_batches_are_whole(path):
    """The child is killed a little later each time; the lock of a killed holder is free."""
    acknowledged = 0
    for attempt in range(12):
        process = child(APPENDER, path, f"k{attempt}", "100000", "3")
        assert process.stdout
        seen = [process.stdout.readline() for _ in range(1 + attempt)]
        process.kill()
        rest = process.communicate()[0]
        acknowledged = len(seen) + rest.count(b"\n")
        reading = read(path)
        mine = [line.record.id for line in reading.lines if line.record.id.startswith(f"k{attempt}.")]  # type: ignore[union-attr]
        assert len(mine) in (3 * acknowledged, 3 * acknowledged + 3)
        assert not reading.faults
        append(path, [Question(id=f"q{attempt}")])
        assert ids(path)[-1] == f"q{attempt}"


STEPS = """
import os, signal, sys
from tms.ledger.writer import append
from tms.model import Claim
path, step = sys.argv[1], sys.argv[2]

def killed(real, partly=None):
    def call(*given):
        if partly:
            partly(*given)
        os.kill(os.getpid(), signal.SIGKILL)
    return call

if step == "before-write":
    os.write = killed(os.write)
elif step.startswith("in-write"):
    size = int(step.split(":")[1])
    os.write = killed(os.write, lambda fd, data, real=os.write: real(fd, data[:size]))
elif step == "before-sync":
    os.fsync = killed(os.fsync)
elif step == "after-sync":
    os.close = killed(os.close)
append(path, [Claim(id="k1"), Claim(id="k2")])
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
@pytest.mark.parametrize(
    "step", ["before-write", "in-write:1", "in-write:200", "in-write:330", "before-sync", "after-sync"]
)
def test_killed_at_each_step_of_an_append_nothing_is_half_there(path, step):
    append(path, [Claim(id="c1")])
    process = child(STEPS, path, step)
    process.communicate(timeout=60)
    assert process.returncode == -9
    assert ids(path) in (["c1"], ["c1", "k1", "k2"])
    append(path, [Claim(id="c2")])
    assert ids(path) in (["c1", "c2"], ["c1", "k1", "k2", "c2"])
    assert not read(path).faults
