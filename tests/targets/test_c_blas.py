"""Symmetric calls of BLAS in programs in C, calls over what a definition does not write, and loops along rows."""

from __future__ import annotations

import pytest
from tests.targets.tampering import refusal

from tensorlift import lift

HEAD = "void f(int n, int m, double alpha, double beta, double C[n][n], double A[n][m], double B[n][m])"
SYRK = f"""{HEAD} {{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {{
      C[i][j] *= beta;
      for (int k = 0; k < m; k++) C[i][j] += alpha * A[i][k] * A[j][k];
    }}
}}
"""
SYRK_TURNED = """void f(int n, int m, float C[n][n], float A[m][n]) {
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      for (int k = 0; k < m; k++) C[i][j] -= A[k][i] * A[k][j];
}
"""
SYR2K = f"""{HEAD} {{
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < m; k++) C[i][j] += alpha * (A[i][k] * B[j][k] + B[i][k] * A[j][k]);
}}
"""
SYMM = """void f(int m, int n, double C[m][n], double A[m][m], double B[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k <= i; k++) sum += A[i][k] * B[k][j];
      for (int k = i + 1; k < m; k++) sum += A[k][i] * B[k][j];
      C[i][j] = sum;
    }
}
"""
SYMM_RIGHT = """void f(int m, int n, double C[m][n], double A[n][n], double B[m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < j; k++) sum += B[i][k] * A[k][j];
      for (int k = j; k < n; k++) sum += B[i][k] * A[j][k];
      C[i][j] = 2 * C[i][j] + sum;
    }
}
"""
GRAM = """void f(int n, int m, double C[m][m], double A[n][m]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] = 0;
      for (int k = 0; k < n; k++) C[i][j] += A[k][i] * A[k][j];
    }
}
"""
HOLLOW = """void f(int n, int m, double C[m][m], double A[n][m], double B[n][m]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] = i == j ? 1.0 : 0.0;
      if (i != j) for (int k = 0; k < n; k++) C[i][j] += A[k][i] * B[k][j];
    }
}
"""
ROWS = """void f(int n, double A[n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++) A[i][j] -= A[i][k] * A[k][j];
}
"""
BATCHES = """void f(int b, int t, int n, int m, float C[n][m], float A[b][t][n], float B[b][t][m]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < b; k++)
      for (int l = 0; l < t; l++)
        for (int j = 0; j < m; j++) C[i][j] += A[k][l][i] * B[k][l][j];
}
"""
TRIANGLE = """void f(int t, int n, int m, double C[n][m], double A[t][n][t], double B[t][t][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] = 0;
      for (int k = 0; k < t; k++)
        for (int l = 0; l <= k; l++) C[i][j] -= A[k][i][l] * B[k][l][j];
    }
}
"""
WINDOWS = """void f(int n, int m, int c, int d, double C[n][m], double A[c][d][n], double B[c][m + d]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      C[i][j] = 0;
      for (int k = 0; k < d; k++)
        for (int l = 0; l < c; l++) C[i][j] += A[l][k][i] * B[l][j + k];
    }
}
"""
DOWN = """void f(int n, int m, double y[n][m], double x[n][m]) {
  for (int i = 0; i < n; i++) {
    double last = 0, before = 0;
    for (int j = 0; j < m; j++) {
      y[i][j] = x[i][j] + 0.5 * last - 0.25 * before;
      before = last;
      last = y[i][j];
    }
  }
}
"""
ACROSS = DOWN.replace("[i][j]", "[j][i]").replace("[n][m]", "[m][n]")
SYRK_CALL = "cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, m, alpha, &A[0][0], m, beta, &C[0][0], n);"


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("source", "call"),
    [
        (SYRK, SYRK_CALL),
        (SYRK_TURNED, "cblas_ssyrk(CblasRowMajor, CblasUpper, CblasTrans, n, m, -1.0f, &A[0][0], n, 1.0, &C[0][0], n)"),
        (SYR2K, "cblas_dsyr2k(CblasRowMajor, CblasLower, CblasNoTrans, n, m, alpha, &A[0][0], m, &B[0][0], m, 1.0,"),
        (SYMM, "cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, m, n, 1.0, &A[0][0], m, &B[0][0], n, 0.0,"),
        (SYMM_RIGHT, "cblas_dsymm(CblasRowMajor, CblasRight, CblasUpper, m, n, 1.0, &A[0][0], n, &B[0][0], n, 2.0,"),
        (GRAM, "cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, m, n, 1.0, &A[0][0], m, 0.0, &C[0][0], m);"),
        (HOLLOW, "cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, m, n, 1.0, &A[0][0], m, &B[0][0], m, 0.0,"),
        (
            BATCHES,
            "cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, m, t, 1.0, &A[k][0][0], n, &B[k][0][0], m, 1.0,",
        ),
        (TRIANGLE, "cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, m, k + 1, -1.0, &A[k][0][0], t,"),
        (ROWS, "cblas_dgemv(CblasRowMajor, CblasTrans, i, n - i, -1.0, &A[0][i], n, &A[i][0], 1, 1.0, &A[i][i], 1);"),
    ],
)
def test_a_contraction_becomes_the_call_that_computes_it(source: str, call: str) -> None:
    lifted = lift(source, to="c", test=True)
    assert call in " ".join(lifted.source.split())
    assert lifted.functions[0].level == "proved"


