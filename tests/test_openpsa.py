"""Fault trees: what each operator becomes, what is refused and where."""

import json
from itertools import combinations
from math import comb

import pytest

from tests.cli_call import Tms, fresh
from tms.errors import RecordError, UsageError
from tms.graph import Graph
from tms.listing import environments
from tms.openpsa import MOST_SETS, parse_fault_tree, read_fault_tree


def model(gates: str, rest: str = "") -> bytes:
    return f'<opsa-mef>\n<define-fault-tree name="t">\n{gates}\n</define-fault-tree>\n{rest}</opsa-mef>'.encode()


def gate(name: str, formula: str) -> str:
    return f'<define-gate name="{name}">{formula}</define-gate>'


def events(*names: str) -> str:
    return "".join(f'<basic-event name="{name}"/>' for name in names)


def cut_sets(xml: bytes, name: str) -> set[tuple[str, ...]]:
    graph = Graph.empty().extend(parse_fault_tree(xml, "t.xml").records)
    return {found.members for found in environments(graph, name, limit=100_000).environments}


@pytest.fixture
def call(tmp_path) -> Tms:
    return fresh(tmp_path)


def test_and_or_at_least_and_formulas_inside_mean_what_they_say():
    inner = f"<and>{events('c', 'd')}</and>"
    assert cut_sets(model(gate("g", f"<or>{events('a')}{inner}</or>")), "g") == {("a",), ("c", "d")}
    assert cut_sets(model(gate("g", f"<and>{events('a')}{inner}</and>")), "g") == {("a", "c", "d")}
    two = f'<atleast min="2">{events("a", "b", "c")}</atleast>'
    assert cut_sets(model(gate("g", two)), "g") == {("a", "b"), ("a", "c"), ("b", "c")}
    assert cut_sets(model(gate("g", events("a"))), "g") == {("a",)}
    records = parse_fault_tree(model(gate("g", f"<or><and>{two}{inner}</and>{inner}</or>")), "t.xml").records
    assert [r.id for r in records if r.state == "derived"] == ["g.4", "g.3", "g.2", "g.1", "g"]


@pytest.mark.parametrize(("least", "number"), [(1, 120), (2, 15), (5, 9), (8, 10), (119, 120), (120, 120)])
def test_at_least_has_all_combinations_also_where_it_becomes_a_chain(least, number):
    names = [f"e{i:03}" for i in range(number)]
    xml = model(gate("g", f'<atleast min="{least}">{events(*names)}</atleast>'))
    assert cut_sets(xml, "g") == set(combinations(names, least))
    sets = [s for record in parse_fault_tree(xml, "t.xml").records for s in record.supports]
    assert len(sets) <= max(number, MOST_SETS, 2 * least * (number - least + 1))


def test_a_chain_stays_small_where_the_combinations_do_not():
    names = [f"e{i}" for i in range(60)]
    tree = parse_fault_tree(model(gate("g", f'<atleast min="30">{events(*names)}</atleast>')), "t.xml")
    assert len(tree.records) < 1100
    found = environments(Graph.empty().extend(tree.records), "g", limit=0)
    assert (found.count, found.sizes) == (comb(60, 30), {30: comb(60, 30)})


def test_ids_are_the_names_in_the_file_and_what_is_made_takes_none_of_them():
    xml = model(
        gate("g", f'<or><gate name="g.1"/><and>{events("a", "b")}</and></or>') + gate("g.1", events("c")),
        '<model-data><define-basic-event name="a"><label> pump\n fails </label><float value="0.1"/>'
        '</define-basic-event><define-basic-event name="spare"/></model-data>',
    )
    tree = parse_fault_tree(xml, "t.xml")
    assert tree.top == ("g",)
    assert {r.id: r.state for r in tree.records if "g" not in r.id} == dict.fromkeys(
        ("a", "b", "c", "spare"), "accepted"
    )
    assert next(r.text for r in tree.records if r.id == "a") == "pump fails"
    assert cut_sets(xml, "g") == {("c",), ("a", "b")}


