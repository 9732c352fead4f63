"""Reads at places that depend on data in C: as they are spelled, and wrong programs, which are refused."""

from __future__ import annotations

import pytest
from tests.lifts import lifted_text
from tests.targets.tampering import refusal

GATHER = "void f(int n, const int *ix, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[ix[i]]; }"
ROWS = """void f(int n, int m, int p, const int *r, const double A[p][m], double B[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[i][j] = A[r[i]][j]; }"""
SUM = """double f(int n, const unsigned char *b, const double x[256]) {
  double s = 0; for (int i = 0; i < n; i++) s += x[b[i]] * x[b[i] >> 1]; return s; }"""
MERGE = """void f(int n, const int *restrict p, const double *a, const double *b, double *restrict y) {
  int i = 0, j = 0; for (int k = 0; k < n; k++) if (p[k]) y[k] = a[i++]; else y[k] = b[j++]; }"""


@pytest.mark.parametrize(
    ("source", "spelled"),
    [
        (GATHER, "y[i] = x[ix[i]];"),
        (ROWS, "B[i][j] = A[r[i]][j];"),
        (SUM, "s += x[b[k]] * x[(int)b[k] >> 1];"),
        (GATHER.replace("ix[i]]", "ix[i] + 1]"), "y[i] = x[ix[i] + 1];"),
        (MERGE, "sum1 += !(p[i - 1] != 0) ? 1 : 0;\n    y[i] = p[i] != 0 ? a[sum] : b[sum1];"),
    ],
)
def test_a_read_where_data_says_is_a_subscript(source: str, spelled: str) -> None:
    assert spelled in lifted_text(source, "c").program


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (GATHER, "x[ix[i]]", "x[i]", "x_size >= n"),
        (GATHER, "x[ix[i]]", "x[ix[n - 1 - i]]", "not proved"),
        (GATHER, "x[ix[i]]", "x[ix[i] + 1]", "may read outside"),
        (GATHER, "y[i] = x[ix[i]]", "y[ix[i]] = x[i]", ""),
        (ROWS, "A[r[i]][j]", "A[r[j]][i]", ""),
        (SUM, "x[(int)b[k] >> 1]", "x[(int)b[k] >> 2]", "is not proved to be"),
        (SUM, "x[(int)b[k] >> 1]", "x[b[k] + 1]", "may read outside"),
        (MERGE, "a[sum] : b[sum1];\n  }", "b[sum1] : a[sum];\n  }", ""),
        (MERGE, "sum1 += !(p[i - 1] != 0)", "sum1 += !(p[i] != 0)", ""),
        (MERGE, "y[0] = p[0] != 0 ? a[sum]", "y[0] = p[0] != 0 ? a[sum + 1]", ""),
    ],
)
def test_a_read_elsewhere_is_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(source, (old, new))
