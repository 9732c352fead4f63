"""Linalg on memrefs as a source: it lifts as the loops that it stands for, and what has no one meaning is refused."""

from __future__ import annotations

import pytest

from tensorlift.ir.function import FunctionView, functions
from tensorlift.languages.mlir import read_mlir
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import FunctionRecord, Level
from tensorlift.source import source_from_text


def _lift(text: str) -> FunctionRecord:
    (function,) = lift_source(source_from_text(text, "f.mlir"), LiftOptions(generalise=False)).functions
    return function


_ROW = """func.func @f(%A: memref<?x?xf64>, %x: memref<?xf64>, %i: index, %n: index) {
  %row = memref.subview %A[%i, 0] [1, %n] [1, 1] : memref<?x?xf64> to memref<?xf64, strided<[1], offset: ?>>
  %part = memref.subview %x[0] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1]>>
  linalg.copy ins(%row : memref<?xf64, strided<[1], offset: ?>>) outs(%part : memref<?xf64, strided<[1]>>)
  return
}
"""
_COLLAPSED = """func.func @f(%A: memref<?x?x1x1xf64>, %x: memref<?xf64>, %i: index) {
  %flat = memref.collapse_shape %A [[0], [1, 2, 3]] : memref<?x?x1x1xf64> into memref<?x?xf64>
  %one = arith.constant 1 : index
  %n = memref.dim %flat, %one : memref<?x?xf64>
  affine.for %j = 0 to %n {
    %cell = memref.load %flat[%i, %j] : memref<?x?xf64>
    memref.store %cell, %x[%j] : memref<?xf64>
  }
  return
}
"""
_WINDOWS = """func.func @f(%x: memref<8xf32>, %w: memref<3xf32>, %y: memref<6xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : memref<6xf32>)
  linalg.conv_1d ins(%x, %w : memref<8xf32>, memref<3xf32>) outs(%y : memref<6xf32>)
  return
}
"""
_VECTORS = """func.func @f(%x: memref<64xf32>, %y: memref<64xf32>) -> f32 {
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %sums = affine.for %i = 0 to 64 step 4 iter_args(%carried = %zeros) -> vector<4xf32> {
    %a = affine.vector_load %x[%i] : memref<64xf32>, vector<4xf32>
    %b = affine.vector_load %y[%i] : memref<64xf32>, vector<4xf32>
    %c = vector.fma %a, %b, %carried : vector<4xf32>
    affine.yield %c : vector<4xf32>
  }
  %r = vector.reduction <add>, %sums : vector<4xf32> into f32
  return %r : f32
}
"""
_MIXED = """func.func @f(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {
  linalg.matmul ins(%A, %B : memref<?x?xf16>, memref<?x?xf16>) outs(%C : memref<?x?xf32>)
  return
}
"""


def test_a_row_is_a_view_of_lower_rank() -> None:
    lifted = _lift(_ROW)
    assert lifted.level is Level.PROVED
    assert "x[:n] = A[i, :n]" in lifted.program


def test_axes_of_one_position_may_be_left_out() -> None:
    lifted = _lift(_COLLAPSED)
    assert lifted.level is Level.PROVED
    assert "A[i, :, 0, 0]" in lifted.program or "A[i, :, 0]" in lifted.program


def test_axes_that_become_one_are_refused() -> None:
    text = _COLLAPSED.replace("?x1x1", "?x4x1")
    assert "`memref.collapse_shape` changes the shape of an array" in _lift(text).diagnostics[0].message


def test_windows_are_products() -> None:
    assert _lift(_WINDOWS).level is Level.PROVED


