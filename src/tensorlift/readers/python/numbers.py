"""Arithmetic of Python on numbers: operators, comparisons, choices, with the types and the rounding of the language.

Numbers of Python next to numbers of NumPy take their type (NEP 50); integers of NumPy wrap, those of Python have a
precondition that they fit into 64 bits.  ``//`` and ``%`` round down.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import i1

from tensorlift.frontends.python.scalars import DTYPES, compared_in, fits, promoted
from tensorlift.frontends.python.syntax import PLAIN
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.literal_function import UNREAD
from tensorlift.ops.c_types import BOOL, DOUBLE, LONG, FloatType, IntegerType
from tensorlift.readers.python.values import Number

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

    from tensorlift.readers.python.context import Context
    from tensorlift.readers.python.values import CNumber

_BITS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_OF_TRUTHS: dict[type[ast.operator], str] = {
    ast.Add: "arith.ori", ast.Mult: "arith.andi",
    ast.BitAnd: "arith.andi", ast.BitOr: "arith.ori", ast.BitXor: "arith.xori",
}  # fmt: skip
_GROWING = {"+", "-", "*"}
_LARGEST_POWER = 64
INT64 = 1 << 63


def integer(value: int) -> Number:
    """Give an integer of Python that the source states."""
    return Number(value, LONG, weak=True)


def floating(value: float) -> Number:
    """Give a float of Python that the source states."""
    return Number(value, DOUBLE, weak=True)


def test(value: SSAValue, *, weak: bool) -> Number:
    """Give a truth value, of Python where it is ``weak``."""
    return Number(value, BOOL, weak, is_test=True)


def counted(ctx: Context, value: Number) -> Number:
    """Give a truth value of Python as the integer that it is."""
    if not value.is_truth or not value.weak:
        return value
    if value.literal is not None:
        return integer(int(value.literal))
    return Number(ctx.converted(ctx.value(value), BOOL, LONG), LONG, weak=True)


def joined(ctx: Context, left: Number, right: Number) -> tuple[SSAValue, SSAValue, CNumber, bool]:
    """Convert two numbers to their common type; also tell that, and whether it is Python's own."""
    left, right = counted(ctx, left), counted(ctx, right)
    ctype, weak = promoted(left.ctype, left.weak, right.ctype, right.weak)
    return ctx.value(ctx.cast(left, ctype)), ctx.value(ctx.cast(right, ctype)), ctype, weak


def binary(ctx: Context, op: ast.operator, left: Number, right: Number) -> Number:
    """Apply a binary operator of Python."""
    if left.is_truth and right.is_truth:
        found = _of_truths(ctx, op, left, right)
        if found is not None:
            return found
    left, right = counted(ctx, left), counted(ctx, right)
    if left.is_truth and right.is_truth:
        left, right = (ctx.cast(side, DTYPES["int8"]) for side in (left, right))
    match op:
        case ast.Add() | ast.Sub() | ast.Mult():
            return _folded(op, left, right) or _plain(ctx, PLAIN[type(op)], left, right)
        case ast.Div():
            return _quotient(ctx, left, right)
        case ast.FloorDiv() | ast.Mod():
            return _rounded_down(ctx, op, left, right)
        case ast.Pow():
            return power(ctx, left, right)
        case ast.LShift() | ast.RShift():
            return _shifted(ctx, op, left, right)
        case _:
            return _plain(ctx, _BITS[type(op)], left, right)


def _folded(op: ast.operator, left: Number, right: Number) -> Number | None:
    """Compute with integers that the source states."""
    a, b = left.literal, right.literal
    if not (left.weak and right.weak and isinstance(a, int) and isinstance(b, int)):
        return None
    value = a + b if isinstance(op, ast.Add) else a - b if isinstance(op, ast.Sub) else a * b
    return integer(value) if -INT64 <= value < INT64 else None


def _of_truths(ctx: Context, op: ast.operator, left: Number, right: Number) -> Number | None:
    """Apply an operator to two truth values that gives another; those of Python alone are numbers but for bits."""
    weak = left.weak and right.weak
    name = _OF_TRUTHS.get(type(op))
    if name is None or (weak and isinstance(op, ast.Add | ast.Mult)):
        if weak or not isinstance(op, ast.Sub):
            return None
        raise ctx.refusal("a difference of truth values of NumPy")
    return test(ctx.operation(name, (ctx.test(left), ctx.test(right)), i1), weak=weak)


