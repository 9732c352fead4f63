"""Expressions of C++: names of references, members, casts, comparisons of type bool, calls.

What gives a number, a pointer or nothing becomes an expression of the shared syntax tree; what gives a container or an
object of a class is read by ``object_of``.

``*std::max_element(first, last)`` and ``*std::min_element(first, last)``, as the loops that find the value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import BOOL, INT, VOID, NumberType, PointerType
from tensorlift.frontends.c.clang_expressions import EXPRESSIONS as C_EXPRESSIONS
from tensorlift.frontends.c.clang_expressions import (
    binary,
    conditional,
    conversion,
    implicit_conversion,
    initialiser_list,
    reference,
    unary,
)
from tensorlift.frontends.c.conditions import COMPARISONS
from tensorlift.frontends.cpp.calls import Calls
from tensorlift.frontends.cpp.cpp_types import in_std, is_plain_array
from tensorlift.frontends.cpp.objects import Container, Lambda, Object, Record
from tensorlift.frontends.cpp.refusals import refusal
from tensorlift.frontends.cpp.syntax import unwrapped
from tensorlift.frontends.cpp.vectors import converted, truth

if TYPE_CHECKING:
    from collections.abc import Callable


_EXTREMES = {"max_element": "<", "min_element": ">"}
_ENDS = 2


_ZERO = re.compile(r"[\w:]+ ?(?:\( ?\)|\{ ?\})", re.ASCII)
_TRUTHS = COMPARISONS | {"&&", "||"}
_REASONS = {
    CursorKind.CXX_NEW_EXPR: ("heap", "new"),
    CursorKind.CXX_DELETE_EXPR: ("heap", "delete"),
    CursorKind.CXX_DYNAMIC_CAST_EXPR: ("class", "`dynamic_cast`"),
    CursorKind.CXX_REINTERPRET_CAST_EXPR: ("reference", "`reinterpret_cast` looks at memory as another type"),
    CursorKind.CXX_TYPEID_EXPR: ("class", "`typeid`"),
    CursorKind.CXX_THIS_EXPR: ("class", "a use of `this`"),
    CursorKind.LAMBDA_EXPR: ("callable", "a lambda that is called where it stands"),
}


class Expressions(Calls):
    """Reading of expressions."""

    def extreme_element(self, cursor: Any) -> nodes.Expression:
        """Read the value of the greatest or least element between two iterators."""
        location = self.location(cursor)
        ends = [self.expression(argument) for argument in cursor.get_arguments()]
        kind = ends[0].ctype
        if len(ends) != _ENDS or not isinstance(kind, PointerType):
            raise refusal("call", location, f"std::{cursor.spelling}")
        ctype = kind.element
        if not isinstance(ctype, NumberType):
            raise refusal("call", location, f"std::{cursor.spelling}")
        first, last = (nodes.Variable(name, kind, location, is_parameter=True) for name in ("first", "last"))
        here = nodes.Name(first, kind, location)
        value = nodes.Unary("*", here, ctype, location)
        best = nodes.Variable("best", ctype, location, initialiser=value)
        found = nodes.Name(best, ctype, location)
        better = nodes.Binary(_EXTREMES[cursor.spelling], found, value, INT, location)
        take = nodes.assignment(found, value, location)
        going = nodes.Binary("!=", here, nodes.Name(last, kind, location), INT, location)
        step = nodes.Unary("pre++", here, kind, location)
        loop = nodes.Loop("for", None, going, step, nodes.If(better, take, None, location), location)
        statements = (nodes.Declare(best, location), loop, nodes.Return(found, location))
        body = nodes.Block(statements, location)
        function = nodes.Function(cursor.spelling, (first, last), ctype, location, body)
        return nodes.Call(cursor.spelling, tuple(ends), function, ctype, location)

    def object_of(self, cursor: Any) -> Object | None:
        """Read an expression of class type; None where it is no known object."""
        kind, inner = cursor.kind, libclang.children(cursor)
        if kind in {CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR} and len(inner) == 1:
            return self.object_of(inner[0])
        if kind in {CursorKind.CXX_FUNCTIONAL_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR}:
            return self.object_of(inner[-1])
        if kind is CursorKind.DECL_REF_EXPR and cursor.referenced is not None:
            found = self.bound.get(cursor.referenced.data[0])
        elif kind is CursorKind.MEMBER_REF_EXPR:
            found = self.member_binding(cursor)
        elif kind is CursorKind.CALL_EXPR:
            return self.object_call(cursor)
        elif kind is CursorKind.CXX_THIS_EXPR or (kind is CursorKind.UNARY_OPERATOR and _is_this(inner)):
            return self.frame.this
        elif kind is CursorKind.LAMBDA_EXPR:
            return self._lambda(cursor)
        else:
            found = None
        return found if isinstance(found, Container | Record | Lambda) else None

    def _lambda(self, cursor: Any) -> Lambda:
        """Read a lambda, which must capture by reference, or what never changes: a copy might be of an older value."""
        captures = self.text_of(cursor).partition("]")[0].removeprefix("[")
        by_copy = [c for c in captures.replace(" ", "").split(",") if c and not c.startswith("&") and c != "this"]
        captured = [c.referenced for c in libclang.children(cursor) if c.kind is CursorKind.DECL_REF_EXPR]
        for variable in captured:
            is_copied = variable.spelling in by_copy or ("=" in by_copy and f"&{variable.spelling}" not in captures)
            if is_copied and any(self.uses.changes(frame.definition, variable) for frame in self.frames):
                detail = f"a lambda that captures a copy of `{variable.spelling}`, which changes,"
                raise refusal("callable", self.location(cursor), detail)
        if any("=" in capture[1:] for capture in by_copy):
            raise refusal("callable", self.location(cursor), f"a lambda with variables of its own, `[{captures}]`,")
        return Lambda(cursor)


def _thrown(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Read a ``throw``, on whose way the program ends."""
    return nodes.Call("throw", (), None, VOID, reader.location(cursor))


