"""libclang expression cursors to expression nodes.

Implicit conversions are cursors of no exposed kind with one child: they become a ``Cast`` where the canonical types
differ.  Parentheses vanish.  Whatever has no row in the table of readers becomes ``Unsupported``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.ops.c_types import IntegerType

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.frontends.c.clang_ast import UnitReader


_FLOAT_CONSTANTS = ("__builtin_inf", "__builtin_nan", "__builtin_huge_val")


def _all(reader: UnitReader, cursor: Any) -> list[nodes.Expression]:
    """Read the children of a cursor."""
    return [reader.expression(child) for child in libclang.children(cursor)]


def _parenthesised(reader: UnitReader, cursor: Any) -> nodes.Expression:
    return reader.expression(libclang.children(cursor)[0])


def implicit_conversion(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read an implicit conversion."""
    children = libclang.children(cursor)
    if len(children) != 1:
        return reader.unsupported(cursor, "expression", "this expression")
    operand = reader.expression(children[0])
    return _converted(reader, cursor, operand, explicit=False)


def _converted(reader: UnitReader, cursor: Any, operand: nodes.Expression, *, explicit: bool) -> nodes.Expression:
    """Put a conversion around an operand of another type."""
    ctype = reader.types.of(cursor)
    if ctype == operand.ctype and not isinstance(operand, nodes.InitialiserList):
        return operand
    return nodes.Cast(operand, ctype, operand.location, explicit)


def conversion(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read a conversion that the source spells."""
    children = libclang.expressions(cursor)
    if not children:
        return reader.unsupported(cursor, "expression", "this cast")
    return _converted(reader, cursor, reader.expression(children[-1]), explicit=True)


def _integer(reader: UnitReader, cursor: Any) -> nodes.Expression:
    value, ctype = libclang.evaluate(cursor), reader.types.of(cursor)
    if not isinstance(value, int) or not isinstance(ctype, IntegerType):
        return reader.unsupported(cursor, "expression", "this constant")
    return nodes.Integer(ctype.wrap(value), ctype, reader.location(cursor))


def _floating(reader: UnitReader, cursor: Any) -> nodes.Expression:
    value = libclang.evaluate(cursor)
    if not isinstance(value, float):
        return reader.unsupported(cursor, "long-double")
    return nodes.Floating(value, reader.types.of(cursor), reader.location(cursor))


def _size_of(reader: UnitReader, cursor: Any) -> nodes.Expression:
    if isinstance(libclang.evaluate(cursor), int):
        return _integer(reader, cursor)
    return reader.unsupported(cursor, "expression", "`sizeof` of a variable extent")


def reference(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read a name."""
    variable = reader.variables.get(libclang.referenced_identity(cursor))
    return _first_reference(reader, cursor) if variable is None else _name(reader, variable, cursor)


def _first_reference(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read a name whose declaration has not been read."""
    declaration, ctype = cursor.referenced, reader.types.of(cursor)
    if declaration is None:
        return reader.unsupported(cursor, "expression", f"`{cursor.spelling}`")
    if declaration.kind is CursorKind.ENUM_CONSTANT_DECL:
        return nodes.Integer(declaration.enum_value, ctype, reader.location(cursor))
    if declaration.kind is CursorKind.FUNCTION_DECL:
        return reader.unsupported(cursor, "function-pointer")
    return _name(reader, reader.variable_of(declaration), cursor)


def _name(reader: UnitReader, variable: nodes.Variable, cursor: Any) -> nodes.Name:
    return nodes.Name(variable, reader.types.of(cursor), reader.location(cursor))


def binary(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read a binary operator."""
    ctype = reader.types.of(cursor)
    left, right = _all(reader, cursor)
    operator = libclang.binary_operator(cursor)
    if operator == "=":
        return nodes.Assign("", left, right, ctype, reader.location(cursor))
    return nodes.Binary(operator, left, right, ctype, left.location)


def _compound(reader: UnitReader, cursor: Any) -> nodes.Expression:
    target, value = _all(reader, cursor)
    operator = libclang.binary_operator(cursor).removesuffix("=")
    return nodes.Assign(operator, target, value, reader.types.of(cursor), reader.location(cursor))


def unary(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read a unary operator."""
    (operand,) = _all(reader, cursor)
    operator = libclang.unary_operator(cursor)
    if operator == "extension":
        return operand
    if operator in {"real", "imag"}:
        return reader.unsupported(cursor, "complex")
    return nodes.Unary(operator, operand, reader.types.of(cursor), reader.location(cursor))


def _subscript(reader: UnitReader, cursor: Any) -> nodes.Expression:
    base, index = _all(reader, cursor)
    if isinstance(base.ctype, IntegerType):  # C allows 2[a]
        base, index = index, base
    return nodes.Subscript(base, index, reader.types.of(cursor), reader.location(cursor))


def conditional(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read ``?:``."""
    parts = _all(reader, cursor)
    if len(parts) != 3:  # noqa: PLR2004 - condition, then, otherwise
        return reader.unsupported(cursor, "expression", "`?:` without a middle operand")
    return nodes.Conditional(parts[0], parts[1], parts[2], reader.types.of(cursor), reader.location(cursor))


def _call(reader: UnitReader, cursor: Any) -> nodes.Expression:
    name, ctype, location = cursor.spelling, reader.types.of(cursor), reader.location(cursor)
    if name.startswith(_FLOAT_CONSTANTS):
        value = libclang.evaluate(cursor)
        return (
            nodes.Floating(float(value), ctype, location)
            if value is not None
            else reader.unsupported(cursor, "call", name)
        )
    declaration = cursor.referenced
    if declaration is None or declaration.kind is not CursorKind.FUNCTION_DECL:
        return reader.unsupported(cursor, "function-pointer")
    arguments = tuple(reader.expression(argument) for argument in cursor.get_arguments())
    definition = declaration.get_definition()
    callee = reader.function(definition) if definition is not None else None
    return nodes.Call(name, arguments, callee, ctype, location)


def initialiser_list(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read braces."""
    return nodes.InitialiserList(tuple(_all(reader, cursor)), reader.types.of(cursor), reader.location(cursor))


def _string(reader: UnitReader, cursor: Any) -> nodes.Expression:
    return reader.unsupported(cursor, "string")


EXPRESSIONS: dict[int, Callable[[UnitReader, Any], nodes.Expression]] = {
    kind.value: rule
    for kind, rule in (
        (CursorKind.PAREN_EXPR, _parenthesised),
        (CursorKind.UNEXPOSED_EXPR, implicit_conversion),
        (CursorKind.CSTYLE_CAST_EXPR, conversion),
        (CursorKind.INTEGER_LITERAL, _integer),
        (CursorKind.CHARACTER_LITERAL, _integer),
        (CursorKind.FLOATING_LITERAL, _floating),
        (CursorKind.CXX_UNARY_EXPR, _size_of),
        (CursorKind.DECL_REF_EXPR, reference),
        (CursorKind.BINARY_OPERATOR, binary),
        (CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, _compound),
        (CursorKind.UNARY_OPERATOR, unary),
        (CursorKind.ARRAY_SUBSCRIPT_EXPR, _subscript),
        (CursorKind.CONDITIONAL_OPERATOR, conditional),
        (CursorKind.CALL_EXPR, _call),
        (CursorKind.INIT_LIST_EXPR, initialiser_list),
        (CursorKind.STRING_LITERAL, _string),
    )
}
