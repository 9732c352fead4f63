"""The reference kernels: the loops that stay are the sequential ones, and each summary means what the kernel does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from bench.kernels.catalogue import read
from tests.summarize.plain import agrees
from tests.summarize.programs import kept, summary_of

from tensorlift.ir.function import FunctionView
from tensorlift.ir.text import functions

if TYPE_CHECKING:
    from xdsl.ir import Operation

ROOT = Path(__file__).parents[2] / "bench" / "kernels"
ROWS: list[dict[str, Any]] = json.loads((ROOT / "index.json").read_text())
LIFTABLE = [row for row in ROWS if row["expect"] in {"loop-free", "hybrid"}]

SEQUENTIAL: dict[str, list[Any]] = {
    "adi": [("t", [("j", []), ("j2", []), ("j3", []), ("j4", [])])],
    "cholesky": [("i", [("j", [])])],
    "deriche": [("j", []), ("j2", []), ("i4", []), ("i5", [])],
    "durbin": [("k", [])],
    "fdtd_2d": [("t", [])],
    "floyd_warshall": [("k", [])],
    "gramschmidt": [("k", [])],
    "heat_3d": [("t", [])],
    "jacobi_1d": [("t", [])],
    "jacobi_2d": [("t", [])],
    "lu": [("i", [("j", [])])],
    "ludcmp": [("i", [("j", [])]), ("i2", []), ("i3", [])],
    "nussinov": [("i", [("j", [])])],
    "seidel_2d": [("t", [("i", [("j", [])])])],
    "trisolv": [("i", [])],
}


def _array_names(function: Operation) -> set[str]:
    return {parameter.name for parameter in FunctionView(function).parameters if parameter.role == "array"}


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("row", LIFTABLE, ids=lambda row: row["file"])
def test_a_kernel_is_summarised_as_it_computes(row: dict[str, Any]) -> None:
    path = ROOT / row["file"]
    found = next(r for r in read(path) if r.name == row["function"])
    assert found.module is not None
    function = functions(found.module)[0]
    summary = summary_of(function)
    expected = SEQUENTIAL[path.stem] if row["expect"] == "hybrid" else []
    assert kept(summary.items) == expected
    sizes = [dict.fromkeys(summary.sizes, size) for size in (3, 2)]
    sizes.append({name: 5 if name.removesuffix("_size") in _array_names(function) else 2 for name in summary.sizes})
    if path.stem != "durbin":  # which divides by zero on these numbers
        assert any(agrees(function, summary, at, seed=3) for at in sizes)
