"""What functions and operators give of NaN, infinities and the least floats is the same in the program."""

from __future__ import annotations

from functools import cache
from inspect import signature
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from tensorlift.record import FunctionRecord

# Bodies of f(x, y), of arrays of one dimension.
_BODIES = [
    "return np.maximum(x, y)",
    "return np.minimum(x, y)",
    "return np.fmax(x, y)",
    "return np.fmin(x, y)",
    "return np.clip(x, 0.0, 1.0)",
    "return np.sign(x) * y",
    "return x.max() - np.min(y)",
    "return np.amax(x * y)",
    "return np.maximum(x, 0.0) + np.fmin(y, 1.0)",
    "for i in range(len(x)):\n        y[i] += np.maximum(x[i], 0.5)\n    return y",
    "m = x[0]\n    for i in range(1, len(x)):\n        m = np.maximum(m, x[i])\n    return m",
    "m = x[0]\n    for i in range(1, len(x)):\n        m = np.fmin(m, x[i])\n    return m",
    "for i in range(len(x)):\n        y[i] = np.maximum(np.fmax(x[i], y[i]), 0.25)\n    return y",
]
_FLOATS = [0.0, 1.0, 2.5, np.inf, 1e-300, 1e308, 5e-324, 0.1, 3.0, 7.25, np.nan]
_DIVISIONS = ["x[i] % y[i]", "x[i] // y[i]", "x[i] // -2.5", "x[i] % 0.3", "x[i] % -2", "x[i] % y[i] + x[i] // 3"]


def _source() -> str:
    functions = [f"def f{k}(x: 'float64[:]', y: 'float64[:]'):\n    {body}\n" for k, body in enumerate(_BODIES)]
    return "import numpy as np\n\n\n" + "\n\n".join(functions)


@cache
def _lifted() -> dict[str, FunctionRecord]:
    return {f.name: f for f in lift_source(source_from_text(_source(), "f.py"), LiftOptions()).functions}


@pytest.mark.parametrize("position", range(len(_BODIES)), ids=_BODIES)
def test_a_nan_is_where_the_function_has_one(position: int) -> None:
    original: dict[str, Any] = {}
    program: dict[str, Any] = {}
    exec(_source(), original)
    exec(_lifted()[f"f{position}"].program, program)
    nan = np.nan
    for x, y in [([1.0, nan, -2.0, nan], [nan, 3.0, 0.5, nan]), ([nan, 1.0], [0.0, 2.0]), ([3.0, 4.0], [1.0, nan])]:
        expected = original[f"f{position}"](np.array(x), np.array(y))
        found = program[f"f{position}"](np.array(x), np.array(y))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("expression", _DIVISIONS)
def test_remainders_and_quotients_that_are_rounded_down_are_those_of_numpy(expression: str) -> None:
    source = f"def f(x: 'float64[:]', y: 'float64[:]'):\n    for i in range(len(x)):\n        y[i] = {expression}\n"
    signed = [sign * value for value in _FLOATS for sign in (1.0, -1.0)]
    x, y = (np.array(side) for side in zip(*product(signed, signed), strict=True))
    (function,) = lift_source(source_from_text(source, "f.py"), LiftOptions()).functions
    original: dict[str, Any] = {}
    program: dict[str, Any] = {}
    exec(source, original)
    exec(function.program, program)
    found = program["f"](*[{"x": x, "y": y.copy()}[name] for name in signature(program["f"]).parameters])
    original["f"](x, y)
    np.testing.assert_array_equal(found, y)
