"""Synthetic records, the same for the same seed, and a writer that makes a ledger of them quickly.

`synthetic` is the graph of the scale benchmark: a fifth of the records are premises, each later one has one or two
support sets of one to three members, three in four of them recent; about 3.2 antecedents a record. A few in a
hundred are not accepted; those are rarely cited, since otherwise almost nothing far from the premises would hold.
`chain`, `cited_hub`, `sets_hub`, `lines_hub` and `members_hub` are the extremes: deep, or wide in one way or another.
Run as `python -m benchmarks.generate 1000 ledger.jsonl --decisions 0.1 --supersessions 0.05`.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import TypeAlias

import msgspec

from tms.model import Claim, Decision, Reason, Record, Relate, Supersession, SupportSet

Judged: TypeAlias = Claim | Decision

RECENT = 0.75  # the share of members drawn from the last WINDOW records
WINDOW = 1000
CARELESS = 0.05  # how readily a record that is not accepted is cited, against one that is
EPOCH = datetime(2025, 1, 1, tzinfo=UTC)
WORDS = ("writes", "reads", "latency", "budget", "team", "region", "backup", "schema", "queue", "cache", "index")


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """The proportions of a synthetic graph; each share lies between 0 and 1.

    `regressions` are the supersessions whose successor rests on recent records instead of on older ones: they close
    circles through the citations that they move, which all others cannot.
    """

    premises: float = 0.2
    doubtful: float = 0.03
    decisions: float = 0.0
    supersessions: float = 0.0
    regressions: float = 0.0


def synthetic(n: int, *, seed: int = 1, shape: Shape | None = None) -> Iterator[Judged]:
    """The first `n` records of the graph with this seed; ids are c0, c1, ... and d7 for a decision in place of c7.

    >>> [(c.id, c.supports) for c in synthetic(12, seed=3)][1:4]
    [('c1', ()), ('c2', (('c1', 'c0'),)), ('c3', (('c1', 'c2'), ('c2',)))]
    """
    drawing = _Drawing(n, seed, shape or Shape())
    return (drawing.record(number) for number in range(n))


class _Drawing:
    """The state of one drawing: what was drawn so far, and the source of chance."""

    def __init__(self, n: int, seed: int, shape: Shape) -> None:
        self.random = Random(seed)
        self.shape = shape
        self.premises = max(1, int(n * shape.premises))
        self.ids: list[str] = []
        self.doubtful: set[int] = set()
        # A successor rests on what is older than the record it stands in for, so that moved citations close no circle.
        self.origin: dict[int, int] = {}
        self.superseded: set[int] = set()

    def record(self, number: int) -> Judged:
        random, shape = self.random.random, self.shape
        old = self._retired(number) if shape.supersessions and random() < shape.supersessions else None
        decision = number >= self.premises and random() < shape.decisions
        if old is not None:
            decision = self.ids[old].startswith("d")
        elif random() < shape.doubtful:
            self.doubtful.add(number)
        self.ids.append(f"{'d' if decision else 'c'}{number}")
        below = self._below(number, old)
        supports = self._supports(below) if below >= self.premises else ()
        return self._decision(number, below, supports, old) if decision else self._claim(number, supports, old)

    def _claim(self, number: int, supports: tuple[SupportSet, ...], old: int | None) -> Claim:
        return Claim(
            id=self.ids[number],
            text=_text(number),
            state=self.random.choice(("unassessed", "disputed", "rejected")) if number in self.doubtful else "accepted",
            supports=supports,
            supersedes=self._supersedes(old),
        )

    def _decision(self, number: int, below: int, supports: tuple[SupportSet, ...], old: int | None) -> Decision:
        return Decision(
            id=self.ids[number],
            text=_text(number),
            choice=f"option {number % 7}",
            state="proposed" if number in self.doubtful else "adopted",
            supports=supports,
            depends_on=self._members(below, 1 + (self.random.random() < 0.3)),
            supersedes=self._supersedes(old),
        )

    def _retired(self, number: int) -> int | None:
        """Which earlier record this one supersedes, if chance hits one that is current and accepted."""
        old = int(self.random.random() * number)
        if number == 0 or old in self.superseded or old in self.doubtful:
            return None
        self.superseded.add(old)
        self.origin[number] = self.origin.get(old, old)
        return old

    def _below(self, number: int, old: int | None) -> int:
        if old is None or (self.shape.regressions and self.random.random() < self.shape.regressions):
            return number
        return self.origin[number]

    def _supersedes(self, old: int | None) -> tuple[Supersession, ...]:
        if old is None:
            return ()
        reasons: tuple[Reason, ...] = ("restate", "revise", "reverse")
        return (Supersession(id=self.ids[old], reason=self.random.choices(reasons, (40, 58, 2))[0]),)

    def _supports(self, below: int) -> tuple[SupportSet, ...]:
        random = self.random.random
        sizes = [3 if (r := random()) < 0.5 else 2 if r < 0.85 else 1 for _ in range(1 + (random() < 0.7))]
        return tuple(dict.fromkeys(self._members(below, size) for size in sizes))

    def _members(self, below: int, size: int) -> SupportSet:
        """`size` earlier records, fewer where one is drawn twice."""
        random, doubtful = self.random.random, self.doubtful
        drawn: list[str] = []
        while len(drawn) < size:
            low = below - WINDOW if below > WINDOW and random() < RECENT else 0
            member = low + int(random() * (below - low))
            if member not in doubtful or random() < CARELESS:
                drawn.append(self.ids[member])
        return tuple(dict.fromkeys(drawn))


def _text(number: int) -> str:
    first, second = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
    return f"The {first} of service {number} stays within what {second} allows"


def chain(n: int) -> Iterator[Claim]:
    """Each claim rests on the one before it.

    >>> [c.supports for c in chain(3)]
    [(), (('c0',),), (('c1',),)]
    """
    for number in range(n):
        supports = ((f"c{number - 1}",),) if number else ()
        yield Claim(id=f"c{number}", text=_text(number), state="accepted", supports=supports)


def cited_hub(n: int) -> Iterator[Claim]:
    """One premise, `hub`, that all others rest on."""
    yield Claim(id="hub", text="Everything here rests on this", state="accepted")
    for number in range(1, n):
        yield Claim(id=f"c{number}", text=_text(number), state="accepted", supports=(("hub",),))


def sets_hub(n: int) -> Iterator[Claim]:
    """One claim, `hub`, with a support set for each of the n - 1 premises."""
    yield from _premises(n - 1)
    supports = tuple((str(number),) for number in range(n - 1))
    yield Claim(id="hub", text="Any one of these is enough", state="accepted", supports=supports)


def lines_hub(n: int) -> Iterator[Claim | Relate]:
    """The same graph, each support set added later by a line of its own."""
    yield from _premises(n - 1)
    yield Claim(id="hub", text="Any one of these is enough", state="accepted")
    for number in range(n - 1):
        yield Relate(relation="supports", source="hub", targets=(str(number),))


def members_hub(n: int) -> Iterator[Claim]:
    """One claim, `hub`, with one support set that has all n - 1 premises as members."""
    yield from _premises(n - 1)
    supports = (tuple(str(number) for number in range(n - 1)),)
    yield Claim(id="hub", text="All of these are needed", state="accepted", supports=supports)


def _premises(n: int) -> Iterator[Claim]:
    """Their ids are bare numbers, since the line that cites 10^5 of them must stay below the limit of a line."""
    return (Claim(id=str(number), text=_text(number), state="accepted") for number in range(n))


EXTREMES: dict[str, Callable[[int], Iterator[Record]]] = {
    "chain": chain,
    "cited-hub": cited_hub,
    "sets-hub": sets_hub,
    "lines-hub": lines_hub,
    "members-hub": members_hub,
}


def ledger_lines(records: Iterable[Record]) -> Iterator[bytes]:
    """The lines of a ledger with these records, one author's, each line naming the one before it.

    This is `tms.ledger.format.seal` for records whose texts are plain ASCII, without what makes it careful.

    >>> next(ledger_lines(chain(1)))[:57]
    b'{"body":{"id":"c0","kind":"claim","state":"accepted","tex'
    """
    encode, sha256 = msgspec.json.Encoder(order="sorted").encode, hashlib.sha256
    previous = ""
    for number, record in enumerate(records):
        body = b'{"body":%b' % encode(record)
        time = (EPOCH + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        tail = f'"prev":[{previous}],"time":"{time}","v":1}}'.encode()
        digest = sha256(b"%b,%b" % (body, tail)).hexdigest()
        yield b'%b,"hash":"%b",%b\n' % (body, digest.encode(), tail)
        previous = f'"{digest}"'


def write_ledger(path: Path, records: Iterable[Record]) -> int:
    """Write a new ledger file and say how many bytes it has; nothing is locked or synced."""
    lines = ledger_lines(records)
    with path.open("wb") as file:
        while block := list(islice(lines, 10_000)):
            file.write(b"".join(block))
        return file.tell()


def main() -> None:
    """Write one synthetic ledger."""
    parser = argparse.ArgumentParser(prog="benchmarks.generate", description=__doc__.partition("\n")[0])
    parser.add_argument("n", type=int, help="number of records")
    parser.add_argument("path", type=Path)
    parser.add_argument("--kind", choices=("synthetic", *EXTREMES), default="synthetic")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reverse", action="store_true", help="newest first: all is cited before it is there")
    for share in Shape.__struct_fields__:
        parser.add_argument(f"--{share}", type=float, default=getattr(Shape(), share))
    given = vars(parser.parse_args())
    shape = Shape(**{share: given[share] for share in Shape.__struct_fields__})
    n, kind = given["n"], given["kind"]
    records: Iterable[Record] = EXTREMES[kind](n) if kind in EXTREMES else synthetic(n, seed=given["seed"], shape=shape)
    if given["reverse"]:
        records = list(records)[::-1]
    print(f"{given['path']}: {n:,} records, {write_ledger(given['path'], records):,} bytes")


if __name__ == "__main__":
    main()
