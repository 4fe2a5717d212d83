"""One answer, whoever is asked: Python, the command in JSON, the command in words, the query language."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import query
from tests.cli_call import BILLING, Tms
from tms import Graph, Session, changed, conflicts, critical, environments, impact, pivotal, repair, single, why

MORE = """\
{"kind":"claim","id":"c4","text":"MySQL is as good","contradicts":["c2"],"state":"accepted"}
{"kind":"claim","id":"c5","text":"nobody looked at this","supports":[["c1","c4"]]}
{"kind":"decision","id":"d3","text":"reports read a replica","choice":"it","depends_on":["d4"],"supports":[["c1"]]}
{"kind":"decision","id":"d4","text":"there is a replica","choice":"one replica","supports":[["c5"]]}
{"kind":"hypothesis","id":"h1","text":"a cache","action":"put a cache in front","assuming":["c3"],"state":"falsified",\
"falsification":{"signature":"p99 grew","gate":"load test","reproducible":true}}
"""
Ask = Callable[[Graph, Tms], tuple[Any, Any, Any]]  # -> what Python says, the command's JSON, the query


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Graph, Tms]:
    ledger = tmp_path_factory.mktemp("surfaces") / "ledger.jsonl"
    tms = Tms(Path(ledger))
    tms("init")
    tms("record", "-", given=BILLING + MORE)
    return Session.open(ledger).graph, tms


def rows(graph: Graph, text: str) -> list[tuple[Any, ...]]:
    return list(query.run(graph, text))


def sets(found: Any) -> list[tuple[str, ...]]:
    return [tuple(members) for members in found]


def statuses(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    everything = " union ".join(query.fields.SETS)
    asked = rows(graph, f"{everything} | select id, state, status, flags")
    data = tms("status", *graph.ids(), "--json").json["nodes"]
    told = sorted((node["id"], node["state"], node["status"], tuple(node["flags"])) for node in data)
    return [(s.id, s.state, s.status, s.flags) for s in graph.statuses()], told, asked


def fall(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    found = impact(graph, [("dispute", "c1")])
    data = tms("impact", "dispute", "c1", "--json").json
    asked = rows(graph, "falls(c1) | where outcome != survives | select id, before, after, depth, cause")
    told = [(c["id"], c["before"], c["after"], c["depth"], tuple(c["cause"])) for c in data["changed"]]
    return [(c.id, c.before, c.after, c.depth, c.cause) for c in found.changed], told, asked


def survive(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    found = impact(graph, [("dispute", "c1")])
    data = tms("impact", "dispute", "c1", "--json").json
    asked = rows(graph, "falls(c1) | where outcome = survives | select id, saved_by")
    return [(s.id, s.by) for s in found.survived], [(s["id"], tuple(s["by"])) for s in data["survived"]], asked


def reasons(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    asked = {name for (name,) in rows(graph, "why(d3) | select id")}
    data = tms("why", "d3", "--json").json
    return {step.id for step in why(graph, "d3").steps}, {step["id"] for step in data["steps"]}, asked


def label(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    data = tms("environments", "d1", "--json").json["environments"]
    asked = rows(graph, "environments(d1) | select members, open")
    found = environments(graph, "d1").environments
    return [(e.members, e.open) for e in found], [(tuple(e["members"]), e["open"]) for e in data], asked


def ways_back(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    asked = [members for (members,) in rows(graph, "repair(d3) | select members")]
    return list(repair(graph, "d3").sets), sets(tms("repair", "d3", "--json").json["sets"]), asked


def losses(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    asked = [members for (members,) in rows(graph, "critical(d1) | select members")]
    return list(critical(graph, "d1").sets), sets(tms("critical", "d1", "--json").json["sets"]), asked


def points(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    asked = [point for (point,) in rows(graph, "single(d1) | select judgement")]
    (row,) = tms("single", "d1", "--json").json["nodes"]
    return list(single(graph, "d1") or ()), row["points"], asked


def open_matters(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    asked = [name for (name,) in rows(graph, "pivotal(d3) | select id")]
    found = tms("pivotal", "d3", "--json").json
    return [s[0] for s in pivotal(graph, "d3").sets], found.get("matters") or [s[0] for s in found["sets"]], asked


def contradictions(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    asked = rows(graph, "conflicts() | select id, culprits")
    told = [(c["id"], tuple(s)) for c in tms("conflicts", "--json").json["conflicts"] for s in c["culprits"]]
    return [(c.id, s) for c in conflicts(graph) for s in c.culprits], told, asked


def differences(graph: Graph, tms: Tms) -> tuple[Any, Any, Any]:
    before = graph.as_of("2020-01-01")
    asked = rows(graph, "changed(2020-01-01) | select id, after")
    told = [(d["id"], d["after"]) for d in tms("changed", "2020-01-01", "--json").json["changed"]]
    return [(d.id, d.after) for d in changed(before, graph)], told, asked


ASKED = [statuses, fall, survive, reasons, label, ways_back, losses, points, open_matters, contradictions, differences]


@pytest.mark.parametrize("ask", ASKED, ids=lambda ask: ask.__name__)
def test_every_surface_says_the_same(ask: Ask, both: tuple[Graph, Tms]) -> None:
    """And it is an answer, not nothing three times."""
    python, command, language = ask(*both)
    assert python
    assert command == python
    assert language == python


def test_the_words_name_every_node_of_the_answer(both: tuple[Graph, Tms]) -> None:
    """What the command prints for people has the ids that its JSON has."""
    graph, tms = both
    for words in (
        ("impact", "dispute", "c1"),
        ("environments", "d1"),
        ("repair", "d3"),
        ("critical", "d1"),
    ):
        said = tms(*words).out
        named = {name for name in graph.ids() if f'"{name}"' in tms(*words, "--json").out}
        assert named
        assert [name for name in named if name not in said] == []
