"""Turn the headers of all PEPs (facts.json) into records: `python examples/peps/make.py > examples/peps/records.jsonl`.

Where the two ends of a replacement disagree, a line on stderr says so; the replacement is recorded all the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from tms.model import Decision, DecisionState, Supersession

FACTS = Path(__file__).with_name("facts.json")

Facts = dict[str, Any]  # the header of one PEP

# `Superseded` is not here: it depends on whether the header names a successor.
STATES: dict[str, DecisionState] = {
    "Accepted": "adopted",
    "Active": "adopted",
    "Final": "adopted",
    "Deferred": "proposed",
    "Draft": "proposed",
    "Provisional": "proposed",
    "April Fool!": "revoked",
    "Rejected": "revoked",
    "Withdrawn": "revoked",
}


def load(path: Path = FACTS) -> list[Facts]:
    """The headers, in the order of their numbers."""
    peps: list[Facts] = json.loads(path.read_text("utf-8"))
    return sorted(peps, key=lambda pep: pep["pep"])


def state(pep: Facts) -> DecisionState:
    """What was decided about it.

    >>> state({"status": "Superseded", "superseded_by": [387]}), state({"status": "Superseded", "superseded_by": []})
    ('adopted', 'revoked')
    """
    if pep["status"] == "Superseded":
        return "adopted" if pep["superseded_by"] else "revoked"
    return STATES[pep["status"]]


def replacements(peps: Iterable[Facts]) -> set[tuple[int, int]]:
    """The pairs (successor, replaced) that either of the two headers names."""
    peps = tuple(peps)
    said_by_old = {(new, pep["pep"]) for pep in peps for new in pep["superseded_by"]}
    return said_by_old | {(pep["pep"], old) for pep in peps for old in pep["replaces"]}


def disagreements(peps: Iterable[Facts]) -> list[tuple[int, int]]:
    """The pairs (replaced, successor) that only the replaced PEP names, e.g. 5 says `Superseded-By: 387`.

    The other way round is common and no contradiction: a PEP that was rejected or is still in force may well be
    replaced without saying so.
    """
    peps = tuple(peps)
    replaces = {pep["pep"]: pep["replaces"] for pep in peps}
    pairs = ((pep["pep"], new) for pep in peps for new in pep["superseded_by"])
    return sorted((old, new) for old, new in pairs if old not in replaces.get(new, ()))


def slugs(words: str) -> list[str]:
    """Words that can be typed at a prompt.

    >>> slugs("Governance, Packaging"), slugs("Standards Track"), slugs("")
    (['governance', 'packaging'], ['standards-track'], [])
    """
    return [word.strip().rstrip("!").lower().replace(" ", "-") for word in words.split(",") if word.strip()]


def tags(pep: Facts) -> tuple[str, ...]:
    """The status as the header has it, the day it was created, the Python versions that it aims at."""
    created = datetime.strptime(pep["created"], "%d-%b-%Y").date()
    return (*slugs(pep["status"]), f"created:{created}", *(f"python:{v}" for v in slugs(pep["python_version"])))


def decision(pep: Facts, replaced: Iterable[int]) -> Decision:
    """One PEP as a record."""
    return Decision(
        id=str(pep["pep"]),
        text=pep["title"],
        choice=f"PEP {pep['pep']}: {pep['title']}",
        state=state(pep),
        scope=(*slugs(pep["type"]), *slugs(pep["topic"])),
        tag=tags(pep),
        depends_on=tuple(str(number) for number in sorted(pep["requires"])),
        supersedes=tuple(Supersession(id=str(old), reason="revise") for old in sorted(replaced)),
    )


def records(peps: list[Facts]) -> Iterator[Decision]:
    """All PEPs as records, in the order of their numbers."""
    pairs = replacements(peps)
    for pep in peps:
        yield decision(pep, (old for new, old in pairs if new == pep["pep"]))


def main() -> None:
    """Write the records to stdout, the disagreements to stderr."""
    peps = load()
    for old, new in disagreements(peps):
        print(f"PEP {old} says Superseded-By: {new}, but PEP {new} does not say Replaces: {old}", file=sys.stderr)
    sys.stdout.buffer.writelines(msgspec.json.encode(record) + b"\n" for record in records(peps))


if __name__ == "__main__":
    main()
