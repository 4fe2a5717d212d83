"""The alternatives of a decision: those that it states, and those that it inherits from what it supersedes.

A `reverse` passes nothing on: it may well choose what its predecessor had ruled out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tms.entry import added_sets
from tms.model import Alternative, Relate, SupportSet

if TYPE_CHECKING:
    from tms.declared import Declared


class Option(NamedTuple):
    """An alternative of a decision: its own, or inherited from decisions that it supersedes.

    `sets` are the grounds of the rejection; the empty set among them: it is permanent.
    """

    key: str
    verdict: str
    sets: tuple[SupportSet, ...]
    bodies: tuple[Alternative, ...]
    inherited: bool


def collect(declared: Declared, decision: int, known: dict[int, dict[str, Option]]) -> None:
    """Fill `known` with the options by key of a decision, and of all that it inherits from."""
    stack = [decision]
    while stack:
        waiting = [p for p in forerunners(declared, stack[-1]) if p not in known]
        if waiting:
            stack.extend(waiting)
        else:
            current = stack.pop()
            known[current] = _options(declared, current, known)


def forerunners(declared: Declared, node: int) -> list[int]:
    """What a node supersedes by hops that count and are no `reverse`, sorted."""
    numbers = {n for m, _ in declared.facts(node).supersedes if (n := declared.names.number(m)) is not None}
    found = []
    for number in sorted(numbers):
        reasons = [reason for successor, reason in declared.succession.hops(number) if successor == node]
        if reasons and "reverse" not in reasons:
            found.append(number)
    return found


def _options(declared: Declared, decision: int, known: dict[int, dict[str, Option]]) -> dict[str, Option]:
    facts = declared.facts(decision)
    if facts.kind != "decision":
        return {}
    name = declared.names.name(decision)
    told: dict[str, list[Option]] = {}
    for stated in facts.alternatives:
        told.setdefault(stated.key, []).append(_stated(declared, f"{name}/{stated.key}", stated))
    own = set(told)
    for forerunner in forerunners(declared, decision):
        for key, option in known[forerunner].items():
            if key not in own:
                told.setdefault(key, []).append(option)
    return {key: _join(declared, f"{name}/{key}", options, key not in own) for key, options in told.items()}


def _stated(declared: Declared, name: str, stated: Alternative) -> Option:
    sets = stated.because or (() if _has_later_sets(declared, name) else ((),))
    return Option(stated.key, stated.verdict, sets, (stated,), False)


def _join(declared: Declared, name: str, options: list[Option], inherited: bool) -> Option:
    """Several tellings of one alternative: rejected where one says so, on the grounds of those that do."""
    verdict = "rejected" if any(option.verdict == "rejected" for option in options) else "abandoned"
    telling = [option for option in options if option.verdict == verdict]
    number = declared.names.number(name)
    entry = declared.entry(number) if number is not None else None
    sets = [s for option in telling for s in option.sets]
    sets.extend(added_sets(entry.later, declared.voids) if entry else ())
    bodies: list[Alternative] = []
    for option in telling:
        bodies.extend(body for body in option.bodies if body not in bodies)
    return Option(options[0].key, verdict, tuple(dict.fromkeys(sets)), tuple(bodies), inherited)


def _has_later_sets(declared: Declared, name: str) -> bool:
    number = declared.names.number(name)
    entry = declared.entry(number) if number is not None else None
    return entry is not None and any(
        isinstance(line.record, Relate) and line.record.relation == "supports" for line in entry.later
    )
