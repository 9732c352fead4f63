"""Structures as parameters: each member that a function uses is an argument, or two, of its own.

A member is called as C reaches it: ``m.rows``, ``m->rows``, ``x[].re`` where ``x`` points to an array of structures,
``s->p[].mass`` where a member does, and ``m->cells[]`` where the member is memory in the structure itself.  What it is
depends on how it is reached:

- a number or pointer of a structure that is passed by value is a variable;
- a number behind a pointer is a value where no function writes it, else memory of one cell;
- a pointer behind a pointer is a value, and who writes it is not read;
- an array behind a pointer is memory;
- a pointer to structures that nobody writes leads on to their members, and so does an array of structures behind a
  pointer, unless it is in an array of structures itself;
- a number or array of an array of structures is one memory for all of them, its offset counted in structures.

Members of structures inside of structures are found by their way.  Any other member is not there to be used.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import TypeKind
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.cf import AssertOp

from tensorlift.frontends.c.member_facts import fields, is_structure_pointer, structures_inside
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.function import ROW
from tensorlift.ir.literal_function import UNREAD
from tensorlift.ops.c_types import (
    LONG,
    ArrayType,
    CType,
    NumberType,
    PointerType,
)
from tensorlift.readers.clang.context import (
    Cell,
    Context,
    Place,
    Pointer,
    PointerLocal,
    Structure,
    StructureCursor,
    StructurePointer,
    memory_type,
)
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from xdsl.ir import SSAValue

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.c.member_facts import Facts
    from tensorlift.readers.clang.member_uses import Way

    Argument = Callable[[Local, str], SSAValue]  # make an argument of the function by a name


_BEYOND = f"{UNREAD}a place beyond the member of a structure"


class Member(NamedTuple):
    """A member that a function takes: its way, how C reaches it, and whether it is memory."""

    way: Way
    access: str
    ctype: CType
    is_memory: bool
    holders: tuple[_Holder, ...]  # the structures on the way that pointers lead to, the first of them the parameter's


class _Holder(NamedTuple):
    """A structure, or an array of them, that holds members: the way there, and how C spells what leads to a member."""

    way: Way
    access: str
    by_pointer: bool
    is_array: bool


def is_same_structure(one: CType, other: CType) -> bool:
    """Whether two types are of one structure, and both or none point to it."""
    inner, second = (ctype.element if isinstance(ctype, PointerType) else ctype for ctype in (one, other))
    names = [ctype.spelling.removeprefix("const ") for ctype in (inner, second)]
    return (inner is one) == (second is other) and names[0] == names[1]


def is_table(ctype: CType) -> bool:
    """Whether a type is a pointer to pointers to numbers; an array as a parameter is a pointer."""
    row = ctype.element if isinstance(ctype, PointerType | ArrayType) else None
    return isinstance(row, PointerType) and isinstance(row.element, NumberType)


def members(ctx: Context, function: Any, parameter: Any) -> Iterator[Member]:
    """Yield the members of a parameter that a function takes, in the order of their declaration."""
    by_pointer, is_array = _is_pointer(ctx, parameter), _is_array(ctx, function, parameter)
    start = parameter.spelling + ("[]." if is_array else "->" if by_pointer else ".")
    uses = ctx.unit.uses.of(function).get(parameter.data[0], set())
    canonical = parameter.type.get_canonical()
    record = canonical.get_pointee() if by_pointer else canonical
    return _members(ctx, function, record, (_Holder((), start, by_pointer, is_array),), uses)


def _is_pointer(ctx: Context, parameter: Any) -> bool:
    return isinstance(ctx.type_of(parameter), PointerType)


def _is_array(ctx: Context, function: Any, parameter: Any) -> bool:
    """Whether a parameter points to an array of structures, as the function subscripts it."""
    return _is_pointer(ctx, parameter) and parameter.data[0] in ctx.unit.facts.of(function).subscripted


def _members(
    ctx: Context, function: Any, record: Any, holders: tuple[_Holder, ...], uses: Collection[Way]
) -> Iterator[Member]:
    """Yield the members of the last holder, and of those that its pointers lead to."""
    facts, holder = ctx.unit.facts.of(function), holders[-1]
    for inside, field in _leaves(record):
        way, access = (*holder.way, *inside), holder.access + ".".join(inside)
        leads_on = _leads_on(facts, holder, field)
        if leads_on is not None:
            is_held = structures_inside(field.type) is not None
            if any(used[: len(way)] == way or (is_held and way[: len(used)] == used) for used in uses):
                record, is_array = leads_on
                led_to = _Holder(way, access + ("[]." if is_array else "->"), by_pointer=True, is_array=is_array)
                yield from _members(ctx, function, record, (*holders, led_to), uses)
            continue
        if not any(way[: len(used)] == used for used in uses):
            continue
        ctype = ctx.unit.types.read(field.type)
        is_written = holder.by_pointer and field.get_usr() in facts.written
        element, shape = elements_of(ctype.element if isinstance(ctype, PointerType) else ctype)
        is_plain = isinstance(element, NumberType) and shape is not None
        if isinstance(ctype, PointerType):
            if not holder.is_array and (is_plain or is_table(ctype)):
                yield Member(way, access, ctype, is_memory=False, holders=holders)
        elif is_plain and (holder.by_pointer or not shape):
            is_inside = not holder.is_array and (is_written or bool(shape))
            name = f"{access}[]" if is_inside else access
            yield Member(way, name, ctype, holder.is_array or is_inside, holders)


def _leads_on(facts: Facts, holder: _Holder, field: Any) -> tuple[Any, bool] | None:
    """Give the structures that a member points to or holds, and whether they are an array; None where it does not."""
    inside = structures_inside(field.type)
    if holder.is_array or not (inside or is_structure_pointer(field.type)):
        return None
    if inside:
        return (inside, True) if holder.by_pointer else None
    is_written = field.get_usr() in facts.written
    return None if is_written else (field.type.get_canonical().get_pointee(), field.get_usr() in facts.subscripted)


def _leaves(record: Any) -> Iterator[tuple[Way, Any]]:
    """Yield the members of a structure and of those inside of it, with their ways."""
    for field in fields(record):
        if not field.spelling.isidentifier():
            continue  # a structure without a name
        if fields(field.type):
            yield from (((field.spelling, *way), leaf) for way, leaf in _leaves(field.type))
        elif not field.is_bitfield():
            yield (field.spelling,), field


def elements_of(ctype: CType) -> tuple[CType, tuple[int, ...] | None]:
    """Give what an array is made of, and its extents, outermost first; None for these where an inner one is not known.

    One that is declared without an extent, at the end of a structure, has at least one element where it is used.
    """
    lengths: list[int | None] = []
    while isinstance(ctype, ArrayType):
        lengths.append(ctype.length or (None if lengths else 1))
        ctype = ctype.element
    known = tuple(length for length in lengths if length)
    return ctype, known if len(known) == len(lengths) else None


def structure_parameter(ctx: Context, function: Any, parameter: Any, argument: Argument) -> Place:
    """Make the arguments for a parameter that is a structure or points to one."""
    by_pointer, is_array = _is_pointer(ctx, parameter), _is_array(ctx, function, parameter)
    found: dict[Way, Place] = {}
    arrays: dict[Way, bool] = {}
    for member in members(ctx, function, parameter):
        hint = "_".join((parameter.spelling, *member.way))
        is_fixed = member.holders[-1].by_pointer
        found[member.way] = _made(ctx, member, hint, parameter, argument, is_fixed=is_fixed)
        arrays |= {holder.way: holder.is_array for holder in member.holders}
    made = _nested(found, arrays, (), is_array=is_array)
    if is_array and parameter.data[0] in ctx.unit.facts.of(function).moved:
        moving = StructureCursor(Local(ir_type(LONG), ctx.location(parameter), parameter.spelling))
        point_to(ctx, moving, StructurePointer(made), parameter)
        return moving
    return StructurePointer(made) if by_pointer else made


def _made(  # noqa: PLR0913 - what a member is called, where it stands, and what makes it
    ctx: Context, member: Member, hint: str, parameter: Any, argument: Argument, *, is_fixed: bool
) -> Place:
    at, ctype = ctx.location(parameter), member.ctype
    if is_table(ctype):
        return table(ctx, ctype, hint, member.access, parameter, argument)
    element, shape = elements_of(ctype.element if isinstance(ctype, PointerType) else ctype)
    assert shape is not None
    if not member.is_memory and not isinstance(ctype, PointerType):
        number = Local(ir_type(element), at, hint)
        value = argument(number, member.access)
        return value if is_fixed else number
    base, offset = Local(memory_type(element), at, hint), Local(ir_type(LONG), at, f"{hint}_at")
    together = prod(shape) if member.holders[-1].is_array else 0
    pointer = Pointer(argument(base, member.access), argument(offset, f"{hint}_at"), shape, together)
    if member.is_memory:
        return Cell(pointer)
    return pointer if is_fixed else PointerLocal(base, offset, shape)


def table(ctx: Context, ctype: CType, hint: str, name: str, parameter: Any, argument: Argument) -> Pointer:  # noqa: PLR0913, PLR0917 - as above
    """Make the arguments of a table of row pointers: memory of all rows, an offset, and how far rows are apart."""
    at = ctx.location(parameter)
    assert isinstance(ctype, PointerType | ArrayType)
    assert isinstance(ctype.element, PointerType)
    base = argument(Local(memory_type(ctype.element.element), at, hint), name)
    offset = argument(Local(ir_type(LONG), at, f"{hint}_at"), f"{hint}_at")
    return Pointer(base, offset, (argument(Local(ir_type(LONG), at, f"{hint}_row"), f"{name}{ROW}"),))


def _nested(found: Mapping[Way, Place], arrays: Mapping[Way, bool], at: Way, *, is_array: bool) -> Structure:
    """Put members into structures by their ways; ``arrays`` are the ways of those that pointers lead to."""
    made: dict[str, Place] = {}
    for way in dict.fromkeys(way[: len(at) + 1] for way in found):
        inner = {member: place for member, place in found.items() if member[: len(way)] == way}
        if way in arrays:
            made[way[-1]] = StructurePointer(_nested(inner, arrays, way, is_array=arrays[way]))
        else:
            made[way[-1]] = inner[way] if way in inner else _nested(inner, arrays, way, is_array=is_array)
    return Structure(made, is_array)


def selected(ctx: Context, structure: Structure, name: str, cursor: Any) -> Place:
    """Select a member of a structure."""
    deferred, index = structure.deferred.get(name), structure.index
    member = structure.members.get(name) if deferred is None else deferred(cursor)
    inner = cursor.type.get_canonical().get_pointee()
    if member is None and inner.kind is TypeKind.RECORD:
        is_opaque = inner.get_size() < 0
        raise ctx.refusal(*(("struct-opaque", cursor, inner.spelling) if is_opaque else ("struct-link", cursor, name)))
    if member is None:
        what = f"the member `{name}`" if name.isidentifier() else "a union without a name"
        raise ctx.refusal("struct", cursor, what)
    if index is None:
        return member
    if isinstance(member, Structure):
        return replace(member, index=index)
    assert isinstance(member, Cell)
    return Cell(ctx.moved(member.pointer, index, "+", ctx.location(cursor)))


def subscripted(ctx: Context, found: StructurePointer, index: SSAValue, cursor: Any) -> Structure:
    """Select one of an array of structures."""
    target = found.target
    if not target.is_array:
        raise ctx.refusal("struct", cursor, "a subscript")
    if target.index is not None:
        index = ctx.arithmetic("+", target.index, index, LONG, ctx.location(cursor))
    return replace(target, index=index)


def stepped(ctx: Context, found: StructurePointer, by: SSAValue, operator: str, cursor: Any) -> StructurePointer:
    """Move a pointer to one of an array of structures by a number of them."""
    if not found.target.is_array:
        raise ctx.refusal("struct", cursor, f"`{operator}` on a pointer to one")
    index = ctx.arithmetic(operator, index_of(ctx, found, cursor), by, LONG, ctx.location(cursor))
    return StructurePointer(replace(found.target, index=index))


def in_its_structure(ctx: Context, start: Pointer, by: SSAValue, element: Pointer, cursor: Any) -> Pointer:
    """Ask that an element of an array in a structure is none of the next structure, which memory here has behind it."""
    known = [extent for extent in start.shape if isinstance(extent, int)]
    own = prod(known)
    if len(known) < len(start.shape) or start.together % own:
        raise leads_out(ctx, cursor)
    at = ctx.location(cursor)
    for operator, end in ((">=", 0), ("<", start.together // own)):
        asked = ctx.comparison(operator, by, ctx.constant(end, LONG, at), LONG, at)
        ctx.flow.add(AssertOp.create(operands=(asked,), properties={"msg": StringAttr(_BEYOND)}, location=at))
    return replace(element, together=own)


def leads_out(ctx: Context, cursor: Any) -> LiftError:
    """Build the refusal of a pointer that may leave the structure of an array that it points into."""
    return ctx.refusal("struct-part", cursor)


def index_of(ctx: Context, found: StructurePointer, cursor: Any) -> SSAValue:
    """Tell which one of an array of structures a pointer points to."""
    known = found.target.index
    return ctx.constant(0, LONG, ctx.location(cursor)) if known is None else known


def of_one_array(ctx: Context, one: StructurePointer, other: StructurePointer, cursor: Any) -> None:
    """Demand that two pointers point into one array of structures."""
    if one.target.members is not other.target.members or not one.target.is_array:
        raise ctx.refusal("pointer-compared", cursor, "pointers to structures that may be apart are compared")


def point_to(ctx: Context, target: StructureCursor | StructurePointer, new: StructurePointer, cursor: Any) -> None:
    """Let a variable point to a structure; a parameter stays what it is: ``x = resized(x, n)``."""
    if isinstance(target, StructurePointer):
        if target.target is not new.target:
            raise ctx.refusal("struct-pointer", cursor, "a pointer is set to several structures")
        return
    if target.structure is None:
        target.structure = replace(new.target, index=None)
    if target.structure.members is not new.target.members:
        raise ctx.refusal("struct-pointer", cursor, "a pointer is set to several structures")
    ctx.flow.write(target.index, index_of(ctx, new, cursor))


def pointed_to(ctx: Context, source: StructureCursor, cursor: Any) -> StructurePointer:
    """Give the pointer that a variable holds."""
    if source.structure is None:
        raise ctx.refusal("struct-pointer", cursor, "a pointer to a structure is set after it was used")
    index = ctx.flow.read(source.index) if source.structure.is_array else None
    return StructurePointer(replace(source.structure, index=index))
