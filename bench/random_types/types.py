"""The element types of random programs, what parameters are, and numbers at which conversions differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.ir.memory import NUMPY_TYPES

if TYPE_CHECKING:
    import random

    Array = np.ndarray[Any, np.dtype[Any]]

TYPES = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64")
INTEGERS = TYPES[1:9]
FLOATS = TYPES[9:]

_EDGES = [
    sign * (1 << bits) + off for bits in (7, 8, 15, 16, 24, 31, 32, 53, 63) for sign in (1, -1) for off in (-1, 0, 1)
]
# Of each length in bits an odd number, which floats that are too short for it round.
_ODD = [sign * (0x6B5A_93C7_4E2D_8F15 >> (63 - bits) | 1) for bits in range(9, 64) for sign in (1, -1)]
_FLOATS = (
    5e9,
    -3e9,
    300.7,
    -1.5,
    0.1,
    2.5,
    -0.0,
    127.5,
    -129.0,
    65536.25,
    2147483648.0,
    16777217.0,
    9007199254740992.0,
)
# How large numbers may be: where larger ones have no meaning, smaller ones may.
MOST = (float("inf"), float("inf"), 2.0**62, 2.0**31 - 129, 70000.0, 300.0)
SMALL = 9.0


@dataclass(frozen=True)
class Parameter:
    """A parameter of a random function: an array over named sizes, a scalar, or (with ``is_size``) a size."""

    name: str
    dtype: str
    shape: tuple[str, ...] = ()
    is_size: bool = False


@dataclass(frozen=True)
class Program:
    """A function called ``entry`` as text; ``result`` is the type that it returns, if any.

    ``used`` are its constructs, each with the pair of types that it mixes.
    """

    text: str
    entry: str
    parameters: tuple[Parameter, ...]
    result: str = ""
    used: frozenset[tuple[str, str, str]] = field(default_factory=frozenset)


def is_float(dtype: str) -> bool:
    """Tell whether a type is one of floating-point numbers."""
    return dtype[0] == "f"


def numbers(rng: random.Random, dtype: str, count: int, most: float, share: float = 0.4) -> Array:
    """Draw numbers of a type of at most a magnitude, of which a share are corners."""
    corners, ordinary = _tables(dtype, most)
    drawn = np.frombuffer(rng.randbytes(4 * count), np.uint32)
    is_corner = drawn % 256 < share * 256
    return np.where(is_corner, corners[drawn // 256 % len(corners)], ordinary[drawn // 256 % len(ordinary)])


@cache
def _tables(dtype: str, most: float) -> tuple[Array, Array]:
    """List the corners of a type up to a magnitude, and ordinary numbers."""
    if dtype == "bool":
        truths = np.array([False, True])
        return truths, truths
    if is_float(dtype):
        corners: list[float] = [corner for corner in _FLOATS if abs(corner) <= most]
        ordinary: list[float] = [sign * number / 16 for number in range(1, 64) for sign in (-1, 1)]
    else:
        limits, top = np.iinfo(NUMPY_TYPES[dtype]), int(min(20, most))
        edges = [*_EDGES, *_ODD, int(limits.min), int(limits.max)]
        corners = [corner for corner in edges if limits.min <= corner <= limits.max and abs(corner) <= most]
        ordinary = list(range(max(int(limits.min), -top), top + 1))
    return np.array(corners or [0], NUMPY_TYPES[dtype]), np.array(ordinary, NUMPY_TYPES[dtype])
