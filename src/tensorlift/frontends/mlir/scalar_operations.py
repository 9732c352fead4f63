"""The operations on numbers that are taken over as they are."""

from __future__ import annotations

_ARITH = [
    "addf", "subf", "mulf", "divf", "remf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf", "cmpf", "cmpi",
    "select", "andi", "ori", "xori", "shrsi", "shrui", "maxui", "minui", "sitofp", "uitofp", "fptosi", "fptoui", "extf",
    "truncf",
]  # fmt: skip
_MATH = [
    "absf", "absi", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos",
    "cosh", "erf", "exp", "exp2", "expm1", "floor", "fma", "fpowi", "ipowi", "log", "log10", "log1p", "log2", "powf",
    "round", "roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
]  # fmt: skip

SCALAR_OPERATIONS = (*(f"arith.{name}" for name in _ARITH), *(f"math.{name}" for name in _MATH))
