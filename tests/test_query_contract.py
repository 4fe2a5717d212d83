"""The query language held to its contract: every example with its rows, what is misspelt, what is compared."""

from __future__ import annotations

import os
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

import query
from query.functions import FUNCTIONS
from query.parse import parse
from query.printer import id_text
from query.resolve import columns_of
from tests.query_ledger import EVERYTHING, EXAMPLES, GRAPH, ids, problem, rows
from tests.strategies import Sizes, ledger
from tms.graph import Graph
from tms.model import Claim, Decision

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420"))


def made(seeds: range) -> Iterator[tuple[int, Graph]]:
    """Generated ledgers with everything that goes wrong."""
    for seed in seeds:
        yield seed, Graph.replay(ledger(Random(seed), Sizes(mixed_kinds=seed % 3 == 0)))


# -- every example ----------------------------------------------------------------------------------------------


D4 = ("d4", "decision", "adopted", "blocked", (), "invoices go out nightly")
D1_BLOCKED = ("d1", "decision", "adopted", "blocked", (), "billing uses Postgres")
AUTHORITY = ("its own authority", "", (), "", True, "")
ROWS: dict[str, list[tuple[Any, ...]]] = {
    "blocked(decisions)": [D4],
    "why(d1)": [
        ("d1", "active", "prerequisite", "d2", ("d2",), "active", True, ""),
        ("d1", "active", "set 1", "c1", ("c1",), "in", True, ""),
        ("d1", "active", "set 1", "c2", ("c2",), "in", True, ""),
        ("d1", "active", "set 2", "c3", ("c3",), "in", True, ""),
        ("c1", "in", *AUTHORITY),
        ("c2", "in", *AUTHORITY),
        ("d2", "active", *AUTHORITY),
    ],
    "falls(c1)": [
        ("c1", "claim", "falls", "in", "disputed", 0, ("c1",), ()),
        ("d1", "decision", "survives", "active", "active", None, (), ("c3",)),
    ],
    "environments(d1) | sort size | limit 5": [
        (3, ("c3", "d1", "d2"), True, True),
        (4, ("c1", "c2", "d1", "d2"), True, True),
    ],
    "single(decisions)": [
        ("d1", "d2", "billing uses Postgres"),
        *((("d3", point, "sessions in Postgres")) for point in ("c10", "d1", "d2")),
        *((("d9", point, "retire the old shop")) for point in ("c10", "d1", "d2", "d3")),
    ],
    "paths(c1, d9) | limit 5": [
        (2, ("c1", "d1", "d9"), ("supports",) * 2),
        (4, ("c1", "d1", "c5", "d3", "d9"), ("supports",) * 4),
    ],
    'blocked(decisions) | where scope = "billing" and tag in ("infra", "db") and date >= 2026-09-01': [D4],
    "decisions | count by status": [("active", 4), ("blocked", 1), ("contested", 1), ("revoked", 1)],
    "as of 2026-10-01 blocked(decisions)": [],
    "assuming dispute c1, revoke d2 blocked(decisions)": [D1_BLOCKED, D4],
    "repair(d1)": [(0, ())],
    'deadends(decisions) | where text ~ "redis" | select id, signature, status': [("d3/redis", (), "reopened")],
    "(grounds(d9) intersect claims) | where state = disputed": [
        ("c4", "claim", "disputed", "disputed", (), "Redis loses data on a restart")
    ],
    "changed(2026-10-01, 2026-11-01) | select id, kind, before, after": [
        ("c10", "claim", "absent", "in"),
        ("c4", "claim", "in", "disputed"),
        ("c7", "claim", "in", "retired"),
        ("d3/redis", "alternative", "ruled-out", "reopened"),
        ("d4", "decision", "active", "blocked"),
        ("d5", "decision", "active", "revoked"),
        ("d6", "decision", "active", "contested"),
        ("n1", "nogood", "absent", "violated"),
    ],
    "pivotal(d1)": [],
    # beyond the examples: each function that they leave out, and what the ledger has for it
    "falls(c2)": [
        ("c2", "claim", "falls", "in", "disputed", 0, ("c2",), ()),
        ("d1/mysql", "alternative", "reopens", "ruled-out", "reopened", 1, ("c2", "d1/mysql"), ()),
        ("h1", "hypothesis", "reopens", "falsified", "reopened", 1, ("c2", "h1"), ()),
        ("d1", "decision", "survives", "active", "active", None, (), ("c3",)),
    ],
    "why(d4)": [
        ("d4", "blocked", "prerequisite", "d5", ("d5",), "revoked", False, ""),
        ("d4", "blocked", "set 1", "c5", ("c5",), "in", True, ""),
        ("d5", "revoked", "its own authority", "", (), "", False, "first cause: revoked"),
    ],
    "repair(d4)": [(1, ("d5",))],
    "assuming dispute c1, dispute c3 repair(d1)": [(1, ("c1",)), (1, ("c3",))],
    "assuming dispute c1, dispute c3 pivotal(d1) | select id, state": [("c1", "disputed"), ("c3", "disputed")],
    "critical(d1)": [(1, ("d2",)), (2, ("c1", "c3")), (2, ("c2", "c3"))],
    "degraded(decisions) | select id": [("d3",), ("d9",)],
    "flagged(decisions) | select id": [("d3",)],
    "held(decisions) | select id": [("d1",), ("d2",), ("d3",), ("d9",)],
    "deadends(decisions union hypotheses) | select id, decision, signature, status": [
        ("d1/mysql", "d1", (), "ruled-out"),
        ("d3/cookies", "d3", (), "untested"),
        ("d3/redis", "d3", (), "reopened"),
        ("h1", "", ("E42",), "falsified"),
        ("h2", "", (), "untested"),
    ],
    "conflicts()": [("n1", ("c8", "c9"), ("c8", "c9"))],
    "history(c4) | select time, what, state, reason": [
        ("2026-09-10T12:00:00.000Z", "claim", "accepted", ""),
        ("2026-10-07T12:00:00.000Z", "assess", "disputed", "it has a log now"),
    ],
    "as of v1.2 conflicts()": [],
    'as of "v1.2" c4 | select status': [("in",)],
    "assuming dispute c4, accept c4 c4 | select status": [("in",)],
    "assuming revoke d2 as of v1.2 blocked(decisions) | select id": [("d1",)],
}


