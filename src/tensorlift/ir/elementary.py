"""Float operations with IEEE results where Python raises: division by zero, overflow, arguments outside the domain."""

from __future__ import annotations

import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tensorlift.ops.scalar_ops import REALS, numpy_name

if TYPE_CHECKING:
    from collections.abc import Callable

    FloatFunction = Callable[..., float]


def _divide(dividend: float, divisor: float) -> float:
    if divisor != 0.0:
        return dividend / divisor
    if dividend == 0.0 or math.isnan(dividend):
        return math.nan
    return math.copysign(math.inf, dividend) * math.copysign(1.0, divisor)


def _remainder(dividend: float, divisor: float) -> float:
    """Compute C's ``fmod``: the sign is the dividend's."""
    try:
        return math.fmod(dividend, divisor)
    except ValueError:
        return math.nan


def _minimum(left: float, right: float) -> float:
    return math.nan if math.isnan(left) or math.isnan(right) else min(left, right)


def _maximum(left: float, right: float) -> float:
    return math.nan if math.isnan(left) or math.isnan(right) else max(left, right)


def _smaller_number(left: float, right: float) -> float:
    """Compute ``fmin``: a NaN gives way to a number."""
    if math.isnan(left):
        return right
    return left if math.isnan(right) else min(left, right)


def _greater_number(left: float, right: float) -> float:
    """Compute ``fmax``: a NaN gives way to a number."""
    if math.isnan(left):
        return right
    return left if math.isnan(right) else max(left, right)


def _fused_multiply_add(left: float, right: float, addend: float) -> float:
    """Round ``left * right + addend`` once."""
    if not all(map(math.isfinite, (left, right, addend))):
        return left * right + addend
    exact = Fraction(left) * Fraction(right) + Fraction(addend)
    try:
        return float(exact) if exact else left * right + addend
    except OverflowError:
        return math.copysign(math.inf, exact)


def _away_from_zero(value: float) -> float:
    """Round halves away from zero, C's ``round``."""
    if not math.isfinite(value):
        return value
    whole = math.floor(abs(value))
    return math.copysign(whole + (abs(value) - whole >= _HALF), value)


_HALF = 0.5


def _reciprocal_root(value: float) -> float:
    return _divide(1.0, _SQRT(value))


def _ieee(fast: FloatFunction, complete: np.ufunc | None) -> FloatFunction:
    """Use the function of ``math``, and NumPy's where that raises for an infinite or undefined result."""

    def compute(*operands: float) -> float:
        try:
            return fast(*operands)
        except (ValueError, OverflowError):
            assert complete is not None
            with np.errstate(all="ignore"):
                return float(complete(*map(np.float64, operands)))

    return compute


def _by_numpy(function: np.ufunc) -> FloatFunction:
    return lambda value: float(function(value))


_SQRT = _ieee(math.sqrt, np.sqrt)

FLOAT_FUNCTIONS: dict[str, FloatFunction] = {
    **{f"math.{op}": _ieee(getattr(math, op), getattr(np, numpy_name(op), None)) for op in REALS},
    "arith.addf": operator.add,
    "arith.subf": operator.sub,
    "arith.mulf": operator.mul,
    "arith.divf": _divide,
    "arith.remf": _remainder,
    "arith.negf": operator.neg,
    "arith.minimumf": _minimum,
    "arith.maximumf": _maximum,
    "arith.minnumf": _smaller_number,
    "arith.maxnumf": _greater_number,
    "math.absf": abs,
    "math.atan2": math.atan2,
    "math.ceil": _by_numpy(np.ceil),
    "math.copysign": math.copysign,
    "math.floor": _by_numpy(np.floor),
    "math.fma": _fused_multiply_add,
    "math.fpowi": _ieee(math.pow, np.power),
    "math.powf": _ieee(math.pow, np.power),
    "math.round": _away_from_zero,
    "math.roundeven": _by_numpy(np.rint),
    "math.rsqrt": _reciprocal_root,
    "math.trunc": _by_numpy(np.trunc),
}
