"""Reads at places that depend on data: right programs are proved, those that read elsewhere are rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tensorlift.proofs.failure import OBLIGATION, UNEQUAL, UNREADABLE

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

PLAIN = "void f(int n, const int *ix, const double *x, double *y) { for (int i = 0; i < n; i++) y[i] = x[ix[i]]; }"
TWO = """void f(int n, const int *ix, const int *iy, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] = x[ix[i]] + 2 * x[iy[i]]; }"""
PART = """void f(int n, const int *ix, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] = 0;
  for (int i = 1; i < n; i++) y[i] = x[ix[i]]; }"""
ROWS = """void f(int n, int m, const int *r, const double A[n][m], double B[n][m]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) B[i][j] = A[r[i]][j]; }"""
COLUMNS = """void f(int n, int m, const int *c, const double A[n][m], double B[n][n]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i][j] = A[i][c[j]]; }"""
PAIRS = """void f(int n, const int *r, const int *c, const double A[n][n], double *y) {
  for (int i = 0; i < n; i++) y[i] = A[r[i]][c[i]]; }"""
SEARCH = """void f(int n, int m, const int *ix, const double *x, double *y) {
  for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < m; k++) if (ix[i] == k) s += x[k]; y[i] = s; } }"""
MASKED = """void f(int n, const int *b, const double x[8], double *y) {
  for (int i = 0; i < n; i++) y[i] = x[b[i] & 7]; }"""
BYTES = """void f(int n, const unsigned char *b, const double x[256], double *y) {
  for (int i = 0; i < n; i++) y[i] = x[b[i]]; }"""
SOME = """void f(int n, const int *c, const int *ix, const double *x, double *y) {
  for (int i = 0; i < n; i++) y[i] = c[i] > 0 ? x[ix[i]] : 0; }"""
COUNTED = """void f(int n, const int *c, const double *x, double *y) {
  int k = 0; for (int i = 0; i < n; i++) y[i] = c[i] > 0 ? x[k++] : 0; }"""
FILL = """void f(int n, const double *c, const double *x, double *y) {
  double l = 7; for (int i = 0; i < n; i++) { if (c[i] > 0) l = x[i]; y[i] = l; } }"""
BACK = FILL.replace("int i = 0; i < n; i++", "int i = n - 1; i >= 0; i--")
FILLED = "np.where(c[PLACE] > 0, x[PLACE], 7.0)"
SHIFT = ("arange(c.shape[0])", "arange(1, c.shape[0] + 1)")
LATEST = "np.maximum.accumulate(np.where(c > 0, np.arange(c.shape[0]), 0))"
NEXT = "np.minimum.accumulate(np.where(c > 0, np.arange(c.shape[0]), c.shape[0] - 1)[::-1])[::-1]"
ONE_HOT = "np.where(ix[:, None] == np.arange(x.shape[0], dtype=np.int32), x, 0.0).sum(axis=1)"

RIGHT = [
    (PLAIN, "ix, x", "x[ix]"),
    (PLAIN, "ix, x", "x[ix[::-1]][::-1]"),
    (PLAIN, "ix, x", "x[ix.astype(np.int64)]"),
    (PLAIN, "ix, x", "x[:, None][ix][:, 0]"),
    (PLAIN, "ix, x", ONE_HOT.replace(", dtype=np.int32", "")),
    (TWO, "ix, iy, x", "x[ix] + 2 * x[iy]"),
    (TWO, "ix, iy, x", "x[ix] + x[iy] + x[iy]"),
    (PART, "ix, x", "np.concatenate((np.zeros(1), x[ix[1:]]))"),
    (ROWS, "r, A", "A[r]"),
    (ROWS, "r, A", "A[r, :]"),
    (ROWS, "r, A", "A[r[:, None], np.arange(A.shape[1])]"),
    (COLUMNS, "c, A", "A[:, c]"),
    (PAIRS, "r, c, A", "A[r, c]"),
    (SEARCH, "ix, x", ONE_HOT),
    (MASKED, "b, x", "x[b & 7]"),
    (BYTES, "b, x", "x[b]"),
    (FILL, "c, x", FILLED.replace("PLACE", LATEST)),
    (BACK, "c, x", FILLED.replace("PLACE", NEXT)),
    (SOME, "c, ix, x", "np.where(c > 0, x[np.where(c > 0, ix, 0)], 0.0)"),
    (SOME, "c, ix, x", "np.where(c <= 0, 0.0, x[np.where(c <= 0, 0, ix)])"),
    (SOME, "c, ix, x", "np.where(c > 0, x[np.where((c > 0) & (ix > 3), ix, np.where(c > 0, ix, 0))], 0.0)"),
    (COUNTED, "c, x", "np.where(c > 0, x[np.where(c > 0, np.cumsum(c > 0, dtype=np.int32) - (c > 0), 0)], 0.0)"),
]
WRONG = [
    (PLAIN, "ix, x", "x[ix - 1]", OBLIGATION),
    (PLAIN, "ix, x", "x[ix + 1]", OBLIGATION),
    (PLAIN, "ix, x", "x[-ix]", OBLIGATION),
    (PLAIN, "ix, x", "x[::-1][ix]", UNEQUAL),
    (PLAIN, "ix, x", "x[ix[::-1]]", UNEQUAL),
    (PLAIN, "ix, x", "x[1:][ix]", OBLIGATION),
    (PLAIN, "ix, x", "x[ix.astype(np.int8)]", OBLIGATION),
    (PLAIN, "ix, x", "x[x.astype(np.int32)]", OBLIGATION),
    (PLAIN, "ix, x", "x[ix > 0]", UNREADABLE),
    (PLAIN, "ix, x", "x[np.where(ix >= 0, ix, 0)]", UNEQUAL),
    (PLAIN, "ix, x", "x[ix] + x[ix - ix]", OBLIGATION),
    (TWO, "ix, iy, x", "x[iy] + 2 * x[ix]", UNEQUAL),
    (TWO, "ix, iy, x", "3 * x[ix]", UNEQUAL),
    (PART, "ix, x", "np.where(np.arange(ix.shape[0]) > 0, x[ix], 0.0)", OBLIGATION),
    (ROWS, "r, A", "A[:, r]", OBLIGATION),
    (ROWS, "r, A", "A[np.arange(A.shape[0])]", UNEQUAL),
    (ROWS, "r, A", "A[r, ::-1]", UNEQUAL),
    (COLUMNS, "c, A", "A[c]", OBLIGATION),
    (PAIRS, "r, c, A", "A[c, r]", UNEQUAL),
    (PAIRS, "r, c, A", "A[r, r]", UNEQUAL),
    (SEARCH, "ix, x", "x[ix]", OBLIGATION),
    (MASKED, "b, x", "x[b & 15]", OBLIGATION),
    (MASKED, "b, x", "x[b & 3]", UNEQUAL),
    (MASKED, "b, x", "x[b]", OBLIGATION),
    (FILL, "c, x", FILLED.replace("PLACE", NEXT), UNEQUAL),
    (FILL, "c, x", FILLED.replace("PLACE", LATEST.replace(">", ">=")), UNEQUAL),
    (FILL, "c, x", FILLED.replace("PLACE", LATEST.replace("0))", "-1))")), OBLIGATION),
    (
        FILL,
        "c, x",
        FILLED.replace("PLACE", LATEST.replace(*SHIFT)),
        OBLIGATION,
    ),
    (FILL, "c, x", FILLED.replace("PLACE", LATEST).replace("7.0", "0.0"), UNEQUAL),
    (FILL, "c, x", FILLED.replace("x[PLACE]", "c[PLACE]").replace("PLACE", LATEST), UNEQUAL),
    (FILL, "c, x", f"x[{LATEST}]", UNEQUAL),
    (BACK, "c, x", FILLED.replace("PLACE", NEXT.replace("c.shape[0] - 1", "c.shape[0]")), OBLIGATION),
    (BACK, "c, x", FILLED.replace("PLACE", NEXT.removesuffix("[::-1]")), UNEQUAL),
    (SOME, "c, ix, x", "np.where(c > 0, x[ix], 0.0)", OBLIGATION),
    (SOME, "c, ix, x", "np.where(c > 0, x[np.where(c >= 0, ix, 0)], 0.0)", OBLIGATION),
    (SOME, "c, ix, x", "np.where(c > 0, x[np.where(c > 0, 0, ix)], 0.0)", OBLIGATION),
    (SOME, "c, ix, x", "np.where(c > 0, x[np.where(c > 0, ix, -1)], 0.0)", OBLIGATION),
    (SOME, "c, ix, x", "np.where(c > 0, x[np.where(ix > 0, ix, 0)], 0.0)", OBLIGATION),
    (SOME, "c, ix, x", "x[np.where(c > 0, ix, 0)]", UNEQUAL),
    (COUNTED, "c, x", "np.where(c > 0, x[np.cumsum(c > 0) - 1], 0.0)", OBLIGATION),
    (COUNTED, "c, x", "np.where(c > 0, x[np.where(c > 0, np.cumsum(c > 0), 0)], 0.0)", OBLIGATION),
    (COUNTED, "c, x", "np.where(c > 0, x[np.where(c > 0, np.cumsum(c >= 0) - 1, 0)], 0.0)", OBLIGATION),
]


def _program(parameters: str, body: str) -> str:
    return f"def f({parameters}):\n    return {body}\n"


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("source", "parameters", "body"), RIGHT)
def test_a_read_where_the_source_reads_is_proved(accept: Accept, source: str, parameters: str, body: str) -> None:
    accept(source, _program(parameters, body))


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(("source", "parameters", "body", "code"), WRONG)
def test_a_read_elsewhere_is_rejected(reject: Reject, source: str, parameters: str, body: str, code: str) -> None:
    assert reject(source, _program(parameters, body)) == code


@settings(max_examples=12, deadline=None)
@given(st.integers(-3, 3), st.integers(-3, 3))
def test_only_the_same_number_added_to_a_place_is_proved(mine: int, theirs: int) -> None:
    from tests.proofs.conftest import _accept, _reject  # noqa: PLC0415 - fixtures do not go with Hypothesis

    source = PLAIN.replace("ix[i]]", f"ix[i] + ({mine})]")
    program = _program("ix, x", f"x[ix + {theirs}]")
    if mine == theirs:
        _accept(source, program)
    else:
        assert _reject(source, program) == OBLIGATION
