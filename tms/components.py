"""Strongly connected components, without recursion (Tarjan 1972)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def components(starts: Iterable[T], successors: Callable[[T], Iterable[T]]) -> list[list[T]]:
    """The strongly connected components of what `starts` reach, sinks first.

    >>> components([1], {1: [2], 2: [1, 3], 3: []}.__getitem__)
    [[3], [2, 1]]
    """
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    pending: list[T] = []
    done: set[T] = set()
    found: list[list[T]] = []
    for start in starts:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        pending.append(start)
        work = [(start, iter(successors(start)))]
        while work:
            node, rest = work[-1]
            for target in rest:
                if target not in index:
                    index[target] = low[target] = len(index)
                    pending.append(target)
                    work.append((target, iter(successors(target))))
                    break
                if target not in done:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    found.append(_pop_component(pending, node, done))
    return found


def _pop_component(pending: list[T], root: T, done: set[T]) -> list[T]:
    component: list[T] = []
    while True:
        node = pending.pop()
        done.add(node)
        component.append(node)
        if node == root:
            return component
