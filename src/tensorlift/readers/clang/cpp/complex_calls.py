"""std::complex: what <complex> declares, by its name; a number is both of its parts, as in C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind
from xdsl.ir import SSAValue

from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.cpp_types import is_complex
from tensorlift.frontends.cpp.syntax import arguments_of, is_constructor
from tensorlift.ir.c_types import ir_type
from tensorlift.ops.c_types import BOOL, ComplexType, FloatType
from tensorlift.readers.clang import complex_numbers
from tensorlift.readers.clang.context import Cell, Complex, ComplexLocal, Context, Place, Value, value
from tensorlift.readers.clang.conversions import to_type
from tensorlift.readers.clang.expressions import converted, place
from tensorlift.readers.clang.objects import assign, contents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FUNCTIONS = {"real": "creal", "imag": "cimag", "conj": "conj", "abs": "cabs", "exp": "cexp"}
_ASSIGNMENTS = {"operator=", "operator+=", "operator-=", "operator*=", "operator/="}


def of_complex(ctx: Context, cursor: Any, *, wants_object: bool) -> Place | None:
    """Read the call of a constructor, an operator or a function of <complex>.

    Raises ``LiftError`` for one of which no arithmetic on parts is known, as ``std::arg``.
    """
    name, arguments = cursor.referenced.spelling, arguments_of(cursor)
    if is_constructor(cursor):
        return _constructed(ctx, cursor, arguments)
    if name in _ASSIGNMENTS:
        return _assigned(ctx, cursor, name.removeprefix("operator"), arguments, wants_object=wants_object)
    if name in _MADE:
        return _MADE[name](ctx, cursor, arguments)
    if name.startswith("operator"):
        return _operated(ctx, cursor, name.removeprefix("operator"), arguments)
    if name in {"real", "imag"} and not _is_given_one(arguments):
        return _part(ctx, cursor, name, arguments)
    if name in _FUNCTIONS:
        return complex_numbers.applied(ctx, _FUNCTIONS[name], _number(ctx, arguments[0]), cursor)
    raise ctx.refusal("complex", cursor, f"`std::{name}`")


def _operated(ctx: Context, cursor: Any, operator: str, arguments: Sequence[Any]) -> Value:
    """Read an operator that changes nothing."""
    ctype, operands = ctx.type_of(cursor), [(value(ctx, argument), ctx.type_of(argument)) for argument in arguments]
    if operator in {"==", "!="}:
        truth = complex_numbers.equal(ctx, operator, operands, cursor)
        return ctx.operation("arith.extui", (truth,), ir_type(BOOL), ctx.location(cursor))
    if not isinstance(ctype, ComplexType) or operator not in {"+", "-", "*", "/"}:
        raise ctx.refusal("complex", cursor, f"`{operator}` of complex numbers")
    if len(operands) > 1:
        return complex_numbers.arithmetic(ctx, operator, operands, ctype, cursor)
    ((found, _),) = operands
    return complex_numbers.unary(ctx, operator, found, cursor) if operator == "-" else found


def _is_given_one(arguments: Sequence[Any]) -> bool:
    """Whether a function is given a complex number, and is no member function of one."""
    return len(arguments) == 1 and is_complex(arguments[0].type)


def _number(ctx: Context, cursor: Any) -> Complex:
    found = value(ctx, cursor)
    assert isinstance(found, Complex)
    return found


def _real(ctx: Context, cursor: Any, part: FloatType) -> SSAValue | None:
    """Read a part that a constructor is given; None where it is left out, and so is zero."""
    if cursor.kind is CursorKind.UNEXPOSED_EXPR and not libclang.children(cursor):
        return None
    found = converted(ctx, cursor, part)
    assert isinstance(found, SSAValue)
    return found


def _constructed(ctx: Context, cursor: Any, arguments: Sequence[Any]) -> Complex:
    """Read a number made of its parts, or of another number."""
    ctype = ctx.type_of(cursor)
    assert isinstance(ctype, ComplexType)
    if _is_given_one(arguments):
        found = converted(ctx, arguments[0], ctype)
        assert isinstance(found, Complex)
        return found
    re, im = (*(_real(ctx, argument, ctype.part) for argument in arguments), None, None)[:2]
    return Complex(re, im, ctype.part)


def _receiver(cursor: Any) -> Any:
    """Give the object whose member function is called: that of ``z.real()``, or the left side of an operator."""
    (first, *_) = libclang.children(cursor)
    inner = libclang.children(first) if first.spelling in {"real", "imag"} else []
    return inner[0] if inner else first


def _assigned(ctx: Context, cursor: Any, operator: str, arguments: Sequence[Any], *, wants_object: bool) -> Place:
    """Read ``=``, ``+=`` and the like: the right side comes first."""
    receiver = _receiver(cursor)
    other, given, ctype = value(ctx, arguments[0]), ctx.type_of(arguments[0]), ctx.type_of(receiver)
    assert isinstance(ctype, ComplexType)
    target = place(ctx, receiver)
    if operator == "=":
        new = to_type(ctx, cursor, other, given, ctype)
    else:
        wide = complex_numbers.common_type([ctype, given])
        old = contents(ctx, target, receiver)
        found = complex_numbers.arithmetic(ctx, operator[0], [(old, ctype), (other, given)], wide, cursor)
        new = to_type(ctx, cursor, found, wide, ctype)
    assign(ctx, target, new, cursor)
    return target if wants_object else new


def _part(ctx: Context, cursor: Any, name: str, arguments: Sequence[Any]) -> Place | None:
    """Read ``z.real()`` and ``z.real(x)``."""
    receiver = _receiver(cursor)
    if not arguments:
        return complex_numbers.unary(ctx, name, _number(ctx, receiver), cursor)
    ctype = ctx.type_of(receiver)
    assert isinstance(ctype, ComplexType)
    new, target = converted(ctx, arguments[0], ctype.part), place(ctx, receiver)
    if not isinstance(target, Cell | ComplexLocal):
        raise ctx.refusal("complex", cursor, f"`{name}` of what is no variable")
    assign(ctx, complex_numbers.part_of(ctx, target, name, cursor), new, cursor)
    return None


def _norm(ctx: Context, cursor: Any, arguments: Sequence[Any]) -> SSAValue:
    found, at = _number(ctx, arguments[0]), ctx.location(cursor)
    squares = [ctx.arithmetic("*", part, part, found.part, at) for part in complex_numbers.both(ctx, found, at)]
    return ctx.arithmetic("+", squares[0], squares[1], found.part, at)


def _polar(ctx: Context, cursor: Any, arguments: Sequence[Any]) -> Complex:
    """Read ``std::polar(size, angle)``."""
    ctype, at = ctx.type_of(cursor), ctx.location(cursor)
    assert isinstance(ctype, ComplexType)
    size, angle = (_real(ctx, argument, ctype.part) for argument in arguments)
    if size is None or angle is None:
        raise ctx.refusal("complex", cursor, "`std::polar` without an angle")
    turned = [ctx.operation(f"math.{name}", (angle,), ir_type(ctype.part), at) for name in ("cos", "sin")]
    re, im = (ctx.arithmetic("*", size, one, ctype.part, at) for one in turned)
    return Complex(re, im, ctype.part)


def _imaginary(ctx: Context, cursor: Any, arguments: Sequence[Any]) -> Complex:
    """Read ``2.0i``."""
    ctype, number = ctx.type_of(cursor), libclang.evaluate(arguments[0])
    if number is None or not isinstance(ctype, ComplexType):
        raise ctx.refusal("complex", cursor, "this literal")
    return Complex(None, ctx.constant(number, ctype.part, ctx.location(cursor)), ctype.part)


_MADE: dict[str, Callable[[Context, Any, Sequence[Any]], Value]] = {
    "norm": _norm,
    "polar": _polar,
    'operator""i': _imaginary,
}
