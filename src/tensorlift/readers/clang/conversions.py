"""Conversions of values to other types, and arithmetic on numbers of one type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import SSAValue

from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, ComplexType, CType, IntegerType, NumberType, PointerType, is_structure
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.conditions import check_rounded
from tensorlift.readers.clang.context import (
    Allocation,
    Complex,
    Context,
    Pointer,
    Structure,
    StructurePointer,
    Value,
    decayed,
    misused,
)
from tensorlift.readers.clang.members import is_same_structure, is_table
from tensorlift.readers.clang.memory import is_null, retyped

if TYPE_CHECKING:
    from xdsl.dialects.builtin import FileLineColLoc

SHIFTS = {"<<", ">>"}


def to_type(ctx: Context, cursor: Any, found: Value, source: CType, target: CType) -> Value:
    """Convert a value; a pointer may only change what the elements' bits are taken for."""
    if isinstance(source, NumberType) and isinstance(target, NumberType) and isinstance(found, SSAValue):
        if source == target:
            return found
        check_rounded(ctx, cursor)
        return ctx.converted(found, source, target, ctx.location(cursor))
    if isinstance(target, ComplexType):
        return found if source == target else complex_numbers.as_complex(ctx, found, source, target, cursor)
    if isinstance(found, Complex) and isinstance(target, NumberType):
        return complex_numbers.as_real(ctx, found, target, cursor)
    if isinstance(found, Structure | StructurePointer):
        if not is_structure(target) or not is_same_structure(decayed(source), target):
            raise misused(ctx, found, cursor, "")
        return found
    if isinstance(found, Pointer | Allocation):
        return _pointer_to_type(ctx, cursor, found, source, target)
    if not isinstance(found, SSAValue) or isinstance(target, PointerType):
        raise ctx.refusal("pointer-value", cursor, "a number is used as a pointer")
    raise ctx.refusal("expression", cursor, f"the conversion to `{target.spelling}`")


def _pointer_to_type(ctx: Context, cursor: Any, found: Pointer | Allocation, source: CType, target: CType) -> Value:
    if isinstance(found, Pointer) and is_table(source) != is_table(target):
        raise ctx.refusal("row-pointers", cursor, cursor.spelling)
    if isinstance(found, Pointer) and target == BOOL:
        truth = is_null(ctx, found, cursor, null=False)
        return ctx.operation("arith.extui", (truth,), ir_type(BOOL), ctx.location(cursor))
    if not isinstance(target, PointerType):
        raise ctx.refusal("pointer-value", cursor, "a pointer is used as a number")
    return retyped(ctx, found, target, cursor)


def arithmetic(  # noqa: PLR0913, PLR0917 - an operator, its operands and their types
    ctx: Context, operator: str, left: SSAValue, right: SSAValue, ctype: CType, amount: CType, at: FileLineColLoc
) -> SSAValue:
    """Append an arithmetic operation; only the amount of a shift may have a type of its own."""
    if operator in SHIFTS:
        right = _shift_amount(ctx, right, amount, ctype, at)
    return ctx.arithmetic(operator, left, right, ctype, at)


def _shift_amount(ctx: Context, amount: SSAValue, source: CType, target: CType, at: FileLineColLoc) -> SSAValue:
    """Bring the amount to the shifted type; one that is too large stays so."""
    assert isinstance(source, IntegerType)
    assert isinstance(target, IntegerType)
    if source.width > target.width:
        most = ctx.constant(target.width, source, at)
        amount = ctx.operation("arith.minui", (amount, most), ir_type(source), at)
    return ctx.converted(amount, source, IntegerType("", target.width, signed=source.signed, rank=0), at)
