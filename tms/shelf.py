"""What is known of the labels of one graph: shared by all its what-ifs, handed on from each version to the next.

A label says under which judgements a node would hold, whatever is judged now: disputing and accepting change none. A
new line takes away the labels of what lies downstream of it, and only those; they are worked out again when they are
asked for. All versions share one forest of families, in which equal families have one number; when most of it is
used by nobody any more, what is still known moves to a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pyrsistent import PVector, pvector

from tms.collector import unwalked
from tms.network import NEVER, Network
from tms.zdd import EMPTY, Forest

BUDGET = 9_000_000  # steps of the operators: some twenty-five seconds, seldom needed
_UNKNOWN = -1
_ROOM = 400_000  # nodes and remembered steps, beyond four times what is in use
_GOALS = 4


class Bounds(NamedTuple):
    """How far labels are worked out: environments of at most `size` members, `budget` steps for each question."""

    size: int | None = None
    budget: int = BUDGET


class Families:
    """The families of node numbers, as a mapping; kept in a persistent vector."""

    def __init__(self, kept: PVector[int]) -> None:
        self._kept = kept.evolver()

    def __contains__(self, number: int) -> bool:
        return number < len(self._kept) and self._kept[number] != _UNKNOWN

    def __getitem__(self, number: int) -> int:
        return self._kept[number]

    def __setitem__(self, number: int, family: int) -> None:
        for _ in range(len(self._kept), number + 1):
            self._kept.append(_UNKNOWN)
        self._kept[number] = family

    def pop(self, number: int, default: int | None = None) -> None:
        """Forget one, if it is there."""
        if number in self:
            self._kept[number] = _UNKNOWN

    def kept(self) -> PVector[int]:
        """All of them, as a value."""
        return unwalked(self._kept.persistent())


class Shelf:
    """The labels known of one version; `goals` are those that needed a forest of their own, the last few.

    >>> shelf = Shelf()
    >>> len(shelf.forest), list(shelf.known())
    (2, [])
    """

    __slots__ = ("_in_use", "families", "forest", "goals", "level_of", "node_at")

    def __init__(self) -> None:
        self.forest = Forest()
        self.level_of: dict[int, int] = {}
        self.node_at: dict[int, int] = {}
        self.families: PVector[int] = pvector([EMPTY])  # of NEVER
        self.goals: dict[int, Any] = {}
        self._in_use = 0

    def known(self) -> Iterator[tuple[int, int]]:
        """Each number whose label is known, with its family."""
        return ((n, f) for n, f in enumerate(self.families) if f != _UNKNOWN and n != NEVER)

    def after(self, changed: Iterable[int], network: Network) -> Shelf:
        """The shelf of the next version, in which the grounds of some nodes are others."""
        families, waiting = Families(self.families), list(changed)
        while waiting:
            number = waiting.pop()
            if number in families:  # else nothing that rests on it is known either
                families.pop(number)
                waiting.extend(network.consequents(number))
        found = Shelf()
        found.forest, found.level_of, found.node_at = self.forest, self.level_of, self.node_at
        found.families, found._in_use = families.kept(), self._in_use
        return found

    def keep(self, number: int, label: Any) -> None:
        """Remember a label that has a forest of its own; the oldest of more than a few is forgotten."""
        self.goals[number] = label
        for oldest in list(self.goals)[:-_GOALS]:
            del self.goals[oldest]

    def tidy(self) -> None:
        """Move what is known to a new forest, when the old one holds mostly what nobody uses."""
        if self.forest.held() <= 4 * self._in_use + _ROOM:
            return
        old, self.forest = self.forest, Forest()
        moved = self.forest.copied(old, {family for _, family in self.known()})
        families = Families(self.families)
        for number, family in list(self.known()):
            families[number] = moved[family]
        self.families, self._in_use = families.kept(), len(self.forest)
