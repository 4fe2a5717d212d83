"""What conflicts leave open: is there an environment of judgements that stand, in which some nodes hold, consistently?

Asked only where a nogood is violated, and decided exactly: the open label of the nodes, without every environment that
contains an open environment of a nogood, is empty or not. Finding one is NP-complete in general; the work is bounded,
and where the bound is reached the answer is None and the status `unknown`, never a guess.
"""

from __future__ import annotations

from tms.compile import Compiled
from tms.labels import Labels
from tms.network import Members
from tms.zdd import EMPTY, Exhausted

STEPS = 400_000  # of the operators, for each question: about a second


class Consistency:
    """The violated nogoods of one compiled graph, and what they leave open."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        rank = compiled.network.rank
        self.violated = tuple(n for n in sorted(compiled.nogoods) if rank[compiled.holder(n)])
        self.labels = Labels(compiled, open_only=True)
        self._culprits: int | None = None
        self._known: dict[Members, bool | None] = {}

    def holds(self, numbers: Members) -> bool | None:
        """Whether some consistent open environment holds all of some nodes; None where the bound was reached."""
        rank = self.compiled.network.rank
        if not all(rank[number] for number in numbers):
            return False
        if not self.violated:
            return True
        if numbers not in self._known:
            self._known[numbers] = self._decide(numbers)
        return self._known[numbers]

    def culprits(self) -> int:
        """The minimal open environments of all violated nogoods, as a family of `labels`; raises `Exhausted`."""
        if self._culprits is None:
            found = EMPTY
            with self.labels.forest.working(STEPS):
                for nogood in self.violated:
                    found = self.labels.forest.union(found, self.labels.family(self.compiled.holder(nogood)))
            self._culprits = found
        return self._culprits

    def resting_on_culprits(self) -> set[int]:
        """Every number whose status a conflict may decide: what rests on the judgements of the violated nogoods."""
        network = self.compiled.network
        stack = [
            m for nogood in self.violated for j in network.own[self.compiled.holder(nogood)] for m in network.members[j]
        ]
        found = self.labels.cone(stack)
        judged = [n for n in found if self.compiled.declared.facts(n).judged]
        reached: set[int] = set()
        while judged:
            number = judged.pop()
            if number not in reached:
                reached.add(number)
                judged.extend(network.consequents(number))
        return reached

    def _decide(self, numbers: Members) -> bool | None:
        forest, labels = self.labels.forest, self.labels
        try:
            culprits = self.culprits()
            cone = frozenset(labels.level_of[n] for n in labels.cone(numbers) if n in labels.level_of)
            if not forest.contains_subset(culprits, cone):
                return True
            with forest.working(STEPS):
                return forest.without(labels.joint(numbers), culprits) != EMPTY
        except Exhausted:
            return None


def consistency(compiled: Compiled) -> Consistency:
    """The conflicts of a compiled graph, worked out once."""
    if compiled.consistency is None:
        compiled.consistency = Consistency(compiled)
    found: Consistency = compiled.consistency
    return found
