"""Intrinsic functions of Fortran for extremes of arrays and their places, `maxval` to `minloc`."""

from __future__ import annotations

from math import inf
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
    from tensorlift.readers.fortran.values import Given, Intrinsic, Operand, Size

    _Element = Callable[[Sequence[Size]], Number]


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

    _if_some(ctx, extents, fold)
    return Number(ctx.flow.read(local), start.ctype)


def _if_some(ctx: Context, extents: Sequence[Size], then: Callable[[], None]) -> None:
    """Read what is done only where a box has places."""
    some = [
        ctx.comparison(">=", ctx.size(extent), ctx.constant(1, LONG), LONG)
        for extent in extents
        if not isinstance(extent, int) or extent < 1
    ]
    if not some:
        then()
        return
    condition = some[0]
    for other in some[1:]:
        condition = ctx.operation("arith.andi", (condition, other), i1)
    ctx.choose(condition, then)


def _place_of(choose: Elemental, operator: str) -> Intrinsic:
    """Make the rule of `maxloc` or `minloc`: the first place of the extreme, zeros where there is nothing."""

    def rule(ctx: Context, node: Any, given: Given) -> Operand:
        array, extents, axis, mask = told(ctx, node, given)
        if array.ctype is BOOL or any(keyword in {"back", "kind"} for keyword, _ in given):
            raise ctx.refusal("expression", node)

        ctype = array.ctype
        ends = (ctype.minimum, ctype.maximum) if isinstance(ctype, IntegerType) else (-inf, inf)

        def join(now: Number, here: Number) -> Number:
            return choose(ctx, (now, here), node)

        def places(
            sizes: Sequence[Size], at: Callable[[Sequence[Size]], Number], where: Operand | None
        ) -> list[Number]:
            if len(sizes) == 1 and where is None:
                return [_place_in_vector(ctx, at, sizes[0], operator)]
            best = [Local(local_type(LONG), ctx.at, ctx.temporary("best")) for _ in sizes]
            for local in best:
                ctx.flow.write(local, ctx.constant(0, LONG))

            def search() -> None:
                start = Number(ends[operator == "<"], ctype)
                most = ctx.value(folded(ctx, sizes, start, lambda now, place: join(now, at(place)), where, "most"))
                _first(ctx, sizes, lambda p: ctx.comparison("==", ctx.value(at(p)), most, ctype), where, best)

            if len(sizes) > 1:  # or there is nothing to divide by
                _if_some(ctx, sizes, search)
            else:
                search()
            return [as_integer(ctx, ctx.flow.read(local)) for local in best]

        if axis is None:
            return listed(ctx, places(extents, lambda place: element(ctx, array, place), mask), INT)
        return over(ctx, array, extents, axis, mask, INT, lambda *one: places(*one)[0])

    return rule


def _place_in_vector(ctx: Context, at: _Element, extent: Size, operator: str) -> Number:
    """Search a vector from its second element on, if it has a first one."""
    best = Local(local_type(LONG), ctx.at, ctx.temporary("best"))
    ctx.flow.write(best, ctx.constant(0, LONG))

    def search() -> None:
        first = at([0])
        most = Local(local_type(first.ctype), ctx.at, ctx.temporary("most"))
        ctx.flow.write(most, ctx.value(first))
        ctx.flow.write(best, ctx.constant(1, LONG))

        def visit(place: SSAValue) -> None:
            here = ctx.value(at([place]))

            def keep() -> None:
                ctx.flow.write(most, here)
                ctx.flow.write(best, ctx.size(ctx.combined("+", place, 1)))

            ctx.choose(ctx.comparison(operator, here, ctx.flow.read(most), first.ctype), keep)

        ctx.count(extent, visit, first=1)

    _if_some(ctx, [extent], search)
    return as_integer(ctx, ctx.flow.read(best))


def _first(
    ctx: Context,
    extents: Sequence[Size],
    is_it: Callable[[Sequence[Size]], SSAValue],
    mask: Operand | None,
    best: Sequence[Local],
) -> None:
    """Write the first place, in the order of Fortran, that is looked for, of those where a mask holds."""
    strides: list[Size] = [1]
    for extent in extents:
        strides.append(ctx.combined("*", strides[-1], extent))
    end = ctx.size(strides.pop())

    def step(now: Number, places: Sequence[Size]) -> Number:
        place: Size = 0
        for index, stride in zip(places, strides, strict=True):
            place = ctx.combined("+", place, ctx.combined("*", index, stride))
        least = ctx.value(MIN(ctx, (now, Number(place, LONG)), None))
        return Number(ctx.operation("arith.select", (is_it(places), least, ctx.value(now)), local_type(LONG)), LONG)

    left = ctx.value(folded(ctx, extents, Number(end, LONG), step, mask, "first"))
    is_there, none = ctx.comparison("<", left, end, LONG), ctx.constant(0, LONG)
    for axis, (extent, local) in enumerate(zip(extents, best, strict=True)):
        place = left
        if axis < len(extents) - 1:
            place = ctx.operation("arith.remsi", (left, ctx.size(extent)), local_type(LONG))
            left = ctx.operation("arith.divsi", (left, ctx.size(extent)), local_type(LONG))
        operands = (is_there, ctx.size(ctx.combined("+", place, 1)), none)
        ctx.flow.write(local, ctx.operation("arith.select", operands, local_type(LONG)))


EXTREMES: Mapping[str, Intrinsic] = {
    "maxloc": _place_of(MAX, ">"),
    "minloc": _place_of(MIN, "<"),
    "maxval": _extremum(MAX, -1),
    "minval": _extremum(MIN, 1),
}
