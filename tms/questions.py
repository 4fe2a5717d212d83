"""What would help and what would harm: repair, critical, single, pivotal, conflicts, and what a what-if leaves behind.

Every answer lists the smallest sets first, all ties of one size in the order of their ids, and says whether it is all
there is. A repair and a critical set are certified against the linear status: applied, it does what it says.
"""

from __future__ import annotations

from itertools import islice

import msgspec

from tms.bounded import Label, label
from tms.compile import Compiled
from tms.consequences import Impact
from tms.graph import Change, Graph
from tms.labels import Labels
from tms.listing import consistent_of, listed, nogoods_of, witness
from tms.nogoods import consistency
from tms.zdd import EMPTY, Exhausted

Sets = tuple[tuple[str, ...], ...]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """Minimal sets of judgements, smallest first; `complete`: these are all. `reason` says why there is none."""

    id: str
    sets: Sets
    complete: bool
    reason: str = ""


# -- what would help, what would harm ----------------------------------------------------------------------------


def repair(graph: Graph, name: str, *, limit: int = 100, budget: int | None = None) -> Answer:
    """The minimal sets of judgements to accept or adopt so that a node holds (is IN); all ties.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="disputed"), Claim(id="c2"),
    ...     Decision(id="d1", choice="x", supports=(("c1",), ("c2",)))])
    >>> repair(graph, "d1").sets
    (('c1',), ('c2',))
    """
    budget = graph.bounds.budget if budget is None else budget
    number = graph.number(name)
    if graph.declared.succession.superseded(number):
        return Answer(id=name, sets=(), complete=True, reason=_superseded(graph, number))
    found = _ways_back(graph.compiled, number, budget)
    if found is None:
        return Answer(id=name, sets=(), complete=False, reason="the budget did not suffice to leave out what conflicts")
    whole = found.complete_to is None
    if found.family == EMPTY:
        return Answer(id=name, sets=(), complete=whole, reason=_hopeless(graph, name, budget) if whole else _CUT)
    sets = tuple(islice(listed(found.labels, found.family), limit))
    certified = tuple(s for s in sets if _certified(graph, name, s) and (whole or not _too_much(graph, name, s)))
    complete = whole and len(certified) == found.labels.forest.count(found.family)
    return Answer(id=name, sets=certified, complete=complete, reason="" if sets != ((),) else "it holds already")


_CUT = "none was found within the budget; --budget gives more"


def _ways_back(compiled: Compiled, number: int, budget: int) -> Label | None:
    """The minimal sets of judgements that what stands lacks, for a node to hold consistently; None: no budget left.

    Where there is no nogood, what stands is taken for granted from the start: nothing of it needs to be told apart.
    """
    holder = compiled.holder(number)
    if not compiled.nogoods:
        return label(compiled, holder, budget=budget, lacking=True)
    found = label(compiled, holder, budget=budget)
    labels, stands = found.labels, compiled.network.stands
    family = consistent_of(labels, found.family, nogoods_of(labels, budget), budget)
    if family is None:
        return None
    standing = frozenset(level for level in labels.forest.support(family) if stands[labels.node_at[level]])
    try:
        with labels.forest.working(budget):
            return found._replace(family=labels.forest.beyond(family, standing))
    except Exhausted:
        return None


def _too_much(graph: Graph, name: str, judgements: tuple[str, ...]) -> bool:
    """Whether less would do: from a cut label, a set may seem minimal that is not."""
    return any(_certified(graph, name, (*judgements[:k], *judgements[k + 1 :])) for k in range(len(judgements)))


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


def _hopeless(graph: Graph, name: str, budget: int) -> str:
    compiled = graph.compiled
    if compiled.nogoods and label(compiled, compiled.holder(graph.number(name)), budget=budget).family != EMPTY:
        return "every environment contains a nogood: void one, or give other grounds"
    state = graph.status(name).state
    if graph.declared.facts(graph.number(name)).kind in ("alternative", "hypothesis"):
        return f"it is {state}: no judgement rests behind it"
    return "no judgement can help: what it rests on is missing, reversed or goes in a circle; give it other grounds"


def critical(graph: Graph, name: str, *, limit: int = 100, budget: int | None = None) -> Answer:
    """The minimal sets of judgements whose loss fells a node, its own judgement left out; all ties.

    They are the minimal hitting sets of its open consistent environments.
    """
    budget = graph.bounds.budget if budget is None else budget
    compiled, number = graph.compiled, graph.number(name)
    if compiled.declared.succession.superseded(number):
        return Answer(id=name, sets=(), complete=True, reason=_superseded(graph, number))
    labels = Labels(compiled, open_only=True)
    try:
        with labels.forest.working(budget):
            family = _open_without_own(labels, number)
            hitting = labels.forest.hitting(family)
    except Exhausted:
        return Answer(id=name, sets=(), complete=False, reason="the budget did not suffice")
    if family == EMPTY:
        return Answer(id=name, sets=(), complete=True, reason="it does not hold")
    sets = tuple(islice(listed(labels, hitting), limit))
    reason = "" if sets else "only its own judgement can fell it"
    return Answer(id=name, sets=sets, complete=len(sets) == labels.forest.count(hitting), reason=reason)


