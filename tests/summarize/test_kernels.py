"""The reference kernels: the loops that stay are the sequential ones, and each summary means what the kernel does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.summarize.plain import agrees
from tests.summarize.programs import kept, summary_of

from tensorlift.frontends.c import read_c
from tensorlift.ir.text import functions

ROOT = Path(__file__).parents[2] / "bench" / "kernels"
ROWS: list[dict[str, Any]] = json.loads((ROOT / "index.json").read_text())
LIFTABLE = [row for row in ROWS if row["expect"] in {"loop-free", "hybrid"}]

SEQUENTIAL: dict[str, list[Any]] = {
    "adi": [("t", [("j", []), ("j2", []), ("j3", []), ("j4", [])])],
    "cholesky": [("i", [("j", [])])],
    "deriche": [("j", []), ("j2", []), ("i4", []), ("i5", [])],
    "durbin": [("k", [])],
    "fdtd_2d": [("t", [])],
    "floyd_warshall": [("k", [("i", [("j", [])])])],
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


@pytest.mark.parametrize("row", LIFTABLE, ids=lambda row: row["file"])
def test_a_kernel_is_summarised_as_it_computes(row: dict[str, Any]) -> None:
    path = ROOT / row["file"]
    read = next(
        r for r in read_c(path.read_text(), row["file"], include_dirs=[str(path.parent)]) if r.name == row["function"]
    )
    assert read.module is not None
    function = functions(read.module)[0]
    summary = summary_of(function)
    expected = SEQUENTIAL[path.stem] if row["expect"] == "hybrid" else []
    assert kept(summary.items) == expected
    sizes = [dict.fromkeys(summary.sizes, size) for size in (3, 2)]
    if path.stem != "durbin":  # which divides by zero on these numbers
        assert agrees(function, summary, sizes[0], seed=3) or agrees(function, summary, sizes[1], seed=3)
