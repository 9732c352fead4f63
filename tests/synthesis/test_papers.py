"""The kernels of two papers: what is measured of them is what the papers name."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench import tensorize_tables
from bench.engines import cell
from bench.kernels.catalogue import ROOT
from bench.kernels.sizes import small_sizes
from bench.papers import MLIRSYNTH, PAGE, program
from bench.selection import listed

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source, source_from_text

_PATHS = {entry["name"]: Path(ROOT / entry["file"]) for entry in listed() if entry["suite"] == "polybench"}


def test_the_kernels_are_there() -> None:
    assert len(MLIRSYNTH) == 13
    assert set(tensorize_tables.KERNELS) <= _PATHS.keys()
    suites = tensorize_tables.kernels()
    assert sum(map(len, suites.values())) == 99
    assert all(f"| {name} |" in PAGE.read_text(encoding="utf-8") for name in (*MLIRSYNTH, *suites))


@pytest.mark.parametrize("name", ["correlation", "symm", "syrk", "syr2k"])
def test_kernels_with_triangles_are_found_to_stablehlo(name: str) -> None:
    path = _PATHS[name]
    sizes = tuple(small_sizes(path, f"kernel_{name}")[-1].items())
    options = LiftOptions(target="stablehlo", engine="enumerate", sizes=sizes, include_dirs=(str(path.parent),))
    (function,) = lift_source(read_source(str(path)), options).functions
    assert function.level is Level.PROVED, function.diagnostics
    assert function.engines[0].counts["enumerated"] < 20_000


def test_a_suite_is_counted_as_its_kernels_are() -> None:
    column = [cell(entry, "sketch", "numpy") for entry in tensorize_tables.kernels()["blas"]]
    suite, found, *counts, _, _ = tensorize_tables.counted("blas", column)
    assert (suite, found) == ("blas", "3 of 3")
    assert counts == ["3", "0", "5", "0", "3"]


def test_random_programs_have_so_many_operations() -> None:
    text = program(1, 5)
    assert text == program(1, 5)
    assert sum(text.partition("y[i] =")[2].count(operation) for operation in "+*") == 5
    assert lift_source(source_from_text(text, "f.c"), LiftOptions()).functions[0].lifted
