"""Linalg on memrefs: the loops over an iteration space, in the order of its dimensions.

The dimensions are those of the operands, which mean nothing where they differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import AddfOp, AddiOp, ExtFOp, ExtSIOp, MulfOp, MuliOp
from xdsl.dialects.builtin import IntegerType, MemRefType, i1
from xdsl.dialects.linalg.ops import GenericOp
from xdsl.ir.affine import AffineDimExpr

from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.operations import operation_class
from tensorlift.ir.structured import space_of
from tensorlift.ir.subscripts import ELEMENTWISE, PRODUCTS
from tensorlift.readers.mlir.context import WRAPS
from tensorlift.readers.mlir.memory import everywhere, load, store
from tensorlift.readers.mlir.scalars import applied

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Operation, SSAValue

    from tensorlift.ir.structured import Space
    from tensorlift.readers.mlir.context import Context, Extent, View


_WRAPPING = frozenset({"arith.addi", "arith.subi", "arith.muli"})


def structured(ctx: Context, op: Operation) -> None:
    """Read an operation of Linalg."""
    if op.name == "linalg.index":
        _index(ctx, op)
        return
    space = space_of(op)
    parts: Any = op
    outputs = range(len(op.operands) - len(parts.outputs), len(op.operands))
    if op.results:
        raise ctx.refusal("type", op, "an operation on tensors")
    _check_apart(ctx, op, space, outputs)

    def visit(point: list[SSAValue]) -> None:
        places = [applied(ctx, subscript, point) for subscript in space.maps]
        values = [
            _read(ctx, value, place) if wanted else None
            for value, place, wanted in zip(op.operands, places, _is_read(op), strict=True)
        ]
        made = _region(ctx, op, values, point) if isinstance(op, GenericOp) else [_named(ctx, op, values)]
        for position, value in zip(outputs, made, strict=True):
            store(ctx, value, ctx.view(op.operands[position]), places[position])

    everywhere(ctx, _extents(ctx, op, space), visit)


def _is_read(op: Operation) -> list[bool]:
    """Tell of each operand whether its elements are read: those of an output may have no value before."""
    if isinstance(op, GenericOp):
        return [bool(argument.uses) for argument in op.regions[0].block.args]
    return [True] * (len(op.operands) - 1) + [op.name.removeprefix("linalg.") in PRODUCTS]


def _check_apart(ctx: Context, op: Operation, space: Space, outputs: range) -> None:
    """Refuse what reads other elements of the memory that it writes: no order of the points is then the right one."""
    views = [ctx.view(value) if isinstance(value.type, MemRefType) else None for value in op.operands]
    for output in outputs:
        for other, (view, written) in enumerate((view, views[output]) for view in views):
            if other == output or view is None or written is None or view.memory is not written.memory:
                continue
            is_same = view == written and space.maps[other] == space.maps[output] and not any(space.folded)
            if not is_same and not _are_apart(view, written):
                name = written.memory.name_hint or "memory"
                raise ctx.refusal("memory", op, f"`{op.name}` reads {name} where it writes it")


def _are_apart(one: View, other: View) -> bool:
    """Whether two parts of a memory have no element in common, as one ends before the other begins."""
    for (start, size), (begin, length) in zip(one.part, other.part, strict=False):
        (base, first), (same, second) = _sum(start), _sum(begin)
        ends = (isinstance(size, int) and first + size <= second) or (
            isinstance(length, int) and second + length <= first
        )
        if base is same and ends:
            return True
    return False


def _sum(value: Extent) -> tuple[SSAValue | None, int]:
    """Part a number into a value and what is added to it."""
    if isinstance(value, int):
        return None, value
    number = constant_of(value)
    if number is not None:
        return None, int(number)
    if isinstance(value.owner, AddiOp) and (more := constant_of(value.owner.rhs)) is not None:
        base, first = _sum(value.owner.lhs)
        return base, first + int(more)
    return value, 0


def _extents(ctx: Context, op: Operation, space: Space) -> list[Extent]:
    """Give the extent of each dimension, by the first operand that has it as one of its own."""
    axes = [
        (ctx.view(value), axis, expression)
        for value, subscripts in zip(op.operands, space.maps, strict=True)
        for axis, expression in enumerate(subscripts.results)
    ]
    found: dict[int, Extent] = {}
    for view, axis, expression in axes:
        if isinstance(expression, AffineDimExpr) and expression.position not in found:
            found[expression.position] = ctx.size(view, axis)
    if len(found) < len(space.folded):
        raise ctx.refusal("memory", op, "no operand has a dimension for each of its loops")
    extents = [found[dimension] for dimension in range(len(space.folded))]
    last = [extent - 1 for extent in extents if isinstance(extent, int)]
    for view, axis, expression in axes if len(last) == len(extents) else ():
        extent = view.sizes[axis]
        if not isinstance(extent, int) or expression.eval(last, []) < extent:
            continue
        if isinstance(expression, AffineDimExpr):
            raise ctx.refusal("extents", op, f"{found[expression.position]} and {extent}")
        raise ctx.refusal("memory", op, f"the extent {extent} may be too small for its windows")
    return extents


def _read(ctx: Context, value: SSAValue, place: Sequence[SSAValue]) -> SSAValue:
    return load(ctx, ctx.view(value), place) if isinstance(value.type, MemRefType) else ctx.number(value)


def _region(
    ctx: Context, op: Operation, values: Sequence[SSAValue | None], point: Sequence[SSAValue]
) -> list[SSAValue]:
    block = op.regions[0].block
    read = zip(block.args, values, strict=True)
    ctx.known.update((argument, value) for argument, value in read if value is not None)
    ctx.points[block] = point
    return ctx.numbers(ctx.read(block).operands)


def _named(ctx: Context, op: Operation, values: Sequence[SSAValue | None]) -> SSAValue:
    """Compute an element of an operation without a region."""
    if functions := ELEMENTWISE.get(op.name.removeprefix("linalg.")):
        return _applied(ctx, op, functions, [value for value in values if value is not None])
    left, right, cell = (*values, None)[:3]
    assert left is not None
    if right is None or cell is None:
        output: Any = op.operands[-1].type
        if left.type != output.element_type:
            raise ctx.refusal("type", op, f"`{op.name}` of two types")
        return left
    left, right = (_as_wide(ctx, op, value, cell.type) for value in (left, right))
    if cell.type == i1:
        raise ctx.refusal("type", op, f"`{op.name}` of these types")
    is_integer = isinstance(cell.type, IntegerType)
    times, plus, flags = (MuliOp, AddiOp, WRAPS) if is_integer else (MulfOp, AddfOp, None)
    return ctx.binary(plus, cell, ctx.binary(times, left, right, flags), flags)


def _as_wide(ctx: Context, op: Operation, value: SSAValue, of_type: Attribute) -> SSAValue:
    """Give a factor the type of the sum, which may be wider; integers have signs unless the operation says more."""
    if value.type == of_type:
        return value
    is_integer = isinstance(of_type, IntegerType)
    is_other = isinstance(value.type, IntegerType) is not is_integer or value.type == i1
    if is_other or _bits(value.type) >= _bits(of_type) or {*op.attributes, *op.properties} & {"cast"}:
        raise ctx.refusal("type", op, f"`{op.name}` of these types")
    kind = ExtSIOp if is_integer else ExtFOp
    return ctx.add(kind.create(operands=[value], result_types=[of_type]))


def _bits(of_type: Any) -> int:
    return int(of_type.bitwidth)


def _applied(ctx: Context, op: Operation, functions: tuple[str, str], given: Sequence[SSAValue]) -> SSAValue:
    """Apply the scalar function that an operation is of floats or of integers."""
    output: Any = op.operands[-1].type
    of_type = given[0].type
    name = functions[isinstance(of_type, IntegerType)]
    if not name or of_type == i1 or any(value.type != output.element_type for value in given):
        raise ctx.refusal("type", op, f"`{op.name}` of these types")
    flags: dict[str, Attribute] = {"overflowFlags": WRAPS} if name in _WRAPPING else {}
    return ctx.add(operation_class(name).create(operands=given, result_types=[of_type], properties=flags))


def _index(ctx: Context, op: Operation) -> None:
    part: Any = op
    block = op.parent_block()
    point = ctx.points.get(block, ()) if block is not None else ()
    if part.dim.value.data >= len(point):
        raise ctx.refusal("control", op, "a `linalg.index` is not in an operation with such a dimension")
    ctx.known[op.results[0]] = point[part.dim.value.data]
