"""Memory: what memrefs are made of, and accesses, which go to the offset plus the sum of subscripts times strides.

How far the elements of an argument are apart is not said, but that none share memory: its strides are arguments of the
function, but for the last one of a memref without a layout, which is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IndexType, MemRefType, NoneAttr, i32, i64
from xdsl.ir import SSAValue

from tensorlift.frontends.mlir.layouts import check_layout
from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.function import OFFSET, ROW, axis_name
from tensorlift.ir.location import location_of
from tensorlift.readers.mlir.context import NSW, WRAPS, View, memory_type, named
from tensorlift.readers.mlir.scalars import applied

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Operation

    from tensorlift.readers.mlir.context import Context, Extent, Rule

_INDEX = IndexType()


def declared(of_type: MemRefType[Any], name: str, add: Callable[[Any, str], SSAValue], op: Operation) -> View:
    """Make the arguments that stand for a memref; its sizes become arguments where they are asked for."""
    check_layout(of_type, location_of(op))
    shape = of_type.get_shape()
    memory, offset = add(memory_type(of_type, op), name), add(i64, f"{name}{OFFSET}")
    is_plain = isinstance(of_type.layout, NoneAttr)
    open_ = len(shape) - 1 if is_plain and shape else len(shape)
    strides: list[Extent] = [add(i64, axis_name(name, axis, ROW)) for axis in range(open_)]
    strides += [1] * (len(shape) - open_)
    sizes = tuple(None if extent == DYNAMIC_INDEX else extent for extent in shape)
    return View(memory, offset, sizes, tuple(strides), name, tuple(range(len(shape))))


def _allocate(ctx: Context, op: Operation) -> None:
    result: Any = op.results[0]
    if not isinstance(result.type.layout, NoneAttr):
        raise ctx.refusal("layout", op, str(result.type))
    if ctx.thread and not isinstance(result.type.memory_space, NoneAttr) and "private" not in str(result.type):
        raise ctx.refusal("memory", op, "threads share this memory")
    given, name = iter(ctx.numbers(op.operands)), ctx.names.of_local(op)
    sizes: list[Extent] = [
        next(given) if extent == DYNAMIC_INDEX else ctx.general.get((name, axis), extent)
        for axis, extent in enumerate(result.type.get_shape())
    ]
    strides: list[Extent] = [1] * len(sizes)
    for axis in reversed(range(len(sizes) - 1)):
        strides[axis] = _product(ctx, strides[axis + 1], sizes[axis + 1])
    count, *others = [ctx.value(extent) for extent in sizes or [1]]
    for extent in others:
        count = ctx.binary(arith.MuliOp, count, extent, WRAPS)
    made = type(op).create(
        operands=[_as_index(ctx, count)],
        result_types=[memory_type(result.type, op)],
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0])},
    )
    memory = ctx.add(made)
    named(memory, name)
    ctx.known[result] = made_here = View(memory, ctx.constant(0), tuple(sizes), tuple(strides))
    ctx.made.append(made_here)


def _free(ctx: Context, op: Operation) -> None:
    view = ctx.view(op.operands[0])
    if view.name is not None:
        raise ctx.refusal("memory", op, "`memref.dealloc` of an argument frees the caller's memory")
    ctx.end(memref.DeallocOp.create(operands=[view.memory]))


# -- accesses


def load(ctx: Context, view: View, indices: Sequence[SSAValue]) -> SSAValue:
    """Read an element."""
    of_type: Any = view.memory.type
    operands = [view.memory, _place(ctx, view, indices)]
    return ctx.add(memref.LoadOp.create(operands=operands, result_types=[of_type.element_type]))


def store(ctx: Context, value: SSAValue, view: View, indices: Sequence[SSAValue]) -> None:
    """Write an element."""
    ctx.end(memref.StoreOp.create(operands=[value, view.memory, _place(ctx, view, indices)]))


def _place(ctx: Context, view: View, indices: Sequence[SSAValue]) -> SSAValue:
    return _as_index(ctx, _moved(ctx, view, indices))


def _moved(ctx: Context, view: View, indices: Sequence[SSAValue]) -> SSAValue:
    """Give the offset of an element."""
    offset = view.offset
    for index, stride, size in zip(indices, view.strides, view.sizes, strict=True):
        moved = _product(ctx, _last(ctx, index, size), stride)
        offset = ctx.binary(arith.AddiOp, offset, ctx.value(moved), WRAPS)
    return offset


def _last(ctx: Context, index: SSAValue, size: Extent | None) -> SSAValue:
    """Give the index of the last element by the size, where that stands for a constant of the source."""
    if not isinstance(size, SSAValue) or size not in ctx.constants or constant_of(index) != ctx.constants[size] - 1:
        return index
    return ctx.binary(arith.SubiOp, size, ctx.constant(1), NSW)


def _product(ctx: Context, one: Extent, other: Extent) -> Extent:
    if isinstance(one, int) and isinstance(other, int):
        return one * other
    if 1 in (one, other):
        return other if one == 1 else one
    return ctx.binary(arith.MuliOp, ctx.value(one), ctx.value(other), WRAPS)


def _as_index(ctx: Context, value: SSAValue) -> SSAValue:
    return ctx.add(arith.IndexCastOp.create(operands=[value], result_types=[_INDEX]))


def _affine_load(ctx: Context, op: Operation) -> None:
    ctx.known[op.results[0]] = load(ctx, ctx.view(op.operands[0]), subscripts_of(ctx, op, 1))


def _affine_store(ctx: Context, op: Operation) -> None:
    store(ctx, ctx.number(op.operands[0]), ctx.view(op.operands[1]), subscripts_of(ctx, op, 2))


def subscripts_of(ctx: Context, op: Operation, first: int) -> list[SSAValue]:
    """Give the subscripts that follow an operation's other operands, which a map may make of them."""
    subscript: Any = op.properties.get("map")
    given = ctx.numbers(op.operands[first:])
    return given if subscript is None else applied(ctx, subscript.data, given)


