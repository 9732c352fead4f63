"""Flags of Fortran: a `character` that is compared with constants, by operators, cases or LSAME, is an integer.

Outside of comparisons a character has no value that is read.  LSAME and XERBLA, where the file does not define them,
are those of the reference BLAS: LSAME compares letters of any case, XERBLA ends the program.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import CmpiOp, ConstantOp
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i8, i32
from xdsl.dialects.cf import AssertOp
from xdsl.ir import BlockArgument

from tensorlift.frontends.fortran.constants import arguments_of
from tensorlift.frontends.fortran.syntax import kind_of
from tensorlift.ir.literal_function import CAPITALS, TELLS
from tensorlift.ops.c_types import BOOL, CHAR, INT
from tensorlift.readers.fortran.values import Number

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import SSAValue

    from tensorlift.readers.fortran.context import Context

_EQUALITIES = {"==": "==", ".eq.": "==", "/=": "!=", ".ne.": "!="}


def character(ctx: Context, node: Any, *, is_passed: bool = False) -> Number | None:
    """Read a character: a constant or an argument; None for anything else.

    Of a text that ``is_passed`` to an argument of one character, that is the first one.
    """
    if kind_of(node) == "Parenthesis":
        return character(ctx, node.children[1], is_passed=is_passed)
    if kind_of(node) == "Part_Ref" and str(node.children[1]) == "1 : 1":
        return character(ctx, node.children[0])
    if kind_of(node) == "Char_Literal_Constant":
        return _constant(ctx, node, is_passed=is_passed)
    symbol = ctx.frame.scope.find(str(node).lower()) if kind_of(node) == "Name" else None
    if symbol is None or symbol.ctype is not CHAR:
        return None
    ctx.check(symbol, node)
    if symbol.is_constant:
        return character(ctx, symbol.value)
    bound = ctx.binding(symbol.name, node)
    return bound if isinstance(bound, Number) else None


def _constant(ctx: Context, node: Any, *, is_passed: bool) -> Number:
    """Read a constant of one character; blanks at its end are none."""
    text = str(node.children[0])[1:-1].rstrip(" ") or " "
    text = text[:1] if is_passed else text
    if len(text) > 1 or not text.isascii():
        raise ctx.refusal("character", node)
    return Number(ord(text), CHAR)


def compared(ctx: Context, operator: str, left: Any, right: Any) -> Number | None:
    """Read a comparison of two characters; None for one of anything else."""
    spelled = _EQUALITIES.get(operator)
    one = character(ctx, left) if spelled is not None else None
    other = character(ctx, right) if one is not None else None
    if one is None or other is None or spelled is None:
        return None
    return Number(of_codes(ctx, spelled, one, other), BOOL)


def of_codes(ctx: Context, operator: str, one: Number, other: Number) -> SSAValue:
    """Compare two characters by their codes, as integers of the type in which C compares them."""
    left, right = (ctx.value(ctx.cast(side, INT)) for side in (one, other))
    return ctx.comparison(operator, left, right, INT)


def _lsame(ctx: Context, node: Any) -> Number:
    """Compare capitals: an argument is to be no small letter, which the procedure asks for once."""
    given = [character(ctx, argument) for _, argument in arguments_of(node)]
    one, other = given if len(given) == 2 else (None, None)  # noqa: PLR2004 - what LSAME compares
    if one is None or other is None:
        raise ctx.refusal("arguments", node, "lsame")
    flags = [
        ctx.value(f) if f.literal is None else ctx.constant(ord(chr(int(f.literal)).upper()), CHAR)
        for f in (one, other)
    ]
    for flag in flags:
        if isinstance(flag, BlockArgument):
            ctx.capitals.setdefault(flag, ctx.at)
    return Number(ctx.comparison("==", flags[0], flags[1], CHAR), BOOL)


def ask_for_capitals(ctx: Context) -> None:
    """Let the procedure begin with asking for flags that are no small letters."""
    for flag, at in ctx.capitals.items():
        limit = ConstantOp.create(properties={"value": IntegerAttr(ord("a") - 1, i8)}, result_types=[i8], location=at)
        test = CmpiOp(flag, limit.results[0], "sle")
        test.location = at
        said = AssertOp.create(operands=test.results, properties={"msg": StringAttr(CAPITALS)}, location=at)
        ctx.flow.begin_with(limit, test, said)


def _xerbla(ctx: Context, _node: Any) -> None:
    ctx.require(ctx.constant(0, BOOL), f"{TELLS} by `xerbla`")


def _code(ctx: Context, node: Any) -> Number:
    """Give the code of a character, which has no sign."""
    given = [character(ctx, argument) for _, argument in arguments_of(node)]
    if len(given) != 1 or given[0] is None:
        raise ctx.refusal("character", node)
    if given[0].literal is not None:
        return Number(given[0].literal, INT)
    return Number(ctx.operation("arith.extui", (ctx.value(given[0]),), i32), INT)


CODES: dict[str, Callable[[Context, Any], Number]] = {"iachar": _code, "ichar": _code}
FUNCTIONS: dict[str, Callable[[Context, Any], Number]] = {"lsame": _lsame}
SUBROUTINES: dict[str, Callable[[Context, Any], None]] = {"xerbla": _xerbla}
