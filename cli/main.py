"""The group `tms`: which commands there are, where each lives, and what becomes of errors.

A sub-command's module is imported when it is called, so that `tms --help` starts at once.
"""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from cli.output import failure, say_json
from tms.errors import TmsError, UnknownNode, UsageError
from tms.plain import safe

# The sections of the help; for each command its module and one line about it.
SECTIONS: dict[str, dict[str, tuple[str, str]]] = {
    "Write": {
        "init": ("record", "make a ledger here"),
        "claim": ("nodes", "record something that is so, or is said to be so"),
        "decision": ("nodes", "record a choice, what it rests on, what was not chosen"),
        "question": ("nodes", "record something to be settled"),
        "hypothesis": ("nodes", "record an action to be tried"),
        "nogood": ("nodes", "record nodes that cannot all hold"),
        "record": ("record", "append a batch of records from a file, all or nothing"),
        "import": ("imports", "take in a ledger or a model of another program"),
    },
    "Judge": {
        "accept": ("assess", "accept a claim"),
        "dispute": ("assess", "dispute a claim"),
        "reject": ("assess", "reject a claim"),
        "adopt": ("assess", "adopt a decision"),
        "revoke": ("assess", "revoke a decision"),
        "falsify": ("assess", "say that a gate falsified a hypothesis"),
        "abandon": ("assess", "drop a hypothesis untested"),
    },
    "Relate and mend": {
        "relate": ("relate", "add a relation between nodes"),
        "correct": ("mend", "correct words and metadata"),
        "review": ("mend", "say that a changed ground was looked at and is fine"),
        "void": ("mend", "make a mistaken line void"),
        "mark": ("mend", "name this point in time"),
    },
    "Read": {
        "status": ("status", "how things stand, and what needs attention"),
        "show": ("read", "one node with its words, relations and history"),
        "list": ("read", "the nodes, filtered"),
        "log": ("read", "the lines of the ledger, newest first"),
    },
    "Ask": {
        "query": ("query", "any question, in the query language"),
        "shell": ("shell", "the query language at a prompt"),
        "why": ("ask", "why a node stands as it does"),
        "impact": ("ask", "what would follow from a change; writes nothing"),
        "changed": ("ask", "what differs between two points in time"),
        "environments": ("labels", "on which minimal sets of judgements a node can stand"),
        "repair": ("labels", "what would make a node hold"),
        "critical": ("labels", "whose loss would fell a node"),
        "single": ("labels", "where one judgement alone carries a node"),
        "pivotal": ("labels", "which open matters could change a node"),
        "conflicts": ("labels", "which nogoods are violated, and by what"),
    },
    "What was not done": {
        "frontier": ("frontier", "whether the rejected alternatives are still ruled out"),
        "try": ("frontier", "whether an action is known to fail"),
        "archive": ("archive", "narratives of settled hypotheses, read on demand"),
    },
    "Draw": {
        "export": ("export", "a diagram, or data for other programs"),
    },
    "Check": {
        "check": ("check", "findings about what the ledger says, with file and line"),
        "verify": ("check", "whether the file is intact"),
    },
}
COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}

EXAMPLE = """\
tms init
tms claim "Postgres handles our write volume" --id c1 --state accepted
tms decision "billing uses Postgres" --id d1 --supports c1
tms impact dispute c1"""


class Root(click.Group):
    """The group: imports a command when it is called, and turns every error into one line and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.COMMANDS[cmd_name]
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise _no_command(args[0])
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Example"):
            for line in EXAMPLE.splitlines():
                formatter.write(f"  {line}\n")
        formatter.write_paragraph()
        super().format_help(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, commands in SECTIONS.items():
            with formatter.section(section):
                formatter.write_dl([(name, about) for name, (_, about) in commands.items()], col_max=14)

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        inner = super().main
        code = run(lambda: inner(words, prog_name or "tms", standalone_mode=False, **extra), words)
        if standalone_mode:
            sys.exit(code)
        return code


def _no_command(name: str) -> UsageError:
    import difflib

    near = difflib.get_close_matches(name, COMMANDS, n=3, cutoff=0.5)
    message = f"no command {name!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
    return UsageError(message, code="unknown-command", hint="tms --help lists them")


def run(call: Any, words: Sequence[str]) -> int:
    """Call, and say what went wrong; the exit code."""
    as_json = "--json" in words[: words.index("--") if "--" in words else None]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        result = _flushed(call)
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        return _quiet()
    except TmsError as error:
        return _failed(as_json, error.exit_code, error.message, error.code, error.hint or _look(error))
    except click.ClickException as error:
        return _failed(as_json, 2, error.format_message(), "usage", _try_help(error))
    except RecursionError:
        return _failed(as_json, 2, "nested too deeply", "usage", "")
    except OSError as error:
        if error.errno == errno.EPIPE:
            return _quiet()
        return _failed(as_json, 4, _of_system(error), "system", "")
    return result if isinstance(result, int) else 0


def _flushed(call: Any) -> Any:
    """What the call gives; output that could not be written is an error of the call."""
    try:
        return call()
    except SystemExit as stop:  # click's own way to end where the reader of a pipe is gone
        if stop.code == 1:
            raise BrokenPipeError from None
        raise
    finally:
        if sys.exc_info()[0] is None:
            sys.stdout.flush()


def _quiet() -> int:
    """Nobody reads on: what is left in the buffer goes nowhere, also at exit."""
    try:
        with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a device, not a path of ours
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
    except (OSError, ValueError):
        pass
    return 0


def _of_system(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}" if isinstance(error.filename, str) else reason


def _try_help(error: click.ClickException) -> str:
    ctx = getattr(error, "ctx", None)
    return f"{ctx.command_path} --help" if ctx is not None else ""


def _look(error: TmsError) -> str:
    return "tms list shows the ids" if isinstance(error, UnknownNode) and not error.nearest else ""


def _failed(as_json: bool, exit_code: int, message: str, code: str, hint: str) -> int:
    try:
        if as_json:
            say_json({"error": {"code": code, "message": safe(message), "hint": safe(hint)}})
            sys.stdout.flush()
        failure(message, hint)
    except OSError:
        return _quiet() or exit_code
    return exit_code


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("tms-ledger")
    except metadata.PackageNotFoundError:
        return "unknown"


def _say_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"tms {_version()}")
        ctx.exit()


def _keep_ledger(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.meta["ledger"] = value


@click.group(cls=Root, name="tms", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "--ledger",
    metavar="PATH",
    expose_value=False,
    callback=_keep_ledger,
    help="The ledger; else TMS_LEDGER, else the nearest .tms/ledger.jsonl upwards.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_say_version, help="Show the version."
)
def tms() -> None:
    """Keep what was decided and on what it rests, and see what falls when something changes."""


def main() -> None:
    """The entry point of the command."""
    gc.disable()  # a command ends soon; the collector would walk over a growing graph again and again
    try:
        tms()
    finally:
        gc.freeze()  # nor at the end


if __name__ == "__main__":
    main()
