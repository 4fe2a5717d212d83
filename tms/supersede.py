"""Where a citation leads when its target was superseded: heads, hops that lose it, hops that need a review.

A `Succession` holds, for each superseded node number, who supersedes it and why. Supersessions in a circle count
for nothing, and so do those that `counts` refuses (a claim that supersedes a question): they are dropped before
anything else is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from tms.components import components
from tms.table import Table

Hop: TypeAlias = tuple[int, str]  # (successor, reason)


class Heads(NamedTuple):
    """`heads`: the successors that nothing supersedes, sorted; `lost`: some hop on the way was a `reverse`."""

    heads: tuple[int, ...]
    lost: bool


HeadsFound: TypeAlias = tuple[dict[int, Heads], dict[int, tuple[Hop, ...]]]


class Succession:
    """Answers about one state of the supersessions; remembers what it worked out.

    >>> s = Succession(Table({1: ((2, "revise"),), 2: ((3, "restate"),)}))
    >>> s.heads(1), s.hops(1), s.revised(1, frozenset())
    (Heads(heads=(3,), lost=False), ((2, 'revise'),), True)
    >>> s.revised(1, frozenset({2})), s.revised(1, frozenset({3}))
    (False, False)
    >>> Succession(Table({1: ((2, "revise"),), 2: ((1, "revise"),)})).heads(1)  # a circle counts for nothing
    Heads(heads=(1,), lost=False)
    """

    def __init__(
        self,
        raw: Table[int, tuple[Hop, ...]],
        counts: Callable[[int, int], bool] = lambda successor, node: True,
        found: HeadsFound | None = None,
    ) -> None:
        self._raw = raw
        self._counts = counts
        self._known, self._hops = ({}, {}) if found is None else found

    def __contains__(self, node: int) -> bool:
        return node in self._raw

    def superseded(self, node: int) -> bool:
        return node in self._raw and bool(self.hops(node))

    def _declared(self, node: int) -> list[Hop]:
        return [hop for hop in self._raw.get(node, ()) if self._counts(hop[0], node)]

    def heads(self, node: int) -> Heads:
        if node not in self._raw:
            return Heads((node,), False)
        if node not in self._known:
            self._work_out(node)
        return self._known[node]

    def hops(self, node: int) -> tuple[Hop, ...]:
        """The supersessions of a node that count, sorted."""
        if node not in self._raw:
            return ()
        if node not in self._known:
            self._work_out(node)
        return self._hops[node]

    def circles(self) -> list[list[int]]:
        """The supersession circles: components of more than one node, and nodes that supersede themselves."""
        found = components(sorted(self._raw), lambda n: [s for s, _ in self._declared(n)])
        return [sorted(c) for c in found if len(c) > 1 or any(s == c[0] for s, _ in self._declared(c[0]))]

    def revised(self, node: int, reviewed: frozenset[int]) -> bool:
        """Does some way to a head take a `revise` hop after which nobody reviewed what it leads to?"""
        stack, seen = [(node, False)], {(node, False)}
        while stack:
            current, dirty = stack.pop()
            hops = self.hops(current)
            if dirty and not hops:
                return True
            for successor, reason in hops:
                state = (successor, (dirty or reason == "revise") and successor not in reviewed)
                if state not in seen:
                    seen.add(state)
                    stack.append(state)
        return False

    def _work_out(self, start: int) -> None:
        known = self._known
        for component in components([start], lambda n: () if n in known else [s for s, _ in self._declared(n)]):
            inside = set(component)
            for node in component:
                if node in known:
                    continue
                hops = tuple(sorted({hop for hop in self._declared(node) if hop[0] not in inside}))
                self._hops[node] = hops
                known[node] = self._joined(node, hops)

    def _joined(self, node: int, hops: tuple[Hop, ...]) -> Heads:
        """Sinks come first, so the successors are known: but a circle's members share what leads out of it."""
        if not hops:
            return Heads((node,), False)
        known = self._known
        heads = sorted({head for successor, _ in hops for head in known[successor].heads})
        lost = any(reason == "reverse" or known[successor].lost for successor, reason in hops)
        return Heads(tuple(heads), lost)
