"""Windows that reach beyond an array read one with a border, and ends that differ are told apart."""

from __future__ import annotations

import pytest
from bench.kernels import native

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

WINDOWS = {
    "a convolution of the same length": (
        (
            "void f(int n, int k, const float *x, const float *w, float *y) { for (int i = 0; i < n; i++) {"
            " float s = 0; for (int j = 0; j < k; j++) { int p = i + j - k / 2;"
            " if (p >= 0 && p < n) s += x[p] * w[j]; } y[i] = s; } }"
        ),
        ("t[k_div_2 : k_div_2 + n] = x", "return sliding_window_view(t, k) @ w"),
    ),
    "a full convolution": (
        (
            "void f(int n, int m, const float *a, const float *b, float *y) { for (int i = 0; i < n + m - 1; i++) {"
            " int lo = i < n ? 0 : i - n + 1, hi = i < m ? i : m - 1; float s = 0;"
            " for (int j = lo; j <= hi; j++) s += a[i - j] * b[j]; y[i] = s; } }"
        ),
        ("sliding_window_view(t, m)[:, ::-1] @ b",),
    ),
    "an autocorrelation": (
        (
            "void f(int n, const double *x, double *r) { for (int l = 0; l < n; l++) { r[l] = 0;"
            " for (int i = 0; i < n - l; i++) r[l] += x[i] * x[i + l]; } }"
        ),
        ("t[:n] = x", "return sliding_window_view(t, n) @ x"),
    ),
    "an image with a border of zeros": (
        (
            "void f(int h, int w, const double *in, const double k[3][3], double *out) {"
            " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { double s = 0;"
            " for (int a = 0; a < 3; a++) for (int b = 0; b < 3; b++) { int p = y + a - 1, q = x + b - 1;"
            " if (p < 0 || p >= h || q < 0 || q >= w) continue; s += in[p * w + q] * k[a][b]; } out[y * w + x] = s; } }"
        ),
        ("t[1:-1, 1:-1] = in_", "sum(t[l : h + l, p : p + w] * k[l, p] for l in range(3) for p in range(3))"),
    ),
    "a maximum with a border that it ignores": (
        (
            "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) { y[i] = x[i];"
            " for (int j = -1; j <= 1; j++) if (i + j >= 0 && i + j < n && x[i + j] > y[i]) y[i] = x[i + j]; } }"
        ),
        ("t = np.full(n + 2, -np.float32(np.inf), dtype=np.float32)", "sliding_window_view(t, 3).max(axis=1)"),
    ),
    "columns of an image with a border": (
        (
            "void f(int n, int k, const float *x, float *y) { for (int a = 0; a < k; a++)"
            " for (int i = 0; i < n; i++) { int p = i + a - 1; y[a * n + i] = p < 0 || p >= n ? 0 : x[p]; } }"
        ),
        ("sliding_window_view(t, n)",),
    ),
    "neighbours that stay inside": (
        (
            "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) { int l = i - 1, r = i + 1;"
            " if (l < 0) l = 0; if (r > n - 1) r = n - 1; y[i] = x[l] + x[r]; } }"
        ),
        ("t[1:-1] = x", "t[:-2] + t[2:]"),
    ),
    "neighbours on a ring": (
        (
            "void f(int n, const float *x, float *y) {"
            " for (int i = 0; i < n; i++) y[i] = x[(i + 1) % n] - x[(i - 1 + n) % n]; }"
        ),
        ("t[0] = x[-1]", "t[2:] - t[:-2]"),
    ),
    "windows on a ring": (
        (
            "void f(int n, int m, const float *x, const float *w, float *y) { for (int i = 0; i < n; i++) {"
            " y[i] = 0; for (int k = 0; k < m; k++) y[i] += w[k] * x[(i + k) % n]; } }"
        ),
        ("sliding_window_view(x[np.fmod(np.arange(m + n - 1).astype(np.int32), n)], m) @ w",),
    ),
    "a blur that holds its places inside": (
        (
            "void f(int h, int w, const float *x, float *y) { for (int i = 0; i < h; i++) for (int j = 0; j < w; j++) {"
            " float s = 0; for (int di = -1; di <= 1; di++) for (int dj = -1; dj <= 1; dj++) {"
            " int r = i + di < 0 ? 0 : i + di >= h ? h - 1 : i + di;"
            " int c = j + dj < 0 ? 0 : j + dj >= w ? w - 1 : j + dj; s += x[r * w + c]; } y[i * w + j] = s / 9; } }"
        ),
        ("t[0, 0] = x[0, 0]", "t[1:-1, 1:-1] = x", "return sliding_window_view(t, (3, 3)).sum(axis=(2, 3)) / 9.0"),
    ),
    "five points on a torus": (
        (
            "void f(int n, int m, const double *u, double *v) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
            " v[i * m + j] = u[(i + 1) % n * m + j] + u[(i + n - 1) % n * m + j]"
            " + u[i * m + (j + 1) % m] + u[i * m + (j + m - 1) % m] - 4 * u[i * m + j]; }"
        ),
        ("t[0, 1:-1] = u[-1]", "return t[2:, 1:-1] + t[:-2, 1:-1] + t[1:-1, 2:] + t[1:-1, :-2] - 4.0 * u"),
    ),
    "the last element again and again": (
        (
            "void f(int n, int k, const float *x, const float *w, float *y) { for (int i = 0; i < n; i++) {"
            " float s = 0; for (int j = 0; j < k; j++) { int p = i + j; if (p >= n) p = n - 1; s += w[j] * x[p]; }"
            " y[i] = s; } }"
        ),
        ("t[n:] = x[-1]", "return sliding_window_view(t, k) @ w"),
    ),
    "cells further on, where a size says that there are any": (
        "void f(int n, int k, double *a) { if (k > 0 && k < n) for (int i = 0; i < n - k; i++) a[i] = a[i + k]; }",
        ("a[: max(n - k, 0)] = a[k:].copy() if k >= 1 else a[: max(n - k, 0)].copy()",),
    ),
    "a shift by what a size says, else nothing": (
        (
            "void f(int n, int k, double *a, const double *b) {"
            " if (k <= 0) return; for (int i = 0; i < n - 1; i++) a[i] = a[i + k] + b[i]; }"
        ),
        ("a[k:] + b[:-1] if k >= 1 else",),
    ),
}


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("source", "lines"), WINDOWS.values(), ids=WINDOWS)
def test_is_loop_free_and_agrees_with_the_compiled_source(source: str, lines: tuple[str, ...]) -> None:
    options = LiftOptions(("f",), test=native.compiler() is not None)
    (function,) = lift_source(source_from_text(source, "f.c"), options).functions
    assert str(function.verdict) == "loop-free", function.diagnostics
    assert str(function.level) == "proved"
    assert all(trial.passed for trial in function.tests)
    program = " ".join((function.program or "").split()).replace("( ", "(").replace(", )", ")")
    for line in lines:
        assert line in program


def test_sums_over_different_points_are_one_sum() -> None:
    source = """
    void f(int n, int k, const double *x, double *y) {
        for (int i = 0; i < n; i++) {
            int lo = i - k;
            if (lo < 0) lo = 0;
            y[i] = 0;
            for (int j = lo; j <= i; j++)
                y[i] += x[j];
        }
    }
    """
    (function,) = lift_source(source_from_text(source, "f.c"), LiftOptions(("f",))).functions
    assert str(function.verdict) == "loop-free", function.diagnostics


def test_a_border_is_no_wider_for_what_a_type_holds() -> None:
    source = """
    long f(unsigned long n, const signed char *a, long *o) {
      long s = 0;
      for (unsigned long i = 0; i < n; i++) { if (i < 3) s += a[i]; }
      for (unsigned long i = 0; i < n; i++) o[i] = (i * 100003) % 1000;
      return s;
    }
    """
    (function,) = lift_source(source_from_text(source, "f.c"), LiftOptions()).functions
    assert function.level == "proved", function.diagnostics
    assert "9223" not in function.program
