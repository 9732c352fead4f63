"""Arithmetic of the field with 2**61 - 1 elements, one by one and in arrays, and functions that are not arithmetic.

A Mersenne prime makes reduction a shift and a mask.  A product of two elements has 122 bits, so that arrays multiply
in halves of 31 and 30 bits.  Any other function is a mixture of its name and its operands' values, the same for numbers
and for arrays.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

PRIME = (1 << 61) - 1
Elements = npt.NDArray[np.uint64]

_BITS = np.uint64(61)
_HALF = np.uint64(31)
_QUARTER = np.uint64(30)
_PRIME = np.uint64(PRIME)
_LOW_HALF = np.uint64((1 << 31) - 1)
_LOW_QUARTER = np.uint64((1 << 30) - 1)
_WORD = (1 << 64) - 1
_STEP, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB  # of the generator splitmix64


def draw(*key: object) -> int:
    """Return the element of the field that a key stands for, the same in every run."""
    return int.from_bytes(blake2b(repr(key).encode(), digest_size=8).digest(), "little") % PRIME


@cache
def _seed(op: str, dtype: str) -> int:
    return draw("function", op, dtype)


def mixed(op: str, dtype: str, values: Sequence[int]) -> int:
    """Return the value of a function of elements that arithmetic cannot look into."""
    state = _seed(op, dtype)
    for value in values:
        state = (state + value + _STEP) & _WORD
        state = ((state ^ state >> 30) * _FIRST) & _WORD
        state = ((state ^ state >> 27) * _SECOND) & _WORD
        state ^= state >> 31
    return state % PRIME


def mixed_arrays(op: str, dtype: str, values: Sequence[Elements]) -> Elements:
    """Do the same cell by cell; the arrays broadcast together."""
    state = np.full((), _seed(op, dtype), np.uint64)
    with np.errstate(over="ignore"):
        for value in values:
            state = state + value + np.uint64(_STEP)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(_FIRST)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(_SECOND)
            state ^= state >> np.uint64(31)
    return state % _PRIME


def reduced(values: Elements) -> Elements:
    """Bring values below 2**64 into the field."""
    folded = (values & _PRIME) + (values >> _BITS)
    return np.where(folded >= _PRIME, folded - _PRIME, folded)


def add(left: Elements, right: Elements) -> Elements:
    """Add."""
    total = left + right
    return np.where(total >= _PRIME, total - _PRIME, total)


def sub(left: Elements, right: Elements) -> Elements:
    """Subtract."""
    total = left + (_PRIME - right)
    return np.where(total >= _PRIME, total - _PRIME, total)


def mul(left: Elements, right: Elements) -> Elements:
    """Multiply."""
    a1, a0 = left >> _HALF, left & _LOW_HALF
    b1, b0 = right >> _HALF, right & _LOW_HALF
    middle = a1 * b0 + a0 * b1  # times 2**31
    high = (a1 * b1) << np.uint64(1)  # 2**62 is 2
    return reduced(high + (middle >> _QUARTER) + ((middle & _LOW_QUARTER) << _HALF) + reduced(a0 * b0))


def inverse(values: Elements) -> Elements:
    """Return reciprocals, zero for zero: one by a power, all others by three products each."""
    nonzero = np.where(values, values, np.uint64(1)).reshape(-1)
    return np.where(values, _inverses(nonzero).reshape(values.shape), np.uint64(0))


def _inverses(values: Elements) -> Elements:
    """Invert a list of elements, none zero: with ``1 / (a * b)`` the reciprocals of both are a product away."""
    count = len(values)
    if count <= 1:
        return np.array([pow(int(value), -1, PRIME) for value in values], np.uint64)
    half = count // 2
    left, right = values[:half], values[half : 2 * half]
    both = _inverses(np.concatenate([mul(left, right), values[2 * half :]]))
    return np.concatenate([mul(both[:half], right), mul(both[:half], left), both[half:]])
