"""What stands in a node and at an arrow, the same in every format: words first, then marks; nothing is escaped yet."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from tms.drawing.parts import JUNCTIONS, DrawnEdge, DrawnNode
from tms.drawing.style import CHANGES, KINDS, TONES
from tms.plain import one_line

WIDTH, LINES = 30, 4  # of the words in a node; data formats have the whole text


def words(node: DrawnNode) -> str:
    """What stands in a node: mark, id, status; its words; flags; what is not drawn.

    >>> print(words(DrawnNode(id="d1", kind="decision", status="active", tone="holds", text="use it",
    ...     flags=("degraded",), hidden_up=2)))
    ✓ decision d1: active
    use it
    [degraded]
    rests on 2 not drawn
    """
    head, *rest = paragraphs(node)
    return "\n".join([head, *(line for text in rest for line in textwrap.wrap(text, WIDTH))])


def paragraphs(node: DrawnNode) -> list[str]:
    """The same without line breaks inside, for a format that breaks lines itself."""
    if node.kind in JUNCTIONS:
        return [KINDS[node.kind][0] + (f"+{node.hidden_up}" if node.hidden_up else "")]
    status = f"{node.before} → {node.status}" if node.before else node.status
    sign = CHANGES[node.change].sign if node.change else ""
    kind = "" if node.kind in ("missing", "scope") else f"{node.kind} "
    head = " ".join(part for part in (sign, TONES[node.tone].mark, f"{kind}{one_line(node.id, 60)}: {status}") if part)
    text = " ".join(textwrap.wrap(one_line(node.text), WIDTH, max_lines=LINES, placeholder=" …"))
    flags = f"[{', '.join(node.flags)}]" if node.flags else ""
    replaces = f"replaces {one_line(', '.join(node.replaces), 2 * WIDTH)}" if node.replaces else ""
    return [line for line in (head, text, flags, replaces, *_hidden(node)) if line]


def _hidden(node: DrawnNode) -> Iterator[str]:
    if node.hidden_up:
        yield f"rests on {node.hidden_up} not drawn"
    if node.hidden_down:
        yield f"{node.hidden_down} not drawn rest on it"


def arrow_words(edge: DrawnEdge) -> str:
    """What stands at an arrow: the sign of its change, the reason of a supersession, how many were folded."""
    sign = CHANGES[edge.change].sign if edge.change else ""
    count = f"{edge.count}" if edge.count > 1 else ""
    return " ".join(part for part in (sign, edge.note, count) if part)
