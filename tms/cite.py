"""Is a citation met? Where each one leads, and the justifications that follow from it (`docs/semantics.md`).

A citation of m, made by x, is turned into node numbers that must all hold:

- m itself, where nothing supersedes it; else its heads
- `NEVER`, where m is missing or a hop on the way is a `reverse`
- one helper node, named `x<line break>m`, inside a circle: it holds by the heads, or by m as literally cited

Questions and nogoods are held by a helper of their own (`q<line break>`), so that a citation of one never counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from tms.components import components
from tms.declared import Declared
from tms.entry import Facts
from tms.network import NEVER, Members
from tms.supersede import Heads

Pair: TypeAlias = tuple[int, int]  # (citing, cited)

HELD_BY_HELPER = ("question", "nogood")
_NO_LITERALS: frozenset[Pair] = frozenset()


def cited(facts: Facts) -> Iterator[str]:
    """Every id that a node cites: in support sets, prerequisites, `because`, `assuming` and `members`."""
    for members in facts.sets:
        yield from members
    yield from facts.depends_on
    yield from facts.members


class Citations:
    """Resolves citations against one declared layer; gives out numbers for the helper nodes that it needs."""

    def __init__(self, declared: Declared, literals: frozenset[Pair] = _NO_LITERALS) -> None:
        self.declared = declared
        self.literals = literals

    def number(self, name: str) -> int:
        known = self.declared.names.number(name)
        if known is None:
            self.declared, known = self.declared.named(name)
        return known

    def heads(self, cited: int) -> Heads:
        """Where a citation leads; an alternative follows its decision."""
        succession = self.declared.succession
        name = self.declared.names.name(cited)
        if "/" not in name or "\n" in name:
            return succession.heads(cited)
        decision, _, key = name.partition("/")
        owner = self.declared.names.number(decision)
        if owner is None or owner not in succession:
            return Heads((cited,), False)
        found = succession.heads(owner)
        names = self.declared.names
        return Heads(tuple(sorted(self.number(f"{names.name(head)}/{key}") for head in found.heads)), found.lost)

    def moved(self, cited: int) -> bool:
        return self.heads(cited) != Heads((cited,), False)

    def holder(self, node: int) -> int:
        """The number whose rank says whether a node holds."""
        if self.declared.facts(node).kind in HELD_BY_HELPER:
            return self.number(self.declared.names.name(node) + "\n")
        return node

    def literal_helper(self, citing: int, cited: int) -> int:
        names = self.declared.names
        return self.number(f"{names.name(citing)}\n{names.name(cited)}")

    def resolve(self, citing: int, name: str) -> Members:
        """What must hold for a citation to be met."""
        if not name:
            return (NEVER,)
        cited = self.number(name)
        if not self.declared.superseders or not self.moved(cited):
            return (cited,)
        if not self.declared.facts(cited).exists or self.heads(cited).lost:
            return (NEVER,)
        if (citing, cited) in self.literals:
            return (self.literal_helper(citing, cited),)
        return self.heads(cited).heads

    def grounds(self, node: int) -> list[int]:
        """What a node rests on, for the search for circles: its resolved citations, literal ones besides."""
        found: list[int] = []
        if self.declared.facts(node).kind in HELD_BY_HELPER:
            return found
        for name in dict.fromkeys(cited(self.declared.facts(node))):
            number = self.number(name) if name else NEVER
            heads = self.heads(number)
            if number != NEVER and self.declared.facts(number).exists and not heads.lost:
                found.extend(heads.heads)
                if (node, number) in self.literals:
                    found.append(number)
        return found

    def moves(self, node: int) -> tuple[int, ...]:
        """What a node cites that was superseded."""
        if not self.declared.superseders:
            return ()
        numbers = [self.number(name) for name in dict.fromkeys(cited(self.declared.facts(node))) if name]
        return tuple(number for number in numbers if self.moved(number))

    # -- justifications -----------------------------------------------------------------------------------------

    def justifications(self, node: int) -> list[Members]:
        """The justifications of a node: one a support set, with all prerequisites in each."""
        facts = self.declared.facts(node)
        if facts.kind == "question":
            return self._answers(node)
        if facts.kind == "nogood":
            return [self._members(node, facts.members, ())]
        required = tuple(number for name in facts.depends_on for number in self.resolve(node, name))
        if not facts.sets and (facts.declared or facts.derived or not facts.exists):
            return [_sorted((NEVER, *required))] if required else []  # never met, and yet it cites what it depends on
        if not facts.sets:
            return [_sorted(required)]
        return [self._members(node, members, required) for members in facts.sets]

    def _members(self, node: int, names: tuple[str, ...], required: Members) -> Members:
        if not self.declared.superseders and "" not in names:
            return tuple(sorted({*map(self.number, names), *required}))
        return _sorted((*(number for name in names for number in self.resolve(node, name)), *required))

    def literal_justifications(self, citing: int, cited: int) -> list[Members]:
        return [self.heads(cited).heads, (cited,)]

    def _answers(self, question: int) -> list[Members]:
        """One justification an answer, given to this question or to one that it replaces without a `reverse`."""
        found = []
        for asked in self.replaced_questions(question):
            for source in self.declared.answerers.get(asked, ()):
                if self.declared.facts(source).kind in ("claim", "decision"):
                    found.append(self.resolve(question, self.declared.names.name(source)))
        return found

    def replaced_questions(self, question: int) -> list[int]:
        """A question and those whose answers go to it."""
        succession = self.declared.succession
        found, stack = [question], [question]
        while stack:
            for name, _ in self.declared.facts(stack.pop()).supersedes:
                number = self.declared.names.number(name)
                if number is None or number in found:
                    continue
                heads = succession.heads(number)
                if question in heads.heads and not heads.lost:
                    found.append(number)
                    stack.append(number)
        return found


def _sorted(members: Iterable[int]) -> Members:
    found = sorted(set(members))
    return tuple(found)


def find_literals(citations: Citations, pairs: Iterable[Pair]) -> tuple[frozenset[Pair], frozenset[int]]:
    """The moved citations that lie in a circle, and the nodes of those circles.

    A literal citation adds an edge, which may close further circles: repeated until nothing changes.
    """
    candidates = sorted(pairs)
    literals: set[Pair] = set()
    while True:
        search = Citations(citations.declared, frozenset(literals))
        found = components(sorted({x for x, _ in candidates}), search.grounds)
        citations.declared = search.declared
        place = {node: i for i, component in enumerate(found) for node in component}
        more = {
            (x, m) for x, m in candidates if any(place.get(head) == place[x] for head in search.heads(m).heads)
        } - literals
        if not more:
            zone = {place[x] for x, _ in literals}
            return frozenset(literals), frozenset(n for i in zone for n in found[i])
        literals |= more
