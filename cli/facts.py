"""The options that give facts about the world, shared by what records a snapshot and what compares with one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from cli.common import ledger_path
from tms.errors import UsageError
from tms.ledger import strict
from tms.snapshot import PROVIDERS, capture, captured_again

F = TypeVar("F", bound=Callable[..., Any])


def fact_options(function: F) -> F:
    """Adds `--fact`, `--facts` and `--capture`."""
    for option in (
        click.option(
            "--capture", multiple=True, type=click.Choice(sorted(PROVIDERS)), help="Facts from a provider. Repeatable."
        ),
        click.option("--facts", metavar="FILE", help="Facts from a file: one JSON object of strings."),
        click.option("--fact", multiple=True, metavar="KEY=VALUE", help="A fact about the world. May be repeated."),
    ):
        function = option(function)
    return function


def facts_of(
    fact: Iterable[str], facts: str | None, providers: Iterable[str], recorded: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The facts that were given, sorted: a single one before those of the file, these before captured ones.

    Of `recorded` facts, those that a provider gave are captured again.
    """
    root = Path(project_root(ledger_path()))
    found = captured_again(recorded or {}, root) | capture(providers, root) | (_of_file(facts) if facts else {})
    return dict(sorted((found | dict(pair("fact", value) for value in fact)).items()))


def project_root(ledger: str) -> str:
    """The folder that a ledger is about: the one that holds its `.tms`, else the one it lies in.

    >>> project_root("/srv/app/.tms/ledger.jsonl"), project_root("/srv/app/ledger.jsonl")
    ('/srv/app', '/srv/app')
    """
    folder = os.path.dirname(os.path.abspath(ledger))  # noqa: PTH100,PTH120 - as text; no link is followed
    return os.path.dirname(folder) if os.path.basename(folder) == ".tms" else folder  # noqa: PTH119,PTH120


def _of_file(path: str) -> dict[str, str]:
    try:
        value = strict.parse(Path(path).read_bytes())
    except OSError as error:
        raise UsageError(f"{path}: {os.strerror(error.errno or 0)}", code="unreadable") from None
    except strict.Bad as bad:
        raise UsageError(f"{path}: {bad.message}", code="facts", hint='expected {"python":"3.12",...}') from None
    if not isinstance(value, dict) or not all(isinstance(member, str) for member in value.values()):
        message = f"{path}: expected one JSON object whose values are strings"
        raise UsageError(message, code="facts", hint='{"python":"3.12","lock":"9f2c"}')
    return value


def pair(name: str, value: str) -> tuple[str, str]:
    """The two halves of KEY=VALUE.

    >>> pair("fact", "python=3.12")
    ('python', '3.12')
    """
    key, equals, rest = value.partition("=")
    if not equals or not key:
        raise UsageError(f"--{name} {value}: expected KEY=VALUE", code="usage")
    return key, rest
