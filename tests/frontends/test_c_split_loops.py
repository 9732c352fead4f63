"""Loops over products of sizes are split so that quotients and remainders of their counter come out exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.normalise.splitting import factors_of
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.poly.polynomial import Polynomial
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

C, H, W = map(Polynomial.variable, "chw")
N = Polynomial.variable("n")
TWO = Polynomial.constant(2)


def _lift(source: str) -> FunctionRecord:
    (function,) = lift_source(source_from_text(source, "k.c"), LiftOptions()).functions
    return function


@pytest.mark.parametrize(
    ("total", "divisors", "lengths"),
    [
        (C * H * W, [W], [C, H, W]),
        (C * H * W, [W, H * W], [C, H, W]),
        (C * H * W, [H, H * C], [W, C, H]),
        (C * W * W, [W], [C, W, W]),
        (H * W, [], [H, W]),
        (N.scale(2), [TWO], [N, TWO]),
        (N.scale(6), [TWO, Polynomial.constant(6)], [N, Polynomial.constant(3), TWO]),
        (N, [W], None),
        (N, [TWO], None),
        (H * W + N, [W], None),
    ],
)
def test_the_lengths_make_up_the_total(
    total: Polynomial, divisors: list[Polynomial], lengths: list[Polynomial] | None
) -> None:
    found = factors_of(total, divisors, {})
    assert found == lengths
    if found is not None:
        product = Polynomial.constant(1)
        for length in found:
            product = product * length
        assert product == total


def test_a_product_of_sums_is_split_as_the_source_multiplies_it() -> None:
    product = (H - TWO) * (W - TWO)
    assert factors_of(product, [], {}) is None
    assert factors_of(product, [], {product: (H - TWO, W - TWO)}) == [H - TWO, W - TWO]


def test_factors_that_could_be_negative_become_preconditions() -> None:
    source = """
    void f(int n, int m, int k, const float *x, float *y) {
        for (int i = 0; i < (n - k) * m; i++)
            y[i] = x[i % m];
    }
    """
    function = _lift(source)
    assert function.lifted
    assert {"k <= n", "n >= k"} & {condition.text for condition in function.preconditions}


def test_what_is_less_than_the_counter_is_divided_as_c_does() -> None:
    source = """
    void f(int n, const float *x, float *y) {
        for (int i = 1; i < 2 * n; i++)
            y[i] = x[(i - 1) / 2];
    }
    """
    function = _lift(source)
    names: dict[str, Any] = {}
    exec(function.program, names)
    x = np.arange(4, dtype=np.float32)
    found = names["f"](x, np.full(8, 7, np.float32))
    np.testing.assert_array_equal(found, [7, *x[[0, 0, 1, 1, 2, 2, 3]]])


def test_a_divisor_that_the_loop_changes_splits_nothing() -> None:
    source = """
    void f(int n, int m, const float *x, float *y) {
        int d = m;
        for (int i = 0; i < n * m; i++) {
            y[i] = x[i / d];
            d += i;
        }
    }
    """
    function = _lift(source)
    names: dict[str, Any] = {}
    exec(function.program, names)
    x = np.arange(10, dtype=np.float32)
    found = names["f"](x, np.zeros((4, 3), np.float32))
    divisors = [3 + i * (i - 1) // 2 for i in range(12)]
    np.testing.assert_array_equal(found.ravel(), x[[i // d for i, d in enumerate(divisors)]])


def test_a_variable_that_starts_from_itself_is_refused() -> None:
    source = """
    void f(int n, int w, const float *x, float *y) {
        for (int i = 0; i < n * w; i++) {
            int c = c / w + c / 2 + c % w, d = d / w;
            y[i] = x[c + d];
        }
    }
    """
    assert [item.code for item in _lift(source).diagnostics] == ["TL204"]
