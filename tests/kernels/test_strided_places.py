"""Places that are products of indices and sizes, in Python's arrays, which keep their dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import source_from_text

READ = """
def f(y, x, step: int):
    for i in range(len(y)):
        y[i] = x[i * step] + 1.0
"""
WRITE = """
def f(y, x, step: int):
    for i in range(len(x)):
        y[i * step] = x[i]
"""
FLAT = """
def f(y, x):
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i * x.shape[1] + j] = x[i, j]
"""


def _lifted(source: str, *, verdict: str) -> Any:
    (function,) = lift_source(source_from_text(source, "f.py"), LiftOptions(test=True)).functions
    assert function.level is Level.PROVED, function.diagnostics
    assert str(function.verdict) == verdict
    assert any("is inside of it" in str(one.text) for one in function.preconditions)
    names: dict[str, Any] = {}
    exec(function.program, names)
    return names["f"]


@pytest.mark.parametrize("step", [0, 1, 3])
def test_cells_at_a_step_that_is_a_parameter_are_read_and_written(step: int) -> None:
    x, y = np.arange(20.0), np.zeros(6)
    np.testing.assert_array_equal(_lifted(READ, verdict="loop-free")(6, x, step), x[step * np.arange(6)] + 1)
    expected = np.zeros(20)
    for i in range(6):  # the last one counts
        expected[i * step] = i + 5
    got = _lifted(WRITE, verdict="loop-free")(np.zeros(20), np.arange(5.0, 11.0), step)
    np.testing.assert_array_equal(got, expected)
    assert not y.any()


def test_a_matrix_is_written_row_by_row_into_flat_memory() -> None:
    matrix = np.arange(12.0).reshape(3, 4)
    got = _lifted(FLAT, verdict="hybrid")(np.zeros(13), matrix)
    np.testing.assert_array_equal(got, [*matrix.ravel(), 0])
