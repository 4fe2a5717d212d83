"""The page on the language names every function and field as they are, with an example of each that is run."""

import re
from pathlib import Path

import pytest

from query.fields import FIELDS
from query.functions import FUNCTIONS

PAGE = (Path(__file__).parents[1] / "docs" / "query.md").read_text("utf-8")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_on_the_page_with_its_columns_and_an_example(name):
    function = FUNCTIONS[name]
    (section,) = re.findall(rf"^### {name}\n(.*?)(?=^##)", PAGE, flags=re.M | re.S)
    assert f"`{function.signature}`: {function.about}." in section
    assert [c.name for c in function.columns if f"`{c.name}` ({c.about})" not in section] == []
    assert f"{name}(" in section.partition("$ tms query")[2]


def test_the_table_of_fields_is_that_of_the_code():
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", PAGE, flags=re.M)
    assert rows == [(c.name, c.type, c.about) for c in (field.column for field in FIELDS.values())]
