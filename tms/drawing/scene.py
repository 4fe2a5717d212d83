"""From a graph to nodes and arrows: how each node stands, which of its citations are met, what is not drawn."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from tms.drawing.choose import neighbours
from tms.drawing.parts import DrawnEdge, DrawnNode
from tms.drawing.style import tone_of
from tms.graph import Graph, NodeView
from tms.status import citation, met, set_holds

Key = tuple[str, str, str]  # source, target, kind


class Scene(NamedTuple):
    """The nodes by id and the arrows by their ends and kind."""

    nodes: dict[str, DrawnNode]
    edges: dict[Key, DrawnEdge]

    def add(self, edge: DrawnEdge) -> None:
        """One arrow more, where both of its ends are drawn."""
        if edge.source in self.nodes and edge.target in self.nodes:
            self.edges[edge.source, edge.target, edge.kind] = edge


def scene(graph: Graph, ids: Collection[str], focus: Collection[str] = ()) -> Scene:
    """The chosen nodes of one graph, with the arrows between them; ids that it does not know are left out."""
    found = Scene({}, {})
    absent = set(graph.missing())
    for name in sorted(ids):
        if name in graph:
            found.nodes[name] = _drawn(graph, name, ids, name in focus)
        elif name in absent:
            found.nodes[name] = DrawnNode(id=name, kind="missing", status="missing", tone="fell", focus=name in focus)
    for name in sorted(ids):
        if name in graph:
            _draw_grounds(found, graph, graph.node(name))
            for edge in _relations(graph, graph.node(name)):
                found.add(edge)
    return found


def _drawn(graph: Graph, name: str, ids: Collection[str], focus: bool) -> DrawnNode:
    node, status = graph.node(name), graph.status(name)
    up, down = neighbours(graph, name)
    return DrawnNode(
        id=name,
        kind=status.kind,
        status=status.status,
        state=status.state,
        flags=status.flags,
        text=node.text or str(node.fields.get("choice") or node.fields.get("action") or ""),
        scope=_scope(graph, node),
        tone=tone_of(status.kind, status.status),
        focus=focus,
        hidden_up=len(up.difference(ids)),
        hidden_down=len(down.difference(ids)),
    )


def _scope(graph: Graph, node: NodeView) -> tuple[str, ...]:
    """The scope of a node; an alternative has that of its decision."""
    decision = node.id.partition("/")[0]
    return graph.node(decision).scope if node.kind == "alternative" and decision in graph else node.scope


def _draw_grounds(found: Scene, graph: Graph, node: NodeView) -> None:
    """The support sets of a node: an arrow for a set of one, a junction for a set of several, or of none."""
    number = graph.number(node.id)
    kind = "because" if node.kind in ("alternative", "hypothesis") else "supports"
    for members in node.supports:
        holds = set_holds(graph.compiled, number, members)
        if len(members) == 1:
            found.add(DrawnEdge(source=members[0], target=node.id, kind=kind, met=holds))
        elif not members:
            if len(node.supports) > 1:
                _junction(found, graph, f"{node.id}: own authority", "own", node, holds, kind)
        elif drawn := [name for name in members if name in found.nodes]:
            key = f"{node.id}: {' & '.join(members)}"
            _junction(found, graph, key, "and", node, holds, kind, hidden=len(members) - len(drawn))
            for name in drawn:
                found.add(DrawnEdge(source=name, target=key, kind="member", met=is_met(graph, number, name)))


def _junction(
    found: Scene, graph: Graph, key: str, kind: str, node: NodeView, holds: bool, relation: str, *, hidden: int = 0
) -> None:
    status = "holds" if holds else "fell"
    found.nodes[key] = DrawnNode(
        id=key, kind=kind, status=status, tone=status, scope=_scope(graph, node), hidden_up=hidden
    )
    found.add(DrawnEdge(source=key, target=node.id, kind=relation, met=holds))


def is_met(graph: Graph, citing: int, name: str) -> bool:
    """Whether the citation of a name by a node is met, as the engine says it."""
    return met(graph.compiled, citation(graph.compiled, citing, name))


def _relations(graph: Graph, node: NodeView) -> Iterator[DrawnEdge]:
    """The arrows of a node that are no grounds; an answer and a supersession come from the node that makes them."""
    number = graph.number(node.id)
    for name in node.depends_on:
        yield DrawnEdge(source=name, target=node.id, kind="requires", met=is_met(graph, number, name))
    for name in node.members:
        yield DrawnEdge(source=name, target=node.id, kind="conflict", met=is_met(graph, number, name))
    for name in node.answered_by:
        yield DrawnEdge(source=name, target=node.id, kind="answers", met=is_met(graph, number, name))
    for name, reason in node.supersedes:
        yield DrawnEdge(source=node.id, target=name, kind="supersedes", note=reason)
    for name, reason in node.would_supersede:
        yield DrawnEdge(source=node.id, target=name, kind="would_supersede", note=reason)
    for name in node.alternatives:
        yield DrawnEdge(source=node.id, target=name, kind="option")
