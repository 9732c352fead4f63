"""What takes the place of its source is not slower by degree; the source stays where it would be."""

from __future__ import annotations

import pytest
from tests.lifts import lifted_text

from tensorlift.commands.in_place import rewrite_c
from tensorlift.pipeline import LiftOptions, verify
from tensorlift.readback import read_back
from tensorlift.record import Level
from tensorlift.source import source_from_text

STAY = {
    "a shift of the rest": """void f(int n, int k, double *a) { for (int j = 0; j < k; j++) {
      double t = a[j]; a[j] = a[n + j] + 1; a[n + j] = t; } }""",
}
GO = {
    "bubble sort": """void f(int n, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j + 1 < n - i; j++)
      if (a[j] > a[j + 1]) { double t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } }""",
    "one pass of it": """void f(int n, double *a) { for (int j = 0; j + 1 < n; j++)
      if (a[j] > a[j + 1]) { double t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; } }""",
    "butterflies": """void f(int len, int i, double w, double *a) { for (int j = 0; j < len / 2; j++) {
      double t = a[i + j + len / 2] * w; a[i + j + len / 2] = a[i + j] - t; a[i + j] += t; } }""",
    "part of a row": "void f(int k, int i, double *a) { for (int j = 0; j < k; j++) a[i + j] *= 2; }",
    "scale": "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] *= 2; }",
    "exclusive sums": """void f(int n, const double *a, double *o) { double s = 0;
      for (int i = 0; i < n; i++) { o[i] = s; s += a[i]; } }""",
    "elimination": """void f(int n, double A[n][n]) { for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) {
      A[i][k] /= A[k][k]; for (int j = k + 1; j < n; j++) A[i][j] -= A[i][k] * A[k][j]; } }""",
    "product": """void f(int n, double A[n][n], double B[n][n], double C[n][n]) { for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) { C[i][j] = 0; for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; } }""",
}


@pytest.mark.parametrize("name", STAY)
def test_what_would_be_slower_by_degree_stays(name: str) -> None:
    record, text = rewrite_c(source_from_text(STAY[name], "f.c"), LiftOptions(target="c"))
    assert text.decode() == STAY[name]
    codes = {d.code for d in record.all_diagnostics}
    assert "TL314" in codes


@pytest.mark.in_turns(2)
@pytest.mark.parametrize("name", GO)
def test_what_is_of_the_same_degree_is_replaced(name: str) -> None:
    _, text = rewrite_c(source_from_text(GO[name], "f.c"), LiftOptions(target="c"))
    assert "f_lifted(" in text.decode()


RUNNING = {
    "drawdown": """double f(int n, const double *p) { double top = p[0], worst = 0; for (int i = 1; i < n; i++) {
      if (p[i] > top) top = p[i]; if (top - p[i] > worst) worst = top - p[i]; } return worst; }""",
    "place of the greatest": """void f(int n, const double *x, int *k) { double best = x[0]; int at = 0;
      for (int i = 0; i < n; i++) { if (x[i] > best) { best = x[i]; at = i; } k[i] = at; } }""",
}


@pytest.mark.parametrize("name", RUNNING)
def test_a_fold_inside_of_a_fold_or_of_cells_runs_along(name: str) -> None:
    record = lifted_text(RUNNING[name], "c")
    assert record.level is Level.PROVED
    assert read_back(record.program, "f_lifted").view.loop_depth == 1
    assert record.certificate is not None
    assert not verify(record.certificate)


_MATRIX_VECTOR = "cblas_dgemv(CblasRowMajor, CblasNoTrans, m, m, 1.0, A, m, x, 1, 0.0, y, 1);"


@pytest.mark.parametrize(
    ("call", "depth"), [("", 1), ("cblas_dscal(m, 2.0, y, 1);", 2), (_MATRIX_VECTOR, 3)], ids=["none", "dscal", "dgemv"]
)
def test_loops_are_counted_by_their_nesting(call: str, depth: int) -> None:
    text = f"""#include <cblas.h>
#include <stddef.h>
void f(ptrdiff_t n, ptrdiff_t m, double A[restrict][m], double *restrict x, double *restrict y, double *restrict z)
{{
  for (ptrdiff_t i = 0; i < n; i++) {{
    for (ptrdiff_t k = 0; k < 3; k++)
      z[k] += i;
    {call.replace("A,", "&A[0][0],")}
  }}
}}
"""
    assert read_back(text, "f").view.loop_depth == depth
