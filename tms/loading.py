"""Many lines at once: collected into plain dicts, frozen at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyrsistent import pvector

from tms.collector import paused, unwalked
from tms.declared import Declared, Index, contradiction_id, subject
from tms.entry import Entry, fold
from tms.model import Claim, Decision, Hypothesis, Line, Nogood, Question, Void
from tms.names import Names
from tms.signature import signature_of
from tms.supersede import Hop
from tms.table import Table

NODES: frozenset[Any] = frozenset((Claim, Decision, Question, Hypothesis, Nogood))


def load(lines: Iterable[Line]) -> Declared:
    """The declared layer of many lines; the same as adding them one by one."""
    with paused():
        return _Loading(lines).declared()


class _Loading:
    """Collects lines into plain dicts, then freezes them."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.numbers: dict[str, int] = {}
        self.entries: list[Entry | None] = [None]
        self.voids: dict[str, tuple[Line, ...]] = {}
        self.where: dict[str, int] = {}
        self.log: list[Line] = []
        self.actions: dict[str, set[int]] = {}
        self.more: dict[int, tuple[list[Line], list[Line]]] = {}  # nodes with more than the one line that records them
        where, log, numbers, entries = self.where, self.log, self.numbers, self.entries
        for line in lines:
            if line.hash in where:
                continue
            log.append(line)
            where[line.hash] = len(log)
            record: Any = line.record
            if record.__class__ in NODES and record.id not in numbers:
                numbers[record.id] = len(entries)
                entries.append(Entry((line,)))
                if record.__class__ is Hypothesis:
                    self._act(record, numbers[record.id])
            else:
                self._take(line)
        for number, (records, later) in self.more.items():
            entries[number] = Entry(tuple(records), tuple(later))

    def _act(self, record: Hypothesis, number: int) -> None:
        if record.action:
            self.actions.setdefault(signature_of(record.action), set()).add(number)

    def number(self, name: str) -> int:
        number = self.numbers.setdefault(name, len(self.entries))
        if number == len(self.entries):
            self.entries.append(None)
        return number

    def _take(self, line: Line) -> None:
        record: Any = line.record
        if isinstance(record, Void):
            self.voids[record.target] = (*self.voids.get(record.target, ()), line)
            return
        name = subject(line)
        if name is not None:
            number = self.number(name)
            entry = self.entries[number]
            records, later = self.more.setdefault(number, (list(entry.records) if entry else [], []))
            (records if record.__class__ in NODES else later).append(line)
            if record.__class__ is Hypothesis:
                self._act(record, number)

    def mentioned(self) -> Table[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name in self.numbers:
            if "/" in name:
                decision, _, key = name.partition("/")
                found[decision] = (*found.get(decision, ()), key)
        return Table(found)

    def declared(self) -> Declared:
        voids = Table(self.voids)
        superseders: dict[int, list[Hop]] = {}
        answerers: dict[int, list[int]] = {}
        implied: dict[int, list[tuple[int, tuple[str, str]]]] = {}
        for number, name in enumerate(list(self.numbers), 1):
            entry = self.entries[number]
            if not voids and entry is not None and not entry.later and not any(map(_relates, entry.records)):
                continue
            facts = fold(entry, voids)
            for target, reason in facts.supersedes:
                superseders.setdefault(self.number(target), []).append((number, reason))
            for target in dict.fromkeys(facts.answers):
                answerers.setdefault(self.number(target), []).append(number)
            for other in dict.fromkeys(facts.contradicts):
                pair = (min(name, other), max(name, other))
                implied.setdefault(self.number(contradiction_id(name, other)), []).append((number, pair))
        return Declared(
            Names.of(self.numbers),
            unwalked(pvector(self.entries)),
            unwalked(pvector(self.log)),
            Names.of(self.where),
            voids,
            _frozen(superseders),
            _frozen(answerers),
            _frozen(implied),
            Table({}),
            self.mentioned(),
            Table({signature: tuple(sorted(found)) for signature, found in self.actions.items()}),
        )


def _relates(line: Line) -> bool:
    """Whether a record brings something that the indexes keep."""
    body: Any = line.record
    kind = body.__class__
    if kind is Claim or kind is Decision:
        return bool(body.supersedes or body.answers or body.contradicts)
    return kind is Question and bool(body.supersedes)


def _frozen(index: Mapping[int, list[Any]]) -> Index:
    return Table({key: tuple(sorted(values)) for key, values in index.items()})
