"""Kept loops in JAX: those that are traced once as ``lax.fori_loop``, those that Python iterates, and tampered ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.targets.tampering import refusal

from tensorlift import lift

if TYPE_CHECKING:
    from types import ModuleType

STENCIL = """void smooth(int steps, int n, float a[n], float b[n]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 1; i++) b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3.0f;
    for (int i = 1; i < n - 1; i++) a[i] = b[i];
  }
}
"""
RECURRENCE = """void filter(int m, int n, const double x[n][m], double y[n][m]) {
  double last[m];
  for (int j = 0; j < m; j++) last[j] = 1.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      double mixed = 0.5 * last[j] + x[n - 1 - i][j] * last[j];
      y[i][j] = mixed;
      last[j] = mixed / (1.0 + mixed * mixed);
    }
}
"""


def test_time_steps_are_traced_once_however_many_there_are(jax: ModuleType) -> None:
    smooth = lift(STENCIL, to="jax")
    assert smooth.verdict == "hybrid"
    a = jax.numpy.arange(6, dtype=np.float32) ** 2
    length = {len(str(jax.make_jaxpr(lambda a, k=steps: smooth(k, a, a))(a)).splitlines()) for steps in (20, 60)}
    assert len(length) == 1
    steps = jax.jit(smooth)(jax.numpy.int32(3), a, a)
    assert all(map(np.allclose, steps, smooth(3, a, a)))


def test_a_traced_loop_is_mapped_and_differentiated(jax: ModuleType) -> None:
    smooth = lift(STENCIL, to="jax")
    a = jax.numpy.arange(6, dtype=np.float32) ** 2
    mapped, _ = jax.vmap(smooth, in_axes=(None, 0, 0))(2, jax.numpy.stack([a, 3 * a]), jax.numpy.stack([a, a]))
    assert np.allclose(mapped[1], smooth(2, 3 * a, a)[0])
    slopes = jax.grad(lambda a: smooth(1, a, a)[0].sum())(a)
    assert np.allclose(slopes, [4 / 3, 2 / 3, 1, 1, 2 / 3, 4 / 3])


def test_names_of_the_source_stay_beside_those_that_a_loop_needs() -> None:
    source = RECURRENCE.replace("last", "state").replace("y", "i_step")
    assert "i_step, state = lax.fori_loop(0, n, i_step2, (i_step, state))" in lift(source, to="jax").source


@pytest.mark.usefixtures("wide")
def test_a_traced_loop_reads_cells_of_numpy_arrays(jax: ModuleType) -> None:
    lifted = lift(RECURRENCE, to="jax")
    assert "x = jnp.asarray(x)" in lifted.source
    rng = np.random.default_rng(0)
    x, y = rng.random((4, 3)), np.zeros((4, 3))
    last, expected = np.ones(3), np.zeros((4, 3))
    for i in range(4):
        expected[i] = 0.5 * last + x[3 - i] * last
        last = expected[i] / (1.0 + expected[i] ** 2)
    assert np.allclose(lifted(x, y), expected)
    assert jax is not None


SUBSTITUTION = """void solve(int n, const float L[n][n], float x[n]) {
  for (int i = 0; i < n; i++) {
    float s = x[i];
    for (int j = 0; j < i; j++) s -= L[i][j] * x[j];
    x[i] = s / L[i][i];
  }
}
"""
ELIMINATION = """void eliminate(int n, double A[n][n], double c[n]) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) c[i] = A[i][k] / A[k][k];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++) A[i][j] -= c[i] * A[k][j];
  }
}
"""
PLACE = """int farthest(int n, const float x[n]) {
  int at = 0;
  for (int i = 1; i < n; i++) if (x[i] * i >= x[at] * 2) at = i;
  return at;
}
"""
PACKED = """void pack(int n, const float A[n][n], float p[n * n]) {
  int k = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) p[k++] = A[i][j];
}
"""


def test_slices_that_follow_the_variable_are_whole_axes_under_a_mask(jax: ModuleType) -> None:
    solve = lift(SUBSTITUTION, to="jax")
    assert (solve.verdict, solve.level) == ("hybrid", "proved")
    assert "lax.fori_loop(0, n, i_step, x_new)" in solve.source
    lower = np.tril(np.random.default_rng(0).random((5, 5)) + 1).astype(np.float32)
    right = np.arange(1, 6, dtype=np.float32)
    lower[np.triu_indices(5, 1)] = np.nan  # which nobody reads
    expected = np.linalg.solve(np.tril(np.nan_to_num(lower)), right)
    assert np.allclose(jax.jit(solve)(lower, right), expected, rtol=1e-4)
    assert np.allclose(
        jax.vmap(solve, in_axes=(None, 0))(lower, np.stack([right, 2 * right]))[1], 2 * expected, rtol=1e-4
    )
    slopes = jax.grad(lambda b: solve(lower, b).sum())(jax.numpy.asarray(right))
    assert np.allclose(slopes, np.linalg.solve(np.tril(np.nan_to_num(lower)).T, np.ones(5)), rtol=1e-4)


@pytest.mark.usefixtures("wide")
def test_blocks_that_shrink_are_stored_under_a_mask(jax: ModuleType) -> None:
    eliminate = lift(ELIMINATION, to="jax")
    assert "    for " not in eliminate.source
    matrix = np.random.default_rng(0).random((4, 4)) + 4 * np.eye(4)
    expected, c = matrix.copy(), np.zeros(4)
    for k in range(4):
        c[k + 1 :] = expected[k + 1 :, k] / expected[k, k]
        expected[k + 1 :, k + 1 :] -= np.outer(c[k + 1 :], expected[k, k + 1 :])
    assert all(map(np.allclose, jax.jit(eliminate)(matrix, np.zeros(4)), (expected, c)))


def test_a_variable_may_be_a_number_and_the_bound_of_a_loop_inside(jax: ModuleType) -> None:
    farthest, pack = lift(PLACE, to="jax"), lift(PACKED, to="jax")
    assert "jnp.float32(i)" in farthest.source
    assert "jnp.int32(i)" in farthest.source
    assert jax.jit(farthest)(jax.numpy.asarray([0, 3, 1, 2, 0.5], dtype=np.float32)) == 3
    assert "lax.fori_loop(0, i + 1, j_step, (p, k))" in pack.source
    matrix = np.arange(9, dtype=np.float32).reshape(3, 3)
    assert np.array_equal(pack(matrix, np.zeros(9, dtype=np.float32)), [0, 3, 4, 6, 7, 8, 0, 0, 0])
    assert pack.level == "proved"


@pytest.mark.parametrize(
    "source",
    [
        # slices are short, and their axis is not
        """void f(int n, int m, double y[m], const double x[n][n]) {
          for (int i = 0; i < 4 && i < m; i++) {
            double s = y[i];
            for (int j = 0; j < i; j++) s = s + x[i][j] * y[j] * s;
            y[i] = s;
          }
        }""",
        # how many places there are follows the variable
        """void f(int n, const double a[n * n], double x[n]) {
          for (int i = 0; i < n; i++) {
            double s = x[i];
            for (int j = 0; j < i; j++) s -= a[i * (i + 1) / 2 + j] * x[j];
            x[i] = s;
          }
        }""",
    ],
)
def test_other_loops_are_iterated_by_python(source: str) -> None:
    lifted = lift(source, to="jax")
    assert (lifted.verdict, lifted.level) == ("hybrid", "proved")
    assert "    for " in lifted.source


UNREAD = "a statement that the checker does not execute"


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("        return a, b\n", "        return b, a\n", UNREAD),
        ("a, b = state", "b, a = state", UNREAD),
        ("t_step, (a, b))", "t_step, (b, a))", UNREAD),
        ("    a, b = lax", "    b, a = lax", UNREAD),
        ("lax.fori_loop", "lax.scan", UNREAD),
        ("(0, steps, t_step", "(0, steps, smooth", UNREAD),
        ("def t_step(t, state)", "def t_step(t, state=1)", UNREAD),
        ("    def t_step", "    @staticmethod\n    def t_step", UNREAD),
        ("(0, steps,", "(1, steps,", "the summary keeps no such loop here"),
        ("from jax import lax\n", "", "lax is used and not imported"),
        ("t_step", "a", UNREAD),
        ("t_step", "jnp", "hides a module or a function"),
        ("state", "steps", "steps in the body of a loop hides another"),
        ("def t_step(t,", "def t_step(steps,", "steps in the body of a loop hides another"),
        ("        b = b", "        steps = 2\n        b = b", "steps in the body of a loop hides another"),
        (".set(b[1:-1])", ".set(b[1:-1] + 0 * t)", UNREAD),
        ("a[1:-1] + a[2:]", "a[t : t + 1] + a[2:]", UNREAD),
        ("/ 3.0", "/ 2.0", ""),
        ("        return a, b", "        a = b\n        return a, b", ""),
    ],
)  # fmt: skip
def test_a_tampered_loop_is_refused(old: str, new: str, reason: str) -> None:
    assert reason in refusal(STENCIL, (old, new), target="jax")


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (SUBSTITUTION, "dtype=jnp.int32) < i", "dtype=jnp.int32) <= i", ""),
        (SUBSTITUTION, "dtype=jnp.int32) < i", "dtype=jnp.int32) < n", ""),
        (SUBSTITUTION, ", 0.0", ", 1.0", ""),
        (SUBSTITUTION, "/ L[i, i]", "/ L[i, :i]", UNREAD),
        (PLACE, "jnp.float32(i)", "i", UNREAD),
        (PLACE, "jnp.float32(i)", "jnp.float32(2 * i)", UNREAD),
        (PLACE, "jnp.int32(i)", "jnp.int16(i)", UNREAD),
        (PLACE, "jnp.int32(i)", "jnp.int32(i + 1)", ""),
        (PACKED, "(0, i + 1, j_step", "(0, i, j_step", "the summary keeps no such loop here"),
        (PACKED, "(0, i + 1, j_step", "(0, k + 1, j_step", ""),
    ],
)  # fmt: skip
def test_tampered_masks_numbers_and_bounds_are_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(source, (old, new), target="jax")


def test_what_is_only_of_an_iteration_is_not_there_after_the_loop() -> None:
    assert refusal(RECURRENCE, ("    return y\n", "    return t\n"), target="jax")


def test_an_array_beside_the_variable_of_a_loop_is_refused() -> None:
    assert "last, which is no number of Python's" in refusal(
        RECURRENCE, ("x[n - i - 1]", "x[last - i - 1]"), target="jax"
    )


def test_a_number_in_the_state_is_one_of_jax() -> None:
    source = "double f(int n, double x[n]) { double s = 0.5; for (int t = 0; t < n; t++) s = s * s + x[t]; return s; }"
    assert "    s = lax.fori_loop(0, n, t_step, s)\n" in lift(source, to="jax").source
    assert "a number of Python's in the state" in refusal(source, ("s = jnp.float64(0.5)", "s = 0.5"), target="jax")


@pytest.mark.usefixtures("wide")
def test_recurrences_are_compiled_mapped_and_differentiated(jax: ModuleType) -> None:
    source = """void linear(int n, double h, const double a[n], const double b[n], double y[n]) {
      for (int t = 0; t < n; t++) { h = a[t] * h + b[t]; y[t] = h; }
    }"""
    linear, zeros = lift(source, to="jax"), np.zeros(4)
    a, b = np.array([0.5, 2.0, -1.0, 3.0]), np.ones(4)
    assert np.allclose(jax.jit(linear)(1.0, a, b, zeros), [1.5, 4, -3, -8])
    assert np.allclose(jax.vmap(linear, in_axes=(None, None, 0, None))(0.0, a, np.stack([b, 2 * b]), zeros)[1, -1], -10)
    slopes = jax.grad(lambda b: linear(1.0, a, b, zeros)[-1])(jax.numpy.asarray(b))
    assert np.allclose(slopes, [2 * -1 * 3, -1 * 3, 3, 1])
