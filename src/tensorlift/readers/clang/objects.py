"""What objects of C hold: read, stored, and copied member by member."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import CursorKind
from xdsl.ir import BlockArgument, SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import fields, structures_inside
from tensorlift.ops.c_types import LONG, ArrayType, ComplexType, NumberType
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.context import (
    Cell,
    Complex,
    ComplexLocal,
    FixedPointer,
    Pointer,
    PointerLocal,
    Structure,
    StructureCursor,
    StructurePointer,
    misused,
)
from tensorlift.readers.clang.members import elements_of, leads_out, point_to, pointed_to, selected
from tensorlift.readers.clang.memory import counted, load, on_stack, store
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from xdsl.dialects.builtin import FileLineColLoc

    from tensorlift.diagnostics import LiftError
    from tensorlift.ops.c_types import CType
    from tensorlift.readers.clang.context import Context, Place, Value


def assign(ctx: Context, target: Place, new: Value, cursor: Any) -> None:
    """Store a value in an object."""
    match target, new:
        case Local(), SSAValue():
            ctx.flow.write(target, new)
        case PointerLocal(), Pointer():
            _keep(ctx, target, new, cursor)
        case ((ComplexLocal() | Cell()), Complex()):
            complex_numbers.keep(ctx, target, new, cursor)
        case Cell(), SSAValue():
            store(ctx, new, target.pointer.base, target.pointer.offset, ctx.location(cursor))
        case ((StructureCursor() | StructurePointer()), StructurePointer()):
            point_to(ctx, target, new, cursor)
        case Structure(), Structure():
            copy_structures(ctx, target, new, cursor.type, cursor)
        case FixedPointer(is_local=True), Pointer():
            _keep_table(ctx, target, new, cursor)
        case FixedPointer(name), _:
            raise ctx.refusal("global", cursor, name)
        case ((Cell() | Pointer()), Pointer()):
            raise _fixed(ctx, target, cursor)
        case _:
            raise misused(ctx, target, cursor, "a pointer is kept where a number is expected")


def _keep_table(ctx: Context, target: FixedPointer, new: Pointer, cursor: Any) -> None:
    """Let a variable hold a table of the caller's."""
    parts = (new.base, new.offset, *new.shape)
    is_given = all(isinstance(one, BlockArgument) and one.block is ctx.flow.entry.block for one in parts)
    if not is_given or target.pointer not in {None, new}:
        raise ctx.refusal("row-pointers", cursor, target.name)
    target.pointer = new


def _fixed(ctx: Context, target: Cell | Pointer, assignment: Any) -> LiftError:
    """Refuse to change a row, a table of rows, or a pointer in a structure that a pointer leads to."""
    base = (target.pointer if isinstance(target, Cell) else target).base
    if isinstance(target, Cell) or not all(isinstance(extent, int) for extent in target.shape):
        return ctx.refusal("row-pointers", assignment, base.name_hint or "")
    left = next(iter(libclang.children(assignment)), assignment)
    place = left if left.kind is CursorKind.MEMBER_REF_EXPR else assignment
    return ctx.refusal("struct", place, f"the member `{place.spelling or base.name_hint}`")


def _keep(ctx: Context, target: PointerLocal, new: Pointer, cursor: Any) -> None:
    if target.together != new.together:
        raise leads_out(ctx, cursor)
    if target.base.type != new.base.type:
        raise ctx.refusal("pointer-type", cursor, "the elements of the two pointers differ in type")
    ctx.flow.write(target.base, new.base)
    ctx.flow.write(target.offset, new.offset)


class _Leaf(NamedTuple):
    """A number, pointer or array in a structure: where it is, its type, and how often it is in each structure."""

    place: Place
    ctype: CType
    times: int

    def cells(self, ctx: Context, cursor: Any) -> Pointer:
        """Give its memory."""
        if not isinstance(self.place, Cell):
            raise misused(ctx, self.place, cursor, "a pointer in a structure is copied")
        return self.place.pointer


def copy_structures(  # noqa: PLR0913 - what is copied from where to where, and how much of it
    ctx: Context,
    target: Structure,
    source: Structure,
    record: Any,
    cursor: Any,
    *,
    count: SSAValue | None = None,
    may_overlap: bool = False,
) -> None:
    """Copy one structure member by member, or a number of those of an array; what cannot be used cannot be copied."""
    at = ctx.location(cursor)

    def copied(to: Pointer, of: Pointer) -> Callable[[SSAValue], None]:
        return lambda cell: _set(ctx, to, cell, load(ctx, of.base, _offset(ctx, of, cell, at), at), at)

    for to, of in list(zip(_leaves(ctx, target, record, cursor), _leaves(ctx, source, record, cursor), strict=True)):
        many = _many(ctx, to, count, at)
        if many is None:
            assign(ctx, to.place, contents(ctx, of.place, cursor), cursor)
            continue
        ends, own = (to.cells(ctx, cursor), of.cells(ctx, cursor)), _own(to)
        if may_overlap:
            whole = ctx.arithmetic("*", many, ctx.constant(own, LONG, at), LONG, at)
            between = on_stack(ctx, elements_of(to.ctype)[0], whole, at)
            _each(ctx, many, own, at, copied(between, ends[1]))
            ends = ends[0], between
        _each(ctx, many, own, at, copied(*ends))


