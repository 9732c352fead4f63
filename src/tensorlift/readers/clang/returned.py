"""Pointers that a function returns: one of its parameters, which the caller has already.

So the function gives nothing.  Where it returns another pointer on some ways, such as null, what is lifted does not
come to these.  A function that makes memory and returns it is not lifted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FunctionType, IntegerAttr, i1
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import BlockArgument

from tensorlift.frontends.c import libclang
from tensorlift.ir.literal_function import left_out
from tensorlift.ir.location import location_of
from tensorlift.readers.clang.context import StructurePointer, value
from tensorlift.readers.clang.memory import is_null_constant
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.dialects.builtin import LocationAttr
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import SSAValue

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
        if not is_null_constant(given):
            named = _handed_through(given, definition, depth)
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


def return_structure(ctx: Context, cursor: Any, at: LocationAttr) -> None:
    """Return the parameter that a function returns; where it returns null, what is lifted does not come to it."""
    if is_null_constant(cursor):
        place = ctx.location(cursor)
        ctx.flow.add(left_out(ctx.truth(0, place), place, _null(ctx.position(cursor))))
    elif not isinstance(found := value(ctx, cursor), StructurePointer) or found.target.index is not None:
        raise ctx.refusal("struct-pointer", cursor, "a pointer to a structure is returned that was moved")
    ctx.flow.leave((), at)


def _null(place: Location | None) -> Diagnostic:
    return refusal("pointer-value", place, "a null pointer is returned").diagnostics[0]


def keep_returned(function: FuncOp) -> None:
    """Let a function whose result is memory give nothing where that is always the same argument.

    Where it returns null, it ends as if that could not be read.
    """
    leaving = [op for op in function.walk() if isinstance(op, ReturnOp)]
    nothing = {op for op in leaving if isinstance(op.operands[0].owner, PoisonOp)}
    given = {tuple(op.operands) for op in leaving if op not in nothing}
    if len(given) != 1 or not _is_argument(function, *given):
        return
    for op in leaving:
        if op in nothing:
            never = ConstantOp(IntegerAttr(0, i1))
            never.location = op.location
            assert op.parent is not None
            ending = left_out(never.result, op.location, _null(location_of(op)))
            op.parent.insert_ops_before([never, ending], op)
        op.operands = []
    function.function_type = FunctionType.from_lists(list(function.function_type.inputs), [])


def _is_argument(function: FuncOp, pointer: Sequence[SSAValue]) -> bool:
    """Whether a pointer is one that a function was given, as it was."""
    base, offset = pointer
    entry = function.body.blocks[0]
    return isinstance(base, BlockArgument) and base.block is entry and offset is entry.args[base.index + 1]
