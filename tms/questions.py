"""The questions that labels answer: environments, repair, critical, single, pivotal, conflicts.

Every answer lists the smallest sets first, all ties of one size in the order of their ids, and says whether it is all
there is. A repair and a critical set are certified against the linear status: applied, it does what it says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby, islice

import msgspec

from tms.bounded import label
from tms.compile import Compiled
from tms.consequences import Impact
from tms.graph import Change, Graph
from tms.labels import BUDGET, Labels
from tms.nogoods import consistency
from tms.zdd import EMPTY, Exhausted, deep

Sets = tuple[tuple[str, ...], ...]
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


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Minimal sets of judgements, smallest first; `complete`: these are all. `reason` says why there is none."""

    id: str
    sets: Sets
    complete: bool
    reason: str = ""


def environments(
    graph: Graph, name: str, *, limit: int = 20, size: int | None = None, budget: int = BUDGET
) -> Environments:
    """The label of a node, complete or up to an honest bound. Raises `UnknownNode`.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c2", state="disputed"),
    ...     Decision(id="d1", choice="x", supports=(("c1",), ("c2",)))])
    >>> found = environments(graph, "d1")
    >>> found.count, found.sizes, [(e.members, e.open) for e in found.environments]
    (2, {2: 2}, [(('c1', 'd1'), True), (('c2', 'd1'), False)])
    """
    compiled, number = graph.compiled, graph.number(name)
    found = label(compiled, compiled.holder(number), size=size, budget=budget)
    labels = found.labels
    sizes = {k: n for k, n in enumerate(labels.forest.sizes(found.family)) if n}
    nogoods = _nogoods(labels, budget)
    consistent = _consistent(labels, found.family, nogoods, budget)
    listed = tuple(
        Environment(
            members=members,
            open=all(compiled.network.stands[graph.number(m)] for m in members),
            consistent=nogoods is None or not _contains(labels, graph, nogoods, members),
        )
        for members in islice(_listed(labels, found.family), limit)
    )
    return Environments(
        id=name,
        count=sum(sizes.values()),
        sizes=sizes,
        complete_to=found.complete_to,
        consistent=None if consistent is None else labels.forest.count(consistent),
        environments=listed,
        witness=witness(graph, name),
    )


def _nogoods(labels: Labels, budget: int) -> int | None:
    """The environments of all nogoods; None where the budget does not suffice."""
    labels.forest.budget = labels.forest.steps + budget
    found = EMPTY
    try:
        for nogood in sorted(labels.compiled.nogoods):
            family = labels.family(labels.compiled.holder(nogood))
            with deep():
                found = labels.forest.union(found, family)
    except Exhausted:
        return None
    return found


def _consistent(labels: Labels, family: int, nogoods: int | None, budget: int) -> int | None:
    if nogoods is None:
        return None
    labels.forest.budget = labels.forest.steps + budget
    try:
        with deep():
            return labels.forest.without(family, nogoods)
    except Exhausted:
        return None


def _contains(labels: Labels, graph: Graph, nogoods: int, members: tuple[str, ...]) -> bool:
    levels = frozenset(labels.level_of[graph.number(m)] for m in members)
    return labels.forest.contains_subset(nogoods, levels)


def _listed(labels: Labels, family: int) -> Iterator[tuple[str, ...]]:
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


# -- what would help, what would harm ----------------------------------------------------------------------------


def repair(graph: Graph, name: str, *, limit: int = 100, budget: int = BUDGET) -> Answer:
    """The minimal sets of judgements to accept or adopt so that a node holds (is IN); all ties.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="disputed"), Claim(id="c2"),
    ...     Decision(id="d1", choice="x", supports=(("c1",), ("c2",)))])
    >>> repair(graph, "d1").sets
    (('c1',), ('c2',))
    """
    compiled, number = graph.compiled, graph.number(name)
    if compiled.declared.succession.superseded(number):
        return Answer(id=name, sets=(), complete=True, reason=_superseded(graph, number))
    found = label(compiled, compiled.holder(number), budget=budget)
    labels = found.labels
    family = _consistent(labels, found.family, _nogoods(labels, budget), budget)
    if family is None:
        return Answer(id=name, sets=(), complete=False, reason="the budget did not suffice to leave out what conflicts")
    if family == EMPTY:
        return Answer(id=name, sets=(), complete=found.complete_to is None, reason=_hopeless(graph, name, found.family))
    standing = frozenset(level for level, n in labels.node_at.items() if compiled.network.stands[n])
    with deep():
        left = labels.forest.beyond(family, standing)
    sets = tuple(islice(_listed(labels, left), limit))
    certified = tuple(s for s in sets if _certified(graph, name, s))
    whole = found.complete_to is None and len(certified) == labels.forest.count(left)
    return Answer(id=name, sets=certified, complete=whole, reason="" if sets != ((),) else "it holds already")


