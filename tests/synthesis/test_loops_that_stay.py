"""A loop that stays computes as much in each iteration as that of its source, and no whole arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tensorlift.ir.tensor_program import (
    Copy,
    Elementwise,
    Expression,
    For,
    Full,
    Statement,
    values_of,
    walk_expressions,
)
from tensorlift.pipeline import LiftOptions, lift_to_run
from tensorlift.record import Level, Verdict
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_SMOOTHED = """
void f(int n, double *y, const double *x, double a) {
  for (int i = 0; i < n; i++) {
    if (i == 0) y[i] = x[i];
    else y[i] = a * x[i] + (1 - a) * y[i - 1];
  }
}"""
_SUBSEQUENCE = """
void f(int n, int m, int L[n + 1][m + 1], const int *a, const int *b) {
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= m; j++) {
      if (i == 0 || j == 0) L[i][j] = 0;
      else if (a[i - 1] == b[j - 1]) L[i][j] = L[i - 1][j - 1] + 1;
      else L[i][j] = L[i - 1][j] > L[i][j - 1] ? L[i - 1][j] : L[i][j - 1];
    }
}"""
_PATHS = """
void f(int n, int m, double p[n][m], const double c[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double v = c[i][j];
      if (i > 0) v += p[i - 1][j];
      if (j > 0) v += p[i][j - 1];
      p[i][j] = v;
    }
}"""
_RELAXED = """
void f(int n, int m, double u[n][m], const double g[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double l = j > 0 ? u[i][j - 1] : 0.0, r = j < m - 1 ? u[i][j + 1] : 0.0;
      double t = i > 0 ? u[i - 1][j] : 0.0, b = i < n - 1 ? u[i + 1][j] : 0.0;
      u[i][j] = 0.25 * (l + r + t + b - g[i][j]);
    }
}"""
_RING = """
void f(int n, int steps, double *x) {
  for (int s = 0; s < steps; s++)
    for (int i = 0; i < n; i++)
      x[i] = 0.5 * ((i > 0 ? x[i - 1] : x[n - 1]) + (i + 1 < n ? x[i + 1] : x[0]));
}"""
_BACKWARDS = """
void f(int n, double *x, const double *b, const double *c) {
  for (int i = n - 1; i >= 0; i--) x[i] = i < n - 1 ? b[i] - c[i] * x[i + 1] : b[i];
}"""
_OLDER = """
void f(int n, double *a, const double *b) {
  for (int i = 1; i < n; i++) { double s = a[i - 1]; a[i - 1] = a[i] * b[i]; a[i] = s + a[i - 1]; }
}"""

_SCALED = """
void f(int n, const int *k, const double *w, double *h) {
  for (int i = 0; i < n; i++) h[k[i]] = h[k[i]] * w[i] + 1;
}"""
_CHASED = "void f(int n, int p[n]) { for (int i = 0; i < n; i++) p[p[i]] = p[i] + 1; }"
_SATURATED = """
void f(int n, const int *k, unsigned char *h) {
  for (int i = 0; i < n; i++) if (h[k[i]] < 255) h[k[i]]++;
}"""
_BAND = """
void f(int n, int m, int k, const double a[n][m], const double *x, double *y) {
  if (k < 0) return;
  for (int i = 0; i < n; i++)
    for (int j = i > k ? i - k : 0; j < (n < i + k ? n : i + k); j++) y[i] += a[i][j - i + k] * x[j];
}"""
_PLACED = [_SCALED, _CHASED, _SATURATED]  # at places that are data


def _axes(values: tuple[Expression, ...]) -> int:
    """Count the axes with symbolic extents of what is computed, or filled, or copied."""
    nodes = (node for value in values for node in walk_expressions(value))
    made = (node for node in nodes if isinstance(node, Copy | Elementwise | Full))
    return max((sum(bool(extent.terms) for extent in node.shape) for node in made), default=0)


def _work(body: tuple[Statement, ...], depth: int = 0) -> Iterator[int]:
    for statement in body:
        if isinstance(statement, For):
            yield from _work(statement.body, depth + 1)
        elif depth:
            yield depth + _axes(values_of(statement))


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize("source", [_SMOOTHED, _SUBSEQUENCE, _PATHS, _RELAXED, _RING, _BACKWARDS, _OLDER, *_PLACED])
def test_an_iteration_works_on_no_more_cells_than_that_of_the_source(source: str, target: str) -> None:
    record, found = lift_to_run(source_from_text(source, "f.c"), LiftOptions(target=target))
    assert record.functions[0].level is Level.PROVED
    tensors = found["f"].tensors
    assert tensors is not None
    assert max(_work(tensors.body)) <= found["f"].view.loop_depth


@pytest.mark.parametrize("source", _PLACED)
def test_storing_cell_by_cell_where_data_say_gains_nothing(source: str) -> None:
    record, _ = lift_to_run(source_from_text(source, "f.c"), LiftOptions())
    assert record.functions[0].verdict is Verdict.UNCHANGED


def test_the_first_iteration_is_written_out() -> None:
    record, _ = lift_to_run(source_from_text(_SMOOTHED, "f.c"), LiftOptions())
    loop = "    y[:1] = x[:1]\n    for i in range(1, n):\n        y[i] = a * x[i] + (1.0 - a) * y[i - 1]\n"
    assert loop in record.functions[0].program


def test_what_is_older_is_read_first() -> None:
    record, _ = lift_to_run(source_from_text(_OLDER, "f.c"), LiftOptions())
    assert (
        "        t = a[i - 1]\n        a[i - 1] = a[i] * b[i]\n        a[i] = t + a[i - 1]\n"
        in record.functions[0].program
    )


def test_a_traced_loop_may_have_bounds_that_one_around_it_moves() -> None:
    source = """
    void f(int n, double *a) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j + 1 < n - i; j++)
          if (a[j] > a[j + 1]) { double t = a[j]; a[j] = a[j + 1]; a[j + 1] = t; }
    }"""
    (function,) = lift_to_run(source_from_text(source, "f.c"), LiftOptions(target="jax"))[0].functions
    assert function.level is Level.PROVED
    assert "        a = lax.fori_loop(0, n - i - 1, j_step, a)\n" in function.program
    assert "    a = lax.fori_loop(0, n, i_step, a)\n" in function.program


def test_a_number_of_an_iteration_is_no_array() -> None:
    """Steps of conjugate gradients, as a user of NumPy writes them."""
    source = """
    void f(int n, int steps, const double A[n][n], double *x, double *r, double *p, double *q) {
      for (int k = 0; k < steps; k++) {
        double rr = 0, pq = 0, rn = 0;
        for (int i = 0; i < n; i++) { q[i] = 0; for (int j = 0; j < n; j++) q[i] += A[i][j] * p[j]; }
        for (int i = 0; i < n; i++) { rr += r[i] * r[i]; pq += p[i] * q[i]; }
        double a = rr / pq;
        for (int i = 0; i < n; i++) { x[i] += a * p[i]; r[i] -= a * q[i]; rn += r[i] * r[i]; }
        for (int i = 0; i < n; i++) p[i] = r[i] + rn / rr * p[i];
      }
    }"""
    (function,) = lift_to_run(source_from_text(source, "f.c"), LiftOptions())[0].functions
    steps = [
        "q = A @ p",
        "rr = r @ r",
        "pq = p @ q",
        "a = rr / pq",
        "x = x + a * p",
        "r = r - a * q",
        "rn = r @ r",
        "p = r + rn / rr * p",
    ]
    assert "".join(f"        {step}\n" for step in steps) in function.program


def test_a_loop_is_kept_where_whole_arrays_would_be_slower_by_degree() -> None:
    """The order of a chain of matrix products: a minimum over a range that moves with two loops."""
    source = """
    void f(int n, long m[n][n], const long *p) {
      for (int length = 2; length <= n; length++)
        for (int i = 0; i + length <= n; i++) {
          int j = i + length - 1;
          long best = 1L << 60;
          for (int k = i; k < j; k++) {
            long q = m[i][k] + m[k + 1][j] + p[i] * p[k + 1] * p[j + 1];
            if (q < best) best = q;
          }
          m[i][j] = best;
        }
    }"""
    (function,) = lift_to_run(source_from_text(source, "f.c"), LiftOptions())[0].functions
    assert [loop.loop for loop in function.residual_loops] == ["for length", "for i"]
    assert "slower by degree" in function.residual_loops[1].reason


@pytest.mark.parametrize("target", ["numpy", "torch"])
def test_slices_end_at_the_greatest_and_at_the_least_of_several_places(target: str) -> None:
    """They do so too in a loop that stands behind a return."""
    (function,) = lift_to_run(source_from_text(_BAND, "f.c"), LiftOptions(target=target))[0].functions
    assert function.level is Level.PROVED
    assert "        low = max(i - k, 0)\n        high = min(n, i + k)\n" in function.program
    assert "a[i, k + low - i : max(high + k - i, 0)] @ x[low : max(high, 0)]" in function.program


def test_what_is_named_before_a_choice_by_sizes_is_computed_at_these_alone() -> None:
    source = """
    double f(int n, const double *x) {
      if (n <= 0) return 0;
      double s = 0, a = x[0];
      for (int i = 0; i < n; i++) s += x[i] - a;
      return s / (1 + s * s) + s * a + (s - a) / (2 + s * s) + s * (3 - a) / (4 + a * a) + (s + a) / (5 + a);
    }"""
    (function,) = lift_to_run(source_from_text(source, "f.c"), LiftOptions())[0].functions
    assert function.level is Level.PROVED
    assert "    t = np.sum(x - x[0]) ** 2 if n >= 1 else 0.0\n" in function.program
