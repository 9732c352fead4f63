"""The notebooks of the documents give what they show: all cells are run, with `--update` what they give is kept."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

_FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
_ALWAYS = {"functions"}
_KERNEL = re.compile(r"[\w/.-]*/ipykernel_\d+/\d+\.py")  # cells have other names in each process
_WRONG = {"--to nunpy"}  # cells that are errors, by what they hold


_NAMES = sorted(path.stem for path in _FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("name", [n if n in _ALWAYS else pytest.param(n, marks=pytest.mark.exhaustive) for n in _NAMES])
def test_notebooks_give_what_they_show(name: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    file = _FOLDER / f"{name}.ipynb"
    kept = nbformat.read(file, 4)
    run = copy.deepcopy(kept)
    for cell in run.cells:
        if any(wrong in cell.source for wrong in _WRONG):
            cell.metadata["tags"] = ["raises-exception"]
    nbclient.NotebookClient(run, timeout=60, resources={"metadata": {"path": str(tmp_path)}}).execute()
    for cell in run.cells:
        for of_a_run in ("tags", "execution"):
            cell.metadata.pop(of_a_run, None)
        for output in cell.get("outputs", ()):
            output.update(nbformat.from_dict(json.loads(_KERNEL.sub("cell.py", json.dumps(output)))))
    if pytestconfig.getoption("--update"):
        nbformat.write(run, file)
        return
    for before, after in zip(kept.cells, run.cells, strict=True):
        assert _shown(after) == _shown(before), after.source


def _shown(cell: Any) -> list[str]:
    """Give what a cell shows, but for times."""
    timed = cell.source.startswith("%%time")
    shown = (output for output in cell.get("outputs", ()) if not (timed and output.output_type == "stream"))
    return [re.sub(r"\"execution_count\": \d+", "", json.dumps(output, sort_keys=True)) for output in shown]
