"""The formats by name: what `tms export --format` takes."""

from __future__ import annotations

from collections.abc import Callable

from tms.drawing.dot import dot
from tms.drawing.jsongraph import json_graph
from tms.drawing.mermaid import mermaid
from tms.drawing.parts import Drawing
from tms.drawing.render import FORMATS as PICTURES
from tms.drawing.render import render
from tms.drawing.xmlgraph import gexf, graphml

TEXTS: dict[str, Callable[[Drawing], str]] = {
    "dot": dot,
    "mermaid": mermaid,
    "graphml": graphml,
    "gexf": gexf,
    "json": json_graph,
}


def written(drawing: Drawing, form: str) -> bytes:
    """The drawing in one of the formats of `TEXTS` or as a picture. Raises `UsageError` where that cannot be.

    >>> from tms import Claim, Graph
    >>> from tms.drawing.model import drawing
    >>> found = drawing(Graph.empty().apply(Claim(id="c1", state="accepted")), title="one")
    >>> {form: written(found, form)[:13] for form in ("dot", "json", "svg")}
    {'dot': b'digraph "one"', 'json': b'{"format":"tm', 'svg': b'<svg role="im'}
    """
    return render(dot(drawing), form) if form in PICTURES else TEXTS[form](drawing).encode()
