"""`tms shell`: the query language at a prompt, and line by line from a pipe."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.common import command, ledger_path, plural, remark
from cli.completion import offers, says_nothing, unfinished
from cli.labels import working
from cli.output import failure, note, say
from cli.query import say_error, say_fields, say_functions, say_result
from cli.render import table, title
from query.errors import QueryError
from query.fields import FIELDS
from query.functions import FUNCTIONS
from query.result import Result
from query.stages import STAGES
from query.viewpoint import Viewpoint, changes_in
from tms.errors import TmsError, UsageError
from tms.graph import Change, Graph
from tms.ledger.reader import read

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import Completer
    from prompt_toolkit.history import History

COMMANDS_OF_SHELL = {
    ":help": "this; :help NAME for a function, a stage or a field",
    ":as-of": "from now on as of a point: :as-of v1.0",
    ":assuming": "from now on as if judged so, beside what is assumed already: :assuming dispute c1, revoke d2",
    ":now": "back to now; what is assumed stays",
    ":reset": "back to now, with nothing assumed",
    ":all": "the last answer again, with all its rows",
    ":quit": "leave (also Ctrl-D)",
}
EXAMPLES = (
    "blocked(decisions)",
    "why(d1)",
    "falls(c1)",
    "claims | where status != in | sort date desc | limit 5",
    "decisions | count by status",
    "assuming dispute c1, revoke d2 held(decisions)",
)


@command("shell", "tms shell\necho 'blocked(decisions)' | tms shell")
def shell_() -> None:
    """The query language at a prompt: history, completion (Tab), several lines. :help says more.

    A query goes on on the next line while a bracket is open or a | is its end; an empty line ends it. The ledger is
    read again whenever it has changed. Without a terminal it reads queries from standard input, and ends with 2 if
    one of them was wrong.
    """
    gc.enable()  # unlike the other commands, this one stays
    asked = Shell(ledger_path())
    if sys.stdin.isatty():
        at_prompt(asked)
    elif not asked.all_of(line.decode("utf-8", "replace") for line in sys.stdin.buffer):
        click.get_current_context().exit(UsageError.exit_code)


class Shell:
    """A ledger, a viewpoint that stays, and the last answer."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.point = ""
        self.changes: list[Change] = []
        self.graph = Graph.empty()
        self.last: Result | None = None
        self.stays = True
        self._seen: tuple[int, ...] | None = None
        self._view: Viewpoint | None = None
        self.refresh()

    # -- the ledger ---------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the ledger again if it has changed."""
        found = _seal(self.path)
        if found is not None and found == self._seen:
            return
        reading = read(self.path)  # says that there is none
        remark(reading)
        if self._seen is not None:
            note(f"read again: {plural(len(reading.lines), 'line')}")
        self.graph, self._seen, self._view = Graph.replay(reading.lines), found, None

    @property
    def view(self) -> Viewpoint:
        if self._view is None:
            self._view = Viewpoint(self.graph, self.point, self.changes)
        return self._view

    @property
    def stands(self) -> str:
        """The viewpoint, as a query says it; empty for now with nothing assumed."""
        changes = ", ".join(f"{verb} {name}" for verb, name in self.changes)
        said = [f"assuming {changes}"] if changes else []
        return " ".join([*said, f"as of {self.point}"] if self.point else said)

    # -- what is typed ------------------------------------------------------------------------------------------

    def all_of(self, lines: Iterable[str]) -> bool:
        """Do what each line says, those of one query together; whether all went well."""
        fine = True
        for text in _statements(lines):
            fine = self.do(text) and fine
            if not self.stays:
                break
        return fine

    def do(self, text: str) -> bool:
        """Do one thing; whether it went well. What went wrong is said."""
        if says_nothing(text):
            return True
        try:
            self.refresh()
            if text.startswith(":"):
                name, _, rest = text.partition(" ")
                self._command(name)(rest.strip())
            else:
                with working():
                    self.last = self.view.run(text)
                say_result(self.last, everything=False)
        except QueryError as error:
            say_error(error)
        except TmsError as error:
            failure(error.message, error.hint)
        else:
            sys.stdout.flush()
            return True
        return False

    def _command(self, name: str) -> Callable[[str], None]:
        if name not in COMMANDS_OF_SHELL:
            raise UsageError(f"no command {name}; there are {', '.join(COMMANDS_OF_SHELL)}", code="unknown-command")
        found: Callable[[str], None] = getattr(self, "_" + name[1:].replace("-", "_"))
        return found

    def _help(self, name: str) -> None:
        if name:
            _say_one(name)
            return
        title("Examples")
        for example in EXAMPLES:
            say(f"  {example}")
        title("Commands")
        table(("command", "what it does"), list(COMMANDS_OF_SHELL.items()), "  ")
        say("\n:help functions and :help fields list the language.")

    def _look(self, point: str, changes: list[Change]) -> None:
        """Take another viewpoint; the old one stays where the new one makes no sense."""
        self._view = Viewpoint(self.graph, point, changes)
        self.point, self.changes = point, changes
        say(self.stands or "now, nothing assumed")

    def _as_of(self, point: str) -> None:
        if not point:
            raise UsageError("as of when? expected a mark, a line's hash, a date or a time", hint=":as-of 2026-01-31")
        self._look(point, self.changes)

    def _assuming(self, text: str) -> None:
        self._look(self.point, [*self.changes, *changes_in(text)])

    def _now(self, _: str) -> None:
        self._look("", self.changes)

    def _reset(self, _: str) -> None:
        self._look("", [])

    def _all(self, _: str) -> None:
        if self.last is None:
            raise UsageError("there is no answer yet")
        say_result(self.last, everything=True)

    def _quit(self, _: str) -> None:
        self.stays = False


