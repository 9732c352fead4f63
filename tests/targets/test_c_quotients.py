"""Programs in C over quotients of sizes, cells that lie apart, and loops that start behind the smallest size."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.targets.tampering import refusal

from tensorlift import lift
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify
from tensorlift.readback import read_back
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

POOL = """void pool(int n, double x[n], double y[n / 2]) {
  for (int i = 0; i < n / 2; i++) y[i] = x[2 * i] > x[2 * i + 1] ? x[2 * i] : x[2 * i + 1];
}
"""
PAIRS = """void pairs(int n, int kv, float q[n], float k[n]) {
  for (int i = 0; i < n; i += 2)
    for (int v = 0; v < (i < kv ? 2 : 1); v++) {
      float *x = v == 0 ? q : k, y = x[i];
      x[i] = y - x[i + 1];
      x[i + 1] += y;
    }
}
"""
HEADS = """void heads(float *out, const float *in, int C, int NH) {
  int hs = C / (NH * NH);
  for (int h = 0; h < NH; h++) for (int i = 0; i < hs; i++) out[h * hs + i] = 2 * in[h * hs + i];
}
"""
SAMPLED = """int sampled(const float *p, int n, float coin) {
  float cdf = 0;
  for (int i = 0; i < n; i++) { cdf += p[i]; if (coin < cdf) return i; }
  return n - 1;
}
"""
DRAWN = """void drawn(float *w, unsigned long n, unsigned long *rng) {
  for (unsigned long i = 0; i < n; i++) {
    *rng ^= *rng >> 12;
    *rng ^= *rng << 25;
    *rng ^= *rng >> 27;
    w[i] = *rng >> 40;
  }
}
"""
LOSSES = """void losses(float *y, const float *x, const int *at, int B, int T, int V) {
  for (int b = 0; b < B; b++) for (int t = 0; t < T; t++) {
    const float *row = x + b * T * V + t * V;
    y[b * T + t] = row[at[b * T + t]];
  }
}
"""
EVERY_OTHER = """void every_other(int n, double x[n], double y[n]) {
  double sum = 0;
  for (int k = 0; k < n; k += 2) sum += x[k];
  for (int i = 1; i < n; i += 2) y[i] = sum;
}
"""
QUARTER = """void quarter(int n, float x[n], float y[n / 2 / 2 + 1]) {
  for (int i = 0; i < n / 2 / 2 + 1; i++) y[i] = x[i];
}
"""
SPREAD = """void spread(int n, double x[3 * n], double y[n]) {
  for (int i = 0; i < n; i++) x[3 * i + 1] = y[i] + x[3 * i + 1];
}
"""
GRID = """void grid(int m, int n, double x[2 * m][2 * n], double y[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) x[2 * i][2 * j] = y[i][j];
}
"""
SWEEP = """void sweep(int n, double a[n]) {
  for (int i = 1; i < n - 1; i += 2) a[i] = a[i - 1] + a[i + 1];
  for (int i = 2; i < n - 1; i += 2) a[i] = a[i - 1] + a[i + 1];
}
"""
THREE = """void three(int n, double x[n], double y[n]) {
  for (int i = 0; i < 3 * n / 4; i++) y[i] = x[i];
}
"""
LATE = """void late(int n, double a[n], double b[n]) {
  for (int i = 0; i < n; i++) if (i > 2) b[i] = a[i]; else b[i] = 0;
}
"""
EVERY_THIRD = "void every_third(int n, int *v) { for (int i = 0; i < n; i += 3) v[i] = 1; }"
PLACES = "void places(int n, int y[n]) { for (int i = 0; i < n; i++) y[i] = i / 3 + i % 5; }"
TILED = """void tiled(int n, const float *a, const float *b, float *c) {
  for (int ii = 0; ii < n; ii += 8)
    for (int kk = 0; kk < n; kk += 8)
      for (int i = ii; i < ii + 8; i++)
        for (int k = kk; k < kk + 8; k++)
          for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
}
"""
OFTEN = """void often(int n, int m, double y[n]) {
  for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) y[i] = i;
}
"""


@pytest.mark.parametrize(
    ("loop", "becomes"),
    [
        ("x[n - 1 - i] = z[2 * i];", "x[n - i - 1] = z[2 * i];"),
        ("x[n - 1 - i] += z[3 * i] - z[i];", "x[n - i - 1] += z[3 * i] - z[i];"),
        ("x[n - 1 - i] = z[i];", "x[i] = z[n - i - 1];"),  # compilers read these from both ends
        ("x[n - 1 - i] = z[2 * i] * z[2 * n - 2 * i];", "x[i] = z[2 * n - 2 * i - 2] * z[2 * i + 2];"),
    ],
)
def test_cells_that_lie_apart_are_read_upwards(loop: str, becomes: str) -> None:
    source = f"void f(int n, double *restrict x, const double *restrict z) {{ for (int i = 0; i < n; i++) {loop} }}"
    (function,) = lift(source, to="c").functions
    assert function.program is not None
    assert f"  {becomes}\n" in function.program


@pytest.mark.in_turns(4)
@pytest.mark.parametrize(
    ("source", "parts"),
    [
        (POOL, ["double y[restrict (n / 2)]", "const ptrdiff_t n_div_2 = n / 2;", "sizeof(double) * (n / 2)"]),
        (EVERY_OTHER, ["const ptrdiff_t n_plus_1_div_2 = ((ptrdiff_t)n + 1) / 2;", "i < 2 * n_div_2; i += 2"]),
        (QUARTER, ["float y[restrict ((n / 2) / 2) + 1]"]),
        (SPREAD, ["for (ptrdiff_t k = 0; k < n; k++)", "x[3 * k + 1] += y[k];"]),
        (GRID, ["x[2 * k][2 * l] = y[k][l];"]),
        (SWEEP, ["(ptrdiff_t)(((ptrdiff_t)n + 1) / 2) + 1", "a[2 * k + 1] = a[2 * k] + a[2 * k + 2];"]),
        (THREE, ["= (3 * (ptrdiff_t)n) / 4;"]),
        (EVERY_THIRD, ["if ((((ptrdiff_t)n + 2) / 3) >= 1) {"]),
        (PLACES, ["y[i] = (int)((long)i / 3L + (long)i % 5L);"]),
        (TILED, ["sum += a[i][k] * b[k][j];", "8 * (ptrdiff_t)(((ptrdiff_t)n + 7) / 8) <= n"]),
        (OFTEN, ["  if (m >= 1\n", "y[i] = (double)i;"]),
        (LATE, ["i <= (2 < n - 1 ? 2 : n - 1)", "for (ptrdiff_t i = 3; i < n; i++)"]),
    ],
)  # fmt: skip
def test_such_programs_are_proved_and_agree_with_the_compiled_original(source: str, parts: list[str]) -> None:
    (function,) = lift(source, to="c", test=True).functions
    assert function.program is not None
    assert [part for part in parts if part not in function.program] == []
    assert [trial.passed for trial in function.tests] == [True, True]


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (POOL, "n_div_2 = n / 2", "n_div_2 = n / 3", "y is not proved to be y_1"),
        (POOL, "sizeof(double) * (n / 2)", "sizeof(double) * (n / 3)", "nothing checks that x and y are apart"),
        (POOL, "* (n / 2)", "* 0 + (n / 2)", "nothing checks that x and y are apart"),
        (SPREAD, "sizeof(double) * (3 * (ptrdiff_t)n)", "sizeof(double) * (3 * n)", "nothing checks that"),
        (POOL, "restrict (n / 2)", "restrict (n / 3)", "the program needs that (n // 2) <= (n // 3)"),
        (EVERY_THIRD, "+ 2) / 3) >= 1", "+ 2) / 3) >= 0", "nothing checks that ((n + 2) // 3) >= 1"),
        (PLACES, "(long)i / 3L", "(long)i / 4L", "y is not proved to be y_1"),
        (OFTEN, "(double)i", "(double)m", "y is not proved to be y_1"),
        (SPREAD, "k < n;", "k < n - 1;", "x is not proved to be x_1"),
        (PAIRS, "if (kv >= 2 * l + 1)\n", "if (kv >= 2 * l)\n", "k is not proved to be"),
        (HEADS, "(long)hs * (long)h + (long)i", "(long)hs * (long)h", "may read outside of an array"),
        (HEADS, "i + 1 < hs;", "i + 1 <= hs;", "is not proved to be"),
        (SAMPLED, "!(coin < sum)", "!(coin <= sum)", "is not proved to be"),
        (DRAWN, ">> 27UL", ">> 26UL", "is not proved to be"),
        (LOSSES, "(long)V * (long)j", "(long)V * (long)i", "may read outside of an array"),
    ],
)
def test_another_quotient_is_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(source, (old, new))


ROUNDED_DOWN = """
import numpy as np

