"""Intrinsic functions of Fortran that rearrange arrays: each is a rule for one element, or memory seen anew."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import i1

from tensorlift.frontends.fortran.constants import arguments_of
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.ops.c_types import BOOL, LONG
from tensorlift.readers.flow import Local
from tensorlift.readers.fortran.arrays import count_of, element, extents_of, require_shape, scattered
from tensorlift.readers.fortran.context import DIFFER, local_type
from tensorlift.readers.fortran.expressions import integer, scalar, value
from tensorlift.readers.fortran.inquiries import bounds_of_array, dimension_of
from tensorlift.readers.fortran.reductions import array_of, zero_or_one
from tensorlift.readers.fortran.values import Number, Rule, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.readers.fortran.context import Context
    from tensorlift.readers.fortran.values import ArrayLike, Given, Intrinsic, Operand, Size


def _transpose(ctx: Context, node: Any, given: Given) -> Operand:
    array = array_of(ctx, given, node)
    if len(array.extents) != 2:  # noqa: PLR2004 - a matrix
        raise ctx.refusal("expression", node)
    if isinstance(array, View):
        turned = array.extents[::-1], array.strides[::-1]
        return replace(array, extents=turned[0], strides=turned[1], lower=(1, 1), key=str(node).lower())
    extents = extents_of(ctx, array, node)
    return Rule(extents[::-1], lambda places: element(ctx, array, places[::-1]), array.ctype, scattered(array))


def _spread(ctx: Context, node: Any, given: Given) -> Operand:
    source = value(ctx, given[0][1])
    named = _told(given, "source", "dim", "ncopies")
    if named.keys() != {"source", "dim", "ncopies"}:
        raise ctx.refusal("expression", node)
    extents = () if isinstance(source, Number) else extents_of(ctx, source, node)
    axis = dimension_of(ctx, named["dim"], len(extents) + 1, node)
    copies = ctx.as_size(integer(ctx, named["ncopies"]))
    shape = (*extents[:axis], copies, *extents[axis:])
    return Rule(
        shape,
        lambda places: element(ctx, source, [*places[:axis], *places[axis + 1 :]]),
        source.ctype,
        scattered(source),
    )


def _told(given: Given, *names: str) -> dict[str, Any]:
    """Give arguments by their names, which those without keywords have in this order."""
    return {keyword or names[k]: told for k, (keyword, told) in enumerate(given)}


def _shift(ctx: Context, node: Any, named: Mapping[str, Any]) -> tuple[ArrayLike, tuple[Size, ...], int, Size]:
    """Give the array that is shifted, its extents, and along which dimension by how much."""
    array = array_of(ctx, [("", named["array"])], node)
    extents = extents_of(ctx, array, node)
    axis = dimension_of(ctx, named["dim"], len(extents), node) if "dim" in named else 0
    if "shift" not in named:
        raise ctx.refusal("expression", node)
    return array, extents, axis, ctx.as_size(integer(ctx, named["shift"]))


def _shifted(ctx: Context, node: Any, given: Given) -> Operand:
    """Read `cshift` by one number: along a dimension, round about."""
    array, extents, axis, shift = _shift(ctx, node, _told(given, "array", "shift", "dim"))
    extent = ctx.size(extents[axis])

    def at(places: Sequence[Size]) -> Number:
        moved = ctx.arithmetic("+", ctx.size(places[axis]), ctx.size(shift), LONG)
        whole = ctx.arithmetic("*", ctx.arithmetic("//", moved, extent, LONG), extent, LONG)
        place = ctx.arithmetic("-", moved, whole, LONG)
        return element(ctx, array, [*places[:axis], place, *places[axis + 1 :]])

    return Rule(extents, at, array.ctype, scattered(array), array.room)


def _moved(ctx: Context, node: Any, given: Given) -> Operand:
    """Read `eoshift` by one number: what comes in from beyond the end is zero, or the number that is given."""
    named = _told(given, "array", "shift", "boundary", "dim")
    array, extents, axis, shift = _shift(ctx, node, named)
    beyond = scalar(ctx, named["boundary"]) if "boundary" in named else zero_or_one(0, array.ctype)
    if beyond.ctype != array.ctype:
        raise ctx.refusal("expression", node)

    def at(places: Sequence[Size]) -> Number:
        place = ctx.size(ctx.combined("+", places[axis], shift))
        found = Local(local_type(array.ctype), ctx.at, ctx.temporary("moved"))
        ctx.flow.write(found, ctx.value(beyond))
        tests = (
            ctx.comparison(">=", place, ctx.constant(0, LONG), LONG),
            ctx.comparison("<", place, ctx.size(extents[axis]), LONG),
        )

        def read() -> None:
            here = element(ctx, array, [*places[:axis], place, *places[axis + 1 :]])
            ctx.flow.write(found, ctx.value(here))

        ctx.choose(ctx.operation("arith.andi", tests, i1), read)
        return Number(ctx.flow.read(found), array.ctype)

    return Rule(extents, at, array.ctype, scattered(array), array.room)


def _reshaped(ctx: Context, node: Any, given: Given) -> Operand:
    """Read `reshape`: elements in the order of Fortran, the first dimension fastest."""
    source = array_of(ctx, given, node)
    if len(given) != 2 or given[1][0] not in {"", "shape"}:  # noqa: PLR2004 - a source and a shape
        raise ctx.refusal("expression", node)
    shape = _sizes(ctx, node, given[1][1])
    extents = extents_of(ctx, source, node)
    _require_enough(ctx, extents, shape, node)
    if isinstance(source, View) and len(extents) == 1:
        strides: list[Size] = [source.strides[0]]
        for extent in shape[:-1]:
            strides.append(ctx.combined("*", strides[-1], extent))
        lower: tuple[Size, ...] = (1,) * len(shape)
        return View(source.memory, source.offset, shape, tuple(strides), lower, source.ctype, key=str(node).lower())

    def at(places: Sequence[Size]) -> Number:
        linear: Size = 0
        for place, extent in zip(places[::-1], shape[::-1], strict=True):
            linear = ctx.combined("+", ctx.combined("*", linear, extent), place)
        inner: list[Size] = []
        for extent in extents[:-1]:
            divided = ctx.size(linear), ctx.size(extent)
            inner.append(ctx.arithmetic("%", *divided, LONG))
            linear = ctx.arithmetic("/", *divided, LONG)
        return element(ctx, source, [*inner, linear])

    return Rule(shape, at, source.ctype, scattered(source))


def _sizes(ctx: Context, node: Any, told: Any) -> tuple[Size, ...]:
    """Give the extents that a vector states."""
    if kind_of(told) == "Array_Constructor" and kind_of(told.children[1]) == "Ac_Value_List":
        return tuple(ctx.as_size(integer(ctx, item)) for item in told.children[1].children)
    if kind_of(told) == "Intrinsic_Function_Reference" and str(told.children[0]).lower() == "shape":
        return tuple(extent for _, extent in bounds_of_array(ctx, node, arguments_of(told)[0][1]))
    found = value(ctx, told)
    if isinstance(found, Number) or not isinstance(found.extents[0], int) or len(found.extents) != 1:
        raise ctx.refusal("expression", node)
    return tuple(ctx.as_size(element(ctx, found, [k])) for k in range(found.extents[0]))


def _require_enough(ctx: Context, extents: Sequence[Size], shape: Sequence[Size], node: Any) -> None:
    """Ask that there are as many elements as a shape has."""
    have, need = count_of(ctx, extents), count_of(ctx, shape)
    if isinstance(have, int) and isinstance(need, int):
        if have < need:
            raise ctx.refusal("shape", node, f"{have} and {need} elements")
    elif not ctx.is_same(have, need):
        ctx.require(ctx.comparison(">=", ctx.size(have), ctx.size(need), LONG), DIFFER)


def _packed(ctx: Context, node: Any, given: Given) -> Operand:
    """Read `pack` into memory of its own, whose length is counted."""
    array = array_of(ctx, given, node)
    extents = extents_of(ctx, array, node)
    if len(given) != 2 or given[1][0] not in {"", "mask"}:  # noqa: PLR2004 - an array and a mask
        raise ctx.refusal("expression", node)
    mask = value(ctx, given[1][1])
    if mask.ctype is not BOOL:
        raise ctx.refusal("expression", node)
    if not isinstance(mask, Number):
        require_shape(ctx, extents, extents_of(ctx, mask, node), node)
    most = count_of(ctx, extents)
    made = ctx.array(ctx.temporary("packed"), [most], array.ctype)
    count = Local(local_type(LONG), ctx.at, ctx.temporary("count"))
    ctx.flow.write(count, ctx.constant(0, LONG))

    def visit(turned: list[Size]) -> None:
        places = turned[::-1]

        def keep() -> None:
            ctx.store(made, [ctx.flow.read(count)], element(ctx, array, places))
            ctx.flow.write(count, ctx.size(ctx.combined("+", ctx.flow.read(count), 1)))

        ctx.choose(ctx.value(element(ctx, mask, places)), keep)

    ctx.everywhere(extents[::-1], visit)
    return replace(made, extents=(ctx.flow.read(count),), room=(most,))


REARRANGED: Mapping[str, Intrinsic] = {
    "cshift": _shifted,
    "eoshift": _moved,
    "pack": _packed,
    "reshape": _reshaped,
    "spread": _spread,
    "transpose": _transpose,
}
