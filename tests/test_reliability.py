"""The table of promises names tests that are there, for every promise."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROMISES = 27


def rows() -> dict[int, str]:
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    return {int(number): rest for number, rest in re.findall(r"^\| (\d+) \|(.*)\|$", page, flags=re.M)}


def test_every_promise_is_attacked_by_a_test_that_is_there() -> None:
    """A renamed or deleted test leaves a hole that is seen."""
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").glob("test_*.py"))
    found = rows()
    assert sorted(found) == list(range(1, PROMISES + 1))
    for number, row in found.items():
        named = re.findall(r"`(test_\w+)`", row)
        assert named, f"nothing attacks promise {number}"
        assert [name for name in named if f"def {name}(" not in tests] == [], f"promise {number}"


def test_the_page_names_no_test_that_is_not_there() -> None:
    """Below the table as well."""
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").glob("test_*.py"))
    page = (ROOT / "docs" / "reliability.md").read_text("utf-8")
    assert [name for name in re.findall(r"`(test_\w+)`", page) if f"def {name}(" not in tests] == []
