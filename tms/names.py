"""Ids and their numbers.

Numbers are given in the order of arrival and never change; number 0 is nobody's. Names with a line break in them are
the engine's own helpers (see `tms.cite`); no id of a user can hold one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyrsistent import PVector, pvector

from tms.collector import unwalked
from tms.table import Table


class Names:
    """An immutable two-way map between ids and node numbers.

    >>> names, number = Names.empty().with_name("c1")
    >>> number, names.number("c1"), names.name(1), names.number("c2"), len(names)
    (1, 1, 'c1', None, 2)
    """

    __slots__ = ("_list", "_numbers", "number")

    def __init__(self, numbers: Table[str, int], listed: PVector[str]) -> None:
        self._numbers, self._list = numbers, listed
        self.number: Callable[[str], int | None] = numbers.get

    @staticmethod
    def empty() -> Names:
        return Names(Table({}), pvector([""]))

    @staticmethod
    def of(base: dict[str, int]) -> Names:
        """From a dict whose values are 1, 2, 3 ... in its own order; the dict must not be changed afterwards."""
        return Names(Table(base), unwalked(pvector(["", *base])))

    def __len__(self) -> int:
        return len(self._list)

    def __iter__(self) -> Iterator[str]:
        """All names, the helpers' too, in the order of their numbers, from 1."""
        return iter(self._list[1:])

    def name(self, number: int) -> str:
        return self._list[number]

    def with_name(self, name: str) -> tuple[Names, int]:
        """These names with one more, and its number; the same ones where it is known."""
        known = self.number(name)
        if known is not None:
            return self, known
        number = len(self._list)
        return Names(self._numbers.set(name, number), unwalked(self._list.append(name))), number
