"""Functions of numbers in builtins, math and NumPy, each by its name: one table for each module."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i1

from tensorlift.frontends.python.scalars import DTYPES, float_type
from tensorlift.frontends.python.syntax import COMPARING, KINDS_OF_FLOATS
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, DOUBLE, LONG, FloatType
from tensorlift.ops.scalar_ops import SPELLED
from tensorlift.readers.python.numbers import chosen, compare, counted, floating, integer, joined, negated, test, unary
from tensorlift.readers.python.values import Number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import CNumber

    Apply = Callable[[Context, Sequence[Number]], Number]

_OPERATIONS = {
    "fabs": "math.absf", "floor": "math.floor", "ceil": "math.ceil", "trunc": "math.trunc", "rint": "math.roundeven",
    "pow": "math.powf", "copysign": "math.copysign", "fmod": "arith.remf", "atan2": "math.atan2",
    "arctan2": "math.atan2",
}  # fmt: skip
_ROUNDED = {"floor", "ceil", "trunc"}  # integers where they come from math
_TO_DEGREES, _TO_RADIANS = (180.0, math.pi), (math.pi, 180.0)  # quotients, in the type of what they scale
_ANGLES = {"degrees": _TO_DEGREES, "rad2deg": _TO_DEGREES, "radians": _TO_RADIANS, "deg2rad": _TO_RADIANS}


def function_of_numbers(module: str, name: str) -> Apply:
    """Find how a function is computed."""
    if module == "":
        return _BUILTINS[name]
    if module == "numpy":
        if name in KINDS_OF_FLOATS:
            return lambda ctx, v: _strong(_is_of_kind(name, ctx, v))
        if name in DTYPES:
            return partial(_cast, DTYPES[name])
        if name in COMPARING:
            return lambda ctx, v: _strong(compare(ctx, COMPARING[name], *v))
        if name in _NUMPY:
            return lambda ctx, v: _strong(_NUMPY[name](ctx, v))
    if name in KINDS_OF_FLOATS:
        return partial(_is_of_kind, name)
    if name in _ANGLES:
        return partial(_scaled, _ANGLES[name], module)
    if name == "hypot":
        return partial(_hypotenuse, module)
    operation = f"math.{SPELLED[module][name]}" if name in SPELLED[module] else _OPERATIONS[name]
    return partial(_float, operation, module, whole=module == "math" and name in _ROUNDED)


def _strong(value: Number) -> Number:
    """Give a number as NumPy's own, as its functions do."""
    return Number(value.value, value.ctype, weak=False, is_test=value.is_test)


def _cast(ctype: CNumber, ctx: Context, values: Sequence[Number]) -> Number:
    return ctx.cast(values[0], ctype)


def _float(operation: str, module: str, ctx: Context, values: Sequence[Number], *, whole: bool) -> Number:
    """Compute in floating point: math in Python's float, NumPy in a type that the operands tell."""
    if len(values) == 1:
        value = counted(ctx, values[0])
        if whole and value.is_integer:
            return Number(value.value, value.ctype, weak=True)
        ctype = _float_type(module, value)
        operands = [ctx.value(ctx.cast(value, ctype))]
    else:
        a, b, common, weak = joined(ctx, values[0], values[1])
        ctype = _float_type(module, Number(a, common, weak))
        operands = [ctx.converted(side, common, ctype) for side in (a, b)]
    result = ctx.operation(operation, operands, ir_type(ctype))
    if whole:
        return Number(ctx.converted(result, ctype, LONG), LONG, weak=True)
    return Number(result, ctype, weak=module == "math")


def _scaled(scale: tuple[float, float], module: str, ctx: Context, values: Sequence[Number]) -> Number:
    """Multiply by a quotient of two numbers."""
    value = counted(ctx, values[0])
    ctype = _float_type(module, value)
    assert isinstance(ctype, FloatType)
    numerator, denominator = map(ctype.rounded, scale)
    factor = ctx.constant(ctype.rounded(numerator / denominator), ctype)
    scaled = ctx.arithmetic("*", ctx.value(ctx.cast(value, ctype)), factor, ctype)
    return Number(scaled, ctype, weak=module == "math")


