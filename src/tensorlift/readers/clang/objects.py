"""What objects of C hold: read, stored, and copied member by member."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tensorlift.ops.c_types import ComplexType
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
from tensorlift.readers.clang.members import fields, leads_out, point_to, pointed_to, selected
from tensorlift.readers.clang.memory import load, store
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
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
        case StructureCursor(), StructurePointer():
            point_to(ctx, target, new, cursor)
        case Structure(), Structure():
            _copied(ctx, target, new, cursor.type, cursor)
        case FixedPointer(name), _:
            raise ctx.refusal("global", cursor, name)
        case ((Cell(Pointer(base)) | Pointer(base)), Pointer()):  # a row, or the table
            raise ctx.refusal("row-pointers", cursor, base.name_hint or "")
        case _:
            raise misused(ctx, target, cursor, "a pointer is kept where a number is expected")


def _keep(ctx: Context, target: PointerLocal, new: Pointer, cursor: Any) -> None:
    if target.together != new.together:
        raise leads_out(ctx, cursor)
    if target.base.type != new.base.type:
        raise ctx.refusal("pointer-type", cursor, "the elements of the two pointers differ in type")
    ctx.flow.write(target.base, new.base)
    ctx.flow.write(target.offset, new.offset)


def _copied(ctx: Context, target: Structure, source: Structure, record: Any, cursor: Any) -> None:
    """Copy a structure member by member; one that cannot be used cannot be copied."""
    for field in fields(record):
        to, of = (selected(ctx, side, field.spelling, cursor) for side in (target, source))
        if isinstance(to, Structure) and isinstance(of, Structure):
            _copied(ctx, to, of, field.type, cursor)
        elif isinstance(to, Cell) and to.pointer.shape:
            raise ctx.refusal("struct", cursor, f"the array `{field.spelling}` is copied")
        else:
            assign(ctx, to, contents(ctx, of, cursor), cursor)


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
        case FixedPointer(_, pointer):
            return pointer
        case Cell(pointer) if pointer.shape:
            return replace(pointer, shape=pointer.shape[1:])
        case Cell(pointer):
            return load(ctx, pointer.base, pointer.offset, ctx.location(cursor))
    return source
