"""Folding: chains of supersession into their heads, scopes into one node each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from tms.drawing.parts import JUNCTIONS, DrawnEdge, DrawnNode
from tms.drawing.scene import Key, Scene
from tms.drawing.style import WORST_FIRST
from tms.errors import UsageError
from tms.graph import Graph


def folded(found: Scene, how: str | None, graph: Graph) -> Scene:
    """The scene with chains (`superseded`) or scopes (`scope`) folded; raises `UsageError` for another word."""
    if how is None:
        return found
    if how not in FOLDS:
        raise UsageError(f"cannot fold {how!r}; expected {' or '.join(FOLDS)}", code="fold")
    return FOLDS[how](found, graph)


# -- chains -----------------------------------------------------------------------------------------------------


def _superseded(found: Scene, graph: Graph) -> Scene:
    """Retired nodes go, with their own grounds; who cites one is drawn as citing its heads."""
    heads = {name: _heads(graph, name, found) for name, node in found.nodes.items() if node.status == "retired"}
    heads = {name: to for name, to in heads.items() if to}
    gone = {edge.source for edge in found.edges.values() if edge.target in heads and _is_junction(found, edge.source)}
    kept = Scene({name: node for name, node in found.nodes.items() if name not in heads and name not in gone}, {})
    for edge in found.edges.values():
        if edge.target in heads or (edge.kind in ("supersedes", "would_supersede", "option") and edge.source in heads):
            continue
        for source in heads.get(edge.source, (edge.source,)):
            if source != edge.target:
                kept.add(replace(edge, source=source, note=edge.note or _as_cited(edge.source, source)))
    for name, node in kept.nodes.items():
        replaces = tuple(sorted(old for old, to in heads.items() if name in to))
        kept.nodes[name] = replace(node, replaces=replaces)
    return kept


def _as_cited(cited: str, head: str) -> str:
    return "" if cited == head else f"cited as {cited}"


def _heads(graph: Graph, name: str, found: Scene) -> tuple[str, ...]:
    """The heads of a retired node that are drawn; none where it leads nowhere or out of the picture."""
    names = graph.declared.names.name
    to = tuple(sorted(names(n) for n in graph.compiled.citations().heads(graph.number(name)).heads))
    return to if name not in to and all(head in found.nodes for head in to) else ()


def _is_junction(found: Scene, name: str) -> bool:
    return found.nodes[name].kind in JUNCTIONS


# -- scopes -----------------------------------------------------------------------------------------------------


def _scope(found: Scene, _: Graph) -> Scene:
    """Each scope becomes one node that counts what is in it; focused nodes and those without a scope stay."""
    place = {name: _place(node) for name, node in found.nodes.items()}
    inside: dict[str, list[DrawnNode]] = {}
    for name, key in place.items():
        if key != name and not _is_junction(found, name):
            inside.setdefault(key, []).append(found.nodes[name])
    nodes = {key: _summary(key, members) for key, members in inside.items()}
    nodes |= {name: node for name, node in found.nodes.items() if place[name] == name}
    return Scene(nodes, _merged(found.edges.values(), place.__getitem__, nodes))


def _place(node: DrawnNode) -> str:
    return f"scope {node.scope[0]}" if node.scope and not node.focus else node.id


def _summary(key: str, members: list[DrawnNode]) -> DrawnNode:
    counts = Counter(node.status for node in members)
    said = ", ".join(f"{number} {word}" for word, number in sorted(counts.items(), key=lambda c: (-c[1], c[0])))
    tone = min((node.tone for node in members), key=WORST_FIRST.index)
    status = f"{len(members)} nodes" if len(members) != 1 else "1 node"
    return DrawnNode(id=key, kind="scope", status=status, text=said, tone=tone)


def _merged(
    edges: Iterable[DrawnEdge], place: Callable[[str], str], nodes: dict[str, DrawnNode]
) -> dict[Key, DrawnEdge]:
    """Arrows between folded nodes, counted; not met where one of them is not."""
    found: dict[Key, DrawnEdge] = {}
    for edge in edges:
        source, target = place(edge.source), place(edge.target)
        if source == target or source not in nodes or target not in nodes:
            continue
        if (source, target) == (edge.source, edge.target):
            found[source, target, edge.kind] = edge
            continue
        old = found.get((source, target, "leads"))
        found[source, target, "leads"] = DrawnEdge(
            source=source,
            target=target,
            kind="leads",
            met=edge.met and (old is None or old.met),
            count=1 + (old.count if old else 0),
        )
    return found


FOLDS: dict[str, Callable[[Scene, Graph], Scene]] = {"scope": _scope, "superseded": _superseded}
