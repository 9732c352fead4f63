"""Stores at places that depend on data in C: as they are spelled, and wrong programs, which are refused."""

from __future__ import annotations

import pytest
from tests.lifts import lifted_text
from tests.targets.tampering import refusal

from tensorlift import lift

HISTOGRAM = "void f(int n, int m, const int key[n], int h[m]) { for (int i = 0; i < n; i++) h[key[i]]++; }"
LAST = """void f(int n, int m, const int ix[n], const double x[n], double y[m]) {
  for (int i = 0; i < n; i++) y[ix[i]] = x[i]; }"""
LARGEST = """void f(int n, int m, const int key[n], const float v[n], float best[m]) {
  for (int i = 0; i < n; i++) if (v[i] > best[key[i]]) best[key[i]] = v[i]; }"""
ROWS = """void f(int n, int d, int m, const int r[n], const double x[n][d], double s[m][d]) {
  for (int i = 0; i < n; i++) for (int j = 0; j < d; j++) s[r[i]][j] += x[i][j]; }"""
DEPOSIT = """void f(int n, int m, const int c[n], const double w[n], double r[m]) {
  for (int p = 0; p < n; p++) { r[c[p]] += 1.0 - w[p]; r[c[p] + 1] += w[p]; } }"""
MOVES = """void f(int n, int m, const int a[n], const int b[n], unsigned char h[m]) {
  for (int i = 0; i < n; i++) { h[a[i]]++; h[b[i]] -= 3; } }"""
PACK = """int f(int n, const double *restrict x, double *restrict out) {
  int k = 0; for (int i = 0; i < n; i++) if (x[i] > 0.0) out[k++] = x[i]; return k; }"""
LONG = PACK.replace("int f", "unsigned long f").replace("int k", "unsigned long k")
REMOVE = "int f(int *a, int n) { int k = 0; for (int i = 0; i < n; i++) if (a[i] != 1) a[k++] = a[i]; return k; }"


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("source", "spelled"),
    [
        (HISTOGRAM, ["h[key[j]] += 1;"]),
        (LAST, ["y[ix[j]] = x[j];"]),
        (LARGEST, ["best[key[j]] = v[j] > best[key[j]] ? v[j] : best[key[j]];"]),
        (ROWS, ["s[r[k]][j] += x[k][j];"]),
        (DEPOSIT, ["r[c[j]] += 1.0 - w[j];\n    r[c[j] + 1] += w[j];"]),
        (MOVES, ["h[a[j]] = (unsigned char)(h[a[j]] + 1);\n    h[b[j]] = (unsigned char)(h[b[j]] + 253);"]),
        (PACK, ["out[count] = x[j];\n      count += 1;", "k = count;"]),
        (LONG, ["out[count] = x[j];\n      count = (long)((unsigned long)count + 1L);"]),
        (REMOVE, ["a[k] = a[i];"]),
        ("void f(int n, const unsigned char k[n], unsigned char h[256]) { for (int i = 0; i < n; i++) h[k[i]]++; }",
         ["h[k[j]] = (unsigned char)(h[k[j]] + 1);"]),
    ],
)  # fmt: skip
def test_a_store_where_data_says_is_a_loop_of_the_source(source: str, spelled: list[str]) -> None:
    lifted = lifted_text(source, "c")
    assert all(line in lifted.program for line in spelled)
    assert lifted.program.count("for (") == source.count("for (")


def test_counters_for_two_arrays_have_two_names() -> None:
    source = """int f(int n, const float *restrict u, float *restrict p, float *restrict q) {
      int k = 0; for (int i = 0; i < n; i++) if (u[i] > 0.0f) { p[k] = u[i]; q[k] = 2.0f * u[i]; k++; } return k; }"""
    program = lifted_text(source, "c").program
    assert "p[count] = u[j];" in program
    assert "q[count_before] = 2.0f * u[j];" in program


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (HISTOGRAM, "h[key[j]] += 1", "h[key[j]] += 2", ""),
        (HISTOGRAM, "h[key[j]] += 1", "h[key[j]] = 1", ""),
        (HISTOGRAM, "h[key[j]]", "h[key[j] + 1]", "read outside"),
        (LAST, "for (ptrdiff_t j = 0; j < n; j++)", "for (ptrdiff_t j = n - 1; j >= 0; j--)", ""),
        (LAST, "y[ix[j]] = x[j]", "y[ix[j]] = x[n - 1 - j]", ""),
        (LARGEST, "v[j] >", "v[j] <", ""),
        (ROWS, "s[r[k]][j]", "s[r[j]][k]", ""),
        (DEPOSIT, "1.0 - w[j]", "1.0 + w[j]", ""),
        (MOVES, "+ 253", "+ 3", ""),
        (MOVES, "h[b[j]] + 253", "h[a[j]] + 253", ""),
        (PACK, "int count = 0", "int count = 1", ""),
        (PACK, "count += 1", "count += 2", ""),
        (PACK, "x[j] > 0.0", "x[j] >= 0.0", ""),
        (PACK, "k = count", "k = count + 1", ""),
    ],
)
def test_a_store_elsewhere_or_of_something_else_is_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(source, (old, new))


def test_what_a_running_sum_stores_is_not_summed_up_at_each_place() -> None:
    source = """void f(int n, int m, const int k[n], const double v[n], double h[m]) {
      double s = 0; for (int i = 0; i < n; i++) { s += v[i]; h[k[i]] = s; } }"""
    (diagnostic,) = lifted_text(source, "c").diagnostics
    assert diagnostic.message == "h: what is stored at places that depend on data is folded at each of them"


WIDER = """void wider(int n, int m, int h, int w, const int label[n], const double x[n][m], double total[h][w]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) total[label[i]][j] += x[i][j];
}
"""


@pytest.mark.parametrize("to", ["c", "numpy"])
def test_rows_that_data_choose_are_updated_as_far_as_what_is_added_goes(to: str) -> None:
    found = lift(WIDER, to=to, test=True)
    assert (found.verdict, found.level) == ("loop-free", "proved")


def test_rows_that_are_updated_further_are_refused() -> None:
    assert refusal(WIDER, ("j < m", "j < m - 1")) == "total is not proved to be total_1"


CELLS = """void f(int n, int m, double g[m][m], const int y[n], const int x[n], const double w[n]) {
  for (int p = 0; p < n; p++) {
    g[y[p]][x[p]] += 1.0 - w[p]; g[y[p]][x[p] + 1] += w[p];
    g[y[p] + 1][x[p] + 1] += 2.0 * w[p]; if (w[p] > 0.5) g[y[p] + 1][x[p]] -= w[p]; } }"""


@pytest.mark.parametrize("to", ["c", "numpy"])
@pytest.mark.parametrize("source", [MOVES, CELLS])
def test_updates_of_one_array_at_several_places_are_sums(source: str, to: str) -> None:
    found = lift(source, to=to)
    assert (found.verdict, found.level) == ("loop-free", "proved")
