"""The rows of flat memory through which loops go along diagonals, back from the last, and in bands."""

from __future__ import annotations

import pytest
from bench.kernels import native

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

# What is gone over, where, and the shape of the array `a` then.
WALKS = {
    "antidiagonals": (
        "for (int d = 0; d < n; d++) for (int i = 0; i <= d; i++)",
        "a[i*n + (d - i)] += 1;",
        ("n", "n"),
    ),
    "wavefront": (
        "for (int d = 2; d <= 2*n - 2; d++) for (int i = 1; i < n; i++) if (d - i >= 1 && d - i < n)",
        "a[i*n + d - i] = a[(i-1)*n + d - i] + a[i*n + d - i - 1];",
        ("n", "n"),
    ),
    "of a table with a border": (
        "for (int d = 2; d <= n; d++) for (int i = 1; i < d; i++)",
        "a[i*(n+1) + d - i] = a[(i-1)*(n+1) + d - i] + 1;",
        ("n", "n + 1"),
    ),
    "backwards": (
        "for (int d = 2*n - 4; d >= 0; d--) for (int i = n - 2; i >= 0; i--) if (d - i >= 0 && d - i < n - 1)",
        "a[i*n + d - i] += a[(i+1)*n + d - i];",
        ("n", "n"),
    ),
    "diagonals": (
        "for (int k = 1; k < n; k++) for (int i = 0; i + k < n; i++)",
        "a[i*n + i + k] = k;",
        ("n", "n"),
    ),
    "diagonals in longer rows": (
        "for (int k = 0; k < n; k++) for (int i = 0; i + k < n; i++)",
        "a[i*m + i + k] = k;",
        ("n", "n"),
    ),
    "antidiagonals in longer rows": (
        "for (int d = 0; d < n; d++) for (int i = 0; i <= d; i++)",
        "a[i*m + d - i] += 1;",
        ("n", "n"),
    ),
    "a triangle": (
        "for (int i = 0; i < n; i++) for (int j = i; j < n; j++)",
        "a[i*m + j] = 1;",
        ("n", "n"),
    ),
    "a band": (
        "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) if (i >= j - m && i <= j)",
        "a[m + i - j + j*(m+1)] *= 2;",
        ("n", "m + 1"),
    ),
}


