"""Why a node stands as it does: a derivation as data (`why`), then prose by a writer of its own (`prose`).

The data hold one `Step` a node, the asked one first. A node that holds is explained by the first support set that
holds it up, down to premises; one that does not, by each member that is missing, down to a judgement that is not
given. Replaying only the nodes that the steps mention reproduces the conclusion (a property test does).
"""

from __future__ import annotations

from collections import Counter

import msgspec

from tms.cause import first_cause
from tms.graph import Graph
from tms.network import NEVER
from tms.plain import one_line
from tms.status import Status, citation, met, word

_LITERAL = ("also literally", "met literally")
_BAD = ("missing", "lost", "wrong-kind")


class WhyMember(msgspec.Struct, frozen=True, kw_only=True):
    """One citation as it stands: `heads` is where it leads (empty: nowhere), `note` says what moved or lost it."""

    cited: str
    heads: tuple[str, ...]
    status: str
    met: bool
    note: str = ""


class WhySet(msgspec.Struct, frozen=True, kw_only=True):
    """One support set: all its members (AND), and whether every one of them is met."""

    members: tuple[WhyMember, ...]
    holds: bool


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One node of a derivation: its own state, its support sets (OR), its prerequisites (AND)."""

    id: str
    kind: str
    text: str
    state: str
    status: str
    holds: bool
    flags: tuple[str, ...]
    sets: tuple[WhySet, ...]
    prerequisites: tuple[WhyMember, ...]
    premise: bool
    follows: tuple[str, ...]  # the nodes that explain this one, each a step of its own


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """A derivation. For a node that does not hold, `first_cause` leads from it to `cause`, e.g. `disputed`."""

    id: str
    status: Status
    steps: tuple[Step, ...]
    first_cause: tuple[str, ...] = ()
    cause: str = ""
    missing: tuple[str, ...] = ()  # every node that would have to hold and whose own judgement is not given

    def _repr_html_(self) -> str:
        from tms.display import why_html

        return why_html(self)


def why(graph: Graph, name: str) -> Why:
    """The derivation of a node's status. Raises `UnknownNode`.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="disputed"),
    ...     Decision(id="d1", choice="Postgres", supports=(("c1",),))])
    >>> found = why(graph, "d1")
    >>> found.status.status, found.first_cause, found.cause, [step.id for step in found.steps]
    ('unsupported', ('d1', 'c1'), 'disputed', ['d1', 'c1'])
    """
    graph.number(name)
    steps = _steps(graph, name)
    chain, cause = _first_cause(graph, name)
    missing = tuple(s.id for s in steps if not s.holds and not graph.compiled.declared.stands(graph.number(s.id)))
    return Why(
        id=name,
        status=graph.status(name),
        steps=steps,
        first_cause=chain,
        cause=cause,
        missing=tuple(sorted(set(missing) | _unreachable(steps))),
    )


def _unreachable(steps: tuple[Step, ...]) -> set[str]:
    unmet = [m for s in steps if not s.holds for m in _citations(s) if m.status in _BAD]
    return {name for m in unmet for name in (m.heads if m.status == "missing" and m.heads else (m.cited,))}


def _citations(step: Step) -> list[WhyMember]:
    return [*step.prerequisites, *(member for s in step.sets for member in s.members)]


def _steps(graph: Graph, name: str) -> tuple[Step, ...]:
    found: dict[str, Step] = {}
    waiting = [name]
    for current in waiting:
        if current not in found:
            found[current] = step = _step(graph, current)
            waiting.extend(step.follows)
    return tuple(found.values())


def _step(graph: Graph, name: str) -> Step:
    compiled, number = graph.compiled, graph.number(name)
    facts, status = graph.declared.facts(number), graph.status(name)
    sets = tuple(_why_set(graph, number, members) for members in _sets(graph, number))
    prerequisites = tuple(_member(graph, number, m) for m in facts.depends_on)
    holds = compiled.holds(number)
    step = Step(
        id=name,
        kind=facts.kind,
        text=graph.text(name),
        state=status.state,
        status=status.status,
        holds=holds,
        flags=status.flags,
        sets=sets,
        prerequisites=prerequisites,
        premise=not facts.sets and not facts.declared and facts.kind in ("claim", "decision"),
        follows=(),
    )
    return msgspec.structs.replace(step, follows=_follows(graph, number, step))


def _sets(graph: Graph, number: int) -> list[tuple[str, ...]]:
    """The support sets of a node; a question has one an answer, a nogood one of all members."""
    facts = graph.declared.facts(number)
    if facts.kind == "question":
        asked = graph.compiled.citations().replaced_questions(number)
        sources = {s for q in asked for s in graph.declared.answerers.get(q, ())}
        return [(name,) for name in sorted(graph.declared.names.name(s) for s in sources)]
    return [facts.members] if facts.kind == "nogood" else list(facts.sets)


def _why_set(graph: Graph, number: int, names: tuple[str, ...]) -> WhySet:
    members = tuple(_member(graph, number, name) for name in names)
    return WhySet(members=members, holds=all(m.met for m in members))


def _member(graph: Graph, number: int, name: str) -> WhyMember:
    compiled = graph.compiled
    resolved = citation(compiled, number, name)
    cited = compiled.declared.names.number(name)
    if cited is None or not compiled.declared.facts(cited).exists:
        return WhyMember(cited=name or "a void ground", heads=(), status="missing", met=False)
    leads = compiled.citations().heads(cited)
    if resolved == (NEVER,) or compiled.declared.facts(cited).kind in ("question", "nogood"):
        status = "lost" if leads.lost else "wrong-kind"
        return WhyMember(cited=name, heads=(), status=status, met=False, note="reversed" if leads.lost else "")
    names = tuple(compiled.declared.names.name(head) for head in leads.heads)
    literal = (number, cited) in compiled.literals
    note = "also literally" if literal else "" if names == (name,) else "superseded"
    words = sorted({word(compiled, head) for head in leads.heads if not compiled.holds(head)})
    status = words[0] if words else word(compiled, leads.heads[0])
    if literal and words and compiled.holds(cited):
        status, note = word(compiled, cited), "met literally"
    return WhyMember(cited=name, heads=names, status=status, met=met(compiled, resolved), note=note)


def _follows(graph: Graph, number: int, step: Step) -> tuple[str, ...]:
    if step.holds:
        chosen = (*_holding_set(graph, number, step), *step.prerequisites)
        return tuple(dict.fromkeys(name for m in chosen for name in _explaining(graph, number, m)))
    if step.kind not in ("question", "nogood") and not graph.compiled.declared.stands(number):
        return ()
    unmet = [m for m in _citations(step) if not m.met and m.heads]
    return tuple(dict.fromkeys(name for m in unmet for name in _explaining(graph, number, m)))


def _explaining(graph: Graph, number: int, member: WhyMember) -> list[str]:
    """The nodes that say why a citation is met or not: the heads; in a circle, whichever way comes from below."""
    if member.met and member.note in _LITERAL:
        return _from_below(graph, number, member.cited)
    there = [head for head in member.heads if head in graph]
    holds = [graph.compiled.holds(graph.number(head)) for head in there]
    wrong = [head for head, held in zip(there, holds, strict=True) if held == member.met]
    literal = [member.cited] if member.note == "also literally" and not member.met else []
    return wrong + literal


def _from_below(graph: Graph, number: int, name: str) -> list[str]:
    """What holds up a citation that is met literally or by its heads, without going round in the circle."""
    network, names = graph.compiled.network, graph.compiled.declared.names
    (helper,) = citation(graph.compiled, number, name)
    ways = [network.members[just] for just in network.own[helper]]
    held = [way for way in ways if all(0 < network.rank[m] < network.rank[helper] for m in way)]
    return [names.name(m) for m in held[0]]


def _holding_set(graph: Graph, number: int, step: Step) -> tuple[WhyMember, ...]:
    """The members of the first set that holds the node up from below, never through a circle."""
    network, holder = graph.compiled.network, graph.compiled.holder(number)
    level = network.rank[holder]
    for found in step.sets:
        if found.holds:
            members = {n for m in found.members for n in citation(graph.compiled, number, m.cited)}
            if all(0 < network.rank[n] < level for n in members):
                return found.members
    return ()


def _first_cause(graph: Graph, name: str) -> tuple[tuple[str, ...], str]:
    compiled, number = graph.compiled, graph.number(name)
    status = graph.status(name).status
    facts = graph.declared.facts(number)
    if compiled.holds(number) or facts.kind == "nogood":
        return (), ""
    if facts.kind != "question" and not graph.declared.stands(number):
        return (name,), status
    if status == "blocked":
        blocker = graph.status(name).blockers[0]
        return blocker.chain, blocker.reason
    for members in _sets(graph, number):
        for member in members:
            if not met(compiled, citation(compiled, number, member)):
                chain, _, reason = first_cause(compiled, number, member)
                return chain, reason
    return (name,), "no support set" if facts.kind != "question" else "no answer"


# -- prose ------------------------------------------------------------------------------------------------------


def prose(found: Why) -> str:
    """The derivation in words. Only what is cited twice gets a number, as in PubGrub's reports.

    >>> from tms.model import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", text="it is fast", state="accepted"),
    ...     Decision(id="d1", text="use it", choice="yes", supports=(("c1",),))])
    >>> print(prose(why(graph, "d1")))
    d1 "use it" is active: it is adopted, and its grounds hold.
      c1 "it is fast" is in: it is accepted, on its own authority.
    """
    return _Writer(found).write()


class _Writer:
    def __init__(self, found: Why) -> None:
        self.found = found
        self.steps = {step.id: step for step in found.steps}
        cited = Counter([found.id, *(name for step in found.steps for name in step.follows)])
        self.numbers = {name: 0 for name, count in cited.items() if count > 1}
        self.written: set[str] = set()
        self.lines: list[str] = []

    def write(self) -> str:
        waiting = [(self.found.id, 0)]
        while waiting:
            name, depth = waiting.pop()
            if self._line(name, min(depth, 20)):
                waiting.extend((n, depth + 1) for n in reversed(self.steps[name].follows))
        if len(self.found.first_cause) > 1:
            self.lines.append(f"First cause: {' <- '.join(self.found.first_cause)} ({self.found.cause}).")
        return "\n".join(self.lines)

    def _line(self, name: str, depth: int) -> bool:
        """Writes what explains one node; False where it stands above already."""
        indent, step = "  " * depth, self.steps[name]
        if name in self.written:
            self.lines.append(f"{indent}{name} is {step.status}, see ({self.numbers[name]}).")
            return False
        self.written.add(name)
        mark = ""
        if name in self.numbers:
            self.numbers[name] = 1 + max(self.numbers.values())
            mark = f" ({self.numbers[name]})"
        text = f' "{one_line(step.text)}"' if step.text else ""
        flags = f" [{', '.join(step.flags)}]" if step.flags else ""
        self.lines.append(f"{indent}{name}{text} is {step.status}{flags}: {_reason(step)}.{mark}")
        return True


def _reason(step: Step) -> str:
    parts = [_own(step)]
    if step.sets and step.kind in ("claim", "decision"):
        parts.append(_grounds(step))
    elif step.sets and () not in _declared(step):
        parts.append(_options(step))
    unmet = [m for m in step.prerequisites if not m.met]
    if unmet:
        parts.append("its prerequisite " + ", ".join(_say(m) for m in unmet) + " does not hold")
    elif step.prerequisites and step.holds:
        parts.append("its prerequisites hold")
    return ", and ".join(part for part in parts if part)


def _own(step: Step) -> str:
    if step.kind == "question":
        return "" if step.sets else "nothing answers it"
    if step.kind in ("alternative", "hypothesis") and step.holds and () in _declared(step):
        return f"it was {step.state} without conditions"
    if step.state == "derived":
        return "it is derived"
    return f"it is {step.state}" + (", on its own authority" if step.premise and step.holds else "")


def _declared(step: Step) -> list[tuple[str, ...]]:
    return [tuple(m.cited for m in s.members) for s in step.sets]


def _grounds(step: Step) -> str:
    if len(step.sets) == 1 and step.sets[0].holds and step.sets[0].members:
        return "its grounds hold"
    said = [_say_set(s) for s in step.sets]
    if any(s.holds for s in step.sets):
        return "it rests on " + " or ".join(said)
    return "none of its support sets holds: " + " or ".join(said)


def _options(step: Step) -> str:
    words = {"question": "its answers are", "nogood": "its members are"}.get(step.kind, "its grounds are")
    return f"{words} " + " or ".join(_say_set(s) for s in step.sets)


def _say_set(found: WhySet) -> str:
    if not found.members:
        return "{} (its own authority)"
    return "{" + ", ".join(_say(m) for m in found.members) + "}"


def _say(member: WhyMember) -> str:
    moved = f", now {' and '.join(member.heads)}" if member.heads not in ((), (member.cited,)) else ""
    return f"{member.cited} ({member.status}{moved})"
