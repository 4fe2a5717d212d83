"""`tms query`: the query language on the command line."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Sequence
from typing import Any

import click
from msgspec import UNSET

from cli.common import assumed, command, frame_of, load, reading_options
from cli.labels import working
from cli.output import note, say, say_counts, say_json
from cli.render import limited, say_more, table
from cli.shapes import QueryAnswer
from query.errors import QueryError
from query.fields import FIELDS, SETS
from query.functions import FUNCTIONS
from query.parse import LONGEST
from query.result import Result, text_of_value
from query.run import Bounds
from query.stages import STAGES
from query.viewpoint import Viewpoint, point_of
from tms.drawing.table import cell
from tms.errors import UsageError
from tms.plain import one_line, safe

ROWS = 50
MOST = Bounds().rows

EXAMPLE = """\
tms query 'blocked(decisions)'
tms query 'decisions | where tag = storage | count by status' --json
tms query 'assuming dispute c1 as of v1.0 why($id)' --param id=d1
tms query --functions"""


@command("query", EXAMPLE)
@click.argument("text", required=False, metavar="[TEXT]")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="What $NAME stands for; may be repeated.")
@click.option("--jsonl", is_flag=True, help="One JSON object a row.")
@click.option("--csv", "as_csv", is_flag=True, help="CSV; what a spreadsheet would run gets a leading apostrophe.")
@click.option("--plain", is_flag=True, help="Tabs between values, no header: for other programs.")
@click.option("--all", "everything", is_flag=True, help=f"Show all rows, not only the first {ROWS}.")
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=Bounds().rows,
    metavar="N",
    help="Work out at most N rows, not 10,000.",
)
@click.option("--functions", is_flag=True, help="List the functions and stages, each with an example.")
@click.option("--fields", is_flag=True, help="List the fields, with the values of those that have a few.")
@reading_options
def query_(
    text: str | None,
    params: tuple[str, ...],
    everything: bool,
    rows: int,
    functions: bool,
    fields: bool,
    point: str | None,
    assuming: tuple[str, ...],
    **forms: bool,
) -> None:
    """Ask anything: functions of sets, then stages, under an optional viewpoint. TEXT may be - for standard input.

    A query that says `as of` itself is asked at its own point; what it assumes is added to --assuming. `$NAME` in a
    query is the value of --param NAME=VALUE. A query that cannot be run ends with 2, and shows where it is wrong.
    """
    if functions or fields:
        say_functions() if functions else None
        say_fields() if fields else None
        return
    form = _form(forms)
    given = _text(text)
    view = load()
    standing = Viewpoint(view.graph, point or "", assumed(assuming))
    try:
        with working():
            found = standing.run(given, values(params), bounds=Bounds(rows=rows))
    except QueryError as error:
        _refused(error, form == "json")
        click.get_current_context().exit(error.exit_code)
    if form == "json":
        frame = frame_of(view.reading, point_of(found) or point, found.graph.changes)
        say_counts(answer(found, frame))
    elif form:
        _FORMS[form](found)
        remarks(found, note)
    else:
        say_result(found, everything)


def _form(asked: dict[str, bool]) -> str:
    """Which form is asked for; empty for text."""
    names = {"as_json": "json", "jsonl": "jsonl", "as_csv": "csv", "plain": "plain"}
    found = [name for option, name in names.items() if asked[option]]
    if len(found) > 1:
        raise UsageError(f"one form at a time, not {' and '.join(f'--{name}' for name in found)}")
    return found[0] if found else ""


def _text(given: str | None) -> str:
    """The query, from standard input for `-`."""
    if given is None:
        raise UsageError("expected a query", hint="tms query --functions lists what there is")
    if given != "-":
        return given
    try:
        return sys.stdin.buffer.read(4 * LONGEST + 4).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"the query is not UTF-8: byte {error.start} of standard input") from None


def values(given: Sequence[str]) -> dict[str, Any]:
    """Parameters by name; what is written as a whole number is one.

    >>> values(["id=d1", "n=3", "text=a=b", "no=007"])
    {'id': 'd1', 'n': 3, 'text': 'a=b', 'no': '007'}
    """
    found: dict[str, Any] = {}
    for each in given:
        name, is_there, value = each.partition("=")
        if not is_there or not name:
            raise UsageError(
                f"--param {one_line(each)}: expected NAME=VALUE", hint="--param id=d1, and $id in the query"
            )
        is_number = value.isascii() and value.isdigit() and str(int(value[:18])) == value
        found[name.removeprefix("$")] = int(value) if is_number else value
    return found


def _refused(error: QueryError, as_json: bool) -> None:
    """What is wrong with the query, on stderr under its text; with `--json` as data too."""
    if as_json:
        say_json(_clean(error.as_json()))
    say_error(error)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return safe(value)
    if isinstance(value, dict):
        return {name: _clean(part) for name, part in value.items()}
    return [_clean(part) for part in value] if isinstance(value, list) else value


def say_error(error: QueryError) -> None:
    """The message with its carets, on stderr."""
    sys.stdout.flush()
    click.echo(f"error: {safe(error.message)}", err=True)


# -- an answer --------------------------------------------------------------------------------------------------


def answer(found: Result, frame: dict[str, Any]) -> QueryAnswer:
    """An answer as JSON shows it."""
    notes = tuple(filter(None, (found.clipped, *found.notes)))
    rows = tuple(found.to_dicts())
    return QueryAnswer(columns=found.columns, rows=rows, clipped=bool(found.clipped), notes=notes or UNSET, **frame)


def say_result(found: Result, everything: bool) -> None:
    """An answer as a table, and below it what has to be known besides; a diagram as DOT."""
    if found.drawn:
        say(found.diagram.dot.removesuffix("\n"))
    elif len(found):
        shown, left = limited(found.rows, everything, ROWS)
        table(found.columns, [[text_of_value(value) for value in row] for row in shown])
        say_more(left)
    else:
        say("No rows.")
    remarks(found, note if found.drawn else lambda said: say(one_line(said), "dim"))


def remarks(found: Result, tell: Callable[[str], None]) -> None:
    """Why rows are missing, and the notes."""
    for said in (f"clipped: {found.clipped}" if found.clipped else "", *found.notes):
        if said:
            tell(said)


def _say_jsonl(found: Result) -> None:
    for row in found.to_dicts():
        say_counts(row)


def _say_csv(found: Result) -> None:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(found.columns)
    writer.writerows([cell(text_of_value(value)) for value in row] for row in found)
    say(written.getvalue().removesuffix("\n"))


def _say_plain(found: Result) -> None:
    for row in found:
        say("\t".join(one_line(text_of_value(value)) for value in row))


_FORMS: dict[str, Callable[[Result], None]] = {"jsonl": _say_jsonl, "csv": _say_csv, "plain": _say_plain}


# -- what there is ----------------------------------------------------------------------------------------------


def say_functions() -> None:
    """The functions, the stages and the kinds."""
    table(("function", "what it gives", "example"), [(f.signature, f.about, f.example) for f in FUNCTIONS.values()])
    say()
    table(("stage", "what it does", "example"), [(s.form, s.about, s.example) for s in STAGES.values()])
    say()
    say(f"A set is one of these functions, an id, or a kind: {', '.join(SETS)}.")
    say("Sets are joined by union, intersect and except, from left to right.")


def say_fields() -> None:
    """The fields that every node has."""
    columns = [field.column for field in FIELDS.values()]
    table(("field", "type", "what it is"), [(c.name, c.type, c.about) for c in columns])
    for column in columns:
        if column.values:
            say(f"{column.name}: {', '.join(filter(None, column.values))}")


query_.epilog = "\n\n".join(
    f"{title}: {', '.join(names)}."
    for title, names in (
        ("Sets", list(SETS)),
        ("Functions", list(FUNCTIONS)),
        ("Stages", list(STAGES)),
        ("Fields", list(FIELDS)),
    )
)
COMMANDS = {"query": query_}