def _load(ctx: Context, op: Operation) -> None:
    ctx.known[op.results[0]] = load(ctx, ctx.view(op.operands[0]), ctx.numbers(op.operands[1:]))


def _store(ctx: Context, op: Operation) -> None:
    store(ctx, ctx.number(op.operands[0]), ctx.view(op.operands[1]), ctx.numbers(op.operands[2:]))


def everywhere(ctx: Context, extents: Sequence[Extent], visit: Callable[[list[SSAValue]], None]) -> None:
    """Visit each point of a box in loops, in order."""

    def inner(point: list[SSAValue], rest: Sequence[Extent]) -> None:
        if not rest:
            visit(point)
            return
        bounds = ctx.constant(0), ctx.value(rest[0]), ctx.constant(1)

        def body(index: SSAValue, _: list[SSAValue]) -> Sequence[SSAValue]:
            inner([*point, index], rest[1:])
            return ()

        ctx.loop(bounds, {}, body, "i")

    inner([], extents)


def _copy(ctx: Context, op: Operation) -> None:
    """Copy element by element."""
    source, target = ctx.view(op.operands[0]), ctx.view(op.operands[1])
    if source == target:
        return
    if source.memory is target.memory:
        raise ctx.refusal("memory", op, f"a copy between parts of {source.memory.name_hint} is not lifted")
    sizes = [ctx.size(source, axis) for axis in range(len(source.sizes))]
    everywhere(ctx, sizes, lambda point: store(ctx, load(ctx, source, point), target, point))


# -- views


def _size(ctx: Context, op: Operation) -> None:
    view, axis = ctx.view(op.operands[0]), op.operands[1].owner
    number: Any = axis.properties["value"] if isinstance(axis, arith.ConstantOp) else None
    if number is None or not 0 <= number.value.data < len(view.sizes):
        raise ctx.refusal("memory", op, "the dimension that is asked for is not a constant of the type")
    ctx.known[op.results[0]] = ctx.value(ctx.size(view, number.value.data))


def _cast(ctx: Context, op: Operation) -> None:
    result, view = op.results[0].type, ctx.view(op.operands[0])
    if not isinstance(result, MemRefType) or len(result.get_shape()) != len(view.sizes):
        raise ctx.refusal("memory", op, "a cast to another rank is not lifted")
    check_layout(result, location_of(op))
    ctx.known[op.results[0]] = view


