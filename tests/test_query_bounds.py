"""Order, bounds, parameters, and that nothing is worked out that nobody asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, date, datetime
from random import Random

import pytest

import query
from query.fields import FIELDS
from query.parse import parse
from query.printer import id_text
from tests.query_ledger import EVERYTHING, GRAPH, ids, lines, problem, rows
from tests.strategies import Sizes, ledger
from tms.graph import Graph
from tms.labels import Labels
from tms.model import Claim, Decision
from tms.status import Status

ROUNDS = int(os.environ.get("TMS_ROUNDS", "420"))


def made(seeds: range) -> Iterator[tuple[int, Graph]]:
    """Generated ledgers with everything that goes wrong."""
    for seed in seeds:
        yield seed, Graph.replay(ledger(Random(seed), Sizes(mixed_kinds=seed % 3 == 0)))


# -- order ------------------------------------------------------------------------------------------------------


def test_the_order_is_total_and_stable_whatever_the_order_of_the_lines() -> None:
    for seed, graph in made(range(ROUNDS // 12)):
        shuffled = list(graph.lines)
        Random(seed).shuffle(shuffled)
        other = Graph.replay(shuffled)
        for text in ("claims union decisions | sort status desc", "alternatives union nogoods", "conflicts()"):
            assert rows(text, graph) == rows(text, other), (seed, text)
        sets = "claims union decisions"
        found = rows(f"{sets} | sort kind desc, status | select kind, status, id", graph)
        assert found == sorted(sorted(found), key=lambda row: row[0], reverse=True), seed
        counted = rows(f"{sets} | count by status", graph)
        assert counted == sorted(counted, key=lambda row: (-row[1], row[0])), seed


def test_nothing_recorded_is_sorted_last_both_ways() -> None:
    assert ids("falls(d2) union d4 | sort scope | limit 4") == ["d1", "d4", "d2", "c5"]
    assert ids("falls(d2) union d4 | sort scope desc | limit 4") == ["d2", "d4", "d1", "c5"]
    assert ids("falls(c1) | sort depth desc") == ids("falls(c1) | sort depth") == ["c1", "d1"]


def test_operators_of_sets_go_from_left_to_right() -> None:
    assert ids("c1 union c2 except c1 union c3") == ["c2", "c3"]
    assert ids("c1 union (c2 except c1) union c3 intersect claims") == ["c1", "c2", "c3"]
    assert ids("(decisions except d1) intersect grounds(d9)") == ["d2", "d3"]


def test_an_id_that_is_named_like_a_kind_or_a_keyword_stands_in_back_ticks() -> None:
    names = ["as", "assuming", "claims", "union", "where", "2nd", "a+b", "not", "null", "d'or", "x#y"]
    graph = Graph.empty().extend([Claim(id=name) for name in names])
    for name in names:
        assert ids(id_text(name), graph) == [name]
        assert ids(f"claims except {id_text(name)}", graph) == sorted({*names} - {name})
        assert ids("$id", graph, id=name) == [name]
        assert ids(f"claims | where id = {id_text(name)}", graph) == [name]
    assert ids("claims", graph) == sorted(names)


# -- bounds -----------------------------------------------------------------------------------------------------


def test_a_clipped_result_says_so_and_by_what_limit() -> None:
    two = query.Bounds(rows=2)
    found = query.run(GRAPH, "decisions", bounds=two)
    assert (len(found), found.clipped) == (2, "there are 7 rows; the limit is 2")
    found = query.run(GRAPH, "history(c4) | count", bounds=query.Bounds(rows=1))
    assert (list(found), found.clipped) == ([(1,)], "history gave more than 1 rows")
    assert query.run(GRAPH, "environments(d9) | limit 2", bounds=two).clipped == ""
    assert query.run(GRAPH, "environments(d9)", bounds=two).clipped == "environments gave more than 2 rows"
    assert query.run(GRAPH, "critical(d1)", bounds=two).clipped == "critical gave more than 2 rows"


def test_a_set_is_never_clipped_before_the_end() -> None:
    """What is filtered, counted or combined is the whole set."""
    two = query.Bounds(rows=2)
    for text in ("held(claims)", "grounds(d9)", "dependents(c1)", "blocked(decisions)"):
        whole = ids(text)
        assert list(query.run(GRAPH, f"{text} | count", bounds=two)) == [(len(whole),)]
        last = query.run(GRAPH, f"{text} | where id = $id | select id", {"id": whole[-1]}, bounds=two)
        assert (list(last), last.clipped) == ([(whole[-1],)], "")
        assert list(query.run(GRAPH, f"({text}) except {text} | count", bounds=two)) == [(0,)]


@pytest.mark.parametrize("text", ["claims", "claims | sort text", "paths(c1, d9)", "blocked(decisions)", "single(d1)"])
def test_a_query_ends_when_its_time_is_over(text: str) -> None:
    with pytest.raises(query.QueryError) as caught:
        query.run(GRAPH, text, bounds=query.Bounds(seconds=-1))
    assert caught.value.code == "time"


def test_a_short_budget_of_the_engine_is_told() -> None:
    small = Graph.replay(lines()).bounded(budget=0)
    assert query.run(small, "environments(d9)").notes
    assert query.run(small, "repair(d6)").notes


def test_no_pattern_can_take_for_ever() -> None:
    """It simply ends: the matching is linear."""
    graph = Graph.empty().extend([Claim(id="c1", text="a" * 100_000 + "b"), Claim(id="c2", text="a" * 100_000)])
    assert ids('claims | where text ~ "(a+)+$"', graph) == ["c2"]
    assert ids("claims | where text ~ $p", graph, p="(a*)*b") == ["c1"]
    assert problem("claims | where text ~ $p", graph, p="(a{1000}){1000}")["code"] == "pattern"
    assert problem("claims | where text ~ $p", graph, p="\ud800")["code"] == "pattern"


# -- parameters -------------------------------------------------------------------------------------------------

NASTY = ["`", "d1`) union (claims", "claims", "d1)", "(", '"', "d1 | limit 0", "", "\n", "$id", "as", "\u202e", "#"]


@pytest.mark.parametrize("value", NASTY)
def test_a_parameter_is_never_read_as_syntax(value: str) -> None:
    for text in (
        "$id",
        "grounds($id)",
        "why($id)",
        "d1 union $id",
        "assuming dispute $id claims",
        "claims | where id = $id",
    ):
        found = problem(text, id=value)
        assert (found["code"], found["column"]) == ("unknown-name", text.index("$") + 1)
    assert rows("claims | where text = $id", id=value) == []
    assert problem("as of $id claims", id=value)["code"] == "unknown-point"
    assert problem("changed($id)", id=value)["code"] == "unknown-point"


def test_parameters_stand_for_ids_values_points_and_numbers() -> None:
    assert ids("grounds($id, $n)", id="d9", n=1) == ids("grounds(d9, 1)")
    assert ids("decisions | where tag in ($a, $b) and date >= $day", a="infra", b="x", day=date(2026, 9, 12)) == ["d4"]
    assert ids("decisions | where time > $t | limit $n", t=datetime(2026, 9, 12, tzinfo=UTC), n=2) == ["d4", "d5"]
    assert ids("as of $p held(decisions) | limit 1", p="v1.2") == ["d1"]
    assert rows("why(d4) | where met = $m | select member", m=False) == [("d5",), ("",)]
    assert rows("falls(d2) | where depth < $n | count", n=1.5) == [(2,)]
    numbers = Graph.empty().apply(Claim(id="5"))
    assert ids("$id union grounds($id)", numbers, id=5) == ["5"]


NO_VALUES = {"None": None, "list": ["c1"], "huge": 10**5000, "nan": float("nan"), "inf": float("inf"), "bytes": b"c1"}


@pytest.mark.parametrize("value", NO_VALUES.values(), ids=NO_VALUES)
def test_a_parameter_that_a_query_cannot_say_is_an_error(value: object) -> None:
    for text in ("$id", "claims | where text = $id", "claims | limit $id", "grounds(c1, $id)"):
        assert problem(text, id=value)["code"] == "parameter"


@pytest.mark.parametrize("value", [-1, 1.5, 1e-7, "two", "\u00b2", True, 10**14])
def test_a_number_of_rows_or_steps_is_a_whole_number(value: object) -> None:
    assert problem("claims | limit $n", n=value)["code"] == "argument"
    assert problem("grounds(c1, $n)", n=value)["code"] == "argument"


def test_the_text_of_a_result_says_what_was_asked_parameters_put_in() -> None:
    marked = Graph.empty().extend([Claim(id="a+b"), Claim(id="c")])
    text = "claims except $id | where text = $t or supports = $u and date > $d and id = $c | limit $n"
    found = query.run(marked, text, {"id": "a+b", "t": 'a "b"\n\\', "u": "c", "d": date(2026, 1, 1), "c": "c", "n": 3})
    assert query.run(marked, found.text) == found
    small = query.run(GRAPH, "falls(d2) | where depth > $n", {"n": -1e-7})
    assert query.run(GRAPH, small.text) == small
    assert len(small) == 6


# -- not foolish ------------------------------------------------------------------------------------------------


def test_one_id_of_a_kind_is_looked_up_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10^5 nodes the ids are never listed and one status is worked out; also where the id is of another kind."""
    claims = [Claim(id=f"c{n}", state="accepted") for n in range(100_000)]
    graph = Graph.empty().extend([*claims, Decision(id="d1", choice="x", supports=(("c5",),))])
    asked: list[str] = []
    monkeypatch.setattr(Graph, "ids", lambda *_: pytest.fail("the ids were listed"))
    status = Graph.status

    def counted(self: Graph, name: str) -> Status:
        asked.append(name)
        return status(self, name)

    monkeypatch.setattr(Graph, "status", counted)
    assert ids('decisions | where id = "d1" and status = active', graph) == ["d1"]
    assert ids("decisions | where id = c77", graph) == []
    assert ids('decisions | where date is null and id = "d1"', graph) == ["d1"]
    assert set(asked) == {"d1", "c77"}


