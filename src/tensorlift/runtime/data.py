"""Random inputs for tests, with fixed seeds: small integers whose sums do not overflow, well-conditioned floats."""

from __future__ import annotations

from math import prod
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tensorlift.ir.memory import NUMPY_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.function import Parameter
    from tensorlift.runtime.compare import Array
    from tensorlift.runtime.corners import Corners

# "any" has zeros and both signs; "nonzero" may be divided by; "positive" may be rooted, summed and divided by.  "tame"
# is positive, with integers from 2 on, floats that are small beside the number of elements of a row, and symmetric
# square matrices that their diagonals dominate: what solves equations is stable on it at large sizes.
Style = Literal["any", "nonzero", "positive", "tame"]
STYLES: tuple[Style, ...] = ("any", "nonzero", "positive")
LARGE_STYLES: tuple[Style, ...] = (*STYLES, "tame")

_MAGNITUDE = 9
BITS = 8  # epsilons by which inputs are changed to see whether the source is stable
_SQUARE = 2  # dimensions
_DIAGONAL = 4.0  # above the sum of a row, which is at most 2
_BYTES, _RANGE = 4, 2.0**32  # of one number drawn


def seeded(*seeds: int) -> Random:
    """Give a source of numbers that are the same in every run and with every version of NumPy."""
    return Random(".".join(map(str, seeds)))  # noqa: S311 - the numbers are test data and keep no secret


def random_array(dtype: str, shape: tuple[int, ...], rng: Random, style: Style) -> Array:
    """Draw an array of ``dtype`` (``i32``, ``f64``, ``bool``, ...): integers of at most 9, floats of at most 2."""
    drawn = np.frombuffer(rng.randbytes(_BYTES * prod(shape)), np.uint32).reshape(shape)
    if dtype == "bool":
        return np.asarray(drawn % 2 > 0)
    if dtype[0] == "f":
        values = 0.5 + drawn * (1.5 / _RANGE)
        if style == "tame":
            return _tame(values).astype(NUMPY_TYPES[dtype])
        return np.asarray(
            values if style == "positive" else np.where(drawn % 2 > 0, values, -values), NUMPY_TYPES[dtype]
        )
    low = 2 if style == "tame" else 1 if style == "positive" else 0 if dtype[0] == "u" else -_MAGNITUDE
    integers = (drawn % (_MAGNITUDE + 1 - low)).astype(np.int64) + low
    return np.asarray(np.where(integers == 0, 1, integers) if style == "nonzero" else integers, NUMPY_TYPES[dtype])


def _tame(values: Array) -> Array:
    """Scale positive numbers down by the last extent; let the diagonals of symmetric square matrices dominate."""
    if values.ndim == 0:
        return values
    scaled = values / max(values.shape[-1], 1)
    if values.ndim < _SQUARE or values.shape[-1] != values.shape[-2]:
        return np.asarray(scaled)
    return np.asarray((scaled + scaled.swapaxes(-1, -2)) / 2 + _DIAGONAL * np.eye(values.shape[-1]))


def random_arguments(  # noqa: PLR0913, PLR0917 - what is drawn, and from what
    parameters: Sequence[Parameter],
    sizes: Mapping[str, int],
    rng: Random,
    style: Style,
    ranges: Mapping[str, tuple[int, int]] = MappingProxyType({}),
    corners: Corners | None = None,
) -> dict[str, Any]:
    """Draw an argument for every parameter by source name: sizes as given, NumPy scalars, arrays in logical shape.

    ``ranges`` holds, for arrays of integers, the least value and the one behind the greatest; ``corners`` are mixed
    into the other arrays and the scalars.
    Raises ValueError for an array whose extents are not known.
    """
    drawn = {parameter.name: _argument(parameter, sizes, rng, style) for parameter in parameters}
    if corners is not None:
        mixed = [p for p in parameters if p.role != "size" and p.name not in ranges]
        drawn |= {p.name: _mixed(drawn[p.name], corners.of(p.dtype), rng) for p in mixed}
    return drawn | {name: within(drawn[name], *ends) for name, ends in ranges.items()}


def _mixed(values: Any, corners: Array, rng: Random) -> Any:
    """Replace each second number by a corner, one after the other from any of them on; a single one by chance."""
    position = np.arange(values.size).reshape(values.shape) + rng.randrange(len(corners) * 2)
    mixed = np.where(position % 2 > 0, corners[position // 2 % len(corners)], values).astype(values.dtype)
    return mixed if isinstance(values, np.ndarray) else mixed[()]


def within(values: Array, low: int, high: int) -> Array:
    """Move integers into a range, as far as their type has it; an empty range stands for its first value."""
    limits = np.iinfo(values.dtype)
    least, most = max(low, int(limits.min)), min(max(high, low + 1), int(limits.max) + 1)
    return (least + values.astype(np.int64) % max(most - least, 1)).astype(values.dtype)


def _argument(parameter: Parameter, sizes: Mapping[str, int], rng: Random, style: Style) -> Any:
    if parameter.role == "size":
        return sizes[parameter.name]
    if parameter.role == "scalar":
        return random_array(parameter.dtype, (), rng, style)[()]
    if parameter.extents is None:
        raise ValueError(f"the extents of {parameter.name} are not known")
    return random_array(parameter.dtype, tuple(extent.at(sizes) for extent in parameter.extents), rng, style)


def nudged(value: Any, share: float = 0.0, *, whole: bool = True) -> Any:
    """Change the last bits of floats, some up and some down, so that proportions do not stay; copy the rest.

    Without ``whole``, whole numbers are part of the rest: what only converts them is not unstable.

    A ``share`` of the magnitude is changed where that is more than the last bits.
    """
    array = np.array(value)
    if array.dtype.kind != "f":
        return array if isinstance(value, np.ndarray) else value
    directions = np.where(np.arange(array.size) % 3 == 1, -1, 1).reshape(array.shape)
    moved = array * (1 + directions * max(share, BITS * float(np.finfo(array.dtype).eps)))
    changed = np.where((not whole) & (array == np.floor(array)), array, moved).astype(array.dtype)
    return changed if isinstance(value, np.ndarray) else changed[()]