def _open_without_own(labels: Labels, number: int) -> int:
    """The consistent open environments of a node, its own judgement left out; raises `Exhausted`."""
    family = labels.family(labels.compiled.holder(number))
    nogoods = nogoods_of(labels, None)
    if nogoods is None:
        raise Exhausted
    family = labels.forest.without(family, nogoods)
    own = labels.level_of.get(number)
    return family if own is None else labels.forest.beyond(family, frozenset({own}))


def single(graph: Graph, name: str, *, budget: int | None = None) -> tuple[str, ...] | None:
    """The judgements, other than its own, that are in every open environment of a node; None: the budget was short.

    Without conflicts this needs no label: each judgement of one environment is taken away in turn.
    """
    budget = graph.bounds.budget if budget is None else budget
    compiled = graph.compiled
    if compiled.declared.succession.superseded(graph.number(name)):
        return ()
    if consistency(compiled).violated:
        return _single_beside_conflicts(graph, name, budget)
    candidates = witness(graph, name)
    return tuple(c for c in candidates or () if c != name and not _holds_without(compiled, graph, name, c))


def _single_beside_conflicts(graph: Graph, name: str, budget: int) -> tuple[str, ...] | None:
    labels = Labels(graph.compiled, open_only=True)
    try:
        with labels.forest.working(budget):
            points = labels.forest.cut(labels.forest.hitting(_open_without_own(labels, graph.number(name))), 1)
    except Exhausted:
        return None
    return tuple(members[0] for members in listed(labels, points) if members)


def _holds_without(compiled: Compiled, graph: Graph, name: str, judgement: str) -> bool:
    verb = "dispute" if compiled.declared.facts(graph.number(judgement)).kind == "claim" else "revoke"
    change: Change = (verb, judgement)
    return graph.assuming([change]).compiled.holds(graph.number(name))


def pivotal(graph: Graph, name: str, *, budget: int | None = None) -> Answer:
    """The open matters that could change whether a node holds: one set each, in the order of ids.

    Open are unassessed and disputed claims and proposed decisions; a matter counts when it occurs in a minimal way to
    the node from what stands.
    """
    budget = graph.bounds.budget if budget is None else budget
    number = graph.number(name)
    if graph.declared.succession.superseded(number):
        return Answer(id=name, sets=(), complete=True, reason=_superseded(graph, number))
    found = _ways_back(graph.compiled, number, budget)
    try:
        names = None if found is None else _open_matters(graph, name, found, budget)
    except Exhausted:
        names = None
    if found is None or names is None:
        return Answer(id=name, sets=(), complete=False, reason="the budget did not suffice")
    complete = found.complete_to is None
    reason = "" if names else ("nothing that is open can change it" if complete else _CUT)
    return Answer(id=name, sets=tuple((n,) for n in names), complete=complete, reason=reason)


def _open_matters(graph: Graph, name: str, found: Label, budget: int) -> list[str]:
    """What occurs in some way back that has no closed matter in it, sorted."""
    labels, left, forest = found.labels, found.family, found.labels.forest
    declared = graph.compiled.declared
    with forest.working(budget):
        for level in sorted(forest.support(left)):
            if declared.state(labels.node_at[level]) in _CLOSED:
                left = forest.without(left, forest.single(level))
    if found.complete_to is None:
        return sorted(declared.names.name(labels.node_at[level]) for level in forest.support(left))
    sets = islice(listed(labels, left), _LOOKED_AT)
    return sorted({member for s in sets if not _too_much(graph, name, s) for member in s})


_CLOSED = ("rejected", "revoked", "clash")
_LOOKED_AT = 1_000  # ways back of a cut label, each held against the status


class Conflict(msgspec.Struct, frozen=True, kw_only=True):
    """A violated nogood with its minimal culprit sets: what stands now and makes all its members hold."""

    id: str
    members: tuple[str, ...]
    culprits: Sets
    complete: bool


def conflicts(graph: Graph, *, limit: int = 20, budget: int | None = None) -> tuple[Conflict, ...]:
    """All violated nogoods, sorted by id."""
    budget = graph.bounds.budget if budget is None else budget
    compiled = graph.compiled
    found = []
    for nogood in consistency(compiled).violated:
        labels = Labels(compiled, open_only=True)
        try:
            family = labels.family(compiled.holder(nogood), budget)
            sets = tuple(islice(listed(labels, family), limit))
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