@pytest.mark.parametrize("walk", WALKS)
def test_rows_are_as_long_as_all_accesses_ask_for(walk: str) -> None:
    loops, statement, shape = WALKS[walk]
    text = f"void f(int n, int m, double *a) {{ {loops} {statement} }}\n"
    (lifted,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert lifted.verdict != "refused", lifted.diagnostics
    assert [each.shape for each in lifted.parameters if each.name == "a"] == [shape]
    assert not [
        each.text for each in lifted.preconditions if each.text not in {"n >= 0", "n >= 1", "n <= m", "m >= -1"}
    ]


@pytest.mark.parametrize("row", ["n - m", "m - n", "n - m + 1", "m - 2 * n", "(n - m + 1) * (q - m + 1)"])
def test_rows_that_are_differences_may_have_any_names(row: str) -> None:
    _fills("int i = 0; i < p; i++", row)


@pytest.mark.parametrize("row", ["n - m", "m - n", "m - 2 * n + 1"])
def test_rows_that_are_differences_are_filled_from_the_last(row: str) -> None:
    _fills("int i = p - 1; i >= 0; i--", row)


@pytest.mark.parametrize("step", ["n - m + 1", "m - n + 1"])
def test_a_step_that_is_a_difference_is_no_diagonal_of_longer_rows(step: str) -> None:
    size = step.removesuffix(" + 1")
    text = f"void f(int n, int m, double *a) {{ for (int i = 0; i < {size}; i++) a[i * ({size}) + i] = 1; }}\n"
    (lifted,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert f"np.ones(({size}, 1))" in str(lifted.program), lifted.diagnostics


def _fills(rows: str, row: str) -> None:
    loops = f"for ({rows}) for (int j = 0; j < {row}; j++)"
    text = f"void f(int n, int m, int p, int q, double *a) {{ {loops} a[i * ({row}) + j] = 1; }}\n"
    (lifted,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert lifted.verdict == "loop-free", lifted.diagnostics
    assert "np.ones((p, " in str(lifted.program), lifted.program


# What is filled, part by part, with the shape of ``a``.
PARTS = {
    "for (int i = 0; i < m*p; i++) a[m*p*n + i] += 1;": ("a_size", "m", "p"),
    "for (int i = 0; i < m*p; i++) for (int k = 0; k < q; k++) a[k*m*p*(n + 2) + n*m*p + i] += 1;": (
        "q",
        "n + 2",
        "m",
        "p",
    ),
    "for (int i = 0; i < m*p*q; i++) a[i] *= 2; for (int i = 0; i < m*p; i++) a[n*m*p + i] += 1;": ("q", "m", "p"),
    "for (int i = 0; i < m*p*3; i++) a[i] *= 2; for (int i = 0; i < m*p; i++) a[i + 2*m*p] += 1;": ("a_size", "m", "p"),
    "for (int i = 0; i < q*p; i++) a[i] *= 2; for (int i = 0; i < q; i++) a[n*q + i] += 1;": ("p", "q"),
}


@pytest.mark.parametrize("body", PARTS)
def test_offsets_of_several_sizes_are_whole_rows_of_rows(body: str) -> None:
    text = f"void f(int n, int m, int p, int q, double *a) {{ {body} }}\n"
    (lifted,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert lifted.verdict == "loop-free", lifted.diagnostics
    assert [each.shape for each in lifted.parameters if each.name == "a"] == [PARTS[body]]


BLUR = """
void blur(const float *x, float *o, int h, int w, int r) {
  for (int y = 0; y < h; y++) for (int c = 0; c < w; c++) {
    float s = 0;
    for (int i = 0; i < r; i++) { int a = y + i - 1; if (a >= 0 && a < h) s += x[a*w + c]; }
    o[y*w + c] = s;
  }
}
"""


def test_an_array_ends_where_the_source_checks_that_it_does() -> None:
    (lifted,) = lift_source(source_from_text(BLUR, "f.c"), LiftOptions()).functions
    assert lifted.verdict == "loop-free", lifted.diagnostics
    assert [each.shape for each in lifted.parameters if each.name == "x"] == [("h", "w")]  # not of h + r - 2 rows


# What is done at places that depend on `k`, the shape of the array `a` then, and what the program says.
CHOSEN = {
    "rows": ("b[i*m + j] = a[k[i]*m + j];", ("a_size", "m"), "a[k]"),
    "rows by a pointer": ("const double *row = a + k[i]*m; b[i*m + j] = row[j];", ("a_size", "m"), "a[k]"),
    "rows after others": ("b[i*m + j] = a[(k[i] + 1)*m + j];", ("a_size", "m"), "+ 1]"),
    "groups of three": ("b[i] = a[3*k[i]] + a[3*k[i] + 1] * a[3*k[i] + 2];", ("a_size", "3"), "a[:, 0][k]"),
    "rows that are added to": ("a[k[i]*m + j] += b[i*m + j];", ("a_size", "m"), "np.add.at(a, k, b)"),
    "columns of rows": ("b[i*m + j] = a[i*m + j] - a[i*m + k[i]];", ("n", "m"), "a[np.arange(n), k]"),
    "cells of any rows": ("b[i*m + j] = a[i*m + j] - a[k[i]];", ("a_size",), "a[k]"),
    "columns of rows that are not told": ("b[i] = a[i*m + k[i]];", ("a_size",), "np.arange(n) * m"),
    "windows that may overlap": ("b[i*m + j] = a[k[i]*q + j];", ("a_size",), "* q"),
    "rows from their ends": ("b[i*m + j] = a[k[i]*m - j];", ("a_size",), "* m"),
    "rows of unsigned numbers": ("b[i*m + j] = a[(unsigned)k[i]*m + j];", ("a_size",), "np.uint32"),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_data_choose_rows_whose_length_others_tell(name: str) -> None:
    statement, shape, said = CHOSEN[name]
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    text = f"void f(int n, int m, int q, double *a, const int *k, double *b) {{ {loops} {{ {statement} }} }}\n"
    (lifted,) = lift_source(source_from_text(text, "f.c"), LiftOptions()).functions
    assert [each.shape for each in lifted.parameters if each.name == "a"] == [shape], lifted.diagnostics
    assert said in str(lifted.program)
    assert lifted.definitions == ("tested" if name == "cells of any rows" else "proved")


DECLARED = """
double trace(double a[5][5]) { double t = 0; for (int i = 0; i < 5; i++) t += a[i][i]; return t; }
double other(double a[5][5]) { double t = 0; for (int i = 0; i < 5; i++) t += a[i][4-i]; return t; }
void knight(double a[8][4], double o[4]) { for (int i = 0; i < 4; i++) o[i] = a[2*i][i]; }
void pages(double a[3][5][4]) { for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) a[i][i+1][j] = a[i][j][j]; }
void rings(double a[4][4], double o[4][4]) {
  for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) o[i][j] = a[i][(i+j)%4];
}
"""


def test_diagonals_of_declared_arrays_stay_inside() -> None:
    if native.compiler() is None:
        pytest.skip("no C compiler")
    lifted = lift_source(source_from_text(DECLARED, "f.c"), LiftOptions(test=True)).functions
    assert [str(each.verdict) for each in lifted] == ["loop-free"] * 5, [each.diagnostics for each in lifted]
    assert all(trial.passed for each in lifted for trial in each.tests)