def test_a_sum_over_windows_that_overlap_is_computed_cell_by_cell() -> None:
    assert "gemm" not in lift(WINDOWS, to="c").source


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (SYRK, "CblasLower", "CblasUpper"),
        (SYRK, "CblasNoTrans", "CblasTrans"),
        (SYRK, "n, m, alpha", "n, m, beta"),
        (SYR2K, "&B[0][0]", "&A[0][0]"),
        (SYMM, "CblasLower", "CblasUpper"),
        (SYMM, "CblasLeft", "CblasRight"),
        (SYMM_RIGHT, "CblasUpper", "CblasLower"),
        (GRAM, "C[i][j] = C[j][i]", "C[i][j] = C[i][i]"),
        (GRAM, "CblasUpper", "CblasLower"),
        (HOLLOW, "C[i][i] = 1.0", "C[i][0] = 1.0"),
        (BATCHES, "m, 1.0, &C", "m, 0.0, &C"),
        (BATCHES, "k < b", "k < b - 1"),
        (TRIANGLE, "k + 1, -1.0", "k, -1.0"),
        (ROWS, "&A[0][i], n", "&A[0][0], n"),
        (ROWS, "i, n - i, -1.0", "n, n - i, -1.0"),
    ],
)
def test_a_wrong_call_is_refused(source: str, old: str, new: str) -> None:
    assert refusal(source, (old, new))


@pytest.mark.parametrize(
    "source",
    [
        SYRK.replace("A[j][k]", "B[j][k]"),
        SYRK.replace("j <= i", "j < i"),
        SYMM.replace("A[k][i]", "A[k][i] * 2.0"),
        GRAM.replace("C[i][j] = 0", "C[i][j] *= 2"),
    ],
)
def test_what_is_not_symmetric_is_no_symmetric_call(source: str) -> None:
    assert "cblas_dsy" not in lift(source, to="c").source


def test_a_recurrence_along_rows_keeps_the_loops_of_the_source() -> None:
    text = lift(DOWN, to="c").source
    assert "last_by" not in text
    assert "  double last = " in text


def test_a_recurrence_down_columns_runs_row_by_row() -> None:
    text = lift(ACROSS, to="c").source
    assert "last_by_i" in text
    assert text.index("for (ptrdiff_t j ") < text.index("y[j][k] =")


def test_a_recurrence_along_rows_without_locals_runs_row_by_row() -> None:
    source = """void f(int n, int m, double y[n][m]) {
      for (int i = 0; i < n; i++)
        for (int j = 1; j < m; j++) y[i][j] = 1.0 / (y[i][j] - y[i][j - 1]);
    }"""
    text = lift(source, to="c").source
    assert text.index("for (ptrdiff_t i ") < text.index("for (ptrdiff_t j ")
