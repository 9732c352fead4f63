"""Element types: the machine integers and floats of the source, by their NumPy-like short names."""

from __future__ import annotations

from ctypes import c_float
from fractions import Fraction
from math import isinf
from typing import Literal

DType = Literal["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"]

SIGNED: tuple[DType, ...] = ("i8", "i16", "i32", "i64")
UNSIGNED: tuple[DType, ...] = ("u8", "u16", "u32", "u64")
FLOATS: tuple[DType, ...] = ("f32", "f64")


def is_float(dtype: DType) -> bool:
    """Tell whether values of the type stand for reals."""
    return dtype in FLOATS


def is_integer(dtype: DType) -> bool:
    """Tell whether values of the type are machine integers (`bool` is not)."""
    return dtype in SIGNED or dtype in UNSIGNED


def width(dtype: DType) -> int:
    """Return the number of bits of the type; `bool` counts as one."""
    return 1 if dtype == "bool" else int(dtype[1:])


def integer_range(dtype: DType) -> tuple[int, int]:
    """Return the least and the greatest value of a machine integer type."""
    bits = width(dtype)
    if dtype in SIGNED:
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << bits) - 1


def holds(wide: DType, narrow: DType) -> bool:
    """Tell whether each value of one integer type is one of the other."""
    (low, high), (least, greatest) = integer_range(wide), integer_range(narrow)
    return low <= least and greatest <= high


_ABOVE_SINGLES = 1 << 128


def rounded(value: Fraction, dtype: DType) -> Fraction:
    """Round a number that an f64 holds to a float type; any other real stays, as does one that would overflow."""
    if dtype != "f32" or abs(value) >= _ABOVE_SINGLES or Fraction(float(value)) != value:
        return value
    single = c_float(float(value)).value
    return value if isinf(single) else Fraction(single)


def wrap(value: int, dtype: DType) -> int:
    """Reduce an integer modulo two to the width of the type, into its range."""
    low, _ = integer_range(dtype)
    return (value - low) % (1 << width(dtype)) + low
