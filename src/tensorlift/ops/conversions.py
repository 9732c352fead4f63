"""Conversions between element types: what each means, and which of them lose nothing.

A conversion has a meaning for every value but one: a real whose whole part lies outside of an integer type has none
there: C leaves it undefined, and so do the array libraries.
"""

from __future__ import annotations

from fractions import Fraction

from tensorlift.ops.dtypes import (
    FLOATS,
    FRACTION_BITS,
    DType,
    integer_range,
    is_float,
    rounded,
    width,
    wrap,
)

EXACT_BITS = FRACTION_BITS  # a float holds each integer up to two to so many


def value_of(value: Fraction, source: DType, target: DType) -> Fraction | None:
    """Return what a value of the source type becomes in the target, None where that is undefined.

    Integers wrap, reals lose their fraction on the way to integers and are rounded to nearest, ties to even, on the
    way to floats; any number but zero is true.
    """
    if target == "bool":
        return Fraction(value != 0)
    if is_float(target):
        return rounded(value, target)
    if not is_float(source):
        return Fraction(wrap(int(value), target))
    low, high = integer_range(target)
    return Fraction(int(value)) if low <= int(value) <= high else None


def is_exact(source: DType, target: DType) -> bool:
    """Tell whether each value of the source type is one of the target type; a truth value is 0 or 1."""
    if source in {target, "bool"}:
        return True
    if target == "bool":
        return False
    if is_float(target):
        if is_float(source):
            return width(source) < width(target)  # neither of the two of 16 bits holds the other
        return holds_integers(target, *integer_range(source))
    if is_float(source):
        return False
    (low, high), (least, greatest) = integer_range(source), integer_range(target)
    return least <= low and high <= greatest


def holds_integers(dtype: DType, low: int, high: int) -> bool:
    """Tell whether a float type holds every integer of a range."""
    most = 1 << EXACT_BITS[dtype]
    return -most <= low and high <= most


def is_rounding(source: DType, target: DType) -> bool:
    """Tell whether a conversion to a float may change the value."""
    return target in FLOATS and not is_exact(source, target)