def _same(ctx: Context, op: Operation) -> None:
    ctx.known[op.results[0]] = ctx.view(op.operands[0])


def _subview(ctx: Context, op: Operation) -> None:
    part: Any = op
    view = ctx.view(part.source)
    offsets = _mixed(ctx, part.static_offsets, part.offsets)
    sizes = _mixed(ctx, part.static_sizes, part.sizes)
    steps = _mixed(ctx, part.static_strides, part.strides)
    result: Any = op.results[0].type
    wide = [axis for axis, size in enumerate(sizes) if size != 1]
    kept = range(len(sizes)) if len(result.get_shape()) == len(sizes) else wide
    if len(kept) != len(result.get_shape()):
        raise ctx.refusal("memory", op, "a subview that drops some of its dimensions of extent 1 is not lifted")
    offset = _moved(ctx, view, [ctx.value(one) for one in offsets])
    strides = [_product(ctx, stride, step) for stride, step in zip(view.strides, steps, strict=True)]
    is_told = all(step == 1 for step in steps) and view in (*ctx.arguments, *ctx.made)
    ctx.known[op.results[0]] = View(
        view.memory,
        offset,
        tuple(sizes[k] for k in kept),
        tuple(strides[k] for k in kept),
        view.name,
        part=tuple(zip(offsets, sizes, strict=True)) if is_told else (),
    )


def _mixed(ctx: Context, static: Any, dynamic: Sequence[SSAValue]) -> list[Extent]:
    given = iter(ctx.numbers(dynamic))
    return [next(given) if value == DYNAMIC_INDEX else value for value in static.iter_values()]


def _collapse(ctx: Context, op: Operation) -> None:
    """See memory without dimensions of one position: each group of dimensions has at most one other."""
    part: Any = op
    view, extents = ctx.view(part.src), part.src.type.get_shape()
    groups = [[number.value.data for number in group] for group in part.reassociation]
    wide = [[axis for axis in group if extents[axis] != 1] or group[:1] for group in groups]
    if any(len(group) != 1 for group in wide):
        raise ctx.refusal("reshaped", op, op.name)
    kept = [axis for (axis,) in wide]
    axes = tuple(view.axes[k] for k in kept) if view.axes else ()
    sizes, strides = tuple(view.sizes[k] for k in kept), tuple(view.strides[k] for k in kept)
    ctx.known[op.results[0]] = View(view.memory, view.offset, sizes, strides, view.name, axes)


def _reinterpret(ctx: Context, op: Operation) -> None:
    """See memory without rows, all of it, by other sizes and strides."""
    part: Any = op
    view, source = ctx.view(part.source), part.source.type
    if len(view.sizes) > 1 or not isinstance(source.layout, NoneAttr):
        raise ctx.refusal("reshaped", op, op.name)
    (offset,) = _mixed(ctx, part.static_offsets, part.offsets)
    sizes = _mixed(ctx, part.static_sizes, part.sizes)
    strides = _mixed(ctx, part.static_strides, part.strides)
    ctx.known[op.results[0]] = View(view.memory, ctx.value(offset), tuple(sizes), tuple(strides), view.name)


def _reshaped(ctx: Context, op: Operation) -> None:
    raise ctx.refusal("reshaped", op, op.name)


def _global(ctx: Context, op: Operation) -> None:
    named: Any = op.properties["name"]
    raise ctx.refusal("global", op, named.string_value())


MEMORY: dict[str, Rule] = {
    "affine.load": _affine_load,
    "affine.store": _affine_store,
    "memref.alloc": _allocate,
    "memref.alloca": _allocate,
    "memref.assume_alignment": _same,
    "memref.cast": _cast,
    "memref.collapse_shape": _collapse,
    "memref.copy": _copy,
    "memref.dealloc": _free,
    "memref.dim": _size,
    "memref.get_global": _global,
    "memref.load": _load,
    "memref.reinterpret_cast": _reinterpret,
    "memref.store": _store,
    "memref.subview": _subview,
    **{f"memref.{name}": _reshaped for name in ("expand_shape", "extract_strided_metadata", "view")},
}
