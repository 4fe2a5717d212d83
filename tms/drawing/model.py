"""`drawing`: from a graph to the one neutral value that every format is made of."""

from __future__ import annotations

from collections.abc import Sequence

from tms.drawing.choose import choose
from tms.drawing.fold import folded
from tms.drawing.parts import JUNCTIONS, Drawing, DrawnEdge, DrawnGroup, DrawnNode, LegendRow
from tms.drawing.scene import Scene, scene
from tms.drawing.style import CHANGES, EDGES, KINDS, TONES, UNMET
from tms.drawing.versus import compared, counted
from tms.graph import Graph


def drawing(
    graph: Graph,
    *,
    focus: Sequence[str] = (),
    up: int | None = None,
    down: int | None = None,
    only: Sequence[str] | None = None,
    fold: str | None = None,
    versus: Graph | None = None,
    title: str = "",
    point: str = "",
    since: str = "",
) -> Drawing:
    """A graph as a drawing: the whole, or what lies around `focus`, or `only` some nodes.

    `up` counts the steps from the focus towards what it rests on, `down` towards what rests on it; with one of them
    given the other is 0, with none as much is drawn as fits (about 200 nodes). `versus` is an earlier graph of the
    same ledger, or the one without the assumptions: the drawing is then of what differs. `fold` is `scope` or
    `superseded`. `point` and `since` name the points in time of the two graphs, for the subtitle. Raises `UnknownNode`
    and `UsageError`.

    >>> from tms import Claim, Decision
    >>> graph = Graph.empty().extend([Claim(id="c1", state="accepted"), Claim(id="c2", state="disputed"),
    ...     Decision(id="d1", choice="Postgres", supports=(("c1", "c2"), ("c1",)))])
    >>> found = drawing(graph)
    >>> [(node.id, node.status) for node in found.nodes]
    [('c1', 'in'), ('c2', 'disputed'), ('d1', 'active'), ('d1: c1 & c2', 'fell')]
    >>> [(edge.source, edge.kind, edge.target) for edge in found.edges if not edge.met]
    [('c2', 'member', 'd1: c1 & c2'), ('d1: c1 & c2', 'supports', 'd1')]
    """
    chosen = choose(graph, focus=focus, up=up, down=down, only=only, fold=fold, versus=versus)
    found = folded(scene(graph, chosen.ids, chosen.focus), fold, graph)
    if versus is not None:
        found = compared(found, folded(scene(versus, chosen.ids, chosen.focus), fold, versus), graph, versus)
    nodes = tuple(found.nodes[name] for name in sorted(found.nodes))
    edges = tuple(found.edges[key] for key in sorted(found.edges))
    note = " ".join(part for part in (_capital(counted(nodes)), chosen.note) if part)
    return Drawing(
        title=title or _ledger(graph),
        subtitle=_viewpoint(graph, point) + (f"; compared with: {_viewpoint(versus, since)}" if versus else ""),
        nodes=nodes,
        edges=edges,
        groups=_groups(found),
        legend=_legend(nodes, edges),
        note=note,
    )


def _capital(text: str) -> str:
    return f"{text}." if text else ""


def _ledger(graph: Graph) -> str:
    """The ledger's path as it was read; lines that were never read have none."""
    paths = sorted({line.path for line in graph.lines if line.path})
    return ", ".join(paths) if paths else "a ledger in memory"


def _viewpoint(graph: Graph, point: str) -> str:
    """Which point in time, under which assumptions."""
    newest = max((line.time for line in graph.lines), default="")
    when = f"as of {point}" if point else f"up to {newest}" if newest else "now"
    assumed = ", ".join(f"{verb} {name}" for verb, name in graph.changes)
    return f"{when}, assuming {assumed}" if assumed else f"{when}, nothing assumed"


def _groups(found: Scene) -> tuple[DrawnGroup, ...]:
    """A group for each scope, where there is more than one place to be; a node stands in its first scope."""
    inside: dict[str, list[str]] = {}
    for name in sorted(found.nodes):
        scope = found.nodes[name].scope
        inside.setdefault(scope[0] if scope else "", []).append(name)
    if len(inside) < 2:
        return ()
    return tuple(DrawnGroup(name=scope, nodes=tuple(names)) for scope, names in sorted(inside.items()) if scope)


def _legend(nodes: Sequence[DrawnNode], edges: Sequence[DrawnEdge]) -> tuple[LegendRow, ...]:
    """What occurs, in the order of the tables of style."""
    kinds = {node.kind for node in nodes}
    words: dict[str, set[str]] = {}
    for node in nodes:
        if node.kind not in (*JUNCTIONS, "scope"):
            words.setdefault(node.tone, set()).add(node.status)
    relations = {edge.kind for edge in edges}
    changes = {node.change for node in nodes} | {edge.change for edge in edges}
    rows = [LegendRow(of="node", key=key, sign=sign, text=text) for key, (sign, text) in KINDS.items() if key in kinds]
    for key, tone in TONES.items():
        if key in words:
            text = f"{tone.means}: {', '.join(sorted(words[key]))}"
            rows.append(LegendRow(of="tone", key=key, sign=tone.mark, text=text))
    for key, look in EDGES.items():
        if key in relations:
            rows.append(LegendRow(of="edge", key=key, sign=look.sign, text=look.means))
    if not all(edge.met for edge in edges):
        rows.append(LegendRow(of="edge", key="unmet", sign=UNMET[0], text=UNMET[1]))
    for key, change in CHANGES.items():
        if key in changes:
            rows.append(LegendRow(of="change", key=key, sign=change.sign, text=change.means))
    return tuple(rows)
