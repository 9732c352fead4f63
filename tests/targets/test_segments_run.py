"""Folds between bounds that data say, run: bounds that fall or overlap, no cells, what is not finite, derivatives."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.lifts import lifted_text

from tensorlift.runtime.program import load_program

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

pytestmark = pytest.mark.usefixtures("wide")

SPANS = """void f(int n, const int *low, const int *high, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int p = low[i]; p < high[i]; p++) s += x[p];
    y[i] = s;
  }
}"""
COUNTS = """void f(int n, const long *at, const unsigned char *x, short *y) {
  for (int i = 0; i < n; i++) {
    short s = 0;
    for (long p = at[i]; p < at[i + 1]; p++) s += 1000 * x[p];
    y[i] = s;
  }
}"""
MOST = """#include <math.h>
void f(int n, const int *low, const int *high, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double m = -INFINITY;
    for (int p = low[i]; p < high[i]; p++) if (x[p] > m) m = x[p];
    y[i] = m;
  }
}"""
LEAST = """void f(int n, const int *at, const short *x, short *y) {
  for (int i = 0; i < n; i++)
    for (int p = at[i]; p < at[i + 1]; p++) y[i] = x[p] < y[i] ? x[p] : y[i];
}"""
SPREAD = """void f(int n, const int *low, const int *high, const double *by, double *x) {
  for (int i = 0; i < n; i++)
    for (int p = low[i]; p < high[i]; p++) x[p] *= by[i];
}"""
COVER = """void f(int n, const long *low, const long *high, const short *by, short *x) {
  for (int i = 0; i < n; i++)
    for (long p = low[i]; p < high[i]; p++) x[p] += 1000 * by[i];
}"""
BOUNDS = [
    ([0, 2, 2, 4], [2, 2, 4, 7]),  # rows one after the other, one of them empty
    ([1, 3, 6], [2, 5, 7]),  # apart
    ([5, 0, 3], [7, 6, 4]),  # in another order, with cells in common
    ([4, 7, 0], [1, 0, 0]),  # that fall
    ([], []),
]


def _program(source: str, target: str) -> tuple[Callable[..., Any], Callable[[Any], Any]]:
    function = lifted_text(source, target)
    assert str(function.level) == str(function.definitions) == "proved"
    assert str(function.verdict) == "loop-free"
    give = np.copy
    if target == "torch":
        give = pytest.importorskip("torch").from_numpy
    elif target == "jax":
        give = pytest.importorskip("jax.numpy").asarray
    return load_program(str(function.program), "f"), give


@pytest.mark.parametrize("target", ["jax", "torch"])
def test_rows_are_summed_up_wherever_they_start_and_end(target: str) -> None:
    program, give = _program(SPANS, target)
    x = np.array([1e30, np.inf, 4, -2, np.nan, 8, -np.inf])
    for low, high in BOUNDS:
        found = np.asarray(program(*map(give, (np.array(low, np.int32), np.array(high, np.int32), x))))
        wanted = np.array([x[a:b].sum() for a, b in zip(low, high, strict=True)])
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("target", ["jax", "torch"])
def test_the_greatest_of_rows_wherever_they_start_and_end(target: str) -> None:
    program, give = _program(MOST, target)
    x = np.array([1, -np.inf, 4, -2, -8, 3, np.inf])
    for low, high in [*BOUNDS, ([0, 0, 0, 0], [7, 5, 6, 3])]:
        found = np.asarray(program(*map(give, (np.array(low, np.int32), np.array(high, np.int32), x))))
        wanted = np.array([x[a:b].max(initial=-np.inf) for a, b in zip(low, high, strict=True)])
        np.testing.assert_array_equal(found, wanted)
    none = np.zeros(2, np.int32)
    assert np.asarray(program(*map(give, (none, none, x[:0])))).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_the_least_of_rows_and_what_was_there(target: str) -> None:
    program, give = _program(LEAST, target)
    x, y = np.array([5, -3, 9, 70], np.int16), np.array([6, 32767, 4, -32768, 1], np.int16)
    for at in ([0, 1, 1, 3, 4, 4], [4, 2, 4, 0, 2, 1], [0, 0, 0, 0, 0, 0]):
        found = np.asarray(program(*map(give, (np.array(at, np.int32), x, y.copy()))))
        wanted = [min([y[i], *x[a:b]]) for i, (a, b) in enumerate(itertools.pairwise(at))]
        assert found.tolist() == wanted


@pytest.mark.parametrize("target", ["numpy", "torch"])
@pytest.mark.parametrize(("source", "cell", "bound"), [(SPREAD, "f8", "i4"), (COVER, "i2", "i8")])
def test_values_are_spread_over_the_rows_wherever_these_are(source: str, cell: str, bound: str, target: str) -> None:
    program, give = _program(source, target)
    x, weights = np.array([1, 30000, 4, -2, 5, 8, 3], cell), np.array([2, -3, 5, 7], cell)
    for low, high in [*BOUNDS, ([0, 0, 0, 0], [7, 5, 6, 3])]:
        by, wanted = weights[: len(low)], x.copy()
        for a, b, w in zip(low, high, by, strict=True):
            wanted[a:b] = wanted[a:b] * w if source == SPREAD else wanted[a:b] + np.int16(1000) * w
        given = map(give, (np.array(low, bound), np.array(high, bound), by, x))
        np.testing.assert_array_equal(np.asarray(program(*given)), wanted)
    none = np.zeros(2, bound)
    assert np.asarray(program(*map(give, (none, none, weights[:2], x[:0])))).shape == (0,)


@pytest.mark.parametrize("target", ["numpy", "jax", "torch"])
def test_sums_of_rows_wrap_in_their_type(target: str) -> None:
    program, give = _program(COUNTS, target)
    x, at = np.array([200, 50, 9, 70], np.uint8), np.array([0, 2, 1, 4, 4])
    found = np.asarray(program(*map(give, (at, x))))
    wanted = [(1000 * x[a:b].sum(dtype=np.int64)).astype(np.int16) for a, b in itertools.pairwise(at)]
    assert found.tolist() == wanted


def test_jax_transforms_sums_of_rows(jax: ModuleType) -> None:
    program, give = _program(SPANS, "jax")
    x, weights = give(np.arange(7.0)), give(np.array([2.0, 3.0, 5.0]))
    for low, high in BOUNDS[1:3]:
        ends = [give(np.array(bound, np.int32)) for bound in (low, high)]
        covered = np.array([[a <= p < b for p in range(7)] for a, b in zip(low, high, strict=True)])
        grad = jax.grad(jax.jit(lambda v, ends=ends: weights @ program(*ends, v)))(x)
        np.testing.assert_allclose(grad, np.array([2.0, 3.0, 5.0]) @ covered)
        rows = jax.vmap(lambda v, ends=ends: program(*ends, v))(x[None] * weights[:, None])
        np.testing.assert_allclose(rows, np.outer([2.0, 3.0, 5.0], covered @ np.arange(7.0)))


def test_jax_transforms_the_greatest_of_rows(jax: ModuleType) -> None:
    program, give = _program(MOST, "jax")
    x, weights = give(np.array([3.0, 1, 2, 7, 5, 0, 6])), give(np.array([2.0, 3.0, 5.0]))
    for low, high in BOUNDS[1:3]:
        ends = [give(np.array(bound, np.int32)) for bound in (low, high)]
        wanted = np.zeros(7)
        for weight, a, b in zip([2.0, 3.0, 5.0], low, high, strict=True):
            wanted[a + np.argmax(x[a:b])] += weight
        grad = jax.grad(jax.jit(lambda v, ends=ends: weights @ program(*ends, v)))(x)
        np.testing.assert_allclose(grad, wanted)
