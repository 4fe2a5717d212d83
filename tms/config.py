"""The policy of a ledger: `config.toml` beside it, read once, every field with a default.

A file that is not there is the default policy; a field that is not known is an error, so that a typing error cannot
weaken a gate in silence.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from tms.errors import UsageError

NAME = "config.toml"
Answer = Literal["allow", "ask", "deny"]
Patterns = tuple[str, ...]  # of fnmatch: `*` any characters, `?` one


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of the file."""


class FrontierPolicy(_Section, frozen=True, kw_only=True):
    """When a decision's frontier is there, when it is stale, when it may be skipped; see `tms.frontier`."""

    require_receipts: bool = False
    facts: Patterns = ("*",)  # facts that make a frontier stale when they differ
    material_facts: Patterns = ()  # facts whose drift matters, whatever still stands
    skip_tags: Patterns = ()  # a decision with such a tag may go without alternatives: "one-option", "trivial"


class GatePolicy(_Section, frozen=True, kw_only=True):
    """What the gate answers, by the reversibility of the act, where a reason to ask is found; see `tms.gate`."""

    reversible: Answer = "allow"
    costly: Answer = "ask"
    shared: Answer = "ask"
    irreversible: Answer = "ask"
    unknown: Answer = "ask"  # nobody said how reversible the act is
    people: Patterns = ()  # authors who are persons; nobody is known to be one otherwise
    on_error: Answer = "ask"  # the ledger is damaged or locked: a hook says so, and answers this; never `allow`


class BriefPolicy(_Section, frozen=True, kw_only=True):
    """How long a briefing may be, in characters."""

    max_chars: Annotated[int, Meta(ge=200, le=1_000_000)] = 6000


class ReviewPolicy(_Section, frozen=True, kw_only=True):
    """When evidence is too old: days since the newest line that gave some; 0: never."""

    evidence_days: Annotated[int, Meta(ge=0)] = 0


class Config(_Section, frozen=True, kw_only=True):
    """The whole file."""

    frontier: FrontierPolicy = FrontierPolicy()
    gate: GatePolicy = GatePolicy()
    brief: BriefPolicy = BriefPolicy()
    review: ReviewPolicy = ReviewPolicy()


def config_of(ledger: str) -> Config:
    """The policy of the ledger at a path. Raises `UsageError` with file and field for what is not in form.

    >>> config_of("nowhere/ledger.jsonl").gate.irreversible
    'ask'
    """
    path = Path(ledger).parent / NAME
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(path, str(error)) from None
    try:
        return _checked(msgspec.convert(tomllib.loads(text), Config))
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, ValueError) as error:
        raise _bad(path, str(error)) from None


def _checked(config: Config) -> Config:
    if config.gate.on_error == "allow":
        raise ValueError("gate.on_error: 'allow' would wave acts through unseen; expected 'ask' or 'deny'")
    return config


def _bad(path: Path, message: str) -> UsageError:
    return UsageError(f"{path}: {message}", code="config", hint="see the tables and fields in docs/frontiers.md")


def published() -> dict[str, Any]:
    """The defaults as plain data, as the page of the docs shows them."""
    data: dict[str, Any] = msgspec.to_builtins(Config())
    return data
