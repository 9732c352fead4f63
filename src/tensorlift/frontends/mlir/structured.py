"""Linalg on memrefs: an operation becomes the loops over its iteration space, in the order of its dimensions."""

from __future__ import annotations

import re
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import AddfOp, AddiOp, MulfOp, MuliOp
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir.affine import AffineDimExpr

from tensorlift.frontends.mlir.memories import check_memref
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.translator import check_scalar
from tensorlift.frontends.mlir.values import Scalar, View
from tensorlift.ir.location import location_of
from tensorlift.ir.structured import space_of
from tensorlift.ir.subscripts import PRODUCTS
from tensorlift.poly.affine import ZERO, Affine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.frontends.mlir.translator import Translator
    from tensorlift.ir.structured import Space


def translate(t: Translator, op: Operation) -> Scalar | None:
    """Translate an operation of Linalg."""
    if op.name == "linalg.index":
        return _index(t, op)
    space = space_of(op)
    if op.results:
        raise refusal("type", location_of(op), "an operation on tensors")
    for value in op.operands:
        if isinstance(value.type, MemRefType):
            check_memref(value.type, op)
        else:
            check_scalar(value.type, op)
    outputs = _outputs(op)
    _check_apart(t, op, space, outputs)
    extents = _extents(t, op, space)
    with ExitStack() as stack:
        loops = [stack.enter_context(t.loop("i", (ZERO,), (extent,), 1, op)) for extent in extents]
        point = [Affine.var(loop.variable) for loop in loops]
        places = [tuple(t.atoms.applied(e, point, ()) for e in m.results) for m in space.maps]
        read = zip(op.operands, places, _is_read(op), strict=True)
        values = [_read(t, op, value, place) if wanted else None for value, place, wanted in read]
        made = _region(t, op, values, point) if isinstance(op, GenericOp) else [_named(t, op, values)]
        for position, value in zip(outputs, made, strict=True):
            t.store(value, t.view(op.operands[position]), places[position], op)
    return None


def _is_read(op: Operation) -> list[bool]:
    """Tell of each operand whether its cells are read: those of an output may have no value before."""
    if isinstance(op, GenericOp):
        return [bool(argument.uses) for argument in op.regions[0].block.args]
    return [True] * (len(op.operands) - 1) + [op.name.removeprefix("linalg.") in PRODUCTS]


def _outputs(op: Operation) -> range:
    count = len(op.operands)
    structured: Any = op
    return range(count - len(structured.outputs), count)


def _check_apart(t: Translator, op: Operation, space: Space, outputs: range) -> None:
    """Refuse what reads other cells of the memory that it writes: no order of the points is then the right one."""
    views = [t.view(value) if isinstance(value.type, MemRefType) else None for value in op.operands]
    for output in outputs:
        for other, view in enumerate(views):
            written = views[output]
            if other == output or view is None or written is None or view.memory is not written.memory:
                continue
            is_same = view == written and space.maps[other] == space.maps[output] and not any(space.folded)
            if not is_same and not _are_disjoint(t, view, written):
                detail = f"`{op.name}` reads {view.memory.name} where it writes it"
                raise refusal("memory", location_of(op), detail)


def _are_disjoint(t: Translator, one: View, other: View) -> bool:
    """Tell whether two views of a memory have no element in common, as one ends before the other starts."""
    for axis in range(len(one.offsets)):
        for first, second in ((one, other), (other, one)):
            extent = first.extent(axis)
            if extent is None:
                continue
            last = first.offsets[axis] + (extent - 1) * first.steps[axis]
            if t.atoms.is_nonnegative(second.offsets[axis] - last - 1):
                return True
    return False


def _extents(t: Translator, op: Operation, space: Space) -> list[Affine]:
    """Give the extent of each dimension, which all operands must agree on."""
    found: list[Affine | None] = [None] * len(space.folded)
    axes = [
        (t.extent(t.view(value), axis, op), expression)
        for value, subscripts in zip(op.operands, space.maps, strict=True)
        for axis, expression in enumerate(subscripts.results)
    ]
    for extent, expression in axes:
        if isinstance(expression, AffineDimExpr):
            known = found[expression.position]
            if known not in (None, extent):
                raise refusal("extents", location_of(op), f"{_named_as(known)} and {_named_as(extent)}")
            found[expression.position] = extent
    extents = [extent for extent in found if extent is not None]
    if len(extents) < len(found):
        raise refusal("memory", location_of(op), "no operand has a dimension for each of its loops")
    last = [extent - 1 for extent in extents]
    for extent, expression in axes:
        rest = extent - 1 - t.atoms.applied(expression, last, ())
        if rest.terms or rest.constant < 0:
            raise refusal("memory", location_of(op), f"the extent {_named_as(extent)} may be too small for its windows")
    for extent in extents:
        t.use(extent)
    return extents


def _named_as(extent: Affine | None) -> str:
    """Spell an extent without the numbers that make names unique."""
    return re.sub(r"#\d+", "", str(extent))


def _read(t: Translator, op: Operation, value: SSAValue, place: tuple[Affine, ...]) -> SSAValue:
    return t.load(t.view(value), place, op) if isinstance(value.type, MemRefType) else t.number(value, op)


def _region(t: Translator, op: Operation, values: Sequence[SSAValue | None], point: Sequence[Affine]) -> list[SSAValue]:
    block = op.regions[0].block
    for argument, value in zip(block.args, values, strict=True):
        if value is not None:
            t.known[argument] = Scalar(value, why=("data", "an element of an array"))
    t.points[block] = list(point)
    last = t.block(block)
    return [t.number(value, last) for value in last.operands]


def _named(t: Translator, op: Operation, values: Sequence[SSAValue | None]) -> SSAValue:
    """Compute the cell of an operation without a region."""
    left, right, cell = (*values, None)[:3]
    assert left is not None
    if right is None or cell is None:
        output: Any = op.operands[-1].type
        if left.type != output.element_type:
            raise refusal("type", location_of(op), f"`{op.name}` of two types")
        return left
    if left.type != cell.type or right.type != cell.type or isinstance(cell.type, IndexType):
        raise refusal("type", location_of(op), f"`{op.name}` of several types")
    if cell.type == IntegerType(1):
        raise refusal("type", location_of(op), f"`{op.name}` of truth values")
    times, plus = (MuliOp, AddiOp) if isinstance(cell.type, IntegerType) else (MulfOp, AddfOp)
    return t.emit_value(plus(cell, t.emit_value(times(left, right), op)), op)


def _index(t: Translator, op: Operation) -> Scalar:
    structured: Any = op
    block = op.parent_block()
    point = t.points.get(block) if block is not None else None
    dimension = structured.dim.value.data
    if point is None or dimension >= len(point):
        raise refusal("control", location_of(op), "a `linalg.index` is not in an operation with such a dimension")
    return Scalar(index=point[dimension])
