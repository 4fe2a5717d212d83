"""From the declared layer to the network of who holds, and from one version to the next.

`Compiled.of` builds the whole network. `Compiled.update` finds the nodes whose justifications a change can reach,
compiles only those again, and lets the network settle. Both give the same answers: a property test holds them
together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tms.circles import find_literals
from tms.cite import HELD_BY_HELPER, Citations, Pair
from tms.collector import paused
from tms.declared import Declared
from tms.network import NEVER, Draft, Members, Network
from tms.shelf import Shelf
from tms.table import Table

MAX_GARBAGE = 4096


class Compiled:
    """An immutable compiled graph.

    `declared` has numbers for the helper nodes too; `literals` are the citations met also literally, `zone` the nodes
    of their circles; `moved[m]` are the nodes that cite the superseded m, `moves[x]` the superseded ones that x cites.
    """

    __slots__ = [
        "consistency",
        "declared",
        "literals",
        "moved",
        "moves",
        "network",
        "nogoods",
        "roots",
        "shelf",
        "zone",
    ]

    def __init__(
        self,
        declared: Declared,
        network: Network,
        literals: frozenset[Pair],
        zone: frozenset[int],
        moved: Table[int, frozenset[int]],
        moves: Table[int, tuple[int, ...]],
        nogoods: frozenset[int],
        shelf: Shelf,
    ) -> None:
        self.declared, self.network, self.literals, self.zone = declared, network, literals, zone
        self.moved, self.moves, self.nogoods, self.shelf = moved, moves, nogoods, shelf
        self.consistency: Any = None  # worked out by tms.nogoods when it is asked
        self.roots: dict[int, Any] = {}  # filled by tms.cause as it is asked

    @staticmethod
    def of(declared: Declared) -> Compiled:
        """Compile everything; linear in the size of the graph, and a component search where citations moved."""
        with paused():
            return _compile(declared)

    def citations(self) -> Citations:
        return Citations(self.declared, self.literals)

    def holder(self, node: int) -> int:
        if self.declared.facts(node).kind in HELD_BY_HELPER:
            return self.declared.names.number(self.declared.names.name(node) + "\n") or NEVER
        return node

    def owner(self, number: int) -> int:
        """The node that a helper belongs to; any other number is its own."""
        name = self.declared.names.name(number)
        if "\n" not in name:
            return number
        return self.declared.names.number(name.partition("\n")[0]) or NEVER

    def holds(self, node: int) -> bool:
        """In the plain fixed point: nogoods left aside, retired or not."""
        return self.network.holds(self.holder(node))

    def assuming(self, declared: Declared, nodes: Iterable[int]) -> tuple[Compiled, set[int]]:
        """The same graph under other judgements on `nodes`, and the numbers whose standing or holding changed."""
        draft, unjudged = self.network.draft(), []
        for node in nodes:
            if not self.declared.facts(node).judged and draft.stands[node] != declared.stands(node):
                unjudged.append(node)  # e.g. a hypothesis: labels do not tell its state apart, they take it as it is
            draft.flip(node, declared.stands(node))
        draft.settle()
        network = draft.freeze()
        shelf = self.shelf.after(unjudged, network) if unjudged else self.shelf
        compiled = Compiled(declared, network, self.literals, self.zone, self.moved, self.moves, self.nogoods, shelf)
        return compiled, set(draft.touched)

    def update(self, after: Declared, nodes: Iterable[int]) -> tuple[Compiled, set[int]]:
        """The compiled form of `after`, in which only `nodes` have other lines than before."""
        from tms.update import Update

        return Update(self, after, sorted(set(nodes))).run()


def _compile(declared: Declared) -> Compiled:
    citations = Citations(_with_options(declared))
    moves = _all_moves(citations)
    literals, zone = find_literals(citations, candidates(citations, moves))
    citations = Citations(citations.declared, literals)
    draft = Draft()
    for node, holder, justifications in _justified(citations):
        draft.grow(holder + 1)
        draft.grow(len(citations.declared.names))
        draft.stands[holder] = citations.declared.stands(node)
        draft.load(holder, justifications)
    for x, m in sorted(literals):
        helper = citations.literal_helper(x, m)
        draft.grow(len(citations.declared.names))
        draft.stands[helper] = True
        draft.load(helper, citations.literal_justifications(x, m))
    draft.settle_new()
    return Compiled(
        citations.declared,
        draft.freeze(),
        literals,
        zone,
        _inverse(moves),
        Table(moves),
        _nogoods(citations.declared),
        Shelf(),
    )


def _nogoods(declared: Declared) -> frozenset[int]:
    return frozenset(node for node in range(1, len(declared.names)) if declared.facts(node).kind == "nogood")


def _justified(citations: Citations) -> Iterator[tuple[int, int, list[Members]]]:
    """Each node that is there, the number that holds it, and its justifications."""
    for node, name in enumerate(citations.declared.names, 1):
        if "\n" not in name and citations.declared.facts(node).exists:
            yield node, citations.holder(node), citations.justifications(node)


def _with_options(declared: Declared) -> Declared:
    """Every alternative, inherited ones too, gets its number before anything cites it."""
    citations = Citations(declared)
    for node, name in enumerate(declared.names, 1):
        facts = declared.facts(node)
        if facts.kind == "decision" and (facts.alternatives or facts.supersedes):
            for key in citations.declared.options(node):
                citations.number(f"{name}/{key}")
    return citations.declared if citations.declared is declared else citations.declared.with_()


def _all_moves(citations: Citations) -> dict[int, tuple[int, ...]]:
    if not citations.declared.superseders:
        return {}
    moves = {node: citations.moves(node) for node in range(1, len(citations.declared.names))}
    return {node: found for node, found in moves.items() if found}


def candidates(citations: Citations, moves: Any) -> list[Pair]:
    """Moved citations that a circle could make literal."""
    declared = citations.declared
    return [
        (x, m)
        for x, cited in moves.items()
        if declared.facts(x).kind not in HELD_BY_HELPER
        for m in cited
        if declared.facts(m).exists and not citations.heads(m).lost
    ]


def _inverse(moves: dict[int, tuple[int, ...]]) -> Table[int, frozenset[int]]:
    moved: dict[int, set[int]] = {}
    for node, found in moves.items():
        for target in found:
            moved.setdefault(target, set()).add(node)
    return Table({m: frozenset(xs) for m, xs in moved.items()})
