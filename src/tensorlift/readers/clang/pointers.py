"""Pointers: what they are taken for, and how they are compared.

A pointer into one memory is compared by its offset.  Whether two point into one memory is known when all phis are
settled, so that is checked last.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.c_types import LONG, PointerType, VoidType
from tensorlift.readers.clang.context import Allocation, Context, Pointer, Value, memory_type, pointee
from tensorlift.readers.clang.members import is_table
from tensorlift.readers.clang.memory import allocated

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

_WRAPPERS = {CursorKind.PAREN_EXPR, CursorKind.UNEXPOSED_EXPR, CursorKind.CSTYLE_CAST_EXPR}


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
        raise ctx.refusal("pointer", cursor, detail)
    return Pointer(found.base, found.offset, known if len(known) == len(shape) else found.shape)


def difference(ctx: Context, left: Pointer, right: Pointer, cursor: Any) -> SSAValue:
    """Subtract pointers into one memory."""
    at = ctx.location(cursor)
    same_base(ctx, left, right, cursor)
    distance = ctx.arithmetic("-", left.offset, right.offset, LONG, at)
    for extent in left.shape:
        distance = ctx.arithmetic("/", distance, ctx.extent(extent, at), LONG, at)
    return distance


def same_base(ctx: Context, left: Pointer, right: Pointer, cursor: Any) -> None:
    """Demand that two pointers point into one memory, which is known when all phis are settled."""

    def check() -> None:
        if ctx.flow.settled(left.base) is not ctx.flow.settled(right.base):
            raise ctx.refusal("pointer", cursor, "pointers into different arrays are compared")

    ctx.checks.append(check)


def is_null(ctx: Context, found: Pointer, cursor: Any, *, null: bool) -> SSAValue:
    """Decide a null test: memory that the function allocates is there, and other pointers are refused."""

    def check() -> None:
        owner: Any = ctx.flow.settled(found.base).owner
        if getattr(owner, "name", "") not in {"memref.alloc", "memref.alloca"}:
            raise ctx.refusal("pointer", cursor, "a pointer is compared with null")

    ctx.checks.append(check)
    return ctx.truth(int(not null), ctx.location(cursor))


def is_null_constant(cursor: Any) -> bool:
    """Whether an expression is ``0``, ``NULL`` or a cast of one."""
    while cursor.kind in _WRAPPERS:
        children = [child for child in libclang.children(cursor) if child.kind.is_expression()]
        if len(children) != 1:
            return False
        cursor = children[0]
    return cursor.kind is CursorKind.INTEGER_LITERAL and libclang.evaluate(cursor) == 0
