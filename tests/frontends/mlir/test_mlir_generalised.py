"""Constants become sizes unasked where the function is lifted no worse and no condition on sizes is needed."""

from __future__ import annotations

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import FunctionRecord, Verdict
from tensorlift.runtime.program import load_program
from tensorlift.source import source_from_text

SWEEP = """func.func @sweep(%x: memref<8xf64>) {
  affine.for %i = 1 to 8 {
    %v = affine.load %x[%i - 1] : memref<8xf64>
    %s = math.sin %v : f64
    affine.store %s, %x[%i] : memref<8xf64>
  }
  return
}
"""
WINDOW = """func.func @window(%x: memref<16xf64>, %k: memref<3xf64>, %y: memref<14xf64>) {
  affine.for %i = 0 to 14 {
    affine.for %j = 0 to 3 {
      %a = affine.load %x[%i + %j] : memref<16xf64>
      %b = affine.load %k[%j] : memref<3xf64>
      %c = affine.load %y[%i] : memref<14xf64>
      %p = arith.mulf %a, %b : f64
      %s = arith.addf %c, %p : f64
      affine.store %s, %y[%i] : memref<14xf64>
    }
  }
  return
}
"""


def lifted(text: str, generalise: bool | None = None) -> FunctionRecord:  # noqa: FBT001 - the option under test
    (function,) = lift_source(source_from_text(text, "k.mlir"), LiftOptions(generalise=generalise)).functions
    return function


def test_a_loop_that_stays_either_way_runs_over_the_size() -> None:
    function = lifted(SWEEP)
    assert function.verdict is Verdict.UNCHANGED
    assert [p.shape for p in function.parameters] == [("n",)]
    assert [d.code for d in function.diagnostics] == ["TL199"]


def test_sizes_that_need_conditions_stay_constants() -> None:
    function = lifted(WINDOW)
    assert [p.shape for p in function.parameters] == [("16",), ("3",), ("14",)]
    assert function.diagnostics == ()
    assert all(p.kind == "no-overlap" for p in function.preconditions)
    asked = lifted(WINDOW, generalise=True)
    assert "n + n_2 <= 17" in [p.text for p in asked.preconditions]


def test_sizes_that_no_shape_would_tell_stay_constants() -> None:
    text = WINDOW[: WINDOW.index("    affine.for %j")].replace("%x: memref<16xf64>, %k: memref<3xf64>", "%a: f64")
    text += "    affine.store %a, %y[%i] : memref<14xf64>\n  }\n  return\n}\n"
    function = lifted(text)
    assert [p.name for p in function.parameters] == ["a"]
    assert [p.name for p in lifted(text, generalise=True).parameters] == ["a", "n"]


@pytest.mark.parametrize("generalise", [None, False])
def test_at_the_constants_of_the_source_the_programs_agree(generalise: bool | None) -> None:  # noqa: FBT001 - the option under test
    function = lifted(SWEEP, generalise)
    x = np.arange(8.0)
    expected = x.copy()
    for i in range(1, 8):
        expected[i] = np.sin(expected[i - 1])
    np.testing.assert_array_equal(load_program(function.program, "sweep")(x), expected)
