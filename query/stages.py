"""What may stand behind a `|`, and what is a set by itself: for help texts and completion."""

from __future__ import annotations

from typing import NamedTuple


class Stage(NamedTuple):
    """A stage: how it is written, what it does, an example."""

    name: str
    form: str
    about: str
    example: str


_ALL = [
    Stage("where", "where CONDITION", "keeps the rows for which a condition holds", 'claims | where text ~ "postgres"'),
    Stage("sort", "sort FIELD [desc], ...", "puts the rows in order", "decisions | sort date desc, id"),
    Stage("select", "select FIELD, ...", "says which columns, in which order", "decisions | select id, choice"),
    Stage("count", "count [by FIELD, ...]", "counts the rows, the most frequent first", "decisions | count by status"),
    Stage("limit", "limit N", "keeps the first rows", "environments(d1) | limit 5"),
    Stage("explain", "explain", "says what was done instead of showing the rows", "grounds(d1) | explain"),
    Stage("graph", "graph", "shows the nodes of the rows as a diagram", "grounds(d1) | graph"),
]
STAGES = {stage.name: stage for stage in _ALL}