def _null(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Read ``nullptr``."""
    return nodes.Integer(0, INT, reader.location(cursor))


def _refused(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Refuse an expression that has no meaning here."""
    reason, detail = _REASONS[cursor.kind]
    raise refusal(reason, reader.location(cursor), detail)


def _named_value(reader: Expressions, cursor: Any) -> nodes.Expression:
    declaration, inner = cursor.referenced, libclang.children(cursor)
    if not cursor.spelling and len(inner) == 1:  # a constant parameter of a template
        return reader.expression(inner[0])
    found = reader.bound.get(declaration.data[0]) if declaration is not None else None
    if found is None:
        return reference(reader, cursor)
    if isinstance(found, Container) and is_plain_array(cursor.type):
        return found.base
    if isinstance(found, Container | Record | Lambda):
        raise refusal("class", reader.location(cursor), f"`{cursor.spelling}` as a whole")
    return found


def _binary_of_bool(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Read a binary operator; a comparison is of type bool."""
    if cursor.type.get_canonical().kind is TypeKind.RECORD:
        raise refusal("class", reader.location(cursor), f"`{reader.text_of(cursor)}`")
    expression = binary(reader, cursor)
    if not isinstance(expression, nodes.Binary) or expression.operator not in _TRUTHS:
        return expression
    sides = (expression.left, expression.right)
    left, right = map(bare, sides) if expression.operator in {"&&", "||"} else sides
    return truth(nodes.Binary(expression.operator, left, right, INT, expression.location))


def _unary_of_bool(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Read a unary operator; ``!`` is of type bool, and ``*std::max_element(...)`` is a value."""
    inner = unwrapped(libclang.children(cursor)[0])
    if inner.kind is CursorKind.CALL_EXPR and inner.spelling in _EXTREMES and in_std(inner.referenced):
        return reader.extreme_element(inner)
    expression = unary(reader, cursor)
    if isinstance(expression, nodes.Unary) and expression.operator == "!":
        return truth(nodes.Unary("!", bare(expression.operand), INT, expression.location))
    return expression


def _choice(reader: Expressions, cursor: Any) -> nodes.Expression:
    expression = conditional(reader, cursor)
    if isinstance(expression, nodes.Conditional):
        expression.condition = bare(expression.condition)
    return expression


def _bool(reader: Expressions, cursor: Any) -> nodes.Expression:
    return nodes.Integer(int(libclang.evaluate(cursor) or 0), BOOL, reader.location(cursor))


def _converted_implicitly(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Read an implicit conversion, or ``T()`` with a parameter of a template as its type."""
    ctype = reader.types.of(cursor)
    if libclang.children(cursor) or not isinstance(ctype, NumberType):
        return implicit_conversion(reader, cursor)
    if not _ZERO.fullmatch(reader.text_of(cursor)):
        return reader.unsupported(cursor, "expression", "this expression")
    return converted(nodes.Integer(0, INT, reader.location(cursor)), ctype)


def _functional(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Read ``T(x)``, ``T{x}`` or ``T()``."""
    if not any(child.kind.is_expression() for child in libclang.children(cursor)):
        return converted(nodes.Integer(0, INT, reader.location(cursor)), reader.types.read(cursor.type))
    return conversion(reader, cursor)


def _list(reader: Expressions, cursor: Any) -> nodes.Expression:
    """Read braces; around one number they change nothing."""
    inner = libclang.children(cursor)
    ctype = reader.types.read(cursor.type)
    if cursor.type.get_canonical().kind is not TypeKind.CONSTANTARRAY and len(inner) == 1:
        return reader.expression(inner[0])
    if not inner and cursor.type.get_canonical().kind is not TypeKind.CONSTANTARRAY:
        return converted(nodes.Integer(0, INT, reader.location(cursor)), ctype)
    return initialiser_list(reader, cursor)


EXPRESSIONS: dict[int, Callable[..., nodes.Expression]] = {
    **C_EXPRESSIONS,
    **{
        kind.value: rule
        for kind, rule in (
            (CursorKind.DECL_REF_EXPR, _named_value),
            (CursorKind.UNEXPOSED_EXPR, _converted_implicitly),
            (CursorKind.BINARY_OPERATOR, _binary_of_bool),
            (CursorKind.UNARY_OPERATOR, _unary_of_bool),
            (CursorKind.CONDITIONAL_OPERATOR, _choice),
            (CursorKind.CXX_BOOL_LITERAL_EXPR, _bool),
            (CursorKind.CXX_STATIC_CAST_EXPR, conversion),
            (CursorKind.CXX_CONST_CAST_EXPR, conversion),
            (CursorKind.CXX_FUNCTIONAL_CAST_EXPR, _functional),
            (CursorKind.INIT_LIST_EXPR, _list),
            (CursorKind.CALL_EXPR, Calls.scalar_call),
            (CursorKind.MEMBER_REF_EXPR, Calls.member),
        )
    },
    **dict.fromkeys((kind.value for kind in _REASONS), _refused),
    CursorKind.CXX_THROW_EXPR.value: _thrown,
    CursorKind.CXX_NULL_PTR_LITERAL_EXPR.value: _null,
}


def bare(condition: nodes.Expression) -> nodes.Expression:
    """Take the conversion to bool off a condition."""
    while isinstance(condition, nodes.Cast) and condition.ctype is BOOL and not condition.explicit:
        condition = condition.operand
    return condition


def _is_this(inner: list[Any]) -> bool:
    return len(inner) == 1 and inner[0].kind is CursorKind.CXX_THIS_EXPR
