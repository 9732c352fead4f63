"""Floats of 16 bits: what rounds to them rounds in programs, and targets that lack them say so."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tensorlift.ops.dtypes import FLOATS, float_of_bits, largest, round_float
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

TARGETS = ["numpy", "jax", "torch", "linalg", "stablehlo", "c"]
LACKING = {"numpy", "c"}  # bf16
PRODUCTS = """
func.func @gemm(%A: memref<?x?xT>, %B: memref<?x?xT>, %C: memref<?x?xT>, %alpha: T) -> T {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tenth = arith.constant 0.1 : T
  %n = memref.dim %C, %c0 : memref<?x?xT>
  %m = memref.dim %C, %c1 : memref<?x?xT>
  %k = memref.dim %A, %c1 : memref<?x?xT>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xT>
        %b = affine.load %B[%l, %j] : memref<?x?xT>
        %p = arith.mulf %a, %b : T
        %old = affine.load %C[%i, %j] : memref<?x?xT>
        %new = arith.addf %old, %p : T
        affine.store %new, %C[%i, %j] : memref<?x?xT>
      }
    }
  }
  %r = arith.mulf %alpha, %tenth : T
  func.return %r : T
}
"""
ROUNDED = """
func.func @f(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  affine.for %i = 0 to %n {
    %a = affine.load %x[%i] : memref<?xf32>
    %p = arith.mulf %a, %a : f32
    %h = arith.truncf %p : f32 to T
    %e = arith.extf %h : T to f32
    affine.store %e, %y[%i] : memref<?xf32>
  }
  func.return
}
"""
IN_C = """
void relu(int n, const _Float16 *x, _Float16 *y) {
  for (int i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : (_Float16)0.01f * x[i];
}
float dot(int n, const _Float16 *x, const _Float16 *y) {
  float s = 0;
  for (int i = 0; i < n; i++) { _Float16 p = x[i] * y[i]; s += p; }
  return s;
}
"""
EXCESS = "float dot(int n, const _Float16 *x) { float s = 0; for (int i = 0; i < n; i++) s += BODY; return s; }"


def lifted(text: str, name: str, target: str) -> tuple[FunctionRecord, ...]:
    """Lift a source and run what comes out against it."""
    for library in {"stablehlo": ["jax"], "linalg": [], "c": [], "numpy": []}.get(target, [target]):
        pytest.importorskip(library)
    return lift_source(source_from_text(text, name), LiftOptions(target=target, test=True)).functions


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("target", TARGETS)
def test_sums_of_products_of_halves_agree_with_their_source(target: str, dtype: str) -> None:
    if dtype == "bf16":
        pytest.importorskip("ml_dtypes")
    (function,) = lifted(PRODUCTS.replace("T", dtype), "k.mlir", target)
    if dtype == "bf16" and target in LACKING:
        assert [d.code for d in function.diagnostics] == ["TL307"]
    else:
        assert function.lifted, function.diagnostics


@pytest.mark.parametrize(("dtype", "spelled"), [("f16", "float16"), ("bf16", "bfloat16")])
def test_a_rounding_to_a_half_stays_in_the_program(dtype: str, spelled: str) -> None:
    pytest.importorskip("ml_dtypes")
    (function,) = lifted(ROUNDED.replace("T", dtype), "k.mlir", "torch")
    assert function.lifted
    assert f".to(torch.{spelled}).to(x.dtype)" in function.program


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("target", TARGETS)
def test_what_c_stores_in_halves_is_rounded_there(target: str) -> None:
    for function in lifted(IN_C, "k.c", target):
        assert function.lifted, function.diagnostics
        assert not (function.name == "dot" and target == "numpy") or "x * y, dtype=np.float32" in function.program


@pytest.mark.parametrize(
    "body",
    [
        "x[i] * x[i]", "-(x[i] * x[i])", "x[i] > 0 ? x[i] : x[i] + x[i]", "x[i] + x[i] > 2", "x[i] * x[i] ? 1 : 2",
        "!(x[i] * x[i])",
    ],
)  # fmt: skip
def test_digits_that_compilers_may_keep_are_refused(body: str) -> None:
    (function,) = lift_source(source_from_text(EXCESS.replace("BODY", body), "k.c"), LiftOptions()).functions
    (diagnostic,) = function.diagnostics
    assert (diagnostic.code, diagnostic.message) == (
        "TL145",
        "compilers differ in whether this `_Float16` is rounded before it is used",
    )


def test_originals_round_each_operation_on_halves() -> None:
    text = "void f(int n, _Float16 *x) { for (int i = 0; i < n; i++) x[i] = (x[i] + (_Float16)1000) - (_Float16)1000; }"
    (function,) = lifted(text, "k.c", "numpy")
    assert function.lifted, function.diagnostics


@given(st.floats(width=64), st.sampled_from(["f16", "f32"]))
def test_doubles_are_rounded_as_by_numpy(value: float, dtype: str) -> None:
    with np.errstate(all="ignore"):
        expected = float(np.float64(value).astype({"f16": np.float16, "f32": np.float32}[dtype]))
    found = round_float(value, dtype)  # type: ignore[arg-type]  # names of types
    assert (
        math.isnan(found)
        if math.isnan(expected)
        else (found, math.copysign(1, found))
        == (
            expected,
            math.copysign(1, expected),
        )
    )


@given(st.integers(0, (1 << 16) - 1), st.sampled_from(["f16", "bf16"]))
def test_a_half_is_its_own_rounding(bits: int, dtype: str) -> None:
    value = float_of_bits(bits, dtype)  # type: ignore[arg-type]  # names of types
    rounded = round_float(value, dtype)  # type: ignore[arg-type]  # names of types
    assert rounded == value or math.isnan(value)


@pytest.mark.parametrize("dtype", FLOATS)
def test_what_is_beyond_the_largest_number_is_infinite(dtype: str) -> None:
    most = float(largest(dtype))  # type: ignore[arg-type]  # names of types
    assert round_float(most, dtype) == most  # type: ignore[arg-type]  # names of types
    if dtype != "f64":
        assert round_float(-most * 1.01, dtype) == -math.inf  # type: ignore[arg-type]  # names of types
