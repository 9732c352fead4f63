"""Random inputs for the reference kernels: small odd sizes, padded leading dimensions, admissible values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bench.kernels.catalogue import Kernel, Parameter

DTYPES = {"i8": np.int8, "i32": np.int32, "f32": np.float32, "f64": np.float64}

Inputs = dict[str, Any]


def draw(kernel: Kernel, rng: np.random.Generator, largest: int = 6) -> Inputs:
    """Draw a value for each parameter of the kernel; matrices come in their logical shape."""
    values: Inputs = _sizes(kernel, rng, largest)
    for parameter in kernel.parameters:
        if parameter.role == "scalar":
            values[parameter.name] = _values(parameter, kernel, rng, ())[()]
        elif parameter.role == "array":
            values[parameter.name] = _values(parameter, kernel, rng, extents(parameter, values))
    return values


def extents(parameter: Parameter, sizes: Inputs) -> tuple[int, ...]:
    """Evaluate the extents of an array for given sizes."""
    return tuple(_evaluate(extent, sizes) for extent in parameter.shape)


def _evaluate(expression: str, sizes: Inputs) -> int:
    return int(eval(expression, {"__builtins__": {}}, sizes))


def _sizes(kernel: Kernel, rng: np.random.Generator, largest: int) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for parameter in kernel.parameters:
        if parameter.role == "size" and parameter.name not in kernel.sizes:
            low = kernel.minimum.get(parameter.name, 1)
            sizes[parameter.name] = int(rng.integers(low, max(low, largest) + 1))
    for name, rule in kernel.sizes.items():
        least = _evaluate(rule.removeprefix(">="), sizes)
        sizes[name] = least + (int(rng.integers(0, 3)) if rule.startswith(">=") else 0)
    for parameter in kernel.parameters:
        if parameter.leading:
            sizes[parameter.leading] = extents(parameter, sizes)[1] + int(rng.integers(0, 4))
    return sizes


def _values(parameter: Parameter, kernel: Kernel, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
    rule = kernel.values.get(parameter.name, "")
    whole = parameter.dtype.startswith("i")
    if rule in {"spd", "dominant"}:
        square = rng.uniform(-1.0, 1.0, shape)
        square = square @ square.T if rule == "spd" else square
        return square + shape[0] * np.eye(shape[0])
    low, high = map(float, (rule if ".." in rule else "-9..9").split(".."))
    drawn = rng.integers(int(low), int(high) + 1, shape) if whole else rng.uniform(low / 4, high / 4, shape)
    if ".." in rule and not whole:
        drawn = rng.uniform(low, high, shape)
    if rule == "nonzero":
        drawn = np.where(drawn == 0, 1, drawn)
    return np.asarray(drawn, DTYPES[parameter.dtype])
