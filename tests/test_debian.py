"""What breaks a Debian package: minimal sets in circles, as another program found them."""

from pathlib import Path

import pytest

from benchmarks.debian import Clauses, claims, clauses_of, cone
from tms.graph import Graph
from tms.listing import Environments, environments

RELEASE = Path(__file__).parents[1].parent / "shared" / "data" / "debian-broken-graph.json.gz"
KNOWN = {
    "python3-numpy": {1: 45, 5: 2, 7: 1, 8: 1},
    "texlive-full": {1: 553, 2: 16},
    "libreoffice": {1: 210, 2: 2, 5: 2, 7: 1, 8: 1, 9: 4},
}

pytestmark = pytest.mark.skipif(not RELEASE.exists(), reason="the packages are not beside this checkout")


@pytest.fixture(scope="module")
def release() -> Clauses:
    return clauses_of(RELEASE)


def breaking(release: Clauses, goal: str, packages: list[str]) -> Environments:
    graph = Graph.empty().extend(claims(release, packages))
    found = environments(graph, goal, limit=10_000)
    assert found.complete_to is None
    assert found.consistent == found.count == len(found.environments)
    return found


@pytest.mark.parametrize("goal", KNOWN)
def test_what_breaks_a_package_is_found_whole_although_dependencies_run_in_circles(release, goal):
    found = breaking(release, goal, cone(release, goal))
    assert found.sizes == KNOWN[goal]
    assert found.environments[0].members[0].startswith("removed:")
    assert (f"removed:{goal}",) in {environment.members for environment in found.environments}


def test_a_package_rests_on_as_many_as_another_program_says(release):
    assert len(cone(release, "python3-numpy")) == 64


@pytest.mark.slow
def test_what_breaks_a_desktop_is_found_whole_though_some_sets_are_very_large(release):
    # In the order of the file: the variables' order follows that of the records, and with some the budget is too small.
    sizes = breaking(release, "gnome-core", sorted(cone(release, "gnome-core"))).sizes
    assert sum(sizes.values()) == 850
    assert (sizes[1], sizes[2], sizes[4]) == (782, 46, 16)
    large = {size: number for size, number in sizes.items() if size > 4}
    assert (sum(large.values()), min(large), max(large)) == (6, 94, 176)
