"""The glossary, as frozen types: what can be recorded, in the field's own words.

A **record** is one of the types below, from `Claim` to `Act`: five kinds of node and nine kinds of later line. Its JSON
form is the *vocabulary* that `tms record` takes and that stands as `body` in each line of a ledger.

node            something that can hold: a claim, decision, question, hypothesis, nogood or alternative
judgement       a claim accepted or a decision adopted: what a person or agent stands for
assumption      a node that carries a judgement (every claim that is not `derived`, every decision)
premise         an assumption without any support set: it stands on its own authority
support set     the members that together (AND) justify a node; several sets are alternatives (OR)
justification   a support set together with the node that it justifies
prerequisite    what a decision depends on: all required
citation        one mention of a node in a support set, a prerequisite, `because`, `assuming` or `members`
head            what a citation follows supersession to: a successor that nothing supersedes
environment     a set of assumptions; label: the minimal environments in which a node holds
nogood          nodes that cannot all hold; an environment that contains its environment is inconsistent
context         the judgements that stand now; IN: holds in a consistent environment within it; OUT: does not

>>> import msgspec
>>> msgspec.json.encode(Claim(id="c1", text="Postgres handles our write volume", state="accepted"))
b'{"kind":"claim","id":"c1","text":"Postgres handles our write volume","state":"accepted"}'
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

MAX_ID = 200

# No white space, control, comma, slash, back-tick or leading dash: an id is typed at prompts, split at commas and,
# with `/KEY` behind it, names an alternative.
ID_PATTERN = r"^[^\x00-\x20\x7f-\xa0,/`\-\u2028\u2029\ufeff][^\x00-\x20\x7f-\xa0,/`\u2028\u2029\ufeff]*$(?!\n)"
NodeId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=MAX_ID, pattern=ID_PATTERN)]
Ref: TypeAlias = Annotated[str, Meta(min_length=1, max_length=2 * MAX_ID + 1)]  # a node id or DECISION/key
Hash: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
SupportSet: TypeAlias = tuple[Ref, ...]
Position: TypeAlias = Annotated[int, Meta(ge=0)]

Kind = Literal["claim", "decision", "question", "hypothesis", "nogood", "alternative"]
ClaimState = Literal["unassessed", "accepted", "disputed", "rejected", "derived"]
DecisionState = Literal["proposed", "adopted", "revoked"]
HypothesisState = Literal["active", "falsified", "abandoned"]
State = Literal[
    "unassessed",
    "accepted",
    "disputed",
    "rejected",
    "proposed",
    "adopted",
    "revoked",
    "active",
    "falsified",
    "abandoned",
]
Reason = Literal["restate", "revise", "reverse"]
Relation = Literal["supports", "depends_on", "answers", "supersedes", "would_supersede", "contradicts"]
Reversibility = Literal["", "reversible", "costly", "irreversible"]
ActReversibility = Literal["", "reversible", "costly", "shared", "irreversible"]
OutcomeResult = Literal["held", "failed", "unanswered"]


class _Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A frozen part of a record; unknown fields are refused."""


class Supersession(_Part, frozen=True, kw_only=True):
    """One supersession made by the record that holds it: `id` is the one that is superseded."""

    id: Ref
    reason: Reason = "revise"


class Falsification(_Part, frozen=True, kw_only=True):
    """What an external gate said: its signature, which gate, and whether it says so again."""

    signature: str
    gate: str = ""
    reproducible: bool = False


def is_receipt(said: Falsification | None) -> bool:
    """Whether an external gate rejected something for good: signature and gate are named, and it says so again.

    >>> is_receipt(Falsification(signature="test_load", gate="pytest", reproducible=True))
    True
    >>> is_receipt(Falsification(signature="it felt slow")), is_receipt(None)
    (False, False)
    """
    return said is not None and bool(said.signature.strip() and said.gate.strip()) and said.reproducible


