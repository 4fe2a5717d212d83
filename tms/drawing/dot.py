r"""A drawing as DOT text, pure and deterministic: no Graphviz is needed to write it.

Every text of a record goes through `quoted`. In a DOT string only the quote mark ends the string, but in a label
Graphviz also reads backslashes (`\N` is the node's name, `\l` ends a line) and HTML's entities; and a label that starts
with `<` is HTML only where it is not quoted. So everything is quoted, and those three characters are escaped.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from tms.drawing.parts import JUNCTIONS, Drawing, DrawnEdge, DrawnNode, LegendRow
from tms.drawing.style import CHANGES, EDGES, GREY, TONES
from tms.drawing.words import arrow_words, words
from tms.plain import one_line

_TOOLTIP = 1000

_SHAPES = {
    "claim": 'shape=box style="rounded,filled,{line}"',
    "decision": 'shape=box style="filled,{line}"',
    "question": 'shape=ellipse style="filled,{line}"',
    "alternative": 'shape=note style="filled,{line}"',
    "hypothesis": 'shape=cds style="filled,{line}" margin="0.25,0.12"',
    "nogood": 'shape=octagon style="filled,{line}"',
    "missing": 'shape=plaintext style="{line}"',
    "scope": 'shape=folder style="filled,{line}"',
    "and": 'shape=ellipse style="filled,{line}" {size}',
    "own": 'shape=ellipse style="filled,{line}" {size}',
}


def quoted(text: str) -> str:
    r"""A text as a DOT string: no character of it is read by Graphviz as anything but itself.

    >>> print(quoted("plain"), quoted("<b>not HTML</b>"), quoted("a:b::c"), quoted("end"))
    "plain" "<b>not HTML</b>" "a:b::c" "end"
    >>> print(quoted('" shape=box color=red] # "=12'))
    "\" shape=box color=red] # \"=12"
    >>> print(quoted("\\"), quoted("\\N and \\"))
    "\\" "\\N and \\"
    >>> print(quoted("&lt; stays &lt;"))
    "&amp;lt; stays &amp;lt;"
    >>> print(quoted("two\nlines\x00\u202e"))
    "two\nlines\\x00\\u202e"
    """
    lines = [one_line(line) for line in text.split("\n")]
    escaped = "\n".join(lines).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + escaped.replace("\n", "\\n") + '"'


LARGE = 1_000  # nodes and junctions from which on Graphviz is asked to hurry: fewer rounds, straight arrows
_HURRY = " nslimit=0.1 nslimit1=0.1 mclimit=0.01 searchsize=5 splines=line"


def dot(drawing: Drawing, *, numbered: bool = False) -> str:
    r"""The drawing as DOT text; `numbered` gives each node and arrow an `id` by its place, `n0` and `e0` the first.

    >>> from tms import Claim, Graph
    >>> from tms.drawing.model import drawing
    >>> print(dot(drawing(Graph.empty().apply(Claim(id="c1", text="it is fast", state="accepted")))))
    digraph ... {
    ...
      "c1" [shape=box ... label="✓ claim c1: in\nit is fast" ...];
    ...
    }
    """
    title = [drawing.title, *textwrap.wrap(drawing.subtitle, 100), *textwrap.wrap(drawing.note, 100)]
    hurry = _HURRY if len(drawing.nodes) > LARGE else ""
    lines = [
        f"digraph {quoted(drawing.title)} {{",
        f"  graph [rankdir=LR fontname={_FONT} fontsize=13 labelloc=t labeljust=l nodesep=0.18 ranksep=0.55{hurry}",
        f"         label={_left(title)}];",
        f'  node [fontname={_FONT} fontsize=11 margin="0.12,0.06"];',
        f"  edge [fontname={_FONT} fontsize=9 arrowsize=0.7];",
        "  subgraph cluster_all {",  # its label is the legend: no node, so that it moves none
        f"  graph [labelloc=b pencolor=none fontsize=10 label={_legend(drawing.legend)}];",
    ]
    number = {node.id: f' id="n{place}"' if numbered else "" for place, node in enumerate(drawing.nodes)}
    nodes = {node.id: _node(node, number[node.id]) for node in drawing.nodes}
    for place, group in enumerate(drawing.groups, 1):
        look = 'labelloc=t style=rounded pencolor="#b0b0b0" fontsize=12 margin=10'
        lines += [f"  subgraph cluster_{place} {{", f"    graph [label={quoted(group.name)} {look}];"]
        lines += [f"    {nodes.pop(name)}" for name in group.nodes]
        lines.append("  }")
    lines += [*(f"  {node}" for node in nodes.values()), "  }"]
    for place, edge in enumerate(drawing.edges):
        name = f' id="e{place}"' if numbered else ""
        lines.append(f"  {_edge(edge, name)}")
    lines += [f"  {' -> '.join(map(quoted, row))} [style=invis];" for row in _rows(drawing)]
    return "\n".join([*lines, "}"]) + "\n"


def _rows(drawing: Drawing) -> Iterator[list[str]]:
    """Rows of nodes without any arrow, which would else stand in one long column; group by group."""
    tied = {name for edge in drawing.edges for name in (edge.source, edge.target)}
    grouped = [group.nodes for group in drawing.groups]
    inside = {name for names in grouped for name in names}
    for names in (*grouped, [node.id for node in drawing.nodes if node.id not in inside]):
        loose = [name for name in names if name not in tied]
        across = round((len(loose) / 4) ** 0.5)  # a box is about four times as wide as it is high
        if across > 1:
            yield from (loose[start : start + across] for start in range(0, len(loose), across))


_FONT = '"Helvetica,Arial,DejaVu Sans,sans-serif"'


def _left(lines: Iterable[str]) -> str:
    """A text of several lines, set to the left."""
    return '"' + "".join(quoted(line)[1:-1] + "\\l" for line in lines if line) + '"'


# -- nodes ------------------------------------------------------------------------------------------------------


def _node(node: DrawnNode, name: str) -> str:
    label = words(node)
    size = f"width={0.28 if len(label) == 1 else 0.5} height=0.28 fixedsize=true fontsize=10"
    shape = _SHAPES[node.kind].format(line=_border(node), size=size)
    tooltip = f"{node.id}: {one_line(node.text, _TOOLTIP)}" if node.text else node.id
    return f"{quoted(node.id)} [{shape}{_colours(node)} label={quoted(label)} tooltip={quoted(tooltip)}{name}];"


def _border(node: DrawnNode) -> str:
    line = TONES[node.tone].border
    if node.change in CHANGES:
        line = CHANGES[node.change].line or line
    return "solid" if line == "double" else line


def _colours(node: DrawnNode) -> str:
    tone = TONES[node.tone]
    line, fill, ink = GREY if node.change == "context" else (tone.line, tone.fill, "#000000")
    width = CHANGES[node.change].width if node.change else 3.0 if node.focus else 1.2
    rings = " peripheries=2" if tone.border == "double" else ""
    fill = "#ffffff" if node.kind in JUNCTIONS else fill
    return f' color="{line}" fillcolor="{fill}" fontcolor="{ink}" penwidth={width}{rings}'


# -- arrows -----------------------------------------------------------------------------------------------------


def _edge(edge: DrawnEdge, name: str) -> str:
    look = EDGES[edge.kind]
    line, color, width = look.line if edge.met else "dashed", look.color, look.width
    if edge.change:
        change = CHANGES[edge.change]
        color = GREY[0] if edge.change == "context" else color
        line, width = change.line or line, change.width if edge.change == "context" else width + 1
    head = look.head if edge.met else _crossed(look.head)
    label = arrow_words(edge)
    said = f" label={quoted(label)}" if label else ""
    return (
        f"{quoted(edge.source)} -> {quoted(edge.target)} "
        f'[style={line} arrowhead={head} color="{color}" penwidth={width}{said}{name}];'
    )


def _crossed(head: str) -> str:
    """The head of an arrow whose citation is not met: two bars across the line."""
    return f"{head}teetee" if head != "none" else "noneteetee"


# -- the legend -------------------------------------------------------------------------------------------------


def _legend(rows: Sequence[LegendRow]) -> str:
    """A table below the drawing, a column for each sort of row. HTML, for which no text of a record is ever used."""
    columns = [[row for row in rows if row.of == of] for of in ("node", "tone", "edge", "change")]
    columns = [column for column in columns if column]
    lines = []
    for across in zip_longest(*columns):
        cells = "".join(_cells(row) if row else "<TD></TD><TD></TD>" for row in across)
        lines.append(f"<TR>{cells}</TR>")
    return f'<<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2" CELLPADDING="2">{"".join(lines)}</TABLE>>'


def _cells(row: LegendRow) -> str:
    text = f'<TD ALIGN="LEFT">{html.escape(row.text)}&nbsp;&nbsp;</TD>'
    sign = html.escape(row.sign or "grey")
    if row.of == "tone":
        tone = TONES[row.key]
        style = "solid" if tone.border == "double" else tone.border
        look = f'BORDER="1" STYLE="rounded,{style}" COLOR="{tone.line}" BGCOLOR="{tone.fill}"'
        return f"<TD {look}>{sign}</TD>{text}"
    if row.of == "edge" and row.key in EDGES:
        return f'<TD ALIGN="LEFT"><FONT COLOR="{EDGES[row.key].color}">{sign}</FONT></TD>{text}'
    return f'<TD ALIGN="LEFT">{sign}</TD>{text}'
