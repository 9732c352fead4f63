"""Refused where XLA computes otherwise: floats through integers of both signs, quotients that become whole numbers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source, verify
from tensorlift.runtime.program import call_program
from tensorlift.runtime.program_worker import loaded
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

ROUND_TRIPS = """
void a(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = (unsigned long)(long)x[i]; }
void b(int n, const float *x, double *y) { for (int i = 0; i < n; i++) y[i] = (unsigned)(int)x[i]; }
void c(int n, const double *x, float *y) { for (int i = 0; i < n; i++) { long t = x[i]; y[i] = (unsigned long)t; } }
void d(int n, const float *x, long *t, double *y) {
  for (int i = 0; i < n; i++) t[i] = (long)x[i];
  for (int i = 0; i < n; i++) y[i] = (unsigned long)t[i] * 0.5;
}
void e(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = x[i] < 4 ? (unsigned)(int)x[i] : x[i]; }
double f(int n, const float *x) { double s = 0; for (int i = 0; i < n; i++) s += (unsigned)(int)x[i]; return s; }
void g(int n, const float *x, float *y) {
  for (int i = 0; i < n; i++) y[i] = (unsigned)(x[i] < 4 ? (int)x[i] : (int)(x[i] * 2));
}
float h(float x) { return (unsigned long)(long)x; }
"""
OTHERS = """
void a(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = (unsigned long)(int)x[i]; }
void b(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = (unsigned short)(short)x[i]; }
void c(int n, const float *x, unsigned long *y) { for (int i = 0; i < n; i++) y[i] = (unsigned long)(long)x[i]; }
void d(int n, const float *x, double *y) { for (int i = 0; i < n; i++) y[i] = (unsigned)(long)x[i]; }
void e(int n, const long *x, float *y) { for (int i = 0; i < n; i++) y[i] = (unsigned long)x[i]; }
void f(int n, const float *x, double *y) { for (int i = 0; i < n; i++) y[i] = (unsigned)(int)x[i] + 1u; }
"""
X = np.array([65536.25, 300.7, -2.0, -0.5, 3.0], np.float32)


@cache
def lifted(text: str, target: str) -> dict[str, FunctionRecord]:
    return {f.name: f for f in lift_source(source_from_text(text, "f.c"), LiftOptions(target=target)).functions}


@pytest.mark.parametrize("target", ["jax", "stablehlo"])
def test_round_trips_are_refused_for_xla(target: str) -> None:
    for function in lifted(ROUND_TRIPS, target).values():
        assert [d.code for d in function.diagnostics] == ["TL305"], function.name
        assert "loses the sign" in function.diagnostics[0].message


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_round_trips_are_right_elsewhere(target: str) -> None:
    if target != "numpy":
        pytest.importorskip(target)
    for name, unsigned in (("a", np.uint64), ("b", np.uint32), ("c", np.uint64)):
        function = lifted(ROUND_TRIPS, target)[name]
        if not function.lifted:
            assert target == "torch", function.diagnostics  # which computes in few unsigned types
            continue
        x = X.astype(np.float64 if name == "c" else np.float32)
        (found,) = call_program(loaded(function.program, name, target), {"n": 5, "x": x}, 1)
        signed = x.astype(np.int64 if unsigned is np.uint64 else np.int32)
        np.testing.assert_array_equal(np.asarray(found), signed.astype(unsigned).astype(np.asarray(found).dtype))


@pytest.mark.parametrize("target", ["jax", "stablehlo"])
def test_other_chains_are_taken(target: str) -> None:
    for function in lifted(OTHERS, target).values():
        assert function.lifted, (function.name, function.diagnostics)


RECIPROCALS = """
#include <math.h>
void a(int n, const float *x, long *o) { for (int i = 0; i < n; i++) o[i] = x[i] / 3.0f; }
void b(int n, const double *x, double *o) { for (int i = 0; i < n; i++) o[i] = floor(x[i] / 49); }
void c(int n, double s, const double *x, int *o) { for (int i = 0; i < n; i++) o[i] = x[i] / s * 2; }
void d(int n, int m, const short x[n][m], short *o) {
  for (int i = 0; i < n; i++) { double s = 0; for (int j = 0; j < m; j++) s += x[i][j]; o[i] = s / m; }
}
void e(int n, const unsigned char *x, unsigned char *o) {
  for (int i = 0; i < n; i++) { float t = x[i] / 255.0f; o[i] = t * 63; }
}
void f(int n, const double *x, double *t, int *o) {
  for (int i = 0; i < n; i++) t[i] = x[i] / 10;
  for (int i = 0; i < n; i++) o[i] = ceil(t[i]);
}
void g(int n, int m, const double x[n][m], const double *s, int o[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) o[i][j] = x[i][j] / s[i];
}
int h(int n, const double *x) { int t = 0; for (int i = 0; i < n; i++) t = t * 3 + (int)(x[i] / 7); return t; }
"""
QUOTIENTS = """
#include <math.h>
void a(int n, const float *x, long *o) { for (int i = 0; i < n; i++) o[i] = x[i] / 4.0f; }
void b(int n, const double *x, double *o) { for (int i = 0; i < n; i++) o[i] = x[i] / 49; }
void c(int n, double s, const double *x, int *o) { for (int i = 0; i < n; i++) o[i] = rint(x[i] / s); }
void d(int n, const double *x, const double *y, int *o) { for (int i = 0; i < n; i++) o[i] = x[i] / y[i]; }
void e(int n, const int *x, int *o) { for (int i = 0; i < n; i++) o[i] = x[i] / 49; }
void f(int n, const double *x, int *o) { for (int i = 0; i < n; i++) o[i] = x[i] * 0.1; }
"""


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("target", ["jax", "stablehlo"])
def test_quotients_that_become_whole_numbers_are_refused_for_xla(target: str) -> None:
    for function in lifted(RECIPROCALS, target).values():
        assert [d.code for d in function.diagnostics] == ["TL305"], (function.name, function.diagnostics)
        assert "multiplies by reciprocals" in function.diagnostics[0].message
    for function in lifted(QUOTIENTS, target).values():
        assert function.lifted, (function.name, function.diagnostics)


def test_quotients_that_become_whole_numbers_are_exact_elsewhere() -> None:
    function = lifted(RECIPROCALS, "numpy")["b"]
    x = np.arange(0.0, 49000.0, 49.0)
    (found,) = call_program(loaded(function.program, "b", "numpy"), {"x": x}, 1)
    np.testing.assert_array_equal(found, np.arange(1000.0))


def test_jax_updates_no_truth_values_by_arithmetic() -> None:
    text = "#include <stdbool.h>\nvoid f(int n, bool *o) { for (int i = 1; i < n; i++) o[i] = true; }"
    function = lifted(text, "jax")["f"]
    wrong = function.program.replace("].set(True)", "].add(True)")
    assert wrong != function.program
    assert verify({**(function.certificate or {}), "program": wrong})
