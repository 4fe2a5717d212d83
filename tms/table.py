"""An immutable map in two layers: a plain dict from when it was built, and what was set since.

Building costs what a dict costs; one more key costs the same at any size; reading is a dict look-up while nothing
was set. (Setting a million keys in a persistent map one by one takes two seconds, in a dict a tenth of one.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from pyrsistent import PMap, pmap

K = TypeVar("K")
V = TypeVar("V")

_GONE: Any = object()


class Table(Generic[K, V]):
    """An immutable map; `base` must not be changed afterwards.

    >>> table = Table({1: "a"})
    >>> more = table.set(2, "b").discard(1)
    >>> dict(table.items()), dict(more.items()), more.get(1), len(more), bool(Table({}))
    ({1: 'a'}, {2: 'b'}, None, 1, False)
    """

    __slots__ = ("_base", "_extra", "_size")

    def __init__(self, base: dict[K, V], extra: PMap[K, V] | None = None, size: int | None = None) -> None:
        self._base = base
        self._extra = extra
        self._size = len(base) if size is None else size

    def get(self, key: K, default: Any = None) -> Any:
        """The value of a key, or `default`."""
        if self._extra is not None:
            found = self._extra.get(key)
            if found is not None:
                return default if found is _GONE else found
        return self._base.get(key, default)

    def set(self, key: K, value: V) -> Table[K, V]:
        """The map with one key set."""
        extra: PMap[K, V] = pmap() if self._extra is None else self._extra
        return Table(self._base, extra.set(key, value), self._size + (key not in self))

    def discard(self, key: K) -> Table[K, V]:
        """The map without a key."""
        if key not in self:
            return self
        extra: PMap[K, V] = pmap() if self._extra is None else self._extra
        return Table(self._base, extra.set(key, _GONE), self._size - 1)

    def __contains__(self, key: object) -> bool:
        if self._extra is None:
            return key in self._base
        return self.get(key, _GONE) is not _GONE  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[K]:
        return (key for key, _ in self.items())

    def items(self) -> Iterator[tuple[K, V]]:
        """All pairs: those of the base first, then those set since, in no order that means anything."""
        extra = self._extra
        if extra is None:
            yield from self._base.items()
            return
        for key, value in self._base.items():
            if key not in extra:
                yield key, value
        yield from ((key, value) for key, value in extra.items() if value is not _GONE)
