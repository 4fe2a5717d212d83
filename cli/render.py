"""Tables and lists as text: aligned and plain in a file or pipe, with colours on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TypeVar

from cli.output import fancy, say
from tms.consequences import Changed
from tms.model import Act, Assess, Correct, Line, Mark, Outcome, Purge, Record, Relate, Review, Void
from tms.plain import one_line
from tms.status import Blocker

T = TypeVar("T")
LIMIT = 20

COLOURS = {
    **dict.fromkeys(("in", "active", "resolved", "ruled-out"), "green"),
    **dict.fromkeys(("blocked", "unsupported", "circular", "contested", "clash", "violated", "missing"), "red"),
    **dict.fromkeys(("open", "reopened", "disputed", "proposed", "unassessed", "untested"), "yellow"),
    **dict.fromkeys(("retired", "rejected", "revoked", "dormant"), "dim"),
}


def limited(items: Sequence[T], everything: bool, limit: int = LIMIT) -> tuple[Sequence[T], int]:
    """The items to show, and how many are left out."""
    if everything or len(items) <= limit:
        return items, 0
    return items[:limit], len(items) - limit


def say_more(left: int, indent: str = "") -> None:
    """The last row of a list that was cut."""
    if left:
        say(f"{indent}... and {left} more (--all)", "dim")


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], indent: str = "") -> None:
    """Rows under headers; columns that are empty throughout are left out."""
    kept = [i for i in range(len(headers)) if any(row[i] for row in rows)]
    heads, cells = [headers[i] for i in kept], [[one_line(row[i]) for i in kept] for row in rows]
    if fancy():
        _rich_table(heads, cells, indent)
        return
    widths = [max(len(head), *(len(row[i]) for row in cells)) for i, head in enumerate(heads)]
    for row in (heads, *cells):
        say((indent + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip())


def _rich_table(heads: Sequence[str], rows: Iterable[Sequence[str]], indent: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for i, head in enumerate(heads):
        last = i == len(heads) - 1
        made.add_column(Text(head), no_wrap=not last or head != "text", overflow="fold" if last else "ellipsis")
    for row in rows:
        made.add_row(*(Text(cell, style=COLOURS.get(cell, "")) for cell in row))
    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    if indent:
        from rich.padding import Padding

        console.print(Padding(made, (0, 0, 0, len(indent)), expand=False))
    else:
        console.print(made)


def quoted(text: str, width: int = 60) -> str:
    """A text in quotes, cut; nothing for an empty one."""
    return f'"{one_line(text, width)}"' if text else ""


def in_words(names: Sequence[str], empty: str = "none") -> str:
    """Ids as a list; a word where there is none."""
    return ", ".join(names) or empty


def set_in_words(members: Sequence[str]) -> str:
    """A support set.

    >>> set_in_words(["c1", "c2"]), set_in_words([])
    ('c1 and c2', 'its own authority')
    """
    return " and ".join(members) or "its own authority"


def sets_in_words(sets: Sequence[Sequence[str]]) -> str:
    """Alternative support sets.

    >>> sets_in_words([["c1", "c2"], ["c3"]]), sets_in_words([["c1", "c2"]])
    ('(c1 and c2) or c3', 'c1 and c2')
    """
    said = [set_in_words(members) for members in sets]
    if len(sets) > 1:
        said = [f"({words})" if len(members) > 1 else words for words, members in zip(said, sets, strict=True)]
    return " or ".join(said)


def step_in_words(found: Changed) -> str:
    """From which status to which.

    >>> step_in_words(Changed(id="c1", kind="claim", before="", after="in", depth=0, cause=("c1",)))
    'new -> in'
    """
    return f"{found.before or 'new'} -> {found.after}"


def path_in_words(cause: Sequence[str], longest: int = 6) -> str:
    """The path of causes; the middle of a long one is left out.

    >>> path_in_words(["a", "b", "c", "d", "e"], 4)
    'a -> b -> ... 1 more ... -> d -> e'
    """
    if len(cause) > longest:
        half = longest // 2
        cause = (*cause[:half], f"... {len(cause) - 2 * half} more ...", *cause[-half:])
    return " -> ".join(cause)


def chain_in_words(found: Blocker) -> str:
    """The way from a blocked decision to the root cause, and what that is.

    >>> chain_in_words(Blocker(prerequisite="d2", root="c1", reason="disputed", chain=("d1", "d2", "c1")))
    'd1 -> d2 -> c1 (disputed)'
    """
    chain = found.chain
    if found.omitted:
        chain = (*chain[:-1], f"... {found.omitted} more ...", chain[-1])
    return f"{path_in_words(chain, 8)} ({found.reason})"


def changed_table(found: Sequence[Changed], everything: bool) -> None:
    """What changed: from, to, and the way from the cause."""
    shown, left = limited(found, everything)
    rows = [(c.id, c.kind, step_in_words(c), path_in_words(c.cause) if c.depth else "") for c in shown]
    table(("id", "kind", "status", "because"), rows, "  ")
    say_more(left, "  ")


def title(text: str, number: int | None = None) -> None:
    """A heading, with a count."""
    say(text if number is None else f"{text} ({number})", "title")


def record_in_words(record: Record) -> str:
    """A record on one line, for the log.

    >>> record_in_words(Assess(node="c1", state="disputed", reason="slow"))
    'c1 is disputed: slow'
    """
    said = getattr(record, "reason", "")
    reason = f": {said}" if said else ""
    if isinstance(record, Assess):
        return f"{record.node} is {record.state}{reason}"
    if isinstance(record, Relate):
        how = f" ({record.reason})" if record.reason else ""
        between = " and " if record.relation == "supports" else ", "
        return f"{record.source} {record.relation} {between.join(record.targets) or 'nothing: its own authority'}{how}"
    if isinstance(record, Correct):
        fields = [name for name in record.fields.__struct_fields__ if getattr(record.fields, name) is not None]
        return f"{record.node} corrected, {', '.join(fields) or 'nothing'}{reason}"
    if isinstance(record, Review):
        return f"{record.citing} reviewed: cites {record.cited}, now {record.head}{reason}"
    if isinstance(record, Void):
        part = f" {record.field}{_part(record)} of" if record.field else ""
        return f"void:{part} line {record.target[:12]}{reason}"
    if isinstance(record, Outcome):
        return f"{record.node} {record.result}{reason}"
    if isinstance(record, Purge):
        return f"{record.node}: {record.characters} characters went to the archive{reason}"
    if isinstance(record, Act):
        return f"{record.verdict}: {quoted(record.action)}"
    if isinstance(record, Mark):
        return f"mark {record.name} {quoted(record.text)}".rstrip()
    return f"{record.id} {quoted(record.text)}".rstrip()


def _part(void: Void) -> str:
    return (f" {void.key}" if void.key else "") + (f" {void.position}" if void.position is not None else "")


def kind_of(record: Record) -> str:
    """The kind of a record, as its JSON says it."""
    return str(type(record).__struct_config__.tag)


def log_table(lines: Sequence[Line], indent: str = "") -> None:
    """Lines of the ledger, one row each."""
    rows = [
        (
            line.hash[:12],
            line.time[:16].replace("T", " "),
            line.author,
            kind_of(line.record),
            record_in_words(line.record),
        )
        for line in lines
    ]
    table(("line", "time", "author", "kind", "text"), rows, indent)
