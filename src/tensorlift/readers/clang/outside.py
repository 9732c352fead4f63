"""Variables at file scope: memory by their symbols, structures member by member, and pointers as arguments.

A number or an array is memory of its own, and so is each number or array of a structure, ``@st.n``, and of all
structures of an array, ``@table[].key``.  What a pointer holds when the function is called is an argument of that, and
of all functions that call it: ``@t`` or ``@st.data``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp
from xdsl.dialects.memref import CastOp, GetGlobalOp

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.member_facts import fields, structures_inside
from tensorlift.ir.c_types import ir_type
from tensorlift.ir.function import OFFSET, OUTSIDE, ROW, TEXT
from tensorlift.ir.literal_function import argument_names, callee_of, name_arguments
from tensorlift.ops.c_types import LONG, ArrayType, CType, NumberType, OtherType, PointerType
from tensorlift.readers.clang.context import (
    Cell,
    Context,
    FixedPointer,
    Place,
    Pointer,
    Structure,
    StructurePointer,
    memory_type,
    pointee,
)
from tensorlift.readers.clang.initialisers import items_of
from tensorlift.readers.clang.members import elements_of, is_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Attribute, SSAValue


def global_place(ctx: Context, cursor: Any) -> Place:
    """Give what a variable at file scope stands for: a constant is its value, others are memory as any other."""
    declaration = cursor.referenced
    if declaration is None or declaration.kind is not CursorKind.VAR_DECL:
        raise ctx.refusal("function-pointer", cursor)
    constant = _constant(ctx, declaration, cursor)
    if constant is not None:
        return constant
    declaration = ctx.unit.visible(declaration)
    if declaration is None:
        raise ctx.refusal("elsewhere", cursor, f"the variable `{cursor.spelling}` is one of `{ctx.unit.file}` alone")
    ctype, of_type = ctx.type_of(declaration), declaration.type
    inside = structures_inside(of_type) if isinstance(ctype, ArrayType) else None
    if not ctx.calls.frames and (inside is not None or (isinstance(ctype, OtherType) and ctype.kind == "struct")):
        found = _structures(of_type, declaration.spelling, declaration, ctx)
        ctx.places[libclang.referenced_identity(cursor)] = found
        return found
    return _object(ctx, declaration, ctype, "", cursor)


def _constant(ctx: Context, declaration: Any, cursor: Any) -> SSAValue | None:
    """Give the value of a number that is constant from the start; None for anything else."""
    ctype, is_constant = ctx.type_of(declaration), declaration.type.get_canonical().is_const_qualified()
    if not (is_constant or declaration.data[0] in ctx.unit.kept) or not isinstance(ctype, NumberType):
        return None
    found = _evaluated(ctx, declaration, ())
    return None if found is None else ctx.constant(found, ctype, ctx.location(cursor))


def _evaluated(ctx: Context, declaration: Any, names: Sequence[str]) -> float | None:
    """Give the number that a constant is, or its member of a name; None where it is not known."""
    definition = ctx.unit.definition(declaration)
    initial = libclang.expressions(declaration if isinstance(definition, str) else definition)
    items = items_of(ctx, initial[-1], declaration.type.get_canonical(), names, []) if initial else []
    return libclang.evaluate(items[0][1]) if items else 0 if initial else None


def _structures(
    of_type: Any, name: str, declaration: Any, ctx: Context, around: int = 0
) -> Structure | StructurePointer:
    """Give a structure, or an array of them, whose members are made where they are used.

    ``around`` counts the structures of an array that it is inside of.
    """
    inside, count = structures_inside(of_type), around
    if inside is not None:
        of_type, count, name = inside, of_type.get_canonical().element_count, f"{name}[]"
    made: dict[str, Place] = {}
    deferred: dict[str, Callable[[Any], Place]] = {}
    for field in fields(of_type):
        called, ctype = f"{name}.{field.spelling}", ctx.unit.types.read(field.type)
        if fields(field.type) or (structures_inside(field.type) is not None and not count):
            made[field.spelling] = _structures(field.type, called, declaration, ctx, count)
        elif count and isinstance(elements_of(ctype)[0], NumberType) and not field.is_bitfield():
            column = ArrayType(ctype.spelling, ctype, count)
            deferred[field.spelling] = partial(_column, ctx, declaration, column, called)
        elif not count and not field.is_bitfield():
            deferred[field.spelling] = partial(_object, ctx, declaration, ctype, called)
    found = Structure(made, is_array=bool(count), deferred=deferred)
    return StructurePointer(found) if inside is not None else found


def _object(ctx: Context, declaration: Any, ctype: CType, member: str, cursor: Any) -> Place:
    """Give a variable at file scope, or the member of one that has a name."""
    name, names = member or declaration.spelling, member.split(".")[1:]
    if isinstance(ctype, PointerType):
        return _pointer(ctx, ctype, name, cursor)
    if names and isinstance(ctype, NumberType) and declaration.type.get_canonical().is_const_qualified():
        value = _evaluated(ctx, declaration, names)
        if value is not None:
            return ctx.constant(value, ctype, ctx.location(cursor))
    element, shape = pointee(ctx, ctype, declaration, name)
    if isinstance(ctype, ArrayType) and None in shape:
        raise ctx.refusal("global", cursor, name)
    known = tuple(extent for extent in shape if extent is not None)
    at = ctx.location(cursor)
    symbol, memory = ctx.unit.memory(declaration, member, ctype)
    got = GetGlobalOp.create(result_types=(memory,), properties={"name": SymbolRefAttr(symbol)}, location=at)
    cast = CastOp.create(operands=got.results, result_types=(memory_type(element),), location=at)
    ctx.flow.add(got)
    ctx.flow.add(cast)
    return Cell(Pointer(cast.results[0], ctx.constant(0, LONG, at), known))


def _column(ctx: Context, declaration: Any, ctype: CType, member: str, cursor: Any) -> Cell:
    """Give a member of the first structure of an array, whose memory holds that of all of them."""
    found = _object(ctx, declaration, ctype, member, cursor)
    assert isinstance(found, Cell)
    own = elements_of(ctype)[1]
    assert own is not None
    return Cell(replace(found.pointer, shape=own[1:], together=prod(own[1:])))


def text(ctx: Context, cursor: Any) -> Pointer:
    """Give a string literal as memory whose contents are not told."""
    ctype, at = ctx.type_of(cursor), ctx.position(cursor)
    if ctx.calls.frames or not isinstance(ctype, ArrayType):
        raise ctx.refusal("string", cursor)
    found = _object(ctx, cursor, ctype, f"{TEXT}{at.line}:{at.column}", cursor)
    assert isinstance(found, Cell)
    return Pointer(found.pointer.base, found.pointer.offset)


def _pointer(ctx: Context, ctype: PointerType, name: str, cursor: Any) -> FixedPointer:
    """Give a pointer as it was when the function was called; of C++ there are no arguments for that."""
    if ctx.calls.frames:
        raise ctx.refusal("global", cursor, name)
    inner = ctype.element if is_table(ctype) else ctype
    assert isinstance(inner, PointerType)
    element, shape = pointee(ctx, inner.element, cursor, name)
    if None in shape:
        raise ctx.refusal("global", cursor, name)
    hint, called, counts = name.replace(".", "_"), f"{OUTSIDE}{name}", ir_type(LONG)
    base = _argument(ctx, called, memory_type(element), hint, cursor)
    offset = _argument(ctx, f"{called}{OFFSET}", counts, f"{hint}_at", cursor)
    known: tuple[int | SSAValue, ...] = tuple(extent for extent in shape if extent is not None)
    if inner is not ctype:
        known = (_argument(ctx, f"{called}{ROW}", counts, f"{hint}_row", cursor),)
    return FixedPointer(name, Pointer(base, offset, known))


def _argument(ctx: Context, called: str, of_type: Attribute, hint: str, cursor: Any) -> SSAValue:
    """Give an argument of the function, made where it is first asked for."""
    known = ctx.outer.get(called)
    if known is None:
        entry = ctx.flow.entry.block
        known = ctx.outer[called] = entry.insert_arg(of_type, len(entry.args), ctx.location(cursor))
        known.name_hint = hint
    return known


def hand_on_pointers(functions: Mapping[str, FuncOp]) -> None:
    """Let functions take the pointers at file scope that what they call takes, and hand them on."""
    taken = {name: _outer(function) for name, function in functions.items()}
    if not any(taken.values()):
        return
    calls = [
        (name, op)
        for name, function in functions.items()
        for op in function.walk()
        if isinstance(op, CallOp) and callee_of(op) in functions
    ]
    changed = True
    while changed:
        changed = False
        for name, call in calls:
            for called, argument in list(taken[callee_of(call)].items()):
                if called not in taken[name]:
                    entry = functions[name].body.blocks[0]
                    mine = taken[name][called] = entry.insert_arg(argument.type, len(entry.args), call.location)
                    mine.name_hint = argument.name_hint
                    changed = True
    for name, call in calls:
        call.operands = [*call.operands, *(taken[name][called] for called in taken[callee_of(call)])]
    for name, function in functions.items():
        own = [called for called in argument_names(function) if not called.startswith(OUTSIDE)]
        name_arguments(function, [*own, *taken[name]])


def _outer(function: FuncOp) -> dict[str, SSAValue]:
    """List the arguments that are pointers at file scope, by their names."""
    pairs = zip(argument_names(function), function.body.blocks[0].args, strict=True)
    return {name: argument for name, argument in pairs if name.startswith(OUTSIDE)}
