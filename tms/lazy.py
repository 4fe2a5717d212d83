"""Long vectors whose items are made when they are first asked for, used as persistent vectors are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from pyrsistent import PMap, PVector, pmap, pvector

from tms.table import Table

T = TypeVar("T")


class LazyVector(Generic[T]):
    """An immutable vector of `size` items made by `make(place)`, each at most once; `append` and `set` give the next.

    >>> squares = LazyVector(lambda n: n * n, 3)
    >>> more = squares.set(0, 7).append(9)
    >>> list(squares), list(more), more[-1], len(more)
    ([0, 1, 4], [7, 1, 4, 9], 9, 4)
    """

    __slots__ = ("_changed", "_known", "_make", "_size", "_tail")

    def __init__(
        self,
        make: Callable[[int], T],
        size: int,
        known: dict[int, T] | None = None,
        changed: PMap[int, T] | None = None,
        tail: PVector[T] | None = None,
    ) -> None:
        self._make, self._size = make, size
        self._known: dict[int, T] = {} if known is None else known
        self._changed: PMap[int, T] = pmap() if changed is None else changed
        self._tail: PVector[T] = pvector() if tail is None else tail

    def __len__(self) -> int:
        return self._size + len(self._tail)

    def __getitem__(self, place: int) -> T:
        if place < 0:
            place += len(self)
        if place >= self._size:
            return self._tail[place - self._size]
        if self._changed and place in self._changed:
            return self._changed[place]
        if place not in self._known:
            self._known[place] = self._make(place)
        return self._known[place]

    def __iter__(self) -> Iterator[T]:
        return (self[place] for place in range(len(self)))

    def append(self, item: T) -> LazyVector[T]:
        """The vector with one more item."""
        return LazyVector(self._make, self._size, self._known, self._changed, self._tail.append(item))

    def set(self, place: int, item: T) -> LazyVector[T]:
        """The vector with another item at a place."""
        if place >= self._size:
            tail = self._tail.set(place - self._size, item)
            return LazyVector(self._make, self._size, self._known, self._changed, tail)
        return LazyVector(self._make, self._size, self._known, self._changed.set(place, item), self._tail)


class LazyNames:
    """Names whose two-way map is made when it is first asked; see `tms.names.Names`, whose part for hashes it plays.

    >>> names, number = LazyNames(lambda: {"a": 1}, 1).with_name("b")
    >>> number, names.number("a"), names.number("b"), names.number("c"), len(names)
    (2, 1, 2, None, 3)
    """

    __slots__ = ("_extra", "_made", "_make", "_size")

    def __init__(
        self,
        make: Callable[[], dict[str, int]],
        size: int,
        made: list[Table[str, int]] | None = None,
        extra: PMap[str, int] | None = None,
    ) -> None:
        self._make, self._size = make, size
        self._made: list[Table[str, int]] = [] if made is None else made
        self._extra: PMap[str, int] = pmap() if extra is None else extra

    def __len__(self) -> int:
        return self._size + 1 + len(self._extra)

    def number(self, name: str) -> int | None:
        """The number of a name."""
        found = self._extra.get(name)
        if found is not None:
            return found
        if not self._made:
            self._made.append(Table(self._make()))
        number: int | None = self._made[0].get(name)
        return number

    def with_name(self, name: str) -> tuple[Any, int]:
        """These names with one more, and its number; the same ones where it is known."""
        known = self.number(name)
        if known is not None:
            return self, known
        number = len(self)
        return LazyNames(self._make, self._size, self._made, self._extra.set(name, number)), number
