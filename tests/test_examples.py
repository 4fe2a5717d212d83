"""The worked examples are what their pages say, and are made again byte for byte."""

import doctest
from collections import Counter
from functools import reduce
from pathlib import Path
from types import ModuleType

import msgspec
import networkx as nx
import pytest

from examples.numpy import make as numpy_example
from examples.peps import make as pep_example
from tms.graph import Graph
from tms.model import Claim, Decision, Question, Record

EXAMPLES = Path(__file__).parents[1] / "examples"
SHARED = Path(__file__).parents[1].parent / "shared"


def records_of(example: str) -> list[Record]:
    decoder = msgspec.json.Decoder(Record)
    return decoder.decode_lines((EXAMPLES / example / "records.jsonl").read_bytes())


def decisions_of(example: str) -> dict[str, Decision]:
    return {record.id: record for record in records_of(example) if isinstance(record, Decision)}


def claims_of(example: str) -> dict[str, Claim]:
    return {record.id: record for record in records_of(example) if isinstance(record, Claim)}


def as_lines(records) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def graph_of(example: str) -> Graph:
    return reduce(Graph.apply, records_of(example), Graph.empty())


def status_of(graph: Graph) -> dict[str, str]:
    return {status.id: status.status for status in graph.statuses()}


def moved(graph: Graph, *change: tuple[str, str]) -> dict[str, tuple[str, str]]:
    before, after = status_of(graph), status_of(graph.assuming(list(change)))
    return {name: (before[name], after[name]) for name in before if before[name] != after[name]}


@pytest.mark.parametrize("example", ["billing", "numpy", "peps"])
def test_every_line_of_an_example_is_a_record_of_the_vocabulary_with_an_id_of_its_own(example):
    records = records_of(example)
    nodes = [record for record in records if isinstance(record, Claim | Decision | Question)]
    assert len({node.id for node in nodes}) == len(records) > 0


@pytest.mark.parametrize("example", ["billing", "numpy", "peps"])
def test_every_example_has_a_page_with_three_questions(example):
    page = (EXAMPLES / example / "README.md").read_text("utf-8")
    assert page.count("<!-- output -->") == 3


@pytest.mark.parametrize("example", [numpy_example, pep_example])
def test_the_doctests_of_the_scripts_hold(example: ModuleType):
    assert doctest.testmod(example).failed == 0


# -- billing ---------------------------------------------------------------------------------------------------------


def test_the_billing_decision_rests_on_two_support_sets_and_one_prerequisite():
    billing = decisions_of("billing")["d1"]
    assert billing.supports == (("c1", "c2"), ("c3",))
    assert (billing.depends_on, billing.answers) == (("d2",), ("q1",))
    assert [(option.key, option.because) for option in billing.alternatives] == [("mysql", (("c2",),))]


def test_the_billing_page_says_what_the_engine_says():
    billing = graph_of("billing")
    assert set(moved(billing, ("dispute", "c1"))) == {"c1"}
    assert moved(billing, ("dispute", "c2"))["d1/mysql"] == ("ruled-out", "reopened")
    assert moved(billing, ("dispute", "c1"), ("dispute", "c3"))["q1"] == ("resolved", "open")


# -- PEPs ------------------------------------------------------------------------------------------------------------


def status_by_hand(peps: dict[str, Decision]) -> dict[str, str]:
    """Enough of the rules for this ledger: nothing in it rests on a support set, and no supersession is a `reverse`."""
    retired = {old.id for pep in peps.values() for old in pep.supersedes}
    plain = {"adopted": "active", "proposed": "proposed", "revoked": "revoked"}
    return {name: "retired" if name in retired else plain[pep.state] for name, pep in peps.items()}


def test_736_peps_are_active_proposed_revoked_or_retired():
    counts = Counter(status_by_hand(decisions_of("peps")).values())
    assert counts == {"active": 416, "proposed": 84, "revoked": 194, "retired": 42}


def test_the_engine_gives_every_pep_the_status_found_by_hand():
    assert status_of(graph_of("peps")) == status_by_hand(decisions_of("peps"))


