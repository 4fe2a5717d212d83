"""Persistent vectors that the cyclic garbage collector does not walk.

A new version of a vector is a young object, and a collection of the young walks all of it: a million slots for one
changed. What these vectors hold (numbers, tuples of them, names, lines) can form no circle: there is nothing to find.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any, TypeVar

from pyrsistent import PVector

T = TypeVar("T")


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
