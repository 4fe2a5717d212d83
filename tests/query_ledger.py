"""The billing example extended until it has everything that a query can ask for; every line has its time."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec
import pytest

import query
from tms.graph import Graph
from tms.model import (
    Alternative,
    Assess,
    Claim,
    Decision,
    Falsification,
    Hypothesis,
    Line,
    Mark,
    Nogood,
    Question,
    Record,
    Supersession,
)

MYSQL = Alternative(key="mysql", text="MySQL", because=(("c2",),))
REDIS = Alternative(key="redis", text="sessions in Redis", because=(("c4",),))
COOKIES = Alternative(key="cookies", text="signed cookies", verdict="abandoned")

# Who said what on which day. The later lines dispute c4, supersede c7, revoke d5.
_TOLD: list[tuple[str, Record]] = [
    ("2026-09-01", Claim(id="c1", text="Postgres handles our write volume", state="accepted", scope=("billing",))),
    ("2026-09-01", Claim(id="c2", text="the team already runs Postgres", state="accepted", tag=("db", "people"))),
    ("2026-09-01", Claim(id="c3", text="managed Postgres is in budget", state="accepted")),
    ("2026-09-02", Decision(id="d2", text="migrations run on deploy", choice="on deploy", scope=("infra",))),
    ("2026-09-02", Question(id="q1", text="Which database for billing?")),
    (
        "2026-09-03",
        Decision(
            id="d1",
            text="billing uses Postgres",
            choice="Postgres",
            scope=("billing",),
            tag=("db",),
            supports=(("c1", "c2"), ("c3",)),
            depends_on=("d2",),
            answers=("q1",),
            alternatives=(MYSQL,),
        ),
    ),
    ("2026-09-10", Claim(id="c4", text="Redis loses data on a restart", state="accepted")),
    ("2026-09-10", Claim(id="c5", text="billing can be restored within an hour", state="derived", supports=(("d1",),))),
    ("2026-09-10", Claim(id="c6", text="the auditors want signed logs")),
    ("2026-09-11", Claim(id="c7", text="sessions are short", state="accepted")),
    (
        "2026-09-11",
        Decision(
            id="d3",
            text="sessions in Postgres",
            choice="Postgres",
            tag=("db",),
            supports=(("c7", "c5"), ("c6",)),
            alternatives=(REDIS, COOKIES),
        ),
    ),
    ("2026-09-12", Decision(id="d5", text="one region", choice="eu-west")),
    (
        "2026-09-12",
        Decision(
            id="d4",
            text="invoices go out nightly",
            choice="nightly",
            scope=("billing", "mail"),
            tag=("infra",),
            supports=(("c5",),),
            depends_on=("d5",),
        ),
    ),
    ("2026-09-12", Decision(id="d9", text="retire the old shop", choice="in May", supports=(("d3", "d1"), ("c4",)))),
    ("2026-09-13", Hypothesis(id="h1", text="batch the writes", action="batch", assuming=("c2",))),
    ("2026-09-13", Hypothesis(id="h2", text="shard by customer", action="shard")),
    ("2026-09-14", Claim(id="c8", text="logs stay in the region", state="accepted")),
    ("2026-09-14", Claim(id="c9", text="logs go to the vendor", state="accepted")),
    ("2026-09-14", Decision(id="d6", text="one log store", choice="vendor", supports=(("c8", "c9"),))),
    ("2026-09-15", Assess(node="h1", state="falsified", falsification=Falsification(signature="E42", gate="load"))),
    ("2026-09-15", Assess(node="h2", state="abandoned")),
    ("2026-09-30", Mark(name="v1.2")),
    ("2026-10-05", Nogood(id="n1", members=("c8", "c9"))),
    ("2026-10-06", Claim(id="c10", text="sessions are long", state="accepted", supersedes=(Supersession(id="c7"),))),
    ("2026-10-07", Assess(node="c4", state="disputed", reason="it has a log now")),
    ("2026-10-08", Assess(node="d5", state="revoked")),
]


def lines() -> list[Line]:
    """One line after the other, each at noon of its day, each having seen the one before."""
    made: list[Line] = []
    for number, (day, record) in enumerate(_TOLD, 1):
        hash_ = sha256(b"%d:" % number + msgspec.json.encode(record)).hexdigest()
        prev = (made[-1].hash,) if made else ()
        if isinstance(record, Assess):
            record = msgspec.structs.replace(record, replaces=_newest(made, record.node))
        made.append(
            Line(record=record, hash=hash_, prev=prev, time=f"{day}T12:00:00.000Z", author="ann", number=number)
        )
    return made


def _newest(made: list[Line], node: str) -> tuple[str, ...]:
    told = [x.hash for x in made if node in (getattr(x.record, "id", ""), getattr(x.record, "node", ""))]
    return tuple(told[-1:])


GRAPH = Graph.replay(lines())

EXAMPLES = (
    "blocked(decisions)",
    "why(d1)",
    "falls(c1)",
    "environments(d1) | sort size | limit 5",
    "single(decisions)",
    "paths(c1, d9) | limit 5",
    'blocked(decisions) | where scope = "billing" and tag in ("infra", "db") and date >= 2026-09-01',
    "decisions | count by status",
    "as of 2026-10-01 blocked(decisions)",
    "assuming dispute c1, revoke d2 blocked(decisions)",
    "repair(d1)",
    'deadends(decisions) | where text ~ "redis" | select id, signature, status',
    "(grounds(d9) intersect claims) | where state = disputed",
    "changed(2026-10-01, 2026-11-01)",
    "pivotal(d1)",
)

EVERYTHING = "claims union decisions union questions union alternatives union hypotheses union nogoods"


def rows(text: str, graph: Graph = GRAPH, **params: Any) -> list[tuple[Any, ...]]:
    return list(query.run(graph, text, params))


def ids(text: str, graph: Graph = GRAPH, **params: Any) -> list[str]:
    return [row[0] for row in rows(f"{text} | select id", graph, **params)]


def problem(text: str, graph: Graph = GRAPH, **params: Any) -> dict[str, Any]:
    """The error that a query must give, as JSON."""
    with pytest.raises(query.QueryError) as caught:
        query.run(graph, text, params)
    found: dict[str, Any] = caught.value.as_json()["error"]
    return found
