"""Ledgers made up at random, small and full of trouble: circles, forks, clashes, voids, dangling references.

`ledger(Random(seed), ...)` is for bulk runs; `ledgers(...)` is the same under hypothesis, which then shrinks it.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import strategies as st

from tests.ledger_maker import KEYS, REASONS, Maker, Sizes, line
from tms.model import Claim, Decision, Hypothesis, Line, Nogood, Relate, Void

__all__ = ["SIZES", "Sizes", "changes", "ledger", "ledgers", "line"]
SIZES = Sizes()


class Shapes(Maker):
    """Adds the shapes that chance alone makes too seldom."""

    def rest_on(self, node: str, *members: str) -> None:
        self.write(Relate(relation="supports", source=node, targets=members))

    def replace(self, new: str, old: str, reason: str) -> None:
        self.write(Relate(relation="supersedes", source=new, targets=(old,), reason=reason))  # type: ignore[arg-type]

    def picked(self, size: int, among: list[str] | None = None) -> list[str]:
        pool = self.judged if among is None else among
        return self.rng.sample(pool, min(size, len(pool)))

    def circle(self) -> None:
        chain = self.picked(self.rng.randint(1, 4))
        for one, other in pairwise([*chain, chain[0]]):
            if other in self.decisions and self.often(30):
                self.write(Relate(relation="depends_on", source=other, targets=(one,)))
            else:
                self.rest_on(other, one)

    def deep(self) -> None:
        """A chain through every claim and decision, each resting on the one before."""
        for below, above in pairwise(self.picked(self.rng.randint(6, max(6, len(self.judged))))):
            self.rest_on(above, below)

    def revised_by_user(self) -> None:
        """a is cited by b, which supports c, which supersedes a: met literally."""
        chain = self.picked(self.rng.randint(2, 4))
        for below, above in pairwise(chain):
            self.rest_on(above, below)
        if len(chain) > 1:
            self.replace(chain[-1], chain[0], self.rng.choice(("restate", "revise")))

    def succession(self) -> None:
        """A chain of successors, cited at its start; sometimes closed to a circle."""
        chain = self.picked(self.rng.randint(2, 5))
        for old, new in pairwise(chain):
            self.replace(new, old, self.rng.choice(REASONS))
        if self.often(15):
            self.replace(chain[0], chain[-1], "revise")
        self.rest_on(self.rng.choice(self.judged), chain[0])

    def fork(self) -> None:
        old, *news = self.picked(3)
        for new in news:
            self.replace(new, old, self.rng.choice(("restate", "revise")))
        self.rest_on(self.rng.choice(self.judged), old)

    def heirs(self) -> None:
        """A chain of decisions, which hands down alternatives; one is cited."""
        chain = self.picked(3, self.decisions)
        for old, new in pairwise(chain):
            self.replace(new, old, self.rng.choice(("restate", "revise")))
        self.rest_on(self.rng.choice(self.judged), f"{chain[0]}/{self.rng.choice(KEYS)}")

    def both(self) -> None:
        """Something that rests on two nodes that cannot both hold."""
        if not self.sizes.nogoods:
            return
        one, other, above = (self.picked(3) * 3)[:3]
        self.write(Nogood(id="n8", members=(one, other)))
        self.rest_on(above, one, other)
        if self.often(50):
            self.rest_on(self.rng.choice(self.judged), above)

    def shapes(self) -> None:
        makers = (self.circle, self.deep, self.revised_by_user, self.succession, self.fork, self.heirs, self.both)
        for maker in self.rng.sample(makers, min(len(makers), self.rng.randint(0, self.sizes.motifs))):
            maker()


def ledger(rng: Random, sizes: Sizes = SIZES) -> list[Line]:
    """One ledger; the same for the same state of `rng`."""
    maker = Shapes(rng, sizes)
    maker.nodes()
    maker.shapes()
    maker.later()
    if sizes.shuffled:
        rng.shuffle(maker.lines)
    return maker.lines


def changes(rng: Random, lines: list[Line], most: int = 3) -> list[tuple[str, str]]:
    """Hypothetical judgements that fit: on any claim, decision or hypothesis recorded with one kind and not derived."""
    records = [x.record for x in lines if isinstance(x.record, Claim | Decision | Hypothesis)]
    kinds = {r.id: {type(q) for q in records if q.id == r.id} for r in records}
    derived = {r.id for r in records if r.state == "derived"}
    free = sorted(x for x in kinds if len(kinds[x]) == 1 and x not in derived and not wholly_void(x, lines))
    verbs = {"c": ("accept", "dispute", "reject"), "d": ("adopt", "revoke"), "h": ("falsify", "abandon")}
    return [
        (rng.choice(verbs[x[0]]), x) for x in (rng.choice(free) for _ in range(rng.randint(0, most) if free else 0))
    ]


def wholly_void(node: str, lines: list[Line]) -> bool:
    """Whether some void, itself void or not, names each line that records the node."""
    named = {x.record.target for x in lines if isinstance(x.record, Void) and not x.record.field}
    return all(x.hash in named for x in lines if getattr(x.record, "id", "") == node)


@st.composite
def ledgers(draw: st.DrawFn, sizes: Sizes = SIZES) -> list[Line]:
    """The same under hypothesis."""
    return ledger(draw(st.randoms(use_true_random=False)), sizes)
