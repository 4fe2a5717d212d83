"""The one mutable cell: a ledger that is open, with the graph of what it says now.

A session checks what is to be written, appends it, swaps the graph, and reports the difference.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tms.admit import Admission, admit
from tms.cache import Opened, open_ledger
from tms.consequences import Changed, changes_between
from tms.errors import UsageError
from tms.graph import Graph
from tms.ledger.reader import Reading
from tms.ledger.writer import LOCK_TIMEOUT, Writer
from tms.model import Line, Record


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What one append did: the graph before and after, the lines written, every status that differs, and warnings."""

    before: Graph
    after: Graph
    lines: tuple[Line, ...]
    changed: tuple[Changed, ...]
    warnings: tuple[str, ...]


class Session:
    """An open ledger.

    >>> import tempfile
    >>> from tms.model import Claim
    >>> session = Session.open(tempfile.mkdtemp() + "/ledger.jsonl", create=True)
    >>> report = session.append([Claim(id="c1", text="it is fast", state="accepted")])
    >>> [(c.id, c.before, c.after) for c in report.changed], session.graph.status("c1").status
    ([('c1', '', 'in')], 'in')
    """

    def __init__(self, opened: Opened, **envelope: object) -> None:
        self.reading, self.graph = opened
        self._envelope = envelope
        self._writer: Writer | None = None

    @staticmethod
    def open(
        path: str | os.PathLike[str],
        *,
        create: bool = False,
        author: str = "",
        session: str = "",
        branch: str = "",
        lock_timeout: float = LOCK_TIMEOUT,
    ) -> Session:
        """Read a ledger and hold it open; `author`, `session` and `branch` go into each line that it writes.

        Raises `LedgerError` for a damaged file, `UsageError` where there is none and `create` is not given.
        """
        path = os.fspath(path)
        there = Path(path).exists()
        if not there and not create:
            raise UsageError(f"no ledger at {path}", code="no-ledger", hint="make one: tms init")
        opened = open_ledger(path) if there else Opened(Reading(path=path), Graph.empty())
        return Session(opened, author=author, session=session, branch=branch, lock_timeout=lock_timeout)

    @property
    def writer(self) -> Writer:
        if self._writer is None:
            self._writer = Writer(self.reading, **self._envelope)  # type: ignore[arg-type]
        return self._writer

    def refresh(self) -> tuple[Line, ...]:
        """Take in what other processes appended; returns those lines."""
        lines = self.writer.catch_up()
        if lines:
            self.graph = self.graph.extend(lines)
        return lines

    def append(self, records: Sequence[Record], *, allow_missing: bool = False, source: str = "") -> Report:
        """Check and write records, several as one batch, all or nothing; on disk when this returns.

        An assessment or correction without `replaces` replaces all the newest ones. Raises `RecordError` for a record
        that may not be written (nothing was), `LedgerBusy`, `NotWritable`.
        """
        with self.writer.locked():
            self.refresh()
            warnings = admit(self.graph, records, allow_missing=allow_missing, source=source).warnings
            before = self.graph
            before.compiled  # noqa: B018 - so that the next graph is a step from this one, not a new one
            completion = Admission(before)
            lines = self.writer.append(records, complete=completion.complete, sealed=completion.take)
            self.graph = before.extend(lines)
        return self._report(before, lines, warnings)

    def _report(self, before: Graph, lines: tuple[Line, ...], warnings: Sequence[str]) -> Report:
        after = self.graph
        nodes = {after.declared.node_of(line) for line in lines}
        roots = sorted(node for node in nodes if node is not None)
        changed = changes_between(before, after, roots)
        return Report(before=before, after=after, lines=lines, changed=changed, warnings=tuple(warnings))
