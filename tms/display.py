"""How values look in a notebook: small tables and lines of HTML, every text escaped, a mark beside each status.

Nothing of IPython is needed: Jupyter and marimo ask a value for `_repr_html_`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from tms.drawing.style import TONES, tone_of

if TYPE_CHECKING:
    from tms.explain import Why
    from tms.graph import NodeView
    from tms.status import Status

SHOWN = 50  # rows of a table
_LEFT = "text-align:left"


def status_html(word: str, kind: str = "") -> str:
    """A status with its mark, that of the diagrams.

    >>> status_html("in"), status_html("disputed"), status_html("active", "hypothesis"), status_html("")
    ('✓ in', '⊘ disputed', '? active', '')
    """
    return f"{TONES[tone_of(kind, word)].mark} {escape(word)}" if word else ""


def code_html(text: str) -> str:
    """An id.

    >>> code_html("<d1>"), code_html("")
    ('<code>&lt;d1&gt;</code>', '')
    """
    return f"<code>{escape(text)}</code>" if text else ""


def html_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; the headers are text, the cells are HTML."""
    head = "".join(f'<th style="{_LEFT}">{escape(name)}</th>' for name in headers)
    cells = ("".join(f'<td style="{_LEFT}">{cell}</td>' for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def remarks_html(remarks: Iterable[str]) -> str:
    """What has to be known beside a table."""
    return "".join(f"<p><em>{escape(text)}</em></p>" for text in remarks)


def statuses_html(found: Sequence[Status]) -> str:
    """How some nodes stand: the first 50, and what blocks those that are blocked."""
    shown = found[:SHOWN]
    headers = ("id", "kind", "state", "status", "flags", "blocked by")
    left = [f"{len(found)} rows, {SHOWN} shown"] if len(found) > SHOWN else []
    return html_table(headers, map(_status_row, shown)) + remarks_html(left)


def _status_row(found: Status) -> tuple[str, ...]:
    blockers = "; ".join(f"{' → '.join(b.chain)} ({b.reason})" for b in found.blockers)
    texts = (found.kind, found.state)
    end = (", ".join(found.flags), blockers)
    return (code_html(found.id), *map(escape, texts), status_html(found.status, found.kind), *map(escape, end))


def node_html(node: NodeView) -> str:
    """A node as recorded: its words, then what is recorded of it, row by row."""
    said = f"{node.kind}, {node.state}" if node.state else node.kind
    texts = "".join(f"<p>{escape(text)}</p>" for text in (node.text, node.rationale) if text)
    rows = [(escape(name), escape(value)) for name, value in _recorded(node) if value]
    return f"<p>{code_html(node.id)} ({escape(said)})</p>{texts}" + (html_table(("", ""), rows) if rows else "")


def _recorded(node: NodeView) -> list[tuple[str, str]]:
    sets = [" and ".join(members) or "its own authority" for members in node.supports]
    pairs = (("supersedes", node.supersedes), ("superseded by", node.superseded_by))
    lists = ("depends_on", "members", "answers", "answered_by", "alternatives", "cited_by", "scope", "tag", "evidence")
    return [
        ("rests on", " or ".join(f"({s})" if len(sets) > 1 and " and " in s else s for s in sets)),
        *((title, ", ".join(f"{name} ({reason})" for name, reason in found)) for title, found in pairs),
        *((name.replace("_", " "), ", ".join(getattr(node, name))) for name in lists),
        *((name.replace("_", " "), str(value)) for name, value in node.fields.items()),
        ("lines", ", ".join(line.hash[:12] for line in node.lines)),
    ]


def why_html(found: Why) -> str:
    """A derivation: how the node stands, then its prose, a line a step."""
    from tms.explain import prose

    head = f"<p>{status_html(found.status.status, found.status.kind)}: {code_html(found.id)}</p>"
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in prose(found).splitlines()]
    missing = ", ".join(found.missing)
    return (
        head
        + "".join(f'<div style="margin-left:{depth * 0.75}em">{escape(line)}</div>' for depth, line in lines)
        + (remarks_html([f"not given, and what it would take: {missing}"]) if missing else "")
    )
