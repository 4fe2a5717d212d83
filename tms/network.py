"""The compiled network: who holds, as the least fixed point, kept up to date by touching only what can change.

Everything that can hold is a node number; a justification `j` says that `consequent[j]` holds when all `members[j]`
do. A node holds when it *stands* (its judgement is given, or it needs none) and one of its justifications is
satisfied. Prerequisites are members of every justification of their node. `NEVER` (0) is a node that never stands.

Invariants, which the property tests carry as names:

rank      `rank[x]` is 0 where x does not hold, else above the rank of every member of one satisfied justification,
          so that a circle can never hold itself up (`well-founded`); it is at least `order[x]`
order     members before consequents as far as that is possible: the order of arrival, where citations look back, so
          that *every* satisfied justification of a node lies below it and losing one of two costs a look
unmet     `unmet[j]` counts the members of j that do not hold (Dowling & Gallier 1984, section 3: counting)
height    `height[j]` is at least the rank of every holding member of j
circular  `circular[x]` marks what is in the greatest fixed point but not in the least

A node that loses something is checked, lowest rank first, before it is taken down: it stays when a satisfied
justification lies wholly below it (cf. Motik, Nenov, Piro & Horrocks 2015, section 4: check before delete).
The arrays of a `Network` are persistent vectors: a `Draft` edits them through evolvers, the old value stays.
The same `Draft` works on plain lists when a whole graph is built at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from pyrsistent import PVector, pvector

from tms.collector import unwalked

NEVER = 0
DEAD = -1

Members: TypeAlias = tuple[int, ...]

NODE_ARRAYS = ("stands", "rank", "order", "circular", "own", "edge")
EDGE_ARRAYS = ("edge_just", "edge_next")
JUST_ARRAYS = ("consequent", "members", "unmet", "height")


class Network:
    """An immutable compiled network; see the module's text for what each array means.

    `own[x]` are the live justifications of x; `edge[x]` starts the chain (through `edge_next`) of the justifications
    (`edge_just`) that have x as a member. Memory: about 60 bytes a node, 100 a justification, 24 an edge.
    """

    __slots__ = (*NODE_ARRAYS, *EDGE_ARRAYS, *JUST_ARRAYS, "garbage")

    def __init__(self, arrays: dict[str, PVector[Any]], garbage: int) -> None:
        for name, array in arrays.items():
            setattr(self, name, array)
        self.garbage = garbage

    stands: PVector[bool]
    rank: PVector[int]
    order: PVector[int]
    circular: PVector[bool]
    own: PVector[Members]
    edge: PVector[int]
    edge_just: PVector[int]
    edge_next: PVector[int]
    consequent: PVector[int]
    members: PVector[Members]
    unmet: PVector[int]
    height: PVector[int]
    garbage: int

    def draft(self) -> Draft:
        """A mutable copy whose cost is what it touches."""
        return Draft({name: getattr(self, name).evolver() for name in ARRAYS}, self.garbage)

    def consequents(self, node: int) -> Iterator[int]:
        """The nodes that have a live justification with `node` in it, possibly several times."""
        return _consequents(self, node)

    def holds(self, node: int) -> bool:
        return self.rank[node] > 0


ARRAYS = (*NODE_ARRAYS, *EDGE_ARRAYS, *JUST_ARRAYS)


def _consequents(net: Network | Draft, node: int) -> Iterator[int]:
    edge, nexts, justs, consequent = net.edge[node], net.edge_next, net.edge_just, net.consequent
    while edge >= 0:
        target = consequent[justs[edge]]
        if target >= 0:
            yield target
        edge = nexts[edge]


class Draft:
    """A network being edited: say what changed (`flip`, `replace`), then `settle`.

    `touched` holds every node whose standing, rank or circular mark changed since the draft was made, with the rank
    that it had before.
    """

    def __init__(self, arrays: dict[str, Any] | None = None, garbage: int = 0) -> None:
        arrays = arrays or {name: [] for name in ARRAYS}
        self.stands, self.rank, self.order = arrays["stands"], arrays["rank"], arrays["order"]
        self.circular = arrays["circular"]
        self.own, self.edge = arrays["own"], arrays["edge"]
        self.edge_just, self.edge_next = arrays["edge_just"], arrays["edge_next"]
        self.consequent, self.members = arrays["consequent"], arrays["members"]
        self.unmet, self.height = arrays["unmet"], arrays["height"]
        self.garbage = garbage
        self.touched: dict[int, int] = {}
        self._suspects: set[int] = set()  # may have lost what held them up
        self._hopeful: set[int] = set()  # may have gained something
        if not len(self.stands):
            self.grow(1)

    def freeze(self) -> Network:
        """The immutable network; the draft must not be used afterwards."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        if isinstance(self.stands, list):
            return Network({name: unwalked(pvector(array)) for name, array in arrays.items()}, self.garbage)
        return Network({name: unwalked(array.persistent()) for name, array in arrays.items()}, self.garbage)

    def consequents(self, node: int) -> Iterator[int]:
        """The nodes that have a live justification with `node` in it, possibly several times."""
        return _consequents(self, node)

    def grow(self, count: int) -> None:
        """Make room for node numbers below `count`; new nodes neither stand nor have a justification."""
        missing = count - len(self.stands)
        if missing > 0:
            self.order.extend(range(len(self.stands), count))
            for array, value in ((self.stands, False), (self.rank, 0), (self.circular, False), (self.own, ())):
                array.extend([value] * missing)
            self.edge.extend([-1] * missing)

    def flip(self, node: int, stands: bool) -> None:
        """Give or take the judgement of a node."""
        if self.stands[node] == stands:
            return
        self.stands[node] = stands
        self.touched.setdefault(node, self.rank[node])
        (self._hopeful if stands else self._suspects).add(node)

    def replace(self, node: int, justifications: Sequence[Members]) -> bool:
        """Give a node other justifications; those that stay are not touched. Says whether anything changed."""
        wanted = list(dict.fromkeys(justifications))
        kept, old = [], {self.members[j]: j for j in self.own[node]}
        if len(old) == len(wanted) and all(members in old for members in wanted):
            return False
        for members in wanted:
            kept.append(old.pop(members) if members in old else self._add(node, members))
        for just in old.values():
            self._kill(just)
        self.own[node] = tuple(kept)
        self.touched.setdefault(node, self.rank[node])
        self._suspects.add(node)
        self._hopeful.add(node)
        return True

    def load(self, node: int, justifications: Sequence[Members]) -> None:
        """The first justifications of a node, while nothing holds yet: the bulk form of `replace`."""
        start = len(self.consequent)
        edge, edge_just, edge_next, number = self.edge, self.edge_just, self.edge_next, len(self.edge_just)
        just = start
        for members in justifications:
            for member in members:
                edge_just.append(just)
                edge_next.append(edge[member])
                edge[member] = number
                number += 1
            self.consequent.append(node)
            self.members.append(members)
            self.unmet.append(len(members))
            self.height.append(0)
            just += 1
        self.own[node] = tuple(range(start, just))

    def _add(self, node: int, members: Members) -> int:
        just, rank = len(self.consequent), self.rank
        ranks = [rank[member] for member in members]
        for member in members:
            self.edge_just.append(just)
            self.edge_next.append(self.edge[member])
            self.edge[member] = len(self.edge_just) - 1
        self.consequent.append(node)
        self.members.append(members)
        self.unmet.append(ranks.count(0))
        self.height.append(max(ranks, default=0))
        return just

    def _kill(self, just: int) -> None:
        self.garbage += 1 + len(self.members[just])
        self.consequent[just] = DEAD
        self.members[just] = ()

    def put_in_order(self) -> None:
        """Renumber `order`, members first (Kahn 1962), where many citations look ahead; circles go in as they stand."""
        ahead = sum(1 for just, members in enumerate(self.members) if members and members[-1] > self.consequent[just])
        if ahead * 100 <= len(self.members):
            return
        waiting = [sum(len(self.members[just]) for just in own) for own in self.own]
        place, ready = 0, [node for node, count in enumerate(waiting) if not count]
        for node in (*range(len(waiting)), -1):
            for current in ready:
                self.order[current], place = place, place + 1
                for target in _consequents(self, current):
                    waiting[target] -= 1
                    if not waiting[target]:
                        ready.append(target)
            ready = [node] if node >= 0 and waiting[node] > 0 else []
            if ready:
                waiting[node] = 0

    def settle_new(self) -> None:
        """The first fixed point of a network built by `load`: every node whose justification needs nothing starts."""
        self.put_in_order()
        ready = (just for just, members in enumerate(self.members) if not members)
        self._propagate(self._raise(self.consequent[just], just) for just in ready)
        stands, rank, own = self.stands, self.rank, self.own
        self._find_circles({x for x in range(len(stands)) if stands[x] and not rank[x] and own[x]}, set())

    def settle(self) -> None:
        """Bring `rank` and `circular` up to date with all edits since the last call."""
        fallen = self._fall()
        risen = self._rise(fallen)
        rank, stands = self.rank, self.stands
        hopeful = {x for x in self._hopeful | fallen if stands[x] and not rank[x]}
        for node in risen:
            if not self.circular[node]:
                hopeful.update(c for c in _consequents(self, node) if stands[c] and not rank[c])
        self._find_circles(hopeful, self._suspects | fallen | set(risen))
        self._suspects, self._hopeful = set(), set()

    # -- what falls ---------------------------------------------------------------------------------------------

    def _fall(self) -> set[int]:
        """Take down, lowest rank first, every suspect that no justification below it holds up."""
        rank, stands, unmet, consequent = self.rank, self.stands, self.unmet, self.consequent
        heap = [(rank[x], x) for x in self._suspects if rank[x]]
        heapq.heapify(heap)
        fallen: set[int] = set()
        while heap:
            level, node = heapq.heappop(heap)
            if rank[node] != level or (stands[node] and self._held_below(node, level)):
                continue
            fallen.add(node)
            self.touched.setdefault(node, level)
            rank[node] = 0
            edge = self.edge[node]
            while edge >= 0:
                just = self.edge_just[edge]
                unmet[just] = unmet[just] + 1
                target = consequent[just]
                if target >= 0 and rank[target] > level:
                    heapq.heappush(heap, (rank[target], target))
                edge = self.edge_next[edge]
        return fallen

    def _held_below(self, node: int, level: int) -> bool:
        unmet, height = self.unmet, self.height
        return any(not unmet[just] and height[just] < level for just in self.own[node])

    # -- what rises ---------------------------------------------------------------------------------------------

    def _rise(self, fallen: set[int]) -> list[int]:
        """Raise what has a satisfied justification, and what follows from it."""
        starts = []
        for node in sorted(self._hopeful | fallen):
            if self.stands[node] and not self.rank[node]:
                ready = [j for j in self.own[node] if not self.unmet[j]]
                if ready:
                    starts.append(self._raise(node, min(ready, key=self.height.__getitem__)))
        return self._propagate(starts)

    def _raise(self, node: int, just: int) -> int:
        """`node` holds by `just`, if it stands; NEVER is returned where it does not, or where it holds already."""
        if self.rank[node] or not self.stands[node]:
            return NEVER
        self.rank[node] = max(self.order[node], self.height[just] + 1)
        self.touched.setdefault(node, 0)
        return node

    def _propagate(self, starts: Iterable[int]) -> list[int]:
        """Counting (Dowling & Gallier): each risen node is met once in each justification that has it as a member."""
        rank, stands, unmet, height = self.rank, self.stands, self.unmet, self.height
        edge_just, edge_next, consequent, touched = self.edge_just, self.edge_next, self.consequent, self.touched
        order = self.order
        queue = [node for node in starts if node != NEVER]
        for node in queue:
            edge, level = self.edge[node], rank[node]
            while edge >= 0:
                just = edge_just[edge]
                left = unmet[just] - 1
                unmet[just] = left
                if height[just] < level:
                    height[just] = level
                if not left:
                    target = consequent[just]
                    if target >= 0 and not rank[target] and stands[target]:
                        above, least = height[just] + 1, order[target]
                        rank[target] = above if above > least else least
                        touched.setdefault(target, 0)
                        queue.append(target)
                edge = edge_next[edge]
        return queue

    # -- what would hold if circles counted ---------------------------------------------------------------------

    def _find_circles(self, hopeful: set[int], shaken: set[int]) -> None:
        """Update the greatest fixed point above the least one, locally.

        `hopeful` may have entered it: assume it, with all that could follow, then take out what lacks support.
        `shaken` may have left it, or have left what it marks (by holding now): what rested on them is checked again.
        """
        rank, stands, circular = self.rank, self.stands, self.circular
        assumed, checks = self._could_follow(hopeful), set(shaken)
        for node in shaken:
            if circular[node] and (rank[node] or not stands[node]):
                self._mark(node, False)
            if not rank[node]:
                checks.update(c for c in _consequents(self, node) if circular[c])
        for node in assumed:
            self._mark(node, True)
        _Pruning(self).run([x for x in sorted(checks | assumed) if circular[x]])

    def _could_follow(self, hopeful: set[int]) -> set[int]:
        rank, stands, circular = self.rank, self.stands, self.circular
        found: set[int] = set()
        stack = list(hopeful)
        while stack:
            node = stack.pop()
            if node in found or circular[node] or rank[node] or not stands[node]:
                continue
            found.add(node)
            stack.extend(_consequents(self, node))
        return found

    def _mark(self, node: int, value: bool) -> None:
        self.touched.setdefault(node, self.rank[node])
        self.circular[node] = value


class _Pruning:
    """Takes out of the marked nodes those without a justification whose members all hold or are marked."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.alive: dict[int, bool] = {}

    def run(self, queue: list[int]) -> None:
        draft, alive = self.draft, self.alive
        while queue:
            node = queue.pop()
            if not draft.circular[node] or any(self._alive(j) for j in draft.own[node]):
                continue
            draft._mark(node, False)
            edge = draft.edge[node]
            while edge >= 0:
                just = draft.edge_just[edge]
                alive[just] = False
                target = draft.consequent[just]
                if target >= 0 and draft.circular[target]:
                    queue.append(target)
                edge = draft.edge_next[edge]

    def _alive(self, just: int) -> bool:
        known = self.alive.get(just)
        if known is None:
            rank, circular = self.draft.rank, self.draft.circular
            known = all(rank[m] or circular[m] for m in self.draft.members[just])
            self.alive[just] = known
        return known
