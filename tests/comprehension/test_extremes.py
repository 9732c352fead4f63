"""Greatest and least values: a value between two bounds is one value, however it is compared with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.comprehension.builders import box, num, read

from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.terms import Term, apply
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from tensorlift.ops.dtypes import DType

_CELLS = box(i="n")


def _select(op: str, left: Term, right: Term, chosen: Term, other: Term) -> Term:
    return apply("select", apply(op, left, right), chosen, other)


@pytest.mark.parametrize("dtype", ["f64", "i32"])
def test_a_value_between_bounds_is_one_value(dtype: DType) -> None:
    SESSION.forget()
    x = read("A" if dtype == "f64" else "X", "i", dtype=dtype)
    low, high = num(-9, dtype), num(9, dtype)
    expected = apply("min", high, apply("max", low, x))
    for same in (
        apply("max", low, apply("min", high, x)),
        _select("lt", x, low, low, _select("gt", x, high, high, x)),
        _select("gt", x, high, high, _select("lt", x, low, low, x)),
        _select("le", x, high, _select("ge", x, low, x, low), high),
        _select("lt", x, low, low, apply("min", high, x)),
    ):
        assert equal(same, expected, _CELLS)


@pytest.mark.parametrize("dtype", ["f64", "i32"])
def test_bounds_that_cross_are_none(dtype: DType) -> None:
    SESSION.forget()
    x = read("A" if dtype == "f64" else "X", "i", dtype=dtype)
    low, high = num(9, dtype), num(-9, dtype)
    first, last = apply("max", low, apply("min", high, x)), apply("min", high, apply("max", low, x))
    assert not equal(first, last, _CELLS)
    assert not equal(_select("lt", x, low, low, apply("min", high, x)), last, _CELLS)
