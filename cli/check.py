"""`tms check` and `tms verify`: findings about what a ledger says, and whether the file is whole."""

from __future__ import annotations

from collections.abc import Sequence

import click

from cli.common import command, frame_of, json_option, ledger_path, plural
from cli.output import say, say_json
from cli.render import limited, say_more
from cli.shapes import CheckAnswer, FindingRow, VerifyAnswer, finding_rows
from tms.graph import Graph
from tms.ledger.reader import read

EXITS = {"intact": 0, "fork": 0, "incomplete history": 1, "damaged": 3}
WORDS = {
    "intact": "every line is as it was written, in one history",
    "fork": "every line is as it was written, on several branches; the next line joins them",
    "incomplete history": "a line, or a whole batch, that another needs is not here, as after a cherry-pick",
    "damaged": "a line is not as it was written",
}


@command("check", "tms check\ntms check --json")
@click.option("--all", "everything", is_flag=True, help="List all findings.")
@json_option
def check_(everything: bool, as_json: bool) -> int:
    """Findings about the ledger, with file and line: clashes, forks, missing references, circles, damaged lines.

    Exit 1 when some finding is an error, 3 when the file is damaged; notes alone are fine.
    """
    from tms.checks import check

    reading = read(ledger_path(), collect=True)
    found = finding_rows(check(Graph.replay(reading.lines), reading))
    if as_json:
        say_json(CheckAnswer(findings=found, **frame_of(reading)))
    else:
        say_findings(found, everything)
        errors = sum(f.severity == "error" for f in found)
        said = f"{plural(errors, 'error')}, {plural(len(found) - errors, 'note')}"
        say(f"{plural(len(reading.lines), 'line')} checked: {said if found else 'no findings'}.")
    return 3 if reading.faults else int(any(f.severity == "error" for f in found))


def say_findings(found: Sequence[FindingRow], everything: bool) -> None:
    """One line a finding: the places, what it is, its kind."""
    shown, left = limited(found, everything, 100)
    for f in shown:
        say(f"{_place(f)}{f.severity}: {_message(f)} [{f.kind}]")
    say_more(left)


def _place(found: FindingRow) -> str:
    if not found.lines:
        return ""
    first = found.lines[0]
    others = [str(p.line) if p.path == first.path else f"{p.path}:{p.line}" for p in found.lines[1:6]]
    more = ",..." if len(found.lines) > 6 else ""
    return f"{first.path}:{','.join([str(first.line), *others])}{more}: "


def _message(found: FindingRow) -> str:
    """The message without the place, which stands before it already."""
    places = (f"{p.path}:{p.line}: " for p in found.lines)
    return next((found.message[len(p) :] for p in places if found.message.startswith(p)), found.message)


@command("verify", "tms verify\ntms verify --head 3f2a91c07b44...")
@click.option(
    "--head", metavar="HASH", help="The hash of a line noted down earlier: it and all before it must be here."
)
@json_option
def verify_(head: str | None, as_json: bool) -> int:
    """Whether the file is whole: intact, a fork (fine), incomplete history (exit 1) or damaged (exit 3)."""
    from tms.archive import archive_digest, check_archive, entries
    from tms.ledger.history import verdict

    ledger = ledger_path()
    reading = read(ledger, collect=True)
    graph = Graph.replay(reading.lines)
    found = verdict(reading, head, check_archive(ledger, graph))
    digest = archive_digest(graph)
    if as_json:
        rows = finding_rows(found.findings)
        say_json(VerifyAnswer(verdict=found.word, lines=found.lines, heads=found.heads, findings=rows, archive=digest))
    else:
        say_findings(finding_rows(found.findings), everything=False)
        say(f"{found.word}: {WORDS.get(found.word, '')} ({plural(found.lines, 'line')}).")
        say(f"Heads, to be noted down for --head: {', '.join(found.heads) or 'none yet'}")
        if any(True for _ in entries(graph)):
            say(f"Archive digest: {digest}")
    return EXITS.get(found.word, 1)


COMMANDS = {"check": check_, "verify": verify_}
