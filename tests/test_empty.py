"""Zero is a size: empty arrays, loops that run no times and early returns for empty input lift and are right."""

# mypy: allow-untyped-calls

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench.in_process import lifted_and_compared
from bench.kernels import native

from tensorlift import ArgumentValueError, lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.record import FunctionRecord

C = """#include <math.h>
double mean_or(const double *a, int n) {
  if (n <= 0) return -1.0;
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s / n;
}
int count_or(const double *a, int n) {
  if (n == 0) return 7;
  int c = 0;
  for (int i = 0; i < n; i++) c += a[i] > 0;
  return c;
}
void twice(double *a, int n) { if (n < 1) return; for (int i = 0; i < n; i++) a[i] *= 2; }
double largest(const double *a, int n) {
  double m = -INFINITY;
  for (int i = 0; i < n; i++) if (a[i] > m) m = a[i];
  return m;
}
int largest_or_zero(const int *a, int n) { int m = 0; for (int i = 0; i < n; i++) if (a[i] > m) m = a[i]; return m; }
double product(const double *a, int n) { double p = 1; for (int i = 0; i < n; i++) p *= a[i]; return p; }
void running(double *a, int n) { for (int i = 1; i < n; i++) a[i] += a[i - 1]; }
void smooth(int n, const double x[n], double y[n]) {
  for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] + x[i] + x[i + 1];
}
void reverse(double *x, int n) {
  for (int i = 0; i < n / 2; i++) { double t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; }
}
int find(const int *a, int n, int v) { for (int i = 0; i < n; i++) if (a[i] == v) return i; return -1; }
int all_positive(const int *a, int n) { for (int i = 0; i < n; i++) if (a[i] <= 0) return 0; return 1; }
void quotients(int *a, int n, int s) { for (int i = 0; i < n; i++) a[i] /= s; }
void quotients_by_size(int n, int m, const int a[n], int b[n]) { for (int i = 0; i < n; i++) b[i] = a[i] / m; }
void product_of_matrices(int n, int m, int k, const double a[n][k], const double b[k][m], double c[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[i][j] = 0;
      for (int l = 0; l < k; l++) c[i][j] += a[i][l] * b[l][j];
    }
}
void solve(int n, const double L[n][n], const double *b, double *x) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
    x[i] /= L[i][i];
  }
}
double upper(int n, const double a[n][n]) {
  double s = 0;
  for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) s += a[i][j];
  return s;
}
"""
NEEDS_A_CELL = """
double greatest(const double *a, int n) {
  double m = a[0];
  for (int i = 1; i < n; i++) if (a[i] > m) m = a[i];
  return m;
}
int place(const int *a, int n) { int m = 0; for (int i = 1; i < n; i++) if (a[i] > a[m]) m = i; return m; }
void powers(double *a, int n, double r) { a[0] = 1; for (int i = 1; i < n; i++) a[i] = r * a[i - 1]; }
void rows(int n, int m, const double a[n][m], double *r) {
  for (int i = 0; i < n; i++) { r[i] = a[i][0]; for (int j = 1; j < m; j++) if (a[i][j] > r[i]) r[i] = a[i][j]; }
}
"""
_PROGRAMS = Path(__file__).parent / "programs"
_FORMS = {
    "largest": "return a.max(initial=-np.inf)",
    "largest_or_zero": "return a.max(initial=0)",
    "product": "return a.prod()",
    "quotients": "return tdiv(a, s)",
    "smooth": "y[1:-1] = x[:-2] + x[1:-1] + x[2:]",
    "product_of_matrices": "return a @ b",
}


def _lifted(text: str, target: str = "numpy", *, name: str = "f.c") -> tuple[FunctionRecord, ...]:
    options = LiftOptions(target=target, test=target == "numpy" and native.compiler() is not None)
    return lift_source(source_from_text(text, name), options).functions


def _least(function: FunctionRecord) -> set[str]:
    """Return the conditions that rule sizes from zero on out."""
    texts = (p.text for p in function.preconditions if p.kind in ("size", "extent"))
    return {text for text in texts if ">= 0" not in text and "<=" not in text}


@pytest.fixture(scope="module")
def lifted() -> dict[str, FunctionRecord]:
    return {function.name: function for function in _lifted(C)}


def test_functions_in_c_lift_for_zero_and_agree_with_the_compiled_source(lifted: dict[str, FunctionRecord]) -> None:
    for function in lifted.values():
        assert str(function.level) == "proved", function
        assert not _least(function) - {"a has all elements that a loop would read if it did not end early"}, function
        assert all(trial.passed for trial in function.tests), function


@pytest.mark.parametrize("name", _FORMS)
def test_programs_for_zero_are_as_short(lifted: dict[str, FunctionRecord], name: str) -> None:
    assert _FORMS[name] in (lifted[name].program or "")


