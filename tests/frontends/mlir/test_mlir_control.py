"""Flat indices, loops that count by themselves, and searches, in MLIR."""

from __future__ import annotations

import numpy as np

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import source_from_text

_FLAT = """
func.func @f(%x: memref<?x?xf64>, %s: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf64>
  %m = memref.dim %x, %c1 : memref<?x?xf64>
  %t = arith.muli %n, %m : index
  scf.for %k = %c0 to %t step %c1 {
    %i = arith.divui %k, %m : index
    %j = arith.remui %k, %m : index
    %a = memref.load %x[%i, %j] : memref<?x?xf64>
    %b = memref.load %s[%j] : memref<?xf64>
    %c = arith.mulf %a, %b : f64
    memref.store %c, %x[%i, %j] : memref<?x?xf64>
  }
  func.return
}
"""
_SCATTERS = """
func.func @f(%x: memref<?xf64>, %ix: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %a = arith.constant 1.0 : f64
  scf.for %k = %c0 to %n step %c1 {
    %i = memref.load %ix[%k] : memref<?xindex>
    memref.store %a, %x[%i] : memref<?xf64>
  }
  func.return
}
"""


def test_a_flat_index_in_mlir_is_lifted_with_both_halves_proved() -> None:
    (function,) = lift_source(source_from_text(_FLAT, "f.mlir"), LiftOptions()).functions
    assert function.verdict is Verdict.LOOP_FREE
    assert (function.level, function.definitions) == (Level.PROVED, Level.PROVED)
    assert [p.text for p in function.preconditions if p.kind == "shape"] == ["s.shape[0] == x.shape[1]"]
    scope: dict[str, object] = {}
    exec(function.program, scope)
    x, s = np.arange(6.0).reshape(2, 3), np.array([1.0, 2.0, 3.0])
    lifted = scope["f"]
    assert callable(lifted)
    np.testing.assert_array_equal(lifted(x, s), x * s)


def test_a_place_of_a_store_in_mlir_may_depend_on_data() -> None:
    (function,) = lift_source(source_from_text(_SCATTERS, "f.mlir"), LiftOptions()).functions
    assert (function.verdict, function.level) == (Verdict.LOOP_FREE, Level.PROVED)


def test_a_while_in_mlir_that_counts_is_lifted() -> None:
    text = """func.func @f(%x: memref<?xf64>, %y: memref<?xf64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %r = scf.while (%i = %c0) : (index) -> index {
    %in = arith.cmpi slt, %i, %n : index
    scf.condition(%in) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.load %y[%i] : memref<?xf64>
    memref.store %a, %x[%i] : memref<?xf64>
    %k = arith.addi %i, %c1 : index
    scf.yield %k : index
  }
  func.return %r : index
}"""
    (function,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions()).functions
    assert function.verdict is Verdict.LOOP_FREE
    assert (function.level, function.definitions) == (Level.PROVED, Level.PROVED)


_ENDS_ON_DATA = """
func.func @f(%x: memref<?xf64>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %z = arith.constant 0.0 : f64
  %r = scf.while (%i = %c0) : (index) -> index {
    %in = arith.cmpi slt, %i, %n : index
    %go = scf.if %in -> (i1) {
      %v = memref.load %x[%i] : memref<?xf64>
      %p = arith.cmpf ogt, %v, %z : f64
      scf.yield %p : i1
    } else {
      scf.yield %in : i1
    }
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %k = arith.addi %i, %c1 overflow<nsw> : index
    scf.yield %k : index
  }
  func.return %r : index
}
"""


def test_a_condition_in_steps_ends_a_search_in_mlir() -> None:
    (function,) = lift_source(source_from_text(_ENDS_ON_DATA, "f.mlir"), LiftOptions()).functions
    assert function.verdict is Verdict.LOOP_FREE
    assert (function.level, function.definitions) == (Level.PROVED, Level.PROVED)
    scope: dict[str, object] = {}
    exec(function.program, scope)
    lifted = scope["f"]
    assert callable(lifted)
    for values in ([], [1.0], [-1.0], [2.0, 1.0, 0.0, 3.0], [1.0, -2.0, -3.0]):
        expected = next((k for k, value in enumerate(values) if value <= 0), len(values))
        assert lifted(np.array(values)) == expected
