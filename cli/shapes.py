"""The JSON answers: one type a document, each with its `format`. A field that does not apply is left out.

Lists are sorted: nodes by id, what changed by depth and id, lines newest first. New fields may come; none goes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from tms.consequences import Changed, Difference, Impact, Survived
from tms.errors import Finding
from tms.explain import Step, Why
from tms.graph import Change, Graph, NodeView
from tms.listing import Environment
from tms.model import Line, Record
from tms.questions import Aftermath, Conflict
from tms.status import Blocker, Status, flags, word


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What every answer says: its format, and under which conditions it was given."""

    format: str
    as_of: str | UnsetType = UNSET
    assuming: tuple[Change, ...] | UnsetType = UNSET
    partial: bool | UnsetType = UNSET


class NodeRow(msgspec.Struct, frozen=True, kw_only=True):
    """One node and how it stands."""

    id: str
    kind: str
    state: str
    status: str
    flags: tuple[str, ...]
    blockers: tuple[Blocker, ...]
    text: str


class StatusAnswer(Document, frozen=True, kw_only=True):
    """`tms status --json`: the nodes asked for, or all."""

    format: str = "tms.status/1"
    nodes: tuple[NodeRow, ...]


class ListAnswer(Document, frozen=True, kw_only=True):
    """`tms list --json`: the nodes that pass every filter."""

    format: str = "tms.list/1"
    nodes: tuple[NodeRow, ...]


class LineRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line of the ledger, with its place and its record in the ledger's own vocabulary."""

    hash: str
    prev: tuple[str, ...]
    time: str
    author: str
    session: str
    branch: str
    path: str
    line: int
    record: Record


class LogAnswer(Document, frozen=True, kw_only=True):
    """`tms log --json`: the lines, newest first."""

    format: str = "tms.log/1"
    lines: tuple[LineRow, ...]


class ShowAnswer(Document, frozen=True, kw_only=True):
    """`tms show --json`: a node as recorded, corrections applied, and how it stands."""

    format: str = "tms.show/1"
    node: dict[str, Any]


class WhyAnswer(Document, frozen=True, kw_only=True):
    """`tms why --json`: the derivation, one step a node, the asked one first."""

    format: str = "tms.why/1"
    id: str
    status: Status
    steps: tuple[Step, ...]
    first_cause: tuple[str, ...]
    cause: str
    missing: tuple[str, ...]


class ImpactAnswer(Document, frozen=True, kw_only=True):
    """`tms impact --json`: `changed` has every node whose status differs; the lists of ids group the same nodes."""

    format: str = "tms.impact/1"
    change: tuple[Change, ...]
    changed: tuple[Changed, ...]
    survived: tuple[Survived, ...]
    fell: tuple[str, ...]
    rose: tuple[str, ...]
    degraded: tuple[str, ...]
    reopened: tuple[str, ...]
    closed: tuple[str, ...]
    violated: tuple[str, ...]
    dormant: tuple[str, ...]
    single_points: dict[str, tuple[str, ...]]
    repairs: dict[str, tuple[tuple[str, ...], ...]]


class ChangedAnswer(Document, frozen=True, kw_only=True):
    """`tms changed --json`: what differs between two points; `to` is empty for now."""

    format: str = "tms.changed/1"
    start: str = msgspec.field(name="from")
    to: str
    changed: tuple[Difference, ...]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a file."""

    path: str
    line: int


class FindingRow(msgspec.Struct, frozen=True, kw_only=True):
    """One finding: what kind, how serious, which nodes, where."""

    kind: str
    severity: str
    message: str
    nodes: tuple[str, ...]
    lines: tuple[Place, ...]


class CheckAnswer(Document, frozen=True, kw_only=True):
    """`tms check --json`: the findings, errors first."""

    format: str = "tms.check/1"
    findings: tuple[FindingRow, ...]


class VerifyAnswer(Document, frozen=True, kw_only=True):
    """`tms verify --json`: `verdict` is `intact`, `fork`, `incomplete history` or `damaged`; `archive` a digest."""

    format: str = "tms.verify/1"
    verdict: str
    lines: int
    heads: tuple[str, ...]
    findings: tuple[FindingRow, ...]
    archive: str


class WrittenRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line that was written; `id` is the node that it is about, empty where it is about none."""

    kind: str
    id: str
    hash: str
    line: int


class RecordedAnswer(Document, frozen=True, kw_only=True):
    """`--json` of every command that writes: the lines, and what changed because of them."""

    format: str = "tms.recorded/1"
    lines: tuple[WrittenRow, ...]
    changed: tuple[Changed, ...]
    warnings: tuple[str, ...]


class ImportAnswer(Document, frozen=True, kw_only=True):
    """`tms import --json`: how many records came in, how many were there already; of a fault tree, its top gates."""

    format: str = "tms.import/1"
    source: str
    records: int
    already: int
    warnings: tuple[str, ...]
    top: tuple[str, ...] | UnsetType = UNSET


