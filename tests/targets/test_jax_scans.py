"""Recurrences in JAX: loops over cells that are ``lax.scan``, those that are not, and tampered ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lifts import lifted_text
from tests.targets.tampering import refusal

from tensorlift import lift
from tensorlift.targets.jax.helpers import HELPERS

if TYPE_CHECKING:
    from types import ModuleType

EMA = """void ema(int n, double a, const double x[n], float y[n]) {
  double h = 0;
  for (int i = 0; i < n; i++) { h = a * h * h + x[i]; y[i] = h; }
}"""
SECOND = """void second(int n, double a, double b, const double x[n], double y[n]) {
  for (int i = 2; i < n; i++) y[i] = a * y[i - 1] + b * y[i - 2] + x[i];
}"""
IN_PLACE = "void carry(int n, int a[n]) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * 3 + a[i]; }"
ROWS = """void rows(int n, int m, const double x[n][m], double y[n][m]) {
  double last[m];
  for (int j = 0; j < m; j++) last[j] = 1.0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) { last[j] = last[j] * last[j] + x[i][j]; y[i][j] = last[j]; }
}"""
SHIFTED = """void shifted(int n, const double x[n + 1], double y[n], double z[n]) {
  double p = 0, q = 1;
  for (int i = 0; i < n; i++) { p = p * q + x[i + 1]; q = q * x[i] - p; y[i] = p; z[i] = q; }
}"""
AHEAD = "void ahead(int n, double y[n]) { for (int i = 1; i < n - 1; i++) y[i] = y[i - 1] * y[i - 1] + y[i + 1]; }"
SWEEP = """void sweep(int n, int m, double a[n][m]) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      a[i][j] = 0.25 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
}"""
COMMON = """void common(int n, int m, const int a[n], const int b[m], int d[n + 1][m + 1]) {
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++)
      d[i][j] = a[i - 1] == b[j - 1] ? d[i - 1][j - 1] + 1 : d[i - 1][j] > d[i][j - 1] ? d[i - 1][j] : d[i][j - 1];
}"""

FILL = """void fill(int n, const double x[n], double y[n]) {
  double last = 0.0;
  for (int i = 0; i < n; i++) { if (x[i] >= 0.0) last = x[i]; y[i] = last; }
}"""
KEPT = """int kept(int n, const double x[n], double y[n]) {
  int k = 0;
  for (int i = 0; i < n; i++) if (x[i] > 0.0) y[k++] = x[i];
  return k;
}"""


@pytest.mark.parametrize("source", [EMA, SECOND, IN_PLACE, ROWS, SHIFTED, AHEAD])
def test_a_recurrence_is_a_scan_that_is_proved(source: str) -> None:
    function = lifted_text(source, "jax")
    assert "lax.scan(" in (function.program or "")
    assert "fori_loop" not in (function.program or "")
    assert function.level is not None
    assert function.level.value == "proved"


@pytest.mark.parametrize("source", [SWEEP, COMMON])
def test_a_recurrence_along_a_row_is_a_scan_in_a_loop_over_rows(source: str) -> None:
    function = lifted_text(source, "jax")
    text = function.program or ""
    assert text.count("lax.scan(") == text.count("fori_loop(") == 1
    assert function.level is not None
    assert function.level.value == "proved"


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_scan_along_rows_computes_what_the_loops_do(jax: ModuleType, n: int) -> None:
    a = np.random.default_rng(n).random((n, n + 1))
    expected = a.copy()
    for i in range(1, n - 1):
        for j in range(1, n):
            around = expected[i - 1, j] + expected[i + 1, j] + expected[i, j - 1] + expected[i, j + 1]
            expected[i, j] = 0.25 * around
    assert np.allclose(jax.jit(lift(SWEEP, to="jax"))(a), expected)


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_a_scan_computes_what_the_loop_does(jax: ModuleType, n: int) -> None:
    rng = np.random.default_rng(n)
    x, y = rng.random(n), rng.random(n)
    expected = y.copy()
    for i in range(2, n):
        expected[i] = 0.5 * expected[i - 1] + 0.25 * expected[i - 2] + x[i]
    assert np.allclose(jax.jit(lift(SECOND, to="jax"))(0.5, 0.25, x, y), expected)
    whole = np.arange(n, dtype=np.int32)
    last = np.array(whole)
    for i in range(1, n):
        last[i] += last[i - 1] * 3
    assert (np.asarray(lift(IN_PLACE, to="jax")(whole)) == last).all()


@pytest.mark.usefixtures("wide")
def test_the_derivative_of_a_scan_carries_no_array(jax: ModuleType) -> None:
    ema, y = lift(EMA, to="jax"), np.zeros(50, np.float32)
    slope = jax.grad(lambda x: ema(0.5, x, y)[2])
    assert np.allclose(slope(np.full(50, 0.1))[:4], [0.105 * 0.1, 0.105, 1, 0])
    scans = [e for e in jax.make_jaxpr(slope)(np.ones(50)).eqns if e.primitive.name == "scan"]
    assert len(scans) == 2
    for scan in scans:
        carried = scan.invars[scan.params["num_consts"] :][: scan.params["num_carry"]]
        assert all(value.aval.shape == () for value in carried)


@pytest.mark.parametrize(
    "source",
    [
        # what is stored lies at another place than the variable says
        """void f(int n, const double x[n], double y[n + 3]) {
          double h = 0;
          for (int i = 0; i < n; i++) { h = h * h + x[i]; y[i + 3] = h; }
        }""",
        # the loop runs backwards
        """void f(int n, const double x[n], double y[n]) {
          double h = 0;
          for (int i = n - 1; i >= 0; i--) { h = h * h + x[i]; y[i] = h; }
        }""",
        # the row that is read may be the one that is stored
        """void f(int n, double y[n][n]) {
          for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++) y[i][j] = y[i][j - 1] * y[i][j - 1] + y[n - 1 - i][j];
        }""",
    ],
)
def test_other_recurrences_stay_loops(source: str) -> None:
    function = lifted_text(source, "jax")
    assert "lax.fori_loop(" in (function.program or "")


UNREAD = "a statement that the checker does not execute"
LENGTH = "a slice that has not as many cells as the scan has iterations"
CELLS = "cells of another type or shape"


@pytest.mark.parametrize(
    ("source", "old", "new", "reason"),
    [
        (SECOND, "(y[1], y[0])", "(y[0], y[1])", UNREAD),
        (SECOND, "(y[1], y[0])", "(y[1], y[-2])", UNREAD),
        (SECOND, "(y[1], y[0])", "(x[1], x[0])", UNREAD),
        (SECOND, "(y_i, y_before), y_i", "(y_before, y_i), y_i", UNREAD),
        (SECOND, "(y_i, y_before), y_i", "(y_i, y_before), y_before", UNREAD),
        (SECOND, "y_before, y_before2 = state", "y_before2, y_before = state", UNREAD),
        (SECOND, "(y_before, y_before2), y_all", "(y_before2, y_before), y_all", UNREAD),
        (SECOND, "        y_i =", "        y_before = x_i\n        y_i =", UNREAD),
        (SECOND, "        return", "        y_i = y_i + x_i\n        return", UNREAD),
        (SECOND, "+ x_i", "+ y[0]", UNREAD),
        (SECOND, "x[2:])", "x[2:], reverse=True)", UNREAD),
        (SECOND, "x[2:]", "x[1:]", LENGTH),
        (SECOND, "x[2:]", "x[1:-1]", ""),
        (SECOND, "y.at[2:n]", "y.at[1:n]", ""),
        (SECOND, "y.at[2:n]", "y.at[2 : n - 1]", ""),
        (SECOND, ".set(y_all)", ".set(y_all + 0.0)", ""),
        (SECOND, "y = y.at[2:n]", "y = x.at[2:n]", ""),
        (SECOND, "return y\n", "return y_all\n", ""),
        (EMA, "lax.scan(i_step, h, x)", "lax.scan(i_step, h, x[1:])", LENGTH),
        (EMA, ".astype(jnp.float32)", "", CELLS),
        (EMA, "y_i = h.astype(jnp.float32)", "y_i = 1.0", CELLS),
        (EMA, "return h, y_i", "return y_i, h", UNREAD),
        (EMA, "h, y = lax", "y, h = lax", UNREAD),
        (EMA, "h = jnp.float64(0.0)", "h = 0.0", "a number of Python's in the state"),
        (IN_PLACE, "a[1:])", "a[:-1])", UNREAD),
        (ROWS, "return last, y_i", "y_i = last[0]\n        return last, y_i", UNREAD),
        (ROWS, "y_i = last", "y_i = jnp.float64(1.0)", CELLS),
        (SHIFTED, "(y, z) =", "(z, y) =", ""),
        (SHIFTED, "(x[1:], x[:-1])", "(x[:-1], x[1:])", ""),
        (SHIFTED, "(p, q), (x", "(q, p), (x", UNREAD),
        (AHEAD, "y[2:]", "y[:-2]", UNREAD),
        (SWEEP, "a[i, 0]", "a[i - 1, 0]", UNREAD),
        (SWEEP, "a[i, 0]", "a[i, 1]", UNREAD),
        (SWEEP, "a[i, 0]", "a[0, i]", UNREAD),
        (SWEEP, "a[i, 2:]", "a[i, :-2]", UNREAD),
        (SWEEP, "a[i, 2:]", "a[i + 0, :-2]", "a row that the scan may store"),
        (SWEEP, "a[i + 1, 1:-1]", "a[i, 1:-1]", ""),
        (SWEEP, "a[i + 1, 1:-1]", "a[i + 1, 2:]", ""),
        (SWEEP, "a[i + 1, 1:-1]", "a[1:-1, i + 1]", UNREAD),
        (SWEEP, "a.at[i, 1", "a.at[i - 1, 1", UNREAD),
        (SWEEP, "        a_before, a_all", "        i = i + 1\n        a_before, a_all", UNREAD),
        (SWEEP, "    a_j, a_j2, a_j3 = cells", "    i, a_j2, a_j3 = cells\n            a_j = i", UNREAD),
        (COMMON, "d[i - 1, 1:]", "d[i - 1, :-1]", ""),
        (COMMON, "return d_j3, d_j3", "return d_j, d_j3", UNREAD),
    ],
)  # fmt: skip
def test_a_tampered_scan_is_refused(source: str, old: str, new: str, reason: str) -> None:
    assert reason in refusal(source, (old, new), target="jax")


def test_running_folds_are_functions_that_take_a_loop_on_a_cpu() -> None:
    assert "latest(x, x >= 0.0)" in (lifted_text(FILL, "jax").program or "")
    assert "running_sum(mask.astype(jnp.int32))" in (lifted_text(KEPT, "jax").program or "")


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("x", [[], [-0.0, np.nan, 2.0, -1.0, 3.0], [3, -2, 5, 5, -9]])
def test_running_folds_are_those_of_jax(jax: ModuleType, x: list[float]) -> None:
    names: dict[str, Any] = {"jax": jax, "jnp": jax.numpy, "lax": jax.lax}
    exec("".join(HELPERS[name] for name in ("running_sum", "running_max", "running_min", "latest")), names)
    row, kept = np.array(x), np.array(x) > 0
    for name, whole in (("sum", np.add), ("max", np.maximum), ("min", np.minimum)):
        assert np.array_equal(names[f"running_{name}"](row), whole.accumulate(row), equal_nan=True)
    places = np.maximum.accumulate(np.where(kept, np.arange(len(x)), 0))
    assert np.array_equal(names["latest"](row, kept), row[places])


@pytest.mark.parametrize(
    ("source", "old", "new"),
    [
        (FILL, "latest(x, x >= 0.0)", "latest(x, x > 0.0)"),
        (FILL, "latest(x, x >= 0.0)", "latest(x[::-1], x >= 0.0)"),
        (KEPT, "running_sum(mask", "running_sum(~mask"),
        (KEPT, "last = last + row", "last = last + row + row"),
    ],
)
def test_other_running_folds_are_rejected(source: str, old: str, new: str) -> None:
    assert refusal(source, (old, new), target="jax")
