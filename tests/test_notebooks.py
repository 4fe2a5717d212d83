"""The notebooks run, and give the outputs that are checked in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def outputs(notebook: Any) -> list[list[Any]]:
    """What each cell of code gives, without what differs from run to run."""
    return [
        [(o.get("data") or o.get("text")) for o in cell.outputs if o.get("name") != "stderr"]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_gives_what_it_shows(path: Path) -> None:
    """Run as it is, in its own folder; a picture is there, whatever the fonts of this machine make of it."""
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    shown = nbformat.read(path, 4)
    again = nbformat.read(path, 4)
    resources = {"metadata": {"path": str(path.parent)}}
    client.NotebookClient(again, timeout=300, kernel_name="python3", resources=resources).execute()
    for expected, got in zip(outputs(shown), outputs(again), strict=True):
        assert [without_pictures(o) for o in got] == [without_pictures(o) for o in expected]
        assert [has_picture(o) for o in got] == [has_picture(o) for o in expected]


def without_pictures(output: Any) -> Any:
    """An output's texts; the layout of a picture depends on the fonts that are there."""
    return {k: v for k, v in output.items() if k != "image/svg+xml"} if isinstance(output, dict) else output


def has_picture(output: Any) -> bool:
    """Whether a picture is part of it."""
    return isinstance(output, dict) and "image/svg+xml" in output


def test_there_are_notebooks_and_all_their_cells_were_run() -> None:
    """Three of them; none with an error or an empty place where an output belongs."""
    nbformat = pytest.importorskip("nbformat")
    assert len(NOTEBOOKS) >= 3
    for path in NOTEBOOKS:
        cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
        assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1)), path.name
        assert not [o for cell in cells for o in cell.outputs if o.output_type == "error"], path.name
