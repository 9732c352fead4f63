"""Random inputs for tests, with fixed seeds: small integers whose sums do not overflow, well-conditioned floats."""

from __future__ import annotations

from math import prod
from random import Random
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tensorlift.ir.memory import NUMPY_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.ir.function import Parameter

    Array = np.ndarray[Any, np.dtype[Any]]

# "any" has zeros and both signs; "nonzero" may be divided by; "positive" may be rooted, summed and divided by.
Style = Literal["any", "nonzero", "positive"]
STYLES: tuple[Style, ...] = ("any", "nonzero", "positive")

_MAGNITUDE = 9
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
        return np.asarray(
            values if style == "positive" else np.where(drawn % 2 > 0, values, -values), NUMPY_TYPES[dtype]
        )
    low = 1 if style == "positive" else 0 if dtype[0] == "u" else -_MAGNITUDE
    integers = (drawn % (_MAGNITUDE + 1 - low)).astype(np.int64) + low
    return (np.where(integers == 0, 1, integers) if style == "nonzero" else integers).astype(NUMPY_TYPES[dtype])


def random_arguments(
    parameters: Sequence[Parameter], sizes: Mapping[str, int], rng: Random, style: Style
) -> dict[str, Any]:
    """Draw an argument for every parameter by source name: sizes as given, NumPy scalars, arrays in logical shape.

    Raises ValueError for an array whose extents are not known.
    """
    return {parameter.name: _argument(parameter, sizes, rng, style) for parameter in parameters}


def _argument(parameter: Parameter, sizes: Mapping[str, int], rng: Random, style: Style) -> Any:
    if parameter.role == "size":
        return sizes[parameter.name]
    if parameter.role == "scalar":
        return random_array(parameter.dtype, (), rng, style)[()]
    if parameter.extents is None:
        raise ValueError(f"the extents of {parameter.name} are not known")
    return random_array(parameter.dtype, tuple(extent.at(sizes) for extent in parameter.extents), rng, style)
