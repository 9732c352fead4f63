"""Distributing loops: one store in each nest, the same meaning, and nests that stay."""

from __future__ import annotations

from tensorlift.ir.text import parse_module
from tensorlift.raising.pipeline import Result, run_passes
from tensorlift.raising.pipeline_text import parse_passes
from tensorlift.runtime.mlir.tools import checked, find_tools

_TOOLS = find_tools()
_TWO = """func.func @f(%A: memref<4x5xf64>, %x: memref<4xf64>, %y: memref<5xf64>) {
  affine.for %i = 0 to 4 {
    %z = arith.constant 0.0 : f64
    affine.store %z, %x[%i] : memref<4xf64>
    affine.for %j = 0 to 5 {
      %a = affine.load %A[%i, %j] : memref<4x5xf64>
      %s = affine.load %x[%i] : memref<4xf64>
      %t = arith.addf %s, %a : f64
      affine.store %t, %x[%i] : memref<4xf64>
      %u = affine.load %y[%j] : memref<5xf64>
      %v = arith.addf %u, %a : f64
      affine.store %v, %y[%j] : memref<5xf64>
    }
  }
  return
}
"""
_CARRIED = """func.func @f(%x: memref<9xf64>, %y: memref<9xf64>) {
  affine.for %i = 1 to 9 {
    %a = affine.load %x[%i - 1] : memref<9xf64>
    %b = arith.mulf %a, %a : f64
    affine.store %b, %x[%i] : memref<9xf64>
    affine.store %b, %y[%i] : memref<9xf64>
  }
  return
}
"""
_INNER = """func.func private @step(index)
func.func @f(%A: memref<6x6xf64>, %x: memref<6xf64>) {
  affine.for %t = 0 to 6 {
    func.call @step(%t) : (index) -> ()
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%t) {
      %n = arith.index_cast %t : index to i64
      %a = arith.sitofp %n : i64 to f64
      affine.store %a, %A[%t, %j] : memref<6x6xf64>
      affine.store %a, %x[%j] : memref<6xf64>
    }
  }
  return
}
"""


def distributed(text: str) -> Result:
    """Distribute the loops of a module, and demand that upstream accepts what comes out."""
    result = run_passes(text, "in.mlir", parse_passes("distribute-loops"), guards=False)
    if _TOOLS is not None:
        checked(result.text, _TOOLS)
    return result


def stores_by_nest(text: str) -> list[int]:
    """Count the stores in each outermost nest."""
    module = parse_module(text, "out.mlir")
    nests = [op for op in module.walk() if op.name == "affine.for" and op.parent_op().name == "func.func"]  # type: ignore[union-attr]  # a loop is in a function
    return [sum(inner.name == "affine.store" for inner in nest.walk()) for nest in nests]


def test_each_nest_has_one_store() -> None:
    assert stores_by_nest(distributed(_TWO).text) == [1, 1, 1]


def test_what_is_distributed_is_raised_nest_by_nest() -> None:
    passes = parse_passes("distribute-loops,raise-affine-to-linalg")
    result = run_passes(_TWO, "in.mlir", passes, guards=False)
    assert "affine.for" not in result.text
    assert [counts["nests replaced"] for _, counts in result.counts] == [1, 3]


def test_a_nest_whose_iterations_depend_on_each_other_stays() -> None:
    result = distributed(_CARRIED)
    assert result.text.split() == _CARRIED.split()
    assert "its iterations depend on each other" in result.diagnostics[0].message


def test_a_nest_inside_of_a_loop_that_stays_is_distributed_there() -> None:
    result = distributed(_INNER)
    assert result.text.count("affine.store") == 2
    assert result.text.count("affine.for") == 3
    assert "func.call @step" in result.text
