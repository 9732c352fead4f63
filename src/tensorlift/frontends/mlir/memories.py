"""Memory: allocations, loads and stores, copies as loops, and memrefs that are another view of the same memory."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from xdsl.dialects import memref
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i32,
)
from xdsl.dialects.func import ReturnOp
from xdsl.ir import BlockArgument, Operation, OpResult

from tensorlift.frontends.mlir.layouts import check_layout
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.translator import check_scalar
from tensorlift.frontends.mlir.values import Memory, Scalar, View
from tensorlift.ir.location import location_of
from tensorlift.poly.affine import ZERO, Affine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.frontends.mlir.translator import Rule, Translator


_ELEMENT = "an element of"
_SHAPED = "`memref.{}` changes the shape of an array"


def static_extents(of_type: Any) -> list[Affine | None]:
    """Give the extents that a memref type states."""
    return [None if extent == DYNAMIC_INDEX else Affine(extent) for extent in of_type.get_shape()]


def check_memref(of_type: Any, op: Operation) -> None:
    """Refuse memrefs that are no plain arrays of numbers."""
    if not isinstance(of_type, MemRefType):
        raise refusal("type", location_of(op), f"the type {of_type}")
    check_scalar(of_type.element_type, op)
    check_layout(of_type, location_of(op))


def _allocate(t: Translator, op: Operation) -> View:
    result: Any = op.results[0]
    check_memref(result.type, op)
    given = iter(t.indices(op.operands, op))
    extents = [next(given) if extent is None else extent for extent in static_extents(result.type)]
    name = t.names.of_local(op)
    marks = {key: op.attributes[key] for key in ("tl.unsigned",) if key in op.attributes}
    made = memref.AllocaOp.create(
        result_types=[MemRefType(result.type.element_type, [DYNAMIC_INDEX] * len(extents))],
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [0, 0])},
    )
    value = t.emit_value(made, op)
    value.name_hint = name
    memory = Memory(name, result.type.element_type, list(extents), value, location_of(op), marks)
    t.memories.append(memory)
    if any(isinstance(use.operation, ReturnOp) for use in result.uses):
        _clear(t, memory, op)
    return View.whole(memory)


def _clear(t: Translator, memory: Memory, op: Operation) -> None:
    """Fill an array that is given out with zeros, as good as any values where nothing is stored."""
    element: Any = memory.element
    zero = IntegerAttr(0, element) if isinstance(element, IntegerType) else FloatAttr(0.0, element)
    whole = View.whole(memory)
    extents = [t.extent(whole, dimension, op) for dimension in range(len(memory.extents))]
    _everywhere(t, extents, op, lambda place: t.store(t.emit_value(ConstantOp(zero), op), whole, place, op))


def _everywhere(
    t: Translator, extents: Sequence[Affine], op: Operation, visit: Callable[[tuple[Affine, ...]], None]
) -> None:
    """Visit each place of a box in loops."""
    with ExitStack() as stack:
        loops = [stack.enter_context(t.loop("i", (ZERO,), (extent,), 1, op)) for extent in extents]
        visit(tuple(Affine.var(loop.variable) for loop in loops))


def _affine_access(store: bool) -> Rule:  # noqa: FBT001 - makes one of two handlers
    def handle(t: Translator, op: Operation) -> Scalar | None:
        subscript: Any = op.properties["map"]
        operands = t.indices(op.operands[1 + store :], op)
        dims, symbols = operands[: subscript.data.num_dims], operands[subscript.data.num_dims :]
        indices = tuple(t.atoms.applied(result, dims, symbols) for result in subscript.data.results)
        return _access(t, op, indices, store=store)

    return handle


def _plain_access(store: bool) -> Rule:  # noqa: FBT001 - makes one of two handlers
    def handle(t: Translator, op: Operation) -> Scalar | None:
        gathered = None if store else _gathered(t, op)
        return gathered or _access(t, op, tuple(t.indices(op.operands[1 + store :], op)), store=store)

    return handle


def _gathered(t: Translator, op: Operation) -> Scalar | None:
    """Read a whole array of one dimension at a place that depends on data; None where it is another access."""
    view = t.view(op.operands[0])
    if len(view.axes) != 1 or view != View.whole(view.memory) or not isinstance(view.memory.value, BlockArgument):
        return None
    place = t.scalar(op.operands[1])
    cast = place.value.owner if isinstance(place.value, OpResult) and place.index is None else None
    if place.value is None or cast is None or cast.name != "arith.index_cast" or not place.why[1].startswith(_ELEMENT):
        return None
    t.extent(view, 0, op)
    made = memref.LoadOp.create(operands=[view.memory.value, place.value], result_types=[view.memory.element])
    return Scalar(t.emit_value(made, op), why=("data", f"{_ELEMENT} {view.memory.name}"))


def _access(t: Translator, op: Operation, indices: tuple[Affine, ...], *, store: bool) -> Scalar | None:
    view = t.view(op.operands[int(store)])
    if not store:
        return Scalar(t.load(view, indices, op), why=("data", f"{_ELEMENT} {view.memory.name}"))
    t.store(t.number(op.operands[0], op), view, indices, op)
    return None


def _extent(t: Translator, op: Operation) -> Scalar:
    axis = t.index(op.operands[1], op)
    view = t.view(op.operands[0])
    if axis.terms or not 0 <= axis.constant < len(view.extents):
        raise refusal("memory", location_of(op), "the dimension that is asked for is not a constant of the type")
    return Scalar(index=t.extent(view, axis.constant, op))


def _copy(t: Translator, op: Operation) -> None:
    """Copy element by element."""
    source, target = t.view(op.operands[0]), t.view(op.operands[1])
    if source.memory is target.memory:
        if source == target:
            return
        raise refusal("memory", location_of(op), f"a copy between parts of {source.memory.name} is not lifted")
    extents = [t.extent(source, dimension, op) for dimension in range(len(source.extents))]
    _everywhere(t, extents, op, lambda place: t.store(t.load(source, place, op), target, place, op))


def _cast(t: Translator, op: Operation) -> View:
    check_memref(op.results[0].type, op)
    view = t.view(op.operands[0])
    if len(static_extents(op.results[0].type)) != len(view.extents):
        raise refusal("memory", location_of(op), "a cast to another rank is not lifted")
    return view


def _subview(t: Translator, op: Operation) -> View:
    part: Any = op
    view = t.view(part.source)
    offsets, extents, steps = (
        _mixed(t, static, dynamic, op)
        for static, dynamic in (
            (part.static_offsets, part.offsets),
            (part.static_sizes, part.sizes),
            (part.static_strides, part.strides),
        )
    )
    kept = _kept(part.static_sizes, len(static_extents(op.results[0].type)), op)
    if any(step.terms or step.constant < 1 for step in steps):
        raise refusal("memory", location_of(op), "a subview with a stride that is no positive constant is not lifted")
    places = view.at(tuple(offsets))
    strides = list(view.steps)
    for axis, step in zip(view.axes, steps, strict=True):
        strides[axis] *= step.constant
    axes = tuple(view.axes[k] for k in kept)
    return View(view.memory, places, tuple(strides), tuple(extents[k] for k in kept), axes)


def _collapse(t: Translator, op: Operation) -> View:
    """See an array without axes of one position: each group of axes has at most one other."""
    part: Any = op
    extents = part.src.type.get_shape()
    view = t.view(part.src)
    groups = [[number.value.data for number in group] for group in part.reassociation]
    wide = [[axis for axis in group if extents[axis] != 1] or group[:1] for group in groups]
    if any(len(group) != 1 for group in wide):
        _refused(_SHAPED.format("collapse_shape"))(t, op)
    kept = [axis for (axis,) in wide]
    axes = tuple(view.axes[axis] for axis in kept)
    return View(view.memory, view.offsets, view.steps, tuple(view.extents[k] for k in kept), axes)


def _kept(sizes: Any, rank: int, op: Operation) -> list[int]:
    """List the dimensions that a subview keeps: one of lower rank drops all that are one element wide."""
    wide = [k for k, size in enumerate(sizes.iter_values()) if size != 1]
    if rank == len(sizes):
        return list(range(rank))
    if rank != len(wide):
        raise refusal(
            "memory", location_of(op), "a subview that drops some of its dimensions of extent 1 is not lifted"
        )
    return wide


def _mixed(t: Translator, static: Any, dynamic: Any, op: Operation) -> list[Affine]:
    given = iter(t.indices(dynamic, op))
    return [next(given) if value == DYNAMIC_INDEX else Affine(value) for value in static.iter_values()]


def _free(t: Translator, op: Operation) -> None:
    """Skip the end of memory that was made here; to end that of the caller is an effect."""
    if not isinstance(t.view(op.operands[0]).memory.value.owner, Operation):
        raise refusal("memory", location_of(op), "`memref.dealloc` of an argument frees the caller's memory")


def _refused(message: str) -> Rule:
    def handle(_: Translator, op: Operation) -> None:
        raise refusal("memory", location_of(op), message)

    return handle


def _global(_: Translator, op: Operation) -> None:
    named: Any = op.properties["name"]
    raise refusal(
        "memory", location_of(op), f"the global `{named.string_value()}` is not lifted: pass it as an argument"
    )


def _aligned(t: Translator, op: Operation) -> View:
    return t.view(op.operands[0])


MEMORIES: dict[str, Rule] = {
    "affine.load": _affine_access(store=False),
    "affine.store": _affine_access(store=True),
    "memref.alloc": _allocate,
    "memref.alloca": _allocate,
    "memref.assume_alignment": _aligned,
    "memref.cast": _cast,
    "memref.collapse_shape": _collapse,
    "memref.copy": _copy,
    "memref.dealloc": _free,
    "memref.dim": _extent,
    "memref.get_global": _global,
    "memref.load": _plain_access(store=False),
    "memref.store": _plain_access(store=True),
    "memref.subview": _subview,
    **{
        f"memref.{name}": _refused(_SHAPED.format(name))
        for name in ("reinterpret_cast", "expand_shape", "extract_strided_metadata", "view")
    },
}
