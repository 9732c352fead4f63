"""Conditions: comparisons, and ``&&``, ``||`` and ``!`` as branches."""

from __future__ import annotations

from typing import Any

from clang.cindex import CursorKind
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.ops.c_types import HALF, LONG, ComplexType, PointerType
from tensorlift.readers.clang.complex_numbers import equal, is_nonzero
from tensorlift.readers.clang.context import (
    Complex,
    Context,
    Pointer,
    StructurePointer,
    as_pointer,
    misused,
    pointer,
    scalar,
    value,
)
from tensorlift.readers.clang.members import index_of, of_one_array
from tensorlift.readers.clang.memory import are_same, is_null, is_null_constant, same_base
from tensorlift.readers.flow import Flow, Local

COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_LITERALS = {CursorKind.INTEGER_LITERAL, CursorKind.CXX_BOOL_LITERAL_EXPR}


def truth(ctx: Context, cursor: Any) -> SSAValue:
    """Read an expression as an ``i1``: whether it is not zero."""
    inside = without_parentheses(ctx, cursor)
    at = ctx.location(inside)
    if inside.kind is CursorKind.BINARY_OPERATOR:
        operator = libclang.binary_operator(inside)
        if operator in COMPARISONS:
            return compared(ctx, inside, operator)
        if operator in {"&&", "||"}:
            return chosen(ctx, inside)
    if inside.kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(inside) == "!":
        negated = truth(ctx, libclang.children(inside)[0])
        return ctx.operation("arith.xori", (negated, ctx.truth(1, at)), i1, at)
    if _is_string(inside):
        return ctx.truth(1, at)
    check_rounded(ctx, inside)
    found = value(ctx, inside)
    if isinstance(found, StructurePointer):  # who hands in what its members are has it
        return ctx.truth(1, at)
    if isinstance(found, Pointer):
        return is_null(ctx, found, inside, null=False)
    ctype = ctx.type_of(inside)
    if isinstance(found, Complex):
        return is_nonzero(ctx, found, at)
    if not isinstance(found, SSAValue):
        raise misused(ctx, found, inside, "")
    return ctx.is_nonzero(found, ctype, at)


def branch_on(ctx: Context, cursor: Any, then: Flow, otherwise: Flow) -> None:
    """End the block with a branch on a condition; ``&&``, ``||`` and ``!`` are branches, a number is none."""
    inside = without_parentheses(ctx, cursor)
    if inside.kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(inside) in {"&&", "||"}:
        left, right = libclang.children(inside)
        middle = Flow()
        first = (middle, otherwise) if libclang.binary_operator(inside) == "&&" else (then, middle)
        ctx.enter(inside)
        branch_on(ctx, left, *first)
        ctx.flow.enter(middle)
        branch_on(ctx, right, then, otherwise)
        ctx.depth -= 1
    elif inside.kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(inside) == "!":
        branch_on(ctx, libclang.children(inside)[0], otherwise, then)
    elif _is_string(inside):
        ctx.flow.jump(then, ctx.location(inside))
    elif inside.kind in _LITERALS:
        ctx.flow.jump(then if libclang.evaluate(inside) else otherwise, ctx.location(inside))
    else:
        found = truth(ctx, inside)
        if isinstance(found.owner, ConstantOp):  # a structure is there
            ctx.flow.jump(then if _is_true(found.owner) else otherwise, ctx.location(inside))
        else:
            ctx.flow.branch(found, then, otherwise, ctx.location(inside))


def _is_true(constant: ConstantOp) -> bool:
    return isinstance(constant.value, IntegerAttr) and constant.value.value.data != 0


def _is_string(cursor: Any) -> bool:
    """Whether a condition is a text, which is there: ``assert(n > 3 && "n is small")``."""
    while cursor.kind in libclang.WRAPPERS and len(libclang.children(cursor)) == 1:
        (cursor,) = libclang.children(cursor)
    return bool(cursor.kind is CursorKind.STRING_LITERAL)


