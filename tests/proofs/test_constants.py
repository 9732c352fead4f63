"""Constants: a Python number takes the type that it meets, so that few digits say which single is meant."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tensorlift.comprehension import terms
from tensorlift.targets.python_text.text import number_text

if TYPE_CHECKING:
    from tests.proofs.conftest import Accept, Reject

SCALED = "void f(int n, const float *x, float *y) { for (int i = 0; i < n; i++) y[i] = 0.1f * x[i]; }"
WIDENED = "void f(int n, const float *x, double *y) { for (int i = 0; i < n; i++) y[i] = 0.1 * x[i]; }"


def test_a_number_is_rounded_to_the_single_that_it_meets(accept: Accept) -> None:
    assert accept(SCALED, "def f(x):\n    return 0.1 * x\n")


@pytest.mark.parametrize("number", ["0.1000001", "0.09999999", "0.10000002"])
def test_a_number_that_rounds_to_another_single_is_rejected(number: str, reject: Reject) -> None:
    assert reject(SCALED, f"def f(x):\n    return {number} * x\n") == "TL406"


@pytest.mark.parametrize("number", ["0.10000000149011612", "np.float32(0.1)"])
def test_a_double_does_not_stand_for_its_single(number: str, reject: Reject) -> None:
    assert reject(WIDENED, f"def f(x):\n    return {number} * x.astype(np.float64)\n") == "TL406"


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
@example(float(np.finfo(np.float32).max))  # whose fewest digits are those of a double beyond it
def test_the_digits_give_the_single_back(value: float) -> None:
    text = number_text(Fraction(value), "f32", "np").source
    assert np.float32(text) == np.float32(value)
    fewest = float(np.format_float_scientific(np.float32(value), unique=True))
    assert float(text) == (fewest if abs(fewest) <= float(np.finfo(np.float32).max) else value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_constants_are_rounded_as_numpy_rounds(value: float) -> None:
    with np.errstate(over="ignore"):
        single = np.float32(value)
    term = terms.cast(terms.constant(value, "f64"), "f32")
    if np.isfinite(single):
        assert isinstance(term, terms.Constant)
        assert float(term.value) == float(single)
