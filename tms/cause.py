"""The first cause of what does not hold: from a node down to one whose own state is the reason.

From every node one way leads on: to its first unmet prerequisite, else to the first unmet member of its first support
set, in the order of the record. The ways meet, so the roots of all nodes together cost one walk over the graph. Ways
that run in a circle have the smallest id of the circle as their root.
"""

from __future__ import annotations

from typing import NamedTuple

from tms.cite import HELD_BY_HELPER, cited
from tms.compile import Compiled
from tms.entry import MISSING
from tms.network import NEVER
from tms.status import citation, met, word

MAX_CHAIN = 24


class Way(NamedTuple):
    """One step on: the ids passed, the node reached (NEVER: the way ends here), why it ends."""

    passed: tuple[str, ...]
    target: int
    reason: str


class Root(NamedTuple):
    """Where the way from a node ends, and how many steps away that is."""

    name: str
    reason: str
    steps: int


def first_cause(graph: Compiled, node: int, name: str) -> tuple[tuple[str, ...], int, str]:
    """The chain from `node` through its unmet citation of `name` to the root, how many ids it leaves out, the reason.

    At most `MAX_CHAIN` ids; the root is always the last.
    """
    first = _by(graph, node, name)
    start = (graph.declared.names.name(node), *first.passed)
    if first.target == NEVER:
        return start, 0, first.reason
    root = root_of(graph, first.target)
    chain, node, steps = list(start), first.target, root.steps
    while steps and len(chain) < MAX_CHAIN - 1:
        way = way_on(graph, node)
        chain.extend(way.passed)
        node, steps = way.target, steps - 1
    if steps:
        chain.append(root.name)
    return tuple(chain), max(0, steps - 1), root.reason


def root_of(graph: Compiled, node: int) -> Root:
    """The root cause of a node that does not hold."""
    known: dict[int, Root] = graph.roots
    path: list[int] = []
    place: dict[int, int] = {}
    while node not in known:
        if node in place:
            _close_circle(graph, path[place[node] :])
            break
        place[node] = len(path)
        path.append(node)
        way = way_on(graph, node)
        if way.target == NEVER:
            end = way.passed[-1] if way.passed else graph.declared.names.name(node)
            known[node] = Root(end, way.reason, len(way.passed[:1]))
            break
        node = way.target
    for earlier in reversed(path):
        if earlier not in known:
            after = known[way_on(graph, earlier).target]
            known[earlier] = after._replace(steps=after.steps + 1)
    return known[path[0] if path else node]


def _close_circle(graph: Compiled, circle: list[int]) -> None:
    """The smallest id of a circle is its root; the others are as far from it as the way is long."""
    name = graph.declared.names.name
    at = circle.index(min(circle, key=name))
    for steps, node in enumerate([circle[at], *reversed(circle[:at]), *reversed(circle[at + 1 :])]):
        graph.roots[node] = Root(name(circle[at]), "circular", steps)


def way_on(graph: Compiled, node: int) -> Way:
    """The step from a node that does not hold towards its first cause."""
    if graph.declared.stands(node):
        facts = graph.declared.facts(node)
        for name in (*facts.depends_on, *cited(facts._replace(depends_on=()))):
            if not met(graph, citation(graph, node, name)):
                return _by(graph, node, name)
    return Way((), NEVER, word(graph, node))


def _by(graph: Compiled, node: int, name: str) -> Way:
    declared = graph.declared
    number = declared.names.number(name) if name else None
    if number is None or not declared.facts(number).exists:
        return Way((name or "a void ground",), NEVER, MISSING)
    if declared.facts(number).kind in HELD_BY_HELPER:
        return Way((name,), NEVER, "wrong-kind")
    heads = graph.citations().heads(number)
    if heads.lost:
        return Way((name,), NEVER, "lost")
    target = next((head for head in heads.heads if not graph.network.rank[head]), number)
    reached = declared.names.name(target)
    return Way((reached,) if reached == name else (name, reached), target, "")
