"""How things look, in one place: shapes by kind; mark, border and colour by status; lines by relation and change.

Status is told by words, a mark and the border first; the colour comes last. The colours are those of Okabe and Ito
(Color Universal Design, 2008), lightened for what lies under text; in grey all that they say is still there.
"""

from __future__ import annotations

from typing import NamedTuple


class Tone(NamedTuple):
    """How a status looks: a mark, a border (a line style), a line colour, a fill, and what the tone is called."""

    mark: str
    border: str
    line: str
    fill: str
    means: str


TONES = {
    "holds": Tone("✓", "solid", "#005a8c", "#e3f1fa", "holds"),
    "fell": Tone("✗", "dashed", "#a03c00", "#fbe6d9", "fell"),
    "withdrawn": Tone("⊘", "dotted", "#a03c00", "#ffffff", "not given"),
    "open": Tone("?", "dotted", "#4d4d4d", "#fdf6cf", "open"),
    "conflict": Tone("!", "double", "#8c3a6b", "#f7e4ef", "conflict"),
    "quiet": Tone("·", "solid", "#8c8c8c", "#f2f2f2", "no longer counts"),
}

_TONE_OF = {
    "holds": "in active resolved ruled-out falsified",
    "fell": "unsupported blocked circular missing",
    "withdrawn": "disputed rejected revoked",
    "open": "unassessed proposed open reopened untested unknown",
    "conflict": "violated contested clash",
    "quiet": "retired dormant",
}
_TONES = {status: tone for tone, words in _TONE_OF.items() for status in words.split()}
WORST_FIRST = ("conflict", "fell", "withdrawn", "open", "holds", "quiet")


def tone_of(kind: str, status: str) -> str:
    """The tone of a status.

    >>> tone_of("decision", "active"), tone_of("hypothesis", "active"), tone_of("claim", "disputed")
    ('holds', 'open', 'withdrawn')
    """
    return "open" if (kind, status) == ("hypothesis", "active") else _TONES.get(status, "open")


# What a shape is called in the legend, and what it stands for.
KINDS = {
    "claim": ("rounded box", "claim"),
    "decision": ("box", "decision"),
    "question": ("ellipse", "question"),
    "alternative": ("dog-eared box", "alternative; holds while its rejection does"),
    "hypothesis": ("pointed box", "hypothesis; holds while its falsification does"),
    "nogood": ("octagon", "nogood: not all of its members can hold"),
    "missing": ("no box", "referred to, never recorded"),
    "scope": ("folder", "a scope, folded into one node"),
    "and": ("&", "support set: all members are needed (AND)"),
    "own": ("1", "own authority, beside other grounds"),
}


class EdgeLook(NamedTuple):
    """How a relation looks: a sign for texts, line style, head, width, colour, and what it means."""

    sign: str
    line: str
    head: str
    width: float
    color: str
    means: str


EDGES = {
    "supports": EdgeLook("──▶", "solid", "normal", 1.2, "#222222", "supports: one of the support sets (OR)"),
    "member": EdgeLook("───", "solid", "none", 1.2, "#222222", "member of a support set (AND)"),
    "requires": EdgeLook("━━■", "bold", "box", 2.4, "#005a8c", "prerequisite: each is required"),
    "because": EdgeLook("──┤", "solid", "tee", 1.2, "#8c3a6b", "ground of a rejection or falsification"),
    "answers": EdgeLook("──>", "solid", "vee", 1.0, "#00664d", "answers"),
    "supersedes": EdgeLook("──▷", "solid", "onormal", 1.0, "#6e6e6e", "supersedes"),
    "would_supersede": EdgeLook("┄┄▷", "dotted", "onormal", 1.0, "#6e6e6e", "would supersede, once that is said"),
    "conflict": EdgeLook("──◆", "solid", "diamond", 1.0, "#8c3a6b", "member of a nogood"),
    "option": EdgeLook("┄┄○", "dotted", "odot", 1.0, "#6e6e6e", "alternative of the decision"),
    "leads": EdgeLook("──▶", "solid", "normal", 1.6, "#222222", "bears on, with how many arrows"),
}
UNMET = ("╌╫▶", "not met")


class ChangeLook(NamedTuple):
    """How a difference looks: a sign, a width, a line style ("": that of the status), and what it means."""

    sign: str
    width: float
    line: str
    means: str


CHANGES = {
    "added": ChangeLook("+", 2.5, "", "added"),
    "removed": ChangeLook("-", 2.5, "dotted", "removed"),
    "changed": ChangeLook("Δ", 3.5, "", "status changed by a line or an assumption about it"),
    "consequence": ChangeLook("↳", 2.5, "", "status changed by consequence"),
    "lost": ChangeLook("✗", 2.2, "", "no longer met"),
    "regained": ChangeLook("✓", 2.2, "", "met again"),
    "context": ChangeLook("", 0.8, "", "unchanged"),
}
GREY = ("#9a9a9a", "#fafafa", "#6e6e6e")  # line, fill and text of what did not change
