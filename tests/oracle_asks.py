"""What can be asked of a label, by definition: single points, critical sets, repairs. Small graphs only."""

from __future__ import annotations

from itertools import combinations

from tests.oracle import Oracle, minimal
from tests.oracle_declared import Env


def open_environments(oracle: Oracle, node: str) -> set[Env]:
    """The consistent environments that lie within the context."""
    return {env for env in oracle.consistent_label(node) if env <= oracle.context}


def critical(oracle: Oracle, node: str) -> frozenset[Env]:
    """The minimal sets of judgements, its own left out, whose loss leaves no open environment."""
    if oracle.superseded(node) or not (environments := open_environments(oracle, node)):
        return frozenset()
    names = sorted(frozenset().union(*environments) - {node})
    losses = (frozenset(c) for size in range(1, len(names) + 1) for c in combinations(names, size))
    return minimal(loss for loss in losses if all(loss & env for env in environments))


def single(oracle: Oracle, node: str) -> set[str]:
    """The judgements other than its own that are in every open environment."""
    return {one for loss in critical(oracle, node) if len(loss) == 1 for one in loss}


def repair(oracle: Oracle, node: str) -> frozenset[Env]:
    """The minimal sets of judgements to restore so that it holds; the empty set when it does."""
    if oracle.superseded(node):
        return frozenset()
    return minimal(env - oracle.context for env in oracle.consistent_label(node))
