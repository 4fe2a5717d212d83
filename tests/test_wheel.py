"""The built wheel, in an environment of its own, has its grammar and answers every example of the language."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from query.functions import FUNCTIONS

ROOT = Path(__file__).parents[1]
ASK = """
import json, sys
import query, tms
from query.functions import FUNCTIONS
from tms import Claim, Decision, Graph
assert sys.argv[1] in query.__file__ and sys.argv[1] in tms.__file__, (query.__file__, tms.__file__)
graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c3", state="accepted"),
    Decision(id="d1", choice="x", supports=(("c1",), ("c3",)))])
rows = {f.name: len(query.run(graph, f.example)) for f in FUNCTIONS.values()}
assert rows["environments"] == 2 and rows["falls"] == 2, rows
print(json.dumps(rows))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the sources as they lie here; without an index to ask, there is none."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=300)
    if done.returncode:
        pytest.skip(f"no wheel could be built here: {done.stderr.strip().splitlines()[-1:]}")
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_holds_the_grammar_the_types_and_no_test(wheel: Path) -> None:
    """What is in it is what is imported from it."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {"query/grammar.lark", "query/py.typed", "tms/py.typed", "cli/main.py"} <= set(names)
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "examples/"))]


def test_every_example_is_answered_by_the_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    """Unpacked as pip would, beside the libraries of this environment, from another folder."""
    home = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(home)
    environment = {**os.environ, "PYTHONPATH": str(home), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-c", ASK.replace("sys.argv[1]", repr(str(home)))]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == set(FUNCTIONS)
