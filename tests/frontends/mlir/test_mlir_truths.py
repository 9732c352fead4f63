"""Integers of one bit mean the same in lifted programs as in the interpreter, where true is -1 as a signed number."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.ir import one_bit

from tensorlift import lift
from tensorlift.ir.interpreter import Interpreter
from tensorlift.ir.memory import NUMPY_TYPES
from tensorlift.ir.text import functions, parse_module
from tensorlift.runtime.program import call_program
from tensorlift.runtime.program_worker import loaded

if TYPE_CHECKING:
    from pathlib import Path

_PER_TARGET = ["maxsi", "minsi", "addi", "sitofp_f64", "index_cast", "fptosi", "slt", "ule"]
_REDUCTIONS = """
func.func @all_of(%P: memref<?xi1>, %Y: memref<?xi1>, %n: index) {
  %true = arith.constant true
  %zero = arith.constant 0 : index
  affine.store %true, %Y[%zero] : memref<?xi1>
  affine.for %i = 0 to %n {
    %p = affine.load %P[%i] : memref<?xi1>
    %y = affine.load %Y[%zero] : memref<?xi1>
    %r = arith.minui %y, %p : i1
    affine.store %r, %Y[%zero] : memref<?xi1>
  }
  return
}
func.func @least(%P: memref<?xi1>, %n: index) -> i1 {
  %false = arith.constant false
  %m = affine.for %i = 0 to %n iter_args(%acc = %false) -> (i1) {
    %p = affine.load %P[%i] : memref<?xi1>
    %r = arith.minsi %acc, %p : i1
    affine.yield %r : i1
  }
  return %m : i1
}
func.func @signed_sum(%P: memref<?xi1>, %n: index) -> i32 {
  %zero = arith.constant 0 : i32
  %m = affine.for %i = 0 to %n iter_args(%acc = %zero) -> (i32) {
    %p = affine.load %P[%i] : memref<?xi1>
    %v = arith.extsi %p : i1 to i32
    %r = arith.addi %acc, %v : i32
    affine.yield %r : i32
  }
  return %m : i32
}
"""


def test_lifted_operations_on_one_bit_agree_with_the_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "bits.mlir"
    file.write_text("".join(map(one_bit.over_arrays, one_bit.OPERATIONS)), encoding="utf-8")
    lifted = {function.name: function for function in lift(file).functions}
    for name in one_bit.OPERATIONS:
        function = lifted[f"{name}_bit"]
        assert function.lifted, (name, function.diagnostics)
        pairs = [(p, q) for known, p, q in one_bit.defined() if known == name]
        operands = [np.array(side, bool) for side in zip(*pairs, strict=True)]
        original = Interpreter(functions(parse_module(one_bit.over_arrays(name), "bits.mlir"))[0])
        results = np.zeros(len(pairs), NUMPY_TYPES[original.view.parameters[2].dtype])
        original(dict(zip((p.name for p in original.view.parameters), [*operands, results, len(pairs)], strict=True)))
        given = {**dict(zip("PQ", operands, strict=True)), "Y": np.zeros_like(results), "n": len(pairs)}
        program: dict[str, object] = {}
        exec(function.program, program)
        entry = program[f"{name}_bit"]
        taken = entry.__code__.co_varnames[: entry.__code__.co_argcount + entry.__code__.co_kwonlyargcount]  # type: ignore[attr-defined] # a function
        found = entry(**{key: given[key] for key in taken})  # type: ignore[operator] # a function
        np.testing.assert_array_equal(found, results, err_msg=name)


@pytest.mark.parametrize("target", ["c", "linalg", "jax", "torch"])
def test_operations_on_one_bit_lift_to_other_targets(target: str, tmp_path: Path) -> None:
    if target in {"jax", "torch"} and find_spec(target) is None:
        pytest.skip(f"{target} is not installed")
    file = tmp_path / "bits.mlir"
    file.write_text("".join(map(one_bit.over_arrays, _PER_TARGET)), encoding="utf-8")
    for function in lift(file, to=target).functions:
        assert function.lifted, (function.name, function.diagnostics)


def test_folds_of_one_bit_lift(tmp_path: Path) -> None:
    file = tmp_path / "bits.mlir"
    file.write_text(_REDUCTIONS, encoding="utf-8")
    for function in lift(file).functions:
        assert function.lifted, (function.name, function.diagnostics)


_FOLDED = ("xori", "addi", "subi", "minsi", "maxsi", "andi", "ori", "muli", "minui", "maxui")


def _folds(start: str) -> str:
    return "".join(
        f"""func.func @{name}(%P: memref<?xi1>, %n: index) -> i1 {{
  %s = arith.constant {start}
  %r = affine.for %i = 0 to %n iter_args(%t = %s) -> (i1) {{
    %p = affine.load %P[%i] : memref<?xi1>
    %u = arith.{name} %t, %p : i1
    affine.yield %u : i1
  }}
  return %r : i1
}}
"""
        for name in _FOLDED
    )


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
@pytest.mark.parametrize("start", ["true", "false"])
def test_a_fold_of_one_bit_that_is_returned_starts_as_one_bit(target: str, start: str, tmp_path: Path) -> None:
    if target in {"jax", "torch"} and find_spec(target) is None:
        pytest.skip(f"{target} is not installed")
    file = tmp_path / "folds.mlir"
    file.write_text(_folds(start), encoding="utf-8")
    lifted = lift(file, to=target).functions
    originals = functions(parse_module(_folds(start), "folds.mlir"))
    for function, original in zip(lifted, originals, strict=True):
        assert function.lifted, (function.name, function.diagnostics)
        run = loaded(function.program, function.name, target)
        for given in (np.array([True]), np.array([True, False, True]), np.array([False, False])):
            (found,) = call_program(run, {"P": given, "n": len(given)}, 1)
            wanted = Interpreter(original)({"P": given.copy(), "n": len(given)}).value
            assert bool(found) == bool(wanted), (function.program, given)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [("isnan", [0, 1, 0, 0, 0]), ("isinf", [0, 0, 1, 1, 0]), ("isfinite", [1, 0, 0, 0, 1])],
)
def test_kinds_of_floats_are_told(kind: str, wanted: list[int], tmp_path: Path) -> None:
    file = tmp_path / "kinds.mlir"
    text = """func.func @f(%x: memref<?xf32>, %y: memref<?xi1>, %n: index) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %c = math.KIND %a : f32
    affine.store %c, %y[%i] : memref<?xi1>
  }
  return
}
"""
    file.write_text(text.replace("KIND", kind), encoding="utf-8")
    (function,) = lift(file).functions
    assert function.lifted, function.diagnostics
    given = np.array([1, np.nan, np.inf, -np.inf, 0], np.float32)
    run = loaded(function.program, "f", "numpy")
    (found,) = call_program(run, {"x": given, "y": np.zeros(5, bool), "n": 5}, 1)
    assert found.tolist() == list(map(bool, wanted))