_SHORT = {
    "all_equal": "return np.all(a == b).astype(np.int32)",
    "same_store_in_both_arms": "return np.where(x[-1] < 0, np.int32(-1), 2) if n >= 1 else np.int32(7)",
    "maximum_twice": "sum_ = a.max()",
    "distribute_recurrence": "w_new[0] = w[0]\n",
    "flat_over_products": "z = z * 2.0",
}


@pytest.mark.parametrize("name", _SHORT)
def test_a_program_in_c_for_all_sizes_is_as_short_as_one_for_some(name: str) -> None:
    """No fold of nothing, flag of sizes, extreme of what it has already, or row that only callers of matrices have."""
    (function,) = _lifted((_PROGRAMS / f"{name}.c").read_text(encoding="utf-8"))
    assert _SHORT[name] in (function.program or "")


_WINDOWS = """
void valid(int n, int k, const double x[n], const double w[k], double *y) {
  for (int i = 0; i <= n - k; i++) { y[i] = 0; for (int j = 0; j < k; j++) y[i] += x[i + j] * w[j]; }
}
void channels(int h, int w, int c, const float x[h + 2][w + 2][c], const float k[3][3][c], float y[h][w][c]) {
  for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) for (int l = 0; l < c; l++) {
    y[i][j][l] = 0;
    for (int p = 0; p < 3; p++) for (int q = 0; q < 3; q++) y[i][j][l] += x[i + p][j + q][l] * k[p][q][l];
  }
}
void taps(int n, const double x[n], const double w[3], double y[n]) {
  for (int i = 1; i < n - 1; i++) { y[i] = 0; for (int j = 0; j < 3; j++) y[i] += x[i + j - 1] * w[j]; }
}
"""


def test_windows_are_neither_picked_nor_written_out_where_there_may_be_none() -> None:
    """Nor are they asked for where an array that is empty would have none."""
    valid, channels, taps = _lifted(_WINDOWS)
    assert "sliding_window_view(x, k) @ w if n >= k else np.zeros(n - k + 1)" in (valid.program or "")
    assert "return sum(x[l : h + l, p : p + w] * k[l, p] for l in range(3) for p in range(3))" in (
        channels.program or ""
    )
    assert _least(channels) == {"h >= 1", "w >= 1"}
    assert "y[1:-1] = x[:-2] * w[0] + x[1:-1] * w[1] + x[2:] * w[2]" in (taps.program or "")
    assert all(trial.passed for function in (valid, channels, taps) for trial in function.tests)


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("target", ["jax", "torch", "linalg", "stablehlo"])
def test_functions_for_other_targets_agree_with_the_source_at_zero(target: str) -> None:
    """That its interpreter agrees with the compiled source is what the test above finds."""
    pytest.importorskip({"linalg": "xdsl", "stablehlo": "jax"}.get(target, target))
    if target == "linalg" and find_tools() is None:
        pytest.skip("upstream MLIR's tools are not installed")
    for function, report in lifted_and_compared(source_from_text(C, "f.c"), target):
        if (target, function.name) in {("stablehlo", "running"), ("stablehlo", "solve"), ("jax", "solve")}:
            continue  # XLA has no windows, and no cell, of none
        assert str(function.level) == "proved", function
        assert not _least(function) - {"a has all elements that a loop would read if it did not end early"}, function
        assert report is not None
        assert report.passed, report
        assert any(0 in sizes.values() for sizes in report.sizes), report


def test_programs_in_c_say_where_they_ask_for_more_and_leave_the_rest_to_the_original() -> None:
    for function in _lifted(C, "c"):
        assert str(function.level) == "proved", function
        assert _least(function), function
        has_signature = not any(d.code == "TL309" for d in function.diagnostics)
        assert has_signature == (f"{function.name}_original(" in (function.program or ""))


SWEEPS = """void sweeps(int n, int m, double A[n][m]) {
  for (int t = 0; t < 3; t++)
    for (int i = 1; i < n; i++) for (int j = 1; j < m; j++) A[i][j] = A[i-1][j] * A[i][j-1] + 1;
}
"""


def test_a_traced_loop_that_picks_cells_needs_one_at_any_size() -> None:
    """JAX traces what a loop does, also where it runs no times, and has no cell of an empty array."""
    assert [_least(function) for function in (*_lifted(SWEEPS, "jax"), *_lifted(SWEEPS))] == [
        {"m >= 1", "n >= 1"},
        set(),
    ]


