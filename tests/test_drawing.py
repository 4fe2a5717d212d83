"""The neutral drawing: what is drawn, how it stands, what was left out and that it is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given

from tests.oracle import Oracle
from tests.strategies import ledgers
from tms import Claim, Decision, Graph, Nogood, Relate, Supersession
from tms.drawing.choose import LIMIT
from tms.drawing.model import drawing
from tms.drawing.parts import JUNCTIONS, Drawing
from tms.drawing.render import render
from tms.errors import UnknownNode, UsageError
from tms.ledger.intake import parse_records

ROOT = Path(__file__).parents[1]
BILLING = Graph.empty().extend(parse_records((ROOT / "examples" / "billing" / "records.jsonl").read_bytes(), "billing"))


def arrows(found: Drawing) -> set[tuple[str, str, str, bool]]:
    return {(e.source, e.kind, e.target, e.met) for e in found.edges}


@given(ledgers())
def test_every_node_stands_as_the_engine_says_and_every_arrow_is_met_as_the_oracle_says(lines):
    graph, oracle = Graph.replay(lines), Oracle(lines)
    found = drawing(graph)
    assert {n.id: n.status for n in found.nodes if n.kind not in JUNCTIONS} == (
        {s.id: s.status for s in graph.statuses()} | dict.fromkeys(graph.missing(), "missing")
    )
    owner = {e.source: e.target for e in found.edges if is_junction(e.source)}
    members = {key: [e.source for e in found.edges if e.target == key] for key in owner}
    for edge in found.edges:
        if edge.kind in ("supersedes", "would_supersede", "option", "answers"):
            continue
        citing = owner.get(edge.target, edge.target)
        cited = members.get(edge.source, [edge.source])
        assert edge.met == oracle.met(*(oracle.citation(citing, name) for name in cited)), edge


@given(ledgers())
def test_the_arrows_are_the_relations_that_are_declared_and_no_others(lines):
    graph = Graph.replay(lines)
    found = drawing(graph)
    drawn: dict[str, set[frozenset[str]]] = {}
    for edge in found.edges:
        if edge.kind in ("supports", "because") and not edge.source.endswith(" authority"):
            of = (
                [e.source for e in found.edges if e.target == edge.source]
                if is_junction(edge.source)
                else [edge.source]
            )
            drawn.setdefault(edge.target, set()).add(frozenset(of))
    for name in graph.ids():
        node = graph.node(name)
        assert drawn.get(name, set()) == {frozenset(s) for s in node.supports if any(s)}
        assert {e.source for e in found.edges if (e.kind, e.target) == ("requires", name)} == set(node.depends_on)
        assert {e.target for e in found.edges if (e.kind, e.source) == ("option", name)} == set(node.alternatives)


def is_junction(name: str) -> bool:
    return ": " in name


def test_the_billing_example_as_the_pages_tell_it():
    assert arrows(drawing(BILLING.assuming([("dispute", "c1")]))) == {
        ("c1", "member", "d1: c1 & c2", False),
        ("c2", "member", "d1: c1 & c2", True),
        ("d1: c1 & c2", "supports", "d1", False),
        ("c3", "supports", "d1", True),
        ("d2", "requires", "d1", True),
        ("d1", "answers", "q1", True),
        ("d1", "option", "d1/mysql", True),
        ("c2", "because", "d1/mysql", True),
    }


def test_the_title_says_ledger_point_in_time_and_viewpoint():
    found = drawing(BILLING.assuming([("dispute", "c1")]), title="billing", point="v1.0")
    assert (found.title, found.subtitle) == ("billing", "as of v1.0, assuming dispute c1")


def test_a_legend_names_only_what_occurs():
    found = drawing(Graph.empty().apply(Claim(id="c1", state="accepted")))
    assert [(row.of, row.key) for row in found.legend] == [("node", "claim"), ("tone", "holds")]
    keys = {row.key for row in drawing(BILLING).legend}
    assert {"requires", "supports", "member", "and", "answers"} <= keys
    assert not {"conflict", "supersedes", "nogood", "unmet"} & keys


def chain(length: int) -> Graph:
    claims = [Claim(id=f"c{n:04}", state="accepted", supports=((f"c{n - 1:04}",),) if n else ()) for n in range(length)]
    return Graph.empty().extend(claims)


def test_what_is_too_large_gets_a_focus_and_the_drawing_says_so():
    graph = chain(1000)
    found = drawing(graph)
    assert 2 < len(found.nodes) <= LIMIT
    (root,) = [node.id for node in found.nodes if node.focus]
    assert found.note.startswith(f"Focus: {root} (the most lies around it), ")
    assert found.note.endswith(f"; {1000 - len(found.nodes)} of 1000 nodes are left out.")
    assert [node.hidden_down for node in found.nodes] == [0] * (len(found.nodes) - 1) + [1]


def test_a_hub_that_does_not_fit_is_cut_and_the_drawing_says_by_how_much():
    graph = Graph.empty().extend(
        [Claim(id="hub", state="accepted"), *(Claim(id=f"c{n:03}", supports=(("hub",),)) for n in range(500))]
    )
    found = drawing(graph, focus=["hub"])
    assert len(found.nodes) == LIMIT
    assert "301 direct neighbours did not fit" in found.note
    assert "301 of 501 nodes are left out" in found.note
    assert next(node for node in found.nodes if node.id == "hub").hidden_down == 301


def test_up_goes_towards_the_grounds_and_down_towards_what_rests_on_it():
    graph = chain(10)
    assert [n.id for n in drawing(graph, focus=["c0005"], up=2).nodes] == ["c0003", "c0004", "c0005"]
    assert [n.id for n in drawing(graph, focus=["c0005"], down=1).nodes] == ["c0005", "c0006"]


def test_a_support_set_that_is_drawn_in_part_says_so():
    found = drawing(BILLING, only=["c1", "d1"])
    (junction,) = [node for node in found.nodes if node.kind == "and"]
    assert (junction.id, junction.hidden_up) == ("d1: c1 & c2", 1)
    assert next(node for node in found.nodes if node.id == "d1").hidden_up == 3
    assert found.note == "Only the nodes asked for; 5 of 7 nodes are left out."


@pytest.mark.parametrize(
    ("wish", "error"),
    [
        ({"focus": ["nope"]}, UnknownNode),
        ({"only": ["nope"]}, UnknownNode),
        ({"only": ["c1"], "focus": ["c1"]}, UsageError),
        ({"up": 1}, UsageError),
        ({"fold": "everything"}, UsageError),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(wish, error):
    with pytest.raises(error):
        drawing(BILLING, **wish)


def test_a_folded_chain_is_drawn_as_its_head_which_tells_what_it_replaces():
    graph = Graph.empty().extend(
        [
            Claim(id="g", state="accepted"),
            Claim(id="m", state="accepted", supports=(("g", "x"),)),
            Claim(id="x", state="accepted"),
            Claim(id="m2", state="accepted", supersedes=(Supersession(id="m"),)),
            Decision(id="d", choice="y", supports=(("m",),)),
        ]
    )
    found = drawing(graph, fold="superseded")
    assert [(n.id, n.replaces) for n in found.nodes] == [("d", ()), ("g", ()), ("m2", ("m",)), ("x", ())]
    assert [(e.source, e.kind, e.target, e.note) for e in found.edges] == [("m2", "supports", "d", "cited as m")]


def test_a_folded_scope_counts_what_is_in_it_and_arrows_between_scopes():
    graph = Graph.empty().extend(
        [
            Claim(id="a1", state="accepted", scope=("a",)),
            Claim(id="a2", scope=("a",)),
            Claim(id="b1", state="accepted", scope=("b",), supports=(("a1", "a2"), ("a1",))),
            Decision(id="d", choice="x", depends_on=("b1",)),
        ]
    )
    found = drawing(graph, fold="scope")
    assert [(n.id, n.status, n.text, n.tone) for n in found.nodes if n.kind == "scope"] == [
        ("scope a", "2 nodes", "1 in, 1 unassessed", "open"),
        ("scope b", "1 node", "1 in", "holds"),
    ]
    assert {(e.source, e.target, e.count, e.met) for e in found.edges} == {
        ("scope a", "scope b", 3, False),
        ("scope b", "d", 1, True),
    }


def test_against_another_graph_each_part_says_what_became_of_it_and_the_caption_counts():
    after = BILLING.assuming([("dispute", "c1"), ("dispute", "c3")])
    found = drawing(after, versus=BILLING)
    assert {n.id: (n.change, n.before) for n in found.nodes if n.change != "context"} == {
        "c1": ("changed", "in"),
        "c3": ("changed", "in"),
        "d1": ("consequence", "active"),
        "d1: c1 & c2": ("consequence", "holds"),
        "q1": ("consequence", "resolved"),
    }
    assert {(e.source, e.change) for e in found.edges if e.change != "context"} == {
        (source, "lost") for source in ("c1", "d1: c1 & c2", "c3", "d1")
    }
    assert found.note == "0 added, 0 removed, 2 changed, 2 changed by consequence, 3 unchanged."
    later = BILLING.extend(
        [Claim(id="c4", state="accepted"), Relate(relation="supports", source="d2", targets=("c4",))]
    )
    grown = drawing(later, versus=BILLING)
    assert [n.id for n in grown.nodes if n.change == "added"] == ["c4"]
    assert [(e.source, e.target) for e in grown.edges if e.change == "added"] == [("c4", "d2")]


@given(ledgers(), ledgers())
def test_a_difference_and_its_reverse_mirror_one_another(lines, more):
    before, after = Graph.replay(lines), Graph.replay([*lines, *more])
    there, back = drawing(after, versus=before), drawing(before, versus=after)
    mirror = {"added": "removed", "removed": "added"}
    assert {n.id: n.change for n in there.nodes} == {n.id: mirror.get(n.change, n.change) for n in back.nodes}


def test_the_bytes_do_not_depend_on_the_hash_seed_or_the_locale():
    script = (
        "import sys; from tms import *; from tms.ledger.reader import read\n"
        "g = Graph.replay(read('.tms/ledger.jsonl').lines)\n"
        "sys.stdout.buffer.write(g.diagram().dot.encode() + g.diagram(fold='scope').svg().encode())"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, env=os.environ | more, capture_output=True, check=True
        ).stdout
        for more in ({"PYTHONHASHSEED": "1", "LC_ALL": "C"}, {"PYTHONHASHSEED": "2", "LC_ALL": "de_DE.UTF-8"})
    }
    assert len(told) == 1


def test_a_diagram_shows_itself_without_a_notebook_at_hand(monkeypatch):
    diagram = BILLING.diagram(title="billing")
    bundle = diagram._repr_mimebundle_()
    assert bundle["image/svg+xml"].startswith('<svg role="img"')
    assert bundle["text/plain"] == diagram.dot
    assert (diagram.png()[:4], diagram.pdf()[:4]) == (b"\x89PNG", b"%PDF")
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert "pip install 'tms-ledger[draw]'" in diagram._repr_mimebundle_()["text/plain"]
    with pytest.raises(UsageError, match="no Graphviz"):
        diagram.svg()


def test_a_renderer_that_fails_or_takes_too_long_is_one_clear_error(monkeypatch):
    with pytest.raises(UsageError, match="Graphviz failed"):
        render("digraph {", "svg")
    with pytest.raises(UsageError, match="did not finish within"):
        render("digraph {a}", "svg", patience=0.0001)
    with pytest.raises(UsageError, match="svg, png, pdf"):
        render("digraph {a}", "bmp")


def test_where_even_no_judgement_at_all_is_consistent_no_support_set_holds():
    claims = [Claim(id="a", state="derived", supports=((), ("c",))), Claim(id="c", state="derived", supports=((),))]
    found = drawing(Graph.empty().extend([*claims, Nogood(id="n", members=("a", "c"))]))
    assert {n.status for n in found.nodes if n.kind == "claim"} == {"contested"}
    assert [e.met for e in found.edges if e.source == "a: own authority"] == [False]
