"""Two scenes in one: what was added, removed, changed by a line or an assumption, or changed by consequence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec.structs import replace

from tms.consequences import changed
from tms.drawing.parts import JUNCTIONS, DrawnEdge, DrawnNode
from tms.drawing.scene import Scene
from tms.graph import Graph


def compared(after: Scene, before: Scene, graph: Graph, versus: Graph) -> Scene:
    """Everything of both scenes, as it is after, each part with its change."""
    own = _changed_themselves(graph, versus)
    nodes = {name: replace(node, change="removed") for name, node in before.nodes.items()}
    for name, node in after.nodes.items():
        nodes[name] = _node(node, before.nodes[name], own) if name in before.nodes else replace(node, change="added")
    edges = {key: replace(edge, change="removed") for key, edge in before.edges.items()}
    for key, edge in after.edges.items():
        edges[key] = _edge(edge, before.edges[key]) if key in before.edges else replace(edge, change="added")
    return Scene(nodes, edges)


def _changed_themselves(graph: Graph, versus: Graph) -> set[str]:
    """The nodes that a line or an assumption is about, in one of the two graphs only."""
    assumed = {name for _, name in set(graph.changes) ^ set(versus.changes)}
    return assumed | {d.id for d in changed(versus, graph) if d.lines}


def _node(new: DrawnNode, old: DrawnNode, own: set[str]) -> DrawnNode:
    if new.status == old.status:
        return replace(new, change="context")
    return replace(new, before=old.status, change="changed" if new.id in own else "consequence")


def _edge(new: DrawnEdge, old: DrawnEdge) -> DrawnEdge:
    if new.met == old.met:
        return replace(new, change="context")
    return replace(new, change="regained" if new.met else "lost")


def counted(nodes: Iterable[DrawnNode]) -> str:
    """The caption of a difference, in numbers.

    >>> counted([DrawnNode(id="c1", kind="claim", change="changed"), DrawnNode(id="d1", kind="decision")])
    ''
    >>> counted([DrawnNode(id="c1", kind="claim", change="changed"),
    ...     DrawnNode(id="d1", kind="decision", change="consequence")])
    '0 added, 0 removed, 1 changed, 1 changed by consequence, 0 unchanged'
    """
    found = [node.change for node in nodes if node.kind not in JUNCTIONS]
    if not all(found):
        return ""
    counts = Counter(found)
    return ", ".join(f"{counts[change]} {said}" for change, said in _SAID.items())


_SAID = {
    "added": "added",
    "removed": "removed",
    "changed": "changed",
    "consequence": "changed by consequence",
    "context": "unchanged",
}