@pytest.mark.parametrize("text", ROWS)
def test_a_query_gives_exactly_these_rows(text: str) -> None:
    assert rows(text) == ROWS[text]


def test_every_example_of_the_contract_is_among_them_and_is_complete() -> None:
    for text in EXAMPLES:
        found = query.run(GRAPH, text)
        assert found.clipped == ""
        assert any(told.startswith(text) for told in ROWS), text
    assert query.run(GRAPH, "pivotal(d1)").notes == ("nothing that is open can change it",)
    assert query.run(GRAPH, "repair(d1)").notes == ("it holds already",)


def test_every_function_has_an_example_that_runs() -> None:
    for function in FUNCTIONS.values():
        assert query.run(GRAPH, function.example).columns


def test_state_is_what_was_recorded_and_status_what_follows() -> None:
    assert rows("d4 union d3/redis union c7 union q1 | select id, state, status") == [
        ("c7", "accepted", "retired"),
        ("d3/redis", "rejected", "reopened"),
        ("d4", "adopted", "blocked"),
        ("q1", "open", "resolved"),
    ]


def test_a_query_writes_nothing() -> None:
    before = [(s.id, s.status) for s in GRAPH.statuses()], len(GRAPH.lines)
    rows("assuming dispute c1, revoke d2 falls(c3)")
    assert ([(s.id, s.status) for s in GRAPH.statuses()], len(GRAPH.lines)) == before


# -- misspelt ---------------------------------------------------------------------------------------------------

