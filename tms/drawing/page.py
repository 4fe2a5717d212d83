"""The review page: one HTML file with picture, data and a little script; nothing is loaded from anywhere.

Every text of a record stands in the page either as XML text that Graphviz escaped or inside one JSON document, whose
`<` are escaped; the script puts it into the page as text only. A policy in the page allows the page's own script, by
its hash, and no other.
"""

from __future__ import annotations

import base64
import hashlib
import html
from importlib.resources import files

from tms.drawing.dot import dot
from tms.drawing.jsongraph import escaped
from tms.drawing.parts import Drawing
from tms.drawing.render import render
from tms.drawing.whatif import Detail, details
from tms.graph import Graph
from tms.plain import one_line


def page(graph: Graph, drawing: Drawing) -> str:
    """The drawing of a graph as a review page. Raises `UsageError` where there is no Graphviz."""
    svg = render(dot(drawing, numbered=True), "svg").decode()
    return bound(drawing, details(graph, drawing), svg)


def bound(drawing: Drawing, answers: tuple[Detail, ...], svg: str) -> str:
    """The page with its parts in place, none of which is looked at again once it stands there.

    >>> from tms import Claim, Graph
    >>> from tms.drawing.model import drawing
    >>> told = bound(drawing(Graph.empty().apply(Claim(id="c1", text="</script>"))), (), "<svg/>")
    >>> told.count("</script>"), "</script>" in told
    (2, True)
    """
    style, script = _asset("page.css"), _asset("page.js")
    parts = {
        "TITLE": attribute(drawing.title),
        "POLICY": attribute(_policy(script)),
        "STYLE": style,
        "PICTURE": svg,
        "DATA": escaped({"drawing": drawing, "details": answers}),
        "SCRIPT": script,
    }
    pieces = _asset("page.html").split("%%")
    return "".join(parts[piece] if place % 2 else piece for place, piece in enumerate(pieces))


def attribute(text: str) -> str:
    """A text as HTML, in an element or a quoted attribute.

    >>> attribute('<b> "a" & \\x00')
    '&lt;b&gt; &quot;a&quot; &amp; \\\\x00'
    """
    return html.escape(one_line(text))


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"


def _asset(name: str) -> str:
    return files("tms.drawing").joinpath(name).read_text("utf-8")
