"""`tms claim`, `decision`, `question`, `hypothesis`, `nogood`: one node recorded, options named as its fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, get_args

import click
import msgspec

from cli.common import command, ids_of
from cli.edit import edited
from cli.facts import fact_options, facts_of, pair
from cli.writing import missing_option, write, writing_options
from tms.errors import UsageError
from tms.ledger.intake import parse_records
from tms.model import ClaimState, DecisionState, HypothesisState, Reason

F = TypeVar("F", bound=Callable[..., Any])
REASONS = get_args(Reason)


def _many(name: str, text: str) -> Callable[[F], F]:
    return click.option(f"--{name}", multiple=True, help=text)


def _ids(name: str, text: str) -> Callable[[F], F]:
    return click.option(f"--{name}", multiple=True, metavar="ID,ID...", help=text)


def _options(function: F, options: Iterable[Callable[[F], F]]) -> F:
    for option in reversed(list(options)):
        function = option(function)
    return function


COMMON: tuple[Callable[[Any], Any], ...] = (
    click.option("--id", "id_", metavar="ID", default="", help="The id; else it is derived from the content."),
    click.option("--rationale", default="", help="The reasoning in words."),
    _many("scope", "What it is about: a path, a component. May be repeated."),
    _many("tag", "A label to find it by. May be repeated."),
    _many("evidence", "What shows it: a command, a link. May be repeated."),
    click.option("--pinned", is_flag=True, help="Keep it in every briefing."),
)
LAST: tuple[Callable[[Any], Any], ...] = (
    click.option("--edit", is_flag=True, help="Fill in the rest in your editor."),
    missing_option,
    writing_options,
)
SUPERSEDING: tuple[Callable[[Any], Any], ...] = (
    _ids("supersedes", "What it replaces, whatever its state."),
    _ids("would-supersede", "What it will replace once it stands (made so by tms relate supersedes)."),
    click.option(
        "--reason",
        type=click.Choice(REASONS),
        help="Of both: only better words, changed content (the default), or it was wrong.",
    ),
)
JUDGED: tuple[Callable[[Any], Any], ...] = (
    _ids("supports", "One support set: all of these together. Repeat for an alternative set."),
    click.option("--keep-own", is_flag=True, help="Beside its support sets it stands on its own authority as well."),
    _ids("answers", "Questions that it answers."),
    *SUPERSEDING,
    _ids("contradicts", "What cannot hold together with it."),
    click.option("--revisit", default="", help="When to look at it again."),
    click.option("--cost-if-wrong", default="", help="What it costs should it be wrong."),
)


def make(kind: str, text: str | None, edit: bool, fields: dict[str, Any]) -> None:
    """Record one node from what the command line gave; empty fields are left out."""
    body = {name: value for name, value in _body(text, fields).items() if value not in ("", (), [], {}, None, False)}
    if edit:
        records = edited(kind, body)
    elif text is None:
        raise UsageError(f"what is the {kind}? expected TEXT", code="usage", hint=f'tms {kind} "..." or --edit')
    else:
        records = parse_records(msgspec.json.encode({"kind": kind, **body}), f"tms {kind}")
    write(records)


def _body(text: str | None, given: dict[str, Any]) -> dict[str, Any]:
    fields = dict(given)
    reason, own = fields.pop("reason", None), fields.pop("keep_own", False)
    body: dict[str, Any] = {"id": fields.pop("id_"), "text": text or ""}
    for name in ("supersedes", "would_supersede"):
        found = ids_of(fields.pop(name, ()))
        body[name] = [{"id": i, "reason": reason or "revise"} for i in found]
    if reason and not body["supersedes"] and not body["would_supersede"]:
        raise UsageError(
            "--reason is that of a supersession; none is given", code="usage", hint="why it is so: --rationale"
        )
    if "supports" in fields:
        body["supports"] = _sets(fields.pop("supports"), own)
    for name in ("depends_on", "answers", "contradicts", "members", "assuming"):
        body[name] = ids_of(fields.pop(name, ()))
    return body | fields


def _sets(values: Iterable[str], own: bool) -> list[tuple[str, ...]]:
    sets = [ids_of([value]) for value in values]
    if () in sets:
        raise UsageError("--supports needs at least one id", code="usage", hint="its own authority: --keep-own")
    return [*sets, ()] if own and sets else sets


@command("claim", 'tms claim "Postgres handles our write volume" --id c1 --state accepted --evidence "make bench"')
@click.argument("text", required=False)
@click.option(
    "--state",
    type=click.Choice(get_args(ClaimState)),
    default="unassessed",
    show_default=True,
    help="Its state. A derived claim holds exactly when one of its support sets does, for life.",
)
@(lambda f: _options(f, (*JUDGED, *COMMON, *LAST)))
def claim(text: str | None, edit: bool, **fields: Any) -> None:
    """Record a claim: something that is so, or is said to be so.

    Without --supports it stands on its own authority, once it is accepted.
    """
    make("claim", text, edit, fields)


@command(
    "decision",
    'tms decision "billing uses Postgres" --id d1 --supports c1,c2 --supports c3 --depends-on d2 \\\n'
    '    --answers q1 --alternative mysql="MySQL" --because mysql=c2',
)
@click.argument("text", required=False)
@click.option("--choice", default="", help="What was chosen; else TEXT.")
@click.option(
    "--state", type=click.Choice(get_args(DecisionState)), default="adopted", show_default=True, help="Its state."
)
@_ids("depends-on", "Prerequisites, all required.")
@_many("alternative", "KEY=TEXT: what was not chosen. May be repeated.")
@_many("because", "KEY=ID,ID...: one support set of an alternative's rejection. May be repeated.")
@_many("criterion", "KEY=NAME:VALUE: how an alternative did by a criterion. May be repeated.")
@_many("receipt", "KEY=GATE:SIGNATURE: what a gate says of an alternative, again and again.")
@_many("cost", "KEY=TEXT: what evaluating an alternative took.")
@fact_options
@click.option(
    "--reversibility", type=click.Choice(("reversible", "costly", "irreversible")), help="How hard it is to undo."
)
@click.option("--decided-by", default="", help="Who decided.")
@(lambda f: _options(f, (*JUDGED, *COMMON, *LAST)))
def decision(text: str | None, edit: bool, **fields: Any) -> None:
    """Record a decision: a choice, on what it rests, what was not chosen and why.

    An alternative without --because is rejected for good; with it, its rejection stands as long as those grounds do.
    """
    fields["choice"] = fields["choice"] or text or ""
    told = {name: fields.pop(name) for name in ("because", "criterion", "receipt", "cost")}
    fields["alternatives"] = _alternatives(fields.pop("alternative"), told)
    fields["environment"] = facts_of(fields.pop("fact"), fields.pop("facts"), fields.pop("capture"))
    make("decision", text, edit, fields)


def _alternatives(values: Iterable[str], told: dict[str, Iterable[str]]) -> list[dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for value in values:
        key, _, text = value.partition("=")
        made[key] = {"key": key, "text": text, "because": [], "criteria": {}}
    for name, given in told.items():
        for value in given:
            key, rest = pair(name, value)
            if key not in made:
                message = f"--{name} {value}: no --alternative {key}"
                raise UsageError(message, code="usage", hint=f"--alternative {key}=TEXT")
            _tell(made[key], name, rest)
    return [{name: value for name, value in option.items() if value} for option in made.values()]


def _tell(option: dict[str, Any], name: str, value: str) -> None:
    """Add one detail to an alternative."""
    first, colon, rest = value.partition(":")
    if name == "because":
        option["because"].append(ids_of([value]))
    elif name == "cost":
        option["cost"] = value
    elif not colon or not first.strip() or not rest.strip():
        expected = "KEY=GATE:SIGNATURE" if name == "receipt" else "KEY=NAME:VALUE"
        raise UsageError(f"--{name} {option['key']}={value}: expected {expected}", code="usage")
    elif name == "criterion":
        option["criteria"][first.strip()] = rest.strip()
    else:
        option["receipt"] = {"signature": rest.strip(), "gate": first.strip(), "reproducible": True}


@command("question", 'tms question "Which database for billing?" --id q1')
@click.argument("text", required=False)
@(lambda f: _options(f, (*SUPERSEDING, *COMMON, *LAST)))
def question(text: str | None, edit: bool, **fields: Any) -> None:
    """Record a question: something to be settled. It is resolved while an answer of it holds."""
    make("question", text, edit, fields)


@command("hypothesis", 'tms hypothesis "a wider index is enough" --id h1 --action "create index on bills(day, id)"')
@click.argument("text", required=False)
@click.option("--action", default="", help="Its signature: what is to be done.")
@click.option(
    "--state", type=click.Choice(get_args(HypothesisState)), default="active", show_default=True, help="Its state."
)
@_ids("assuming", "Under what its falsification stands, all together.")
@click.option("--signature", default="", help="Of a falsification: what the gate said.")
@click.option("--gate", default="", help="Of a falsification: which gate said so.")
@click.option("--reproducible", is_flag=True, help="Of a falsification: the gate says so again and again.")
@(lambda f: _options(f, (*COMMON, *LAST)))
def hypothesis(text: str | None, edit: bool, signature: str, gate: str, reproducible: bool, **fields: Any) -> None:
    """Record a hypothesis: an action to be tried."""
    if signature:
        fields["falsification"] = {"signature": signature, "gate": gate, "reproducible": reproducible}
    make("hypothesis", text, edit, fields)


@command("nogood", 'tms nogood "cannot be cheap and redundant" --members c4,c5')
@click.argument("text", required=False)
@_ids("members", "The nodes that cannot all hold: two or more.")
@(lambda f: _options(f, (*COMMON, *LAST)))
def nogood(text: str | None, edit: bool, **fields: Any) -> None:
    """Record a nogood: two or more nodes that cannot all hold."""
    if len(ids_of(fields["members"])) < 2 and not edit:
        raise UsageError("a nogood has two members or more", code="usage", hint="--members c4,c5")
    make("nogood", text or "", edit, fields)


COMMANDS = {c.name or "": c for c in (claim, decision, question, hypothesis, nogood)}