def _certified(graph: Graph, name: str, judgements: tuple[str, ...]) -> bool:
    after = graph.assuming([(_restoring(graph, m), m) for m in judgements])
    return after.word(name) in _HELD or (
        after.declared.facts(after.number(name)).kind not in ("claim", "decision", "question")
    )


_HELD = ("in", "active", "resolved", "ruled-out", "falsified", "violated")


def _restoring(graph: Graph, name: str) -> str:
    return "accept" if graph.declared.facts(graph.number(name)).kind == "claim" else "adopt"


def _superseded(graph: Graph, number: int) -> str:
    heads = graph.compiled.citations().heads(number).heads
    names = ", ".join(graph.declared.names.name(head) for head in heads)
    return f"it is superseded, and so never IN itself; ask for {names}"


def _hopeless(graph: Graph, name: str, family: int) -> str:
    if family != EMPTY:
        return "every environment contains a nogood: void one, or give other grounds"
    state = graph.status(name).state
    if graph.declared.facts(graph.number(name)).kind in ("alternative", "hypothesis"):
        return f"it is {state}: no judgement rests behind it"
    return "no judgement can help: what it rests on is missing, reversed or goes in a circle; give it other grounds"


def critical(graph: Graph, name: str, *, limit: int = 100, budget: int = BUDGET) -> Answer:
    """The minimal sets of judgements whose loss fells a node, its own judgement left out; all ties.

    They are the minimal hitting sets of its open consistent environments.
    """
    compiled, number = graph.compiled, graph.number(name)
    if compiled.declared.succession.superseded(number):
        return Answer(id=name, sets=(), complete=True, reason=_superseded(graph, number))
    labels = Labels(compiled, open_only=True, budget=budget)
    try:
        family = _open_without_own(labels, number, budget)
        if family == EMPTY:
            return Answer(id=name, sets=(), complete=True, reason="it does not hold")
        with deep():
            hitting = labels.forest.hitting(family)
    except Exhausted:
        return Answer(id=name, sets=(), complete=False, reason="the budget did not suffice")
    sets = tuple(islice(_listed(labels, hitting), limit))
    reason = "" if sets else "only its own judgement can fell it"
    return Answer(id=name, sets=sets, complete=len(sets) == labels.forest.count(hitting), reason=reason)


def _open_without_own(labels: Labels, number: int, budget: int) -> int:
    """The consistent open environments of a node, its own judgement left out."""
    compiled = labels.compiled
    family = labels.family(compiled.holder(number))
    nogoods = _nogoods(labels, budget)
    if nogoods is None:
        raise Exhausted
    with deep():
        family = labels.forest.without(family, nogoods)
        if number in labels.level_of:
            family = labels.forest.beyond(family, frozenset({labels.level_of[number]}))
    return family


def single(graph: Graph, name: str, *, budget: int = BUDGET) -> tuple[str, ...] | None:
    """The judgements, other than its own, that are in every open environment of a node; None: the budget was short.

    Without conflicts this needs no label: each judgement of one environment is taken away in turn.
    """
    compiled = graph.compiled
    if compiled.declared.succession.superseded(graph.number(name)):
        return ()
    if consistency(compiled).violated:
        return _single_beside_conflicts(graph, name, budget)
    candidates = witness(graph, name)
    return tuple(c for c in candidates or () if c != name and not _holds_without(compiled, graph, name, c))


def _single_beside_conflicts(graph: Graph, name: str, budget: int) -> tuple[str, ...] | None:
    labels = Labels(graph.compiled, open_only=True, budget=budget)
    try:
        family = _open_without_own(labels, graph.number(name), budget)
        with deep():
            points = labels.forest.cut(labels.forest.hitting(family), 1)
    except Exhausted:
        return None
    return tuple(members[0] for members in _listed(labels, points) if members)