class Alternative(_Part, frozen=True, kw_only=True):
    """An option that was not chosen, a part of its decision; its node id is `DECISION/key`.

    `because` are the support sets of its *rejection*; without any, the rejection is permanent. `criteria` says how it
    did by each criterion, `receipt` is what an external gate said of it, `cost` what evaluating it took.
    """

    key: NodeId
    text: str = ""
    verdict: Literal["rejected", "abandoned"] = "rejected"
    because: tuple[SupportSet, ...] = ()
    criteria: dict[str, str] = {}
    rationale: str = ""
    evidence: tuple[str, ...] = ()
    receipt: Falsification | None = None
    cost: str = ""


class _Record(_Part, frozen=True, tag_field="kind"):
    """Base of everything that can be recorded."""


class _Node(_Record, frozen=True, kw_only=True):
    """The fields that every recorded node has. An empty `id` is derived from the content by the writer."""

    id: NodeId
    text: str = ""
    rationale: str = ""
    scope: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    pinned: bool = False


class _Judged(_Node, frozen=True, kw_only=True):
    """What claims and decisions share: they may rest on others, answer questions, replace one another."""

    supports: tuple[SupportSet, ...] = ()
    answers: tuple[Ref, ...] = ()
    supersedes: tuple[Supersession, ...] = ()
    would_supersede: tuple[Supersession, ...] = ()
    contradicts: tuple[Ref, ...] = ()
    revisit: str = ""
    cost_if_wrong: str = ""


class Claim(_Judged, frozen=True, kw_only=True, tag="claim"):
    """Something that is so, or is said to be so. `derived` claims carry no judgement of their own, for life."""

    state: ClaimState = "unassessed"


