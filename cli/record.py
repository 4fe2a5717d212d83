"""`tms init` and `tms record`: a ledger made, a batch of records appended."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cli.common import PLACE, command, given_ledger
from cli.output import say, say_json
from cli.writing import write, writing_options
from tms.errors import NotWritable, UsageError
from tms.ledger.intake import parse_records

MAX_INPUT = 1 << 30  # bytes of one batch


def attributes(name: str) -> str:
    """What git must know: every byte of a line is hashed, and two branches that both appended keep both lines."""
    return f"{name} -text merge=union\n"


IGNORED = "*.lock\n"


@command("init", "tms init\ntms init ../other-project")
@click.argument("folder", type=click.Path(file_okay=False), default=".")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout, also on failure.")
def init(folder: str, as_json: bool) -> None:
    """Make a ledger: .tms/ledger.jsonl in FOLDER (here), with the git attributes that it needs beside it.

    With --ledger or TMS_LEDGER, the ledger is made there. What is there already stays as it is, so it may be run again.
    """
    given = given_ledger()
    path = Path(given) if given else Path(folder) / PLACE
    try:
        made = _make(path)
    except OSError as error:
        raise NotWritable(f"{error.filename or path}: {error.strerror}", code="not-writable") from None
    if as_json:
        say_json({"format": "tms.init/1", "ledger": str(path), "made": made})
        return
    say(f"made {path}" if made else f"{path} is there already")
    say('Next: tms claim "..." --id c1 --state accepted; tms --help')


def _make(path: Path) -> bool:
    """Make what is missing; whether the ledger was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _add_line(path.parent / ".gitattributes", attributes(path.name))
    if path.parent.name == PLACE.parent.name:
        _add_line(path.parent / ".gitignore", IGNORED)
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        if not path.is_file():
            raise NotWritable(f"{path}: is not a file", code="not-writable") from None
        return False
    return True


def _add_line(path: Path, line: str) -> None:
    text = path.read_text("utf-8", "surrogateescape") if path.exists() else ""
    if line.strip() not in (known.strip() for known in text.splitlines()):
        glue = "" if not text or text.endswith("\n") else "\n"
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(glue + line)


@command("record", "tms record records.jsonl\nmy-script | tms record -")
@click.argument("file", type=click.Path(allow_dash=True))
@writing_options
def record(file: str) -> None:
    """Append the records in FILE (- for stdin): JSON lines or one JSON array, all of them or none.

    Each is an object with a "kind", in the vocabulary of a ledger's "body"; hashes and times are filled in. References
    to ids that nobody recorded are taken, and reported. See docs/ledger.md.
    """
    source = "stdin" if file == "-" else file
    records = parse_records(_read(file), source)
    if not records:
        raise UsageError(f"{source}: no record in it", code="empty", hint='one a line: {"kind":"claim","id":"c1",...}')
    write(records, allow_missing=True, source=f"{source}: ")


def _read(file: str) -> bytes:
    try:
        if file == "-":
            data = sys.stdin.buffer.read(MAX_INPUT + 1)
        else:
            with open(file, "rb") as opened:  # noqa: PTH123 - a name is what was given
                data = opened.read(MAX_INPUT + 1)
    except OSError as error:
        raise UsageError(f"{file}: {os.strerror(error.errno or 0)}", code="unreadable") from None
    if len(data) > MAX_INPUT:
        raise UsageError(f"{file}: more than {MAX_INPUT} bytes; give it in parts", code="too-large")
    return data


COMMANDS = {"init": init, "record": record}
