"""Of the loops that vectorisers are tried with, those that stay loops on NumPy are known; a run lifts a sixth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bench.vectoriser import FOLDER

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source

_LOOPS = [
    (path.name, name)
    for path in sorted(FOLDER.glob("*.*"))
    for name in re.findall(r"^(?:\w+ )+(f\d\d_\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)
]
_KEPT = {
    ".c": {
        "f02_symbolic_step", "f02_step_from", "f06_dot", "f06_saxpy", "f07_float_counter",
        "f33_second_push", "f13_squaring_chain", "f14_diagonal",
        "f14_square_of_neighbour", "f15_wavefront",
        "f30_first_order", "f30_second_order",
    },
    ".py": {
        "f06_dot",
        "f06_saxpy", "f07_collapsed", "f08_store_by_call", "f26_horner",
        "f29_exponential_average", "f30_compound", "f30_fibonacci", "f33_append", "f38_one_hot",
        "f33_second_push", "f34_gather", "f35_flat_and_matrix", "f13_squaring_chain",
        "f14_diagonal", "f14_square_of_neighbour", "f15_wavefront", "f28_strided",
        "f30_first_order", "f30_second_order", "f02_while_step", "f06_forward", "f07_flat",
        "f09_unpack_triangle", "f15_paths", "f15_cheapest",
    },
}  # fmt: skip


def test_there_are_as_many_loops_as_families_have() -> None:
    assert [sum(file.endswith(suffix) for file, _ in _LOOPS) for suffix in (".c", ".py")] == [151, 246]
    assert {(Path(file).suffix, name) for file, name in _LOOPS} >= {
        (s, name) for s, names in _KEPT.items() for name in names
    }


@pytest.mark.in_turns(12)
@pytest.mark.parametrize(("file", "name"), _LOOPS, ids=str)
def test_a_loop_becomes_array_operations(file: str, name: str) -> None:
    (function,) = lift_source(read_source(str(FOLDER / file)), LiftOptions((name,))).functions
    verdict = str(function.verdict) if function.lifted else "refused"
    assert (verdict in {"loop-free", "scan"}) == (name not in _KEPT[Path(file).suffix]), function.diagnostics
    assert not function.lifted or function.level is Level.PROVED
