"""Element types: the machine integers and floats of the source, by their NumPy-like short names."""

from __future__ import annotations

import math
import struct
from ctypes import c_float
from fractions import Fraction
from typing import Literal

DType = Literal["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"]

SIGNED: tuple[DType, ...] = ("i8", "i16", "i32", "i64")
UNSIGNED: tuple[DType, ...] = ("u8", "u16", "u32", "u64")
HALVES: tuple[DType, ...] = ("f16", "bf16")  # floats of 16 bits
NARROW: tuple[DType, ...] = (*HALVES, "f32")  # floats that round what a double holds
FLOATS: tuple[DType, ...] = (*NARROW, "f64")


def is_float(dtype: DType) -> bool:
    """Tell whether values of the type stand for reals."""
    return dtype in FLOATS


def is_integer(dtype: DType) -> bool:
    """Tell whether values of the type are machine integers (`bool` is not)."""
    return dtype in SIGNED or dtype in UNSIGNED


def width(dtype: DType) -> int:
    """Return the number of bits of the type; `bool` counts as one."""
    return 1 if dtype == "bool" else int(dtype.lstrip("biuf"))


def signed(dtype: DType) -> DType:
    """Return the signed integer of the width of an unsigned one, any other type as it is."""
    return SIGNED[UNSIGNED.index(dtype)] if dtype in UNSIGNED else dtype


def unsigned(dtype: DType) -> DType:
    """Return the unsigned integer of the width of a signed one, any other type as it is."""
    return UNSIGNED[SIGNED.index(dtype)] if dtype in SIGNED else dtype


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


_DIGITS_OF_SINGLES = 9
# Bits of the fraction, the exponents of the least number and of what overflows.
_FORMATS: dict[DType, tuple[int, int, int]] = {
    "f16": (11, -24, 16), "bf16": (8, -133, 128), "f32": (24, -149, 128), "f64": (53, -1074, 1024),
}  # fmt: skip
FRACTION_BITS: dict[DType, int] = {dtype: bits for dtype, (bits, _, _) in _FORMATS.items()}


def rounded(value: Fraction, dtype: DType) -> Fraction:
    """Round a real to a float type, to nearest, ties to even; one that would overflow stays."""
    if not value:
        return value
    bits, least, overflow = _FORMATS[dtype]
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    exponent -= abs(value) < _power_of_two(exponent)
    unit = _power_of_two(max(exponent - bits + 1, least))
    nearest = round(value / unit) * unit
    return value if abs(nearest) >= 1 << overflow else nearest


def round_float(value: float, dtype: DType) -> float:
    """Round a double to a float type as hardware does: too large becomes infinite."""
    if dtype == "f32":
        return c_float(value).value
    if dtype == "f64" or not math.isfinite(value) or not value:
        return value
    bits, least, overflow = _FORMATS[dtype]
    if abs(value) >= 1 << overflow:
        return math.copysign(math.inf, value)
    unit = max(math.frexp(value)[1] - bits, least)
    nearest = math.ldexp(round(math.ldexp(value, -unit)), unit)
    return math.copysign(nearest if abs(nearest) < 1 << overflow else math.inf, value)


def float_of_bits(bits: int, dtype: DType) -> float:
    """Return the float of a type whose bits are those of an integer; raises OverflowError where they are too many."""
    if dtype == "bf16":  # the upper half of the bits of an f32
        bits, dtype = int.from_bytes(bits.to_bytes(2, "little"), "little") << 16, "f32"
    form = {"f16": "<e", "f32": "<f", "f64": "<d"}[dtype]
    (value,) = struct.unpack(form, bits.to_bytes(struct.calcsize(form), "little"))
    return float(value)


def smallest_normal(dtype: DType) -> float:
    """Return the least number above zero that a float type holds with all of its bits."""
    bits, least, _ = _FORMATS[dtype]
    return math.ldexp(1.0, least + bits - 1)


def largest(dtype: DType) -> int:
    """Return the largest finite number of a float type."""
    bits, _, overflow = _FORMATS[dtype]
    return (1 << overflow) - (1 << (overflow - bits))


def _power_of_two(exponent: int) -> Fraction:
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def wrap(value: int, dtype: DType) -> int:
    """Reduce an integer modulo two to the width of the type, into its range."""
    low, _ = integer_range(dtype)
    return (value - low) % (1 << width(dtype)) + low


def cell_text(value: float, dtype: DType) -> str:
    """Spell a cell of a table so that equal texts are equal bits: integers in decimal, floats as `float.hex` does."""
    if is_float(dtype):
        return float(value).hex()
    return str(int(value) if dtype == "bool" else wrap(int(value), dtype))


def cell_value(text: str, dtype: DType) -> float:
    """Return the number that `cell_text` spells."""
    return float.fromhex(text) if is_float(dtype) else int(text)


def shortest(value: float, dtype: DType) -> str:
    """Spell a float with the fewest digits that its type needs, where numbers are rounded to the type they meet.

    PyTorch takes no number beyond the largest of a type, not even where it is rounded to it.
    """
    if dtype not in NARROW or not math.isfinite(value):
        return repr(value)
    nearby = (float(f"{value:.{digits}g}") for digits in range(1, _DIGITS_OF_SINGLES + 1))
    held = (number for number in nearby if abs(number) <= largest(dtype))
    return repr(next((number for number in held if rounded(Fraction(number), dtype) == value), value))