@pytest.mark.parametrize(
    ("op", "program"),
    [
        ("sub ins(%a, %b : memref<3xi32>, memref<3xi32>) outs(%c : memref<3xi32>)", "return a - b"),
        ("max ins(%a, %c : memref<3xi32>, memref<3xi32>) outs(%c : memref<3xi32>)", "np.maximum(a, c)"),
        ("exp ins(%x : memref<3x4xf32>) outs(%x : memref<3x4xf32>)", "return np.exp(x)"),
        ("broadcast ins(%y : memref<4xf32>) outs(%x : memref<3x4xf32>) dimensions = [0]", "np.broadcast_to(y, (3, 4))"),
        ("map { arith.subi } ins(%a, %b : memref<3xi32>, memref<3xi32>) outs(%c : memref<3xi32>)", "return a - b"),
        (
            (
                "map ins(%x : memref<3x4xf32>) outs(%x : memref<3x4xf32>) (%i: f32) {\n"
                "%s = arith.mulf %i, %i : f32\nlinalg.yield %s : f32 }"
            ),
            "return x**2",
        ),
        (
            "reduce { arith.subf } ins(%x : memref<3x4xf32>) outs(%y : memref<4xf32>) dimensions = [0]",
            "y - x.sum(axis=0)",
        ),
        (
            (
                "reduce ins(%x : memref<3x4xf32>) outs(%y : memref<4xf32>) dimensions = [0] (%i: f32, %o: f32) {\n"
                "%s = arith.maximumf %o, %i : f32\nlinalg.yield %s : f32 }"
            ),
            "np.maximum(y, x.max(axis=0))",
        ),
    ],
)
def test_named_operations_on_cells_are_functions_of_these(op: str, program: str) -> None:
    arguments = ", ".join(f"%{name}: memref<3xi32>" for name in "abc")
    text = f"func.func @f({arguments}, %x: memref<3x4xf32>, %y: memref<4xf32>) {{\n  linalg.{op}\n  return\n}}\n"
    lifted = _lift(text)
    assert lifted.level is Level.PROVED
    assert program in lifted.program


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        ("add ins(%p, %p : memref<3xi1>, memref<3xi1>) outs(%p : memref<3xi1>)", "`linalg.add` of these types"),
        ("add ins(%a, %a : memref<3xi32>, memref<3xi32>) outs(%l : memref<3xi64>)", "`linalg.add` of these types"),
        ("exp ins(%a : memref<3xi32>) outs(%a : memref<3xi32>)", "`linalg.exp` of these types"),
        ("add {odd = 1} ins(%a : memref<3xi32>)", "Expected 'outs'"),
        ("broadcast ins(%a : memref<3xi32>) outs(%l : memref<3xi64>) dimensions = [1]", "none of the output"),
        ("map { arith.nothing } ins(%a : memref<3xi32>) outs(%a : memref<3xi32>)", "arith.nothing is not known"),
    ],
)
def test_operations_on_cells_of_other_types_are_refused(op: str, reason: str) -> None:
    text = "func.func @f(%a: memref<3xi32>, %l: memref<3xi64>, %p: memref<3xi1>) {\n  linalg.OP\n  return\n}\n"
    record = lift_source(source_from_text(text.replace("OP", op), "f.mlir"), LiftOptions())
    said = [*record.diagnostics, *(d for function in record.functions for d in function.diagnostics)]
    assert reason in said[0].message


_OPEN = "memref<?xf64>"
_COPY = f"linalg.copy ins(%a : {_OPEN}) outs(%b : {_OPEN})"
_FILL = f"linalg.fill ins(%z : f64) outs(%b : {_OPEN})"


@pytest.mark.parametrize(
    ("body", "shapes"),
    [
        (_COPY, ["a_d0", "a_d0", "c_d0"]),
        (f"linalg.copy ins(%a : {_OPEN}) outs(%s : memref<2xf64>)", ["2", "b_d0", "c_d0"]),
        (
            f"{_FILL}\n{_COPY.replace('%b', '%c')}\n{_COPY.replace('%a', '%c')}",
            ["a_d0", "a_d0", "a_d0"],
        ),
        (
            f"{_FILL}\n%t = memref.alloc(%n) : {_OPEN}\nlinalg.copy ins(%t : {_OPEN}) outs(%b : {_OPEN})",
            ["a_d0", "n", "c_d0"],
        ),
    ],
)
def test_operands_of_an_operation_that_always_runs_have_one_extent(body: str, shapes: list[str]) -> None:
    given = f"%a: {_OPEN}, %b: {_OPEN}, %c: {_OPEN}, %s: memref<2xf64>, %z: f64, %n: index"
    (read,) = read_mlir(f"func.func @f({given}) {{\n{body}\nreturn\n}}\n", "f.mlir")
    assert read.module is not None
    parameters = FunctionView(functions(read.module)[0]).parameters
    assert [str(p.extents[0]) for p in parameters if p.extents and p.name in ("a", "b", "c")] == shapes


