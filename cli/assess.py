"""`tms accept`, `dispute`, `reject`, `adopt`, `revoke`, `falsify`, `abandon`: a judgement passed later."""

from __future__ import annotations

from typing import Any, cast

import click

from cli.common import command, ids_of
from cli.output import note
from cli.writing import open_session, write, writing_options
from tms.errors import UsageError
from tms.graph import Graph
from tms.model import VERBS, Assess, Falsification, Record, State, is_receipt

HELP = {
    "accept": "Accept a claim: you stand for it.",
    "dispute": "Dispute a claim: it no longer counts until it is accepted again.",
    "reject": "Reject a claim: it is held to be wrong.",
    "adopt": "Adopt a decision: it stands.",
    "revoke": "Revoke a decision: it no longer stands.",
    "falsify": "Say that an external gate (a compiler, a test, a schema) falsified a hypothesis.",
    "abandon": "Drop a hypothesis untested: it constrains nothing.",
}
AFTER = (
    "Several IDs make one batch, all or nothing. The newest assessments are replaced, so that any verb settles a clash."
)
EXAMPLES = {
    "accept": 'tms accept c1 --evidence "make bench: 14k writes/s"',
    "dispute": 'tms dispute c1 --reason "the benchmark ran without fsync"',
    "reject": 'tms reject c1 --reason "measured again: half of it"',
    "adopt": 'tms adopt d2 --reason "agreed in review"',
    "revoke": 'tms revoke d2 --reason "the budget is gone"',
    "falsify": "tms falsify h1 --signature test_round_trip --gate pytest --reproducible",
    "abandon": 'tms abandon h1 --reason "out of time"',
}


def assess(verb: str, ids: tuple[str, ...], **fields: Any) -> None:
    """Write one assessment a node."""
    kind, state = VERBS[verb]
    session = open_session()
    names = ids_of(ids)
    for name in names:
        _check_kind(session.graph, verb, kind, name)
    records: list[Record] = [Assess(node=name, state=cast(State, state), **fields) for name in names]
    write(records, session=session)
    for name in names:
        for waiting in session.graph.node(name).would_supersede if state in ("accepted", "adopted") else ():
            note(f"note: {name} would supersede {waiting[0]}; make it so: tms relate supersedes {name} {waiting[0]}")


def _check_kind(graph: Graph, verb: str, kind: str, name: str) -> None:
    own = graph.node(name).kind
    if own != kind:
        fitting = [other for other, (fits, _) in VERBS.items() if fits == own]
        hint = f"a {own} takes {', '.join(fitting)}" if fitting else f"a {own} takes no judgement of its own"
        raise UsageError(f"{verb} is for a {kind}; {name} is a {own}", code="verb-kind", hint=hint)


def _command(verb: str) -> click.Command:
    def run(ids: tuple[str, ...], reason: str, evidence: tuple[str, ...], **falsification: Any) -> None:
        fields: dict[str, Any] = {"reason": reason, "evidence": evidence}
        if verb == "falsify":
            fields["falsification"] = _receipt(ids, Falsification(**falsification))
        assess(verb, ids, **fields)

    run.__doc__ = f"{HELP[verb]}\n\n{AFTER}"
    function = writing_options(run)
    if verb == "falsify":
        function = _falsification(function)
    function = click.option("--evidence", multiple=True, help="What shows it: a command, a link. May be repeated.")(
        function
    )
    function = click.option("--reason", default="", help="Why.")(function)
    function = click.argument("ids", nargs=-1, required=True, metavar="ID...")(function)
    return command(verb, EXAMPLES[verb])(function)


def _receipt(ids: tuple[str, ...], said: Falsification) -> Falsification:
    """What a gate said; anything less falsifies nothing."""
    if not is_receipt(said):
        message = "only an external gate falsifies: expected --signature, --gate and --reproducible"
        raise UsageError(message, code="receipt", hint=f"what was merely dropped: tms abandon {' '.join(ids)}")
    return said


def _falsification(function: Any) -> Any:
    function = click.option("--reproducible", is_flag=True, help="The gate says so again and again.")(function)
    function = click.option("--gate", default="", help="Which gate said so.")(function)
    return click.option("--signature", default="", help="What the gate said: the error, the failing test.")(function)


COMMANDS = {verb: _command(verb) for verb in VERBS}