MISSPELT = [
    ("decisons", "unknown-name", ["decisions"]),
    ("claim", "unknown-name", ["claims"]),
    ("conflicts", "unknown-name", ["conflicts()"]),
    ("d3/redsi", "unknown-name", ["d3/redis"]),
    ("`d3/radish`", "unknown-name", ["d3/redis"]),
    ("dependants(c1)", "unknown-function", ["dependents"]),
    ("falles(c1)", "unknown-function", ["falls"]),
    ("decisions | where statsu = active", "unknown-field", ["status", "state"]),
    ("decisions | sort dte", "unknown-field", ["date"]),
    ("decisions | select id, texxt", "unknown-field", ["text"]),
    ("decisions | count by kin", "unknown-field", ["kind"]),
    ("falls(c1) | where afterr = disputed", "unknown-field", ["after"]),
    ("claims | where state = disptued", "unknown-value", ["disputed"]),
    ("claims | where status in (in, disptued)", "unknown-value", ["disputed"]),
    ("claims union decisions | where kind = decisions", "unknown-value", ["decision"]),
    ("decisions | where flags = degradd", "unknown-value", ["degraded"]),
    ('alternatives | where id = "d3/reddis"', "unknown-name", ["d3/redis"]),
    ('alternatives | where id not in ("d3/reddis")', "unknown-name", ["d3/redis"]),
    ("alternatives | where id != d3/reddis", "unknown-name", ["d3/redis"]),
    ("questions | where cited_by = d3/cokies", "unknown-name", ["d3/cookies"]),
    ("assuming dispuet c1 decisions", "verb", ["dispute"]),
    ("assuming falsify d3/redsi decisions", "unknown-name", ["d3/redis"]),
    ("claims | wher state = disputed", "syntax", ["where"]),
    ("claims unoin decisions", "syntax", ["union"]),
    ("claims | where pinned = yess", "type", ["yes"]),
]


@pytest.mark.parametrize(("text", "code", "suggestions"), MISSPELT)
def test_what_is_misspelt_is_an_error_that_says_what_was_meant(text: str, code: str, suggestions: list[str]) -> None:
    found = problem(text)
    assert (found["code"], sorted(found["suggestions"])) == (code, sorted(suggestions))
    marked = text[found["column"] - 1 : found["end_column"] - 1].strip('`"')
    assert (
        marked in text.replace("(", " ").replace(")", " ").replace('"', " ").replace(",", " ").replace("`", " ").split()
    )
    assert marked not in suggestions


NOT_SURE = ["d8", "x", "zzz(c1)", "decisions | where foo = 1", "c1 | where state = abc", "assuming shake c1 claims"]


@pytest.mark.parametrize("text", NOT_SURE)
def test_nothing_is_suggested_when_unsure(text: str) -> None:
    assert problem(text)["suggestions"] == []


def test_all_ties_are_listed_the_nearest_first_and_none_where_there_are_too_many() -> None:
    names = ["alpha1", "alpha2", "alpha3", "alpah"]
    graph = Graph.empty().extend([Claim(id=name) for name in names])
    assert problem("alpha", graph)["suggestions"] == ["alpah", "alpha1", "alpha2", "alpha3"]
    many = Graph.empty().extend([Claim(id=f"alpha{n}") for n in range(9)])
    assert problem("alpha", many)["suggestions"] == []


WRONG = [
    ("grounds(d1, two)", "argument"),
    ("grounds(d1, -1)", "argument"),
    ("grounds(d1, 1.5)", "argument"),
    ("grounds(d1, " + "9" * 5000 + ")", "argument"),
    ("claims | limit " + "9" * 5000, "argument"),
    ("claims | limit -1", "argument"),
    ("why(claims)", "argument"),
    ("why()", "arguments"),
    ('why("d1")', "argument"),
    ("changed(2026-13-45)", "unknown-point"),
    ("changed(nomark)", "unknown-point"),
    ("as of 2026-02-30 claims", "unknown-point"),
    ("assuming dispute d1 claims", "verb-kind"),
    ("assuming dispute c5 claims", "derived"),
    ("falls(q1)", "argument"),
    ("paths(c1, d1) union claims", "not-a-set"),
    ("paths(c1, d1) | graph", "not-a-set"),
    ("claims | graph | limit 1", "last"),
    ("claims | where date >= 2026-13-01", "type"),
    ('claims | where date >= "soon"', "type"),
    ("claims | where date = 2026-09-01T12:00:00Z", "type"),
    ("claims | where time >= 2026-09-01T12:00:00", "type"),
    ("falls(c1) | where depth = deep", "type"),
    ("claims | where text >= 5", "type"),
    ("claims | where state > accepted", "type"),
    ('claims | where date ~ "2026"', "type"),
    ('claims | where text ~ "(a"', "pattern"),
    ("issue#4", "syntax"),
    ("", "incomplete"),
    ("claims |", "incomplete"),
    ('claims | where text = "a', "unclosed"),
    ("claims | where id = $id", "parameter"),
]


