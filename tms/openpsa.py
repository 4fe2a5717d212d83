"""Fault trees in the Open-PSA format as records: gates become derived claims, basic events accepted claims.

Ids are the names in the file, so that the label of a top gate is the set of its minimal cut sets. A formula inside a
gate's becomes a derived claim of its own, `GATE.1`, `GATE.2`, ... in the order of the file. AND, OR and at-least are
read; what is not monotone, and what could change the meaning and is not known here, is refused with file and line.
Probabilities, parameters and attributes are passed over.

The file is not trusted: a DOCTYPE is refused, and with it every entity; nothing recurses on its nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from tms.errors import RecordError, UsageError
from tms.model import ID_PATTERN, MAX_ID, Claim

MOST_LINKS = 100_000  # claims of one chain
MOST_SETS = 100  # combinations of an at-least that are written out; of more, a chain is made
_FORMULAS = ("and", "or", "atleast")
_REFERENCES = ("gate", "basic-event", "event")
_AROUND = ("opsa-mef", "define-fault-tree", "define-component", "model-data")  # only hold what counts
_PASSED = ("label", "attributes", "define-parameter")  # these and all inside say nothing about the logic
_NAME = re.compile(ID_PATTERN)


class FaultTree(NamedTuple):
    """The records of a file, and the gates that no other gate refers to, sorted."""

    records: tuple[Claim, ...]
    top: tuple[str, ...]


class _Formula:
    """One formula of a gate; an argument is a name, or the place of another formula among those of the gate."""

    def __init__(self, operator: str, line: int, least: int = 0) -> None:
        self.operator, self.line, self.least = operator, line, least
        self.arguments: list[str | int] = []


class _Definition:
    """A gate or a basic event as it stands in the file."""

    def __init__(self, name: str, line: int) -> None:
        self.name, self.line = name, line
        self.label = ""
        self.formulas: list[_Formula] = []


def read_fault_tree(path: str) -> FaultTree:
    """The fault trees in a file; raises `RecordError` with file and line, `UsageError` where it cannot be read."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", code="unreadable") from None
    return parse_fault_tree(data, path)


def parse_fault_tree(data: bytes, path: str) -> FaultTree:
    """The fault trees in some XML; `path` is named in errors.

    >>> found = parse_fault_tree(b'''<opsa-mef><define-fault-tree name="t"><define-gate name="top"><or>
    ...   <basic-event name="a"/><and><basic-event name="b"/><basic-event name="c"/></and>
    ... </or></define-gate></define-fault-tree></opsa-mef>''', "t.xml")
    >>> found.top, [(claim.id, claim.state, claim.supports) for claim in found.records[:2]]
    (('top',), [('top.1', 'derived', (('b', 'c'),)), ('top', 'derived', (('a',), ('top.1',)))])
    """
    reader = _Reader(path)
    reader.read(data)
    return _Converter(reader).tree()


# -- reading -----------------------------------------------------------------------------------------------------


