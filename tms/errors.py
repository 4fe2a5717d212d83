"""Two kinds of failure, kept apart.

What is wrong in the user's *ledger* is a value, `Finding`: collected, listed by `tms check`, with file and line.
What stops a call is an exception, a subclass of `TmsError`; the command line turns each into one line and an exit
code (`exit_code`), never into a traceback.

>>> str(LedgerError("hash does not fit", path="a.jsonl", line=3, code="hash"))
'a.jsonl:3: hash does not fit'
"""

from __future__ import annotations

import msgspec


class TmsError(Exception):
    """Base of all errors that a caller can expect; `code` is a stable word, `hint` says what to do next."""

    exit_code = 2

    def __init__(self, message: str, *, code: str = "usage", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows in place of a traceback; the caller's own code is not what is wrong."""
        return [*self.message.splitlines(), *([f"hint: {self.hint}"] if self.hint else [])]


class UsageError(TmsError):
    """A call that makes no sense: a verb that does not fit the kind, a point in time that is not there."""


class UnknownNode(UsageError):
    """An id that names nothing; `nearest` lists ids that look like it."""

    def __init__(self, node: str, nearest: tuple[str, ...] = ()) -> None:
        near = f"; did you mean {', '.join(nearest)}?" if nearest else ""
        super().__init__(f"no node has the id {node!r}{near}", code="unknown-id")
        self.node = node
        self.nearest = nearest


class RecordError(UsageError):
    """A record that cannot be written; `finding`-like fields say which one and where it came from."""

    def __init__(self, message: str, *, code: str, where: str = "", hint: str = "") -> None:
        super().__init__(f"{where}: {message}" if where else message, code=code, hint=hint)
        self.where = where


class LedgerError(TmsError):
    """A ledger that cannot be read as it is: file, line (1 is the first), what was wrong, what was expected."""

    exit_code = 3

    def __init__(self, message: str, *, path: str, line: int | None, code: str, hint: str = "") -> None:
        place = path if line is None else f"{path}:{line}"
        super().__init__(f"{place}: {message}", code=code, hint=hint)
        self.path = path
        self.line = line


class LedgerBusy(TmsError):
    """Another process holds the lock for longer than the limit."""

    exit_code = 4


class NotWritable(TmsError):
    """The file, the folder or the disk refused a write; nothing was recorded."""

    exit_code = 4


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something about the user's ledger that a person should look at; never an exception.

    `kind` is a stable word (see `docs/ledger.md`), `nodes` the ids concerned, `lines` the places (file, line).
    """

    kind: str
    message: str
    nodes: tuple[str, ...] = ()
    lines: tuple[tuple[str, int], ...] = ()
    severity: str = "error"  # "error" makes `check` exit 1; "note" does not
