"""Intrinsic functions of Fortran that reduce arrays, or along one dimension: sums, counts, products of matrices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.constants import common_type
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, INT, ComplexType, FloatType
from tensorlift.readers.fortran.arrays import conforming, element, extents_of, require_shape, scattered
from tensorlift.readers.fortran.complex_numbers import conjugate, read, write
from tensorlift.readers.fortran.context import variable_of
from tensorlift.readers.fortran.elemental import real_function
from tensorlift.readers.fortran.expressions import arithmetic, value
from tensorlift.readers.fortran.inquiries import dimension_of
from tensorlift.readers.fortran.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import ArrayLike, Given, Intrinsic, Operand, Size


def array_of(ctx: Context, given: Given, node: Any) -> ArrayLike:
    """Read the array that a function reduces or rearranges."""
    found = value(ctx, given[0][1])
    if isinstance(found, Number):
        raise ctx.refusal("expression", node)
    return found


def options(ctx: Context, given: Given, rank: int, node: Any) -> tuple[int | None, Operand | None]:
    """Give the dimension and the mask of a reduction, which may come without keywords."""
    axis, mask = None, None
    for keyword, told in given[1:]:
        found = None if keyword == "dim" else value(ctx, told)
        if keyword == "mask" or (not keyword and found is not None and found.ctype is BOOL):
            mask = found
        elif keyword in {"", "dim"} and axis is None:
            axis = dimension_of(ctx, told, rank, node)
        else:
            raise ctx.refusal("expression", node)
    return axis, mask


def folded(  # noqa: PLR0913, PLR0917 - over what, from what, and how
    ctx: Context,
    extents: Sequence[Size],
    start: Number,
    step: Callable[[Number, Sequence[Size]], Number],
    mask: Operand | None = None,
    name: str = "sum",
) -> Number:
    """Fold over the places of a box, only those where a mask holds."""
    total = variable_of(ctx.temporary(name), start.ctype, ctx.at)
    write(ctx, total, start)

    def visit(places: list[Size]) -> None:
        def follow() -> None:
            write(ctx, total, step(read(ctx, total), places))

        if mask is None:
            follow()
        else:
            ctx.choose(ctx.value(element(ctx, mask, places)), follow)

    ctx.everywhere(extents, visit)
    return read(ctx, total)


def told(ctx: Context, node: Any, given: Given) -> tuple[ArrayLike, tuple[Size, ...], int | None, Operand | None]:
    """Give the array that is reduced, its extents, the dimension along which, and the mask, which has its shape."""
    array = array_of(ctx, given, node)
    extents = extents_of(ctx, array, node)
    axis, mask = options(ctx, given, len(extents), node)
    if isinstance(mask, View | Rule):
        require_shape(ctx, extents, extents_of(ctx, mask, node), node)
    return array, extents, axis, mask


def over(  # noqa: PLR0913, PLR0917 - over what, and how
    ctx: Context,
    array: ArrayLike,
    extents: Sequence[Size],
    axis: int | None,
    mask: Operand | None,
    ctype: Numeric,
    fold: Callable[[Sequence[Size], Callable[[Sequence[Size]], Number], Operand | None], Number],
) -> Operand:
    """Fold all elements, or those along a dimension: ``fold`` takes extents, the element at places, and the mask."""
    if axis is None or len(extents) == 1:
        return fold(extents, lambda places: element(ctx, array, places), mask)
    along = axis

    def at(places: Sequence[Size]) -> Number:
        def here(operand: Operand, inner: Sequence[Size]) -> Number:
            return element(ctx, operand, [*places[:along], *inner, *places[along:]])

        extent = extents[along]
        inside = None if mask is None else Rule((extent,), partial(here, mask), BOOL)
        return fold([extent], partial(here, array), inside)

    rest = (*extents[:along], *extents[along + 1 :])
    return Rule(rest, at, ctype, scattered(array, *([mask] if mask is not None else [])))


def reduced(
    ctx: Context, node: Any, given: Given, start: Callable[[Numeric], Number], join: Callable[[Number, Number], Number]
) -> Operand:
    """Reduce an array, or along one of its dimensions."""
    array, extents, axis, mask = told(ctx, node, given)
    first = start(array.ctype)

    def fold(sizes: Sequence[Size], at: Callable[[Sequence[Size]], Number], where: Operand | None) -> Number:
        return folded(ctx, sizes, first, lambda now, places: join(now, at(places)), where)

    return over(ctx, array, extents, axis, mask, first.ctype, fold)


def _sum(ctx: Context, node: Any, given: Given) -> Operand:
    return reduced(ctx, node, given, lambda t: zero_or_one(0, t), lambda a, b: arithmetic(ctx, "+", a, b))


def _product(ctx: Context, node: Any, given: Given) -> Operand:
    return reduced(ctx, node, given, lambda t: zero_or_one(1, t), lambda a, b: arithmetic(ctx, "*", a, b))


def zero_or_one(number: int, ctype: Numeric) -> Number:
    """Give a small number of a type."""
    if isinstance(ctype, ComplexType):
        return Number((zero_or_one(number, ctype.part), zero_or_one(0, ctype.part)), ctype)
    return Number(float(number) if isinstance(ctype, FloatType) else number, ctype)


def _count(ctx: Context, node: Any, given: Given) -> Operand:
    def join(now: Number, here: Number) -> Number:
        one = ctx.operation("arith.extui", (ctx.value(here),), ir_type(INT))
        return arithmetic(ctx, "+", now, Number(one, INT))

    return reduced(ctx, node, given, lambda _: Number(0, INT), join)


def _quantified(operation: str, start: int) -> Intrinsic:
    def rule(ctx: Context, node: Any, given: Given) -> Operand:
        def join(now: Number, here: Number) -> Number:
            return Number(ctx.operation(operation, (ctx.value(now), ctx.value(here)), i1), BOOL)

        return reduced(ctx, node, given, lambda _: Number(start, BOOL), join)

    return rule


def _dot(ctx: Context, node: Any, given: Given) -> Operand:
    arrays = [value(ctx, argument) for _, argument in given]
    if len(arrays) != 2 or any(isinstance(a, Number) or len(a.extents) != 1 for a in arrays):  # noqa: PLR2004 - two vectors
        raise ctx.refusal("expression", node)
    left, right = (a for a in arrays if not isinstance(a, Number))
    if BOOL in {left.ctype, right.ctype}:
        raise ctx.refusal("expression", node)
    extents = conforming(ctx, [left, right], node)
    ctype = common_type(left.ctype, right.ctype)

    def step(now: Number, places: Sequence[Size]) -> Number:
        first = conjugate(ctx, element(ctx, left, places))
        return arithmetic(ctx, "+", now, arithmetic(ctx, "*", first, element(ctx, right, places)))

    return folded(ctx, extents, zero_or_one(0, ctype), step)


def _norm(ctx: Context, node: Any, given: Given) -> Operand:
    array = array_of(ctx, given, node)
    if not isinstance(array.ctype, FloatType) or len(given) > 1:
        raise ctx.refusal("expression", node)

    def step(now: Number, places: Sequence[Size]) -> Number:
        here = element(ctx, array, places)
        return arithmetic(ctx, "+", now, arithmetic(ctx, "*", here, here))

    squares = folded(ctx, extents_of(ctx, array, node), zero_or_one(0, array.ctype), step)
    return real_function("sqrt")(ctx, [squares], node)


def _matmul(ctx: Context, node: Any, given: Given) -> Operand:
    operands = [value(ctx, argument) for _, argument in given]
    if len(operands) != 2 or any(isinstance(o, Number) or o.ctype is BOOL for o in operands):  # noqa: PLR2004 - two matrices
        raise ctx.refusal("expression", node)
    left, right = (o for o in operands if not isinstance(o, Number))
    rows, columns = extents_of(ctx, left, node), extents_of(ctx, right, node)
    require_shape(ctx, rows[-1:], columns[:1], node)
    ctype = common_type(left.ctype, right.ctype)

    def at(places: Sequence[Size]) -> Number:
        outer, inner = list(places[: len(rows) - 1]), list(places[len(rows) - 1 :])

        def step(now: Number, k: Sequence[Size]) -> Number:
            pair = element(ctx, left, [*outer, *k]), element(ctx, right, [*k, *inner])
            return arithmetic(ctx, "+", now, arithmetic(ctx, "*", *pair))

        return folded(ctx, [rows[-1]], zero_or_one(0, ctype), step)

    return Rule((*rows[:-1], *columns[1:]), at, ctype, scattered(left, right))


REDUCTIONS: Mapping[str, Intrinsic] = {
    "all": _quantified("arith.andi", 1),
    "any": _quantified("arith.ori", 0),
    "count": _count,
    "dot_product": _dot,
    "matmul": _matmul,
    "norm2": _norm,
    "product": _product,
    "sum": _sum,
}