@pytest.mark.parametrize(
    ("xml", "line", "code", "said"),
    [
        (model(gate("g", f"<or>{events('a')}\n<not>{events('b')}</not></or>")), 4, "unsupported", "<not>"),
        (model(gate("g", f"<xor>{events('a', 'b')}</xor>")), 3, "unsupported", "<xor>"),
        (model(gate("g", '<or><house-event name="h"/></or>')), 3, "unsupported", "<house-event>"),
        (model(gate("g", '<or><event name="h" type="house-event"/></or>')), 3, "unsupported", "<house-event>"),
        (model('<define-CCF-group name="c" model="beta-factor"/>'), 3, "unsupported", "<define-CCF-group>"),
        (model('<define-gate name="g" role="private"><or/></define-gate>'), 3, "unsupported", "private"),
        (model(gate("g", "<or/>")), 3, "formula", "no argument"),
        (model(gate("g", "")), 3, "formula", "no formula"),
        (model(gate("g", events("a", "b"))), 3, "formula", "second"),
        (model(gate("g", f'<atleast min="3">{events("a", "b")}</atleast>')), 3, "min", "1 to 2"),
        (model(gate("g", f"<atleast>{events('a', 'b')}</atleast>")), 3, "min", "min is ''"),
        (model(gate("g", '\n<or><gate name="h"/></or>')), 4, "unknown-gate", "no gate h"),
        (model(gate("g", f"<or>{events('g')}</or>")), 3, "unknown-event", "g is a gate"),
        (model(gate("g", events("a")) + "\n" + gate("g", events("a"))), 4, "duplicate", "g is defined twice"),
        (model(gate("g", events("two words"))), 3, "id", "two words"),
        (b"<opsa-mef>\n<define-fault-tree>", 2, "syntax", "not XML"),
        (b"<html/>", 1, "not-openpsa", "<html>"),
        (b'<?xml version="1.0" encoding="no-such"?><opsa-mef/>', 1, "syntax", "not XML"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_with_file_and_line(xml, line, code, said):
    with pytest.raises(RecordError) as refused:
        parse_fault_tree(xml, "t.xml")
    assert refused.value.code == code
    assert said in refused.value.message
    assert refused.value.message.startswith(f"t.xml:{line}: ")


def test_a_doctype_is_refused_before_any_entity_of_it_counts():
    bomb = b'<!DOCTYPE opsa-mef [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>\n<opsa-mef>&b;</opsa-mef>'
    with pytest.raises(RecordError, match="DOCTYPE") as refused:
        parse_fault_tree(bomb, "t.xml")
    assert refused.value.code == "doctype"


def test_deep_nesting_needs_no_recursion():
    deep = "<or>" * 20_000 + events("a") + "</or>" * 20_000
    assert len(parse_fault_tree(model(gate("g", deep)), "t.xml").records) == 20_001


def test_an_import_may_be_run_again_and_a_refused_one_writes_nothing(call, tmp_path):
    path = tmp_path / "tree.xml"
    path.write_bytes(model(gate("g", f"<and>{events('a', 'b')}</and>")))
    assert call("import", "openpsa", str(path), "--json").json == {
        "format": "tms.import/1",
        "source": str(path),
        "records": 3,
        "already": 0,
        "warnings": [],
        "top": ["g"],
    }
    call("dispute", "a")
    before = call.ledger.read_bytes()
    assert "3 records were here already" in call("import", "openpsa", str(path)).out
    assert call.ledger.read_bytes() == before
    path.write_bytes(model(gate("g", f"<or>{events('a', 'new')}</or>")))
    assert call("import", "openpsa", str(path), "--json", ends=2).json["error"]["code"] == "duplicate"
    path.write_bytes(model(gate("h", "<not/>")))
    assert json.loads(call("import", "openpsa", str(path), "--json", ends=2).out)["error"]["code"] == "unsupported"
    assert call.ledger.read_bytes() == before


def test_a_file_that_is_not_there_is_said_so():
    with pytest.raises(UsageError, match="No such file"):
        read_fault_tree("no-such.xml")


def test_gates_in_a_circle_have_no_top_and_that_is_a_warning(call, tmp_path):
    path = tmp_path / "circle.xml"
    path.write_bytes(model(gate("g", '<or><gate name="h"/></or>') + gate("h", '<or><gate name="g"/></or>')))
    told = call("import", "openpsa", str(path), "--json").json
    assert told["top"] == []
    assert "circle" in told["warnings"][0]
