"""A dimension that a memref leaves open is an extent of its own: what a program assumes of it is a precondition."""

from __future__ import annotations

import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

COPY = """func.func @f(%a: memref<?xf64>, %b: memref<?xf64>, %n: index) {
  affine.for %i = 0 to %n {
    %v = affine.load %a[%i] : memref<?xf64>
    affine.store %v, %b[%i] : memref<?xf64>
  }
  return
}"""
FIRST = """func.func @f(%b: memref<?xf64>, %v: f64) {
  %c0 = arith.constant 0 : index
  memref.store %v, %b[%c0] : memref<?xf64>
  return
}"""
ITS_OWN = """func.func @f(%a: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %a, %c0 : memref<?xf64>
  %s = affine.for %i = 0 to %n iter_args(%t = %zero) -> (f64) {
    %v = affine.load %a[%i] : memref<?xf64>
    %u = arith.addf %t, %v : f64
    affine.yield %u : f64
  }
  return %s : f64
}"""


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        (COPY, ["a.shape[0] == n", "b.shape[0] == n"]),
        (FIRST, ["b.shape[0] == 1"]),
        (ITS_OWN, []),
        (COPY.replace("memref<?xf64>", "memref<8xf64>").replace("to %n", "to 8"), []),
    ],
)
def test_what_loops_reach_is_asked_of_a_dimension(text: str, conditions: list[str]) -> None:
    (function,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions()).functions
    assert [p.text for p in function.preconditions if p.kind == "shape"] == conditions
