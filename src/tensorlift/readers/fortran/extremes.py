"""Intrinsic functions of Fortran for extremes of arrays and their places, `maxval` to `minloc`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.constants import limit
from tensorlift.ops.c_types import BOOL, INT, LONG, IntegerType
from tensorlift.readers.flow import Local
from tensorlift.readers.fortran.arrays import element
from tensorlift.readers.fortran.context import local_type
from tensorlift.readers.fortran.elemental import MAX, MIN
from tensorlift.readers.fortran.inquiries import as_integer, listed
from tensorlift.readers.fortran.reductions import folded, over, told
from tensorlift.readers.fortran.values import Number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import SSAValue

    from tensorlift.frontends.fortran.symbols import Numeric
    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.elemental import Elemental
    from tensorlift.readers.fortran.values import ArrayLike, Given, Intrinsic, Operand, Size


def _extremum(choose: Elemental, sign: int) -> Intrinsic:
    """Make the rule of `maxval` or `minval`: of nothing it is the number that is least or greatest in its type."""

    def rule(ctx: Context, node: Any, given: Given) -> Operand:
        def of_nothing(ctype: Numeric) -> Number:
            most = limit("huge", ctype)
            if most is None:
                raise ctx.refusal("expression", node)
            if isinstance(ctype, IntegerType):
                return Number(ctype.minimum if sign < 0 else ctype.maximum, ctype)
            return Number(sign * most.value, ctype)

        def join(now: Number, here: Number) -> Number:
            return choose(ctx, (now, here), node)

        array, extents, axis, mask = told(ctx, node, given)
        start = of_nothing(array.ctype)

        def fold(sizes: Sequence[Size], at: Callable[[Sequence[Size]], Number], where: Operand | None) -> Number:
            if start.is_real and where is None:
                return _of_some(ctx, sizes, at, start, join)
            return folded(ctx, sizes, start, lambda now, places: join(now, at(places)), where)

        return over(ctx, array, extents, axis, mask, array.ctype, fold)

    return rule


def _of_some(
    ctx: Context,
    extents: Sequence[Size],
    at: Callable[[Sequence[Size]], Number],
    start: Number,
    join: Callable[[Number, Number], Number],
) -> Number:
    """Fold an array from its first element on, where it has one."""
    local = Local(local_type(start.ctype), ctx.at, ctx.temporary("most"))
    ctx.flow.write(local, ctx.value(start))

    def fold() -> None:
        first = at([0] * len(extents))
        found = folded(ctx, extents, first, lambda now, places: join(now, at(places)), name="most")
        ctx.flow.write(local, ctx.value(found))

    some = [
        ctx.comparison(">=", ctx.size(extent), ctx.constant(1, LONG), LONG)
        for extent in extents
        if not isinstance(extent, int) or extent < 1
    ]
    if not some:
        fold()
        return Number(ctx.flow.read(local), start.ctype)
    condition = some[0]
    for other in some[1:]:
        condition = ctx.operation("arith.andi", (condition, other), i1)
    ctx.choose(condition, fold)
    return Number(ctx.flow.read(local), start.ctype)


def _place_of(operator: str) -> Intrinsic:
    """Make the rule of `maxloc` or `minloc`: the first place of the extreme, zeros where there is nothing."""

    def rule(ctx: Context, node: Any, given: Given) -> Operand:
        array, extents, axis, mask = told(ctx, node, given)
        if array.ctype is BOOL or any(keyword in {"back", "kind"} for keyword, _ in given):
            raise ctx.refusal("expression", node)
        if len(extents) == 1 and mask is None:
            place = _place_in_vector(ctx, array, extents[0], operator)
            return place if axis is not None else listed(ctx, [place], INT)
        if axis is None:
            found = _first(ctx, extents, lambda p: element(ctx, array, p), mask, operator, array.ctype)
            return listed(ctx, found, INT)

        def fold(sizes: Sequence[Size], at: Callable[[Sequence[Size]], Number], where: Operand | None) -> Number:
            return _first(ctx, sizes, at, where, operator, array.ctype)[0]

        return over(ctx, array, extents, axis, mask, INT, fold)

    return rule


def _place_in_vector(ctx: Context, array: ArrayLike, extent: Size, operator: str) -> Number:
    """Search a vector from its second element on."""
    best = Local(local_type(LONG), ctx.at, ctx.temporary("best"))
    none = ctx.constant(0, LONG)
    ctx.flow.write(best, none)

    def visit(place: SSAValue) -> None:
        here, most = element(ctx, array, [place]), element(ctx, array, [ctx.flow.read(best)])
        is_better = ctx.comparison(operator, ctx.value(here), ctx.value(most), array.ctype)
        ctx.choose(is_better, lambda: ctx.flow.write(best, place))

    ctx.count(extent, visit, first=1)
    some = ctx.comparison(">=", ctx.size(extent), ctx.constant(1, LONG), LONG)
    place = ctx.size(ctx.combined("+", ctx.flow.read(best), 1))
    return as_integer(ctx, ctx.operation("arith.select", (some, place, none), local_type(LONG)))


def _first(  # noqa: PLR0913, PLR0917 - over what, and how
    ctx: Context,
    extents: Sequence[Size],
    at: Callable[[Sequence[Size]], Number],
    mask: Operand | None,
    operator: str,
    ctype: Numeric,
) -> list[Number]:
    """Search an array in the order of Fortran, the first dimension fastest, where a mask holds."""
    none = ctx.constant(0, LONG)
    best = [Local(local_type(LONG), ctx.at, ctx.temporary("best")) for _ in extents]
    for local in best:
        ctx.flow.write(local, none)
    most = Local(local_type(ctype), ctx.at, ctx.temporary("most"))
    ctx.flow.write(most, ctx.constant(0, ctype))

    def visit(turned: list[Size]) -> None:
        places = turned[::-1]

        def compare() -> None:
            here = at(places)
            is_first = ctx.comparison("==", ctx.flow.read(best[0]), none, LONG)
            is_better = ctx.comparison(operator, ctx.value(here), ctx.flow.read(most), here.ctype)

            def keep() -> None:
                ctx.flow.write(most, ctx.value(here))
                for local, place in zip(best, places, strict=True):
                    ctx.flow.write(local, ctx.size(ctx.combined("+", place, 1)))

            ctx.choose(ctx.operation("arith.ori", (is_first, is_better), i1), keep)

        if mask is None:
            compare()
        else:
            ctx.choose(ctx.value(element(ctx, mask, places)), compare)

    ctx.everywhere(extents[::-1], visit)
    return [as_integer(ctx, ctx.flow.read(local)) for local in best]


EXTREMES: Mapping[str, Intrinsic] = {
    "maxloc": _place_of(">"),
    "minloc": _place_of("<"),
    "maxval": _extremum(MAX, -1),
    "minval": _extremum(MIN, 1),
}
