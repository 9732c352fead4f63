"""Cells in C that overwrite what others read are computed side by side, without copies."""

from __future__ import annotations

import shutil

import pytest
from tests.targets.tampering import refusal

from tensorlift import lift

TURNED = """void f(int n, float *re, float *im, float c, float s) {
  for (int i = 0; i < n; i++) { float a = re[i], b = im[i]; re[i] = a * c - b * s; im[i] = a * s + b * c; }
}
"""
PAIRS = """void f(int n, float *q, float c, float s) {
  for (int i = 0; i < n; i += 2) {
    float a = q[i], b = q[i + 1];
    q[i] = a * c - b * s;
    q[i + 1] = a * s + b * c;
  }
}
"""
BUTTERFLY = """void f(int h, double *re, double *im, const double *wr, const double *wi) {
  for (int j = 0; j < h; j++) {
    double a = re[j + h] * wr[j] - im[j + h] * wi[j], b = re[j + h] * wi[j] + im[j + h] * wr[j];
    re[j + h] = re[j] - a;
    im[j + h] = im[j] - b;
    re[j] += a;
    im[j] += b;
  }
}
"""
COLOURS = """void f(int n, double *r, double *g, double *b) {
  for (int i = 0; i < n; i++) {
    double y = .3 * r[i] + .6 * g[i] + .1 * b[i], u = b[i] - y, v = r[i] - y;
    r[i] = y; g[i] = u; b[i] = v;
  }
}
"""
WIDTHS = """void f(int n, int *a, unsigned char *b, long *c) {
  for (int i = 0; i < n; i++) {
    int x = a[i]; unsigned char y = b[i];
    a[i] = (int)c[i] + y; b[i] = (unsigned char)(x + y); c[i] = x;
  }
}
"""
STEPS = """void f(int steps, int n, double h, double *x, double *v) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) { double a = x[i]; x[i] += h * v[i]; v[i] -= h * a; }
}
"""
CYCLE = """void f(int n, double p[n][3]) {
  for (int i = 0; i < n; i++) { double x = p[i][0]; p[i][0] = p[i][1]; p[i][1] = p[i][2]; p[i][2] = x; }
}
"""
# What is read after it was overwritten, or at other points than it is written, is copied.
REVERSED = """void f(int n, double *x) {
  for (int i = 0; i < n / 2; i++) { double t = x[i]; x[i] = x[n - 1 - i]; x[n - 1 - i] = t; }
}
"""
HALF = """void f(int n, double *x, double *y) {
  for (int i = 0; i < n; i++) { double t = x[i]; x[i] = y[i] + 1; if (i < n / 2) y[i] = t; }
}
"""


@pytest.mark.parametrize("source", [TURNED, PAIRS, BUTTERFLY, COLOURS, WIDTHS, STEPS, CYCLE])
def test_what_overwrites_each_other_is_one_loop(source: str) -> None:
    text = lift(source, to="c", test=shutil.which("cc") is not None).source.partition("_original(")[0]
    assert "before" not in text
    assert text.count("for (") == source.count("for (")


@pytest.mark.parametrize("source", [REVERSED, HALF])
def test_what_is_read_too_late_is_copied(source: str) -> None:
    assert "x_before[" in lift(source, to="c", test=shutil.which("cc") is not None).source


def test_values_that_are_used_twice_are_computed_once() -> None:
    text = lift(BUTTERFLY, to="c").source
    assert text.count("wi[i - h]") == 2
    assert "const double t = re[i] * wi[i - h] + im[i] * wr[i - h];" in text


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (TURNED, "im[i] = t;", "im[i] = re[i] * s + im[i] * c;"),
        (TURNED, "const float t = re[i]", "const float t = re[0]"),
        (PAIRS, "q[i][0] = t;", "q[i][0] = q[i][0];"),
        (CYCLE, "p[i][1] = t1;", "p[i][1] = p[i][2];"),
    ],
)
def test_a_store_before_a_read_is_refused(source: str, old: str, new: str) -> None:
    assert refusal(source, (old, new))
