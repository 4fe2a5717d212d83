"""`tms import`: a ledger of another program, or a fault tree, written into a ledger of ours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click
import msgspec

from cli.common import Group, command, plural
from cli.output import note, say, say_json
from cli.render import limited
from cli.shapes import ImportAnswer
from cli.writing import kept, open_session, writing_options
from tms.admit import newest_hashes
from tms.declared import Declared
from tms.errors import RecordError, UsageError
from tms.ledger.reader import Reading, read
from tms.model import Assess, Claim, Correct, Line, Record, Void
from tms.openpsa import FaultTree, read_fault_tree
from tms.session import Session

EXAMPLE = "tms import docket ../other/decisions.jsonl"
EXAMPLES = f"{EXAMPLE}\ntms import openpsa model.xml"


@click.group("import", cls=Group, example=EXAMPLES)
def import_() -> None:
    """Take in a ledger or a model of another program."""


@command("docket", EXAMPLE)
@click.argument("file", type=click.Path())
@writing_options
def docket(file: str) -> None:
    """Write the Docket ledger in FILE (schema 2 or 3) into ours, as one batch.

    Records, relations, states, corrections and reviews are kept. Each line keeps its own time, author, session and
    branch, so that --as-of a date answers as it would have then. What is here already is left out, so that an import
    may be run again.
    """
    source = read(file)
    if not source.docket:
        raise UsageError(f"{file}: is not a Docket ledger", code="not-docket", hint="our own vocabulary: tms record")
    session = open_session()
    with session.writer.locked():
        session.refresh()
        new = fresh(session, source)
        if new:
            append(session, new)
    tell(source, len(new), session)


def fresh(session: Session, source: Reading) -> list[Line]:
    """The lines whose records are not here yet; an id that is here with other content refuses the whole."""
    here = {_key(line.record) for line in session.graph.lines}
    ids = {line.record.id for line in session.graph.lines if hasattr(line.record, "id")}
    new = []
    for line in source.lines:
        if _key(line.record) in here:
            continue
        name = getattr(line.record, "id", None)
        if name in ids:
            message = f"{name} is recorded already, with other content; nothing was imported"
            raise RecordError(message, code="duplicate", where=f"{line.path}:{line.number}")
        new.append(line)
    return new


def _key(record: Record) -> bytes:
    """What a record says; hashes of other lines differ between two ledgers that say the same."""
    if isinstance(record, Assess | Correct):
        record = msgspec.structs.replace(record, replaces=())
    return msgspec.json.encode(record, order="sorted")


def append(session: Session, lines: list[Line]) -> None:
    """Write the lines as one batch; hashes that they refer to become those of the lines made."""
    hashes: dict[str, str] = {}
    state = _State(session.graph.declared, hashes, [line.hash for line in lines])
    records = [line.record for line in lines]
    session.writer.append(records, complete=state.complete, sealed=state.sealed, stamps=lines)
    session.refresh()


class _State:
    """Where a batch has come to: the ledger with the lines made so far, and the new hash of each old one."""

    def __init__(self, declared: Declared, hashes: dict[str, str], old: Iterable[str]) -> None:
        self.declared = declared
        self.hashes = hashes
        self.old = iter(old)

    def complete(self, record: Record) -> Record:
        if isinstance(record, Assess | Correct):
            mapped = tuple(sorted(self.hashes[h] for h in record.replaces if h in self.hashes))
            return msgspec.structs.replace(record, replaces=mapped or newest_hashes(self.declared, record))
        if isinstance(record, Void):
            return msgspec.structs.replace(record, target=self.hashes.get(record.target, record.target))
        return record

    def sealed(self, line: Line) -> None:
        self.hashes[next(self.old)] = line.hash
        self.declared = self.declared.add([line])


def tell(source: Reading, records: int, session: Session) -> None:
    """How many came in, and what is to be looked at."""
    warnings = [f.message for f in source.findings]
    already = len(source.lines) - records
    if kept("as_json"):
        frame: dict[str, Any] = {"warnings": tuple(warnings)}
        say_json(ImportAnswer(source=source.path, records=records, already=already, **frame))
        return
    there = f"; {plural(already, 'record')} were here already" if already else ""
    say(f"imported {plural(records, 'record')} from {source.path}{there}.")
    shown, left = limited(warnings, bool(kept("everything")))
    for warning in shown:
        note(f"warning: {warning}")
    if left:
        note(f"warning: ... and {left} more (--all)")
    say("Next: tms status; tms check")


# -- fault trees ------------------------------------------------------------------------------------------------


@command("openpsa", "tms import openpsa model.xml")
@click.argument("file", type=click.Path())
@writing_options
def openpsa(file: str) -> None:
    """Write the fault trees in FILE (Open-PSA) into the ledger, as one batch.

    Gates become derived claims, basic events accepted claims, under the names in the file; the label of a top gate
    is then the set of its minimal cut sets: tms environments GATE. AND, OR and at-least are read, everything else is
    refused with its line. What is here already is left out, so that an import may be run again.
    """
    tree = read_fault_tree(file)
    session = open_session()
    session.refresh()
    here = {_key(line.record) for line in session.graph.lines if isinstance(line.record, Claim)}
    new = [record for record in tree.records if _key(record) not in here]
    if new:
        session.append(new, source=f"{file}: ")
    tell_tree(file, tree, len(new))


def tell_tree(file: str, tree: FaultTree, records: int) -> None:
    """How many claims came in, and which gates are on top."""
    already = len(tree.records) - records
    warnings = () if tree.top else ("no gate is on top: there is none, or all go in a circle",)
    if kept("as_json"):
        say_json(ImportAnswer(source=file, records=records, already=already, warnings=warnings, top=tree.top))
        return
    there = f"; {plural(already, 'record')} were here already" if already else ""
    say(f"imported {plural(records, 'record')} from {file}{there}.")
    for warning in warnings:
        note(f"warning: {warning}")
    shown, left = limited(tree.top, bool(kept("everything")))
    if shown:
        say(f"On top: {', '.join(shown)}" + (f", ... and {left} more (--all)" if left else ""))
        say(f"Next: tms environments {shown[0]}")


import_.add_command(docket)
import_.add_command(openpsa)
COMMANDS = {"import": import_}
