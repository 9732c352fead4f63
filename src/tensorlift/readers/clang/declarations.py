"""Declarations: parameters, local variables, extents and initialisers.

A scalar whose address is not taken is a variable in SSA form, a pointer is two of them, an array is memory.  Extents
that vary are computed where the declaration stands.  libclang lists the extents of an array as children of the
declaration, innermost first, before the initialiser.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from clang.cindex import CursorKind, StorageClass

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import fields, structures_inside
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import (
    LONG,
    PARTS,
    ArrayType,
    ComplexType,
    CType,
    IntegerType,
    NumberType,
    OtherType,
    PointerType,
    is_structure,
)
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.context import (
    C,
    Cell,
    ComplexLocal,
    Context,
    FixedPointer,
    Place,
    Pointer,
    PointerLocal,
    Structure,
    StructureCursor,
    StructurePointer,
    Value,
    memory_type,
    pointee,
)
from tensorlift.readers.clang.expressions import conversion, converted, offset_value
from tensorlift.readers.clang.initialisers import initialisers
from tensorlift.readers.clang.members import elements_of, is_table, selected
from tensorlift.readers.clang.memory import fill, null_pointer, on_stack
from tensorlift.readers.clang.objects import assign, clear_structures
from tensorlift.readers.flow import Local

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import SSAValue

Variable: TypeAlias = Local | ComplexLocal | PointerLocal | StructureCursor | FixedPointer


def storage(ctx: Context, cursor: Any) -> Variable:
    """Give a scalar or a pointer its place, without the extents that vary."""
    ctype, at, name = ctx.type_of(cursor), ctx.location(cursor), cursor.spelling
    if isinstance(ctype, NumberType):
        return Local(ir_type(ctype), at, name or None)
    if isinstance(ctype, ComplexType):
        return complex_numbers.local(ctype, at, name)
    if isinstance(ctype, PointerType) and is_structure(ctype):
        return StructureCursor(Local(ir_type(LONG), at, name or None))
    if is_table(ctype) and not ctx.calls.frames:
        return FixedPointer(name, is_local=True)
    if isinstance(ctype, PointerType | ArrayType):  # an array as a parameter is a pointer
        element, _ = pointee(ctx, ctype.element, cursor, name)
        base = Local(memory_type(element), at, name or None)
        return PointerLocal(base, Local(ir_type(LONG), at, f"{name}_at" if name else None), ())
    if isinstance(ctype, OtherType):
        raise ctx.refusal(ctype.kind, cursor, ctype.spelling)
    raise ctx.refusal("declaration", cursor, name)


def with_extents(ctx: Context, cursor: Any, place: Variable) -> Variable:
    """Complete a pointer by the extents of what it points to, which are computed here."""
    ctype = ctx.type_of(cursor)
    if not isinstance(place, PointerLocal) or not isinstance(ctype, PointerType | ArrayType):
        return place
    shape, _ = _extents(ctx, cursor, ctype.element)
    return PointerLocal(place.base, place.offset, shape)


def declare(ctx: Context, cursor: Any) -> None:
    """Read the declaration of one variable in a function."""
    if cursor.storage_class is StorageClass.STATIC:
        _keep(ctx, cursor)
        return  # as one at file scope, where it is used
    if cursor.storage_class is StorageClass.EXTERN:
        raise ctx.refusal("global", cursor, cursor.spelling)
    ctype, identity = ctx.type_of(cursor), cursor.data[0]
    if isinstance(ctype, ArrayType):
        is_plain = isinstance(ctype.element, OtherType) and not ctx.calls.frames  # in C
        of_structures = is_plain and fields(cursor.type.get_canonical().element_type)
        ctx.places[identity] = (_structures if of_structures else _array)(ctx, cursor, ctype)
        return
    if isinstance(ctype, OtherType) and fields(cursor.type):
        ctx.places[identity] = _structure(ctx, cursor)
        return
    children = libclang.expressions(cursor)
    place: Variable | Cell = addressed(ctx, cursor) or storage(ctx, cursor)
    if isinstance(ctype, PointerType) and isinstance(ctype.element, ArrayType | ComplexType):
        shape, children = _extents(ctx, cursor, ctype.element)
        assert isinstance(place, PointerLocal)
        place = PointerLocal(place.base, place.offset, shape)
    ctx.places[identity] = place
    if not children:
        for local in parts_of(place):
            _undefined(ctx, local, cursor.spelling)
    elif children[-1].kind is CursorKind.INIT_LIST_EXPR:
        raise ctx.refusal("initialiser", children[-1], "a list for one number")
    else:
        _initialise(ctx, identity, place, converted(ctx, children[-1], ctype), cursor)


def _initialise(ctx: Context, identity: int, place: Variable | Cell, new: Value, cursor: Any) -> None:
    if isinstance(place, PointerLocal) and isinstance(new, Pointer):
        ctx.places[identity] = place = replace(place, together=new.together)
    assign(ctx, place, new, cursor)


def addressed(ctx: Context, cursor: Any, initial: Value | None = None) -> Cell | None:
    """Make memory for a number whose address its function takes, and give it its first value."""
    ctype, function = ctx.type_of(cursor), cursor.semantic_parent
    if not isinstance(ctype, NumberType):
        return None
    known = ctx.unit.addressed.get(function.data[0])
    if known is None:
        taken = [op for op in libclang.descendants(function, CursorKind.UNARY_OPERATOR) if _is_address(op)]
        named = [libclang.inside(libclang.children(op)[0], libclang.WRAPPERS) for op in taken]
        known = ctx.unit.addressed[function.data[0]] = {libclang.referenced_identity(name) for name in named}
    if cursor.data[0] not in known:
        return None
    at = ctx.location(cursor)
    memory = on_stack(ctx, ctype, ctx.constant(1, LONG, at), at)
    memory.base.name_hint = cursor.spelling
    if initial is not None:
        assign(ctx, Cell(memory), initial, cursor)
    return Cell(memory)


def _is_address(cursor: Any) -> bool:
    return libclang.unary_operator(cursor) == "&"


def parts_of(place: Variable | Cell) -> tuple[Local, ...]:
    """Give the variables in SSA form that a variable is."""
    match place:
        case Cell() | FixedPointer():
            return ()
        case Local():
            return (place,)
        case ComplexLocal(re, im):
            return re, im
        case StructureCursor(index):
            return (index,)
        case PointerLocal(base, offset):
            return base, offset


def is_constant(clang_type: Any) -> bool:
    """Whether objects of a type keep their value; libclang tells the qualifiers of elements only in the spelling."""
    clang_type = clang_type.get_canonical()
    spelling = clang_type.spelling
    return bool(clang_type.is_const_qualified() or (spelling.startswith("const ") and "*" not in spelling))


def _keep(ctx: Context, cursor: Any) -> None:
    """Ask that a static variable is constant: by its type, or as its function writes it nowhere."""
    if is_constant(cursor.type):
        return
    if not isinstance(innermost(ctx.type_of(cursor)), NumberType) or not _is_read(cursor.semantic_parent, cursor):
        raise ctx.refusal("static-local", cursor, cursor.spelling)
    ctx.unit.kept.add(cursor.data[0])


def _is_read(inside: Any, variable: Any, *, is_loaded: bool = False) -> bool:
    """Whether all uses of a variable take the values of its cells; what ``is_loaded`` is an operand of which one is."""
    kind = inside.kind
    if kind is CursorKind.DECL_REF_EXPR:
        return is_loaded or libclang.referenced(inside) != variable
    if kind is CursorKind.CXX_UNARY_EXPR:  # `sizeof`
        return True
    children = libclang.children(inside)
    if kind is CursorKind.UNEXPOSED_EXPR:
        is_row = bool(children) and children[0].type.get_canonical().kind in libclang.ARRAYS
        return all(_is_read(child, variable, is_loaded=is_loaded or not is_row) for child in children)
    through = children[:1] if kind in {CursorKind.PAREN_EXPR, CursorKind.ARRAY_SUBSCRIPT_EXPR} else []
    return all(_is_read(child, variable, is_loaded=is_loaded and child in through) for child in children)


def _extents(ctx: Context, cursor: Any, array: CType) -> tuple[tuple[int | SSAValue, ...], list[Any]]:
    """Give the extents of an array type, outermost first, and the children of the declaration that are left."""
    _, lengths = pointee(ctx, array, cursor, cursor.spelling)
    parts = (PARTS,) if isinstance(innermost(array), ComplexType) else ()
    lengths = lengths[: len(lengths) - len(parts)]
    children = libclang.expressions(cursor)
    spelled = [child for child in children if isinstance(ctx.type_of(child), IntegerType)][: len(lengths)]
    if None in lengths and len(spelled) < len(lengths):
        raise ctx.refusal("type", cursor, ctx.type_of(cursor).spelling)
    shape = tuple(
        offset_value(ctx, spelled[-1 - number]) if length is None else length for number, length in enumerate(lengths)
    )
    return (*shape, *parts), [child for child in children if not isinstance(ctx.type_of(child), IntegerType)]


def _cast(ctx: Context, cursor: Any) -> Value:
    """Read an explicit conversion, whose type may spell extents: ``(double (*)[m])p`` is a pointer to rows."""
    *spelled, operand = libclang.expressions(cursor)
    ctype = ctx.value_type(cursor)
    if not spelled or not isinstance(ctype, PointerType):
        return conversion(ctx, cursor)
    found = converted(ctx, operand, ctype)
    assert isinstance(found, Pointer), found
    shape, _ = _extents(ctx, cursor, ctype.element)
    return replace(found, shape=shape)


def _structures(ctx: Context, cursor: Any, ctype: ArrayType) -> StructurePointer:
    """Make a local array of structures, with memory for each member of all of them, and initialise it."""
    at, record = ctx.location(cursor), cursor.type.get_canonical().element_type
    spelled = [child for child in libclang.expressions(cursor) if child.kind is not CursorKind.INIT_LIST_EXPR]
    count = ctype.length or offset_value(ctx, spelled[-1])
    made = Structure(_members_of_all(ctx, cursor, record, cursor.spelling, ctx.extent(count, at)), is_array=True)
    initial = [child for child in libclang.expressions(cursor) if child.kind is CursorKind.INIT_LIST_EXPR]
    for items in map(libclang.children, initial):
        if not isinstance(count, int) or len(items) < count:
            raise ctx.refusal("initialiser", initial[0], "a list for some of the structures")
        for number, item in enumerate(items):
            _initialised(ctx, replace(made, index=ctx.constant(number, LONG, at)), record, item)
    return StructurePointer(made)


def _members_of_all(ctx: Context, cursor: Any, record: Any, name: str, count: SSAValue) -> dict[str, Place]:
    """Make the memory of each member of an array of structures; one that cannot be used is not there."""
    made: dict[str, Place] = {}
    for field in fields(record):
        hint, ctype, at = f"{name}_{field.spelling}", ctx.unit.types.read(field.type), ctx.location(cursor)
        element, shape = elements_of(ctype)
        if fields(field.type):
            made[field.spelling] = Structure(_members_of_all(ctx, cursor, field.type, hint, count))
        elif isinstance(element, NumberType) and shape is not None and not field.is_bitfield():
            own = ctx.constant(prod(shape), LONG, at)
            memory = on_stack(ctx, element, ctx.arithmetic("*", count, own, LONG, at) if shape else count, at)
            memory.base.name_hint = hint
            made[field.spelling] = Cell(Pointer(memory.base, memory.offset, shape, prod(shape)))
    return made


def _structure(ctx: Context, cursor: Any) -> Structure:
    """Make the members of a local structure and initialise them."""
    made = _members(ctx, cursor, cursor.type, cursor.spelling)
    children = libclang.expressions(cursor)
    if children:
        _initialised(ctx, made, cursor.type, children[-1])
    return made


def _members(ctx: Context, cursor: Any, record: Any, name: str) -> Structure:
    """Make a variable or memory for each member; one that cannot be used is not there."""
    made: dict[str, Place] = {}
    for field in fields(record):
        hint = f"{name}_{field.spelling}"
        inside = structures_inside(field.type)
        place: Place | None
        if inside is not None:
            count = ctx.constant(max(field.type.get_canonical().element_count, 0), LONG, ctx.location(cursor))
            place = StructurePointer(Structure(_members_of_all(ctx, cursor, inside, hint, count), is_array=True))
        else:
            place = _members(ctx, cursor, field.type, hint) if fields(field.type) else _member(ctx, cursor, field, hint)
        if place is not None and field.spelling.isidentifier():
            made[field.spelling] = place
    return Structure(made)


def _member(ctx: Context, cursor: Any, field: Any, hint: str) -> Place | None:
    """Make a number, a pointer or an array, whose values are undefined."""
    at, ctype = ctx.location(cursor), ctx.unit.types.read(field.type)
    element, shape = elements_of(ctype.element if isinstance(ctype, PointerType) else ctype)
    if not isinstance(element, NumberType) or shape is None or field.is_bitfield():
        return None
    if isinstance(ctype, ArrayType):
        memory = on_stack(ctx, element, ctx.constant(prod(shape), LONG, at), at)
        memory.base.name_hint = hint
        return Cell(Pointer(memory.base, memory.offset, shape))
    if not isinstance(ctype, PointerType):
        return _undefined(ctx, Local(ir_type(element), at, hint))
    base = _undefined(ctx, Local(memory_type(element), at, hint))
    return PointerLocal(base, _undefined(ctx, Local(ir_type(LONG), at, f"{hint}_at")), shape)


def _undefined(ctx: Context, local: Local, name: str | None = None) -> Local:
    ctx.flow.write(local, ctx.flow.undefined(local.type, local.location, name or local.name))
    return local


def _initialised(ctx: Context, made: Structure, record: Any, initial: Any, items: Sequence[Any] | None = None) -> None:
    """Give a local structure its first value; what a list, or the ``items`` of one, does not give is zero."""
    if items is None and initial.kind is not CursorKind.INIT_LIST_EXPR:
        assign(ctx, made, converted(ctx, initial, ctx.unit.types.read(record)), initial)
        return
    items = libclang.children(initial) if items is None else items
    for number, field in enumerate(fields(record)):
        item = items[number] if number < len(items) else None
        _check_item(ctx, record, field, item, initial)
        if item is None and field.spelling not in made.members:
            continue  # what cannot be used
        ctype, target = ctx.unit.types.read(field.type), selected(ctx, made, field.spelling, initial)
        match target:
            case Structure():
                _initialised(ctx, target, field.type, item or initial, () if item is None else None)
            case Cell(pointer) if pointer.shape and made.index is None and (item is None or _is_list(item)):
                (element, shape), at = elements_of(ctype), ctx.location(initial)
                fill(ctx, pointer, ctx.constant(prod(shape or ()), LONG, at), ctx.constant(0, element, at), at)
                if item is not None:
                    _listed(ctx, pointer, ctype, item)
            case StructurePointer(inner) if item is None:
                count = ctx.constant(field.type.get_canonical().element_count, LONG, ctx.location(initial))
                clear_structures(ctx, inner, structures_inside(field.type), initial, count)
            case Local() | PointerLocal():
                assign(ctx, target, _first_value(ctx, ctype, item, initial), item or initial)
            case Cell(pointer) if not pointer.shape:
                assign(ctx, target, _first_value(ctx, ctype, item, initial), item or initial)
            case _:
                raise ctx.refusal("initialiser", initial, f"the member `{field.spelling}`")


def _check_item(ctx: Context, record: Any, field: Any, item: Any, initial: Any) -> None:
    """Refuse designators, and members of structures without a name."""
    if item is not None and any(child.kind is CursorKind.MEMBER_REF for child in libclang.children(item)):
        raise ctx.refusal("initialiser", item, "a designator")
    if field.semantic_parent != record.get_canonical().get_declaration():
        raise ctx.refusal("initialiser", initial, f"the member `{field.spelling}`")


def _first_value(ctx: Context, ctype: CType, item: Any, initial: Any) -> Value:
    """Give the first value of a number or a pointer."""
    if item is not None:
        return converted(ctx, item, ctype)
    if isinstance(ctype, PointerType):
        return null_pointer(ctx, ctype, initial)
    return ctx.constant(0, ctype, ctx.location(initial))


def _array(ctx: Context, cursor: Any, ctype: ArrayType) -> Cell:
    """Make the memory of a local array and initialise it."""
    at = ctx.location(cursor)
    element, _ = pointee(ctx, ctype, cursor, cursor.spelling)
    children = libclang.expressions(cursor)
    initialiser = children[-1] if children and children[-1].kind is CursorKind.INIT_LIST_EXPR else None
    if children and children[-1].kind is CursorKind.STRING_LITERAL:
        raise ctx.refusal("text", cursor)
    shape, _ = _extents(ctx, cursor, ctype)
    count = ctx.extent(shape[0], at)
    for extent in shape[1:]:
        count = ctx.arithmetic("*", count, ctx.extent(extent, at), LONG, at)
    made = on_stack(ctx, element, count, at)
    made.base.name_hint = cursor.spelling
    if initialiser is not None:
        if not all(isinstance(extent, int) for extent in shape):
            raise ctx.refusal("initialiser", initialiser, "an array of variable extent")
        fill(ctx, made, count, ctx.constant(0, element, at), at)
        _listed(ctx, replace(made, shape=shape), ctype, initialiser)
    return Cell(Pointer(made.base, made.offset, shape))


def _is_list(cursor: Any) -> bool:
    return bool(cursor.kind is CursorKind.INIT_LIST_EXPR)


def _listed(ctx: Context, made: Pointer, ctype: CType, initialiser: Any) -> None:
    """Give an array the values of a list; the others are there already."""
    lengths, whole = [extent for extent in made.shape if isinstance(extent, int)], innermost(ctype)
    if isinstance(whole, ComplexType):
        lengths.pop()
    for number, item in initialisers(ctx, initialiser, lengths):
        position = number * PARTS if isinstance(whole, ComplexType) else number
        target = Pointer(made.base, ctx.constant(position, LONG, ctx.location(initialiser)))
        assign(ctx, Cell(target), converted(ctx, item, whole), item)


def innermost(ctype: CType) -> CType:
    """Strip all array dimensions."""
    while isinstance(ctype, ArrayType):
        ctype = ctype.element
    return ctype


C.values[CursorKind.CSTYLE_CAST_EXPR.value] = _cast
