"""Pointers to structures that a function returns: one of its parameters, which the caller has already.

So the function gives nothing.  Where it returns null on some ways, or what a call makes, what is lifted does not come
to these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.ir.literal_function import left_out
from tensorlift.readers.clang.context import StructurePointer, value
from tensorlift.readers.clang.left_out import LeavesOutError
from tensorlift.readers.clang.memory import is_null_constant
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr

    from tensorlift.diagnostics import Diagnostic, Location
    from tensorlift.frontends.c.member_facts import Definition
    from tensorlift.readers.clang.context import Context

_DEEPEST = 16  # calls in what is returned


def returned_structure(function: Any, definition: Definition, depth: int = 0) -> Any:
    """Give the parameter that points to the structure that a function returns; None where it is not always the same.

    That may be what another function returns, whose ``definition`` is looked up.
    """
    found = {}
    for statement in libclang.descendants(function, CursorKind.RETURN_STMT):
        (given,) = libclang.children(statement) or (statement,)
        named = _handed_through(given, definition, depth)
        if named is not None or not (is_null_constant(given) or _is_call(given)):
            found[named.data[0] if named is not None else None] = named
    (parameter,) = found.values() if len(found) == 1 else (None,)
    return parameter if parameter is not None and parameter.kind is CursorKind.PARM_DECL else None


def _handed_through(cursor: Any, definition: Definition, depth: int) -> Any:
    """Give what an expression names, or what the argument does that a call returns."""
    inside = libclang.inside(cursor, libclang.CONVERSIONS)
    if inside.kind is CursorKind.DECL_REF_EXPR:
        return inside.referenced
    called = definition(inside.referenced) if inside.kind is CursorKind.CALL_EXPR and inside.referenced else None
    if called is None or depth > _DEEPEST or called.kind is not CursorKind.FUNCTION_DECL:
        return None
    returned = returned_structure(called, definition, depth + 1)
    pairs = zip(called.get_arguments(), inside.get_arguments(), strict=False)
    argument = next((one for parameter, one in pairs if returned is not None and parameter == returned), None)
    return None if argument is None else _handed_through(argument, definition, depth + 1)


def _is_call(cursor: Any) -> bool:
    return libclang.inside(cursor, libclang.CONVERSIONS).kind is CursorKind.CALL_EXPR


def return_structure(ctx: Context, statement: Any, at: LocationAttr) -> None:
    """Return the parameter that a function returns; what is lifted does not come to where it returns anything else."""
    (cursor,), found = libclang.children(statement), ctx.left_out
    is_made = _is_call(cursor) and _handed_through(cursor, ctx.unit.known, 0) is None
    if is_made or is_null_constant(cursor):
        place, where = ctx.location(cursor), ctx.position(cursor)
        made = refusal("struct-pointer", where, "another structure is returned than the parameter that others return")
        if is_made and found is not None and not ctx.loops and statement.data[1] not in found.arms:
            found.arms[statement.data[1]] = made.diagnostics  # so that what the call writes is not written
            raise LeavesOutError
        ctx.flow.add(left_out(ctx.truth(0, place), place, made.diagnostics[0] if is_made else null_returned(where)))
    elif not isinstance(given := value(ctx, cursor), StructurePointer) or given.target.index is not None:
        raise ctx.refusal("struct-pointer", cursor, "a pointer to a structure is returned that was moved")
    ctx.flow.leave((), at)


def null_returned(place: Location | None) -> Diagnostic:
    """Say why what is lifted does not come to a place."""
    return refusal("pointer-value", place, "a null pointer is returned").diagnostics[0]
