"""Numbers that a source does not have: an operation that multiplies by numbers and adds does less, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

_DEFINITION = """irdl.dialect @vec {
  irdl.operation @axpby {
    %s = irdl.is f64
    %t = irdl.base "!builtin.tensor"
    irdl.operands(a: %s, x: %t, b: %s, y: %t)
    irdl.results(result: %t)
  }
}
"""
_LOWERING = """func.func @vec.axpby(%a: f64, %x: memref<?xf64>, %b: f64, %y: memref<?xf64>, %result: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  affine.for %i = 0 to %n {
    %p = affine.load %x[%i] : memref<?xf64>
    %q = affine.load %y[%i] : memref<?xf64>
    %ap = arith.mulf %a, %p : f64
    %bq = arith.mulf %b, %q : f64
    %sum = arith.addf %ap, %bq : f64
    affine.store %sum, %result[%i] : memref<?xf64>
  }
  return
}
"""
_CELLS = ["a * x[i] + y[i]", "x[i] + y[i]", "x[i] - y[i]", "x[i] + x[i]", "(x[i] + y[i]) / 2", "a * x[i]"]


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("vec")
    files = {"irdl": folder / "vec.irdl.mlir", "lowering": folder / "vec.lowerings.mlir"}
    files["irdl"].write_text(_DEFINITION)
    files["lowering"].write_text(_LOWERING)
    given = [part for name, file in files.items() for part in (f"--{name}", str(file))]
    assert main(["target", "add", "vec", *given, "-o", str(folder / "vec.target.json")]) == 0
    return str(folder / "vec.target.json")


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("engine", ["derive", "tactics", "sketch", "sketch-whole", "enumerate"])
@pytest.mark.parametrize("cell", _CELLS)
def test_an_operation_with_factors_computes_what_has_fewer(cell: str, engine: str, target: str) -> None:
    head = "void f(int n, double a, double x[n], double y[n], double z[n])"
    text = f"{head} {{ for (int i = 0; i < n; i++) z[i] = {cell}; }}"
    (function,) = lift_source(source_from_text(text, "f.c"), LiftOptions(target=target, engine=engine)).functions
    assert (function.verdict, function.level) == (Verdict.LOOP_FREE, Level.PROVED), function.diagnostics
    assert '"vec.axpby"' in function.program