def _hypotenuse(module: str, ctx: Context, values: Sequence[Number]) -> Number:
    """Give the root of the sum of two squares, which a library computes in a way of its own."""
    a, b, common, weak = joined(ctx, values[0], values[1])
    ctype = _float_type(module, Number(a, common, weak))
    x, y = (ctx.converted(side, common, ctype) for side in (a, b))
    total = ctx.arithmetic("+", ctx.arithmetic("*", x, x, ctype), ctx.arithmetic("*", y, y, ctype), ctype)
    return Number(ctx.operation("math.sqrt", (total,), ir_type(ctype)), ctype, weak=module == "math")


def _float_type(module: str, value: Number) -> CNumber:
    return float_type(module, value.ctype, weak=value.weak)


def absolute(ctx: Context, values: Sequence[Number]) -> Number:
    """Give the absolute value."""
    (value,) = values
    if value.is_truth and not value.weak:
        return value
    value = counted(ctx, value)
    own = ctx.value(value)
    if isinstance(value.ctype, FloatType):
        return Number(ctx.operation("math.absf", (own,), ir_type(value.ctype)), value.ctype, value.weak)
    zero = ctx.constant(0, value.ctype)
    if value.weak:
        ctx.require_fit("-", zero, own)
    below = ctx.arithmetic("-", zero, own, value.ctype, weak=value.weak)
    is_below = ctx.comparison("<", own, zero, value.ctype)
    return Number(ctx.operation("arith.select", (is_below, below, own), ir_type(value.ctype)), value.ctype, value.weak)


def extreme_of(name: str, ctx: Context, values: Sequence[Number]) -> Number:
    """Give the lesser or greater of two numbers as Python does: a later one only where it is beyond the earlier."""
    first, second = values
    if first.is_truth and second.is_truth:
        found = _logical("arith.andi" if "min" in name else "arith.ori", ctx, values)
        return replace(found, weak=first.weak and second.weak)
    is_beyond = compare(ctx, "<" if "min" in name else ">", second, first)
    is_either = first.is_truth != second.is_truth  # a number or a truth value, which the front end lets be stored alone
    return chosen(ctx, ctx.test(is_beyond), second, first, in_one_type=is_either)


def extreme_of_numpy(name: str, ctx: Context, values: Sequence[Number]) -> Number:
    """Give the lesser or greater of two numbers as NumPy does: a NaN where one of them is."""
    if all(value.is_truth for value in values):
        return _logical("arith.andi" if "min" in name else "arith.ori", ctx, values)
    if any(value.is_truth for value in values):
        raise ctx.refusal(f"`{name}` of truth values and numbers")
    a, b, ctype, weak = joined(ctx, values[0], values[1])
    if isinstance(ctype, FloatType):
        operation = _EXTREMES[name]
        return Number(ctx.operation(operation, (a, b), ir_type(ctype)), ctype, weak)
    is_beyond = ctx.comparison("<" if "min" in name else ">", a, b, ctype)
    return Number(ctx.operation("arith.select", (is_beyond, a, b), ir_type(ctype)), ctype, weak)


_EXTREMES = {
    **dict.fromkeys(("min", "amin", "minimum"), "arith.minimumf"), "fmin": "arith.minnumf",
    **dict.fromkeys(("max", "amax", "maximum"), "arith.maximumf"), "fmax": "arith.maxnumf",
}  # fmt: skip


def _is_of_kind(name: str, ctx: Context, values: Sequence[Number]) -> Number:
    """Tell whether a number is no number, infinite, or neither; an integer is neither."""
    (value,) = values
    if not isinstance(value.ctype, FloatType):
        return Number(name == "isfinite", BOOL, weak=value.weak, is_test=True)
    if name == "isnan":
        return compare(ctx, "!=", value, value)
    return compare(ctx, "==" if name == "isinf" else "<", absolute(ctx, (value,)), floating(math.inf))


