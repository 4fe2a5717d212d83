"""A drawing as GraphML or GEXF, for yEd, Gephi and the like; networkx writes both."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tms.drawing.parts import Drawing
from tms.plain import safe


def told(value: Any) -> Any:
    r"""A value as an attribute: numbers as they are, text without what XML cannot hold; networkx escapes the rest.

    >>> told("<a> & \x00\ufffe"), told(("a", "b")), told(True), told(3)
    ('<a> & \\x00', 'a b', True, 3)
    """
    if isinstance(value, bool | int):
        return value
    text = " ".join(value) if isinstance(value, tuple) else str(value)
    return re.sub("[\ufffe\uffff]", "", safe(text).replace("\r", " "))


def graphml(drawing: Drawing) -> str:
    """The drawing as GraphML.

    >>> from tms import Claim, Graph
    >>> from tms.drawing.model import drawing
    >>> text = graphml(drawing(Graph.empty().apply(Claim(id="c1", state="accepted"))))
    >>> import networkx
    >>> networkx.parse_graphml(text, force_multigraph=True).nodes["c1"]["status"]
    'in'
    """
    import networkx

    return "\n".join(networkx.generate_graphml(_graph(drawing))) + "\n"


def gexf(drawing: Drawing) -> str:
    """The drawing as GEXF 1.2, without the date of writing."""
    import networkx

    text = "\n".join(networkx.generate_gexf(_graph(drawing)))
    return re.sub(r"\n? *<meta .*?</meta>", "", text, count=1, flags=re.DOTALL) + "\n"


def _graph(drawing: Drawing) -> Any:
    import networkx

    graph = networkx.MultiDiGraph(title=told(drawing.title), subtitle=told(drawing.subtitle), note=told(drawing.note))
    for node in drawing.nodes:
        fields = {name: told(value) for name, value in msgspec.structs.asdict(node).items() if name != "id"}
        graph.add_node(told(node.id), label=told(node.id), **fields)
    for edge in drawing.edges:
        fields = {name: told(value) for name, value in msgspec.structs.asdict(edge).items()}
        source, target, relation = fields.pop("source"), fields.pop("target"), fields.pop("kind")
        graph.add_edge(source, target, key=relation, relation=relation, **fields)
    return graph
