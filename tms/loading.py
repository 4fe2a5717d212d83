"""Many lines at once: collected into plain dicts, frozen at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pyrsistent import pvector

from tms.declared import Declared, Index, contradiction_id, subject
from tms.entry import Entry, fold
from tms.model import Claim, Decision, Line, Question, Void
from tms.names import Names
from tms.supersede import Hop
from tms.table import Table
from tms.vector import unwalked


def load(lines: Iterable[Line]) -> Declared:
    """The declared layer of many lines; the same as adding them one by one."""
    return _Loading(lines).declared()


class _Loading:
    """Collects lines into plain dicts, then freezes them."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.numbers: dict[str, int] = {}
        self.records: dict[int, list[Line]] = {}
        self.later: dict[int, list[Line]] = {}
        self.voids: dict[str, tuple[Line, ...]] = {}
        self.where: dict[str, int] = {}
        self.log: list[Line] = []
        for line in lines:
            if line.hash not in self.where:
                self.log.append(line)
                self.where[line.hash] = len(self.log)
                self._take(line)

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers) + 1)

    def _take(self, line: Line) -> None:
        record = line.record
        if isinstance(record, Void):
            self.voids[record.target] = (*self.voids.get(record.target, ()), line)
            return
        name = subject(line)
        if name is not None:
            own = name == getattr(record, "id", None)
            (self.records if own else self.later).setdefault(self.number(name), []).append(line)

    def mentioned(self) -> Table[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for name in self.numbers:
            if "/" in name:
                decision, _, key = name.partition("/")
                found[decision] = (*found.get(decision, ()), key)
        return Table(found)

    def declared(self) -> Declared:
        entries: list[Entry | None] = [None] * (len(self.numbers) + 1)
        for number in self.numbers.values():
            entries[number] = Entry(tuple(self.records.get(number, ())), tuple(self.later.get(number, ())))
        voids = Table(self.voids)
        superseders: dict[int, list[Hop]] = {}
        answerers: dict[int, list[int]] = {}
        implied: dict[int, list[tuple[int, tuple[str, str]]]] = {}
        for number, name in [(n, name) for name, n in self.numbers.items()]:
            entry = entries[number]
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
        entries.extend([None] * (len(self.numbers) + 1 - len(entries)))
        return Declared(
            Names.of(self.numbers),
            unwalked(pvector(entries)),
            unwalked(pvector(self.log)),
            Names.of(self.where),
            voids,
            _frozen(superseders),
            _frozen(answerers),
            _frozen(implied),
            Table({}),
            self.mentioned(),
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
