"""The operators on families of sets, held against the same on plain frozensets."""

from __future__ import annotations

from itertools import combinations
from random import Random

import pytest

from tms.zdd import EMPTY, UNIT, Exhausted, Forest, watch

Family = set[frozenset[int]]


def minimal(sets: Family) -> Family:
    """Those that contain no other."""
    return {s for s in sets if not any(other < s for other in sets)}


def made(forest: Forest, sets: Family) -> int:
    """The same family in the forest."""
    found = EMPTY
    for members in sets:
        product = UNIT
        for member in members:
            product = forest.product(product, forest.single(member))
        found = forest.union(found, product)
    return found


def told(forest: Forest, family: int) -> Family:
    """A family as plain sets."""
    return {frozenset(s) for s in forest.sets(family)}


def drawn(rng: Random) -> Family:
    """A random antichain over six members."""
    return minimal({frozenset(i for i in range(6) if rng.random() < 0.4) for _ in range(rng.randint(0, 6))})


@pytest.mark.parametrize("seed", range(4))
def test_every_operator_is_that_of_plain_sets(seed: int) -> None:
    """Union, product, without, cuts, hitting sets, what is left, support, counts, order, containment."""
    rng = Random(seed)
    for _ in range(300):
        forest, one, other = Forest(), drawn(rng), drawn(rng)
        f, g = made(forest, one), made(forest, other)
        assert told(forest, f) == one
        assert told(forest, forest.union(f, g)) == minimal(one | other)
        product = minimal({a | b for a in one for b in other})
        assert told(forest, forest.product(f, g)) == product
        assert told(forest, forest.without(f, g)) == {a for a in one if not any(b <= a for b in other)}
        limit = rng.randint(0, 5)
        assert told(forest, forest.cut(f, limit)) == {a for a in one if len(a) <= limit}
        assert told(forest, forest.bounded_product(f, g, limit)) == {a for a in product if len(a) <= limit}
        everything = [frozenset(c) for n in range(7) for c in combinations(range(6), n)]
        hitting = minimal({h for h in everything if all(h & a for a in one)})
        assert told(forest, forest.hitting(f)) == hitting
        inside = frozenset(i for i in range(6) if rng.random() < 0.5)
        assert told(forest, forest.beyond(f, inside)) == minimal({a - inside for a in one})
        assert forest.contains_subset(f, inside) == any(a <= inside for a in one)
        assert forest.support(f) == set().union(*one)
        assert forest.sizes(f)[:7] == tuple(sum(len(a) == n for a in one) for n in range(len(forest.sizes(f))))
        sizes = [len(s) for s in forest.ordered(f)]
        assert sizes == sorted(sizes)


def test_the_same_family_is_the_same_number() -> None:
    """Whatever way it was made."""
    forest = Forest()
    a, b, c = (forest.single(n) for n in range(3))
    one = forest.union(forest.product(a, b), c)
    assert one == forest.union(c, forest.product(b, a))
    assert forest.product(one, one) == one


def test_a_budget_ends_the_work_and_leaves_what_was_made() -> None:
    """`Exhausted`, and with more steps the same forest goes on to the right answer."""
    forest = Forest()
    pairs = [forest.union(forest.single(2 * n), forest.single(2 * n + 1)) for n in range(20)]

    before = forest.steps

    def all_pairs() -> int:
        found = UNIT
        for pair in reversed(pairs):
            found = forest.product(pair, found)
        return found

    with pytest.raises(Exhausted), forest.working(50):
        [forest.union(all_pairs(), forest.single(99 + n)) for n in range(50)]
    assert forest.steps == before + 51
    assert forest.count(all_pairs()) == 2 ** len(pairs)


def test_an_inner_budget_never_exceeds_the_outer_one() -> None:
    """And the outer one goes on where the inner one ended."""
    forest = Forest()
    singles = [forest.single(n) for n in range(30)]
    with forest.working(40):
        with pytest.raises(Exhausted), forest.working(5):
            [forest.product(a, b) for a in singles for b in singles]
        assert forest.steps == 6
        with pytest.raises(Exhausted), forest.working(1000):
            [forest.product(a, b) for a in singles for b in singles]
    assert forest.steps == 41


def test_long_work_tells_how_far_it_is() -> None:
    """Whoever watches is told the steps and where they end."""
    forest, told = Forest(), []
    token = watch.set(lambda steps, end: told.append((steps, end)))
    try:
        with forest.working(500_000):
            for n in range(200_000):
                forest.product(forest.single(n), forest.single(n + 1))
    finally:
        watch.reset(token)
    assert [end for _, end in told] == [500_000] * len(told)
    assert len(told) == 2
