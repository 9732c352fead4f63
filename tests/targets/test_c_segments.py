"""C goes over the places between bounds that are data, as the source does, and never asks all places for each row."""

from __future__ import annotations

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


def test_a_store_of_which_each_place_would_be_asked_for_each_row_is_refused() -> None:
    (function,) = lift(SCALED, to="c").functions
    assert [d.code for d in function.diagnostics if not function.lifted][:1] == ["TL305"]
