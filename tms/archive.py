"""The archive: the narratives of settled hypotheses, out of the active view, each under the SHA-256 of its bytes.

It is a folder beside the ledger, `archive/`, with one file a narrative: `archive/9f/9f86d0...`. The ledger holds a
`context_purge_marker` for each, with that hash; so whoever checks the ledger knows what must be in the archive, and a
changed narrative is found. Narratives are read when somebody asks for one, and never to check an action.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from tms.constraints import falsifications
from tms.entry import NOTHING, live
from tms.errors import Finding, LedgerError, UsageError
from tms.graph import Graph
from tms.ledger.disk import write_whole
from tms.ledger.wire import canonical
from tms.model import Hypothesis, Line, Purge

FOLDER = "archive"
MAX_NARRATIVE = 16 << 20  # bytes


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What the archive knows of a hypothesis: its action, what gates said, the hashes of its narratives; all sorted."""

    id: str
    action: str
    signatures: tuple[str, ...]
    narratives: tuple[str, ...]


def folder_of(ledger: str) -> Path:
    """Where the narratives of a ledger lie."""
    return Path(ledger).parent / FOLDER


def put(ledger: str, text: str) -> str:
    """Keep a narrative; its hash. What is there already stays as it is. Raises `UsageError`, `NotWritable`.

    >>> import tempfile
    >>> ledger = tempfile.mkdtemp() + "/ledger.jsonl"
    >>> get(ledger, put(ledger, "we tried it twice"))
    'we tried it twice'
    """
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise UsageError("the narrative is not UTF-8", code="utf-8") from None
    if not data.strip() or len(data) > MAX_NARRATIVE:
        message = f"the narrative has {len(data)} bytes; expected some text, of at most {MAX_NARRATIVE} bytes"
        raise UsageError(message, code="too-large" if data else "empty")
    name = hashlib.sha256(data).hexdigest()
    path = _path(ledger, name)
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(str(path), data)
    return name


def _path(ledger: str, name: str) -> Path:
    return folder_of(ledger) / name[:2] / name


def get(ledger: str, name: str) -> str:
    """A narrative by its hash. Raises `LedgerError` where it is gone, unreadable or not what it was."""
    path = _path(ledger, name)
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise _damaged(path, f"a narrative of the archive cannot be read: {reason}") from None
    if hashlib.sha256(data).hexdigest() != name:
        raise _damaged(path, "a narrative of the archive is not as it was written")
    return data.decode()


def _damaged(path: Path, message: str) -> LedgerError:
    return LedgerError(message, path=str(path), line=None, code="archive", hint="restore it, e.g. from git")


def markers(graph: Graph, name: str) -> tuple[Line, ...]:
    """The lines that say that a narrative of a node went to the archive, void ones left out, oldest first."""
    number = graph.declared.names.number(name)
    entry = graph.declared.entry(number) if number is not None else None
    found = [x for x in live(entry.later, graph.declared.voids) if isinstance(x.record, Purge)] if entry else []
    return tuple(sorted(found, key=lambda line: (line.time, line.hash)))


def is_purged(graph: Graph, name: str) -> bool:
    """Whether the words of a node have left the active view."""
    return bool(markers(graph, name))


def narratives(graph: Graph, name: str) -> tuple[str, ...]:
    """The hashes of the narratives of a hypothesis, oldest first, none twice."""
    return tuple(dict.fromkeys(_hash(line) for line in markers(graph, name)))


def _hash(line: Line) -> str:
    return line.record.narrative if isinstance(line.record, Purge) else ""


def entries(graph: Graph) -> Iterator[Entry]:
    """Every hypothesis, by id."""
    declared = graph.declared  # as recorded: nothing here asks who holds
    for name in sorted({line.record.id for line in graph.lines if isinstance(line.record, Hypothesis)}):
        number = declared.names.number(name)
        facts = declared.facts(number) if number is not None else NOTHING
        if number is None or facts.kind != "hypothesis":
            continue
        body = facts.bodies[0]
        yield Entry(
            id=name,
            action=str(getattr(body, "action", "")),
            signatures=tuple(sorted({told.signature for told in falsifications(graph, number)})),
            narratives=tuple(sorted(narratives(graph, name))),
        )


def archive_digest(graph: Graph) -> str:
    """SHA-256 over the ids, actions, signatures and narratives of all hypotheses: note it down, compare it later.

    A narrative is in it by its hash, so that nothing of the archive need be read.
    """
    return hashlib.sha256(canonical(msgspec.to_builtins(list(entries(graph))))).hexdigest()


def must_be_there(ledger: str, graph: Graph, names: tuple[str, ...]) -> None:
    """Raises `LedgerError` where some of the hypotheses have narratives, and there is no archive.

    It opens no narrative: whether each is as it was, `check_archive` says.
    """
    if any(is_purged(graph, name) for name in names) and not folder_of(ledger).is_dir():
        raise _damaged(folder_of(ledger), "the archive is gone, and the ledger says that there is one")


def check_archive(ledger: str, graph: Graph) -> tuple[Finding, ...]:
    """One finding for each narrative that is gone or changed."""
    found = []
    for entry in entries(graph):
        for name in entry.narratives:
            try:
                get(ledger, name)
            except (LedgerError, UnicodeDecodeError) as error:
                message = f"{entry.id}: {error}"
                places = tuple((line.path, line.number) for line in markers(graph, entry.id) if _hash(line) == name)
                found.append(Finding(kind="archive", message=message, nodes=(entry.id,), lines=places))
    return tuple(found)
