"""The lines of a ledger made up at random, one by one; `strategies` puts them together.

Records come in an order in which every hash that is named is there already; cited ids may come later.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Any

import msgspec

from tms.model import (
    STATES,
    Alternative,
    Assess,
    Claim,
    Correct,
    Correction,
    Decision,
    Falsification,
    Hypothesis,
    Line,
    Nogood,
    Question,
    Record,
    Relate,
    Review,
    Supersession,
    Void,
)

KEYS = ("k", "l")
REASONS = ("restate", "restate", "revise", "revise", "revise", "reverse")


def line(record: Record, n: int) -> Line:
    """The record as the line with number `n`; its hash tells both."""
    return Line(record=record, hash=sha256(b"%d:" % n + msgspec.json.encode(record)).hexdigest(), number=n)


@dataclass(frozen=True)
class Sizes:
    """How much of each; `judged` is the number of claims and decisions, so 2 ** judged environments at the most."""

    judged: int = 8
    questions: int = 2
    hypotheses: int = 2
    later: int = 8
    motifs: int = 2
    nogoods: bool = True
    contradicts: bool = True  # only with nogoods
    clashes: bool = True  # the same id with different bodies
    mixed_kinds: bool = False  # ... and of different kinds
    voids: bool = True
    missing: bool = True
    shuffled: bool = True
    superseding: float = 16  # percent of the claims and decisions


class Maker:
    """One ledger in the making."""

    def __init__(self, rng: Random, sizes: Sizes) -> None:
        self.rng = rng
        self.sizes = sizes
        self.lines: list[Line] = []
        self.calm = self.often(15)  # one deep chain, everything accepted, until the later lines come
        decisions = rng.randint(min(2, sizes.judged), max(2, sizes.judged // 2 + 1))
        self.claims = [f"c{i}" for i in range(sizes.judged - decisions)]
        self.decisions = [f"d{i}" for i in range(decisions)]
        self.judged = self.claims + self.decisions
        rng.shuffle(self.judged)
        self.questions = [f"q{i}" for i in range(sizes.questions)]
        self.hypotheses = [f"h{i}" for i in range(sizes.hypotheses)]

    # ---- choices ---------------------------------------------------------------------------------------------------

    def often(self, percent: float) -> bool:
        return self.rng.randint(1, 1000) <= 10 * percent

    def alternative(self) -> str:
        return f"{self.rng.choice(self.decisions)}/{self.rng.choice(KEYS)}"

    def cited(self, before: int | None = None) -> str:
        """Something to cite; mostly one of the first `before` claims and decisions, so that circles are few."""
        roll = self.rng.randint(1, 100)
        if roll <= 3 and self.sizes.missing:
            return "zz"
        if roll <= 12:
            return self.alternative()
        if roll <= 18 and self.hypotheses:
            return self.rng.choice(self.hypotheses)
        if roll == 19 and self.questions:
            return self.rng.choice(self.questions)  # of the wrong kind
        free = roll > 90 or not before
        return self.rng.choice(self.judged if free else self.judged[:before])

    def support_set(self, before: int | None = None, least: int = 1) -> tuple[str, ...]:
        size = self.rng.choice((1, 1, 1, 2, 2, 3))
        return tuple(self.cited(before) for _ in range(max(size, least)))

    def support_sets(self, before: int, premise: float) -> tuple[tuple[str, ...], ...]:
        if before == 0 or (not self.calm and self.often(premise)):
            return ()
        if self.calm and self.often(90):
            return ((self.judged[before - 1],),)
        sets = [self.support_set(before) for _ in range(self.rng.choice((1, 1, 2, 2, 3)))]
        if self.often(8):
            sets.insert(self.rng.randint(0, len(sets)), ())
        return tuple(sets)

    def supersession(self, position: int) -> tuple[Supersession, ...]:
        if position == 0 or not self.often(2 if self.calm else self.sizes.superseding):
            return ()
        older = self.judged[:position] if self.often(85) else [*self.judged, "zz"]
        picked = self.rng.sample(older, min(len(older), self.rng.choice((1, 1, 1, 2))))
        return tuple(Supersession(id=x, reason=self.rng.choice(REASONS)) for x in picked)  # type: ignore[arg-type]

    # ---- nodes -----------------------------------------------------------------------------------------------------

    def write(self, record: Record) -> Line:
        made = line(record, len(self.lines) + 1)
        self.lines.append(made)
        return made

    def shared(self, position: int) -> dict[str, Any]:
        """The fields that claims and decisions have in common."""
        contradicts = self.sizes.nogoods and self.sizes.contradicts and self.often(6)
        return {
            "answers": (self.rng.choice(self.questions),) if self.questions and self.often(25) else (),
            "supersedes": self.supersession(position),
            "would_supersede": (Supersession(id=self.rng.choice(self.judged)),) if self.often(3) else (),
            "contradicts": (self.cited(),) if contradicts else (),
        }

    def claim(self, node: str, position: int) -> Claim:
        state = self.rng.choices((*STATES["claim"], "derived"), (0, 90, 0, 0, 10) if self.calm else (5, 72, 6, 4, 13))[
            0
        ]
        sets = self.support_sets(position, 5 if state == "derived" else 35)
        return Claim(id=node, state=state, supports=sets, **self.shared(position))  # type: ignore[arg-type]

    def decision(self, node: str, position: int) -> Decision:
        state = self.rng.choices(STATES["decision"], (0, 1, 0) if self.calm else (8, 84, 8))[0]
        most = 0 if self.calm or not position else self.rng.choice((0, 0, 1, 1, 2))
        needs = tuple(self.cited(position) for _ in range(most))
        return Decision(
            id=node,
            choice=node,
            state=state,  # type: ignore[arg-type]
            supports=self.support_sets(position, 55),
            depends_on=needs,
            alternatives=tuple(self.option(key, position) for key in KEYS if self.often(35)),
            **self.shared(position),
        )

    def option(self, key: str, position: int) -> Alternative:
        verdict = "abandoned" if self.often(15) else "rejected"
        return Alternative(key=key, verdict=verdict, because=self.support_sets(position, 25))  # type: ignore[arg-type]

    def hypothesis(self, node: str) -> Hypothesis:
        state = self.rng.choices(STATES["hypothesis"], (15, 70, 15))[0]
        assuming = self.support_set() if self.often(70) else ()
        return Hypothesis(id=node, state=state, assuming=assuming, action=node)  # type: ignore[arg-type]

    def nodes(self) -> None:
        for position, node in enumerate(self.judged):
            self.write(self.node(node, position))
        for position, node in enumerate(self.questions):
            older = self.questions[:position]
            turned = (Supersession(id=older[-1], reason=self.rng.choice(REASONS)),) if older and self.often(50) else ()  # type: ignore[arg-type]
            self.write(Question(id=node, supersedes=turned))
        for node in self.hypotheses:
            self.write(self.hypothesis(node))
        for number in range(self.rng.choice((0, 1, 1, 2)) if self.sizes.nogoods else 0):
            self.write(Nogood(id=f"n{number}", members=self.support_set(least=2)))

    def node(self, node: str, position: int) -> Claim | Decision:
        if node in self.claims:
            return self.claim(node, position)
        return self.decision(node, position)

    # ---- later lines -----------------------------------------------------------------------------------------------

    def relate(self) -> None:
        relation = self.rng.choice(("supports",) * 4 + ("depends_on",) * 2 + ("answers",) * 2 + ("supersedes",))
        source, targets, reason = self.rng.choice(self.judged), self.support_set(), None
        if relation == "supports" and self.often(30):
            source = self.alternative()
        elif relation == "supports" and self.often(6):
            targets = ()
        elif relation == "depends_on" or (relation == "answers" and not self.questions):
            relation, source = "depends_on", self.rng.choice(self.decisions)
        elif relation == "answers":
            targets = (self.rng.choice(self.questions),)
        elif relation == "supersedes":
            relation = "would_supersede" if self.often(10) else relation
            targets, reason = (self.rng.choice(self.judged),), self.rng.choice((*REASONS, None))
        self.write(Relate(relation=relation, source=source, targets=targets, reason=reason))  # type: ignore[arg-type]

    def contradict(self) -> None:
        if self.sizes.nogoods and self.sizes.contradicts:
            self.write(Relate(relation="contradicts", source=self.rng.choice(self.judged), targets=(self.cited(),)))

    def newest(self, node: str) -> tuple[list[str], list[str]]:
        """The hashes of all assessments of `node`, and of those that nothing replaces; voids left aside."""
        told = [x for x in self.lines if getattr(x.record, "id", "") == node]
        told += [x for x in self.lines if isinstance(x.record, Assess) and x.record.node == node]
        replaced = {h for x in told for h in getattr(x.record, "replaces", ())}
        return [x.hash for x in told], [x.hash for x in told if x.hash not in replaced]

    def assess(self) -> None:
        node = self.rng.choice(self.judged * 2 + self.hypotheses)
        kind = {"c": "claim", "d": "decision", "h": "hypothesis"}[node[0]]
        state = self.rng.choice(STATES[kind if not self.often(3) else "claim"])
        if self.often(35) and kind != "hypothesis":
            state = "accepted" if kind == "claim" else "adopted"
        every, newest = self.newest(node)
        replaces = newest if self.often(80) else [h for h in every if self.often(40)]
        signature = Falsification(signature="E1") if state == "falsified" else None
        self.write(Assess(node=node, state=state, replaces=tuple(replaces), falsification=signature))  # type: ignore[arg-type]

    def again(self) -> None:
        """The same record, in a line of its own."""
        self.write(self.rng.choice(self.lines).record)

    def clash(self) -> None:
        """The same id with another body."""
        if not self.sizes.clashes:
            return
        nogoods = [x.record.id for x in self.lines if isinstance(x.record, Nogood)]
        node = self.rng.choice(self.judged + self.hypotheses + self.questions + nogoods * 2)
        if node in self.hypotheses:
            self.write(self.hypothesis(node))
        elif node in nogoods:
            self.write(Nogood(id=node, members=self.support_set(least=2)))
        elif node in self.questions:
            self.write(Question(id=node, text="put otherwise"))
        else:
            self.clash_of(node)

    def clash_of(self, node: str) -> None:
        position = self.judged.index(node)
        other = node in self.claims if not (self.sizes.mixed_kinds and self.often(30)) else node not in self.claims
        self.write(self.claim(node, position) if other else self.decision(node, position))

    def void(self) -> None:
        if not self.sizes.voids:
            return
        target = self.rng.choice(self.lines)
        nodes = [x for x in self.lines if not isinstance(x.record, Claim | Decision)]
        if nodes and self.often(75):  # a node whose record is void is missing: not too often
            target = self.rng.choice(nodes)
        self.write(Void(target=target.hash))

    def void_part(self) -> None:
        """One relation of a record that stays."""
        parts = [part for x in self.lines for part in parts_of(x)]
        if self.sizes.voids and parts:
            self.write(self.rng.choice(parts))

    def review(self) -> None:
        """Of a citation that moved, if there is one; its head is any of the successors."""
        successors = [
            (s.id, x.record.id)
            for x in self.lines
            if isinstance(x.record, Claim | Decision)
            for s in x.record.supersedes
        ]
        successors += [
            (t, x.record.source)
            for x in self.lines
            if isinstance(x.record, Relate) and x.record.relation == "supersedes"
            for t in x.record.targets
        ]
        if not successors:
            return
        old, new = self.rng.choice(successors)
        if self.often(40):
            new = self.rng.choice([b for a, b in successors if a == new] or [new])
        citing = [x for x in self.judged if self.cites(x, old)] or self.judged
        self.write(Review(citing=self.rng.choice(citing), cited=old, head=new))

    def cites(self, citing: str, cited: str) -> bool:
        found = [x.record for x in self.lines if getattr(x.record, "id", getattr(x.record, "source", "")) == citing]
        return any(
            cited in t
            for r in found
            for t in (*getattr(r, "supports", ()), getattr(r, "depends_on", ()), getattr(r, "targets", ()))
        )

    def correct(self) -> None:
        made = [x for x in self.lines if getattr(x.record, "supersedes", ())]
        if not made:
            return
        chosen = self.rng.choice(made).record
        old = self.rng.choice(chosen.supersedes)  # type: ignore[union-attr]
        fields = Correction(text="better words")
        if self.often(75):
            fields = Correction(supersedes=(Supersession(id=old.id, reason=self.rng.choice(REASONS)),))  # type: ignore[arg-type]
        node = chosen.id  # type: ignore[union-attr]
        earlier = [x for x in self.lines if isinstance(x.record, Correct) and x.record.node == node]
        gone = {h for x in earlier for h in x.record.replaces}  # type: ignore[union-attr]
        replaces = tuple(x.hash for x in earlier if x.hash not in gone and self.often(85))
        self.write(Correct(node=node, fields=fields, replaces=replaces))

    def later(self) -> None:
        makers = (
            self.relate,
            self.assess,
            self.again,
            self.clash,
            self.void,
            self.void_part,
            self.review,
            self.correct,
        )
        weights = (26, 26, 4, 4, 6, 7, 14, 9)
        for maker in self.rng.choices(
            (*makers, self.contradict), (*weights, 4), k=self.sizes.later // (4 if self.calm else 1)
        ):
            maker()


def parts_of(told: Line) -> list[Void]:
    """A void for each relation in the record of this line."""
    found: list[tuple[str, int, str]] = []
    for field in ("supports", "depends_on", "answers", "supersedes", "contradicts", "alternatives"):
        found += [(field, i, "") for i, _ in enumerate(getattr(told.record, field, ()))]
    for alternative in getattr(told.record, "alternatives", ()):
        found += [("because", i, alternative.key) for i, _ in enumerate(alternative.because)]
    return [Void(target=told.hash, field=f, position=i, key=key) for f, i, key in found]  # type: ignore[arg-type]