class _Reader:
    """Takes the elements as they come; `open` are the formulas of the current gate that have not ended."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.gates: dict[str, _Definition] = {}
        self.events: dict[str, _Definition] = {}
        self.references: dict[str, tuple[str, int]] = {}  # name: as what it is referred to first, and where
        self._current: _Definition | None = None
        self._open: list[_Formula] = []
        self._passing = 0  # depth inside an element that is passed over
        self._text: list[str] | None = None  # of a label
        self._seen_root = False
        self._parser = expat.ParserCreate()
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def read(self, data: bytes) -> None:
        try:
            self._parser.Parse(data, True)
        except expat.ExpatError as error:
            raise self.refusal(f"not XML: {expat.ErrorString(error.code)}", "syntax", error.lineno) from None
        except (LookupError, ValueError) as error:  # an encoding that is not known, or not fit for XML
            raise self.refusal(f"not XML: {error}", "syntax", 1) from None

    def refusal(self, message: str, code: str, line: int | None = None, hint: str = "") -> RecordError:
        where = f"{self.path}:{self._parser.CurrentLineNumber if line is None else line}"
        return RecordError(message, code=code, where=where, hint=hint)

    def _doctype(self, *_: object) -> None:
        raise self.refusal("a DOCTYPE, and with it entities, is not read", "doctype", hint="take it out of the file")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._seen_root and tag != "opsa-mef":
            raise self.refusal(f"<{tag}> is no Open-PSA model; expected <opsa-mef>", "not-openpsa")
        self._seen_root = True
        if self._passing or tag in _PASSED:
            self._pass(tag)
        elif self._current is None:
            self._outside(tag, attributes)
        elif self._current.name in self.events:
            self._pass(tag)  # a probability
        elif tag in _REFERENCES:
            self._refer(tag, attributes)
        elif tag in _FORMULAS:
            self._formula(tag, attributes)
        else:
            raise self._unknown(tag)

    def _pass(self, tag: str) -> None:
        self._passing += 1
        if tag == "label" and self._passing == 1 and self._current is not None:
            self._text = []

    def _outside(self, tag: str, attributes: dict[str, str]) -> None:
        if tag not in (*_AROUND, "define-gate", "define-basic-event"):
            raise self._unknown(tag)
        if attributes.get("role") == "private":
            raise self.refusal(f"<{tag}>: private names are not supported", "unsupported")
        if tag in _AROUND:
            return
        name = self._named(tag, attributes)
        if name in self.gates or name in self.events:
            raise self.refusal(f"{name} is defined twice", "duplicate")
        self._current = _Definition(name, self._parser.CurrentLineNumber)
        (self.gates if tag == "define-gate" else self.events)[name] = self._current

    def _named(self, tag: str, attributes: dict[str, str]) -> str:
        name = attributes.get("name", "")
        if len(name) > MAX_ID or not _NAME.match(name):
            raise self.refusal(f"<{tag}>: the name {name[:40]!r} cannot be an id", "id", hint="see docs/ledger.md")
        return name

    def _refer(self, tag: str, attributes: dict[str, str]) -> None:
        name = self._named(tag, attributes)
        kind = attributes.get("type", tag) if tag == "event" else tag
        if kind not in _REFERENCES:
            raise self._unknown(kind)
        self.references.setdefault(f"{kind} {name}", (name, self._parser.CurrentLineNumber))
        if self._open:
            self._open[-1].arguments.append(name)
            return
        alone = _Formula("or", self._parser.CurrentLineNumber)  # a gate that is nothing but another
        alone.arguments.append(name)
        self._add(alone)
        self._open.pop()

    @property
    def _formulas(self) -> list[_Formula]:
        return self._current.formulas if self._current else []

    def _formula(self, tag: str, attributes: dict[str, str]) -> None:
        least = attributes.get("min", "")
        if tag == "atleast" and not re.fullmatch("[0-9]{1,9}", least):
            raise self.refusal(f"<atleast>: min is {least[:40]!r}; expected a number", "min")
        self._add(_Formula(tag, self._parser.CurrentLineNumber, int(least) if tag == "atleast" else 0))

    def _add(self, formula: _Formula) -> None:
        if self._formulas and not self._open:
            raise self.refusal("a gate has one formula; this is a second one", "formula")
        if self._open:
            self._open[-1].arguments.append(len(self._formulas))
        self._formulas.append(formula)
        self._open.append(formula)

    def _end(self, tag: str) -> None:
        if self._passing:
            self._passing -= 1
            if not self._passing and self._text is not None and self._current is not None:
                self._current.label, self._text = " ".join("".join(self._text).split()), None
        elif tag in _FORMULAS:
            self._close(self._open.pop())
        elif tag in ("define-gate", "define-basic-event"):
            if tag == "define-gate" and not self._formulas:
                raise self.refusal(f"the gate {self._current.name if self._current else ''} has no formula", "formula")
            self._current = None

    def _close(self, formula: _Formula) -> None:
        number = len(formula.arguments)
        if not number:
            raise self.refusal(f"<{formula.operator}> has no argument", "formula", formula.line)
        if formula.operator == "atleast" and not 1 <= formula.least <= number:
            message = f"<atleast>: min is {formula.least}; expected 1 to {number}, the number of its arguments"
            raise self.refusal(message, "min", formula.line)

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _unknown(self, tag: str) -> RecordError:
        hint = f"gates are read with {', '.join(f'<{known}>' for known in _FORMULAS)}"
        return self.refusal(f"<{tag}> is not supported; nothing was imported", "unsupported", hint=hint)


# -- converting --------------------------------------------------------------------------------------------------


class _Converter:
    """Makes the records; ids for what has no name in the file never take one that is there."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.gates, self.events = reader.gates, reader.events
        self.records: list[Claim] = []
        self.referred = {name for name, _ in reader.references.values()}
        self.taken = {*self.gates, *self.events, *self.referred}

    def tree(self) -> FaultTree:
        self._check()
        for gate in self.gates.values():
            self._gate(gate)
        for name in sorted({*self.events, *self.referred} - set(self.gates)):
            label = self.events[name].label if name in self.events else ""
            self.records.append(Claim(id=name, text=label, state="accepted"))
        return FaultTree(tuple(self.records), tuple(sorted(set(self.gates) - self.referred)))

    def _check(self) -> None:
        """A gate that is referred to is defined, and no name is of both kinds. A basic event needs no definition."""
        for key, (name, line) in self.reader.references.items():
            kind = key.partition(" ")[0]
            if kind == "gate" and name not in self.gates:
                raise self.reader.refusal(f"no gate {name} is defined in this file", "unknown-gate", line)
            if kind == "basic-event" and name in self.gates:
                raise self.reader.refusal(f"{name} is a gate, and referred to as a basic event", "unknown-event", line)

    def _gate(self, gate: _Definition) -> None:
        """Inner formulas first, so that the records of a gate come from the bottom up."""
        ids = [gate.name]
        for place in range(1, len(gate.formulas)):
            ids.append(self._free(f"{gate.name}.{place}", gate.formulas[place].line))
        for place in reversed(range(len(gate.formulas))):
            formula = gate.formulas[place]
            members = [ids[argument] if isinstance(argument, int) else argument for argument in formula.arguments]
            sets = self._sets(ids[place], formula, members)
            self.records.append(Claim(id=ids[place], text="" if place else gate.label, state="derived", supports=sets))

    def _sets(self, name: str, formula: _Formula, members: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        if formula.operator == "and":
            return (tuple(dict.fromkeys(members)),)
        if formula.operator == "or" or formula.least == 1:
            return tuple((member,) for member in dict.fromkeys(members))
        if comb(len(members), formula.least) <= MOST_SETS:
            return tuple(dict.fromkeys(tuple(dict.fromkeys(some)) for some in combinations(members, formula.least)))
        return self._chain(name, formula, members)

    def _chain(self, name: str, formula: _Formula, members: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """At least k of n: k of the first n - 1, or the last and k - 1 of the first n - 1; each made once.

        `GATE.2of5` says "at least 2 of the first 5".
        """
        if formula.least * (len(members) - formula.least) > MOST_LINKS:
            message = f"<atleast>: {formula.least} of {len(members)} is too large"
            raise self.reader.refusal(message, "too-large", formula.line)
        ids: dict[tuple[int, int], str] = {}

        def sets(k: int, n: int) -> tuple[tuple[str, ...], ...]:
            if k == n:
                return (tuple(dict.fromkeys(members[:n])),)
            with_last = (ids[k - 1, n - 1], members[n - 1]) if k > 1 else (members[n - 1],)
            return ((ids[k, n - 1],), with_last)

        for k, n in _steps(formula.least, len(members)):
            ids[k, n] = self._free(f"{name}.{k}of{n}", formula.line)
            self.records.append(Claim(id=ids[k, n], state="derived", supports=sets(k, n)))
        return sets(formula.least, len(members))

    def _free(self, name: str, line: int) -> str:
        """The name, with a dash behind it for as long as it is taken."""
        while name in self.taken:
            name += "-"
        if len(name) > MAX_ID:
            raise self.reader.refusal(f"{name[:40]}...: too long for an id; at most {MAX_ID}", "id", line)
        self.taken.add(name)
        return name


def _steps(least: int, number: int) -> Iterator[tuple[int, int]]:
    """The (k, n) that a chain for `least` of `number` needs, from the bottom up.

    >>> list(_steps(2, 4))
    [(1, 1), (1, 2), (2, 2), (1, 3), (2, 3)]
    """
    for n in range(1, number):
        for k in range(max(1, least - (number - n)), min(least, n) + 1):
            yield k, n
