"""A second reading of the contract, by brute force: written to be read, compared with the engine for ever.

Nothing here is incremental, indexed or clever. `oracle_declared` says what was recorded and what replaced what;
`Oracle` says who holds and what that is called. Of the project it knows the records only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import combinations

import rfc8785

from tests.oracle_declared import Body, Declared, Env, Set, Succession, reachable, split
from tms.model import Alternative, Line, Nogood, Relate, Review

STANDING = ("accepted", "adopted")


def implied_nogood(one: str, other: str) -> str:
    """The id of the nogood that "`one` contradicts `other`" stands for."""
    return "n-" + sha256(rfc8785.dumps(sorted((one, other)))).hexdigest()[:12]


def minimal(found: Iterable[Env]) -> frozenset[Env]:
    """Those environments that contain no other one."""
    kept: list[Env] = []
    for env in sorted(found, key=len):
        if not any(smaller <= env for smaller in kept):
            kept.append(env)
    return frozenset(kept)


@dataclass(frozen=True)
class Citation:
    """One mention; it is met when one of its `options` holds in full: all the heads, or in a circle `cited` itself."""

    citing: str
    cited: str
    heads: Env
    options: tuple[Env, ...]

    def met(self, held: Env) -> bool:
        return any(option <= held for option in self.options)

    @property
    def moved(self) -> bool:
        return self.heads != {self.cited}


@dataclass(frozen=True)
class Rule:
    """How a node comes to hold; a node without a rule never does."""

    judged: bool
    sets: tuple[tuple[Citation, ...], ...]
    prerequisites: tuple[Citation, ...] = ()


class Oracle:
    """Every answer about a small ledger. With `nogoods=False`, nothing is ever contested."""

    def __init__(self, lines: Iterable[Line], changes: Sequence[tuple[str, str]] = (), *, nogoods: bool = True) -> None:
        self.declared = Declared(lines, changes)
        self.succession = Succession(self.declared)
        self.with_nogoods = nogoods
        self.alternatives = self._alternatives()
        self.nogoods = self._nogoods()
        self.literal: set[tuple[str, str]] = set()
        self.literal = self._circles()
        self._held: dict[Env, Env] = {}

    # ---- nodes -----------------------------------------------------------------------------------------------------

    def ids(self) -> list[str]:
        """Every node, alternatives and implied nogoods included; ids that are only mentioned are none."""
        return sorted({*self.declared.nodes, *self.alternatives, *self.nogoods})

    def kind(self, node: str) -> str:
        """One of the six kinds, or "" when it is missing."""
        if node in self.alternatives:
            return "alternative"
        return self.declared.kind(node) or ("nogood" if node in self.nogoods else "")

    def state(self, node: str) -> str:
        """The recorded state, after the changes; of an alternative, its verdict."""
        if node in self.alternatives:
            return self.alternatives[node][0]
        return self.declared.state(node) if node in self.declared.nodes else ""

    def _alternatives(self) -> dict[str, tuple[str, list[Set]]]:
        """By id, verdict and grounds; a successor has those of its predecessors that it does not restate."""
        found: dict[str, tuple[str, list[Set]]] = {}
        decisions = [x for x in self.declared.nodes if self.declared.kind(x) == "decision"]
        while decisions:  # oldest first: a decision after all those that it supersedes
            now = next(x for x in decisions if not any(x in self.succession.up.get(old, ()) for old in decisions))
            decisions.remove(now)
            found.update(self._alternatives_of(now, found))
        return found

    def _alternatives_of(
        self, decision: str, older: dict[str, tuple[str, list[Set]]]
    ) -> Iterator[tuple[str, tuple[str, list[Set]]]]:
        own = self.declared.own_alternatives(decision)
        for key, mentions in own.items():
            verdicts = {alternative.verdict for _, alternative in mentions}
            telling = [m for m in mentions if m[1].verdict == max(verdicts)]
            yield f"{decision}/{key}", (max(verdicts), self._grounds(f"{decision}/{key}", telling))
        inherited: dict[str, list[tuple[str, list[Set]]]] = {}
        for ref, told in sorted(older.items()):
            reasons = self.succession.successors.get(split(ref)[0], {}).get(decision, {"reverse"})
            if "reverse" not in reasons and split(ref)[1][1:] not in own:
                inherited.setdefault(decision + split(ref)[1], []).append(told)
        for ref, tales in inherited.items():
            said = max(verdict for verdict, _ in tales)  # rejected, where one says so
            grounds = [s for verdict, sets in tales if verdict == said for s in sets] + self.declared.later_sets(ref)
            yield ref, (said, grounds)

    def _grounds(self, ref: str, mentions: list[tuple[Body, Alternative]]) -> list[Set]:
        sets: list[Set] = []
        for body, alternative in mentions:
            for position, support_set in enumerate(alternative.because):
                if self.declared.kept(body, "because", position, alternative.key):
                    sets.append(support_set)
            if not alternative.because and not self.declared.declared_later(ref):
                sets.append(())
        return sets + self.declared.later_sets(ref)

    def _nogoods(self) -> dict[str, Set]:
        """By id, the members; `contradicts` stands for a nogood of two."""
        found: dict[str, Set] = {}
        for body in self.declared.bodies:
            if isinstance(body.record, Nogood):
                found[body.record.id] = found.get(body.record.id, ()) + body.record.members
        sources = {b.record.source for b in self.declared.bodies if isinstance(b.record, Relate)}
        for one in sorted(sources | set(self.declared.nodes)):
            for other, _ in self.declared.related(one, "contradicts"):
                found[implied_nogood(one, other)] = (min(one, other), max(one, other))
        return found

    # ---- citations -------------------------------------------------------------------------------------------------

    def _sets(self, node: str) -> list[Set]:
        match self.kind(node):
            case "claim" | "decision":
                return self.declared.support_sets(node)
            case "alternative":
                return self.alternatives[node][1]
            case "hypothesis":
                bodies = self.declared.nodes[node]
                return [tuple(m for b in bodies for m in b.record.assuming)]  # type: ignore[union-attr]
            case "nogood":
                return [self.nogoods[node]]
        return []

    def _prerequisites(self, node: str) -> list[str]:
        return [t for t, _ in self.declared.related(node, "depends_on")] if self.kind(node) == "decision" else []

    def alive(self, cited: str) -> bool:
        """Whether a citation of it can be met at all: it is there, it can hold, and it was not reversed."""
        can_hold = self.kind(cited) in ("claim", "decision", "alternative", "hypothesis")
        return can_hold and not self.succession.lost(cited)

    def citation(self, citing: str, cited: str) -> Citation:
        """What the mention means now."""
        heads = self.succession.heads(cited)
        options = [heads] if self.alive(cited) else []
        if (citing, cited) in self.literal:
            options.append(frozenset({cited}))
        return Citation(citing, cited, heads, tuple(options))

    def citations(self, node: str) -> list[Citation]:
        """Every mention that `node` makes, answers aside."""
        mentioned = {m for s in self._sets(node) for m in s} | set(self._prerequisites(node))
        return [self.citation(node, m) for m in sorted(mentioned)]

    def _circles(self) -> set[tuple[str, str]]:
        """The moved citations inside a circle, which may be met literally; each may close further circles."""
        nodes = [x for x in self.ids() if self.kind(x) != "nogood"]
        living = [c for x in nodes for c in self.citations(x) if c.options]
        edges: dict[str, set[str]] = {x: set() for x in nodes}
        for c in living:
            edges[c.citing] |= c.heads
        found: set[tuple[str, str]] = set()
        while True:
            more = {
                (c.citing, c.cited)
                for c in living
                if c.moved and any(c.citing in reachable(head, edges) for head in c.heads)
            }
            if more == found:
                return found
            found = more
            for citing, cited in found:
                edges[citing].add(cited)

    # ---- who holds -------------------------------------------------------------------------------------------------

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """One rule for each node that can hold."""
        able = {"claim": None, "decision": None, "alternative": "rejected", "hypothesis": "falsified"}
        found = {}
        for node in self.ids():
            wanted = able.get(self.kind(node), "never")
            told_twice = self.declared.nodes.get(node) and self.declared.derived(node) and self.state(node) == "clash"
            if (wanted is None or self.state(node) == wanted) and not told_twice:
                found[node] = Rule(
                    node in self.assumptions,
                    tuple(tuple(self.citation(node, m) for m in s) for s in self._sets(node)),
                    tuple(self.citation(node, p) for p in self._prerequisites(node)),
                )
        return found

    @cached_property
    def assumptions(self) -> Env:
        """The nodes that carry a judgement, whatever it is now."""
        return frozenset(x for x in self.declared.nodes if self.declared.judged(x))

    @cached_property
    def context(self) -> Env:
        """The judgements that stand now."""
        return frozenset(x for x in self.assumptions if self.state(x) in STANDING)

    def _step(self, judgements: Env, held: Env) -> Env:
        return frozenset(
            x
            for x, rule in self.rules.items()
            if (x in judgements or not rule.judged)
            and any(all(c.met(held) for c in s) for s in rule.sets)
            and all(p.met(held) for p in rule.prerequisites)
        )

    def _settle(self, judgements: Env, held: Env) -> Env:
        while (after := self._step(judgements, held)) != held:
            held = after
        return held

    def held_in(self, judgements: Env) -> Env:
        """The least fixed point: all that holds when just these judgements stand."""
        if judgements not in self._held:
            self._held[judgements] = self._settle(judgements, frozenset())
        return self._held[judgements]

    @cached_property
    def circular(self) -> Env:
        """The greatest fixed point: all that would hold if circular support counted."""
        return self._settle(self.context, frozenset(self.rules))

    # ---- nogoods ---------------------------------------------------------------------------------------------------

    def violated(self, nogood: str, judgements: Env) -> bool:
        """Whether all its members are met when these judgements stand."""
        held = self.held_in(judgements)
        return all(self.citation(nogood, m).met(held) for m in self.nogoods[nogood])

    def consistent(self, judgements: Env) -> bool:
        """Whether no nogood is violated; what is contained in a consistent environment is consistent."""
        return not any(self.violated(n, judgements) for n in self.nogoods)

    def _culprit(self, judgements: Env) -> Env:
        """A minimal inconsistent part of an inconsistent environment."""
        for one in sorted(judgements):
            if not self.consistent(judgements - {one}):
                judgements -= {one}
        return judgements

    @cached_property
    def open_worlds(self) -> set[Env]:
        """Consistent parts of the context; every consistent part lies in one of these, for it lacks some culprit."""
        if not self.with_nogoods:
            return {self.context}
        found, seen, todo = set(), {self.context}, [self.context]
        while todo:
            world = todo.pop()
            if self.consistent(world):
                found.add(world)
                continue
            for less in (world - {one} for one in self._culprit(world)):
                if less not in seen:
                    seen.add(less)
                    todo.append(less)
        return found

    def holds(self, node: str) -> bool:
        """Whether some consistent environment of its label lies within the context."""
        return any(node in self.held_in(world) for world in self.open_worlds)

    def met(self, *citations: Citation) -> bool:
        """Whether one consistent environment within the context meets all of them together."""
        return any(all(c.met(self.held_in(world)) for c in citations) for world in self.open_worlds)

    # ---- labels ----------------------------------------------------------------------------------------------------

    def label(self, node: str) -> frozenset[Env]:
        """The minimal environments in which it holds, nogoods left aside; of a nogood, those that violate it."""
        if len(self.assumptions) > 12:
            raise ValueError("too many assumptions for brute force")
        names = sorted(self.assumptions)
        worlds = [frozenset(c) for size in range(len(names) + 1) for c in combinations(names, size)]
        if node in self.nogoods:
            return minimal(w for w in worlds if self.violated(node, w))
        return minimal(w for w in worlds if node in self.held_in(w))

    def consistent_label(self, node: str) -> frozenset[Env]:
        """The label without the environments that contain one of a nogood."""
        return frozenset(env for env in self.label(node) if self.consistent(env))

    # ---- status ----------------------------------------------------------------------------------------------------

    def status(self, node: str) -> str:
        """The word of the table, its rows from the top."""
        state = self.state(node)
        if self.superseded(node):
            return "retired"
        if state == "clash":
            return "clash"
        match self.kind(node):
            case "claim" | "decision":
                return self._judged_status(node, state)
            case "question":
                return "resolved" if any(self.met(a) for a in self.answers(node)) else "open"
            case "alternative" | "hypothesis" if state == "abandoned":
                return "untested"
            case "alternative":
                return "ruled-out" if self.holds(node) else "reopened"
            case "hypothesis" if state == "falsified":
                return "falsified" if self.holds(node) else "reopened"
            case "nogood":
                return "violated" if self.violated(node, self.context) else "dormant"
        return state

    def _judged_status(self, node: str, state: str) -> str:
        if state not in (*STANDING, "derived"):
            return state
        if self.holds(node):
            return "in" if self.kind(node) == "claim" else "active"
        if self.unmet(node):
            return "blocked"
        if node in self.held_in(self.context):
            return "contested"
        return "circular" if node in self.circular else "unsupported"

    def unmet(self, node: str) -> list[str]:
        """The prerequisites, as cited, that are not met."""
        return [p for p in self._prerequisites(node) if not self.met(self.citation(node, p))]

    def answers(self, question: str) -> list[Citation]:
        """Those who answer it, or answer what it restates or revises."""
        found = []
        for node in {
            *self.declared.nodes,
            *(b.record.source for b in self.declared.bodies if isinstance(b.record, Relate)),
        }:
            for asked, _ in self.declared.related(node, "answers"):
                follows = question in self.succession.heads(asked) and not self.succession.lost(asked)
                if follows and self.kind(node) in ("claim", "decision"):
                    found.append(self.citation(question, node))
        return found

    def heads(self, ref: str) -> Env:
        """What a citation of it means now."""
        return self.succession.heads(ref)

    def superseded(self, node: str) -> bool:
        """Whether it is retired; an alternative never is."""
        return self.succession.superseded(node)

    # ---- flags -----------------------------------------------------------------------------------------------------

    @cached_property
    def reviews(self) -> set[tuple[str, str, str]]:
        """The triples that somebody looked at."""
        records = [b.record for b in self.declared.bodies]
        return {(r.citing, r.cited, r.head) for r in records if isinstance(r, Review)}

    def flags(self, node: str) -> frozenset[str]:
        """What is said beside the status; nothing of a retired node."""
        if self.superseded(node):
            return frozenset()
        living = [c for c in self.citations(node) if c.options]
        said = {
            "flagged": any(self.succession.unreviewed(node, c.cited, self.reviews) for c in living),
            "forked": any(len(c.heads) > 1 for c in living),
            "literal": any((node, c.cited) in self.literal for c in living),
            "degraded": self._degraded(node),
        }
        return frozenset(flag for flag, on in said.items() if on)

    def _degraded(self, node: str) -> bool:
        if self.kind(node) not in ("claim", "decision") or not self.holds(node):
            return False
        sets = self.rules[node].sets
        return 1 <= sum(self.met(*s) for s in sets) < len(sets)
