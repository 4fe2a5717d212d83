"""The part of the peer benchmark that runs in a peer's own interpreter: nothing but the standard library is needed.

    PEER_PYTHON benchmarks/peer_worker.py NAME TASK.json

TASK.json holds `claims` (for each: is it accepted, and its support sets as numbers of earlier claims), `disputes`
(numbers of premises) and `budget` (seconds for the disputes). One JSON object a line is printed: first what entering
the claims took, then what the disputes took, so that a killed run still shows the first.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import import_module, metadata
from pathlib import Path
from statistics import median
from threading import Timer
from time import perf_counter
from typing import Any, Protocol, TypeAlias

TOO_SLOW = 3  # the exit code when entering takes longer than the budget

Claims: TypeAlias = list[tuple[bool, list[list[int]]]]


class Peer(Protocol):
    """What each system is asked to do. A claim that is not accepted is not put in, or not believed there."""

    def enter(self, claims: Claims) -> None:
        """Put all claims in, one after the other."""

    def dispute(self, number: int) -> int | None:
        """Take one premise's belief away; what it returns counts only where `holding` knows nothing."""

    def restore(self, number: int) -> None:
        """Give the belief back."""

    def holding(self) -> int | None:
        """How many nodes are believed."""


class Ltms:
    """ltms, its JTMS: premises are assumptions, each support set a justification (Forbus & de Kleer, chapter 7)."""

    def __init__(self) -> None:
        self.library = import_module("ltms.jtms")
        self.jtms: Any = self.library.JTMS()
        self.nodes: list[Any] = []

    def enter(self, claims: Claims) -> None:
        for number, (accepted, sets) in enumerate(claims):
            node = self.jtms.create_node(number, assumption=not sets)
            self.nodes.append(node)
            if accepted and not sets:
                self.jtms.enable_assumption(node)
            for members in sets if accepted else ():
                self.jtms.justify_node("set", node, [self.nodes[m] for m in members])

    def dispute(self, number: int) -> None:
        self.jtms.retract_assumption(self.nodes[number])

    def restore(self, number: int) -> None:
        self.jtms.enable_assumption(self.nodes[number])

    def holding(self) -> int:
        return sum(node.is_in for node in self.nodes)


class FtlReasons:
    """ftl-reasons: a node with SL justifications.

    The hash of each justification is given, in its favour: left to itself it hashes a node's whole cone at each entry,
    and 10^4 claims take minutes.
    """

    def __init__(self) -> None:
        self.library = import_module("reasons")
        self.network: Any = import_module("reasons.network").Network()

    def enter(self, claims: Claims) -> None:
        for number, (accepted, sets) in enumerate(claims):
            if accepted:
                named = [[f"c{m}" for m in members] for members in sets]
                reasons = [self.library.Justification("SL", members, content_hash="-") for members in named]
                self.network.add_node(f"c{number}", f"statement number {number}", reasons)

    def dispute(self, number: int) -> int:
        return len(self.network.retract(f"c{number}"))

    def restore(self, number: int) -> None:
        self.network.assert_node(f"c{number}")

    def holding(self) -> int:
        return sum(node.truth_value == "IN" for node in self.network.nodes.values())


class Veritas:
    """veritas-tms: premises are ground beliefs; its own detector of contradictions finds none in these texts."""

    def __init__(self) -> None:
        self.store: Any = import_module("veritas").BeliefStore()

    def enter(self, claims: Claims) -> None:
        for number, (accepted, sets) in enumerate(claims):
            if accepted:
                named = [[f"c{m}" for m in members] for members in sets]
                self._assert(number, ground=not sets, justifications=named, _belief_id=f"c{number}")

    def _assert(self, number: int, **fields: Any) -> None:
        self.store.assert_belief(f"statement number {number}", **fields)

    def dispute(self, number: int) -> int:
        return len(self.store.retract_belief(f"c{number}"))

    def restore(self, number: int) -> None:
        self._assert(number, ground=True, reuse_retracted_id=True)

    def holding(self) -> int:
        return len(self.store.active_beliefs())


