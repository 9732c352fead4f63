"""Objects of classes: members that are variables and containers of their own, copied and assigned one by one."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from tensorlift.frontends.cpp.cpp_types import fields_of, is_plain_array, pointed_class
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import LONG, ComplexType, NumberType, PointerType
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.context import (
    Cell,
    ComplexLocal,
    Container,
    Context,
    Place,
    Pointer,
    PointerLocal,
    Structure,
    StructurePointer,
    memory_type,
    pointee,
)
from tensorlift.readers.clang.cpp.arguments import Home, location, memory, outer, types_of, written
from tensorlift.readers.clang.cpp.containers import copied, copy, require_returned, same_sizes
from tensorlift.readers.clang.cpp.vectors import made
from tensorlift.readers.clang.declarations import parts_of
from tensorlift.readers.clang.expressions import converted
from tensorlift.readers.clang.objects import assign, contents
from tensorlift.readers.flow import Local


def member(ctx: Context, found: Structure, field: Any, cursor: Any) -> Place:
    """Give a member of an object; that of a parameter becomes an argument when it is first used."""
    known = found.members.get(field.spelling)
    if known is None:
        if not found.reached:
            raise refusal("class", ctx.position(cursor), f"the member `{field.spelling}` has no value here")
        known = found.members[field.spelling] = outer(ctx, f"{found.reached}.{field.spelling}", field.type, cursor)
    return known


def number(ctx: Context, clang_type: Any, initial: Any, home: Home, *, zero: bool = False) -> Place:
    """Make a variable that is a number or a pointer; without a value it is undefined, or zero."""
    name, at = home.name, home.at
    ctype = types_of(ctx).read(clang_type)
    place: Local | ComplexLocal | PointerLocal
    if pointed_class(clang_type) is not None and initial is not None:
        found = converted(ctx, initial, ctype)
        if isinstance(found, StructurePointer):
            return found  # it points there for good: nothing can be assigned to it
    if isinstance(ctype, PointerType):
        element, shape = pointee(ctx, ctype.element, initial, name)
        known = tuple(extent for extent in shape if extent is not None)
        place = PointerLocal(Local(memory_type(element), at, name), Local(ir_type(LONG), at, f"{name}_at"), known)
    elif isinstance(ctype, NumberType):
        place = Local(ir_type(ctype), at, name)
    elif isinstance(ctype, ComplexType):
        place = complex_numbers.local(ctype, at, name)
    else:
        raise refusal("container", location(at), ctype.spelling)
    if initial is not None:
        assign(ctx, place, converted(ctx, initial, ctype), initial)
    elif zero and isinstance(place, Local):
        ctx.flow.write(place, ctx.constant(0, ctype, at))
    else:
        for local in parts_of(place):
            ctx.flow.write(local, ctx.flow.undefined(local.type, at))
    return place


def array(found: Container) -> Cell:
    """Give a container of constant sizes as the array that it is in C++."""
    shape = tuple(extent for extent in found.sizes if isinstance(extent, int))
    return Cell(Pointer(found.start.base, found.start.offset, shape))


def as_container(ctx: Context, found: Cell, clang_type: Any) -> Container:
    """Give an array as a container of constant sizes."""
    kind, start = types_of(ctx).member(clang_type), found.pointer
    assert kind is not None
    return Container("", kind, Pointer(start.base, start.offset, start.shape[1:]), start.shape, is_sized=True)


def copied_object(ctx: Context, source: Structure, record: Any, home: Home) -> Structure:
    """Copy an object member by member."""
    members: dict[str, Place] = {}
    for field in fields_of(record):
        found, own = member(ctx, source, field, field), home.member(field.spelling)
        if isinstance(found, Cell) and is_plain_array(field.type):
            members[field.spelling] = array(copied(ctx, as_container(ctx, found, field.type), own))
        elif isinstance(found, Container):
            members[field.spelling] = copied(ctx, found, own)
        elif isinstance(found, Structure):
            members[field.spelling] = copied_object(ctx, found, field.type, own)
        else:
            members[field.spelling] = _kept(ctx, contents(ctx, found, field), own, field)
    return Structure(members)


def _kept(ctx: Context, found: Any, home: Home, field: Any) -> Place:
    if isinstance(found, SSAValue):
        return written(ctx, Local(found.type, home.at, home.name), found)
    if isinstance(found, Pointer):
        place = PointerLocal(
            Local(found.base.type, home.at, home.name), Local(i64, home.at, f"{home.name}_at"), found.shape
        )
        assign(ctx, place, found, field)
        return place
    raise refusal("class", ctx.position(field), f"a copy of the member `{field.spelling}`")


def assign_object(ctx: Context, target: Structure, source: Structure, record: Any, cursor: Any) -> None:
    """Assign an object member by member; containers keep their sizes."""
    for field in fields_of(record):
        to, of = (member(ctx, side, field, cursor) for side in (target, source))
        if isinstance(to, Cell) and isinstance(of, Cell) and is_plain_array(field.type):
            to, of = (as_container(ctx, side, field.type) for side in (to, of))
        if isinstance(to, Container) and isinstance(of, Container):
            same_sizes(ctx, to, of, [0], ctx.location(cursor))
            copy(ctx, to, of, ctx.location(cursor))
        elif isinstance(to, Structure) and isinstance(of, Structure):
            assign_object(ctx, to, of, field.type, cursor)
        else:
            assign(ctx, to, contents(ctx, of, cursor), cursor)


def return_object(ctx: Context, found: Place, clang_type: Any, reached: str, cursor: Any) -> None:
    """Hand what is returned over: containers are there already, numbers are stored where the caller wants them."""
    if isinstance(found, Cell) and is_plain_array(clang_type):
        found = as_container(ctx, found, clang_type)
    if isinstance(found, Container):
        whole = found.kind.in_memory()
        there = memory(ctx, reached, whole.element, whole.lengths[1:])
        if found.start.base is not there.base:
            found = copied(ctx, found, Home("result", reached, ctx.location(cursor)))
        require_returned(ctx, found, reached, ctx.location(cursor))
    elif isinstance(found, Structure):
        for field in fields_of(clang_type):
            return_object(ctx, member(ctx, found, field, cursor), field.type, f"{reached}.{field.spelling}", cursor)
    else:
        ctype = types_of(ctx).read(clang_type)
        if not isinstance(ctype, NumberType):
            raise refusal("class", ctx.position(cursor), f"the pointer `{reached}` of a returned object")
        assign(ctx, Cell(memory(ctx, reached, ctype)), contents(ctx, found, cursor), cursor)


def declared_member(ctx: Context, field: Any, initial: Any, home: Home, *, zero: bool) -> Place | None:
    """Make a member of a local object, with its initial value; None where it is an object itself."""
    kind = types_of(ctx).member(field.type)
    if kind is not None:
        found = made(ctx, kind, initial, home)
        return array(found) if is_plain_array(field.type) else found
    if isinstance(types_of(ctx).read(field.type), NumberType | PointerType):
        return number(ctx, field.type, initial, home, zero=zero)
    return None