def _holds_without(compiled: Compiled, graph: Graph, name: str, judgement: str) -> bool:
    verb = "dispute" if compiled.declared.facts(graph.number(judgement)).kind == "claim" else "revoke"
    change: Change = (verb, judgement)
    return graph.assuming([change]).compiled.holds(graph.number(name))


def pivotal(graph: Graph, name: str, *, budget: int = BUDGET) -> Answer:
    """The open matters that could change whether a node holds: one set each, in the order of ids.

    Open are unassessed and disputed claims and proposed decisions; a matter counts when it occurs in a minimal way to
    the node from what stands.
    """
    compiled, number = graph.compiled, graph.number(name)
    if compiled.declared.succession.superseded(number):
        return Answer(id=name, sets=(), complete=True, reason=_superseded(graph, number))
    found = label(compiled, compiled.holder(number), budget=budget)
    labels = found.labels
    family = _consistent(labels, found.family, _nogoods(labels, budget), budget)
    if family is None:
        return Answer(id=name, sets=(), complete=False, reason="the budget did not suffice")
    standing = frozenset(level for level, n in labels.node_at.items() if compiled.network.stands[n])
    closed = [
        level for level, n in labels.node_at.items() if compiled.declared.state(n) in ("rejected", "revoked", "clash")
    ]
    with deep():
        left = labels.forest.beyond(family, standing)
        for level in closed:
            left = labels.forest.without(left, labels.forest.single(level))
    names = sorted(compiled.declared.names.name(labels.node_at[level]) for level in labels.forest.support(left))
    reason = "" if names else "nothing that is open can change it"
    return Answer(id=name, sets=tuple((n,) for n in names), complete=found.complete_to is None, reason=reason)


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """A violated nogood with its minimal culprit sets: what stands now and makes all its members hold."""

    id: str
    members: tuple[str, ...]
    culprits: Sets
    complete: bool


def conflicts(graph: Graph, *, limit: int = 20, budget: int = BUDGET) -> tuple[Conflict, ...]:
    """All violated nogoods, sorted by id."""
    compiled = graph.compiled
    found = []
    for nogood in consistency(compiled).violated:
        labels = Labels(compiled, open_only=True, budget=budget)
        try:
            family = labels.family(compiled.holder(nogood))
            sets = tuple(islice(_listed(labels, family), limit))
            complete = len(sets) == labels.forest.count(family)
        except Exhausted:
            sets, complete = (), False
        name = compiled.declared.names.name(nogood)
        members = compiled.declared.facts(nogood).members
        found.append(Conflict(id=name, members=members, culprits=sets, complete=complete))
    return tuple(sorted(found, key=lambda c: c.id))


class Aftermath(msgspec.Struct, frozen=True, kw_only=True):
    """What a what-if leaves behind: nodes that rest on single judgements now and did not before, and ways to repair.

    `single_points` are of the survivors; `repairs` of claims and decisions that fell by consequence. Of each the first
    `most` are looked at, and `complete` says whether that was all.
    """

    single_points: dict[str, tuple[str, ...]]
    repairs: dict[str, Sets]
    complete: bool


def aftermath(graph: Graph, found: Impact, *, most: int = 20, budget: int = 200_000) -> Aftermath:
    """The single points gained, and the smallest repairs of what fell, after the change of an impact.

    >>> from tms.consequences import impact
    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c3", state="accepted"),
    ...     Decision(id="d1", choice="x", supports=(("c1",), ("c3",)))])
    >>> left = aftermath(graph, impact(graph, [("dispute", "c1")]))
    >>> left.single_points
    {'d1': ('c3',)}
    """
    after = graph.assuming(found.change)
    survivors, fell = [s.id for s in found.survived], [c.id for c in found.fell if c.depth]
    complete = max(len(survivors), len(fell)) <= most
    points: dict[str, tuple[str, ...]] = {}
    for name in survivors[:most]:
        now, then = single(after, name, budget=budget), single(graph, name, budget=budget)
        if now is None or then is None:  # the budget was short: nothing is said of this one
            complete = False
            continue
        gained = tuple(p for p in now if p not in then)
        points |= {name: gained} if gained else {}
    repairs = {name: repair(after, name, limit=5, budget=budget).sets for name in fell[:most]}
    return Aftermath(single_points=points, repairs={n: r for n, r in repairs.items() if r}, complete=complete)