def test_revoking_703_blocks_803_and_nothing_else():
    assert moved(graph_of("peps"), ("revoke", "703")) == {"703": ("active", "revoked"), "803": ("active", "blocked")}


def test_no_active_pep_requires_one_that_is_not_so_none_is_blocked_at_the_start():
    peps = decisions_of("peps")
    status = status_by_hand(peps)
    active = [pep for name, pep in peps.items() if status[name] == "active"]
    assert {status[needed] for pep in active for needed in pep.depends_on} == {"active"}


def test_every_pep_that_another_one_cites_is_there():
    peps = decisions_of("peps")
    cited = {name for pep in peps.values() for name in (*pep.depends_on, *(old.id for old in pep.supersedes))}
    assert cited <= set(peps)


def test_five_peps_name_a_successor_that_does_not_name_them():
    assert [old for old, _ in pep_example.disagreements(pep_example.load())] == [5, 426, 501, 563, 631]


def test_the_disagreements_are_told_on_stderr_and_the_records_are_made_again_byte_for_byte(capfdbinary):
    pep_example.main()
    out, err = capfdbinary.readouterr()
    assert out == (EXAMPLES / "peps" / "records.jsonl").read_bytes()
    assert err.splitlines()[0] == b"PEP 5 says Superseded-By: 387, but PEP 387 does not say Replaces: 5"
    assert len(err.splitlines()) == 5


# -- numpy -----------------------------------------------------------------------------------------------------------

DUMP = """\
Package: python3-numpy
Version: 1:1.24.2-1
Pre-Depends: base
Depends: python3:any (>= 3.11), fast-blas | libblas.so.3, nowhere-to-be-found
Description: Fast array facility
 Depends: on nothing, this is prose

Package: fast-blas
Provides: libblas.so.3 (= 3)
Depends: base

Package: slow-blas
Provides: libblas.so.3,
 libblas
Depends: base,
 python3

Package: python3
Depends: base

Package: base
Depends: python3

Package: something-else
Depends: base
"""


def test_package_lists_are_read_without_versions_and_with_virtual_packages_resolved():
    clauses = numpy_example.digest(DUMP)
    assert clauses["python3-numpy"] == [["base"], ["fast-blas", "slow-blas"], ["python3"]]
    assert numpy_example.cone(clauses) == ["base", "fast-blas", "python3", "python3-numpy", "slow-blas"]


def test_the_cone_of_numpy_has_64_packages_with_a_removal_and_a_breakage_each():
    claims = claims_of("numpy")
    packages = {name.partition(":")[2] for name in claims}
    assert len(packages) == 64
    assert set(claims) == {f"{word}:{package}" for word in ("removed", "broken") for package in packages}
    assert {claim.state for name, claim in claims.items() if name.startswith("removed:")} == {"unassessed"}


def test_the_cone_of_numpy_is_closed_and_has_circles():
    claims = claims_of("numpy")
    arrows = [(name, m) for name, claim in claims.items() for members in claim.supports for m in members]
    assert {cited for _, cited in arrows} <= set(claims)
    circles = [sorted(part) for part in nx.strongly_connected_components(nx.DiGraph(arrows)) if len(part) > 1]
    assert sorted(circles) == [["broken:libc6", "broken:libgcc-s1"]]


def test_a_circle_of_packages_never_breaks_itself_and_one_blas_is_not_missed():
    numpy = graph_of("numpy")
    assert Counter(status_of(numpy).values()) == {"unassessed": 64, "circular": 61, "unsupported": 3}
    assert set(moved(numpy, ("accept", "removed:libblas3"))) == {"removed:libblas3", "broken:libblas3"}
    assert moved(numpy, ("accept", "removed:zlib1g"))["broken:python3-numpy"] == ("circular", "in")


def test_the_same_clauses_make_the_records_of_numpy_again_byte_for_byte():
    digest = SHARED / "data" / "debian-broken-graph.json.gz"
    if not digest.exists():
        pytest.skip("the package lists are not here")
    clauses = numpy_example.read(str(digest))
    again = as_lines(numpy_example.records(clauses, numpy_example.cone(clauses)))
    assert again == (EXAMPLES / "numpy" / "records.jsonl").read_bytes()
