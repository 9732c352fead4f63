"""Complex numbers of Fortran are their two parts: variables, arithmetic, and functions that take or give them.

Products and quotients are those of the reals; a part that the source states to be nothing takes no operation, as
compilers have it where one operand is real.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.constants import Constant, combined
from tensorlift.frontends.fortran.symbols import COMPLEX_KINDS
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, ComplexType, FloatType
from tensorlift.readers.fortran.context import refused_complex
from tensorlift.readers.fortran.values import Number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import Variable

_JOINED = {"==": "arith.andi", "!=": "arith.ori"}


def read(ctx: Context, variable: Variable) -> Number:
    """Read a variable."""
    found = ctx.flow.read(variable.local)
    if variable.imaginary is None or not isinstance(variable.ctype, ComplexType):
        return Number(found, variable.ctype)
    part = variable.ctype.part
    return Number((Number(found, part), Number(ctx.flow.read(variable.imaginary), part)), variable.ctype)


def write(ctx: Context, variable: Variable, number: Number) -> None:
    """Write a variable, in its type."""
    own = ctx.cast(number, variable.ctype)
    if variable.imaginary is None:
        ctx.flow.write(variable.local, ctx.value(own))
        return
    re, im = (ctx.value(part) for part in own.parts)
    ctx.flow.write(variable.local, re)
    ctx.flow.write(variable.imaginary, im)


def literal(ctx: Context, parts: Sequence[Number], node: Any) -> Number:
    """Read a constant of two parts, of the larger kind of both."""
    if any(part.is_truth or part.is_complex for part in parts):
        raise ctx.refusal("expression", node)
    widest = max((part.ctype.width for part in parts if isinstance(part.ctype, FloatType)), default=32)
    ctype = COMPLEX_KINDS[widest // 8]
    re, im = (ctx.cast(part, ctype.part) for part in parts)
    return Number((re, im), ctype)


def arithmetic(ctx: Context, operator: str, left: Number, right: Number, ctype: ComplexType) -> Number:
    """Add, subtract, multiply or divide."""
    part = ctype.part
    (a, b), (c, d) = ([ctx.cast(one, part) for one in side.parts] for side in (left, right))

    def compute(spelled: str, one: Number, other: Number) -> Number:
        return _real(ctx, spelled, one, other, part)

    if operator in {"+", "-"}:
        return Number((compute(operator, a, c), compute(operator, b, d)), ctype)
    if operator == "*":
        re = compute("-", compute("*", a, c), compute("*", b, d))
        return Number((re, compute("+", compute("*", a, d), compute("*", b, c))), ctype)
    if d.literal == 0:
        return Number((compute("/", a, c), compute("/", b, c)), ctype)
    size = compute("+", compute("*", c, c), compute("*", d, d))
    re = compute("+", compute("*", a, c), compute("*", b, d))
    im = compute("-", compute("*", b, c), compute("*", a, d))
    return Number((compute("/", re, size), compute("/", im, size)), ctype)


def _real(ctx: Context, operator: str, left: Number, right: Number, part: FloatType) -> Number:
    """Compute with parts, of which those that the source states to be nothing take no operation."""
    zero = Number(0.0, part)
    if left.literal is not None and right.literal is not None:
        folded = combined(operator, Constant(left.literal, part), Constant(right.literal, part))
        if folded is not None:
            return Number(folded.value, part)
    if operator == "*" and 0 in {left.literal, right.literal}:
        return zero
    if operator in {"+", "-"} and right.literal == 0:
        return left
    if operator == "+" and left.literal == 0:
        return right
    if operator == "-" and left.literal == 0:
        return negated(ctx, right)
    if operator == "/" and left.literal == 0:
        return zero
    return Number(ctx.arithmetic(operator, ctx.value(left), ctx.value(right), part), part)


def negated(ctx: Context, number: Number) -> Number:
    """Change the sign of a real or of both parts."""
    if isinstance(number.value, tuple):
        re, im = number.value
        return Number((negated(ctx, re), negated(ctx, im)), number.ctype)
    if number.literal is not None:
        return Number(-number.literal, number.ctype)
    return Number(ctx.operation("arith.negf", (ctx.value(number),), ir_type(number.ctype)), number.ctype)


def conjugate(ctx: Context, number: Number) -> Number:
    """Change the sign of the imaginary part."""
    re, im = number.parts
    return Number((re, negated(ctx, im)), number.ctype) if number.is_complex else number


def size(ctx: Context, number: Number, ctype: ComplexType) -> Number:
    """Give the distance from zero."""
    re, im = number.parts
    squares = [_real(ctx, "*", part, part, ctype.part) for part in (re, im)]
    total = ctx.value(_real(ctx, "+", squares[0], squares[1], ctype.part))
    return Number(ctx.operation("math.sqrt", (total,), ir_type(ctype.part)), ctype.part)


def _exponential(ctx: Context, number: Number, ctype: ComplexType) -> Number:
    """Give a number on the circle, times the exponential of the real part."""
    part, of_part = ctype.part, ir_type(ctype.part)
    re, im = number.parts
    turned = [Number(ctx.operation(f"math.{name}", (ctx.value(im),), of_part), part) for name in ("cos", "sin")]
    if re.literal == 0:
        return Number((turned[0], turned[1]), ctype)
    radius = Number(ctx.operation("math.exp", (ctx.value(re),), of_part), part)
    return Number((_real(ctx, "*", radius, turned[0], part), _real(ctx, "*", radius, turned[1], part)), ctype)


def _logarithm(ctx: Context, number: Number, ctype: ComplexType) -> Number:
    """Give the logarithm of the distance from zero, and the angle."""
    re, im = (ctx.value(part) for part in number.parts)
    length = ctx.operation("math.log", (ctx.value(size(ctx, number, ctype)),), ir_type(ctype.part))
    angle = ctx.operation("math.atan2", (im, re), ir_type(ctype.part))
    return Number((Number(length, ctype.part), Number(angle, ctype.part)), ctype)


FUNCTIONS = {"exp": _exponential, "log": _logarithm}


def equal(ctx: Context, operator: str, left: Number, right: Number, ctype: ComplexType) -> Number:
    """Tell whether both parts are equal, or whether one differs."""
    if operator not in _JOINED:
        raise refused_complex(ctx)
    pairs = zip(left.parts, right.parts, strict=True)
    sides = [tuple(ctx.value(ctx.cast(one, ctype.part)) for one in pair) for pair in pairs]
    tests = [ctx.comparison(operator, one, other, ctype.part) for one, other in sides]
    return Number(ctx.operation(_JOINED[operator], tests, i1), BOOL)
