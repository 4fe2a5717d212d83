"""A drawing as JSON: all that the other formats are made of, texts whole and as recorded."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from tms.drawing.parts import Drawing

FORMAT = "tms.drawing/1"
# JSON lets these stand; a page, a terminal or an old reader of JavaScript may not.
_AWKWARD = re.compile("[<>&\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escaped(value: Any) -> str:
    r"""A value as JSON text that may also stand inside a `script` element.

    >>> print(escaped({"a": '</script><!-- & "\u2028'}))
    {"a":"\u003c/script\u003e\u003c!-- \u0026 \"\u2028"}
    >>> print(escaped(["\x1b[31m", "\\", "\u202e"]))
    ["\u001b[31m","\\","\u202e"]
    """
    text = msgspec.json.encode(value, order="deterministic").decode()
    return _AWKWARD.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def json_graph(drawing: Drawing) -> str:
    """The drawing as one JSON document, a part on each line.

    >>> from tms import Claim, Graph
    >>> from tms.drawing.model import drawing
    >>> import json
    >>> found = json.loads(json_graph(drawing(Graph.empty().apply(Claim(id="c1", state="accepted")))))
    >>> found["format"], found["nodes"][0]["id"], found["nodes"][0]["status"]
    ('tms.drawing/1', 'c1', 'in')
    """
    lines = [f'{{"format":{escaped(FORMAT)},']
    for name in ("title", "subtitle", "note"):
        lines.append(f'"{name}":{escaped(getattr(drawing, name))},')
    for name in ("nodes", "edges", "groups", "legend"):
        parts = ",\n".join(f" {escaped(part)}" for part in getattr(drawing, name))
        lines.append(f'"{name}":[\n{parts}],' if parts else f'"{name}":[],')
    return "\n".join(lines).removesuffix(",") + "}\n"
