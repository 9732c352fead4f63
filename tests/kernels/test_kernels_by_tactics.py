"""The shipped tactics alone lift the reference kernels, with proofs."""

from __future__ import annotations

import json

import pytest
from bench.fuzz import lift_seed
from bench.selection import KERNELS
from bench.tactics import lift_entry

from tensorlift.synthesis.tactics import Engine, shipped_tactics


def test_tactics_alone_lift_every_kernel_of_the_suites_without_kept_loops() -> None:
    entries = [e for e in json.loads((KERNELS / "index.json").read_text()) if not e["suite"].startswith("polybench")]
    engine = Engine(shipped_tactics())
    rows = [lift_entry(entry, engine) for entry in entries]
    assert len(rows) >= 80
    assert {row.name: row.remark for row in rows if not row.lifted} == {}


def test_tactics_cover_the_bodies_of_kept_loops() -> None:
    entries = [e for e in json.loads((KERNELS / "index.json").read_text()) if e["name"] in ("lu", "jacobi-2d", "symm")]
    engine = Engine(shipped_tactics())
    found = {
        entry["name"]: lift_entry(entry, engine).remark.split() for entry in entries if entry["suite"] == "polybench"
    }
    assert set(found) == {"lu", "jacobi-2d", "symm"}
    assert "gemv_transposed" in found["lu"]
    assert "symm" in found["symm"]
    assert "gemm_nn" not in found["jacobi-2d"]


@pytest.mark.parametrize("seed", [4, 1133])  # a step, a border that does not help
def test_what_tactics_do_not_cover_is_refused_as_such(seed: int) -> None:
    assert lift_seed(seed, test=False, engine="tactics").kind == "refused TL320"
