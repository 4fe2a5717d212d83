"""The cyclic garbage collector, kept from walking what can hold no circle.

`paused` is for loading at once: a million new objects set off collection after collection. `unwalked` is for the
persistent vectors: each new version is a young object, and a collection of the young walks all of it, a million slots
for one changed. What they hold (numbers, tuples of them, names, lines) can form no circle: there is nothing to find.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from pyrsistent import PVector

T = TypeVar("T")


@contextmanager
def paused() -> Iterator[None]:
    """No collection inside; afterwards as before."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def unwalked(vector: PVector[T]) -> PVector[T]:
    """The same vector, taken off the collector's list where it is the compiled kind of pyrsistent.

    >>> from pyrsistent import pvector
    >>> unwalked(pvector([1, 2])).append(3)
    pvector([1, 2, 3])
    """
    if _UNTRACK is not None and type(vector).__module__ == "pvectorc":
        _UNTRACK(vector)
    return vector


def _find() -> Any:
    if sys.implementation.name != "cpython":
        return None
    untrack = ctypes.pythonapi.PyObject_GC_UnTrack  # safe on an object that is not tracked, and before its end
    untrack.argtypes, untrack.restype = [ctypes.py_object], None
    return untrack


_UNTRACK = _find()