def down(y: "int64[:]", v: "int64[:]"):
    for i in range(len(y)):
        y[i] = v[i] // 4 + (v[i] - i) % 7

def shifted(y: np.ndarray, x: np.ndarray, k: int):
    n = len(x)
    for i in range(n):
        y[i] = x[(i - k) % n]

def halved(y: np.ndarray, x: np.ndarray):
    for i in range(len(y)):
        y[i] = x[(i + i * i) // 2]

def strided(y: np.ndarray, x: np.ndarray, s: int):
    for i in range(len(y)):
        y[i] = x[i * s]

def by_data(y: "int64[:]", v: "int64[:]", w: "int64[:]"):
    for i in range(len(y)):
        y[i] = v[i] // w[i]
"""


def _in_c(function: str) -> FunctionRecord:
    options = LiftOptions((function,), "c", test=True)
    (found,) = lift_source(source_from_text(ROUNDED_DOWN, "rounded.py"), options).functions
    return found


@pytest.mark.parametrize(
    ("function", "text"),
    [
        ("down", "(v[i] / 4L) - (long)(v[i] % 4L < 0L)"),
        ("shifted", "x[(long)(i - k) % (long)n < 0L ? (long)(i - k) % (long)n + (long)n : (long)(i - k) % (long)n]"),
        ("halved", "x[((long)i + (long)i * (long)i) / 2L]"),
        ("strided", "x[(long)i * (long)s]"),
    ],
)
def test_c_computes_places_and_rounds_down_by_rounding_towards_zero(function: str, text: str) -> None:
    found = _in_c(function)
    assert found.level == "proved"
    assert found.program is not None
    assert text in found.program


@pytest.mark.parametrize(
    ("function", "old", "new", "reason"),
    [
        ("down", "% 4L < 0L", "% 4L <= 0L", "y is not proved to be y_1"),
        ("down", "% 4L < 0L", "% 4L > 0L", "y is not proved to be y_1"),
        ("down", "/ 4L) - (long)", "/ 4L) + (long)", "y is not proved to be y_1"),
        ("strided", "(long)i * (long)s", "(long)i * (long)s + 1L", "the program may read outside of an array"),
        ("strided", "x[(long)i * (long)s]", "x[0L * (long)s]", "y is not proved to be y_1"),
    ],
)
def test_places_and_quotients_of_others_are_refused(function: str, old: str, new: str, reason: str) -> None:
    certificate = certificate_from_json(_in_c(function).certificate or {})
    assert old in certificate.program
    with pytest.raises(CheckFailure, match=reason):
        verify(replace(certificate, program=certificate.program.replace(old, new)), read_back=read_back)


def test_quotients_of_data_by_data_that_are_rounded_down_are_refused() -> None:
    assert _in_c("by_data").diagnostics[0].message == "C has no function floordiv of i64, i64"