class EnvironmentsAnswer(Document, frozen=True, kw_only=True):
    """`tms environments --json`: exact counts, and the smallest environments listed; see `tms.questions`.

    `count`, of any size, and `sizes` are of all environments where `complete_to` is null, else of those with up to
    that many members. `consistent` counts those without a conflict inside, null where the budget did not suffice;
    `witness` is one environment that holds now, whatever its size, and null where the node does not hold.
    """

    format: str = "tms.environments/1"
    id: str
    count: int
    sizes: dict[int, int]
    complete_to: int | None
    environments: tuple[Environment, ...]
    listed: int
    consistent: int | None
    witness: tuple[str, ...] | None


class RepairAnswer(Document, frozen=True, kw_only=True):
    """`tms repair --json`: minimal sets of judgements to accept or adopt, smallest first."""

    format: str = "tms.repair/1"
    id: str
    sets: tuple[tuple[str, ...], ...]
    complete: bool
    reason: str


class CriticalAnswer(Document, frozen=True, kw_only=True):
    """`tms critical --json`: minimal sets of judgements whose loss fells the node, smallest first."""

    format: str = "tms.critical/1"
    id: str
    sets: tuple[tuple[str, ...], ...]
    complete: bool
    reason: str


class SingleRow(msgspec.Struct, frozen=True, kw_only=True):
    """A node and the judgements without any one of which it falls; null: the budget did not suffice."""

    id: str
    status: str
    points: tuple[str, ...] | None


class SingleAnswer(Document, frozen=True, kw_only=True):
    """`tms single --json`: the single points of the nodes asked for, or of every claim and decision that is IN."""

    format: str = "tms.single/1"
    nodes: tuple[SingleRow, ...]


class PivotalAnswer(Document, frozen=True, kw_only=True):
    """`tms pivotal --json`: the open matters that could change whether the node holds."""

    format: str = "tms.pivotal/1"
    id: str
    matters: tuple[str, ...]
    complete: bool
    reason: str


class ConflictsAnswer(Document, frozen=True, kw_only=True):
    """`tms conflicts --json`: the violated nogoods, each with its minimal sets of culprits."""

    format: str = "tms.conflicts/1"
    conflicts: tuple[Conflict, ...]


class QueryAnswer(Document, frozen=True, kw_only=True):
    """`tms query --json`: the rows, each an object; `notes` say why rows are missing and what to know besides."""

    format: str = "tms.query/1"
    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    clipped: bool
    notes: tuple[str, ...] | UnsetType = UNSET


# -- from the engine's values -----------------------------------------------------------------------------------


def node_row(graph: Graph, name: str) -> NodeRow:
    """A node as JSON shows it."""
    found = graph.status(name)
    return NodeRow(
        id=found.id,
        kind=found.kind,
        state=found.state,
        status=found.status,
        flags=found.flags,
        blockers=found.blockers,
        text=text_of(graph, name),
    )


def text_of(graph: Graph, name: str) -> str:
    """The text of a node, as corrected; of an alternative, its own. Cheaper than the whole view."""
    number = graph.number(name)
    corrected = graph.declared.corrected(number).get("text")
    if corrected is not None:
        return str(corrected)
    bodies = graph.declared.facts(number).bodies
    return str(getattr(bodies[0], "text", "")) if bodies else ""


def words_of(graph: Graph, name: str) -> tuple[str, tuple[str, ...]]:
    """Status word and flags alone, without looking for blockers: for counting many nodes."""
    number = graph.number(name)
    return word(graph.compiled, number), flags(graph.compiled, number)


def line_row(line: Line) -> LineRow:
    """A line as JSON shows it."""
    return LineRow(
        hash=line.hash,
        prev=line.prev,
        time=line.time,
        author=line.author,
        session=line.session,
        branch=line.branch,
        path=line.path,
        line=line.number,
        record=line.record,
    )


def show_node(view: NodeView, status: Status) -> dict[str, Any]:
    """A node as JSON shows it in full."""
    plain: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(view, lines=()))
    fields = plain.pop("fields")
    plain["lines"] = [line_row(line) for line in view.lines]
    found = {"status": status.status, "flags": status.flags, "blockers": status.blockers}
    return {**plain, **{k: v for k, v in fields.items() if k not in plain}, **found}


def why_answer(found: Why, frame: dict[str, Any]) -> WhyAnswer:
    """A derivation as JSON shows it."""
    return WhyAnswer(
        id=found.id,
        status=found.status,
        steps=found.steps,
        first_cause=found.first_cause,
        cause=found.cause,
        missing=found.missing,
        **frame,
    )


def impact_answer(found: Impact, left: Aftermath, frame: dict[str, Any]) -> ImpactAnswer:
    """An impact as JSON shows it."""
    violated, dormant = found.conflicts
    return ImpactAnswer(
        change=found.change,
        changed=found.changed,
        survived=found.survived,
        fell=tuple(c.id for c in found.fell),
        rose=tuple(c.id for c in found.rose),
        degraded=tuple(s.id for s in found.survived if s.degraded),
        reopened=found.reopened,
        closed=found.closed,
        violated=violated,
        dormant=dormant,
        single_points=left.single_points,
        repairs=left.repairs,
        **frame,
    )


def finding_rows(findings: Iterable[Finding]) -> tuple[FindingRow, ...]:
    """Findings as JSON shows them."""
    return tuple(
        FindingRow(
            kind=f.kind,
            severity=f.severity,
            message=f.message,
            nodes=f.nodes,
            lines=tuple(Place(path=path, line=line) for path, line in f.lines),
        )
        for f in findings
    )
