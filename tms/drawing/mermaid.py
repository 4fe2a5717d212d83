r"""A drawing as Mermaid text, for pages that show it without any program of ours, such as GitHub's.

Nodes have names of our own (`n1`, `n2`, ...). Every text of a record goes through `quoted`: all but letters, digits and
a few harmless signs becomes a character code, so that no text can end a string, open a tag, a comment (`%%`), a
directive or a link.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator

from tms.drawing.parts import JUNCTIONS, Drawing, DrawnEdge, DrawnNode, LegendRow
from tms.drawing.style import CHANGES, EDGES, GREY, TONES
from tms.drawing.words import arrow_words, paragraphs
from tms.errors import UsageError
from tms.plain import one_line

MAX_TEXT, MAX_EDGES = 50_000, 500  # above it Mermaid, as GitHub has it set up, shows an error instead of a picture

_SHAPES = {
    "claim": "({})",
    "decision": "[{}]",
    "question": "([{}])",
    "alternative": ">{}]",
    "hypothesis": "[/{}/]",
    "nogood": "{{{{{}}}}}",
    "missing": "[{}]",
    "scope": "[[{}]]",
    "and": "(({}))",
    "own": "(({}))",
}
_LINES = {"requires": "==>", "member": "---", "conflict": "--o", "option": "-.-", "would_supersede": "-.->"}
_UNMET = "-.-x"
_WORDS = {
    "requires": "requires",
    "because": "against",
    "answers": "answers",
    "supersedes": "supersedes",
    "would_supersede": "would supersede",
    "conflict": "conflict",
    "option": "alternative",
}
_NOT_HARMLESS = re.compile(r"[^\w ,.!?()/+→✓✗⊘…Δ↳-]|\.(?= )|^[-+*]")


def quoted(text: str) -> str:
    r"""A text as a Mermaid string.

    >>> print(quoted("plain"), quoted("end"), quoted("two\nlines"))
    "plain" "end" "two<br/>lines"
    >>> print(quoted("<lambda> <map>"))
    "#60;lambda#62; #60;map#62;"
    >>> print(quoted('" shape=box] # "=12'))
    "#34; shape#61;box#93; #35; #34;#61;12"
    >>> print(quoted("%%{init}%%"), quoted('click B "javascript:x"'))
    "#37;#37;#123;init#125;#37;#37;" "click B #34;javascript#58;x#34;"
    >>> print(quoted("\\ `code` 1. list"))
    "#92;#8203; #96;code#96; 1#46; list"
    """
    lines = [_NOT_HARMLESS.sub(_coded, one_line(line)) for line in text.split("\n")]
    return f'"{"<br/>".join(lines)}"'


def _coded(found: re.Match[str]) -> str:
    r"""A character as its code, with an invisible space where Mermaid would read on: `$$` is a formula, `\n` a line."""
    return f"#{ord(found[0])};" + ("#8203;" if found[0] in "$\\" else "")


def mermaid(drawing: Drawing) -> str:
    """The drawing as a Mermaid flowchart. Raises `UsageError` where it is too large to be shown.

    >>> from tms import Claim, Graph
    >>> from tms.drawing.model import drawing
    >>> print(mermaid(drawing(Graph.empty().apply(Claim(id="c1", text="it is fast", state="accepted")))))
    ---
    title: "a ledger in memory; now, nothing assumed"
    ---
    flowchart LR
      n1("✓ claim c1#58; in<br/>it is fast"):::holds
      ...
    """
    names = {node.id: f"n{number}" for number, node in enumerate(drawing.nodes, 1)}
    lines = ["---", f"title: {_title(drawing)}", "---", "flowchart LR", *_nodes(drawing, names)]
    lines += [f"  {_edge(edge, names)}" for edge in drawing.edges]
    lines += [f"  {line}" for line in (*_legend(drawing), *_classes(drawing), *_line_colours(drawing))]
    text = "\n".join(lines) + "\n"
    if len(text) > MAX_TEXT or len(drawing.edges) > MAX_EDGES:
        raise _too_large(drawing, len(text))
    return text


def _title(drawing: Drawing) -> str:
    """The title as a YAML string, which a JSON string is."""
    parts = (drawing.title, drawing.subtitle, drawing.note)
    return json.dumps("; ".join(one_line(part) for part in parts if part), ensure_ascii=False).replace("%", r"\u0025")


def _too_large(drawing: Drawing, size: int) -> UsageError:
    busiest: dict[str, int] = defaultdict(int)
    for edge in drawing.edges:
        busiest[edge.source] += 1
        busiest[edge.target] += 1
    kinds = {node.id: node.kind for node in drawing.nodes}
    root = min((n for n in kinds if kinds[n] not in JUNCTIONS), key=lambda n: (-busiest[n], n))
    return UsageError(
        f"Mermaid shows at most {MAX_TEXT} characters and {MAX_EDGES} arrows; "
        f"this drawing has {size} and {len(drawing.edges)}",
        code="mermaid",
        hint=f"draw less: --focus {root} --up 1 --down 1, or --fold scope; svg and html have no such limit",
    )


def _nodes(drawing: Drawing, names: dict[str, str]) -> Iterator[str]:
    nodes = {node.id: node for node in drawing.nodes}
    for number, group in enumerate(drawing.groups, 1):
        yield f"  subgraph g{number} [{quoted(group.name)}]"
        for name in group.nodes:
            yield f"    {_node(nodes.pop(name), names)}"
        yield "  end"
    for node in nodes.values():
        yield f"  {_node(node, names)}"


def _node(node: DrawnNode, names: dict[str, str]) -> str:
    text = quoted("\n".join(paragraphs(node)))
    return f"{names[node.id]}{_SHAPES[node.kind].format(text)}:::{_class(node)}"


def _class(node: DrawnNode) -> str:
    return f"{node.tone}_{node.change}" if node.change else f"{node.tone}_focus" if node.focus else node.tone


def _edge(edge: DrawnEdge, names: dict[str, str]) -> str:
    line = _LINES.get(edge.kind, "-->") if edge.met else _UNMET
    said = " ".join(part for part in (_WORDS.get(edge.kind, ""), arrow_words(edge)) if part)
    label = f"|{quoted(said)}|" if said else ""
    return f"{names[edge.source]} {line}{label} {names[edge.target]}"


def _legend(drawing: Drawing) -> Iterator[str]:
    for number, _ in enumerate(drawing.groups, 1):
        yield f"style g{number} fill:#ffffff,stroke:#b0b0b0"
    rows = [row for row in drawing.legend if row.of in ("tone", "change") or row.key in ("and", "own", "unmet")]
    if rows:
        yield f"legend[{quoted(_plain(rows))}]:::legend"


def _plain(rows: list[LegendRow]) -> str:
    return "\n".join(["Legend", *(f"{_sign(row)}: {row.text}" for row in rows)])


def _sign(row: LegendRow) -> str:
    return "- - x" if row.key == "unmet" else row.sign or "grey"


def _classes(drawing: Drawing) -> Iterator[str]:
    for node in sorted({_class(node): node for node in drawing.nodes}.items()):
        yield f"classDef {node[0]} {_look(node[1])}"
    yield "classDef legend fill:#ffffff,stroke:#b0b0b0,color:#000000,text-align:left"


def _look(node: DrawnNode) -> str:
    tone = TONES[node.tone]
    line, fill, ink = GREY if node.change == "context" else (tone.line, tone.fill, "#000000")
    width = CHANGES[node.change].width if node.change else 3 if node.focus or tone.border == "double" else 1.2
    border = (CHANGES[node.change].line if node.change else "") or tone.border
    dashes = {"dashed": ",stroke-dasharray:6 4", "dotted": ",stroke-dasharray:2 3"}.get(border, "")
    return f"fill:{fill},stroke:{line},color:{ink},stroke-width:{width}px{dashes}"


def _line_colours(drawing: Drawing) -> Iterator[str]:
    """One line for each colour: Mermaid counts the arrows as they come."""
    coloured: dict[str, list[int]] = defaultdict(list)
    for number, edge in enumerate(drawing.edges):
        coloured[GREY[0] if edge.change == "context" else EDGES[edge.kind].color].append(number)
    for colour, numbers in sorted(coloured.items()):
        yield f"linkStyle {','.join(map(str, numbers))} stroke:{colour}"