def _plain(ctx: Context, operator: str, left: Number, right: Number) -> Number:
    a, b, ctype, weak = joined(ctx, left, right)
    if weak and ctype == LONG and operator in _GROWING:
        ctx.require_fit(operator, a, b)
    return Number(ctx.arithmetic(operator, a, b, ctype, weak=weak), ctype, weak)


def _shifted(ctx: Context, op: ast.LShift | ast.RShift, left: Number, right: Number) -> Number:
    """Shift: by the width or more nothing is left but the sign; Python raises where it is by less than nothing."""
    a, b, ctype, weak = joined(ctx, left, right)
    assert isinstance(ctype, IntegerType)
    operator = "<<" if isinstance(op, ast.LShift) else ">>"
    unsigned = DTYPES[f"uint{ctype.width}"]
    if weak and operator == "<<" and not ctx.inferred.grows:
        raise ctx.refusal("an integer that may need more than 64 bits")
    if isinstance(right.literal, int) and 0 <= right.literal < ctype.width:
        return Number(ctx.arithmetic(operator, a, b, ctype, weak=weak), ctype, weak)
    zero, width = ctx.constant(0, ctype), ctx.constant(ctype.width, ctype)
    is_inside = ctx.comparison("<", b, width, unsigned)
    if weak and operator == "<<":
        ctx.require(is_inside, f"{UNREAD}a shift by so much")
        return Number(ctx.arithmetic(operator, a, b, ctype, weak=weak), ctype, weak)
    if weak:
        ctx.require(ctx.comparison(">=", b, zero, ctype), "ValueError: a negative shift")
    within = ctx.operation("arith.select", (is_inside, b, zero), ir_type(ctype))
    shifted, rest = ctx.arithmetic(operator, a, within, ctype), zero
    if operator == ">>" and ctype.signed:
        rest = ctx.arithmetic(">>", a, ctx.constant(ctype.width - 1, ctype), ctype)
    return Number(ctx.operation("arith.select", (is_inside, shifted, rest), ir_type(ctype)), ctype, weak)


def _quotient(ctx: Context, left: Number, right: Number) -> Number:
    """Divide as ``/`` does, in floating point; Python raises for a division by zero, NumPy does not."""
    ctype, weak = promoted(left.ctype, left.weak, right.ctype, right.weak)
    ctype = ctype if isinstance(ctype, FloatType) else DOUBLE
    a, b = ctx.value(ctx.cast(left, ctype)), ctx.value(ctx.cast(right, ctype))
    if weak:
        _require_nonzero(ctx, right, b, ctype)
    return Number(ctx.arithmetic("/", a, b, ctype), ctype, weak)


def _require_nonzero(ctx: Context, divisor: Number, value: SSAValue, ctype: CNumber) -> None:
    if not divisor.literal:
        ctx.require(ctx.comparison("!=", value, ctx.constant(0, ctype), ctype), "ZeroDivisionError")


def _rounded_down(ctx: Context, op: ast.operator, left: Number, right: Number) -> Number:
    """Give the quotient that is rounded down, or what it leaves."""
    a, b, ctype, weak = joined(ctx, left, right)
    if isinstance(ctype, FloatType):
        if weak:
            _require_nonzero(ctx, right, b, ctype)
        if right.literal and right.literal > 0:
            return Number(_of_floats(ctx, op, a, b, ctype), ctype, weak)
        is_zero = None if weak or right.literal else ctx.comparison("==", b, ctx.constant(0, ctype), ctype)
        found = _by_any_float(ctx, op, a, b, ctype, is_negative=bool(right.literal))
        if is_zero is not None and isinstance(op, ast.FloorDiv):
            by_zero = ctx.arithmetic("/", a, b, ctype)
            found = ctx.operation("arith.select", (is_zero, by_zero, found), ir_type(ctype))
        return Number(found, ctype, weak)
    if weak:
        _require_nonzero(ctx, right, b, ctype)
    elif not right.literal:
        return Number(_or_zero(ctx, op, a, b, ctype), ctype)
    if isinstance(op, ast.Mod) and (right.literal or 0) > 0 and ctx.is_counted(a):
        return Number(ctx.arithmetic("%", a, b, ctype), ctype, weak)
    return Number(_of_integers(ctx, op, a, b, ctype, weak=weak), ctype, weak)


