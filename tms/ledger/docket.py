"""Reading Docket ledgers, schema 2 and 3, as they are; nothing is written to them.

A record becomes a node, a correction a `Correct`, a review one `Review` for each of its grounds. Their lines carry
no `prev`, so the order of the file serves: each line refers to the one before it. The hash of a line is SHA-256 over
its bytes, for corrections and voids to name it; where one line becomes several, the second has it over the bytes and
`#2`, and so on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tms.errors import Finding, LedgerError
from tms.ledger import strict, wire
from tms.ledger.strict import Bad
from tms.model import Line, Record

SCHEMAS = (2, 3)
_ENVELOPE = frozenset({"schema", "kind", "id", "ts", "author", "session", "branch", "legacy", "migrated_from"})
_WORDS = ("text", "rationale", "revisit", "cost_if_wrong")
_TAKEN = {
    "claim": frozenset({*_WORDS, "scope", "evidence", "pinned", "state", "supports", "answers", "supersedes"}),
    "question": frozenset({*_WORDS[:2], "scope", "evidence", "pinned", "state", "supersedes"}),
    "correction": frozenset({"corrects", "fields", "reason"}),
    "review": frozenset({"reviews", "grounds", "note"}),
}
_TAKEN["decision"] = _TAKEN["claim"] | {"choice", "alternatives", "decided_by", "depends_on"}
_CORRECTABLE = ("text", "rationale", "scope", "tag")


def looks_like(beginning: bytes) -> bool:
    """Whether a file that begins so is a Docket ledger: its lines carry a `schema`, ours a `v`.

    >>> looks_like(b'{"schema":2,"kind":"claim","id":"c1","text":"so"}')
    True
    """
    first = beginning.lstrip().partition(b"\n")[0]
    return first.startswith(b"{") and (b'"schema":' in first or b'"legacy":' in first) and b'"hash":"' not in first


def read(path: str, *, collect: bool = False) -> tuple[tuple[Line, ...], tuple[LedgerError, ...], tuple[Finding, ...]]:
    """The lines of a Docket ledger, its faults (raised unless `collect`), and what of it has no place here."""
    reading = _Docket(path)
    faults: list[LedgerError] = []
    with Path(path).open("rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                reading.take(raw.rstrip(b"\r\n"), number)
            except Bad as bad:
                fault = LedgerError(bad.message, path=path, line=number, code=bad.code, hint=bad.hint)
                if not collect:
                    raise fault from None
                faults.append(fault)
    return tuple(reading.lines), tuple(faults), tuple(reading.findings)


class _Docket:
    """What was read so far: a correction needs the record that it corrects."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: list[Line] = []
        self.findings: list[Finding] = []
        self.superseded: dict[str, list[str]] = {}  # id -> what its record supersedes
        self.newest: dict[str, str] = {}  # id -> hash of its record, then of its newest correction

    def take(self, raw: bytes, number: int) -> None:
        if not raw.strip():
            return
        value = strict.parse(raw)
        if not isinstance(value, dict) or value.get("schema") not in SCHEMAS:
            raise Bad("docket", "not a line of a Docket ledger of schema 2 or 3")
        kind = value.get("kind")
        if kind not in _TAKEN:
            raise Bad("docket", f"the kind {kind!r} is not Docket's; expected one of {', '.join(sorted(_TAKEN))}")
        self._left_out(value, kind, number)
        try:
            bodies = list(self._bodies(value, kind))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise Bad("docket", f"a {kind} out of Docket's form: {type(error).__name__} {error}") from None
        for at, body in enumerate(bodies, 1):
            suffix = b"#%d" % at if at > 1 else b""
            self._add(body, hashlib.sha256(raw + suffix).hexdigest(), value, number)

    def _add(self, body: dict[str, Any], hash_: str, value: dict[str, Any], number: int) -> None:
        strict.canonical(body)
        record: Record = strict.convert(body, Record)
        line = Line(
            record=record,
            hash=hash_,
            prev=(self.lines[-1].hash,) if self.lines else (),
            time=_time(value.get("ts")),
            author=_text(value, "author"),
            session=_text(value, "session"),
            branch=_text(value, "branch"),
            path=self.path,
            number=number,
        )
        self.lines.append(line)
        if body["kind"] != "review":
            self.newest[body["node"] if body["kind"] == "correct" else body["id"]] = hash_

    def _bodies(self, value: dict[str, Any], kind: str) -> Iterator[dict[str, Any]]:
        if kind == "review":
            yield from _reviews(value)
        elif kind == "correction":
            yield from self._correction(value)
        else:
            self.superseded[value["id"]] = [item["id"] for item in _supersessions(value)]
            yield _node(value, kind)

    def _correction(self, value: dict[str, Any]) -> Iterator[dict[str, Any]]:
        node, given = value["corrects"], value["fields"]
        if not isinstance(given, dict) or not given:
            raise Bad("docket", f"a correction of {node!r} without fields")
        if node not in self.newest:
            raise Bad("docket", f"corrects {node!r}, which no earlier line records")
        fields = {name: given[name] for name in _CORRECTABLE if name in given}
        if "evidence" in given:
            fields["evidence"] = _evidence(given["evidence"])
        if "supersede_reason" in given:
            reason = given["supersede_reason"]
            fields["supersedes"] = [{"id": other, "reason": reason} for other in self.superseded[node]]
        if fields:
            reason = value.get("reason", "")
            yield {"kind": "correct", "node": node, "fields": fields, "reason": reason, "replaces": [self.newest[node]]}

    def _left_out(self, value: dict[str, Any], kind: str, number: int) -> None:
        """Report what a line says that has no place here."""
        names = [name for name in value.keys() - _ENVELOPE - _TAKEN[kind] if value[name] and name != "supersede_reason"]
        if kind == "correction" and isinstance(value.get("fields"), dict):
            names += value["fields"].keys() - {*_CORRECTABLE, "evidence", "supersede_reason"}
        for name in sorted(names):
            message = f"line {number}: {name!r} of the {kind} {value.get('id')} has no place here and is left out"
            place = ((self.path, number),)
            self.findings.append(Finding(kind="left-out", message=message, lines=place, severity="note"))


