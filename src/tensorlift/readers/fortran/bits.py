"""Functions of the bits of integers: shifts by constants, single bits, and fields of bits at constant places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import IntegerOverflowAttr

from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, IntegerType
from tensorlift.readers.fortran.values import Number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.readers.fortran.context import Context

    Elemental = Callable[[Context, Sequence[Number], Any], Number]


def _whole(ctx: Context, number: Number, node: Any) -> IntegerType:
    if number.is_truth or not isinstance(number.ctype, IntegerType):
        raise ctx.refusal("expression", node)
    return number.ctype


def _places(ctx: Context, numbers: Sequence[Number], node: Any, most: int) -> list[int]:
    """Give the constants that follow the first number, each at most so large."""
    found = [number.value for number in numbers[1:]]
    places = [place for place in found if isinstance(place, int) and abs(place) <= most]
    if not places or len(places) < len(found):
        raise ctx.refusal("expression", node)
    return places


def _shifted(ctx: Context, number: Number, name: str, by: int) -> Number:
    """Shift the bits of an integer; nothing is left of as many as it has, but its sign where that is kept."""
    ctype, wraps = number.ctype, {"overflowFlags": IntegerOverflowAttr("none")} if name == "arith.shli" else {}
    assert isinstance(ctype, IntegerType)
    if by >= ctype.width and name != "arith.shrsi":
        return Number(0, ctype)
    amount = ctx.constant(min(by, ctype.width - 1), ctype)
    return Number(ctx.operation(name, (ctx.value(number), amount), ir_type(ctype), **wraps), ctype)


def _combined(ctx: Context, number: Number, operator: str, bits: Number | int) -> Number:
    ctype = number.ctype
    assert isinstance(ctype, IntegerType)
    other = ctx.value(bits) if isinstance(bits, Number) else ctx.constant(ctype.wrap(bits), ctype)
    return Number(ctx.arithmetic(operator, ctx.value(number), other, ctype), ctype)


def _shift(name: str, back: str | None = None) -> Elemental:
    """Make the rule of a shift, which goes back by a negative number where it may."""

    def rule(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
        (by,) = _places(ctx, numbers, node, _whole(ctx, numbers[0], node).width)
        if by < 0 and back is None:
            raise ctx.refusal("expression", node)
        return _shifted(ctx, numbers[0], name if by >= 0 or back is None else back, abs(by))

    return rule


def _bit(change: Callable[[Context, Number, Number], Number]) -> Elemental:
    """Make the rule of a function of one bit, whose place is one of those that the integer has."""

    def rule(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
        ctype, (number, place) = _whole(ctx, numbers[0], node), numbers
        _whole(ctx, place, node)
        if isinstance(place.value, int):
            if not 0 <= place.value < ctype.width:
                raise ctx.refusal("expression", node)
            return change(ctx, number, Number(ctype.wrap(1 << place.value), ctype))
        operands = ctx.constant(1, ctype), ctx.value(ctx.cast(place, ctype))
        bit = ctx.operation("arith.shli", operands, ir_type(ctype), overflowFlags=IntegerOverflowAttr("none"))
        return change(ctx, number, Number(bit, ctype))

    return rule


def _is_set(ctx: Context, number: Number, bit: Number) -> Number:
    ctype, found = number.ctype, _combined(ctx, number, "&", bit)
    return Number(ctx.comparison("!=", ctx.value(found), ctx.constant(0, ctype), ctype), BOOL)


def _cleared(ctx: Context, number: Number, bit: Number) -> Number:
    others = ~bit.value if isinstance(bit.value, int) else _combined(ctx, bit, "^", -1)
    return _combined(ctx, number, "&", others)


def _field(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    """Give so many bits from a place on, as a number from zero on."""
    width = _whole(ctx, numbers[0], node).width
    first, count = _places(ctx, numbers, node, width)
    if min(first, count) < 0 or first + count > width:
        raise ctx.refusal("expression", node)
    return _combined(ctx, _shifted(ctx, numbers[0], "arith.shrui", first), "&", (1 << count) - 1)


def _inverted(ctx: Context, numbers: Sequence[Number], node: Any) -> Number:
    _whole(ctx, numbers[0], node)
    return _combined(ctx, numbers[0], "^", -1)


BITS: Mapping[str, Elemental] = {
    "btest": _bit(_is_set),
    "ibclr": _bit(_cleared),
    "ibits": _field,
    "ibset": _bit(lambda ctx, number, bit: _combined(ctx, number, "|", bit)),
    "ishft": _shift("arith.shli", back="arith.shrui"),
    "not": _inverted,
    "shifta": _shift("arith.shrsi"),
    "shiftl": _shift("arith.shli"),
    "shiftr": _shift("arith.shrui"),
}
