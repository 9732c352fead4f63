"""Memory: arrays on the stack and the heap, variables at file scope, and the loops that fill and copy.

All memory is flat, of one dimension that is not told by its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import DivUIOp
from xdsl.dialects.builtin import DenseArrayBase, SymbolRefAttr, i32, i64
from xdsl.dialects.memref import AllocaOp, AllocOp, CastOp, GetGlobalOp, LoadOp, StoreOp

from tensorlift.frontends.c.c_types import LONG, UNSIGNED_LONG, ArrayType, CType, FloatType, IntegerType
from tensorlift.readers.clang.context import Allocation, Cell, Context, Pointer, memory_type, pointee
from tensorlift.readers.flow import Flow, Local

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import SSAValue

_BYTE = 8


def on_stack(ctx: Context, element: CType, count: SSAValue, at: FileLineColLoc) -> Pointer:
    """Make memory of a number of elements that lives as long as the function."""
    return _made(ctx, AllocaOp, element, count, at)


def allocated(ctx: Context, element: CType, memory: Allocation, cursor: Any) -> Pointer:
    """Make memory on the heap; the elements that fit in it are its extent."""
    at = ctx.location(cursor)
    count = elements(ctx, memory.size, element, at)
    made = _made(ctx, AllocOp, element, count, at)
    if memory.is_zero:
        zero = ctx.constant(0, element, at)
        fill(ctx, made, count, zero, at)
    return made


def elements(ctx: Context, size: SSAValue, element: CType, at: FileLineColLoc) -> SSAValue:
    """Give how many elements fit in a number of bytes."""
    assert isinstance(element, IntegerType | FloatType)
    width = ctx.constant(element.width // _BYTE, UNSIGNED_LONG, at)
    made = DivUIOp.create(operands=(size, width), result_types=(i64,), location=at)
    ctx.flow.add(made)
    return made.results[0]


def _made(ctx: Context, kind: type[AllocOp | AllocaOp], element: CType, count: SSAValue, at: FileLineColLoc) -> Pointer:
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
    ctx.flow.add(made)
    return made.results[0]


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


def counted(
    ctx: Context, count: SSAValue, at: FileLineColLoc, body: Callable[[SSAValue], None], first: SSAValue | None = None
) -> None:
    """Run a body for each number below a count, from zero or the ``first`` one on."""
    header, inside, after, index = Flow(), Flow(), Flow(), Local(i64, at)
    ctx.flow.write(index, ctx.constant(0, LONG, at) if first is None else first)
    ctx.flow.jump(header, at)
    ctx.flow.start(header)
    ctx.flow.branch(ctx.comparison("<", ctx.flow.read(index), count, UNSIGNED_LONG, at), inside, after, at)
    ctx.flow.start(inside, seal=True)
    now = ctx.flow.read(index)
    body(now)
    ctx.flow.write(index, ctx.arithmetic("+", now, ctx.constant(1, LONG, at), LONG, at))
    ctx.flow.jump(header, at)
    ctx.flow.seal(header)
    ctx.flow.start(after, seal=True)


def global_place(ctx: Context, declaration: Any, cursor: Any) -> Cell:
    """Give the object of a variable at file scope; one that is not constant is memory as any other."""
    ctype = ctx.type_of(declaration)
    element, shape = pointee(ctx, ctype, declaration, declaration.spelling)
    if isinstance(ctype, ArrayType) and None in shape:
        raise ctx.refusal("global", cursor, declaration.spelling)
    known = tuple(extent for extent in shape if extent is not None)
    at = ctx.location(cursor)
    symbol, memory = ctx.unit.memory(declaration)
    got = GetGlobalOp.create(result_types=(memory,), properties={"name": SymbolRefAttr(symbol)}, location=at)
    cast = CastOp.create(operands=got.results, result_types=(memory_type(element),), location=at)
    ctx.flow.add(got)
    ctx.flow.add(cast)
    return Cell(Pointer(cast.results[0], ctx.constant(0, LONG, at), known))