def _function(body: str) -> str:
    given = "%A: memref<4x4xf64>, %B: memref<?x4xf64>, %x: memref<4xf64>, %y: memref<4xf32>, %s: memref<2xf64>"
    return f"func.func @f({given}) {{\n{body}\nreturn\n}}\n"


_SQUARE = "memref<4x4xf64>, memref<4x4xf64>"
_MAP = "affine_map<(d0) -> (d0)>"

_POSITION = f"""linalg.generic {{indexing_maps = [{_MAP}], iterator_types = ["parallel"]}} outs(%x : memref<4xf64>) {{
^bb0(%o: f64):
  %k = linalg.index 1 : index
  %n = arith.index_cast %k : index to i64
  %v = arith.sitofp %n : i64 to f64
  linalg.yield %v : f64
}}"""


def test_that_operands_have_one_extent_is_asked_where_an_operation_does_not_always_run() -> None:
    lifted = _lift(
        _function("affine.for %i = 0 to 4 {\nlinalg.copy ins(%B : memref<?x4xf64>) outs(%A : memref<4x4xf64>)\n}")
    )
    assert (lifted.level, lifted.definitions) == (Level.PROVED, Level.PROVED)
    assert "B.shape[0] <= 4" in [p.text for p in lifted.preconditions]


@pytest.mark.parametrize(
    ("body", "code", "message"),
    [
        (f"linalg.matmul ins(%A, %A : {_SQUARE}) outs(%A : memref<4x4xf64>)", "TL196", "reads A where it writes it"),
        (
            "linalg.transpose ins(%A : memref<4x4xf64>) outs(%A : memref<4x4xf64>) permutation = [1, 0]",
            "TL196",
            "reads A where it writes it",
        ),
        (
            "linalg.matmul ins(%B, %A : memref<?x4xf64>, memref<4x4xf64>) outs(%A : memref<4x4xf64>)",
            "TL196",
            "reads A where it writes it",
        ),
        (
            "affine.for %i = 0 to 4 {\nlinalg.copy ins(%x : memref<4xf64>) outs(%s : memref<2xf64>)\n}",
            "TL196",
            "the extents 4 and 2 differ",
        ),
        (
            "linalg.conv_1d ins(%x, %x : memref<4xf64>, memref<4xf64>) outs(%s : memref<2xf64>)",
            "TL196",
            "may be too small for its windows",
        ),
        ("linalg.copy ins(%y : memref<4xf32>) outs(%x : memref<4xf64>)", "TL145", "`linalg.copy` of two types"),
        (
            _POSITION,
            "TL195",
            "not in an operation with such a dimension",
        ),
        ("linalg.fill ins(%x : memref<4xf64>) outs(%x : memref<4xf64>)", "TL192", "rank 1, not 0"),
        (f"linalg.copy ins(%A, %A : {_SQUARE}) outs(%A : memref<4x4xf64>)", "TL192", "takes 1 inputs and one output"),
        (
            "linalg.transpose ins(%x : memref<4xf64>) outs(%x : memref<4xf64>) permutation = [1]",
            "TL192",
            "none of the dimensions",
        ),
    ],
)
def test_what_has_no_one_meaning_is_refused(body: str, code: str, message: str) -> None:
    record = lift_source(source_from_text(_function(body), "f.mlir"), LiftOptions(generalise=False))
    (refusal,) = record.all_diagnostics
    assert refusal.code == code
    assert message in refusal.message


def test_lanes_of_vectors_are_put_together() -> None:
    assert "return x @ y" in _lift(_VECTORS).program


def test_factors_are_as_wide_as_their_sum() -> None:
    assert "return C + A.astype(np.float32) @ B.astype(np.float32)" in _lift(_MIXED).program
