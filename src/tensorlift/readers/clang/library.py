"""What the library does with memory: it is made, freed, filled and copied, in numbers or in whole structures.

Builtin functions of compilers stand beside: leading zeros, and what is expected of a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.memref import DeallocOp
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import structures_at
from tensorlift.ops.c_types import INT, LONG, UNSIGNED_LONG, CType, IntegerType, NumberType, PointerType
from tensorlift.readers.clang.context import (
    Allocation,
    Context,
    Structure,
    StructurePointer,
    Value,
    misused,
    pointee,
    pointer,
    value,
)
from tensorlift.readers.clang.expressions import converted
from tensorlift.readers.clang.memory import copy, elements, fill, on_stack, power_of_two
from tensorlift.readers.clang.objects import clear_structures, copy_structures

if TYPE_CHECKING:
    from collections.abc import Callable


def _size(ctx: Context, cursor: Any) -> SSAValue:
    """Read a number of bytes."""
    found = converted(ctx, cursor, UNSIGNED_LONG)
    assert isinstance(found, SSAValue)
    return found


def _malloc(ctx: Context, cursor: Any) -> Value:
    (size,) = cursor.get_arguments()
    return Allocation(_size(ctx, size), is_zero=False)


def _calloc(ctx: Context, cursor: Any) -> Value:
    count, size = (_size(ctx, argument) for argument in cursor.get_arguments())
    return Allocation(ctx.arithmetic("*", count, size, UNSIGNED_LONG, ctx.location(cursor)), is_zero=True)


def _free(ctx: Context, cursor: Any) -> None:
    (argument,) = cursor.get_arguments()
    freed = pointer(ctx, without_void(argument))
    ctx.flow.add(DeallocOp.create(operands=(freed.base,), location=ctx.location(cursor)))


def _memset(ctx: Context, cursor: Any) -> None:
    """Read ``memset`` to zero, or of bytes; it gives no value here."""
    target, byte, size = cursor.get_arguments()
    written = _structures(ctx, target, size)
    if written is not None:
        if libclang.evaluate(byte) != 0:
            raise ctx.refusal("memory-call", cursor, "`memset` of structures to another byte than 0")
        clear_structures(ctx, written.first, written.record, cursor, written.many)
        return
    at, start = ctx.location(cursor), pointer(ctx, without_void(target))
    element = _element(ctx, target)
    if libclang.evaluate(byte) == 0:
        new = ctx.constant(0, element, at)
    elif isinstance(element, IntegerType) and element.width == 8:  # noqa: PLR2004 - bits
        found = converted(ctx, byte, element)
        assert isinstance(found, SSAValue)
        new = found
    else:
        raise ctx.refusal("memory-call", cursor, "`memset` of wide elements to another byte than 0")
    fill(ctx, start, _whole_elements(ctx, size, element, cursor), new, at)


def _whole_elements(ctx: Context, size: Any, element: CType, cursor: Any) -> SSAValue:
    """Read a number of bytes as one of elements, of which the last one is whole, which is asked when all is read."""
    assert isinstance(element, NumberType)
    width, found = element.width, _size(ctx, size)

    def check() -> None:
        if 8 * power_of_two(ctx.flow.settled(found)) % width:
            raise ctx.refusal("memory-call", cursor, f"`{cursor.spelling}` of bytes that may be no whole elements")

    ctx.checks.append(check)
    return elements(ctx, found, element, ctx.location(cursor))


def _memmove(ctx: Context, cursor: Any) -> None:
    """Read ``memmove``, which copies as if by memory of its own."""
    _memcpy(ctx, cursor, may_overlap=True)


def _memcpy(ctx: Context, cursor: Any, *, may_overlap: bool = False) -> None:
    """Read ``memcpy``; it gives no value here."""
    target, source, size = cursor.get_arguments()
    written, read = _structures(ctx, target, size), _structures(ctx, source, size)
    if written is not None and read is not None and written.record == read.record:
        ends = written.first, read.first
        copy_structures(ctx, *ends, written.record, cursor, count=written.many, may_overlap=may_overlap)
        return
    at, element = ctx.location(cursor), _element(ctx, target)
    to, of = pointer(ctx, without_void(target)), pointer(ctx, without_void(source))
    if to.base.type != of.base.type:
        raise ctx.refusal("memory-call", cursor, "`memcpy` between elements of different types")
    count = _whole_elements(ctx, size, element, cursor)
    if may_overlap:
        between = on_stack(ctx, element, count, at)
        copy(ctx, between, of, count, at)
        of = between
    copy(ctx, to, of, count, at)


class _Structures(NamedTuple):
    """Structures that are passed as ``void *``: the first one, their type, and how many; None for one."""

    first: Structure
    record: Any
    many: SSAValue | None


def _structures(ctx: Context, argument: Any, size: Any) -> _Structures | None:
    """Read an argument as structures, of which a number of bytes are so many; None where it is something else."""
    inside = without_void(argument)
    record = structures_at(inside.type)
    if record is None:
        return None
    found, one = value(ctx, inside), record.get_size()
    if not isinstance(found, StructurePointer):
        raise misused(ctx, found, argument, "")
    known = libclang.evaluate(size)
    if known == one:
        return _Structures(found.target, record, None)
    if isinstance(known, int) and known % one == 0:
        return _Structures(found.target, record, ctx.constant(known // one, LONG, ctx.location(size)))
    factors = libclang.expressions(without_void(size))
    others = [factor for factor in factors if libclang.evaluate(factor) != one]
    if len(factors) != 2 or len(others) != 1 or libclang.binary_operator(without_void(size)) != "*":  # noqa: PLR2004 - a product
        raise ctx.refusal("memory-call", size, "a number of bytes that may be no whole structures")
    count = converted(ctx, others[0], LONG)
    assert isinstance(count, SSAValue)
    return _Structures(found.target, record, count)


def without_void(cursor: Any) -> Any:
    """Strip the conversion to ``void *``."""
    while cursor.kind in libclang.CONVERSIONS:
        children = libclang.expressions(cursor)
        if len(children) != 1:
            break
        cursor = children[0]
    return cursor


def _element(ctx: Context, cursor: Any) -> CType:
    """Give the element type of the memory that is passed as ``void *``."""
    ctype = ctx.type_of(without_void(cursor))
    inner = ctype.element if isinstance(ctype, PointerType) else ctype
    return pointee(ctx, inner, cursor, cursor.spelling)[0]


def _expected(ctx: Context, cursor: Any) -> Value:
    """Read ``__builtin_expect``, which gives its first argument."""
    return converted(ctx, next(iter(cursor.get_arguments())), LONG)


def _leading_zeros(ctx: Context, cursor: Any) -> Value:
    """Count the bits above the highest one, by halves: where the upper half has none, the lower one becomes it."""
    (argument,) = cursor.get_arguments()
    at, ctype = ctx.location(cursor), ctx.type_of(argument)
    assert isinstance(ctype, IntegerType)
    rest, count = converted(ctx, argument, ctype), ctx.constant(0, INT, at)
    assert isinstance(rest, SSAValue)
    half = ctype.width // 2
    while half:
        is_low = ctx.comparison("<", rest, ctx.constant(1 << (ctype.width - half), ctype, at), ctype, at)
        more = ctx.arithmetic("+", count, ctx.constant(half, INT, at), INT, at)
        moved = ctx.arithmetic("<<", rest, ctx.constant(half, ctype, at), ctype, at)
        count = ctx.operation("arith.select", (is_low, more, count), count.type, at)
        rest = ctx.operation("arith.select", (is_low, moved, rest), rest.type, at)
        half //= 2
    return count


LIBRARY: dict[str, Callable[[Context, Any], Value | None]] = {
    "malloc": _malloc,
    "alloca": _malloc,
    "calloc": _calloc,
    "free": _free,
    "memset": _memset,
    "memcpy": _memcpy,
    "memmove": _memmove,
    "__builtin_expect": _expected,
    **dict.fromkeys(("__builtin_clz", "__builtin_clzl", "__builtin_clzll"), _leading_zeros),
}