@pytest.mark.parametrize(("text", "code"), WRONG)
def test_what_cannot_be_asked_is_an_error_with_its_code(text: str, code: str) -> None:
    assert problem(text)["code"] == code


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(query.QueryError) as caught:
        query.run(GRAPH, "whi(d1) union decisons | where foo = 1")
    assert [p.code for p in caught.value.problems] == ["unknown-function", "unknown-name", "unknown-field"]
    assert len(caught.value.as_json()["more"]) == 2


# -- conditions -------------------------------------------------------------------------------------------------


CONDITIONS = [
    ("scope = billing", ["c1", "d1", "d4"]),
    ("scope != billing", ["d2"]),  # what has no scope is not compared
    ("not scope = billing and scope is not null", ["d2"]),
    ("tag in (infra, people)", ["c2", "d4"]),
    ("tag not in (db) and tag is not null", ["d4"]),
    ("date >= 2026-10-01", ["c10"]),
    ("time = 2026-09-12", ["d4", "d5", "d9"]),
    ("time >= 2026-10-06T13:00:00+02:00", ["c10"]),
    ("time > 2026-10-06T12:00:00Z", []),
    ("time <= 2026-09-01", ["c1", "c2", "c3"]),
    ("not (date > 2026-09-01 or tag = db)", ["c1", "c3"]),
    ('state = disputed or state = revoked and choice = "eu-west"', ["c4", "d5"]),
    ('text ~ "^THE TEAM"', ["c2"]),
    ('id ~ "0$"', ["c10"]),
    ("id in (c10, d1, q1)", ["c10", "d1"]),
    ("depends_on = d5", ["d4"]),
    ("supersedes is not null", ["c10"]),
    ("superseded_by is not null", ["c7"]),
    ("decided_by is not null", []),
    ("flags = flagged", ["d3"]),
    ("pinned = yes", []),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
def test_a_condition_keeps_just_these(condition: str, expected: list[str]) -> None:
    assert ids(f"claims union decisions | where {condition}") == expected


def test_a_number_is_compared_by_size_and_nothing_recorded_with_nothing() -> None:
    assert ids("falls(d2) | where depth >= 2") == ["c5", "d9", "q1", "d3"]
    assert ids("falls(c1) | where depth is null") == ["d1"]
    assert ids("falls(c1) | where depth < 5") == ["c1"]
    assert rows("conflicts() | where culprits = c8 | count") == [(1,)]


def test_an_id_that_is_missing_may_be_asked_for_where_it_is_cited() -> None:
    graph = Graph.empty().apply(Decision(id="d1", choice="x", supports=(("nowhere",),)))
    assert ids("decisions | where supports = nowhere", graph) == ["d1"]
    assert problem("decisions | where id = nowhere", graph)["code"] == "unknown-name"


def test_every_value_in_a_column_is_among_those_that_the_column_names() -> None:
    """On ledgers with everything that goes wrong, so that asking for a word that occurs is never refused."""
    for seed, graph in made(range(ROUNDS // 6)):
        asked = [EVERYTHING, f"deadends({EVERYTHING})"]
        asked += [f"falls({id_text(s.id)})" for s in graph.statuses() if s.state in ("accepted", "adopted")]
        asked += [f"why({id_text(name)})" for name in graph.ids()]
        for text in asked:
            found = query.run(graph, text)
            for column in columns_of(parse(text).set):
                told = {value for row in found.to_dicts() for value in flat(row[column.name])}
                assert not column.values or told - {""} <= set(column.values), (seed, text, column.name)


def flat(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
