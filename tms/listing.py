"""The environments of a node, counted exactly and listed lazily, the smallest first, ties in the order of their ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice

import msgspec

from tms.bounded import label
from tms.graph import Graph
from tms.labels import Labels
from tms.zdd import EMPTY, Exhausted

MOST_TIES = 50_000


class Environment(msgspec.Struct, frozen=True, kw_only=True):
    """One minimal environment: its members' ids, whether all of them stand now, whether it contains no nogood's."""

    members: tuple[str, ...]
    open: bool
    consistent: bool


class Environments(msgspec.Struct, frozen=True, kw_only=True):
    """The label of a node: exact counts, and the smallest environments listed.

    `count` and `sizes` are of all environments, or of those up to `complete_to` members. `consistent` counts those
    that contain no environment of a nogood; None where the budget did not suffice to say.
    """

    id: str
    count: int
    sizes: dict[int, int]
    complete_to: int | None
    consistent: int | None
    environments: tuple[Environment, ...]
    witness: tuple[str, ...] | None  # one environment within the context, whatever its size; None: the node is OUT


def environments(
    graph: Graph, name: str, *, limit: int = 20, size: int | None = None, budget: int | None = None
) -> Environments:
    """The label of a node, complete or up to an honest bound. Raises `UnknownNode`.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c2", state="disputed"),
    ...     Decision(id="d1", choice="x", supports=(("c1",), ("c2",)))])
    >>> found = environments(graph, "d1")
    >>> found.count, found.sizes, [(e.members, e.open) for e in found.environments]
    (2, {2: 2}, [(('c1', 'd1'), True), (('c2', 'd1'), False)])
    """
    size = graph.bounds.size if size is None else size
    budget = graph.bounds.budget if budget is None else budget
    compiled, number = graph.compiled, graph.number(name)
    found = label(compiled, compiled.holder(number), size=size, budget=budget)
    labels = found.labels
    sizes = {k: n for k, n in enumerate(labels.forest.sizes(found.family)) if n}
    nogoods = nogoods_of(labels, budget)
    consistent = consistent_of(labels, found.family, nogoods, budget)
    smallest = tuple(
        Environment(
            members=members,
            open=all(compiled.network.stands[graph.number(m)] for m in members),
            consistent=nogoods is None or not _contains(labels, graph, nogoods, members),
        )
        for members in islice(listed(labels, found.family), limit)
    )
    return Environments(
        id=name,
        count=sum(sizes.values()),
        sizes=sizes,
        complete_to=found.complete_to,
        consistent=None if consistent is None else labels.forest.count(consistent),
        environments=smallest,
        witness=witness(graph, name),
    )


def nogoods_of(labels: Labels, budget: int | None) -> int | None:
    """The environments of all nogoods; None where the budget does not suffice."""
    found = EMPTY
    try:
        with labels.forest.working(budget):
            for nogood in sorted(labels.compiled.nogoods):
                found = labels.forest.union(found, labels.family(labels.compiled.holder(nogood)))
    except Exhausted:
        return None
    return found


def consistent_of(labels: Labels, family: int, nogoods: int | None, budget: int) -> int | None:
    """The environments that contain none of those of the nogoods; None where the budget does not suffice."""
    if nogoods is None:
        return None
    try:
        with labels.forest.working(budget):
            return labels.forest.without(family, nogoods)
    except Exhausted:
        return None


def _contains(labels: Labels, graph: Graph, nogoods: int, members: tuple[str, ...]) -> bool:
    levels = frozenset(labels.level_of[graph.number(m)] for m in members)
    return labels.forest.contains_subset(nogoods, levels)


def listed(labels: Labels, family: int) -> Iterator[tuple[str, ...]]:
    """The sets as ids, by size, then in the order of ids; of more than `MOST_TIES` of one size as they come."""
    name = labels.compiled.declared.names.name
    counts = labels.forest.sizes(family)
    named = (tuple(sorted(name(labels.node_at[level]) for level in s)) for s in labels.forest.ordered(family))
    for size, group in groupby(named, key=len):
        yield from _in_order(group, counts[size])


def _in_order(tied: Iterable[tuple[str, ...]], count: int) -> Iterable[tuple[str, ...]]:
    return sorted(tied) if count <= MOST_TIES else tied


def witness(graph: Graph, name: str) -> tuple[str, ...] | None:
    """One environment within the context in which a node holds, read off the ranks; None where it does not hold.

    It need not be minimal. It is there also where every environment lies above the bound.
    """
    compiled = graph.compiled
    network, start = compiled.network, compiled.holder(graph.number(name))
    if not network.rank[start]:
        return None
    found, stack = set(), [start]
    while stack:
        number = stack.pop()
        if number in found:
            continue
        found.add(number)
        below = (network.members[j] for j in network.own[number])
        level = network.rank[number]
        stack.extend(next(m for m in below if all(0 < network.rank[n] < level for n in m)))
    return tuple(sorted(compiled.declared.names.name(n) for n in found if compiled.declared.facts(n).judged))
