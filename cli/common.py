"""What the commands share: where the ledger is, how it is read, the options that several of them take."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
from msgspec import UNSET

from cli.output import note
from tms.cache import open_ledger
from tms.errors import UsageError
from tms.graph import Change, Graph
from tms.ledger.reader import Reading
from tms.model import VERBS

F = TypeVar("F", bound=Callable[..., Any])
PLACE = Path(".tms") / "ledger.jsonl"


class Command(click.Command):
    """A command whose help leads with an example."""

    def __init__(self, *args: Any, example: str = "", **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.example = example

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        say_example(formatter, self.example)
        super().format_help(ctx, formatter)


class Group(click.Group):
    """A command with commands of its own; its help leads with an example too."""

    def __init__(self, *args: Any, example: str = "", **extra: Any) -> None:
        super().__init__(*args, **extra)
        self.example = example

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        say_example(formatter, self.example)
        super().format_help(ctx, formatter)


def say_example(formatter: click.HelpFormatter, example: str) -> None:
    """The example that a help text leads with."""
    with formatter.section("Example"):
        for line in example.splitlines():
            formatter.write(f"  {line}\n")
    formatter.write_paragraph()


def command(name: str, example: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Makes a command of a function; its docstring is the help text."""

    def make(function: Callable[..., Any]) -> click.Command:
        made: click.Command = click.command(name, cls=Command, example=example)(_ledger_option(function))
        return made

    return make


def _keep(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta["ledger"] = value


def _ledger_option(function: F) -> F:
    text = "The ledger; else TMS_LEDGER, else the nearest .tms/ledger.jsonl upwards."
    return click.option("--ledger", metavar="PATH", expose_value=False, callback=_keep, help=text)(function)


def json_option(function: F) -> F:
    """Adds `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout, also on failure.")(
        function
    )


def reading_options(function: F) -> F:
    """Adds `--as-of`, `--assuming` and `--json`."""
    function = json_option(function)
    function = click.option(
        "--assuming",
        metavar='"VERB ID, ..."',
        multiple=True,
        help='As if these judgements were passed, e.g. "dispute c1, revoke d2"; writes nothing.',
    )(function)
    return as_of_option(function)


def as_of_option(function: F) -> F:
    """Adds `--as-of`."""
    text = "As the ledger was at a mark, a line's hash, a date or a time."
    return click.option("--as-of", "point", metavar="POINT", help=text)(function)


# -- where the ledger is ----------------------------------------------------------------------------------------


def given_ledger() -> str:
    """The path from `--ledger` or TMS_LEDGER; empty where neither is given."""
    ctx = click.get_current_context(silent=True)
    given = ctx.meta.get("ledger") if ctx else None
    return given if isinstance(given, str) else os.environ.get("TMS_LEDGER", "")


def ledger_path() -> str:
    """The ledger that is meant, as a path that reads well from here."""
    given = given_ledger()
    if given:
        return given
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / PLACE).is_file():
            return os.path.relpath(folder / PLACE, here)
    raise UsageError("no ledger here or in any folder above", code="no-ledger", hint="make one: tms init")


# -- reading it -------------------------------------------------------------------------------------------------


class View(NamedTuple):
    """A ledger as one question sees it."""

    graph: Graph
    reading: Reading
    frame: dict[str, Any]  # what every JSON answer repeats: as_of, assuming, partial


def load(point: str | None = None, assuming: Iterable[str] = ()) -> View:
    """The graph of the ledger, at a point in time and under hypothetical judgements."""
    reading, graph = open_ledger(ledger_path())
    remark(reading)
    graph = graph.as_of(point) if point else graph
    changes = assumed(assuming)
    if changes:
        graph = graph.assuming(changes)
    return View(graph, reading, frame_of(reading, point, changes))


def frame_of(reading: Reading, point: str | None = None, changes: Sequence[Change] = ()) -> dict[str, Any]:
    """The fields that say under which conditions an answer was given; those that don't apply are left out."""
    return {
        "as_of": point or UNSET,
        "assuming": tuple(changes) or UNSET,
        "partial": True if reading.partial else UNSET,
    }


def remark(reading: Reading) -> None:
    """Say on stderr that something of the file was left out."""
    if reading.partial:
        note("note: this reading is partial: a newer version wrote lines or fields that are not known here")
    serious = [f for f in reading.findings if f.severity == "error" and not f.kind.startswith("unknown-")]
    if serious:
        more = f" (and {len(serious) - 1} more: tms check)" if len(serious) > 1 else ""
        note(f"note: {serious[0].message}{more}")


# -- words on the command line ----------------------------------------------------------------------------------


def assumed(given: Iterable[str]) -> list[Change]:
    """The judgements in the values of `--assuming`."""
    return changes_of(" ".join(given).replace(",", " ").split())


def changes_of(words: Sequence[str]) -> list[Change]:
    """Pairs of a verb and an id; a verb may be followed by several ids.

    >>> changes_of(["dispute", "c1", "c2", "revoke", "d2"])
    [('dispute', 'c1'), ('dispute', 'c2'), ('revoke', 'd2')]
    """
    found: list[Change] = []
    verb, hungry = "", False  # a word right behind a verb is an id, whatever it looks like
    for word in words:
        if word in VERBS and not hungry:
            verb, hungry = word, True
        elif not verb:
            raise _no_verb(word)
        else:
            found.append((verb, word))
            hungry = False
    if hungry:
        raise UsageError(f"{verb} what? expected an id behind it", code="change", hint=f"{verb} c1")
    return found


def _no_verb(word: str) -> UsageError:
    near = difflib.get_close_matches(word, VERBS, n=2, cutoff=0.6)
    said = f"; did you mean {' or '.join(near)}?" if near else f"; expected one of {', '.join(VERBS)}"
    return UsageError(f"no verb {word!r}{said}", code="verb", hint="a verb, then an id: dispute c1 revoke d2")


def ids_of(values: Iterable[str]) -> tuple[str, ...]:
    """The ids in values such as "c1,c2"; none twice.

    >>> ids_of(["c1,c2", "c1", " c3 "])
    ('c1', 'c2', 'c3')
    """
    return tuple(dict.fromkeys(name for value in values for part in value.split(",") if (name := part.strip())))


def plural(number: int, word: str) -> str:
    """A number with its noun.

    >>> plural(1, "line"), plural(2, "line"), plural(2, "hypothesis"), plural(0, "more")
    ('1 line', '2 lines', '2 hypotheses', '0 more')
    """
    if number == 1 or word == "more":
        return f"{number} {word}"
    return f"{number} {word[:-2]}es" if word.endswith("sis") else f"{number} {word}s"