def _of_integers(  # noqa: PLR0913 - the operands, and whose integers they are
    ctx: Context, op: ast.operator, a: SSAValue, b: SSAValue, ctype: CNumber, *, weak: bool = False
) -> SSAValue:
    quotient = ctx.arithmetic("//", a, b, ctype)
    if isinstance(op, ast.FloorDiv):
        return quotient
    return ctx.arithmetic("-", a, ctx.arithmetic("*", quotient, b, ctype, weak=weak), ctype, weak=weak)


def _or_zero(ctx: Context, op: ast.operator, a: SSAValue, b: SSAValue, ctype: CNumber) -> SSAValue:
    """Divide integers of NumPy, which gives zero for a division by zero."""
    zero, one, of_type = ctx.constant(0, ctype), ctx.constant(1, ctype), ir_type(ctype)
    is_zero = ctx.comparison("==", b, zero, ctype)
    divisor = ctx.operation("arith.select", (is_zero, one, b), of_type)
    return ctx.operation("arith.select", (is_zero, zero, _of_integers(ctx, op, a, divisor, ctype)), of_type)


def _by_any_float(  # noqa: PLR0913 - the operands, and what is known of the divisor
    ctx: Context, op: ast.operator, a: SSAValue, b: SSAValue, ctype: CNumber, *, is_negative: bool
) -> SSAValue:
    """Give the rest with the sign of a divisor other than zero, or the quotient for it (NumPy, ``npy_divmod``)."""
    of_type, zero, one = ir_type(ctype), ctx.constant(0, ctype), ctx.constant(1, ctype)
    rest = ctx.operation("arith.remf", (a, b), of_type)
    is_nonzero = ctx.comparison("!=", rest, zero, ctype)
    if is_negative:
        is_opposite = ctx.comparison(">", rest, zero, ctype)
    else:
        signs = [ctx.comparison("<", side, zero, ctype) for side in (rest, b)]
        is_opposite = ctx.operation("arith.andi", (is_nonzero, ctx.operation("arith.xori", signs, i1)), i1)
    if isinstance(op, ast.Mod):
        moved = ctx.arithmetic("+", rest, b, ctype)
        nearer = ctx.operation("arith.select", (is_opposite, moved, rest), of_type)
        signed = ctx.operation("math.copysign", (rest, b), of_type)  # a zero has the sign of the divisor
        return ctx.operation("arith.select", (is_nonzero, nearer, signed), of_type)
    quotient = ctx.arithmetic("/", ctx.arithmetic("-", a, rest, ctype), b, ctype)
    less = ctx.arithmetic("-", quotient, one, ctype)
    exact = ctx.operation("arith.select", (is_opposite, less, quotient), of_type)
    return ctx.operation("math.roundeven", (exact,), of_type)


def _of_floats(ctx: Context, op: ast.operator, a: SSAValue, b: SSAValue, ctype: CNumber) -> SSAValue:
    """Give the rest, for a divisor above zero, or the quotient that goes with it (CPython, ``float_divmod``)."""
    of_type, zero, one = ir_type(ctype), ctx.constant(0, ctype), ctx.constant(1, ctype)
    rest = ctx.operation("arith.remf", (a, b), of_type)
    is_below = ctx.comparison("<", rest, zero, ctype)
    if isinstance(op, ast.Mod):
        moved = ctx.arithmetic("+", rest, b, ctype)
        positive = ctx.arithmetic("+", rest, zero, ctype)  # so that zero is positive
        return ctx.operation("arith.select", (is_below, moved, positive), of_type)
    quotient = ctx.arithmetic("/", ctx.arithmetic("-", a, rest, ctype), b, ctype)
    less = ctx.arithmetic("-", quotient, one, ctype)
    exact = ctx.operation("arith.select", (is_below, less, quotient), of_type)
    return ctx.operation("math.roundeven", (exact,), of_type)


