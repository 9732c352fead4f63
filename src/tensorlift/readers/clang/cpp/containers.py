"""Containers of C++: their sizes and elements, and the loops that fill and copy them.

A container is flat memory: the rows of a container of containers are as far apart as the caller says, or lie one after
the other in one that the function makes.  All rows have one length; where one is added that has another, the program is
taken to end itself, so a proof must show that none has.  Memory of a vector that grows has no bound.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import StringAttr, i64
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.memref import AllocOp

from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.ir.literal_code import UNBOUNDED
from tensorlift.ir.prototype import size_name
from tensorlift.ops.c_types import LONG, PARTS, UNSIGNED_LONG, ComplexType, CType
from tensorlift.readers.clang.complex_numbers import both, cells
from tensorlift.readers.clang.context import Cell, Complex, Container, Context, Pointer
from tensorlift.readers.clang.cpp.arguments import Home, argument, location, memory, plain
from tensorlift.readers.clang.memory import counted, load, made_at, store
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from xdsl.dialects.builtin import FileLineColLoc
    from xdsl.ir import SSAValue

    from tensorlift.frontends.cpp.objects import ContainerType


def size(ctx: Context, found: Container, axis: int, at: FileLineColLoc) -> SSAValue:
    """Give a size as an ``i64``."""
    match found.sizes[axis]:
        case int(number):
            return ctx.constant(number, UNSIGNED_LONG, at)
        case str(name):
            return argument(ctx, name, i64)
        case Local() as local:
            return ctx.flow.read(local)
        case known:
            return known


def resize(ctx: Context, found: Container, new: SSAValue, cursor: Any) -> None:
    """Give a vector another size; one that belongs to the caller keeps its own."""
    (local, *_) = found.sizes
    if not isinstance(local, Local):
        raise refusal("size-of-caller", ctx.position(cursor), found.name)
    ctx.flow.write(local, new)


def element(ctx: Context, found: Container, index: SSAValue, at: FileLineColLoc) -> Cell | Container:
    """Give an element, which is a container itself where there is more than one dimension."""
    moved = ctx.moved(found.start, index, "+", at)
    if found.kind.rank == 1:
        return Cell(moved)
    start = Pointer(moved.base, moved.offset, moved.shape[1:])
    return replace(found, kind=found.kind.row(), start=start, sizes=found.sizes[1:])


def demand(ctx: Context, condition: SSAValue, message: str, at: FileLineColLoc) -> None:
    """Let the program end itself where a condition does not hold."""
    ctx.flow.add(AssertOp.create(operands=(condition,), properties={"msg": StringAttr(message)}, location=at))


def same_sizes(ctx: Context, one: Container, other: Container, axes: Sequence[int], at: FileLineColLoc) -> None:
    """Demand that two containers have the same sizes in some dimensions."""
    for axis in axes:
        first, second = (size(ctx, found, axis, at) for found in (one, other))
        if first is not second:
            condition = ctx.comparison("==", first, second, UNSIGNED_LONG, at)
            demand(ctx, condition, f"{one.name} and {other.name} have one size", at)


# Loops over all elements.


def zero(ctx: Context, ctype: CType, at: FileLineColLoc) -> SSAValue | Complex:
    """Give the value of an element to which none is given."""
    return Complex(None, None, ctype.part) if isinstance(ctype, ComplexType) else ctx.constant(0, ctype, at)


def _put(ctx: Context, target: Cell, new: SSAValue | Complex, at: FileLineColLoc) -> None:
    """Store a number in an element."""
    numbers = (
        zip(cells(ctx, target.pointer, at), both(ctx, new, at), strict=True)
        if isinstance(new, Complex)
        else ((target, new),)
    )
    for cell, number in numbers:
        store(ctx, number, cell.pointer.base, cell.pointer.offset, at)


def _taken(ctx: Context, source: Cell, ctype: CType, at: FileLineColLoc) -> SSAValue | Complex:
    """Read an element."""
    if not isinstance(ctype, ComplexType):
        return load(ctx, source.pointer.base, source.pointer.offset, at)
    re, im = (load(ctx, cell.pointer.base, cell.pointer.offset, at) for cell in cells(ctx, source.pointer, at))
    return Complex(re, im, ctype.part)


def fill(
    ctx: Context,
    found: Container,
    new: SSAValue | Complex,
    at: FileLineColLoc,
    first: SSAValue | None = None,
) -> None:
    """Store one value in each element, from the ``first`` one on."""

    def body(index: SSAValue) -> None:
        part = element(ctx, found, index, at)
        if isinstance(part, Container):
            fill(ctx, part, new, at)
        else:
            _put(ctx, part, new, at)

    counted(ctx, size(ctx, found, 0, at), at, body, first)


def copy(ctx: Context, target: Container, source: Container, at: FileLineColLoc) -> None:
    """Copy the elements of a container to one that has as many, or more."""

    def body(index: SSAValue) -> None:
        to, of = (element(ctx, side, index, at) for side in (target, source))
        if isinstance(to, Container) and isinstance(of, Container):
            copy(ctx, to, of, at)
        elif isinstance(to, Cell) and isinstance(of, Cell):
            _put(ctx, to, _taken(ctx, of, source.kind.element, at), at)

    same_sizes(ctx, target, source, range(1, source.kind.rank), at)
    counted(ctx, size(ctx, source, 0, at), at, body)


def swap(ctx: Context, one: Container, other: Container, at: FileLineColLoc) -> None:
    """Exchange the elements of two containers of one size."""
    same_sizes(ctx, one, other, range(one.kind.rank), at)
    kept = copied(ctx, one, Home(f"{one.name}_before", "", at))
    copy(ctx, one, other, at)
    copy(ctx, other, kept, at)


# How a container is made.


def declared(
    ctx: Context, kind: ContainerType, sizes: Sequence[int | SSAValue | None], home: Home, *, grows: bool = False
) -> Container:
    """Make a container, whose elements have no values yet, in the memory that the caller has made or in new one.

    The length of rows is None where it is not known; the caller knows it.
    """
    name, reached, at = home
    if None in sizes and not reached:
        raise refusal("vector", location(at), "rows without a length are not lifted where they are declared")
    lengths: list[int | SSAValue | Local | str] = [
        size_name(reached, axis) if given is None else given for axis, given in enumerate(sizes)
    ]
    is_sized, first = sizes[0] != 0, sizes[0]
    if reached:
        whole = kind.in_memory()
        start = memory(ctx, reached, whole.element, whole.lengths[1:])
    else:
        known = [number for number in sizes if number is not None]
        start = _allocated(ctx, kind, known, home, unbounded=grows or not is_sized)
    if kind.lengths[0] is None:
        local = lengths[0] = Local(i64, at, f"{plain(name)}.size")
        assert first is not None
        ctx.flow.write(local, ctx.constant(first, UNSIGNED_LONG, at) if isinstance(first, int) else first)
    return Container(name, kind, start, tuple(lengths), ctx.loops, is_sized)


def copied(ctx: Context, source: Container, home: Home) -> Container:
    """Make a copy of a container."""
    lengths = enumerate(source.kind.lengths)
    sizes = [size(ctx, source, axis, home.at) if length is None else length for axis, length in lengths]
    made = declared(ctx, source.kind, sizes, home)
    copy(ctx, made, source, home.at)
    return made


def require_returned(ctx: Context, found: Container, reached: str, at: FileLineColLoc) -> None:
    """Demand that what is returned has the sizes that the caller expects."""
    for axis, length in enumerate(found.kind.lengths):
        if length is None and found.sizes[axis] != size_name(reached, axis):
            expected = argument(ctx, size_name(reached, axis), i64)
            condition = ctx.comparison("==", size(ctx, found, axis, at), expected, UNSIGNED_LONG, at)
            demand(ctx, condition, f"{found.name} has the size that the caller expects", at)


def _allocated(
    ctx: Context, kind: ContainerType, sizes: list[int | SSAValue], home: Home, *, unbounded: bool
) -> Pointer:
    at, element = home.at, kind.in_memory().element
    if isinstance(kind.element, ComplexType):
        sizes = [*sizes, PARTS]
    values = [ctx.constant(n, LONG, at) if isinstance(n, int) else n for n in sizes]
    count = ctx.constant(UNBOUNDED, LONG, at) if unbounded else values[0]
    for value in () if unbounded else values[1:]:
        count = ctx.arithmetic("*", count, value, LONG, at)
    made = made_at(ctx, AllocOp, element, count, at)
    made.base.name_hint = plain(home.name)
    return replace(made, shape=tuple(sizes[1:]))