def _seal(path: str) -> tuple[int, ...] | None:
    """What tells one state of a file from another; None where there is no file."""
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


def _statements(lines: Iterable[str]) -> Iterator[str]:
    """Lines put together while they go on."""
    held = ""
    for line in lines:
        held += line
        if not unfinished(held.removesuffix("\n")):
            yield held.strip()
            held = ""
    yield held.strip()


def _say_one(name: str) -> None:
    """What a function, a stage or a field is."""
    if name == "functions":
        say_functions()
    elif name == "fields":
        say_fields()
    elif name in FUNCTIONS:
        function = FUNCTIONS[name]
        say(f"{function.signature}: {function.about}\n  {function.example}")
        if function.columns:
            table(("column", "type", "what it is"), [(c.name, c.type, c.about) for c in function.columns], "  ")
    elif name in STAGES:
        say(f"{STAGES[name].form}: {STAGES[name].about}\n  {STAGES[name].example}")
    elif name in FIELDS:
        column = FIELDS[name].column
        say(f"{name} ({column.type}): {column.about}")
        if column.values:
            say(f"  {', '.join(filter(None, column.values))}")
    else:
        raise UsageError(f"no function, stage or field is called {name}", hint=":help functions, :help fields")


# -- at a terminal ----------------------------------------------------------------------------------------------


def at_prompt(asked: Shell) -> None:
    """Ask until it is enough. Raises `UsageError` where prompt_toolkit is missing."""
    session = _session(asked)
    say(f"{asked.path}: {plural(len(asked.graph), 'node')}. :help shows examples, :quit leaves.")
    while asked.stays:
        try:
            asked.do(session.prompt(lambda: f"tms {asked.stands}> " if asked.stands else "tms> ").strip())
        except KeyboardInterrupt:
            note("interrupted; :quit leaves")
        except EOFError:
            return


def _session(asked: Shell) -> PromptSession[str]:
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.application import get_app
        from prompt_toolkit.filters import Condition
    except ImportError:
        hint = "pip install 'tms-ledger[shell]'; or without it: echo 'blocked(decisions)' | tms shell"
        raise UsageError("at a terminal the shell needs prompt_toolkit", code="not-installed", hint=hint) from None
    return PromptSession(
        history=_history(),
        completer=_completer(asked),
        multiline=Condition(lambda: unfinished(get_app().current_buffer.text)),
        prompt_continuation="...  ",
    )


def _completer(asked: Shell) -> Completer:
    from prompt_toolkit.completion import Completer, Completion

    class Offered(Completer):
        """What fits at the cursor."""

        def get_completions(self, document: Any, complete_event: Any) -> Iterator[Completion]:
            length, found = offers(document.text_before_cursor, asked.view.graph, COMMANDS_OF_SHELL)
            return (Completion(offer.text, -length, display_meta=offer.about) for offer in found)

    return Offered()


def history_path() -> Path:
    """Where the lines are kept that were typed: `XDG_STATE_HOME`, else `~/.local/state`."""
    home = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")  # noqa: PTH111 - never raises
    return Path(home) / "tms" / "history"


def _history() -> History:
    """The lines of earlier sessions, readable for this user alone; none where the place cannot be written."""
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    path = history_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(mode=0o600)
        return FileHistory(str(path))
    except OSError:
        return InMemoryHistory()


COMMANDS = {"shell": shell_}
