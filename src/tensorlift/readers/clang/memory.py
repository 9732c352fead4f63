"""Memory: arrays on the stack and the heap, and the loops that fill and copy.

All memory is flat, of one dimension that is not told by its type.

Pointers: what they are taken for, and how they are compared.

A pointer into one memory is compared by its offset.  Whether two point into one memory is known when all phis are
settled, so that is checked last.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.dialects.arith import ConstantOp, DivUIOp
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i1, i32, i64
from xdsl.dialects.memref import AllocaOp, AllocOp, LoadOp, StoreOp
from xdsl.ir import BlockArgument, Operation

from tensorlift.frontends.c import libclang
from tensorlift.ops.c_types import (
    LONG,
    UNSIGNED_LONG,
    CType,
    NumberType,
    PointerType,
    VoidType,
)
from tensorlift.readers.clang.context import Allocation, Context, Pointer, Value, memory_type, pointee
from tensorlift.readers.clang.members import is_table
from tensorlift.readers.clang.nulls import test_of, test_of_two
from tensorlift.readers.flow import Flow, Local

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import SSAValue


_BYTE = 8


def on_stack(ctx: Context, element: CType, count: SSAValue, at: FileLineColLoc) -> Pointer:
    """Make memory of a number of elements that lives as long as the function."""
    return made_at(ctx, AllocaOp, element, count, at)


def allocated(ctx: Context, element: CType, memory: Allocation, cursor: Any) -> Pointer:
    """Make memory on the heap; the elements that fit in it are its extent."""
    at = ctx.location(cursor)
    count = elements(ctx, memory.size, element, at)
    made = made_at(ctx, AllocOp, element, count, at)
    if memory.is_zero:
        zero = ctx.constant(0, element, at)
        fill(ctx, made, count, zero, at)
    return made


def elements(ctx: Context, size: SSAValue, element: CType, at: FileLineColLoc) -> SSAValue:
    """Give how many elements fit in a number of bytes."""
    assert isinstance(element, NumberType)
    width = ctx.constant(element.width // _BYTE, UNSIGNED_LONG, at)
    made = DivUIOp.create(operands=(size, width), result_types=(i64,), location=at)
    return ctx.flow.value(made)


def power_of_two(value: SSAValue) -> int:
    """Give a power of two of which a number is a multiple, also where it wraps around; 64 at most."""
    op = value.owner
    if isinstance(op, ConstantOp) and isinstance(op.value, IntegerAttr):
        return math.gcd(op.value.value.data, _MOST)
    if not isinstance(op, Operation) or op.name not in _MULTIPLES:
        return 1
    return min(_MULTIPLES[op.name](*map(power_of_two, op.operands)), _MOST)


_MOST = 64
_MULTIPLES: dict[str, Callable[..., int]] = {
    "arith.addi": min,
    "arith.subi": min,
    "arith.muli": lambda left, right: left * right,
    "arith.extsi": lambda operand: operand,
    "arith.extui": lambda operand: operand,
    "arith.trunci": lambda operand: operand,
    "arith.select": lambda _, left, right: min(left, right),
}


def made_at(
    ctx: Context, kind: type[AllocOp | AllocaOp], element: CType, count: SSAValue, at: FileLineColLoc
) -> Pointer:
    """Make memory for so many elements at a place."""
    made = kind.create(
        operands=(ctx.index(count, at),),
        result_types=(memory_type(element),),
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0])},
        location=at,
    )
    ctx.flow.add(made)
    return Pointer(made.results[0], ctx.constant(0, LONG, at))


def load(ctx: Context, base: SSAValue, offset: SSAValue, at: FileLineColLoc) -> SSAValue:
    """Read an element."""
    memory: Any = base.type
    made = LoadOp.create(operands=(base, ctx.index(offset, at)), result_types=(memory.element_type,), location=at)
    return ctx.flow.value(made)


def store(ctx: Context, new: SSAValue, base: SSAValue, offset: SSAValue, at: FileLineColLoc) -> None:
    """Write an element."""
    ctx.flow.add(StoreOp.create(operands=(new, base, ctx.index(offset, at)), location=at))


def fill(ctx: Context, target: Pointer, count: SSAValue, new: SSAValue, at: FileLineColLoc) -> None:
    """Store one value in a number of elements."""

    def body(index: SSAValue) -> None:
        store(ctx, new, target.base, ctx.arithmetic("+", target.offset, index, LONG, at), at)

    counted(ctx, count, at, body)


def copy(ctx: Context, target: Pointer, source: Pointer, count: SSAValue, at: FileLineColLoc) -> None:
    """Copy a number of elements, the first one first."""

    def body(index: SSAValue) -> None:
        found = load(ctx, source.base, ctx.arithmetic("+", source.offset, index, LONG, at), at)
        store(ctx, found, target.base, ctx.arithmetic("+", target.offset, index, LONG, at), at)

    counted(ctx, count, at, body)


def step(ctx: Context, counter: Local, at: FileLineColLoc) -> None:
    """Add one to a counter."""
    now, one = ctx.flow.read(counter), ctx.constant(1, LONG, at)
    ctx.flow.write(counter, ctx.arithmetic("+", now, one, LONG, at))


def counted(
    ctx: Context, count: SSAValue, at: FileLineColLoc, body: Callable[[SSAValue], None], first: SSAValue | None = None
) -> None:
    """Run a body for each number below a count, from zero or the ``first`` one on."""
    header, inside, after, index = Flow(), Flow(), Flow(), Local(i64, at)
    ctx.flow.write(index, ctx.constant(0, LONG, at) if first is None else first)
    ctx.flow.jump(header, at)
    ctx.flow.start(header)
    ctx.flow.branch(ctx.comparison("<", ctx.flow.read(index), count, UNSIGNED_LONG, at), inside, after, at)
    ctx.flow.enter(inside)
    now = ctx.flow.read(index)
    body(now)
    ctx.flow.write(index, ctx.arithmetic("+", now, ctx.constant(1, LONG, at), LONG, at))
    ctx.flow.jump(header, at)
    ctx.flow.seal(header)
    ctx.flow.enter(after)


_NULLS = {CursorKind.CXX_NULL_PTR_LITERAL_EXPR, CursorKind.GNU_NULL_EXPR}


def retyped(ctx: Context, found: Pointer | Allocation, target: PointerType, cursor: Any) -> Value:
    """Take a pointer for one to other objects, which may be made of the same elements in another way."""
    if isinstance(found, Allocation) and isinstance(target.element, VoidType):
        return found
    if isinstance(found, Pointer) and is_table(target):  # and the source is one
        return found
    element, shape = pointee(ctx, target.element, cursor, target.spelling)
    known = tuple(extent for extent in shape if extent is not None)
    if isinstance(found, Allocation):
        if len(known) < len(shape):
            raise ctx.refusal("heap", cursor, "memory of arrays of variable extent")
        made = allocated(ctx, element, found, cursor)
        return Pointer(made.base, made.offset, known)
    if memory_type(element) != found.base.type:
        detail = f"a pointer is converted to `{target.spelling}`, whose elements are of another type"
        raise ctx.refusal("pointer-type", cursor, detail)
    return replace(found, shape=known if len(known) == len(shape) else found.shape)


def difference(ctx: Context, left: Pointer, right: Pointer, cursor: Any) -> SSAValue:
    """Subtract pointers into one memory."""
    at = ctx.location(cursor)
    same_base(ctx, left, right, cursor)
    distance = ctx.arithmetic("-", left.offset, right.offset, LONG, at)
    for extent in left.shape:
        distance = ctx.arithmetic("/", distance, ctx.extent(extent, at), LONG, at)
    return distance


def same_base(ctx: Context, left: Pointer, right: Pointer, cursor: Any) -> None:
    """Demand that two pointers point into one memory; where that is not known yet, it is when all phis are settled."""

    def check() -> None:
        if ctx.flow.settled(left.base) is not ctx.flow.settled(right.base):
            raise ctx.refusal("pointer-compared", cursor, "pointers into different arrays are compared")

    entry = ctx.flow.entry.block
    if all(isinstance(one.base, BlockArgument) and one.base.block is entry for one in (left, right)):
        check()
    ctx.checks.append(check)


def is_null(ctx: Context, found: Pointer, cursor: Any, *, null: bool) -> SSAValue:
    """Test whether a pointer is null, or is not."""
    at = ctx.location(cursor)
    tested = ctx.flow.value(test_of(found.base, at))
    return tested if null else ctx.operation("arith.xori", (tested, ctx.truth(1, at)), i1, at)


def are_same(ctx: Context, one: Pointer, other: Pointer, cursor: Any, *, same: bool) -> SSAValue:
    """Test whether two pointers are the same, or are not."""
    parts = (one.base, one.offset, other.base, other.offset)
    are_tables = bool(one.shape and other.shape)
    return ctx.flow.value(test_of_two(parts, ctx.location(cursor), same=same, are_tables=are_tables))


def null_pointer(ctx: Context, target: PointerType, cursor: Any) -> Pointer:
    """Give the null pointer: nothing can be read or written there, and what may be null is not compared."""
    at, (element, shape) = ctx.location(cursor), pointee(ctx, target.element, cursor, target.spelling)
    known = tuple(extent for extent in shape if extent is not None)
    return Pointer(ctx.flow.undefined(memory_type(element), at, "null"), ctx.constant(0, LONG, at), known)


def is_null_constant(cursor: Any) -> bool:
    """Whether an expression is ``0``, ``NULL``, ``nullptr`` or a cast of one."""
    while cursor.kind in libclang.CONVERSIONS:
        children = libclang.expressions(cursor)
        if len(children) != 1:
            return False
        cursor = children[0]
    return cursor.kind in _NULLS or (cursor.kind is CursorKind.INTEGER_LITERAL and libclang.evaluate(cursor) == 0)