def _node(value: dict[str, Any], kind: str) -> dict[str, Any]:
    body = {name: member for name, member in value.items() if name in _TAKEN[kind]}
    body |= {"kind": kind, "id": value["id"], "evidence": _evidence(value.get("evidence", []))}
    body["supersedes"] = _supersessions(value)
    if kind == "question":
        body["state"] = "open"  # what resolves it is derived here
    if kind == "decision":
        body["alternatives"] = _alternatives(value)
    return body


def _supersessions(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Ids with one reason for all, or objects with their own."""
    reason = value.get("supersede_reason", "revise")
    return [item if isinstance(item, dict) else {"id": item, "reason": reason} for item in value.get("supersedes", [])]


def _alternatives(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Docket lists the options considered, often the choice too, and no grounds: none was rejected for cause."""
    options = [item if isinstance(item, dict) else {"text": item} for item in value.get("alternatives", [])]
    others = [item for item in options if item.get("text", "").strip() != value.get("choice", "").strip()]
    return [{"key": f"a{at}", "text": item["text"], "verdict": "abandoned"} for at, item in enumerate(others, 1)]


def _evidence(items: Iterable[Any]) -> list[str]:
    """Each item as text: its `ref`, with what else it says in brackets.

    >>> _evidence(["a.py:3", {"ref": "b.py", "commit": "4f2a"}, {"ref": "c", "note": "by hand"}])
    ['a.py:3', 'b.py (commit 4f2a)', 'c (by hand)']
    """
    return [_one_evidence(item) if isinstance(item, dict) else item for item in items]


def _one_evidence(item: dict[str, Any]) -> str:
    said = [(name, value) for name, value in item.items() if name != "ref" and value]
    rest = "; ".join(str(value) if name == "note" else f"{name} {value}" for name, value in said)
    return f"{item['ref']} ({rest})" if rest else str(item["ref"])


def _reviews(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for cited, head in value["grounds"].items():
        note = value.get("note", "")
        yield {"kind": "review", "citing": value["reviews"], "cited": cited, "head": head, "reason": note}


def _text(value: dict[str, Any], name: str) -> str:
    member = value.get(name, "")
    return member if isinstance(member, str) else json.dumps(member)


def _time(given: Any) -> str:
    """Docket's time as ours; one without a zone is taken for UTC, one that is none is left out."""
    try:
        moment = datetime.fromisoformat(given)
    except (TypeError, ValueError):
        return ""
    return wire.stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
