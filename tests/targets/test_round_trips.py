"""A float that becomes an integer, one of the other sign, and a float again is refused where XLA loses the sign."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.runtime.loading import loaded
from tensorlift.runtime.program import call_program
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
