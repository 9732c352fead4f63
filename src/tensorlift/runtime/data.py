"""Random inputs for tests, with fixed seeds: small integers whose sums do not overflow, well-conditioned floats."""

from __future__ import annotations

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


def random_array(dtype: str, shape: tuple[int, ...], rng: np.random.Generator, style: Style) -> Array:
    """Draw an array of ``dtype`` (``i32``, ``f64``, ``bool``, ...): integers of at most 9, floats of at most 2."""
    numpy_type = NUMPY_TYPES[dtype]
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, shape) > 0)
    if dtype[0] == "f":
        values = rng.uniform(0.5, 2.0, shape)
        return np.asarray(values if style == "positive" else values * rng.choice([-1.0, 1.0], shape), numpy_type)
    low = 1 if style == "positive" else 0 if dtype[0] == "u" else -_MAGNITUDE
    integers = np.asarray(rng.integers(low, _MAGNITUDE + 1, shape))
    return (np.where(integers == 0, 1, integers) if style == "nonzero" else integers).astype(numpy_type)


def random_arguments(
    parameters: Sequence[Parameter], sizes: Mapping[str, int], rng: np.random.Generator, style: Style
) -> dict[str, Any]:
    """Draw an argument for every parameter by source name: sizes as given, NumPy scalars, arrays in logical shape.

    Raises ValueError for an array whose extents are not known.
    """
    return {parameter.name: _argument(parameter, sizes, rng, style) for parameter in parameters}


def _argument(parameter: Parameter, sizes: Mapping[str, int], rng: np.random.Generator, style: Style) -> Any:
    if parameter.role == "size":
        return sizes[parameter.name]
    if parameter.role == "scalar":
        return random_array(parameter.dtype, (), rng, style)[()]
    if parameter.extents is None:
        raise ValueError(f"the extents of {parameter.name} are not known")
    return random_array(parameter.dtype, tuple(extent.at(sizes) for extent in parameter.extents), rng, style)
