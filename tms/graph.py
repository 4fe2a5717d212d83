"""The graph: an immutable value made from lines, and the questions that one value answers.

The way of a record through the engine, one named call each:

    read (tms.ledger) -> declare (tms.declared) -> compile (tms.compile) -> settle (tms.network) -> status (tms.status)

`apply` gives the next value; the old one stays as it was and shares what did not change.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from tms.compile import Compiled
from tms.declared import Declared
from tms.entry import Facts
from tms.errors import UnknownNode, UsageError
from tms.model import VERBS, Line, Record
from tms.shelf import BUDGET, Bounds
from tms.status import Status, Statuses, status_of, word

if TYPE_CHECKING:
    from tms.drawing.diagram import Diagram
    from tms.explain import Why

Change: TypeAlias = tuple[str, str]  # (verb, id), e.g. ("dispute", "c1")

_UNBOUND = Bounds()


class NodeView(msgspec.Struct, frozen=True, kw_only=True):
    """A node as recorded, corrections applied: its words, its relations in both directions, its history."""

    id: str
    kind: str
    state: str
    text: str = ""
    rationale: str = ""
    scope: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    supports: tuple[tuple[str, ...], ...] = ()
    depends_on: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    supersedes: tuple[tuple[str, str], ...] = ()
    would_supersede: tuple[tuple[str, str], ...] = ()
    superseded_by: tuple[tuple[str, str], ...] = ()
    cited_by: tuple[str, ...] = ()
    answered_by: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    fields: dict[str, Any] = {}
    lines: tuple[Line, ...] = ()

    def _repr_html_(self) -> str:
        from tms.display import node_html

        return node_html(self)


class Graph:
    """An immutable graph of claims, decisions and the rest.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().apply(Claim(id="c1", state="accepted"))
    >>> graph = graph.apply(Decision(id="d1", choice="Postgres", supports=(("c1",),)))
    >>> graph.status("d1").status, graph.assuming([("dispute", "c1")]).status("d1").status
    ('active', 'unsupported')
    """

    __slots__ = ("_compiled", "_declared", "_order", "_statuses", "bounds", "changes", "touched", "verdicts")

    def __init__(
        self,
        declared: Declared,
        compiled: Compiled | None = None,
        changes: tuple[Change, ...] = (),
        touched: frozenset[int] = frozenset(),
        bounds: Bounds = _UNBOUND,
    ) -> None:
        self._declared = declared
        self._compiled = compiled
        self.changes = changes  # what is assumed, in order
        self.touched = touched  # node numbers that the step to this value may have changed
        self.bounds = bounds  # of labels, where a question does not say
        self._order: tuple[str, ...] | None = None
        self._statuses: dict[str, Status] = {}
        self.verdicts: dict[str, Any] = {}  # of tms.constraints, by signature of an action

    @staticmethod
    def empty() -> Graph:
        return Graph(Declared.empty())

    @staticmethod
    def replay(lines: Iterable[Line]) -> Graph:
        """The graph of many lines; their order means nothing."""
        return Graph(Declared.of(lines))

    # -- the next value -----------------------------------------------------------------------------------------

    def apply(self, item: Line | Record) -> Graph:
        """The next graph, with one more line; a bare record is a line without an envelope."""
        return self.extend([item])

    def extend(self, items: Iterable[Line | Record]) -> Graph:
        """The next graph, with several more lines."""
        lines = [item if isinstance(item, Line) else bare(item) for item in items]
        if self._compiled is None:
            return Graph(self._declared_with(lines), None, self.changes, bounds=self.bounds)
        after = self.declared.add(lines)
        compiled, touched = self._compiled.update(after, _subjects(after, lines))
        return Graph(compiled.declared, compiled, self.changes, frozenset(touched), self.bounds)

    def _declared_with(self, lines: list[Line]) -> Declared:
        """Many lines at once are loaded, with those before them; nobody knows a node's number yet."""
        if len(lines) < 64 or 4 * len(lines) < len(self._declared.log):
            return self._declared.add(lines)
        return Declared.of((*self._declared.log, *lines))

    def assuming(self, changes: Sequence[Change]) -> Graph:
        """The same graph under hypothetical judgements; writes nothing. The last word on a node counts.

        Raises `UnknownNode`, or `UsageError` for a verb that does not fit the node's kind.
        """
        assumed = self.declared.assumed
        nodes = []
        for verb, name in changes:
            node = self.number(name)
            assumed = assumed.set(node, self._state_by(verb, name, node))
            nodes.append(node)
        after = self.compiled.declared.assuming(assumed)
        compiled, touched = self.compiled.assuming(after, nodes)
        assumed_now = (*self.changes, *((verb, name) for verb, name in changes))
        return Graph(compiled.declared, compiled, assumed_now, frozenset(touched), self.bounds)

    def _state_by(self, verb: str, name: str, node: int) -> str:
        if verb not in VERBS:
            raise UsageError(f"no verb {verb!r}; there are {', '.join(VERBS)}", code="verb")
        kind, state = VERBS[verb]
        facts = self.declared.facts(node)
        if facts.kind != kind:
            raise UsageError(f"{verb} is for a {kind}; {name} is a {facts.kind}", code="verb-kind")
        if facts.derived:
            raise UsageError(f"{name} is derived: it carries no judgement of its own to {verb}", code="derived")
        return state

    def as_of(self, point: str) -> Graph:
        """The graph as it was at a line, a mark or a time; equal to one fed only those lines."""
        from tms.ledger.history import as_of

        return Graph(Declared.of(as_of(self.lines, point)), bounds=self.bounds)

    def bounded(self, *, size: int | None = None, budget: int = BUDGET) -> Graph:
        """The same graph, whose questions about labels stop at environments of `size` members, or after `budget` steps.

        >>> from tms import Claim, environments
        >>> chain = [Claim(id="a", state="accepted"), Claim(id="b", state="accepted", supports=(("a",),))]
        >>> graph = Graph.empty().extend(chain).bounded(size=1)
        >>> environments(graph, "b").complete_to, environments(graph, "b", size=2).count
        (1, 1)
        """
        return Graph(self.declared, self._compiled, self.changes, self.touched, Bounds(size, budget))

    # -- what is there ------------------------------------------------------------------------------------------

    @property
    def compiled(self) -> Compiled:
        if self._compiled is None:
            self._compiled = Compiled.of(self._declared)
        return self._compiled

    @property
    def declared(self) -> Declared:
        return self._declared if self._compiled is None else self._compiled.declared

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines, in the order of arrival."""
        return tuple(self.declared.log)

    def number(self, name: str) -> int:
        """The node number of an id; raises `UnknownNode` with the nearest ids."""
        number = self.compiled.declared.names.number(name)
        if number is None or not self.declared.facts(number).exists:
            raise UnknownNode(name, self.nearest(name))
        return number

    def nearest(self, name: str) -> tuple[str, ...]:
        """Up to three ids that look like a name, likeliest first."""
        return tuple(difflib.get_close_matches(name, self.ids(), n=3, cutoff=0.6))

    def __contains__(self, name: object) -> bool:
        number = self.compiled.declared.names.number(name) if isinstance(name, str) else None
        return number is not None and "\n" not in str(name) and self.declared.facts(number).exists

    def __len__(self) -> int:
        return len(self.ids())

    def ids(self, kind: str | None = None) -> tuple[str, ...]:
        """The ids of all nodes, or of one kind, sorted; alternatives and implied nogoods among them."""
        if self._order is None:
            names = self.compiled.declared.names
            found = [name for number, name in enumerate(names, 1) if "\n" not in name and self._facts(number).exists]
            self._order = tuple(sorted(found))
        if kind is None:
            return self._order
        return tuple(name for name in self._order if self._facts(self._number(name)).kind == kind)

    def _facts(self, number: int) -> Facts:
        return self.declared.facts(number)

    def _number(self, name: str) -> int:
        return self.compiled.declared.names.number(name) or 0

    def missing(self) -> tuple[str, ...]:
        """Ids that something refers to and that no line records, sorted."""
        names = self.compiled.declared.names
        return tuple(sorted(n for i, n in enumerate(names, 1) if "\n" not in n and not self._facts(i).exists and n))

    # -- how it stands ------------------------------------------------------------------------------------------

    def status(self, name: str) -> Status:
        """How a node stands: state, status, flags, blockers. Raises `UnknownNode`."""
        if name not in self._statuses:
            self._statuses[name] = status_of(self.compiled, self.number(name))
        return self._statuses[name]

    def statuses(self) -> Statuses:
        """The status of every node, sorted by id."""
        return Statuses(self.status(name) for name in self.ids())

    def word(self, name: str) -> str:
        """The status word alone; `missing` for an id that no line records."""
        number = self.compiled.declared.names.number(name)
        return "missing" if number is None else word(self.compiled, number)

    def text(self, name: str) -> str:
        """The words of a node, corrected. Raises `UnknownNode`."""
        number = self.number(name)
        return str(_words(self, number, self._facts(number))["text"])

    def node(self, name: str) -> NodeView:
        """A node as recorded. Raises `UnknownNode`."""
        return _view(self, name)

    __getitem__ = node

    def why(self, name: str) -> Why:
        """Why a node stands as it does; see `tms.explain`. Raises `UnknownNode`."""
        from tms.explain import why

        return why(self, name)

    def diagram(self, **choice: Any) -> Diagram:
        """A drawing of the graph, that a notebook shows; takes what `tms.drawing.model.drawing` takes."""
        from tms.drawing.diagram import Diagram
        from tms.drawing.model import drawing

        return Diagram(drawing(self, **choice))


def bare(record: Record) -> Line:
    """A line without an envelope; its hash is that of the record alone."""
    return Line(record=record, hash=hashlib.sha256(msgspec.json.encode(record, order="sorted")).hexdigest())


def _subjects(after: Declared, lines: Iterable[Line]) -> Iterator[int]:
    for line in lines:
        node = after.node_of(line)
        if node is not None:
            yield node


def _view(graph: Graph, name: str) -> NodeView:
    number = graph.number(name)
    facts = graph.declared.facts(number)
    words = _words(graph, number, facts)
    named: Callable[[int], str] = graph.declared.names.name
    return NodeView(
        id=name,
        kind=facts.kind,
        state=graph.declared.state(number),
        **words,
        supports=facts.sets,
        depends_on=facts.depends_on,
        answers=facts.answers,
        members=facts.members,
        supersedes=facts.supersedes,
        would_supersede=_would_supersede(facts),
        superseded_by=tuple(sorted((named(s), r) for s, r in graph.declared.superseders.get(number, ()))),
        cited_by=cited_by(graph, number),
        answered_by=tuple(sorted(named(s) for s in graph.declared.answerers.get(number, ()))),
        alternatives=tuple(f"{name}/{key}" for key in sorted(graph.declared.options(number))),
        fields=_other_fields(facts),
        lines=_lines(graph, number),
    )


def _words(graph: Graph, number: int, facts: Facts) -> dict[str, Any]:
    body: Any = facts.bodies[0] if facts.bodies else None
    found = {name: getattr(body, name, "") for name in ("text", "rationale")}
    found |= {name: getattr(body, name, ()) for name in ("scope", "tag", "evidence")}
    found |= {name: value for name, value in graph.declared.corrected(number).items() if name in found}
    return found


_SHOWN = frozenset(NodeView.__struct_fields__) | {"key", "because", "alternatives"}


def _other_fields(facts: Facts) -> dict[str, Any]:
    body = facts.bodies[0] if facts.bodies else None
    if body is None:
        return {}
    plain = msgspec.to_builtins(body)
    return {name: value for name, value in plain.items() if name not in _SHOWN and name != "kind"}


def _would_supersede(facts: Facts) -> tuple[tuple[str, str], ...]:
    return tuple((s.id, s.reason) for body in facts.bodies for s in getattr(body, "would_supersede", ()))


def cited_by(graph: Graph, number: int) -> tuple[str, ...]:
    """The ids of the nodes that cite a node, directly or because a citation leads to it, sorted."""
    compiled = graph.compiled
    found = {compiled.owner(n) for n in compiled.network.consequents(number)} | set(compiled.moved.get(number, ()))
    return tuple(sorted(compiled.declared.names.name(n) for n in found))


def _lines(graph: Graph, number: int) -> tuple[Line, ...]:
    entry = graph.declared.entry(number)
    return (*entry.records, *entry.later) if entry else ()
