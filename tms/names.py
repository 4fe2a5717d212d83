"""Ids and their numbers: a two-layered map, so that opening is a plain dict and one more id costs the same at any size.

Numbers are given in the order of arrival and never change; number 0 is nobody's. Names with a line break in them are
the engine's own helpers (see `tms.cite`); no id of a user can hold one.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyrsistent import PMap, PVector, pmap, pvector


class Names:
    """An immutable two-way map between ids and node numbers.

    >>> names, number = Names.empty().with_name("c1")
    >>> number, names.number("c1"), names.name(1), names.number("c2"), len(names)
    (1, 1, 'c1', None, 2)
    """

    __slots__ = ("_base", "_extra", "_list")

    def __init__(self, base: dict[str, int], extra: PMap[str, int], listed: PVector[str]) -> None:
        self._base, self._extra, self._list = base, extra, listed

    @staticmethod
    def empty() -> Names:
        return Names({}, pmap(), pvector([""]))

    @staticmethod
    def of(base: dict[str, int]) -> Names:
        """From a dict whose values are 1, 2, 3 ... in its own order; the dict must not be changed afterwards."""
        return Names(base, pmap(), pvector(["", *base]))

    def __len__(self) -> int:
        return len(self._list)

    def __iter__(self) -> Iterator[str]:
        """All names, the helpers' too, in the order of their numbers, from 1."""
        return iter(self._list[1:])

    def number(self, name: str) -> int | None:
        found = self._base.get(name)
        return self._extra.get(name) if found is None else found

    def name(self, number: int) -> str:
        return self._list[number]

    def with_name(self, name: str) -> tuple[Names, int]:
        """These names with one more, and its number; the same ones where it is known."""
        known = self.number(name)
        if known is not None:
            return self, known
        number = len(self._list)
        return Names(self._base, self._extra.set(name, number), self._list.append(name)), number
