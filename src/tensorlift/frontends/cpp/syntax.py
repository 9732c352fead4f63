"""What cursors of C++ are, where the binding does not tell: calls of constructors, arguments, what functions return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.cpp_types import is_plain_array, spelled, without_reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.frontends.cpp.objects import ContainerType

WRAPPERS = {CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR}
HARMLESS = {  # declarations that do nothing where they stand
    CursorKind.TYPEDEF_DECL,
    CursorKind.TYPE_ALIAS_DECL,
    CursorKind.USING_DECLARATION,
    CursorKind.USING_DIRECTIVE,
    CursorKind.NAMESPACE_ALIAS,
    CursorKind.STATIC_ASSERT,
    CursorKind.STRUCT_DECL,
    CursorKind.CLASS_DECL,
    CursorKind.ENUM_DECL,
    CursorKind.FUNCTION_DECL,
}
_CASTS = {CursorKind.CXX_FUNCTIONAL_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR}


def unwrapped(cursor: Any) -> Any:
    """Take parentheses, implicit conversions and temporaries off an expression."""
    return libclang.inside(cursor, WRAPPERS)


def names_method(cursor: Any) -> bool:
    """Whether an expression is ``object.method``, where that of an operator is the object."""
    named = cursor.referenced if cursor.kind is CursorKind.MEMBER_REF_EXPR else None
    return named is not None and named.kind is not CursorKind.FIELD_DECL and named.kind is not CursorKind.VAR_DECL


def is_constructor(cursor: Any) -> bool:
    """Whether a call is that of a constructor."""
    return cursor.referenced is not None and cursor.referenced.kind is CursorKind.CONSTRUCTOR


def is_copy(cursor: Any) -> bool:
    """Whether a call copies or moves an object of its own type."""
    parameters = list(cursor.referenced.get_arguments())
    if len(parameters) != 1:
        return False
    passed = parameters[0].type.get_canonical()
    owner = cursor.referenced.semantic_parent.type.get_canonical()
    return bool(passed.get_pointee().spelling.removeprefix("const ") == spelled(owner))


def constructor_in(cursor: Any) -> Any:
    """Find the call of the constructor, or the expression, under temporaries and moves; None where there is none."""
    while cursor is not None:
        cursor = unwrapped(cursor)
        children = libclang.expressions(cursor)
        if cursor.kind in _CASTS and len(children) == 1:
            cursor = children[0]
        elif cursor.kind is CursorKind.CALL_EXPR and is_constructor(cursor) and is_copy(cursor):
            source = next(iter(cursor.get_arguments()))
            inner = unwrapped(source)
            if inner.kind is not CursorKind.CALL_EXPR or not is_constructor(inner):
                return cursor
            cursor = inner
        else:
            return cursor
    return None


def holds_all(cursor: Any, kind: ContainerType) -> bool:
    """Whether braces stand for a whole std::array: those around a single row would hold numbers."""
    inner = libclang.children(cursor)
    is_list = cursor.kind is CursorKind.INIT_LIST_EXPR
    return is_list and (kind.rank == 1 or any(unwrapped(c).kind is CursorKind.INIT_LIST_EXPR for c in inner))


def is_implicit(function: Any) -> bool:
    """Whether a member function is the compiler's own: it stands where its class does, or is declared as default."""
    is_written = function.location != function.semantic_parent.location
    return not is_written or bool(function.is_default_method())


def are_alike(one: Any, other: Any) -> bool:
    """Whether two types are the same class, const or not."""
    return bool(without_reference(one).get_declaration() == without_reference(other).get_declaration())


def default_of(declaration: Any) -> Any:
    """Give the initial value that the declaration of a member spells, None where it spells none."""
    values = libclang.expressions(declaration)
    if is_plain_array(declaration.type):  # its extents are expressions too
        values = [value for value in values if value.kind is CursorKind.INIT_LIST_EXPR]
    return values[-1] if values else None


def arguments_of(cursor: Any) -> list[Any]:
    """List the arguments of a call, without the object of an operator that is a member function."""
    arguments = list(cursor.get_arguments())
    inner = libclang.children(cursor)
    is_member = cursor.referenced.kind is CursorKind.CXX_METHOD and not cursor.referenced.is_static_method()
    if is_member and inner and not names_method(inner[0]):
        return arguments[1:]
    return arguments


def written_arguments(cursor: Any) -> list[Any]:
    """List the arguments that a call spells."""
    return [argument for argument in cursor.get_arguments() if argument is not None]


def argument_for(parameter: Any, position: int, arguments: Sequence[Any]) -> Any:
    """Give the argument for a parameter, or the default that its declaration spells; None where there is none."""
    if position < len(arguments) and libclang.children(arguments[position]):
        return arguments[position]
    if position < len(arguments) and arguments[position].kind is not CursorKind.UNEXPOSED_EXPR:
        return arguments[position]
    values = libclang.expressions(parameter)
    return values[-1] if values else None


def parameters_of(definition: Any) -> list[Any]:
    """List the parameters of a function, a constructor or a lambda."""
    return [child for child in libclang.children(definition) if child.kind is CursorKind.PARM_DECL]


def returned_expression(definition: Any) -> Any:
    """Give the expression of a function that only returns it; None for any other function."""
    bodies = [child for child in libclang.children(definition) if child.kind is CursorKind.COMPOUND_STMT]
    statements = libclang.children(bodies[0]) if bodies else []
    if len(statements) != 1 or statements[0].kind is not CursorKind.RETURN_STMT:
        return None
    values = libclang.children(statements[0])
    return values[0] if values else None


def lambda_result(cursor: Any) -> Any:
    """Give the type that a lambda returns: that of its call operator; None where it returns nothing."""
    spelled = cursor.type.get_canonical().get_declaration()
    for method in libclang.children(spelled):
        if method.kind is CursorKind.CXX_METHOD and method.spelling == "operator()":
            return method.result_type
    returns = [c for c in cursor.walk_preorder() if c.kind is CursorKind.RETURN_STMT]
    values = libclang.children(returns[0]) if returns else []
    return values[0].type if values else None