BESIDE = """long beside_slices(long n, unsigned long *x, long *y, signed char *a) {
  _Bool s = 0;
  for (long i = 1; i + 1 < n; i++) y[i] = x[i - 1] + x[i + 1];
  for (long i = 0; i < n; i++) s = s + a[i];
  return s;
}
double behind_a_return(int n, _Bool *a) {
  if (n < 1) return -1;
  _Bool most = -1;
  for (int i = 0; i < n; i++) if (a[i] < most) most = a[i];
  return most;
}
double nested(int n, int m, double A[n][m], const double *x) {
  double s = n > 2 ? 1 : 2;
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s = s * A[i][j] + (m > 1 ? x[j] : 0);
  return s;
}
"""


@pytest.mark.parametrize("target", ["jax", "stablehlo"])
def test_a_traced_loop_is_translated_also_for_sizes_that_are_proved_by_themselves(target: str) -> None:
    """Where other parts of a program tell cases of the sizes apart, the loop is there in each of them."""
    found = {function.name: _least(function) for function in _lifted(BESIDE, target)}
    assert found == {"beside_slices": {"n >= 1"}, "behind_a_return": {"n >= 1"}, "nested": {"m >= 1", "n >= 1"}}


EARLY = """
double first_or(int n, const double x[n], double d) { return n > 0 ? x[0] : d; }
double ends(const double *x, int n) { if (n == 0) return 0; return x[0] + x[n - 1]; }
double last(int n, const double x[n]) { double r = 0; for (int i = 0; i < n; i++) r = x[i]; return r; }
double range(const double *x, int n) {
  if (n <= 0) return -1;
  double low = x[0], high = x[0];
  for (int i = 1; i < n; i++) { if (x[i] < low) low = x[i]; if (x[i] > high) high = x[i]; }
  return high - low;
}
int argmax(const float *x, int n) {
  if (n == 0) return -1;
  int at = 0;
  for (int i = 1; i < n; i++) if (x[i] > x[at]) at = i;
  return at;
}
int newest(int n, const short x[n]) { if (n != 0) return x[n - 1]; else return -7; }
void last_column(int n, int m, const double x[n][m], double y[n]) {
  for (int i = 0; i < n; i++) y[i] = m > 0 ? x[i][m - 1] : 0;
}
void third(int n, int m, const double x[n][m], float y[n]) {
  for (int i = 0; i < n; i++) y[i] = m > 2 ? x[i][m - 1] + x[i][1] : m;
}
double scaled(int n, const float x[n], double d) { double r = n > 1 ? x[1] * d : d; return r * d; }
"""
_EARLY_FORMS = {
    "first_or": "return np.float64(d) if n == 0 else x[0]",
    "ends": "return x[0] + x[-1] if n >= 1 else np.float64(0.0)",
    "last": "return x[-1] if n >= 1 else np.float64(0.0)",
    "range": "return np.float64(-1.0) if n == 0 else x.max() - x.min()",
    "argmax": "return np.int32(-1) if n == 0 else x.argmax().astype(np.int32)",
    "newest": "return np.int32(-7) if n == 0 else x[-1].astype(np.int32)",
    "last_column": "return (x[:, -1] if m >= 1 else np.zeros(n)).copy()",
    "third": "return (x[:, -1] + x[:, 1] if m >= 3 else np.full(n, m, dtype=np.float64)).astype(",
    "scaled": "r = x[1].astype(np.float64) * d if n >= 2 else np.float64(d)",
}


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_what_a_source_says_of_empty_arrays_is_kept(target: str) -> None:
    """Of values for different sizes only the one that counts is computed: there is no first cell of nothing."""
    pytest.importorskip(target)
    for function, report in lifted_and_compared(source_from_text(EARLY, "f.c"), target):
        assert str(function.level) == "proved", function
        assert not _least(function), function
        assert report is not None
        assert report.passed, report
        assert any(0 in sizes.values() for sizes in report.sizes), report
        assert target != "numpy" or _EARLY_FORMS[function.name] in (function.program or "")


@pytest.mark.skipif(native.compiler() is None, reason="a C compiler is not installed")
def test_the_compiled_source_says_the_same_of_empty_arrays() -> None:
    for function in lift_source(source_from_text(EARLY, "f.c"), LiftOptions(test=True)).functions:
        assert [trial.against for trial in function.tests] == ["interpreter", "compiled"], function
        assert all(trial.passed for trial in function.tests), function


CPP = """#include <vector>
double total(const std::vector<double> &x) {
  if (x.empty()) return -1;
  double s = 0;
  for (double v : x) s += v;
  return s;
}
double first(const std::vector<double> &x) { if (x.size() == 0) return -1; return x[0]; }
double front(const std::vector<double> &x, double d) { return !x.empty() ? x.front() : d; }
std::vector<double> scaled(const std::vector<double> &x, double d) {
  if (x.empty()) return {};
  std::vector<double> y(x.size());
  for (size_t i = 0; i < x.size(); i++) y[i] = x[i] * d;
  return y;
}
int argmax(const std::vector<double> &x) {
  if (!x.size()) return -1;
  int at = 0;
  for (int i = 1; i < (int)x.size(); i++) if (x[i] > x[at]) at = i;
  return at;
}
"""