class Decision(_Judged, frozen=True, kw_only=True, tag="decision"):
    """A choice that was made or is proposed; `depends_on` are its prerequisites, all required.

    `environment` are facts about the world at the time (versions, a commit), not a set of judgements.
    """

    choice: Annotated[str, Meta(min_length=1)]
    state: DecisionState = "adopted"
    depends_on: tuple[Ref, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    environment: dict[str, str] = {}
    reversibility: Reversibility = ""
    decided_by: str = ""


class Question(_Node, frozen=True, kw_only=True, tag="question"):
    """Something to be settled; it is resolved while some answer's citation is met."""

    state: Literal["open"] = "open"
    supersedes: tuple[Supersession, ...] = ()
    would_supersede: tuple[Supersession, ...] = ()


class Hypothesis(_Node, frozen=True, kw_only=True, tag="hypothesis"):
    """An action to be tried; it *holds* when its falsification does: falsified, and all of `assuming` met."""

    action: str = ""
    state: HypothesisState = "active"
    assuming: SupportSet = ()
    falsification: Falsification | None = None


class Nogood(_Node, frozen=True, kw_only=True, tag="nogood"):
    """Two or more nodes that cannot all hold."""

    members: Annotated[tuple[Ref, ...], Meta(min_length=2)]


class Assess(_Record, frozen=True, kw_only=True, tag="assess"):
    """A judgement passed later. `replaces` are hashes: of earlier assessments, or of the record (the first one)."""

    node: Ref
    state: State
    reason: str = ""
    evidence: tuple[str, ...] = ()
    replaces: tuple[Hash, ...] = ()
    falsification: Falsification | None = None


class Relate(_Record, frozen=True, kw_only=True, tag="relate"):
    """A relation added later. For `supports` the targets are one support set; else each target is one relation.

    The source of `supports` may be an alternative: one more ground of its rejection.
    """

    relation: Relation
    source: Ref
    targets: tuple[Ref, ...]
    reason: Reason | None = None  # supersedes and would_supersede only; None reads as "revise"


class Correction(_Part, frozen=True, kw_only=True):
    """New words and metadata; a field that is left out stays as it was."""

    text: str | None = None
    rationale: str | None = None
    scope: tuple[str, ...] | None = None
    tag: tuple[str, ...] | None = None
    evidence: tuple[str, ...] | None = None
    supersedes: tuple[Supersession, ...] | None = None  # another reason for a supersession that the node makes


class Correct(_Record, frozen=True, kw_only=True, tag="correct"):
    """A correction of words and metadata, never of relations, kind, state or choice."""

    node: Ref
    fields: Correction
    reason: str = ""
    replaces: tuple[Hash, ...] = ()


class Review(_Record, frozen=True, kw_only=True, tag="review"):
    """Somebody looked at the triple: `citing` cites `cited`, which now means `head`, and that is fine."""

    citing: Ref
    cited: Ref
    head: Ref
    reason: str = ""


class Void(_Record, frozen=True, kw_only=True, tag="void"):
    """Makes a line (by its hash) void, or one relation in its record: `field`, `position` (0 is the first).

    `field` is `supports`, `depends_on`, `answers`, `supersedes`, `would_supersede`, `contradicts`, `alternatives`,
    or `because` with the alternative's `key`.
    """

    target: Hash
    field: Literal[
        "supports",
        "depends_on",
        "answers",
        "supersedes",
        "would_supersede",
        "contradicts",
        "alternatives",
        "because",
        None,
    ] = None
    position: Position | None = None
    key: str = ""
    reason: str = ""


class Mark(_Record, frozen=True, kw_only=True, tag="mark"):
    """A named point in time: this line and all that it saw."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_ID)]
    text: str = ""


class Outcome(_Record, frozen=True, kw_only=True, tag="outcome"):
    """What became of a decision in the world, so that it can be scored; it changes no status."""

    node: Ref
    result: OutcomeResult
    reason: str = ""
    evidence: tuple[str, ...] = ()


class Purge(_Record, frozen=True, kw_only=True, tag="context_purge_marker"):
    """The narrative of a hypothesis has left the active view for the archive, where it lies under its SHA-256."""

    node: Ref
    narrative: Hash
    characters: Annotated[int, Meta(ge=0)] = 0
    reason: str = ""


class Act(_Record, frozen=True, kw_only=True, tag="act"):
    """An action that was put to the gate, and what it said."""

    action: Annotated[str, Meta(min_length=1)]
    verdict: Literal["allow", "ask", "deny"]
    files: tuple[str, ...] = ()
    reversibility: ActReversibility = ""
    reasons: tuple[str, ...] = ()


Node: TypeAlias = Claim | Decision | Question | Hypothesis | Nogood
Record: TypeAlias = Node | Assess | Relate | Correct | Review | Void | Mark | Outcome | Purge | Act


class Batch(_Part, frozen=True, kw_only=True):
    """The place of a line in a batch that counts only when all `of` lines are there; `at` starts at 1."""

    id: str
    at: Annotated[int, Meta(ge=1)]
    of: Annotated[int, Meta(ge=1)]


class Line(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A record with its envelope, as the engine holds it. `path` and `number` say where it was read (1 is first)."""

    record: Record
    hash: str
    prev: tuple[str, ...] = ()
    time: str = ""
    author: str = ""
    session: str = ""
    branch: str = ""
    batch: Batch | None = None
    path: str = ""
    number: int = 0


# Which state each verb gives, and to which kind. `impact` takes the same verbs.
VERBS: dict[str, tuple[str, str]] = {
    "accept": ("claim", "accepted"),
    "dispute": ("claim", "disputed"),
    "reject": ("claim", "rejected"),
    "adopt": ("decision", "adopted"),
    "revoke": ("decision", "revoked"),
    "falsify": ("hypothesis", "falsified"),
    "abandon": ("hypothesis", "abandoned"),
}
STATES: dict[str, tuple[str, ...]] = {
    "claim": ("unassessed", "accepted", "disputed", "rejected"),
    "decision": ("proposed", "adopted", "revoked"),
    "hypothesis": ("active", "falsified", "abandoned"),
}
