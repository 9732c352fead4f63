"""Folds and stores that Linalg has no operation for are loops, which are read back; wrong ones are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.lifts import lifted_text

from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.check import check
from tensorlift.proofs.failure import CheckFailure
from tensorlift.runtime.mlir.program import Module
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

PACK = """void pack(int n, const double *restrict x, const double *restrict y, double *restrict out) {
  int k = 2;
  for (int i = 0; i < n; i++) if (x[i] > 0) out[k++] = y[i];
}"""
RUNNING = """void running(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 1; j < m; j++) a[i][j] += a[i][j - 1];
}"""
GREATEST = """void greatest(int n, const double *x, double *y) {
  double best = x[0];
  for (int i = 0; i < n; i++) { if (x[i] > best) best = x[i]; y[i] = best; }
}"""
ROWS = """void rows(int n, const int *restrict row, const int *restrict col, const double *restrict v,
          double *restrict y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = row[i]; k < row[i + 1]; k++) s += v[k] * col[k];
    y[i] = s;
  }
}"""
_WRONG = [
    (PACK, "tensor.extract %y[%p]", "tensor.extract %x[%p]", "TL406"),
    (PACK, "cmpf ogt", "cmpf oge", "TL40"),
    (PACK, "constant 2 : i32", "constant 3 : i32", "TL40"),
    (PACK, "constant 1 : i32", "constant 2 : i32", "TL401"),
    (PACK, "%10 = tensor.insert %7 into %4", "%10 = tensor.insert %7 into %out", "TL40"),
    (PACK, "scf.yield %10, %11", "scf.yield %10, %5", "TL40"),
    (PACK, "scf.yield %4, %5", "scf.yield %4, %11", "TL401"),
    (PACK, "scf.yield %4, %5", "scf.yield %out, %5", "TL40"),
    (PACK, "scf.yield %8#0, %8#1", "scf.yield %4, %8#1", "TL40"),
    (PACK, "%p = %c0 to", "%p = %c1 to", "TL401"),
    (PACK, "return %3#0", "return %out", "TL406"),
    (RUNNING, "arith.addf", "arith.mulf", "TL401"),
    (RUNNING, "arith.addf %5, %6", "arith.addf %6, %6", "TL401"),
    (RUNNING, "arith.addf", "arith.subf", "TL401"),
    (RUNNING, "constant 0.0", "constant 1.0", "TL401"),
    (RUNNING, "insert %7 into", "insert %5 into", "TL406"),
    (RUNNING, "insert %7 into %4[%p, %p_0]", "insert %7 into %4[%p_0, %p]", "TL40"),
    (RUNNING, "insert %7 into %4[%p, %p_0]", "insert %7 into %4[%p, %p]", "TL40"),
    (RUNNING, "iter_args(%4 = %2", "iter_args(%4 = %0", "TL40"),
    (RUNNING, "scf.yield %8, %7", "scf.yield %8, %6", "TL40"),
    (RUNNING, "%p_0 = %c0 to %m", "%p_0 = %c1 to %m", "TL401"),
    (RUNNING, "%p_0 = %c0 to %m", "%p_0 = %c0 to %n", "TL40"),
    (GREATEST, "maximumf", "minimumf", "TL401"),
    (GREATEST, "0xFFF0000000000000", "0.0", "TL401"),
    (GREATEST, "%4 = tensor.extract %x[%p]", "%4 = tensor.extract %x[%c0]", "TL406"),
    (ROWS, "insert %9 into %3[%p]", "insert %9 into %3[%c0]", "TL40"),
    (ROWS, "%k = %5 to %8", "%k = %8 to %5", "TL406"),
    (ROWS, "%k = %5 to %8", "%k = %c0 to %8", "TL406"),
    (ROWS, "%k = %5 to %8 step %c1", "%k = %5 to %8 step %n", "TL401"),
    (ROWS, "arith.addf %10, %14", "arith.addf %14, %14", "TL401"),
    (ROWS, "constant 0.0", "constant 1.0", "TL401"),
    (ROWS, "(d0 + 1)", "(d0)", "TL406"),
    (ROWS, "(d0 + 1)", "(d0 + 2)", "TL40"),
]


@pytest.mark.parametrize("source", [PACK, RUNNING, GREATEST, ROWS])
def test_it_is_lifted_and_proved(source: str) -> None:
    assert _one(source).verdict == ("scan" if source in {RUNNING, GREATEST} else "hybrid")


@pytest.mark.parametrize(("source", "old", "new", "code"), _WRONG)
def test_a_wrong_loop_is_rejected(source: str, old: str, new: str, code: str) -> None:
    function = _one(source)
    certificate = certificate_from_json(function.certificate or {})
    assert old in function.program, function.program
    text = function.program.replace(old, new, 1)
    with pytest.raises(CheckFailure) as caught:
        check(text, function.name, certificate.summary, get_target("linalg"), certificate.cuts)
    assert caught.value.code.startswith(code), str(caught.value)


def test_they_run() -> None:
    if find_tools() is None:
        pytest.skip("upstream MLIR's tools are not installed")
    module = Module("\n".join(_one(source).program for source in (PACK, RUNNING, GREATEST, ROWS)))
    x, out = np.array([1.0, -1.0, 2.0]), np.full(6, 9.0)
    assert module.function("pack")(x, x, out).tolist() == [9, 9, 1, 2, 9, 9]
    a = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(module.function("running")(a), np.cumsum(a, axis=1))
    assert module.function("running")(np.empty((2, 0))).shape == (2, 0)
    assert module.function("greatest")(x[::-1].copy()).tolist() == [2, 2, 2]
    bounds, col = np.array([0, 2, 2, 3], np.int32), np.array([3, 1, 2], np.int32)
    assert module.function("rows")(bounds, col, x).tolist() == [2, 0, 4]


def _one(source: str) -> FunctionRecord:
    function = lifted_text(source, "linalg")
    assert (function.diagnostics, function.level) == ((), "proved")
    return function


def test_a_number_that_an_integer_type_does_not_hold_is_no_start_of_a_fold() -> None:
    source = (
        "int f(int n, const int *a) { int s = a[0]; for (int i = 1; i < n; i++) s = a[i] > s ? a[i] : s; return s; }"
    )
    function = _one(source)
    old = "%cst = arith.constant -2147483648 : i32"
    new = "%far = arith.constant 2147483648.0 : f64\n  %cst = arith.fptosi %far : f64 to i32"
    certificate = certificate_from_json(function.certificate or {})
    assert old in function.program, function.program
    with pytest.raises(CheckFailure):
        check(function.program.replace(old, new), "f", certificate.summary, get_target("linalg"), certificate.cuts)
