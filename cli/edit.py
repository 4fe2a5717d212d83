"""`--edit`: a record as a commented text in the user's editor, and back."""

from __future__ import annotations

import json
import tempfile
from typing import Any

import click

from tms.errors import RecordError, UsageError
from tms.ledger.intake import parse_records
from tms.model import Record

HEAD = """\
# A {kind}, as JSON. Lines that begin with # are left out, and so are fields that stay empty.
# Save and close to record it; an empty file records nothing.
"""
FIELDS: dict[str, dict[str, tuple[Any, str]]] = {
    "judged": {
        "supports": ([], 'support sets: [["c1", "c2"], ["c3"]] is (c1 and c2) or c3'),
        "answers": ([], 'questions that it answers: ["q1"]'),
        "supersedes": ([], 'what it replaces: [{"id": "d0", "reason": "revise"}]; or restate, reverse'),
        "contradicts": ([], "what cannot hold together with it"),
        "revisit": ("", "when to look at it again"),
        "cost_if_wrong": ("", "what it costs should it be wrong"),
    },
    "claim": {"state": ("unassessed", "unassessed, accepted, disputed, rejected, or derived (for life)")},
    "decision": {
        "choice": ("", "what was chosen (required)"),
        "state": ("adopted", "proposed, adopted or revoked"),
        "depends_on": ([], "prerequisites, all required"),
        "alternatives": ([], 'what was not chosen: [{"key": "mysql", "text": "MySQL", "because": [["c2"]]}]'),
        "environment": ({}, 'facts at the time: {"python": "3.11"}'),
        "reversibility": ("", "reversible, costly or irreversible"),
        "decided_by": ("", "who decided"),
    },
    "question": {"supersedes": ([], 'what it replaces: [{"id": "q0", "reason": "revise"}]')},
    "hypothesis": {
        "action": ("", "what is to be done"),
        "state": ("active", "active, falsified or abandoned"),
        "assuming": ([], "under what its falsification stands"),
    },
    "nogood": {"members": ([], "the nodes that cannot all hold, two or more")},
    "common": {
        "rationale": ("", "the reasoning in words"),
        "scope": ([], "what it is about"),
        "tag": ([], "labels to find it by"),
        "evidence": ([], "what shows it"),
    },
}


def template(kind: str, body: dict[str, Any]) -> str:
    """The text that the editor opens: every field with a comment above it, filled in with what is given."""
    judged = FIELDS["judged"] if kind in ("claim", "decision") else {}
    first = {"id": ("", "the id; empty: derived from the content"), "text": ("", "one sentence")}
    fields = first | FIELDS[kind] | judged | FIELDS["common"]
    fields |= {name: (value, "") for name, value in body.items() if name not in fields}
    parts = []
    for name, (default, about) in fields.items():
        comment = f"  # {about}\n" if about else ""
        parts.append(f"{comment}  {json.dumps(name)}: {json.dumps(body.get(name, default), ensure_ascii=False)}")
    head = HEAD.format(kind=kind)
    return head + "{\n" + f'  "kind": {json.dumps(kind)},\n' + ",\n".join(parts) + "\n}\n"


def parsed(text: str, source: str) -> list[Record]:
    """The records in an edited text; errors give its own line numbers."""
    bare = "\n".join("" if line.lstrip().startswith("#") else line for line in text.splitlines())
    if not bare.strip():
        raise UsageError("nothing was recorded: the text is empty", code="empty")
    try:
        value = json.loads(bare)
    except ValueError:  # let the strict parser say what is wrong, and where
        return parse_records(f"[{bare}]".encode(), source)
    if isinstance(value, dict):
        value = {name: field for name, field in value.items() if field not in ("", [], {}, None)}
    return parse_records(json.dumps(value).encode(), source)


def edited(kind: str, body: dict[str, Any]) -> list[Record]:
    """Open the editor ($VISUAL, $EDITOR) on a template; what was written is kept if it cannot be taken."""
    text = click.edit(template(kind, body), extension=".json", require_save=False)
    if text is None:
        raise UsageError("nothing was recorded: the editor gave no text", code="empty")
    try:
        return parsed(text, "edited text")
    except RecordError as error:
        with tempfile.NamedTemporaryFile("w", suffix=".json", prefix=f"tms-{kind}-", delete=False) as kept:
            kept.write("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")))
        hint = f"your text is kept in {kept.name}"
        raise RecordError(error.message, code=error.code, hint=hint) from None