def check_rounded(ctx: Context, cursor: Any) -> None:
    """Refuse arithmetic on ``_Float16`` whose value is used in another type, compared, or taken for a truth.

    C lets compilers keep more digits (FLT_EVAL_METHOD) until a value is stored or converted to its own type.
    """
    inside = without_parentheses(ctx, cursor)
    if ctx.type_of(inside) != HALF:
        return
    if inside.kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(inside) in _KEEPS_DIGITS:
        raise ctx.refusal("excess", inside)
    if inside.kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(inside) in {"-", "+"}:
        check_rounded(ctx, libclang.children(inside)[0])
    elif inside.kind is CursorKind.CONDITIONAL_OPERATOR:
        for arm in libclang.children(inside)[1:]:
            check_rounded(ctx, arm)
    elif inside.kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(inside) == ",":
        check_rounded(ctx, libclang.children(inside)[1])


_KEEPS_DIGITS = {"+", "-", "*", "/"}


def compared(ctx: Context, cursor: Any, operator: str) -> SSAValue:
    """Compare numbers, or the offsets of pointers into one memory."""
    left, right = libclang.children(cursor)
    for one, other in ((left, right), (right, left)):
        if operator in {"==", "!="} and isinstance(ctx.value_type(one), PointerType) and is_null_constant(other):
            found = value(ctx, one)
            if isinstance(found, StructurePointer):
                return ctx.truth(int(operator == "!="), ctx.location(cursor))
            return is_null(ctx, as_pointer(ctx, found, one), cursor, null=operator == "==")
    at = ctx.location(cursor)
    if any(isinstance(ctx.type_of(side), ComplexType) for side in (left, right)):
        return equal(ctx, operator, [(value(ctx, side), ctx.type_of(side)) for side in (left, right)], cursor)
    check_rounded(ctx, left)
    check_rounded(ctx, right)
    match value(ctx, left):
        case Pointer() as first:
            second = pointer(ctx, right)
            if operator in {"==", "!="} and ctx.left_out is not None:
                return are_same(ctx, first, second, cursor, same=operator == "==")
            same_base(ctx, first, second, cursor)
            return ctx.comparison(operator, first.offset, second.offset, LONG, at)
        case StructurePointer() as first:
            return _structures_compared(ctx, first, operator, right, cursor)
        case SSAValue() as first:
            return ctx.comparison(operator, first, scalar(ctx, right), ctx.type_of(left), at)
        case found:
            raise misused(ctx, found, left, "")


def _structures_compared(ctx: Context, first: StructurePointer, operator: str, right: Any, cursor: Any) -> SSAValue:
    """Compare pointers to structures: of one array by their numbers there, of two by a pointer in both."""
    other = value(ctx, right)
    if not isinstance(other, StructurePointer):
        raise misused(ctx, other, right, "")
    pointers = _pointers_in_both(first, other) if operator in {"==", "!="} else None
    if pointers is not None:
        return are_same(ctx, *pointers, cursor, same=operator == "==")
    of_one_array(ctx, first, other, cursor)
    one, two = (index_of(ctx, side, cursor) for side in (first, other))
    return ctx.comparison(operator, one, two, LONG, ctx.location(cursor))


def _pointers_in_both(one: StructurePointer, other: StructurePointer) -> tuple[Pointer, Pointer] | None:
    """Give a member of two structures that are no array, a pointer: it tells that these are not the same."""
    some, others = one.target.members, other.target.members
    pairs = [(some[name], others[name]) for name in some if name in others]
    found = [(a, b) for a, b in pairs if isinstance(a, Pointer) and isinstance(b, Pointer)]
    is_plain = some is not others and not (one.target.is_array or other.target.is_array)
    return found[0] if found and is_plain else None


def chosen(ctx: Context, cursor: Any) -> SSAValue:
    """Read ``&&`` and ``||`` for an ``i1``."""
    at = ctx.location(cursor)
    then, otherwise, join, result = Flow(), Flow(), Flow(), Local(i1, at)
    branch_on(ctx, cursor, then, otherwise)
    for arm, known in ((then, 1), (otherwise, 0)):
        ctx.flow.enter(arm)
        ctx.flow.write(result, ctx.truth(known, at))
        ctx.flow.jump(join, at)
    ctx.flow.enter(join)
    return ctx.flow.read(result)


def without_parentheses(ctx: Context, cursor: Any) -> Any:
    """Strip parentheses, ``__extension__``, and what libclang shows around an expression of the same type."""
    while True:
        if cursor.kind in libclang.WRAPPERS:
            children = libclang.children(cursor)
            if len(children) != 1 or ctx.type_of(children[0]) != ctx.type_of(cursor):
                return cursor
            cursor = children[0]
        elif cursor.kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(cursor) == "extension":
            (cursor,) = libclang.children(cursor)
        else:
            return cursor