def _to_integer(ctx: Context, values: Sequence[Number]) -> Number:
    return Number(ctx.cast(values[0], LONG).value, LONG, weak=True)


def _to_float(ctx: Context, values: Sequence[Number]) -> Number:
    return Number(ctx.cast(values[0], DOUBLE).value, DOUBLE, weak=True)


def _to_truth(ctx: Context, values: Sequence[Number]) -> Number:
    return test(ctx.test(values[0]), weak=True)


def _rounded(ctx: Context, values: Sequence[Number]) -> Number:
    value = counted(ctx, values[0])
    if value.is_integer:
        return _to_integer(ctx, [value])
    whole = ctx.operation("math.roundeven", (ctx.value(ctx.cast(value, DOUBLE)),), ir_type(DOUBLE))
    return Number(ctx.converted(whole, DOUBLE, LONG), LONG, weak=True)


def _to_even(ctx: Context, values: Sequence[Number]) -> Number:
    value = counted(ctx, values[0])
    if not isinstance(value.ctype, FloatType):
        return value
    return Number(ctx.operation("math.roundeven", (ctx.value(value),), ir_type(value.ctype)), value.ctype)


def _square(ctx: Context, values: Sequence[Number]) -> Number:
    a, b, ctype, weak = joined(ctx, values[0], values[0])
    return Number(ctx.arithmetic("*", a, b, ctype, weak=weak), ctype, weak)


def _negative(ctx: Context, values: Sequence[Number]) -> Number:
    return unary(ctx, ast.USub(), replace(values[0], weak=values[0].weak and not values[0].is_integer))


def _reciprocal(ctx: Context, values: Sequence[Number]) -> Number:
    (value,) = values
    one = ctx.constant(1, value.ctype)
    return Number(ctx.arithmetic("/", one, ctx.value(value), value.ctype), value.ctype)


def _sign(ctx: Context, values: Sequence[Number]) -> Number:
    """Give the sign; what is neither above nor below zero is given back, as a NaN is."""
    value = counted(ctx, values[0])
    zero = integer(0)
    below = ctx.test(compare(ctx, "<", value, zero))
    above = ctx.test(compare(ctx, ">", value, zero))
    return chosen(ctx, above, ctx.cast(integer(1), value.ctype), chosen(ctx, below, integer(-1), value))


def _clip(ctx: Context, values: Sequence[Number]) -> Number:
    lower = extreme_of_numpy("maximum", ctx, values[:2])
    return extreme_of_numpy("minimum", ctx, (lower, values[2]))


def _logical(name: str, ctx: Context, values: Sequence[Number]) -> Number:
    return test(ctx.operation(name, tuple(ctx.test(value) for value in values), i1), weak=False)


def _where(ctx: Context, values: Sequence[Number]) -> Number:
    return chosen(ctx, ctx.test(values[0]), values[1], values[2], in_one_type=True)


_BUILTINS: dict[str, Apply] = {
    "abs": absolute,
    "int": _to_integer,
    "float": _to_float,
    "bool": _to_truth,
    "round": _rounded,
}
_NUMPY: dict[str, Apply] = {
    "abs": absolute,
    "absolute": absolute,
    "sign": _sign,
    "square": _square,
    "negative": _negative,
    "reciprocal": _reciprocal,
    "round": _to_even,
    "around": _to_even,
    "clip": _clip,
    "where": _where,
    "logical_and": partial(_logical, "arith.andi"),
    "logical_or": partial(_logical, "arith.ori"),
    "logical_not": lambda ctx, values: negated(ctx, values[0]),
    **{name: partial(extreme_of_numpy, name) for name in ("minimum", "maximum", "fmin", "fmax")},
}