def clear_structures(ctx: Context, target: Structure, record: Any, cursor: Any, count: SSAValue | None = None) -> None:
    """Let all numbers in one structure be zero, or in a number of those of an array."""
    at = ctx.location(cursor)
    for leaf in _leaves(ctx, target, record, cursor):
        many, element = _many(ctx, leaf, count, at), elements_of(leaf.ctype)[0]
        if not isinstance(element, NumberType):
            raise ctx.refusal("memory-call", cursor, "`memset` of pointers")
        zero = ctx.constant(0, element, at)
        if many is None:
            assign(ctx, leaf.place, zero, cursor)
        else:
            _each(ctx, many, _own(leaf), at, partial(_set, ctx, leaf.cells(ctx, cursor), new=zero, at=at))


def _leaves(ctx: Context, structure: Structure, record: Any, cursor: Any) -> Iterator[_Leaf]:
    """Yield what a structure, and those inside of it, are made of."""
    for field in fields(record):
        place, inside = selected(ctx, structure, field.spelling, cursor), structures_inside(field.type)
        if isinstance(place, Structure):
            yield from _leaves(ctx, place, field.type, cursor)
        elif isinstance(place, StructurePointer) and inside is not None:
            many = field.type.get_canonical().element_count
            inner = _leaves(ctx, place.target, inside, cursor)
            yield from (leaf._replace(times=leaf.times * many) for leaf in inner)
        else:
            yield _Leaf(place, ctx.unit.types.read(field.type), 1)


def _many(ctx: Context, leaf: _Leaf, count: SSAValue | None, at: FileLineColLoc) -> SSAValue | None:
    """Give how often something is in so many structures; None for what is no array and there once."""
    if count is None and leaf.times == 1 and not isinstance(leaf.ctype, ArrayType):
        return None
    times = ctx.constant(leaf.times, LONG, at)
    return times if count is None else ctx.arithmetic("*", count, times, LONG, at)


def _own(leaf: _Leaf) -> int:
    return prod(elements_of(leaf.ctype)[1] or ())


def _each(ctx: Context, many: SSAValue, own: int, at: FileLineColLoc, body: Callable[[SSAValue], None]) -> None:
    """Run a body for each of so many cells, or of so many arrays with cells of their own."""

    def inner(number: SSAValue) -> None:
        length = ctx.constant(own, LONG, at)
        start = ctx.arithmetic("*", number, length, LONG, at)
        counted(ctx, length, at, lambda cell: body(ctx.arithmetic("+", start, cell, LONG, at)))

    counted(ctx, many, at, body if own == 1 else inner)


def _offset(ctx: Context, memory: Pointer, cell: SSAValue, at: FileLineColLoc) -> SSAValue:
    return ctx.arithmetic("+", memory.offset, cell, LONG, at)


def _set(ctx: Context, memory: Pointer, cell: SSAValue, new: SSAValue, at: FileLineColLoc) -> None:
    store(ctx, new, memory.base, _offset(ctx, memory, cell, at), at)


def contents(ctx: Context, source: Place, cursor: Any) -> Value:
    """Give the value of an object; an array gives a pointer to its first element."""
    ctype = ctx.type_of(cursor)
    if isinstance(ctype, ComplexType) and isinstance(source, ComplexLocal | Cell):
        return complex_numbers.kept(ctx, source, ctype, cursor)
    match source:
        case ComplexLocal():
            raise misused(ctx, source, cursor, "")
        case Local():
            return ctx.flow.read(source)
        case PointerLocal():
            return Pointer(ctx.flow.read(source.base), ctx.flow.read(source.offset), source.shape, source.together)
        case StructureCursor():
            return pointed_to(ctx, source, cursor)
        case FixedPointer(name, pointer):
            if pointer is None:
                raise ctx.refusal("row-pointers", cursor, name)
            return pointer
        case Cell(pointer) if pointer.shape:
            return replace(pointer, shape=pointer.shape[1:])
        case Cell(pointer):
            return load(ctx, pointer.base, pointer.offset, ctx.location(cursor))
    return source
