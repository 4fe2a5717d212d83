"""The papers say what happens: each page is run in a folder of its own, and its links lead somewhere.

A `console` block holds commands, each behind `$ `, and what they print, on both streams. A command is `tms ...`, run
in this process (`> FILE` at its end takes stdout away); `export NAME=VALUE`; or `echo $?`, which alone may follow a
command that ends in anything but 0. A
`python` block is a doctest where it has prompts, else it is just run. The blocks of a page share one set of Python
names, and one folder with a copy of `examples/` and a `ledger.jsonl` of the billing example in it. Any other fence
(`sh`, `text`, `json`) is only to be read.

Output is compared literally, but for three things: a hash (64 or 12 hex digits) may be any hash of that length, a time
may be any time, and blanks at the end of a line do not count. A later command that names a hash which the page shows
gets the one that was printed in its place.

    python -m tests.test_docs      # writes the real output into the pages
"""

import contextlib
import doctest
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cli.main import tms
from tms.ledger.intake import parse_records
from tms.session import Session

ROOT = Path(__file__).parents[1]
RUN = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "examples").glob("*/README.md"))]
LINKED = [*RUN, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"]

NAMED_TESTS = {path.name for path in (ROOT / "tests").glob("*.py")}

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HASH = re.compile(r"\b(?:[0-9a-f]{64}|[0-9a-f]{12})\b")
TIME = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?\b")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def plain(text: str) -> str:
    """The text as it is compared.

    >>> plain("2026-01-31 12:00  3f2a91c07b44  \\n")
    '<time>  <hash 12>'
    """
    text = HASH.sub(lambda found: f"<hash {len(found[0])}>", TIME.sub("<time>", text))
    return "\n".join(line.rstrip() for line in text.splitlines())


class Shell:
    """Runs the commands of one page; `hashes` leads from a hash on the page to the one that was really printed."""

    def __init__(self) -> None:
        self.hashes: dict[str, str] = {}
        self.code = 0
        self.env: dict[str, str | None] = {
            "TMS_AUTHOR": "ann",
            "TMS_BRANCH": "main",
            "TMS_SESSION": "s1",
            "TMS_LEDGER": None,
        }

    def block(self, text: str) -> str:
        """The block with the output that its commands really have; output that is alike stays as it was."""
        done = []
        for said in re.split(r"^(?=\$ )", text, flags=re.MULTILINE)[1:]:
            command, _, output = said.partition("\n")
            real = self.run(command.removeprefix("$ "))
            if plain(real) == plain(output):
                self.hashes.update(zip(HASH.findall(output), HASH.findall(real), strict=True))
                real = output
            done.append(f"{command}\n{real}")
        assert self.code == 0, f"say so with `echo $?`: it ended with {self.code}"
        return "".join(done)

    def run(self, command: str) -> str:
        words = shlex.split(HASH.sub(lambda found: self.hashes.get(found[0], found[0]), command))
        if command == "echo $?":
            code, self.code = self.code, 0
            return f"{code}\n"
        assert self.code == 0, f"say so with `echo $?`: the command before {command!r} ended with {self.code}"
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            self.env[name] = value
            return ""
        assert words[0] == "tms", f"only tms, export and `echo $?` are run, not {command!r}: use another fence"
        target = words.pop() if words[-2] == ">" else None
        found = CliRunner().invoke(tms, words[1 : -1 if target else None], env=self.env, catch_exceptions=False)
        self.code = found.exit_code
        if target:
            Path(target).write_text(found.stdout, "utf-8")
        return "".join(line.rstrip() + "\n" for line in (found.stderr if target else found.output).splitlines())


def run_python(block: str, names: dict[str, Any], page: str) -> None:
    if ">>> " not in block:
        exec(compile(block, page, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not said, "".join(said)


def performed(text: str, page: str) -> str:
    """The page with the real output of its commands; run in the current folder."""
    shell, names = Shell(), {"__name__": page}

    def block(found: re.Match[str]) -> str:
        language, inside = found.groups()
        if language == "python":
            run_python(inside, names, page)
        return f"```console\n{shell.block(inside)}```" if language == "console" else found[0]

    return BLOCK.sub(block, text)


@contextlib.contextmanager
def folder_with_examples() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(ROOT / "examples", "examples", ignore=shutil.ignore_patterns("__pycache__", "facts.json"))
        records = Path("examples/billing/records.jsonl")
        Session.open("ledger.jsonl", create=True).append(parse_records(records.read_bytes(), str(records)))
        yield Path(folder)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_every_block_of_a_page_runs_and_prints_what_the_page_says(page):
    text = page.read_text("utf-8")
    with folder_with_examples():
        real = performed(text, name_of(page))
    assert plain(real) == plain(text)


def anchors(page: Path) -> set[str]:
    """What `#...` can lead to: the headings, as they are turned into addresses where the pages are read."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", LINKED, ids=name_of)
def test_every_link_to_a_file_or_heading_leads_there(page):
    for link in LINK.findall(page.read_text("utf-8")):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{name_of(page)} links to {link}, which is not there"
        assert not anchor or anchor in anchors(target), f"{name_of(page)} links to {link}: no such heading"


def test_the_page_on_the_architecture_names_every_module_and_only_tests_that_are_there():
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    modules = {path.name for package in ("tms", "cli", "query") for path in (ROOT / package).rglob("*.py")}
    assert modules - {"__init__.py"} == set(re.findall(r"`(?:\w+/)*(\w+\.py)`", page)) - NAMED_TESTS
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").glob("test_*.py"))
    assert [name for name in re.findall(r"`(test_\w+)`", page) if f"def {name}(" not in tests] == []


@pytest.fixture
def run(tmp_path, monkeypatch) -> Callable[[str], str]:
    """A page of one block."""
    monkeypatch.chdir(tmp_path)
    return lambda commands: performed(f"```console\n{commands}```", "a page")


def test_a_wrong_output_an_unsaid_exit_code_and_another_program_are_noticed(run):
    assert "no such ledger" in run("$ tms --ledger none.jsonl status\nfine\n$ echo $?\n0\n")
    with pytest.raises(AssertionError, match="ended with 2"):
        run("$ tms --ledger none.jsonl status\n")
    with pytest.raises(AssertionError, match="not 'rm x'"):
        run("$ rm x\n")


def test_a_hash_on_a_page_stands_for_the_one_that_was_printed(run):
    told = run("$ export TMS_LEDGER=one.jsonl\n$ tms init\n$ tms mark start\n")
    shown = HASH.sub("0123456789ab", told.replace("one", "two")).removeprefix("```console\n").removesuffix("```")
    assert "0123456789ab" in shown
    assert " mark " in run(f"{shown}$ tms log --as-of 0123456789ab\n").rpartition("--as-of")[2]


def test_output_that_goes_to_a_file_is_not_on_the_page(run):
    block = "$ tms --ledger a.jsonl init > told.txt\n"
    assert run(block) == f"```console\n{block}```"
    assert "made a.jsonl" in Path("told.txt").read_text("utf-8")


def test_a_wrong_python_block_is_noticed():
    with pytest.raises(AssertionError, match="Expected"):
        performed("```python\n>>> 1 + 1\n3\n\n```", "a page")


if __name__ == "__main__":
    os.environ["NO_COLOR"] = "1"
    for each in RUN:
        before = each.read_text("utf-8")
        with folder_with_examples():
            after = performed(before, name_of(each))
        if after != before:
            each.write_text(after, "utf-8")
            print(f"{name_of(each)}: output written")  # noqa: T201
