"""An answer as others take it: frames, tables and graphs, and back to the same values."""

import pytest

import query
from query.result import Result
from tms.graph import Graph
from tms.model import Claim, Decision

GRAPH = Graph.empty().extend(
    [
        Claim(id="c1", text="one", state="accepted", tag=("a", "b")),
        Claim(id="c2", text="zwei 決定", state="disputed"),
        Decision(id="d1", choice="x", supports=(("c1",), ("c2",)), tag=("a",), pinned=True),
        Decision(id="d2", choice="y", depends_on=("d1",)),
    ]
)
QUERIES = [
    "claims",
    "decisions | select id, tag, pinned, date",
    "falls(c1 union d1)",  # a number that is not always there, lists that are empty
    "environments(d1)",
    "why(d1)",
    "decisions | count by status",
    "claims | where id = c1 | limit 0",
    "nogoods | select id, members, pinned",  # no rows at all
    "grounds(d1) | explain",
]


def listed(value):
    """A value without the types of a library; what is no number there is nothing here."""
    if value is None or value != value:
        return None
    return list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value


def plain(rows):
    return [{name: listed(value) for name, value in row.items()} for row in rows]


@pytest.mark.parametrize("text", QUERIES)
def test_pandas_has_the_same_rows_and_columns(text):
    pytest.importorskip("pandas")
    found = query.run(GRAPH, text)
    frame = found.to_pandas()
    assert tuple(frame.columns) == found.columns
    assert plain(frame.to_dict("records")) == found.to_dicts()


@pytest.mark.parametrize("text", QUERIES)
def test_polars_has_the_same_rows_and_columns(text):
    pytest.importorskip("polars")
    found = query.run(GRAPH, text)
    frame = found.to_polars()
    assert tuple(frame.columns) == found.columns
    assert frame.to_dicts() == found.to_dicts()


@pytest.mark.parametrize("text", QUERIES)
def test_arrow_has_the_same_rows_and_columns(text):
    pytest.importorskip("pyarrow")
    found = query.run(GRAPH, text)
    table = found.to_arrow()
    assert tuple(table.column_names) == found.columns
    assert table.to_pylist() == found.to_dicts()


def test_a_clipped_answer_is_no_other_value():
    found = query.run(GRAPH, "claims", bounds=query.Bounds(rows=1))
    assert found.clipped
    assert found.to_dicts() == query.run(GRAPH, "claims | limit 1").to_dicts()


def test_networkx_has_the_nodes_of_the_rows_and_what_rests_on_what_among_them():
    web = query.run(GRAPH, "claims union decisions").to_networkx()
    assert sorted(web.edges) == [("c1", "d1"), ("c2", "d1"), ("d1", "d2")]
    assert web.nodes["c2"] == {"kind": "claim", "state": "disputed", "status": "disputed"}
    assert sorted(query.run(GRAPH, "c1 union d2").to_networkx().edges) == []
    assert len(query.run(GRAPH, "environments(d1)").to_networkx()) == 0


def test_an_answer_is_a_sequence_of_rows():
    found = query.run(GRAPH, "claims | select id")
    assert (len(found), list(found), found[0]) == (2, [("c1",), ("c2",)], ("c1",))
    assert found == Result(("id",), (("c1",), ("c2",)), "", GRAPH)
    assert found != Result(("id",), (), "", GRAPH)
