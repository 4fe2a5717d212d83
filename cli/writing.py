"""What every writing command does: open, append, and say what was recorded and what changed because of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from cli.common import ledger_path
from cli.envelope import envelope
from cli.output import note, say, say_json
from cli.render import changed_table, kind_of, limited, quoted, say_more, title
from cli.shapes import RecordedAnswer, WrittenRow
from tms.errors import RecordError
from tms.ledger.intake import with_id
from tms.model import Line, Record
from tms.session import Report, Session

F = TypeVar("F", bound=Callable[..., Any])


def writing_options(function: F) -> F:
    """Adds what every writing command takes; `write` reads it from the context."""
    function = click.option("--all", "everything", is_flag=True, expose_value=False, callback=_keep, help="List all.")(
        function
    )
    function = click.option(
        "--lock-timeout",
        type=click.FloatRange(min=0),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        expose_value=False,
        callback=_keep,
        help="How long to wait for another writer.",
    )(function)
    return _kept_json(function)


def _kept_json(function: F) -> F:
    text = "One JSON document on stdout, also on failure."
    return click.option("--json", "as_json", is_flag=True, expose_value=False, callback=_keep, help=text)(function)


def missing_option(function: F) -> F:
    """Adds `--allow-missing`."""
    text = "Take references to ids that are not recorded; they count as not holding."
    return click.option("--allow-missing", is_flag=True, expose_value=False, callback=_keep, help=text)(function)


def _keep(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    ctx.meta[f"writing.{param.name}"] = value


def kept(name: str, default: Any = None) -> Any:
    """The value of one of the options above."""
    return click.get_current_context().meta.get(f"writing.{name}", default)


def open_session(*, create: bool = False) -> Session:
    """The ledger, open for writing by whoever the environment says."""
    path = ledger_path()
    return Session.open(path, create=create, lock_timeout=kept("lock_timeout", 10.0), **envelope(path))


def write(records: Sequence[Record], *, session: Session | None = None, **options: Any) -> None:
    """Append, and say what came of it. `options` are those of `Session.append`."""
    options.setdefault("allow_missing", bool(kept("allow_missing", False)))
    named = [with_id(record) for record in records]
    if not named:
        raise RecordError("nothing to record", code="empty")
    report = (session or open_session()).append(named, **options)
    tell(report)


def tell(report: Report) -> None:
    """What was recorded and what changed because of it, as text or JSON; warnings on stderr."""
    if kept("as_json"):
        rows = tuple(_row(report, line) for line in report.lines)
        say_json(RecordedAnswer(lines=rows, changed=report.changed, warnings=report.warnings))
        return
    everything = bool(kept("everything"))
    shown, left = limited(report.lines, everything)
    for line in shown:
        _say_line(report, line)
    say_more(left)
    if report.changed:
        title("What changed because of it:")
        changed_table(report.changed, everything)
    else:
        say("Nothing changed because of it.")
    warnings, left = limited(report.warnings, everything)
    for warning in warnings:
        note(f"warning: {warning}")
    if left:
        note(f"warning: ... and {left} more (--all)")


def _row(report: Report, line: Line) -> WrittenRow:
    return WrittenRow(kind=kind_of(line.record), id=_about(report, line), hash=line.hash, line=line.number)


def _about(report: Report, line: Line) -> str:
    node = report.after.declared.node_of(line)
    return "" if node is None else str(report.after.declared.names.name(node))


def _say_line(report: Report, line: Line) -> None:
    name = _about(report, line) or getattr(line.record, "name", "")
    words = " ".join(part for part in (kind_of(line.record), name, quoted(getattr(line.record, "text", ""))) if part)
    say(f"recorded {words}  [{line.hash[:12]}]")