def test_a_what_if_works_out_no_label(monkeypatch: pytest.MonkeyPatch) -> None:
    claims = [Claim(id=f"c{n}", state="accepted", supports=((f"c{n - 1}",),) if n else ()) for n in range(200)]
    graph = Graph.empty().extend(claims)
    rows("environments(c150)", graph)
    forest = graph.compiled.shelf.forest
    before = forest.steps, len(forest)
    monkeypatch.setattr(Labels, "family", lambda *_: pytest.fail("a label was asked for"))
    assert len(rows("falls(c1)", graph)) == 199
    assert len(rows("assuming dispute c3 held(claims)", graph)) == 3
    assert (forest.steps, len(forest)) == before


def test_a_fixed_query_is_parsed_once() -> None:
    parse.cache_clear()
    asked = query.prepare("grounds($id) | where status = in")
    for name in ("d1", "d9", "d3"):
        asked.run(GRAPH, id=name)
        query.run(GRAPH, "grounds($id) | where status = in", {"id": name})
    assert parse.cache_info().misses == 1


def test_explain_says_what_was_done() -> None:
    assert rows("dependents(c1) | where kind = decision | limit 1 | explain") == [
        ("dependents", 6),
        ("where", 4),
        ("limit", 1),
    ]
    assert rows("decisions | where id = d1 | explain") == [("the decision d1 alone", 1), ("where", 1)]


def test_every_field_can_be_asked_of_every_kind() -> None:
    for name in FIELDS:
        assert len(rows(f"{EVERYTHING} | sort {name} | select id, {name}")) == len(GRAPH)
        query.run(GRAPH, f"claims | count by {name}")
