"""The graph as it was when a decision was taken: what its writer could see.

That moment is the newest adoption of the decision, else its record. Its past is read off `prev`. Records that never
were lines of a ledger have no `prev`; for them the order in which they were applied serves.
"""

from __future__ import annotations

from collections.abc import Sequence

from tms.declared import Declared
from tms.entry import Assessment, assessments, live, newest
from tms.graph import Graph
from tms.ledger.history import ancestors
from tms.model import Line


def past_of(graph: Graph, name: str) -> Graph:
    """The graph as it was when a decision was taken, the deciding line with it. Raises `UnknownNode`.

    >>> from tms.model import Assess, Claim, Decision
    >>> told = [Claim(id="c1", state="accepted"), Decision(id="d1", choice="x", supports=(("c1",),))]
    >>> graph = Graph.empty().extend(told)
    >>> graph = graph.apply(Assess(node="c1", state="disputed", replaces=(graph.lines[0].hash,)))
    >>> graph.word("c1"), past_of(graph, "d1").word("c1")
    ('disputed', 'in')
    """
    return Graph(Declared.of(_before(graph.lines, deciding(graph, name))), bounds=graph.bounds)


def deciding(graph: Graph, name: str) -> tuple[Line, ...]:
    """The lines that took a decision: its newest adoption, else its record; several where branches did so apart."""
    entry = graph.declared.entry(graph.number(name))
    if entry is None:
        return ()
    records, later = live(entry.records, graph.declared.voids), live(entry.later, graph.declared.voids)
    found = [told for told in newest(assessments("decision", records, later)) if told.state == "adopted"]
    hashes = {h for told in found or _recorded(records) for h in told.hashes}
    return tuple(line for line in (*records, *later) if line.hash in hashes)


def _recorded(records: Sequence[Line]) -> list[Assessment]:
    return assessments("decision", records, ())


def _before(lines: Sequence[Line], taken: Sequence[Line]) -> tuple[Line, ...]:
    """The lines that those given saw, and they themselves; a batch was written at once."""
    batches = {(line.batch.id, line.batch.of) for line in taken if line.batch}
    taken = (*taken, *(line for line in lines if line.batch and (line.batch.id, line.batch.of) in batches))
    if all(not line.prev and not line.time for line in lines):
        last = max((n for n, line in enumerate(lines) if line in taken), default=-1)
        return tuple(lines[: last + 1])
    kept = ancestors(lines, [line.hash for line in taken])
    return tuple(line for line in lines if line.hash in kept)