def power(ctx: Context, base: Number, exponent: Number) -> Number:
    """Raise to a power; integers to one that the source states."""
    ctype, weak = promoted(base.ctype, base.weak, exponent.ctype, exponent.weak)
    literal = exponent.literal
    if base.is_integer and exponent.is_integer:
        if not isinstance(literal, int) or abs(literal) > _LARGEST_POWER or (literal < 0 and not base.weak):
            raise ctx.refusal("a power of integers")
        if literal >= 0:
            return _multiplied(ctx, base if weak else ctx.cast(base, ctype), literal)
        ctype = DOUBLE
    a, b = ctx.value(ctx.cast(base, ctype)), ctx.value(ctx.cast(exponent, ctype))
    return Number(ctx.operation("math.powf", (a, b), ir_type(ctype)), ctype, weak)


def _multiplied(ctx: Context, base: Number, exponent: int) -> Number:
    if exponent == 0:
        return ctx.cast(integer(1), base.ctype) if not base.weak else integer(1)
    result = base
    for _ in range(exponent - 1):
        result = binary(ctx, ast.Mult(), result, base)
    return result


def unary(ctx: Context, op: ast.unaryop, value: Number) -> Number:
    """Apply a sign, or turn the bits of an integer over."""
    if value.is_truth and not value.weak:
        return negated(ctx, value)
    value = counted(ctx, value)
    literal = value.literal
    match op:
        case ast.UAdd():
            return value
        case ast.USub() if literal is not None and (value.weak or isinstance(value.ctype, FloatType)):
            return Number(-literal, value.ctype, value.weak)
        case ast.USub() if isinstance(value.ctype, FloatType):
            return Number(
                ctx.operation("arith.negf", (ctx.value(value),), ir_type(value.ctype)), value.ctype, value.weak
            )
        case ast.USub():
            zero, own = ctx.constant(0, value.ctype), ctx.value(value)
            if value.weak:
                ctx.require_fit("-", zero, own)
            return Number(ctx.arithmetic("-", zero, own, value.ctype, weak=value.weak), value.ctype, value.weak)
        case _:
            ones = (
                ctx.constant(-1, LONG)
                if value.ctype == LONG
                else ctx.converted(ctx.constant(-1, LONG), LONG, value.ctype)
            )
            return Number(ctx.arithmetic("^", ctx.value(value), ones, value.ctype), value.ctype, value.weak)


def negated(ctx: Context, value: Number) -> Number:
    """Give the other truth value."""
    return test(ctx.operation("arith.xori", (ctx.test(value), ctx.truth(value=True)), i1), weak=value.weak)


def compare(ctx: Context, operator: str, left: Number, right: Number) -> Number:
    """Compare two numbers; integers exactly."""
    weak = left.weak and right.weak
    left, right = counted(ctx, left), counted(ctx, right)
    if left.ctype is BOOL and right.ctype is BOOL:
        left, right = (ctx.cast(side, DTYPES["int8"]) for side in (left, right))
    ctype = compared_in(left, right)
    a, b = ctx.value(ctx.cast(left, ctype)), ctx.value(ctx.cast(right, ctype))
    return test(ctx.comparison(operator, a, b, ctype), weak=weak)


def chosen(ctx: Context, condition: SSAValue, then: Number, otherwise: Number, *, in_one_type: bool = False) -> Number:
    """Choose one of two numbers that are both computed, as it is, or ``in_one_type`` as an array has them."""
    if then.is_truth and otherwise.is_truth:
        arms = ctx.test(then), ctx.test(otherwise)
        return test(ctx.operation("arith.select", (condition, *arms), i1), weak=then.weak and otherwise.weak)
    a, b, ctype, weak = joined(ctx, then, otherwise)
    if not in_one_type and not (fits(then, ctype) and fits(otherwise, ctype)):
        raise ctx.refusal("a choice between numbers of several types")
    return Number(ctx.operation("arith.select", (condition, a, b), ir_type(ctype)), ctype, weak)
