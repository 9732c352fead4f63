"""Arrays that a function in MLIR returns are outputs: allocated ones, and arguments that it gives back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.commands.in_place_mlir import rewrite_mlir
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

TOTAL = """func.func @total(%x: memref<?xf64>) -> memref<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %r = memref.alloc() : memref<f64>
  memref.store %zero, %r[] : memref<f64>
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %r[] : memref<f64>
    %v = memref.load %x[%i] : memref<?xf64>
    %s = arith.addf %a, %v : f64
    memref.store %s, %r[] : memref<f64>
  }
  return %r : memref<f64>
}
"""
TWICE = """func.func @twice(%x: memref<?xf64>) -> memref<?xf64> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %y = memref.alloc(%n) : memref<?xf64>
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = arith.addf %v, %v : f64
    affine.store %s, %y[%i] : memref<?xf64>
  }
  return %y : memref<?xf64>
}
"""
SAME = """func.func @same(%x: memref<?xf64>, %n: index) -> memref<?xf64> {
  affine.for %i = 0 to %n {
    %v = affine.load %x[%i] : memref<?xf64>
    %s = arith.mulf %v, %v : f64
    affine.store %s, %x[%i] : memref<?xf64>
  }
  return %x : memref<?xf64>
}
"""
PART = """func.func @part(%x: memref<?xi16>, %m: index) -> memref<?xi16> {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xi16>
  %y = memref.alloc(%n) : memref<?xi16>
  affine.for %i = 0 to %m {
    %v = affine.load %x[%i] : memref<?xi16>
    affine.store %v, %y[%i] : memref<?xi16>
  }
  return %y : memref<?xi16>
}
"""
ROWS = """func.func @rows(%x: memref<4x5xi32>) -> (memref<4xi32>, i32) {
  %r = memref.alloc() : memref<4xi32>
  %zero = arith.constant 0 : i32
  affine.for %i = 0 to 4 {
    affine.store %zero, %r[%i] : memref<4xi32>
    affine.for %j = 0 to 5 {
      %a = affine.load %r[%i] : memref<4xi32>
      %v = affine.load %x[%i, %j] : memref<4x5xi32>
      %s = arith.addi %a, %v : i32
      affine.store %s, %r[%i] : memref<4xi32>
    }
  }
  %first = affine.load %r[0] : memref<4xi32>
  return %r, %first : memref<4xi32>, i32
}
"""


def _lifted(text: str, target: str = "numpy") -> FunctionRecord:
    (function,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions(target=target, test=True)).functions
    assert (str(function.level), {d.code for d in function.diagnostics} - {"TL199"}) == ("proved", set())
    assert all(trial.passed for trial in function.tests)
    return function


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (TOTAL, "def total(x):\n    return x.sum()"),
        (TWICE, "def twice(x):\n    return x + x"),
        (SAME, "    x = x.copy()\n    x[:n] *= x[:n]\n    return x"),
        (PART, "    y = x.copy()\n    y[m:] = 0\n    return y"),  # nothing is known of what is not written
        (ROWS, "    r = x.sum(axis=1, dtype=np.int32)\n    return r, r[0]"),
    ],
)
def test_a_returned_array_is_an_output(text: str, form: str) -> None:
    assert form in (_lifted(text).program or "")


@pytest.mark.parametrize("text", [TOTAL, TWICE, SAME, PART, ROWS])
def test_other_targets_return_it_too(text: str) -> None:
    assert "return" in (_lifted(text, "linalg").program or "")


def test_in_place_the_loops_of_such_a_function_are_replaced() -> None:
    """The program would return other memory than the function."""
    _, text = rewrite_mlir(source_from_text(TWICE, "f.mlir"), LiftOptions(target="linalg"))
    assert b"-> memref<?xf64> {" in text
    assert b"func.call @twice_at_5(" in text
