"""libclang expression cursors to expression nodes.

Implicit conversions are cursors of no exposed kind with one child: they become a ``Cast`` where the canonical types
differ.  Parentheses vanish.  Whatever has no row in the table of readers becomes ``Unsupported``.

Calls of functions that choose between integers, as ``imin(a, b)``, become the expression that they return.

So ``for (k = imax(0, i - r); ...)`` and ``x[imin(i + 1, n - 1)]`` are read as the same with ``?:`` in its place.  This
takes functions of integers whose body consists of ``if`` and ``return``, and arguments that read no memory: they may be
evaluated several times.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang, nodes
from tensorlift.frontends.c.c_types import IntegerType, OtherType
from tensorlift.frontends.c.demand import walk
from tensorlift.frontends.c.mapped import converted
from tensorlift.frontends.c.modified import has_effects

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    if variable.is_global:
        reader.use_outer(variable)
    return nodes.Name(variable, reader.types.of(cursor), reader.location(cursor))


def binary(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read a binary operator, or the assignment of a whole structure."""
    ctype = reader.types.of(cursor)
    if isinstance(ctype, OtherType) and cursor.type.get_canonical().kind is TypeKind.RECORD:
        return reader.members.copy(cursor)
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
    callee = reader.function_of(declaration)
    if callee is not None:
        return as_choice(nodes.Call(name, reader.call_of(callee, cursor), callee, ctype, location))
    arguments = tuple(reader.expression(argument) for argument in cursor.get_arguments())
    return nodes.Call(name, arguments, None, ctype, location)


def initialiser_list(reader: UnitReader, cursor: Any) -> nodes.Expression:
    """Read braces."""
    return nodes.InitialiserList(tuple(_all(reader, cursor)), reader.types.of(cursor), reader.location(cursor))


def _string(reader: UnitReader, cursor: Any) -> nodes.Expression:
    return reader.unsupported(cursor, "string")


def _member(reader: UnitReader, cursor: Any) -> nodes.Expression:
    return reader.members.read(cursor)


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
        (CursorKind.MEMBER_REF_EXPR, _member),
        (CursorKind.STRING_LITERAL, _string),
    )
}

_PLAIN = nodes.Name | nodes.Integer | nodes.Unary | nodes.Binary | nodes.Cast | nodes.Conditional
_MOST_NODES = 200


def as_choice(call: nodes.Call) -> nodes.Expression:
    """Give the value of a call as an expression with ``?:``, where it is one; else the call."""
    callee = call.callee
    if callee is None or callee.is_variadic or callee.writes or len(callee.parameters) != len(call.arguments):
        return call
    types = [callee.result, *(parameter.ctype for parameter in callee.parameters)]
    if not all(isinstance(ctype, IntegerType) for ctype in types) or not all(map(_is_plain, call.arguments)):
        return call
    value = _returned(callee.body.statements, callee)
    if value is None or not _chooses(value):
        return call
    given = zip(callee.parameters, call.arguments, strict=True)
    arguments = {parameter: converted(argument, parameter.ctype) for parameter, argument in given}
    names = [node.variable for node in walk(value) if isinstance(node, nodes.Name)]
    nodes_in_all = sum(sum(1 for _ in walk(arguments[name])) for name in names if name in arguments)
    if not set(names) <= arguments.keys() or nodes_in_all > _MOST_NODES:
        return call
    return _with_arguments(value, arguments, call)


def _returned(statements: Sequence[nodes.Statement], function: nodes.Function) -> nodes.Expression | None:
    """Give what statements return as one expression; None where they do more."""
    if not statements:
        return None
    first, rest = statements[0], statements[1:]
    match first:
        case nodes.Return(value=value):
            return value if value is not None and _is_plain(value) else None
        case nodes.Block(statements=inner):
            return _returned((*inner, *rest), function)
        case nodes.If(condition=condition, then=then, otherwise=otherwise) if _is_plain(condition):
            arms = [_returned((*([] if arm is None else [arm]), *rest), function) for arm in (then, otherwise)]
            if arms[0] is not None and arms[1] is not None:
                return nodes.Conditional(condition, arms[0], arms[1], function.result, first.location)
    return None


def _is_plain(expression: nodes.Expression) -> bool:
    """Whether an expression reads no memory and changes nothing."""
    parts = list(walk(expression))
    return not has_effects(expression) and all(
        isinstance(part, _PLAIN) and isinstance(part.ctype, IntegerType) for part in parts
    )


def _chooses(expression: nodes.Expression) -> bool:
    return any(isinstance(node, nodes.Conditional) for node in walk(expression))


def _with_arguments(
    expression: nodes.Expression, arguments: Mapping[nodes.Variable, nodes.Expression], call: nodes.Call
) -> nodes.Expression:
    """Copy what a function returns, with arguments for parameters, as if it stood in place of the call."""

    def copied(node: nodes.Expression) -> nodes.Expression:
        match node:
            case nodes.Name(variable=variable):
                return arguments[variable]
            case nodes.Unary() | nodes.Cast():
                return replace(node, operand=copied(node.operand), location=call.location)
            case nodes.Binary():
                return replace(node, left=copied(node.left), right=copied(node.right), location=call.location)
            case nodes.Conditional():
                condition, then, otherwise = map(copied, (node.condition, node.then, node.otherwise))
                return replace(node, condition=condition, then=then, otherwise=otherwise, location=call.location)
        return replace(node, location=call.location)

    return copied(expression)
