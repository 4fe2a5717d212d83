"""The declared layer of a graph: what the lines say, node by node, before anything is derived.

A `Declared` is an immutable value; `add` gives the next one and shares everything that did not change. Its indexes
(who supersedes, who answers, who contradicts) are kept from the difference between a node's facts before and after.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec
from pyrsistent import PVector, pvector

from tms.alternatives import Option, collect
from tms.collector import unwalked
from tms.entry import CLASH, NOTHING, Entry, Facts, Voids, corrections, fold, is_void, live
from tms.model import (
    Act,
    Assess,
    Correct,
    Hypothesis,
    Line,
    Mark,
    Outcome,
    Purge,
    Relate,
    Review,
    Void,
)
from tms.names import Names
from tms.signature import signature_of
from tms.supersede import HeadsFound, Hop, Succession
from tms.table import Table

Index = Table[int, tuple[Any, ...]]


def subject(line: Line) -> str | None:
    """The id of the node that a line is about; None for a void, a mark or an act."""
    record = line.record
    if isinstance(record, Assess | Correct | Outcome | Purge):
        return record.node
    if isinstance(record, Relate):
        return record.source
    if isinstance(record, Review):
        return record.citing
    return None if isinstance(record, Void | Mark | Act) else record.id


def contradiction_id(a: str, b: str) -> str:
    """The id of the nogood that `contradicts` implies: the same from both ends.

    >>> contradiction_id("b", "a") == contradiction_id("a", "b")
    True
    """
    return "n-" + hashlib.sha256(msgspec.json.encode(sorted((a, b)))).hexdigest()[:12]


_FIELDS = (
    "names",
    "entries",
    "log",
    "where",
    "voids",
    "superseders",
    "answerers",
    "implied",
    "assumed",
    "mentioned",
    "actions",
)


class Declared:
    """What is recorded. Build with `empty()` or `of(lines)`, then `add(lines)`.

    >>> from tms.model import Claim, Line
    >>> d = Declared.empty().add([Line(record=Claim(id="c1", state="accepted"), hash="h1")])
    >>> d.facts(d.names.number("c1")).state
    'accepted'
    """

    __slots__ = (
        "_facts",
        "_heads",
        "_limit",
        "_options",
        "actions",
        "answerers",
        "assumed",
        "entries",
        "implied",
        "log",
        "mentioned",
        "names",
        "superseders",
        "voids",
        "where",
    )

    def __init__(
        self,
        names: Names,
        entries: PVector[Entry | None],
        log: PVector[Line],
        where: Names,
        voids: Voids,
        superseders: Index,
        answerers: Index,
        implied: Index,
        assumed: Table[int, str],
        mentioned: Table[str, tuple[str, ...]],
        actions: Table[str, tuple[int, ...]],
    ) -> None:
        self.names, self.entries, self.log, self.where, self.voids = names, entries, log, where, voids
        self.superseders, self.answerers, self.implied, self.assumed = superseders, answerers, implied, assumed
        self.mentioned = mentioned  # decision -> keys of alternatives that have a number, be they there or not
        self.actions = actions  # signature of an action -> the hypotheses recorded about it, void ones too
        self._start_caches()

    def _start_caches(self) -> None:
        self._facts: dict[int, Facts] = {}
        self._limit = len(self.names)  # numbers from here on may mean another name in a value that shares the cache
        self._options: dict[int, dict[str, Option]] = {}
        self._heads: HeadsFound = ({}, {})

    @staticmethod
    def empty() -> Declared:
        nothing: Index = Table({})
        return Declared(
            Names.empty(),
            pvector([None]),
            pvector(),
            Names.empty(),
            Table({}),
            nothing,
            nothing,
            nothing,
            Table({}),
            Table({}),
            Table({}),
        )

    @staticmethod
    def of(lines: Iterable[Line]) -> Declared:
        """The declared layer of many lines at once, as plain dicts and lists that are frozen at the end."""
        from tms.loading import load

        return load(lines)

    def with_(self, **changes: Any) -> Declared:
        """A copy in which some of the layers differ."""
        after = Declared.__new__(Declared)
        for name in _FIELDS:
            setattr(after, name, changes[name] if name in changes else getattr(self, name))
        after._start_caches()
        return after

    # -- reading ------------------------------------------------------------------------------------------------

    def entry(self, node: int) -> Entry | None:
        return self.entries[node] if node < len(self.entries) else None

    def facts(self, node: int) -> Facts:
        """The facts of a node; of an alternative, those that its decision gives it."""
        known = self._facts.get(node)
        if known is None:
            known = self._read(node)
            if node < self._limit:
                self._facts[node] = known
        return known

    def _read(self, node: int) -> Facts:
        entry = self.entry(node)
        name = self.names.name(node)
        if "/" in name:
            return NOTHING if "\n" in name else self._alternative(name)
        if entry is not None:
            return fold(entry, self.voids)
        pairs = self.implied.get(node)
        if pairs:
            return Facts("nogood", "", members=pairs[0][1])
        return NOTHING

    def _alternative(self, name: str) -> Facts:
        decision, _, key = name.partition("/")
        number = self.names.number(decision)
        option = self.options(number).get(key) if number is not None else None
        if option is None:
            return NOTHING
        return Facts("alternative", option.verdict, option.sets, True, bodies=option.bodies)

    def state(self, node: int) -> str:
        """The recorded state, or the one that is assumed in a what-if."""
        return (self.assumed.get(node) if self.assumed else None) or self.facts(node).state

    def stands(self, node: int) -> bool:
        """Whether a node may hold as far as it goes itself: its judgement is given, or it needs none."""
        return (self.facts(node).kind, self.state(node)) in _STANDING

    def assuming(self, states: Table[int, str]) -> Declared:
        """The same records under other judgements (a what-if)."""
        return self.with_(assumed=states)._sharing_caches_of(self)

    def _sharing_caches_of(self, before: Declared) -> Declared:
        """Only where no record differs."""
        self._facts, self._limit = before._facts, before._limit
        self._options, self._heads = before._options, before._heads
        return self

    @property
    def succession(self) -> Succession:
        """What superseded what; made anew, with what earlier ones worked out (held here, it would be a circle)."""
        return Succession(self.superseders, self.supersession_counts, self._heads)

    def supersession_counts(self, successor: int, node: int) -> bool:
        """Claims and decisions supersede claims and decisions, questions questions; what is missing fits any."""
        groups = {_GROUP.get(self.facts(n).kind, "none") for n in (successor, node) if self.facts(n).exists}
        return len(groups) < 2 and "none" not in groups

    def options(self, decision: int) -> dict[str, Option]:
        """The alternatives of a decision by key: those that it states, and those that it inherits."""
        if decision not in self._options:
            collect(self, decision, self._options)
        return self._options[decision]

    def corrected(self, node: int) -> dict[str, Any]:
        entry = self.entry(node)
        return corrections(live(entry.later, self.voids)) if entry and entry.later else {}

    def is_void(self, line_hash: str) -> bool:
        return is_void(line_hash, self.voids)

    def line(self, line_hash: str) -> Line | None:
        position = self.where.number(line_hash)
        return None if position is None else self.log[position - 1]

    # -- the next value -----------------------------------------------------------------------------------------

    def add(self, lines: Iterable[Line]) -> Declared:
        """The next value with more lines; a line that is known already changes nothing."""
        after = self
        for line in lines:
            if after.where.number(line.hash) is None:
                after = after._add_line(line)
        return after

    def _add_line(self, line: Line) -> Declared:
        after = self.with_(log=unwalked(self.log.append(line)), where=self.where.with_name(line.hash)[0])
        record = line.record
        if isinstance(record, Void):
            before = self.voids.get(record.target, ())
            after = after.with_(voids=self.voids.set(record.target, (*before, line)))
            return after._reindex(self, [n for n in [self._base_node(record.target)] if n is not None])
        name = subject(line)
        if name is None:
            return after
        after, number = after.named(name)
        entry = after.entries[number] or Entry()
        if name == getattr(record, "id", None):
            entry = Entry((*entry.records, line), entry.later)
        else:
            entry = Entry(entry.records, (*entry.later, line))
        found = after.with_(entries=unwalked(after.entries.set(number, entry)))
        if isinstance(record, Hypothesis) and record.action:
            found.actions = with_action(self.actions, record.action, number)
        if isinstance(record, Assess | Review | Outcome | Purge):  # neither relations nor kinds can differ
            found._options, found._heads = self._options, self._heads
            return found
        return found._reindex(self, [number])

    def named(self, name: str) -> tuple[Declared, int]:
        """The same, with a number for a name."""
        names, number = self.names.with_name(name)
        if names is self.names:
            return self, number
        entries = self.entries
        while len(entries) < len(names):
            entries = unwalked(entries.append(None))
        mentioned = self.mentioned
        decision, slash, key = name.partition("/")
        if slash and "\n" not in name:
            mentioned = mentioned.set(decision, (*mentioned.get(decision, ()), key))
        return self.with_(names=names, entries=entries, mentioned=mentioned)._sharing_caches_of(self), number

    def node_of(self, line: Line) -> int | None:
        """The number of the node that a line is about; of a void: that of the line at the end of its chain."""
        if isinstance(line.record, Void):
            return self._base_node(line.record.target)
        name = subject(line)
        return None if name is None else self.names.number(name)

    def _base_node(self, target: str) -> int | None:
        """The node that a voided line is about, through voids of voids."""
        line = self.line(target)
        while line is not None and isinstance(line.record, Void):
            line = self.line(line.record.target)
        name = subject(line) if line is not None else None
        return None if name is None else self.names.number(name)

    def _reindex(self, before: Declared, nodes: Iterable[int]) -> Declared:
        after = self
        for node in nodes:
            old, new = before._facts_if_there(node), after.facts(node)
            if old.supersedes != new.supersedes:
                after = after._with_superseders(node, old, new)
            if old.answers != new.answers:
                after = after._with_index("answerers", node, old.answers, new.answers)
            if old.contradicts != new.contradicts:
                after = after._with_implied(node, old, new)
        return after

    def _facts_if_there(self, node: int) -> Facts:
        return self.facts(node) if node < len(self.names) else NOTHING

    def _with_superseders(self, node: int, old: Facts, new: Facts) -> Declared:
        after = self
        for name in sorted({m for m, _ in (*old.supersedes, *new.supersedes)}):
            after, number = after.named(name)
            hops: list[Hop] = [hop for hop in after.superseders.get(number, ()) if hop[0] != node]
            hops.extend((node, reason) for m, reason in new.supersedes if m == name)
            after = after.with_(superseders=_set(after.superseders, number, hops))
        return after

    def _with_index(self, index: str, node: int, old: tuple[str, ...], new: tuple[str, ...]) -> Declared:
        after = self
        for name in sorted(set(old) | set(new)):
            after, number = after.named(name)
            current: Index = getattr(after, index)
            sources = [source for source in current.get(number, ()) if source != node]
            sources.extend([node] if name in new else [])
            after = after.with_(**{index: _set(current, number, sources)})
        return after

    def _with_implied(self, node: int, old: Facts, new: Facts) -> Declared:
        after = self
        own = after.names.name(node)
        for other in sorted(set(old.contradicts) | set(new.contradicts)):
            after, number = after.named(contradiction_id(own, other))
            pairs = [pair for pair in after.implied.get(number, ()) if pair[0] != node]
            pairs.extend([(node, tuple(sorted((own, other))))] if other in new.contradicts else [])
            after = after.with_(implied=_set(after.implied, number, pairs))
        return after


def with_action(actions: Table[str, tuple[int, ...]], action: str, number: int) -> Table[str, tuple[int, ...]]:
    """The index of actions with one more hypothesis."""
    signature = signature_of(action)
    known = actions.get(signature, ())
    return actions if number in known else actions.set(signature, tuple(sorted((*known, number))))


_STANDING = {
    ("claim", "accepted"),
    ("claim", "derived"),
    ("decision", "adopted"),
    ("hypothesis", "falsified"),
    ("alternative", "rejected"),
    ("question", "open"),
    ("nogood", ""),
    ("nogood", CLASH),  # in force all the same, with the members of every body
}
_GROUP = {"claim": "judged", "decision": "judged", "question": "question"}


def _set(index: Index, key: int, values: list[Any]) -> Index:
    return index.set(key, tuple(sorted(values))) if values else index.discard(key)
