"""Writes `docs/cli.md` from the help texts: `python -m cli.manual > docs/cli.md`. A test holds it against them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator

import click
import msgspec

from cli.main import EXAMPLE, SECTIONS, tms
from cli.shapes import Document

HEAD = """\
# The command line

Made from the help texts: `python -m cli.manual > docs/cli.md`.

```sh
{example}
```

**Which ledger**: `--ledger PATH`, before or behind the command; else `TMS_LEDGER`; else the nearest `.tms/ledger.jsonl`
upwards from where you are. Every command takes it, and all but `shell` take `--json`.

**Who writes**: each line carries author, session and branch. They come from `TMS_AUTHOR`, `TMS_SESSION` and
`TMS_BRANCH`; without these the author is git's `user.name` and the branch the one checked out where the ledger lies,
both read from git's own files.

**Points in time** (`--as-of`, `tms changed`): the name of a mark, 6 or more digits of a line's hash, a date (the end of
that day, UTC), or a time such as `2026-01-31T12:00:00Z`.

**What-if** (`--assuming`, `tms impact`): a verb and an id, `dispute c1`; more with commas or spaces between. The last
word on a node counts. Nothing is written.

**Output**: text is plain in a file or pipe and coloured on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
Control characters in a record are shown as escapes such as `\\x1b`, never sent. Long lists end in `... and N more`;
`--all` shows the rest. Remarks and errors go to stderr.

| exit | when |
|---|---|
| 0 | fine |
| 1 | `check` found an error, `verify` an incomplete history |
| 2 | the call makes no sense: an unknown id, a record that may not be written, a wrong option |
| 3 | the ledger is damaged |
| 4 | another process holds it for too long, or it cannot be written; nothing was recorded |
| 130 | interrupted; nothing half-written counts |
"""

JSON_HEAD = """\
## JSON

With `--json`, stdout holds one compact JSON document in UTF-8, also on failure: then it is
`{"error": {"code", "message", "hint"}}`, and the exit code says the rest. Of a query that cannot be run it is
`{"error": {"code", "message", "line", "column", "end_column", "suggestions"}}`; what else is wrong with it stands in
`more`. Ids, and all that has an order, are sorted.
`as_of` and `assuming` repeat the conditions of the question; `partial` is there, and true, when lines or fields of a
newer version were read past. Later versions may add fields.
"""


def page() -> str:
    """The whole page, as Markdown."""
    parts = [HEAD.format(example=EXAMPLE)]
    context = click.Context(tms, info_name="tms")
    for section, names in SECTIONS.items():
        parts.append(f"## {section}\n")
        for name in names:
            found = tms.get_command(context, name)
            if found is not None:
                parts.extend(_command(found, context, name))
    return "\n".join([*parts, JSON_HEAD, *_documents()])


def _command(found: click.Command, parent: click.Context, name: str) -> Iterator[str]:
    """One command: usage, example, what it does, its own options. Not click's own layout, which differs by version."""
    context = click.Context(found, info_name=name, parent=parent)
    if isinstance(found, click.Group):
        for inner in found.list_commands(context):
            sub = found.get_command(context, inner)
            if sub is not None:
                yield from _command(sub, context, inner)
        return
    arguments = [_argument(param) for param in found.params if isinstance(param, click.Argument)]
    yield f"### {' '.join([context.command_path, *arguments])}\n"
    yield f"```sh\n{getattr(found, 'example', '')}\n```\n"
    yield f"{inspect.cleandoc(found.help or '')}\n"
    options = [param for param in found.params if isinstance(param, click.Option) and param.name not in COMMON]
    if options:
        yield "| option | |\n|---|---|"
        yield "\n".join(f"| `{_usage(option)}` | {_cell(option.help or '')} |" for option in options) + "\n"


COMMON = {"ledger", "as_json"}


def _argument(param: click.Argument) -> str:
    if param.metavar:
        return param.metavar
    name = str(param.name).upper()
    return name if param.required else f"[{name}]"


def _usage(option: click.Option) -> str:
    if option.is_flag:
        return option.opts[-1]
    choices = "|".join(option.type.choices) if isinstance(option.type, click.Choice) else ""
    return f"{option.opts[0]} {option.metavar or choices or option.type.name.upper()}".replace("|", "\\|")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _documents() -> Iterator[str]:
    common = {"as_of", "assuming", "partial"}
    for document in sorted(Document.__subclasses__(), key=_format):
        about = inspect.cleandoc(document.__doc__ or "")
        names = [field.encode_name for field in msgspec.structs.fields(document) if field.name not in common]
        yield f"- **{_format(document)}**: {about} Fields: {', '.join(f'`{name}`' for name in names)}."
    yield ""


def _format(document: type[Document]) -> str:
    """The format that a document says; every command is loaded by now, and its documents with it."""
    return next(str(field.default) for field in msgspec.structs.fields(document) if field.name == "format")


if __name__ == "__main__":
    sys.stdout.write(page())
