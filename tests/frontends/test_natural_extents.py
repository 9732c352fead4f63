"""An array of n is taken where C leaves the extent open and loops reach fewer cells; cells beyond stay as they were."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from bench.kernels import native

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

C = """
void stencil(int n, const double *x, double *xn) { for (int i = 1; i < n - 1; i++) xn[i] = x[i-1] + x[i+1]; }
void inner(int n, const double *x, double *xn) { for (int i = 1; i < n - 1; i++) xn[i] = x[i]; }
double front(int n, const double *x) { double s = 0; for (int i = 0; i < n - 1; i++) s += x[i]; return s; }
void doubled(int n, double *x) { for (int i = 0; i < n - 1; i++) x[i] *= 2; }
void upwards(int n, double *x, double f) { for (int i = 1; i < n - 1; i++) x[i] += f * x[i-1]; }
void relaxed(int n, int t, double *a, double *b) {
  for (int s = 0; s < t; s++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i-1] + a[i] + a[i+1]) / 3;
    for (int i = 1; i < n - 1; i++) a[i] = (b[i-1] + b[i] + b[i+1]) / 3;
  }
}
void flat(int n, int m, const double *x, double *xn) {
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) xn[i*m+j] = x[(i-1)*m+j] + x[i*m+j+1];
}
void rows(int n, int m, const double x[][m], double xn[][m]) {
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) xn[i][j] = x[i-1][j] + x[i][j+1];
}
void cube(int n, int m, int k, const double *x, double *xn) {
  for (int i = 1; i < n - 1; i++) for (int j = 1; j < m - 1; j++) for (int l = 1; l < k - 1; l++)
    xn[(i*m+j)*k+l] = x[((i-1)*m+j)*k+l] - x[(i*m+j)*k+l+1];
}
void some(int n, const double *x, double *y) { for (int i = 0; i < n - 2; i++) if (x[i] > 0) y[i] = x[i]; }
void bytes(int n, const signed char *x, signed char *y) { for (int i = 2; i < n - 2; i++) y[i] = x[i] + x[i-2]; }
void prefix(int n, const float *x, float *y) { y[0] = x[0]; for (int i = 1; i < n - 1; i++) y[i] = y[i-1] + x[i]; }
"""
CPP = """
void stencil(int n, const double *x, double *xn) { for (int i = 1; i < n - 1; ++i) xn[i] = x[i-1] + x[i]; }
template <typename T> void of(int n, const T *x, T *y) { for (int i = 1; i < n - 2; ++i) y[i] += x[i]; }
void halves(int n, const double *x, double *y) { of<double>(n, x, y); }
"""
RESULTS = """
void difference(int n, const double *x, double *y) { for (int i = 0; i < n - 1; i++) y[i] = x[i+1] - x[i]; }
void sums(int n, const double *x, double *y) {
  for (int i = 0; i < n - 2; i++) { y[i] = 0; for (int j = 0; j < 3; j++) y[i] += x[i+j]; }
}
void products(int n, int m, const double x[n][m], double *y) {
  for (int i = 0; i < n - 1; i++) for (int j = 0; j < m; j++) y[i*m+j] = x[i+1][j] * x[i][j];
}
"""
PARTS = """
double eight(const double *c) { double s = 0; for (int i = 0; i < 8; i++) s += c[i]; return s; }
void scaled(float *v) { for (int i = 0; i < 3; i++) v[i] *= 2; }
void inverted(unsigned char *r) { for (int i = 0; i < 16; i++) r[i] = 255 - r[i]; }
void added(const int *a, const int *b, long *o) { for (int i = 0; i < 5; i++) o[i] += a[i] * b[2 * i]; }
void rows(double (*m)[4], double *o) { for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) m[i][j] += o[i]; }
double table(int n, double **m) {
  double t = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) t += m[i][j];
  return t;
}
void nine(double *w) { for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) w[i*3+j] += i == j; }
void first(int n, const int *a, const int *b, int *o) { for (int i = 0; i < n; i++) o[i] = (i || a[i]) ? a[i] : b[i]; }
void head(int n, const int *b, int *o) { for (int i = 0; i < n; i++) if (i < 1) o[i] = b[i]; }
double named(const double *m, int c_size, const double *c) {
  double t = 0;
  for (int i = 0; i < 4; i++) t += m[i] * c[i];
  return t * c_size;
}
int back(const short *x) { int s = 0; for (int i = 6; i > 0; i--) s = s * 3 + x[i]; return s; }
void walk(const signed char *p, int *o) { for (const signed char *q = p; q < p + 7; q++) *o += *q; }
"""
EPILOGUES = """
double pairs(int n, const double *a) {
  double s = 0;
  int i;
  for (i = 0; i + 1 < n; i += 2) s += a[i] * a[i + 1];
  if (i < n) s += a[i];
  return s;
}
int folded(int n, const int *a) {
  int s = 0, i;
  for (i = 0; i < n - 1; i += 2) { s ^= a[i]; s ^= a[i + 1]; }
  if (i < n) s ^= a[i];
  return s;
}
double dot(int n, const double *a) {
  double s = 0, t = 0;
  int i;
  for (i = 0; i + 1 < n; i += 2) { s += a[i] * a[i]; t += a[i + 1] * a[i + 1]; }
  for (; i < n; i++) s += a[i] * a[i];
  return s + t;
}
void scale(int n, float c, float *a) {
  int i = 0;
  for (; i + 4 <= n; i += 4) { a[i] *= c; a[i + 1] *= c; a[i + 2] *= c; a[i + 3] *= c; }
  for (; i < n; i++) a[i] *= c;
}
void prologue(int n, float c, float *a) {
  int k = n % 4;
  for (int i = 0; i < k; i++) a[i] *= c;
  for (int i = k; i < n; i += 4) { a[i] *= c; a[i + 1] *= c; a[i + 2] *= c; a[i + 3] *= c; }
}
"""
CELLS = """
double at(int k, const double *a) { return a[k] * 2; }
void put(int k, double v, double *a) { a[k] = v; }
void row(int m, int r, double *a) { for (int j = 0; j < m; j++) a[r*m+j] = 0; }
double column(int n, int ld, int col, const double *a) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i*ld+col];
  return s;
}
void shifted(int n, int k, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] += x[k]; }
int beyond(int k, const int *a) { return a[2 * k + 1]; }
"""
CPP_PARTS = """
#include <vector>
double eight(const double *c) { double s = 0; for (int i = 0; i < 8; ++i) s += c[i]; return s; }
double both(const std::vector<double> &v, const float *w) {
  double s = 0;
  for (int i = 0; i < 8; ++i) s += v[i] * w[i];
  return s;
}
"""


@cache
def _lifted(text: str, name: str = "f.c", target: str = "numpy") -> dict[str, FunctionRecord]:
    options = LiftOptions(target=target, test=target == "numpy" and native.compiler() is not None)
    return {f.name: f for f in lift_source(source_from_text(text, name), options).functions}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("text", "name"), [(C, "f.c"), (CPP, "f.cpp")])
def test_arrays_are_as_long_as_callers_have_them(text: str, name: str) -> None:
    for function in _lifted(text, name).values():
        assert str(function.level) == "proved", function
        assert all(extent.isidentifier() for p in function.parameters for extent in p.shape), function
        assert all(trial.passed for trial in function.tests), function
        assert not function.restricted, function


@pytest.mark.parametrize("target", ["jax", "torch", "linalg"])
def test_other_targets_take_the_same_arrays(target: str) -> None:
    for function in _lifted(C, target=target).values():
        assert str(function.level) == "proved", function
        assert all(extent.isidentifier() for p in function.parameters for extent in p.shape), function


def test_cells_that_no_loop_reaches_stay_as_they_were() -> None:
    namespace: dict[str, Any] = {}
    exec(_lifted(C)["stencil"].program or "", namespace)
    for n in range(6):
        x, xn = np.arange(n, dtype=np.float64), np.full(n, 9.0)
        expected = xn.copy()
        expected[1:-1] = x[:-2] + x[2:]
        np.testing.assert_array_equal(namespace["stencil"](x, xn), expected)


def test_a_result_that_is_written_whole_is_as_long_as_what_is_computed() -> None:
    for function in _lifted(RESULTS).values():
        assert [p.name for p in function.parameters] == ["x"], function
        assert all(trial.passed for trial in function.tests), function


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("text", "name"), [(PARTS, "f.c"), (CPP_PARTS, "f.cpp")])
def test_an_array_of_which_loops_run_over_a_number_of_cells_may_be_longer(text: str, name: str) -> None:
    """Trials of the original draw longer ones."""
    for function in _lifted(text, name).values():
        assert str(function.level) == "proved", function
        arrays = [p for p in function.parameters if p.shape]
        assert not any(p.shape[0].isdigit() for p in arrays), function
        assert all(trial.passed for trial in function.tests), function
        assert not function.restricted, function


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", ["f.c", "f.cpp"])
def test_a_size_that_names_a_cell_is_told_by_no_extent(name: str) -> None:
    functions = {f: record.program for f, record in _lifted(CELLS, name).items()}
    called: dict[str, Any] = {}
    for program in functions.values():
        exec(program, called)
    cells = np.arange(20.0)
    table = cells.reshape(5, 4)
    assert called["at"](3, cells) == 6
    assert called["beyond"](3, np.arange(20)) == 7
    assert called["column"](1, table) == table[:, 1].sum()
    np.testing.assert_array_equal(called["put"](3, -1.0, cells)[2:5], [2, -1, 4])
    np.testing.assert_array_equal(called["row"](1, table)[:3].sum(axis=1), [6, 0, 38])
    np.testing.assert_array_equal(called["shifted"](2, cells, np.zeros(3)), [2, 2, 2])


def test_what_is_left_of_an_unrolled_loop_makes_no_array_longer() -> None:
    for function in _lifted(EPILOGUES).values():
        assert str(function.level) == "proved", function
        assert [p.shape for p in function.parameters if p.name == "a"] == [("n",)], function
        assert all(trial.passed for trial in function.tests), function


@pytest.mark.parametrize("target", ["jax", "torch", "stablehlo", "linalg"])
def test_longer_arrays_are_taken_in_other_targets(target: str) -> None:
    for function in _lifted(PARTS, target=target).values():
        assert str(function.level) == "proved", function
        assert not any(p.shape[0].isdigit() for p in function.parameters if p.shape), function


def test_what_lies_behind_a_constant_number_of_cells_does_not_count() -> None:
    namespace: dict[str, Any] = {}
    for name in ("eight", "scaled", "table"):
        exec(_lifted(PARTS)[name].program or "", namespace)
    assert namespace["eight"](np.arange(12.0)) == sum(range(8))
    scaled = namespace["scaled"](np.ones(5, np.float32))
    np.testing.assert_array_equal(scaled, np.array([2, 2, 2, 1, 1], np.float32))
    assert namespace["table"](np.ones((2, 6))) == 8.0


def test_conditions_spell_the_extent() -> None:
    conditions = {f.name: [p.text for p in f.preconditions] for f in _lifted(PARTS).values()}
    assert conditions["eight"] == ["c.shape[0] >= 8"]
    assert conditions["table"] == ["n >= 0", "m.shape[1] >= 4"]
    assert conditions["named"] == ["m.shape[0] >= 4", "c.shape[0] >= 4"]
    both = _lifted(CPP_PARTS, "f.cpp")["both"]
    assert [p.text for p in both.preconditions] == ["v.size() >= 8", "w.shape[0] >= 8"]


@pytest.mark.parametrize("options", [LiftOptions(target="c"), LiftOptions(adapter=True), LiftOptions(replaces=True)])
def test_memory_that_c_passes_is_taken_as_far_as_loops_reach(options: LiftOptions) -> None:
    """A pointer of C tells no extent, and there may be nothing behind the last cell that the source touches."""
    (function,) = lift_source(source_from_text(C.split("\n")[1], "f.c"), options).functions
    assert [p.shape for p in function.parameters if p.name == "xn"] in ([("n - 1",)], [("n + -1",)])


def test_rows_are_as_long_as_the_source_demands_room_for() -> None:
    text = """
void lower(int n, int lda, const double *A, const double *x, double *y) {
  if (lda < n) abort();
  for (int i = 0; i < n; i++) { y[i] = x[i]; for (int j = 0; j < i; j++) y[i] += A[i*lda + j] * x[j]; }
}"""
    headed = f"#include <stdlib.h>{text}"
    for source, row in ((headed, "n"), (headed.replace("lda < n", "lda < n - 1"), "n - 1")):
        (found,) = lift_source(source_from_text(source, "f.c"), LiftOptions()).functions
        assert [p.shape for p in found.parameters if p.name == "A"] == [("n", row)]
