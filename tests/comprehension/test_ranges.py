"""Ranges of integer terms, at the edge of their types."""

from __future__ import annotations

from operator import floordiv, mod
from typing import TYPE_CHECKING

import pytest

from tensorlift.comprehension.ranges import never_wraps, value_range
from tensorlift.comprehension.terms import Term, apply, cast, constant, scalar
from tensorlift.ops.dtypes import integer_range

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.ops.dtypes import DType


def _product(dtype: DType, wide: DType) -> Term:
    return apply("mul", cast(scalar("a", dtype), wide), cast(scalar("b", dtype), wide))


@pytest.mark.parametrize(
    ("dtype", "wide", "fits"),
    [("i8", "i16", True), ("i16", "i32", True), ("u8", "i16", False), ("u16", "i32", False), ("u16", "u32", True)],
)
def test_a_product_fits_twice_the_bits_of_its_factors(dtype: DType, wide: DType, fits: bool) -> None:  # noqa: FBT001 - the row
    assert never_wraps(_product(dtype, wide)) is fits


def test_sums_differences_and_signs_are_bounded() -> None:
    narrow = cast(scalar("a", "i8"), "i16")
    most = apply("mul", narrow, constant(255, "i16"))
    assert never_wraps(most)
    assert never_wraps(apply("sub", most, narrow))
    assert not never_wraps(apply("add", most, apply("mul", narrow, constant(2, "i16"))))
    assert never_wraps(apply("neg", narrow))
    assert not never_wraps(apply("neg", scalar("a", "i8")))
    assert not never_wraps(apply("neg", scalar("a", "u8")))


@pytest.mark.parametrize(
    ("op", "divisor", "found"),
    [
        ("floordiv", 4, (-32, 31)),
        ("floordiv", -4, None),
        ("mod", 4, (0, 3)),
        ("mod", 0, None),
        ("max", 5, (5, 127)),
        ("min", 5, (-128, 5)),
    ],
)
def test_quotients_and_extremes_are_bounded(op: str, divisor: int, found: tuple[int, int] | None) -> None:
    term = apply(op, cast(scalar("a", "i8"), "i64"), constant(divisor, "i64"))
    assert value_range(term) == (found or integer_range("i64"))
    assert all(found is None or found[0] <= _VALUE[op](a, divisor) <= found[1] for a in range(-128, 128))


_VALUE: dict[str, Callable[[int, int], int]] = {"floordiv": floordiv, "mod": mod, "max": max, "min": min}


def test_what_wraps_inside_has_the_range_of_its_type() -> None:
    wrapped = apply("mul", scalar("a", "i8"), scalar("b", "i8"))
    assert never_wraps(cast(wrapped, "i16"))
    assert not never_wraps(cast(scalar("a", "i32"), "i16"))
    assert not never_wraps(cast(scalar("a", "i8"), "u8"))


def test_a_shared_factor_is_visited_once() -> None:
    term: Term = cast(scalar("a", "bool"), "i32")
    for _ in range(200):
        term = apply("mul", term, term)
    assert never_wraps(term)
