"""`tms frontier`, `tms try`, `tms archive`: what was chosen not to be done, and whether that still stands."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from cli.common import command, json_option, ledger_path, load, reading_options
from cli.facts import fact_options, facts_of, project_root
from cli.output import say, say_json
from cli.render import quoted, table, title
from cli.shapes import Document
from tms.config import config_of
from tms.constraints import Constraint, Verdict, known
from tms.frontier import Drift, Frontier, Option, Snapshot, frontier
from tms.model import Decision


class FrontierAnswer(Document, frozen=True, kw_only=True):
    """`tms frontier --json`: the verdict, what to do about it, and all that it was read off."""

    format: str = "tms.frontier/1"
    id: str
    verdict: str
    directive: str
    digest: str
    selection_rationale_hash: str
    environment_state_at_decision: Snapshot
    frontier_stability_receipt: dict[str, str]
    drift: Drift
    lacking: tuple[str, ...]
    skipped: str
    alternatives: tuple[Option, ...]


class ConstraintRow(msgspec.Struct, frozen=True, kw_only=True):
    """One falsification of an action: a constraint occurs once for each of its signatures."""

    id: str
    action: str
    signature: str
    gate: str
    since: str
    status: str
    forbids: bool
    under: tuple[tuple[str, str], ...]


class TryAnswer(Document, frozen=True, kw_only=True):
    """`tms try --json`: whether an action is known to fail, by which falsifications; `untested` forbid nothing."""

    format: str = "tms.try/1"
    action: str
    known_to_fail: bool
    constraints: tuple[ConstraintRow, ...]
    untested: tuple[str, ...]


@command("frontier", "tms frontier d1\ntms frontier d1 --fact python=3.13 --json")
@click.argument("id_", metavar="ID")
@fact_options
@reading_options
def frontier_(
    id_: str,
    fact: tuple[str, ...],
    facts: str | None,
    capture: tuple[str, ...],
    point: str | None,
    assuming: tuple[str, ...],
    as_json: bool,
) -> int:
    """Whether what was not chosen is still ruled out, and the choice may stand without being made again.

    Facts are compared with those of the decision; those that a provider captured are captured again. Exit 0 where
    the directive is to proceed, 1 where it is not.
    """
    view = load(point, assuming)
    given = facts_of(fact, facts, capture, _recorded(view.graph, id_))
    found = frontier(view.graph, id_, given, config_of(ledger_path()).frontier)
    if as_json:
        say_json(_answer(found, view.frame))
    else:
        _say(found)
    return 0 if found.directive.startswith("proceed") else 1


def _recorded(graph: Any, name: str) -> dict[str, str]:
    bodies = graph.declared.facts(graph.number(name)).bodies
    return {key: value for body in bodies if isinstance(body, Decision) for key, value in body.environment.items()}


def _answer(found: Frontier, frame: dict[str, Any]) -> FrontierAnswer:
    return FrontierAnswer(**{name: getattr(found, name) for name in found.__struct_fields__}, **frame)


def _say(found: Frontier) -> None:
    say(f"{found.verdict}: {found.directive}", "title")
    _say_drift(found)
    if found.alternatives:
        title("Alternatives")
        rows = [
            (o.id, o.status, "permanent" if o.permanent else "", _receipt(o), o.reason, quoted(o.text))
            for o in found.alternatives
        ]
        table(("id", "status", "", "receipt", "reason", "text"), rows)
    say(f"rationale {found.selection_rationale_hash}")
    say(f"digest    {found.digest}")


def _receipt(option: Option) -> str:
    return f"{option.receipt.gate}: {option.receipt.signature}" if option.receipt else ""


def _say_drift(found: Frontier) -> None:
    drift = found.drift
    if drift.facts or drift.judgements:
        title(f"Since the decision, {'which matters' if drift.material else 'none of which matters'}")
        rows = [(fact.key, fact.before, fact.after) for fact in drift.facts]
        table(("what", "at the decision", "now"), [*rows, *((j.id, j.before, j.after) for j in drift.judgements)])
    for reason in drift.because:
        say(f"It matters: {reason}.")
    if drift.unchecked:
        say(f"Not compared, since no value was given: {', '.join(drift.unchecked)}.")
    if drift.corrections:
        say(f"Corrected since: {', '.join(drift.corrections)}.")


@command("try", 'tms try "pytest -x tests/test_load.py"\ntms try "cargo build" --json')
@click.argument("action")
@click.option("--exact", is_flag=True, help="Only what was recorded in just these characters.")
@json_option
def try_(action: str, exact: bool, as_json: bool) -> int:
    """Whether an action is known to fail, before it is tried again: exit 0, not known to fail; 1, known to fail.

    Two actions are the same when their signatures are: white space is folded, paths are written the shortest way. A
    constraint whose assumptions fell is reopened: it is shown and forbids nothing.
    """
    from tms.archive import must_be_there

    ledger = ledger_path()
    view = load()
    found = known(view.graph, action, root=project_root(ledger), exact=exact)
    must_be_there(ledger, view.graph, tuple(constraint.id for constraint in found.constraints))
    if as_json:
        rows = tuple(row for constraint in found.constraints for row in _rows(constraint))
        answer = TryAnswer(
            action=found.action,
            known_to_fail=found.known_to_fail,
            constraints=rows,
            untested=found.untested,
            **view.frame,
        )
        say_json(answer)
    else:
        _say_verdict(found)
    return int(found.known_to_fail)


def _rows(found: Constraint) -> list[ConstraintRow]:
    return [
        ConstraintRow(
            id=found.id,
            action=found.action,
            signature=told.signature,
            gate=told.gate,
            since=told.since,
            status=found.status,
            forbids=found.forbids,
            under=found.assuming,
        )
        for told in found.told
    ]


def _say_verdict(found: Verdict) -> None:
    say(f"{'Known to fail' if found.known_to_fail else 'Not known to fail'}: {found.action}", "title")
    for constraint in found.constraints:
        under = ", ".join(f"{name} ({word})" for name, word in constraint.assuming) or "nothing: for good"
        for told in constraint.told:
            since = f" since {told.since[:16].replace('T', ' ')}" if told.since else ""
            say(f"  {constraint.id} {constraint.status}{since}, by {told.gate}: {told.signature}; assuming {under}")
        if not constraint.forbids:
            say(f"  {constraint.id} is reopened: what it assumed no longer holds, so it forbids nothing.")
    if found.untested:
        say(
            f"  Nobody tested {', '.join(found.untested)}: dropped, or falsified without a gate (UNVERIFIED_ABANDONED)."
        )


COMMANDS = {"frontier": frontier_, "try": try_}
