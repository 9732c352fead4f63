"""Arrays: their parts, their attributes, and their memory.

A slice ``a[lo:hi]`` of Python cuts off what lies outside of the array and counts negative bounds from the end.  That an
array has as many elements as a constant negative bound counts becomes a precondition; any other bound must be at least
zero.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, TypeAlias

from tensorlift.frontends.python.expressions import (
    DEFINED,
    RULES,
    evaluate,
    is_one,
    named_constant,
)
from tensorlift.frontends.python.places import entries_of
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.frontends.python.scalars import (
    NOWHERE,
    Scalar,
    binary,
    cast,
    integer,
    size_of,
)
from tensorlift.frontends.python.state import shape_of
from tensorlift.frontends.python.syntax import (
    computed_indices,
    counted_from_end,
    indices_of,
    is_ellipsis,
    is_new_axis,
    only_slices,
    without_ellipsis,
)
from tensorlift.frontends.python.values import Array, Operand, Sizes
from tensorlift.ir import nodes
from tensorlift.ops.c_types import BOOL, LONG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.frontends.python.state import Inference
    from tensorlift.frontends.python.values import Extents


# -- parts


def _subscript(ctx: Inference, node: ast.Subscript) -> Operand:
    base = evaluate(ctx, node.value)
    if isinstance(base, Sizes):
        return _item(ctx, base, node)
    if not isinstance(base, Array):
        raise RefusedError("rank", f"`{ast.unparse(node.value)}` is no array")
    indices = evaluated_indices(ctx, node)
    if are_places(base, indices):
        return at_places(ctx, base, node, indices)
    if base.view is None:
        base = in_memory(ctx, base)
    found = part(ctx, base, node, indices)
    if not found.rank:
        return found.item
    if any(map(is_new_axis, indices_of(node))):
        return Array(found.extents, found.item, shows=base.memory)
    if base.is_list and isinstance(node.slice, ast.Slice):  # a new list of the same items
        if found.rank > 1:
            raise RefusedError("index", f"the rows in the slice `{ast.unparse(node)}` are shared")
        return replace(found, memory=None)
    return found


def _item(ctx: Inference, sizes: Sizes, node: ast.Subscript) -> Operand:
    index = evaluate(ctx, node.slice)
    place = index.integer if isinstance(index, Scalar) else None
    if place is None or not -len(sizes.items) <= place < len(sizes.items):
        raise RefusedError("index", f"`{ast.unparse(node)}` is no known extent")
    found = sizes.items[int(place)]
    if isinstance(found, Scalar):
        ctx.mention(ctx.extent(found))
    return found


Indices: TypeAlias = "Mapping[ast.expr, Operand]"


def evaluated_indices(ctx: Inference, node: ast.Subscript) -> Indices:
    """Evaluate the indices of a subscript that are no slices."""
    return {entry: evaluate(ctx, entry) for entry in computed_indices(node)}


def are_places(base: Array, indices: Indices) -> bool:
    """Whether indices are, or hold, arrays of integers."""
    return not base.is_list and any(
        isinstance(index, Array) and index.item.is_integer and index.element != BOOL for index in indices.values()
    )


def at_places(
    ctx: Inference, base: Array, node: ast.Subscript, indices: Indices, stored: Operand | None = None
) -> Operand:
    """Read what an array has at the places in arrays of integers, or store something there."""
    entries, sliced = only_slices(node, base.rank)
    if len(entries) > base.rank:
        raise RefusedError("rank", f"`{ast.unparse(node)}` has {len(entries)} indices for {base.rank} dimensions")
    if any(map(is_new_axis, indices_of(node))):
        raise RefusedError("places", "a subscript with arrays and new axes")
    parts: list[Operand | None] = [None if entry is None else indices[entry] for entry in entries]
    names = entries_of(parts)
    values = {name: index for name, index in zip(names, parts, strict=True) if index is not None}
    base = base if base.view is not None else in_memory(ctx, base)
    whole = base if sliced is None else part(ctx, base, sliced, {})
    given: dict[str, Operand] = {"a": whole, **values}
    if stored is None:
        return DEFINED[0](ctx, node, "a[k]", given, {"entries": names})
    return DEFINED[0](ctx, node, "a[k] = v", {**given, "v": stored}, {"entries": names})


def part(ctx: Inference, base: Array, node: ast.Subscript, indices: Indices, *, is_target: bool = False) -> Array:
    """Select a part of a view; each entry of the index takes one axis, or is a new one of extent one."""
    parts = indices_of(node)
    news = sum(map(is_new_axis, parts))
    with ctx.placed(node):
        if news and not is_target and (base.is_list or any(map(is_ellipsis, parts))):
            raise RefusedError("index", f"the index `{ast.unparse(node.slice)}` is not lifted")
        if base.is_list and len(parts) > 1:
            named = base.memory.name if base.memory is not None else ""
            raise RefusedError("rank", f"the list `{named}` takes one index at a time")
        parts = without_ellipsis(parts, base.rank)
        if len(parts) - news > base.rank:
            detail = f"`{ast.unparse(node)}` has {len(parts)} indices for {base.rank} dimensions"
            raise RefusedError("rank", detail)
    left, extents = list(base.extents), list[nodes.Expression]()
    for entry in parts:
        with ctx.placed(entry):
            if is_new_axis(entry) and not is_target:
                extents.append(nodes.Integer(1, LONG, NOWHERE))
            elif isinstance(entry, ast.Slice):
                extents.append(ctx.extent(_slice(ctx, left.pop(0), entry)))
            else:
                index, extent = _index(ctx, entry, indices.get(entry)), left.pop(0)
                ctx.mention(*[extent] * _is_negative(index))
    return replace(base, extents=(*extents, *left), is_whole=False)


def _index(ctx: Inference, entry: ast.expr, value: Operand | None = None) -> Scalar:
    """Take an index or a bound as it stands, which may be evaluated already."""
    if is_ellipsis(entry) or (isinstance(entry, ast.Constant) and entry.value is None):
        raise RefusedError("index", f"the index `{ast.unparse(entry)}` is not lifted")
    value = evaluate(ctx, entry) if value is None else value
    if isinstance(value, Array) and value.element == BOOL:
        raise RefusedError("mask", ast.unparse(entry))
    if not isinstance(value, Scalar) or value.is_truth:
        raise RefusedError("index-array", ast.unparse(entry))
    if not value.is_integer:
        raise RefusedError("index", f"the index `{ast.unparse(entry)}` is not known to be an integer")
    return value if value.integer is not None else cast(value, LONG)


def _slice(ctx: Inference, extent: nodes.Expression, entry: ast.Slice) -> Scalar:
    """Give how many indices a slice selects; of one whose bounds data say, the reader cuts off what lies outside."""
    step = 1 if entry.step is None else _step(ctx, entry.step)
    whole = size_of(extent)
    if step < 0:
        if entry.lower is not None or entry.upper is not None:
            raise RefusedError("index", f"the slice `{ast.unparse(entry)}` has bounds and a negative step")
        ctx.mention(extent)
        return _in_steps(whole, -step)
    lower = integer(0) if entry.lower is None else _bound(ctx, entry.lower, whole)
    upper = whole if entry.upper is None else _bound(ctx, entry.upper, whole)
    if lower is not None and upper is not None:
        length = upper if entry.lower is None else binary("-", upper, lower)
        if upper.integer is not None and lower.integer is not None:
            length = integer(max(int(upper.integer) - int(lower.integer), 0))
        is_cut = entry.upper is not None and not ctx.may_require_nonnegative(ctx.extent(binary("-", whole, upper)))
        if not is_cut and ctx.may_require_nonnegative(ctx.extent(length)):
            return _in_steps(length, step)
    ctx.mention(extent)
    return Scalar(LONG, weak=True)


def _step(ctx: Inference, node: ast.expr) -> int:
    given = evaluate(ctx, node)
    step = (given.integer if isinstance(given, Scalar) else None) or 0
    if step == 0:
        raise ctx.refusal("index", f"the slice step `{ast.unparse(node)}` is not lifted", node)
    return int(step)


def _bound(ctx: Inference, node: ast.expr, whole: Scalar) -> Scalar | None:
    """Evaluate a bound of a slice, None where it may be negative.

    One that counts from the end must not lie before the start.
    """
    with ctx.placed(node):
        counted = counted_from_end(node)
        if counted is not None:
            value = _index(ctx, counted)
            detail = f"the bound `{ast.unparse(node)}` is not known to count from the end"
            ctx.require_nonnegative(ctx.extent(binary("-", value, integer(1))), ("index", detail))
            value = binary("-", whole, value)
            ctx.require_nonnegative(ctx.extent(value))
            return value
        value = _index(ctx, node)
        if _is_negative(value):
            value = binary("+", whole, value)
            ctx.require_nonnegative(ctx.extent(value))
        elif not ctx.may_require_nonnegative(ctx.extent(value)):
            return None
        return value


def _is_negative(value: Scalar) -> bool:
    return value.integer is not None and value.integer < 0


def _in_steps(extent: Scalar, step: int) -> Scalar:
    """Give how many steps fit into an extent, the first included."""
    return extent if step == 1 else binary("//", binary("+", extent, integer(step - 1)), integer(step))


# -- attributes


def _attribute(ctx: Inference, node: ast.Attribute) -> Operand:
    constant = named_constant(ctx, node)
    if constant is not None:
        return constant
    base = evaluate(ctx, node.value)
    match node.attr, base:
        case "shape", Array():
            return shape_of(base)
        case "T", Array() if base.view is not None:
            return transposed(base)
        case "ndim", Array() if base.view is not None:
            return integer(base.rank)
        case "size", Array() if base.view is not None:
            ctx.mention(*base.extents)
            return count_of(base.extents)
    raise RefusedError("attribute", node.attr)


def transposed(view: Array) -> Array:
    """Turn the axes of a view round."""
    return replace(view, extents=view.extents[::-1], is_whole=False)


def count_of(extents: Extents) -> Scalar:
    """Count the elements of an array of at least one dimension."""
    return reduce(lambda count, extent: binary("*", count, extent), map(size_of, extents))


# -- memory


def in_memory(ctx: Inference, value: Array, name: str = "") -> Array:
    """Store an array into memory of its own, where nothing has."""
    if value.memory is not None:
        return replace(value, is_new=False)
    name = name or ctx.fresh("w")
    made = ctx.made(name, value.element, value.extents)
    if value.is_list:
        made = ctx.listed(made, name, value.item)
    fill(ctx, made, value)
    return replace(made, is_new=False)


def named_memory(ctx: Inference, value: Array, name: str = "") -> Array:
    """Store an array that gets a name into memory of its own; of one that shows another, neither is changed then."""
    made = in_memory(ctx, replace(value, shows=None), name)
    keep_shown(ctx, value, made)
    return made


def keep_shown(ctx: Inference, value: Array, made: Array) -> None:
    """Note that an array which shows another has been made, after which neither is changed."""
    if value.shows is not None:
        ctx.viewed.append(value.shows)
        for memory in (value.shows, made.memory):
            assert memory is not None
            memory.kept = "view", value.shows.name


def fill(ctx: Inference, target: Array, value: Array | Scalar) -> None:
    """Store an array, or one number everywhere, into a view."""
    stores(ctx, target)
    fill_own(ctx, target, value)


def fill_own(ctx: Inference, target: Array, value: Array | Scalar) -> None:
    """Store everywhere into memory of which nobody else has a name."""
    ctx.mention(*target.extents)
    if isinstance(value, Array):
        if value.rank > target.rank:
            raise RefusedError("shape", "the value has more dimensions than the target")
        for mine, given in zip(reversed(target.extents), reversed(value.extents), strict=False):
            if not is_one(given):
                ctx.require_equal(mine, given)
    cast(value.item if isinstance(value, Array) else value, target.element)


def stores(ctx: Inference, target: Array) -> None:
    """Note that an array is written."""
    assert target.memory is not None
    if target.shows is not None:
        raise RefusedError("view", target.shows.name)
    if target.memory.kept is not None:
        raise RefusedError(*target.memory.kept)
    others = [memory for memory in ctx.viewed if memory is not target.memory and memory.name in ctx.kinds]
    if others and target.memory.name in ctx.kinds:  # a call may pass one array as both
        raise RefusedError("view", others[0].name)
    target.memory.written = True
    ctx.written.append(target.memory)


RULES.update({ast.Subscript: _subscript, ast.Attribute: _attribute})
