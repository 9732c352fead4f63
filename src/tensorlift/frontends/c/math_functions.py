"""The functions of <math.h> and <stdlib.h> that have an operation in the loop IR, by their name for ``double``.

A name with suffix ``f`` is the same function for ``float``.
"""

from __future__ import annotations

from tensorlift.ops.scalar_ops import REALS, ROUNDINGS

UNARY_MATH: dict[str, str] = {
    **{name: f"math.{name}" for name in (*REALS, *ROUNDINGS)},
    "fabs": "math.absf",
    "nearbyint": "math.roundeven",
    "rint": "math.roundeven",
}
BINARY_MATH: dict[str, str] = {
    "atan2": "math.atan2",
    "copysign": "math.copysign",
    "fmax": "arith.maxnumf",
    "fmaximum": "arith.maximumf",
    "fmin": "arith.minnumf",
    "fminimum": "arith.minimumf",
    "fmod": "arith.remf",
    "pow": "math.powf",
}
TERNARY_MATH: dict[str, str] = {"fma": "math.fma"}
INTEGER_MATH: dict[str, str] = {"abs": "math.absi", "labs": "math.absi", "llabs": "math.absi"}
TO_INTEGER = {
    "lrint": "rint",
    "llrint": "rint",
    "lround": "round",
    "llround": "round",
}  # by the function that they convert
CLASSIFICATIONS = {"isnan", "isinf", "isfinite", "isinf_sign"}  # the last: GCC's, which glibc has for isinf
_OPERATIONS = UNARY_MATH | BINARY_MATH | TERNARY_MATH | INTEGER_MATH
_OPERATIONS |= {name: _OPERATIONS[rounding] for name, rounding in TO_INTEGER.items()}


def base_name(name: str) -> str:
    """Strip the builtin prefix and the suffix of the ``float`` variant."""
    name = name.removeprefix("__builtin_")
    if name in _OPERATIONS or name in CLASSIFICATIONS:
        return name
    return name[:-1] if name.endswith("f") and name[:-1] in _OPERATIONS else name


def is_math_function(name: str) -> bool:
    """Whether a function has an operation."""
    base = base_name(name)
    return base in _OPERATIONS or base in CLASSIFICATIONS


def operation_of(name: str) -> str:
    """Name the operation of a function; the function must have one."""
    return _OPERATIONS[base_name(name)]