def test_functions_in_cpp_take_empty_vectors() -> None:
    options = LiftOptions(test=native.compiler() is not None)
    functions = {f.name: f for f in lift_source(source_from_text(CPP, "f.cpp"), options).functions}
    for function in functions.values():
        assert str(function.level) == "proved", function
        assert not _least(function), function
        assert all(trial.passed for trial in function.tests), function
    assert "np.float64(-1.0) if x_size == 0 else x.sum()" in (functions["total"].program or "")


def test_a_condition_remains_where_the_source_reads_a_cell_in_any_case() -> None:
    found = {function.name: _least(function) for function in _lifted(NEEDS_A_CELL)}
    assert found == {"greatest": {"n >= 1"}, "place": {"n >= 1"}, "powers": {"n >= 1"}, "rows": {"m >= 1"}}


def test_a_scratch_array_that_is_written_whole_stays_no_input() -> None:
    text = """void f(int n, int m, const double a[n][m], double t[m], double *s) { for (int i = 0; i < n; i++) {
      for (int j = 0; j < m; j++) t[j] = a[i][j] * 2;
      s[i] = 0;
      for (int j = 0; j < m; j++) s[i] += t[j]; } }"""
    (function,) = _lifted(text)
    assert [p.name for p in function.parameters] == ["a"]
    assert _least(function) == {"n >= 1"}


MLIR = """
func.func @mean(%x: memref<?xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %n = memref.dim %x, %c0 : memref<?xf64>
  %sum = affine.for %i = 0 to %n iter_args(%s = %zero) -> (f64) {
    %v = affine.load %x[%i] : memref<?xf64>
    %t = arith.addf %s, %v : f64
    affine.yield %t : f64
  }
  return %sum : f64
}
"""


def test_functions_in_mlir_take_empty_arrays() -> None:
    (function,) = _lifted(MLIR, name="f.mlir")
    assert not _least(function)
    assert "return x.sum()" in (function.program or "")


def total(a: np.ndarray) -> float:
    s = 0.0
    for v in a:
        s += v
    return s


def mean_or(a: np.ndarray) -> float:
    if len(a) == 0:
        return -1.0
    s = 0.0
    for v in a:
        s += v
    return s / len(a)


def largest(a: np.ndarray) -> float:
    m = -np.inf
    for i in range(len(a)):
        m = max(m, a[i])
    return m


def smooth(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    for i in range(1, len(x) - 1):
        y[i] = (x[i - 1] + x[i + 1]) / 2
    return y


def shift(a: np.ndarray) -> np.ndarray:
    out = np.zeros_like(a)
    for i in range(1, len(a)):
        out[i] = a[i - 1]
    return out


def running(a: np.ndarray) -> np.ndarray:
    out = np.empty(len(a))
    s = 0.0
    for i in range(len(a)):
        s += a[i]
        out[i] = s
    return out


def row_sums(a: np.ndarray) -> np.ndarray:
    n, m = a.shape
    r = np.zeros(n)
    for i in range(n):
        for j in range(m):
            r[i] += a[i, j]
    return r


@pytest.mark.parametrize("function", [total, mean_or, largest, smooth, shift, running], ids=lambda f: f.__name__)
def test_a_lifted_python_function_takes_empty_arrays(function: Callable[..., Any]) -> None:
    lifted = lift(function)
    for n in (0, 1, 2, 5):
        argument = np.arange(1.0, n + 1)
        np.testing.assert_array_equal(lifted(argument.copy()), function(argument.copy()))


def to_before_last(x: np.ndarray, m: int) -> float:
    s = 0.0
    for v in x[: m - 1]:
        s += v
    return s


def clear_before_last(x: np.ndarray, m: int) -> None:
    x[: m - 1] = 0.0


@pytest.mark.parametrize("function", [to_before_last, clear_before_last], ids=lambda f: f.__name__)
def test_a_bound_of_a_slice_is_no_place_from_the_end(function: Callable[..., Any]) -> None:
    """In Python ``x[:m - 1]`` is all but the last cell where ``m`` is 0."""
    lifted = lift(function)
    expected, found = np.arange(5.0), np.arange(5.0)
    assert lifted(found, 3) == function(expected, 3)
    np.testing.assert_array_equal(found, expected)
    for m in (0, -2):
        with pytest.raises(ArgumentValueError, match="m >= 1"):
            lifted(found, m)


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 3)])
def test_a_lifted_python_function_takes_matrices_without_rows_or_columns(shape: tuple[int, int]) -> None:
    argument = np.ones(shape)
    np.testing.assert_array_equal(lift(row_sums)(argument), row_sums(argument))
