"""`tms environments`, `repair`, `critical`, `single`, `pivotal`, `conflicts`: what labels answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

import click

from cli.common import command, ids_of, load, plural, reading_options
from cli.output import say, say_counts
from cli.render import in_words, limited, say_more, table, title
from cli.shapes import (
    ConflictsAnswer,
    CriticalAnswer,
    EnvironmentsAnswer,
    PivotalAnswer,
    RepairAnswer,
    SingleAnswer,
    SingleRow,
    text_of,
    words_of,
)
from tms.graph import Graph
from tms.listing import Environments, environments
from tms.questions import Answer, conflicts, critical, pivotal, repair, single
from tms.shelf import BUDGET
from tms.zdd import watch

F = TypeVar("F", bound=Callable[..., Any])
PATIENCE = 1.0  # seconds until a terminal is told that the work goes on
IN = ("in", "active")


def budget_option(function: F) -> F:
    """Adds `--budget`."""
    text = "How much work may be spent; where it ends, the answer says how far it came."
    kind = click.IntRange(min=0)
    return click.option("--budget", type=kind, default=BUDGET, show_default=True, metavar="STEPS", help=text)(function)


def limit_option(number: int) -> Callable[[F], F]:
    """Adds `--limit`."""
    text = f"List at most so many sets, the smallest first; {number} if not given."
    return click.option("--limit", type=click.IntRange(min=0), default=number, metavar="N", help=text)


@contextmanager
def working() -> Iterator[None]:
    """On a terminal, long work says how far it is, and how to end it; numbers may have any length."""
    sys.set_int_max_str_digits(0)
    if not sys.stderr.isatty():
        yield
        return
    progress = _Progress()
    token = watch.set(progress.tell)
    try:
        yield
    finally:
        watch.reset(token)
        progress.clear()


class _Progress:
    """One line on the error stream, rewritten in place; nothing before `PATIENCE` is over."""

    def __init__(self) -> None:
        self.start, self.shown = monotonic(), 0

    def tell(self, steps: int, end: int | None) -> None:
        if monotonic() - self.start > PATIENCE:
            most = "" if end is None else f" of at most {end:,}"
            text = f"working: {steps:,}{most} steps (Ctrl-C ends it)"
            click.echo("\r" + text.ljust(self.shown), err=True, nl=False)
            self.shown = len(text)

    def clear(self) -> None:
        if self.shown:
            click.echo("\r" + " " * self.shown + "\r", err=True, nl=False)


# -- environments -----------------------------------------------------------------------------------------------


@command("environments", "tms environments d1\ntms environments d1 --size 3 --limit 100 --json")
@click.argument("id_", metavar="ID")
@limit_option(20)
@click.option("--size", type=click.IntRange(min=0), metavar="K", help="Only environments of up to K members.")
@budget_option
@reading_options
def environments_(
    id_: str, limit: int, size: int | None, budget: int, point: str | None, assuming: tuple[str, ...], as_json: bool
) -> None:
    """On which minimal sets of judgements a node can stand: exactly how many there are, and the smallest.

    Open is an environment whose judgements all stand now.
    """
    view = load(point, assuming)
    with working():
        found = environments(view.graph, id_, limit=limit, size=size, budget=budget)
    if as_json:
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        say_counts(EnvironmentsAnswer(listed=len(found.environments), **fields, **view.frame))
    else:
        say_environments(found, asked_size=size)


def say_environments(found: Environments, asked_size: int | None) -> None:
    """Count, bound, sizes, and the list."""
    bound = "" if found.complete_to is None else f" of up to {plural(found.complete_to, 'member')}"
    title(f"{found.id} has {plural(found.count, 'environment')}{bound}")
    if found.complete_to is not None:
        why = "as asked" if found.complete_to == asked_size else "the budget ended there; --budget gives more"
        say(f"Larger ones are not counted: {why}.")
        if found.count == 0 and found.witness:
            say(f"There is at least one, of at most {plural(len(found.witness), 'member')}: {in_words(found.witness)}")
    if found.consistent is None:
        say("How many of them contain a conflict is not known: the budget did not suffice.")
    elif found.consistent != found.count:
        say(f"{found.consistent} of them without a conflict inside.")
    if found.count:
        table(("members", "environments"), [(str(k), str(n)) for k, n in found.sizes.items()], "  ")
    if found.environments:
        title("The smallest" if len(found.environments) < found.count else "All of them")
        rows = [(_members(e.members), _standing(e.open, e.consistent)) for e in found.environments]
        table(("environment", ""), rows, "  ")
    if len(found.environments) < found.count:
        say(f"  ... and {found.count - len(found.environments)} more (--limit)", "dim")


def _members(members: Sequence[str]) -> str:
    return " ".join(members) or "(no judgement at all)"


def _standing(open_: bool, consistent: bool) -> str:
    return ("open" if open_ else "not open") + ("" if consistent else ", contains a conflict")


# -- what would help, what would harm ---------------------------------------------------------------------------


@command("repair", 'tms repair d1\ntms repair d1 --assuming "dispute c1, dispute c3" --json')
@click.argument("id_", metavar="ID")
@limit_option(100)
@budget_option
@reading_options
def repair_(id_: str, limit: int, budget: int, point: str | None, assuming: tuple[str, ...], as_json: bool) -> None:
    """The minimal sets of judgements that would make a node hold, were they accepted or adopted. Writes nothing."""
    view = load(point, assuming)
    with working():
        found = repair(view.graph, id_, limit=limit, budget=budget)
    if as_json:
        say_counts(RepairAnswer(**_answered(found), **view.frame))
        return
    acts = [tuple(f"{_restoring(view.graph, name)} {name}" for name in s) for s in found.sets if s]
    _say_sets(found, f"Any one of these would make {id_} hold", acts)


@command("critical", 'tms critical d1\ntms critical d1 --assuming "dispute c1" --json')
@click.argument("id_", metavar="ID")
@limit_option(100)
@budget_option
@reading_options
def critical_(id_: str, limit: int, budget: int, point: str | None, assuming: tuple[str, ...], as_json: bool) -> None:
    """The minimal sets of judgements, other than its own, whose loss would fell a node."""
    view = load(point, assuming)
    with working():
        found = critical(view.graph, id_, limit=limit, budget=budget)
    if as_json:
        say_counts(CriticalAnswer(**_answered(found), **view.frame))
    else:
        _say_sets(found, f"{id_} falls with any one of these", found.sets)


def _answered(found: Answer) -> dict[str, Any]:
    return {name: getattr(found, name) for name in ("id", "sets", "complete", "reason")}


def _restoring(graph: Graph, name: str) -> str:
    kind = graph.declared.facts(graph.number(name)).kind
    return {"claim": "accept", "hypothesis": "falsify"}.get(kind, "adopt")


def _say_sets(found: Answer, heading: str, sets: Sequence[Sequence[str]]) -> None:
    if sets:
        title(heading, len(sets) if found.complete else None)
        for members in sets:
            say(f"  {in_words(members)}")
    if found.reason:
        say(f"{found.id}: {found.reason}.")
    if not found.complete:
        say("There may be more: --limit and --budget go further.")


@command("single", "tms single\ntms single d1 d2 --json")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="List everything.")
@budget_option
@reading_options
def single_(
    ids: tuple[str, ...], everything: bool, budget: int, point: str | None, assuming: tuple[str, ...], as_json: bool
) -> None:
    """The judgements, other than its own, without any one of which a node falls.

    Without ID, of every claim and decision that is IN.
    """
    view = load(point, assuming)
    graph = view.graph
    names = ids_of(ids) or tuple(name for name in graph.ids() if words_of(graph, name)[0] in IN)
    with working():
        rows = tuple(
            SingleRow(id=name, points=single(graph, name, budget=budget), status=graph.word(name)) for name in names
        )
    if as_json:
        say_counts(SingleAnswer(nodes=rows, **view.frame))
    else:
        _say_single(rows, bool(ids), everything)


def _say_single(found: Sequence[SingleRow], asked: bool, everything: bool) -> None:
    if not asked:
        say(f"Of all {len(found)} claims and decisions that are IN:")
    rows = [(row.id, row.status, _points(row)) for row in found if asked or row.points != ()]
    if not rows:
        say("None hangs on one judgement other than its own.")
        return
    shown, left = limited(rows, everything)
    table(("id", "status", "falls with any one of"), shown, "  ")
    say_more(left, "  ")


def _points(row: SingleRow) -> str:
    return "not known: the budget did not suffice" if row.points is None else in_words(row.points)


@command("pivotal", "tms pivotal d1\ntms pivotal q1 --json")
@click.argument("id_", metavar="ID")
@budget_option
@reading_options
def pivotal_(id_: str, budget: int, point: str | None, assuming: tuple[str, ...], as_json: bool) -> None:
    """The open matters (claims unassessed or disputed, decisions proposed) that could change whether a node holds."""
    view = load(point, assuming)
    with working():
        found = pivotal(view.graph, id_, budget=budget)
    names = tuple(name for s in found.sets for name in s)
    if as_json:
        kept: dict[str, Any] = {"id": id_, "complete": found.complete, "reason": found.reason}
        say_counts(PivotalAnswer(matters=names, **kept, **view.frame))
        return
    if names:
        title(f"What is open and could change {id_}", len(names))
        table(("id", "status", "text"), [(n, view.graph.word(n), text_of(view.graph, n)) for n in names], "  ")
    if found.reason:
        say(f"{id_}: {found.reason}.")
    if not found.complete:
        say("There may be more: --budget goes further.")


@command("conflicts", "tms conflicts\ntms conflicts --as-of v1.0 --json")
@limit_option(20)
@budget_option
@reading_options
def conflicts_(limit: int, budget: int, point: str | None, assuming: tuple[str, ...], as_json: bool) -> None:
    """The nogoods that are violated now, each with the minimal sets of judgements that make it so."""
    view = load(point, assuming)
    with working():
        found = conflicts(view.graph, limit=limit, budget=budget)
    if as_json:
        say_counts(ConflictsAnswer(conflicts=found, **view.frame))
        return
    if not found:
        say("No nogood is violated.")
    for conflict in found:
        title(f"{conflict.id}: {' and '.join(conflict.members)} cannot all hold, and do")
        for members in conflict.culprits:
            say(f"  because of {_members(members)}")
        if not conflict.complete:
            say("  There may be more: --limit and --budget go further.")


COMMANDS = {
    "environments": environments_,
    "repair": repair_,
    "critical": critical_,
    "single": single_,
    "pivotal": pivotal_,
    "conflicts": conflicts_,
}