class Networkx:
    """networkx: what is reachable from a premise; an upper bound of what falls, since nothing knows AND from OR."""

    def __init__(self) -> None:
        self.library = import_module("networkx")
        self.graph: Any = self.library.DiGraph()

    def enter(self, claims: Claims) -> None:
        for number, (accepted, sets) in enumerate(claims):
            self.graph.add_node(number)
            for members in sets if accepted else ():
                self.graph.add_edges_from((member, number) for member in members)

    def dispute(self, number: int) -> int:
        return 1 + len(self.library.descendants(self.graph, number))

    def restore(self, number: int) -> None:
        pass

    def holding(self) -> None:
        return None


class Tms:
    """This engine: all claims compiled at once; a dispute is one more line, and gives a new graph."""

    def __init__(self) -> None:
        sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
        self.model = import_module("tms.model")
        self.library = import_module("tms.graph")
        self.graph: Any = None
        self.newest: dict[str, str] = {}

    def enter(self, claims: Claims) -> None:
        lines = []
        for number, (accepted, sets) in enumerate(claims):
            supports = tuple(tuple(f"c{m}" for m in members) for members in sets)
            state = "accepted" if accepted else "unassessed"
            lines.append(self.library.bare(self.model.Claim(id=f"c{number}", state=state, supports=supports)))
        self.graph = self.library.Graph.replay(lines)
        self.graph.compiled  # noqa: B018 - it is made when first asked for
        self.newest = {line.record.id: line.hash for line in lines}

    def dispute(self, number: int) -> None:
        self._assess(f"c{number}", "disputed")

    def restore(self, number: int) -> None:
        self._assess(f"c{number}", "accepted")

    def _assess(self, node: str, state: str) -> None:
        record = self.model.Assess(node=node, state=state, replaces=(self.newest[node],))
        line = self.library.bare(record)
        self.newest[node] = line.hash
        self.graph = self.graph.apply(line)

    def holding(self) -> int:
        network = self.graph.compiled.network
        return sum(map(bool, network.rank))


PEERS: dict[str, tuple[str, type[Peer]]] = {
    "tms": ("", Tms),
    "ltms": ("ltms", Ltms),
    "ftl-reasons": ("ftl-reasons", FtlReasons),
    "veritas-tms": ("veritas-tms", Veritas),
    "networkx": ("networkx", Networkx),
}


def measure(peer: Peer, claims: Claims, disputes: list[int], budget: float) -> None:
    """Time the peer on the task; prints two lines. Counting what is believed is left out of the durations."""
    too_slow = Timer(budget, os._exit, (TOO_SLOW,))
    too_slow.start()
    start = perf_counter()
    peer.enter(claims)
    too_slow.cancel()
    say(enter=perf_counter() - start, holding=peer.holding())
    down, up, fell_at = [], [], []
    before = peer.holding()
    deadline = perf_counter() + budget
    for number in disputes:
        took, said = _timed(peer.dispute, number)
        down.append(took)
        fell_at.append(said if before is None else before - (peer.holding() or 0))
        up.append(_timed(peer.restore, number)[0])
        if perf_counter() > deadline:
            break
    say(
        disputes=len(down), dispute=median(down), worst=max(down), restore=median(up), fell_at=fell_at,
        fallen=sum(fell_at), same_again=peer.holding() == before,
    )  # fmt: skip


def _timed(call: Callable[[int], Any], number: int) -> tuple[float, Any]:
    start = perf_counter()
    value = call(number)
    return perf_counter() - start, value


def say(**values: Any) -> None:
    """One line of the result."""
    print(json.dumps(values), flush=True)


def main() -> None:
    """Run one peer on one task; an absent one says so."""
    name, path = sys.argv[1:]
    package, adapter = PEERS[name]
    try:
        version = metadata.version(package) if package else ""
    except metadata.PackageNotFoundError:
        say(absent=True)
        return
    task = json.loads(Path(path).read_text())
    say(version=version)
    measure(adapter(), task["claims"], task["disputes"], task["budget"])


if __name__ == "__main__":
    main()
