"""C goes over the places between bounds that are data, as the source does, and never asks all places for each row."""

from __future__ import annotations

import pytest
from tests.lifts import lifted_text
from tests.targets.tampering import refusal

from tensorlift import lift

ROWS = """void rows(int n, const int *at, const double *x, double *y) {
  for (int i = 0; i < n; i++) { double s = 0; for (int p = at[i]; p < at[i + 1]; p++) s += x[p]; y[i] = s; }
}"""
SCALED = """void scaled(int n, const int *at, const double *by, double *x) {
  for (int i = 0; i < n; i++) for (int p = at[i]; p < at[i + 1]; p++) x[p] *= by[i];
}"""


def test_a_fold_goes_over_its_places() -> None:
    (function,) = lift(ROWS, to="c").functions
    assert "k < (long)at[i + 1]; k++" in function.program
    assert str(function.level) == str(function.definitions) == "proved"


ALL_ROWS = """double all_rows(int n, const int *m, int k, const double x[k]) {
  double t = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < m[i]; j++) t += x[j];
  return t;
}"""


def test_a_fold_goes_on_from_row_to_row() -> None:
    function = lifted_text(ALL_ROWS, "c")
    assert "< (long)m[" in function.program
    assert str(function.level) == str(function.definitions) == "proved"


COLUMNS = """void columns(int n, const int *at, const int *row, const double *val, const double *x, double *y) {
  for (int i = 0; i < n; i++) for (int p = at[i]; p < at[i + 1]; p++) y[row[p]] += val[p] * x[i];
}"""
SOME = """void some(int n, const int *at, const int *on, const double *by, double *x) {
  for (int i = 0; i < n; i++) if (on[i]) for (int p = at[i]; p < at[i + 1]; p++) x[p] += by[i];
}"""


@pytest.mark.parametrize(
    ("source", "spelled"),
    [
        (SCALED, "k < (long)at[j + 1]; k++)\n      x[k] *= by[j];"),
        (COLUMNS, "k < (long)at[j + 1]; k++)\n      y[row[k]] += val[k] * x[j];"),
        (SOME, "if (on[j] != 0)\n      for (long k = (long)at[j]; k < (long)at[j + 1]; k++)\n        x[k] += by[j];"),
    ],
)
def test_what_is_spread_over_places_goes_over_them_alone(source: str, spelled: str) -> None:
    function = lifted_text(source, "c")
    assert spelled in function.program
    assert str(function.level) == str(function.definitions) == "proved"


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (SCALED, "x[k] *= by[j]", "x[k] += by[j]"),
        (SCALED, "x[k] *= by[j]", "x[k] = by[j]"),
        (SCALED, "k < (long)at[j + 1]", "k <= (long)at[j + 1]"),
        (SCALED, "k = (long)at[j];", "k = (long)at[0];"),
        (COLUMNS, "y[row[k]] += val[k] * x[j]", "y[row[k]] += val[k] * x[0]"),
        (COLUMNS, "y[row[k]]", "y[k]"),
        (SOME, "if (on[j] != 0)", "if (on[j] == 0)"),
        (SOME, "if (on[j] != 0)", "if (on[0] != 0)"),
    ],
)
def test_what_is_spread_otherwise_is_refused(source: str, old: str, new: str) -> None:
    assert refusal(source, (old, new))
