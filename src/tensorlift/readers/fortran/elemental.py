"""Elemental functions of Fortran: one rule for each, on scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.constants import common_type
from tensorlift.frontends.fortran.symbols import COMPLEX_KINDS, INTEGER_KINDS, REAL_KINDS
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, ComplexType, FloatType
from tensorlift.ops.scalar_ops import REALS
from tensorlift.readers.fortran.bits import BITS
from tensorlift.readers.fortran.complex_numbers import FUNCTIONS, conjugate, size
from tensorlift.readers.fortran.context import local_type, refused_complex
from tensorlift.readers.fortran.values import Number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context

    Elemental = Callable[[Context, Sequence[Number], Any], Number]

KINDS: dict[str, Mapping[int, Numeric]] = {"integer": INTEGER_KINDS, "real": REAL_KINDS, "complex": COMPLEX_KINDS}

# Specific names, for one type each, and the generic ones that they stand for.
SPECIFIC = {
    **{f"d{name}": name for name in REALS},
    "alog": "log", "alog10": "log10", "dabs": "abs", "iabs": "abs", "dsign": "sign", "isign": "sign",
    "dmod": "mod", "amod": "mod", "dmax1": "max", "dmin1": "min", "amax1": "max", "amin1": "min", "max0": "max",
    "min0": "min", "datan2": "atan2", "dint": "aint", "dnint": "anint", "idnint": "nint", "idint": "int",
    "dconjg": "conjg", "dimag": "aimag", "imag": "aimag", "dreal": "real", "cabs": "abs", "zabs": "abs", "cdabs": "abs",
    "cexp": "exp", "zexp": "exp", "cdexp": "exp", "clog": "log", "zlog": "log", "cdlog": "log",
    "ifix": "int", "dfloat": "dble", "float": "real", "sngl": "real", "ddim": "dim", "idim": "dim",
}  # fmt: skip


def joined_type(name: str, types: Sequence[Numeric]) -> Numeric:
    """Give the type of what a function gives for operands of some types."""
    if name == "btest":
        return BOOL
    if name == "merge" or name in BITS:
        return types[0]
    found = types[0]
    if name in {"abs", "aimag"} and isinstance(found, ComplexType):
        return found.part
    for other in types[1:]:
        found = common_type(found, other)
    return found


CONVERSIONS = {
    "int": ("integer", 4), "nint": ("integer", 4), "floor": ("integer", 4), "ceiling": ("integer", 4),
    "real": ("real", 4), "dble": ("real", 8), "cmplx": ("complex", 4), "dcmplx": ("complex", 8),
}  # fmt: skip
_ROUNDED = {"nint": "math.round", "floor": "math.floor", "ceiling": "math.ceil"}


def converted(ctx: Context, name: str, numbers: Sequence[Number], ctype: Numeric) -> Number:
    """Convert to another type: `nint` rounds halves away from zero, `int` towards it; `cmplx` takes both parts."""
    if len(numbers) > 1 and isinstance(ctype, ComplexType):
        re, im = (ctx.cast(number, ctype.part) for number in numbers)
        return Number((re, im), ctype)
    (number,) = numbers
    if name in _ROUNDED and number.is_real:
        rounded = ctx.operation(_ROUNDED[name], (ctx.value(number),), ir_type(number.ctype))
        number = Number(rounded, number.ctype)
    return ctx.cast(number, ctype)


def _common(ctx: Context, numbers: Sequence[Number], node: Any) -> tuple[list[SSAValue], Numeric]:
    """Convert numbers to their common type."""
    if any(number.is_truth for number in numbers):
        raise ctx.refusal("expression", node)
    ctype = joined_type("", [number.ctype for number in numbers])
    return [ctx.value(ctx.cast(number, ctype)) for number in numbers], ctype


def real_function(name: str) -> Elemental:
    """Make the rule of a function of one real."""

    def rule(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
        if isinstance(numbers[0].ctype, ComplexType):
            if name not in FUNCTIONS:
                raise refused_complex(ctx)
            return FUNCTIONS[name](ctx, numbers[0], numbers[0].ctype)
        if len(numbers) != 1 or not numbers[0].is_real:
            raise ctx.refusal("expression", node)
        ctype = numbers[0].ctype
        return Number(ctx.operation(f"math.{name}", (ctx.value(numbers[0]),), ir_type(ctype)), ctype)

    return rule


def _abs(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    (number,) = numbers
    if number.is_truth:
        raise ctx.refusal("expression", node)
    if isinstance(number.ctype, ComplexType):
        return size(ctx, number, number.ctype)
    name = "math.absf" if number.is_real else "math.absi"
    return Number(ctx.operation(name, (ctx.value(number),), ir_type(number.ctype)), number.ctype)


def _conjugate(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    if len(numbers) != 1 or not numbers[0].is_complex:
        raise ctx.refusal("expression", node)
    return conjugate(ctx, numbers[0])


def _imaginary(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    if len(numbers) != 1 or not numbers[0].is_complex:
        raise ctx.refusal("expression", node)
    return numbers[0].parts[1]


def _extreme(real: str, whole: str) -> Elemental:
    def rule(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
        values, ctype = _common(ctx, numbers, node)
        found = values[0]
        for other in values[1:]:
            name = real if isinstance(ctype, FloatType) else whole
            found = ctx.operation(name, (found, other), ir_type(ctype))
        return Number(found, ctype)

    return rule


MAX, MIN = _extreme("arith.maximumf", "arith.maxsi"), _extreme("arith.minimumf", "arith.minsi")


def _sign(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    """Give the size of the first number with the sign of the second one."""
    (a, b), ctype = _common(ctx, numbers, node)
    if isinstance(ctype, FloatType):
        return Number(ctx.operation("math.copysign", (a, b), ir_type(ctype)), ctype)
    size = ctx.operation("math.absi", (a,), ir_type(ctype))
    zero = ctx.constant(0, ctype)
    arms = ctx.arithmetic("-", zero, size, ctype), size
    return Number(ctx.operation("arith.select", (ctx.comparison("<", b, zero, ctype), *arms), ir_type(ctype)), ctype)


def _mod(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    """Give what division towards zero leaves."""
    (a, b), ctype = _common(ctx, numbers, node)
    if isinstance(ctype, FloatType):
        return Number(ctx.operation("arith.remf", (a, b), ir_type(ctype)), ctype)
    return Number(ctx.arithmetic("%", a, b, ctype), ctype)


def _modulo(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    """Give what division downwards leaves; of reals it has the sign of the divisor."""
    (a, b), ctype = _common(ctx, numbers, node)
    if not isinstance(ctype, FloatType):
        whole = ctx.arithmetic("*", ctx.arithmetic("//", a, b, ctype), b, ctype)
        return Number(ctx.arithmetic("-", a, whole, ctype), ctype)
    of_type, zero = ir_type(ctype), ctx.constant(0, ctype)
    rest = ctx.operation("arith.remf", (a, b), of_type)
    is_some = ctx.comparison("!=", rest, zero, ctype)
    signs = [ctx.comparison("<", side, zero, ctype) for side in (rest, b)]
    is_opposite = ctx.operation("arith.andi", (is_some, ctx.operation("arith.xori", signs, i1)), i1)
    moved = ctx.arithmetic("+", rest, b, ctype)
    return Number(ctx.operation("arith.select", (is_opposite, moved, rest), of_type), ctype)


def _dim(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    """Give the difference where it is above zero, else zero."""
    (a, b), ctype = _common(ctx, numbers, node)
    rest, zero = ctx.arithmetic("-", a, b, ctype), ctx.constant(0, ctype)
    if not isinstance(ctype, FloatType):
        return MAX(ctx, [Number(rest, ctype), Number(0, ctype)], node)
    return Number(ctx.operation("arith.select", (ctx.comparison(">", a, b, ctype), rest, zero), ir_type(ctype)), ctype)


def _merge(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    then, otherwise, mask = numbers
    if then.ctype != otherwise.ctype or not mask.is_truth:
        raise ctx.refusal("expression", node)
    arms = ctx.value(then), ctx.value(otherwise)
    return Number(ctx.operation("arith.select", (ctx.value(mask), *arms), local_type(then.ctype)), then.ctype)


def _bits(operator: str) -> Elemental:
    def rule(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
        values, ctype = _common(ctx, numbers, node)
        if isinstance(ctype, FloatType):
            raise ctx.refusal("expression", node)
        return Number(ctx.arithmetic(operator, values[0], values[1], ctype), ctype)

    return rule


def _of_two(name: str) -> Elemental:
    def rule(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
        values, ctype = _common(ctx, numbers, node)
        if not isinstance(ctype, FloatType):
            raise ctx.refusal("expression", node)
        return Number(ctx.operation(name, values, ir_type(ctype)), ctype)

    return rule


def _by_table(ctx: Context, _numbers: Sequence[Number], node: Any) -> Number:
    raise ctx.refusal("expression", node)  # conversions are read before


ELEMENTAL: dict[str, Elemental] = {
    **{name: real_function(name) for name in REALS if name not in {"exp2", "expm1", "log1p", "log2", "cbrt"}},
    **dict.fromkeys(CONVERSIONS, _by_table),
    **BITS,
    "abs": _abs,
    "aimag": _imaginary,
    "aint": real_function("trunc"),
    "anint": real_function("round"),
    "atan2": _of_two("math.atan2"),
    "conjg": _conjugate,
    "dim": _dim,
    "iand": _bits("&"),
    "ieor": _bits("^"),
    "ior": _bits("|"),
    "max": MAX,
    "merge": _merge,
    "min": MIN,
    "mod": _mod,
    "modulo": _modulo,
    "sign": _sign,
}
