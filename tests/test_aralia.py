"""The Aralia fault trees: minimal cut sets and their sizes, as up to four independent programs counted them."""

import csv
import json
from pathlib import Path

import pytest

from tests.cli_call import fresh
from tms.errors import RecordError
from tms.graph import Graph
from tms.listing import environments
from tms.openpsa import read_fault_tree

ARALIA = Path(__file__).parents[1].parent / "shared" / "data" / "aralia"
COUNTED = ARALIA / "aralia_mcs.csv"
# What takes longer than half a second is left to the benchmark.
LONG = {"baobab1", "baobab3", "edf9203", "edf9204", "nus9601"} | {f"edfpa1{k}{form}" for k in "45" for form in "bopqr"}
BY_COMMAND = ("chinese", "isp9603", "das9209")


def rows() -> dict[str, dict[str, str]]:
    if not COUNTED.exists():
        return {}
    with COUNTED.open(encoding="utf-8", newline="") as file:
        return {row["model"]: row for row in csv.DictReader(file)}


ROWS = rows()
MONOTONE = [name for name, row in ROWS.items() if row["monotone"] == "yes" and name not in LONG]
OTHERS = [name for name, row in ROWS.items() if row["monotone"] == "no"]

pytestmark = pytest.mark.skipif(not ROWS, reason="the models are not beside this checkout")


def known(name: str) -> tuple[int, dict[int, int]]:
    row = ROWS[name]
    return int(row["mcs"]), {int(size): number for size, number in json.loads(row["size_distribution"]).items()}


@pytest.mark.parametrize("name", BY_COMMAND)
def test_a_tree_that_is_imported_has_the_cut_sets_that_others_counted(tmp_path, name):
    call, path = fresh(tmp_path), ARALIA / f"{name}.xml"
    told = call("import", "openpsa", str(path), "--json").json
    assert (told["format"], told["top"]) == ("tms.import/1", ["r1"])
    assert told["records"] == len(read_fault_tree(str(path)).records)
    found = call("environments", "r1", "--limit", "0", "--json").json
    assert found["complete_to"] is None
    assert found["consistent"] == found["count"]
    assert (found["count"], {int(size): number for size, number in found["sizes"].items()}) == known(name)


@pytest.mark.parametrize("name", [name for name in MONOTONE if name not in BY_COMMAND])
def test_the_cut_sets_of_a_published_tree_are_counted_as_others_did(name):
    tree = read_fault_tree(str(ARALIA / f"{name}.xml"))
    graph = Graph.empty().extend(tree.records)
    found = environments(graph, tree.top[0], limit=0)
    assert found.complete_to is None
    assert (found.count, found.sizes) == known(name)


@pytest.mark.parametrize("name", OTHERS)
def test_a_published_tree_that_is_not_monotone_is_refused(name):
    with pytest.raises(RecordError) as refused:
        read_fault_tree(str(ARALIA / f"{name}.xml"))
    assert refused.value.code == "unsupported"
