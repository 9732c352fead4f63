"""What a function of C++ returns, as it is written: the type, the statements, and the variables that these name."""

from __future__ import annotations

from typing import Any, NamedTuple

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.cpp.cpp_types import is_class, is_reference
from tensorlift.frontends.cpp.syntax import (
    constructor_in,
    is_constructor,
    is_copy,
    lambda_result,
    unwrapped,
    written_arguments,
)


def result_of(definition: Any) -> Any:
    """Give the type that a function returns; None for a constructor, and for a lambda that returns nothing."""
    if definition.kind is CursorKind.CONSTRUCTOR:
        return None
    return lambda_result(definition) if definition.kind is CursorKind.LAMBDA_EXPR else definition.result_type


def returns_in(body: Any) -> list[Any]:
    """List the ``return``s of a function, those of lambdas inside of it left out."""
    found: list[Any] = []
    open_ = [body]
    while open_:
        cursor = open_.pop()
        if cursor.kind is CursorKind.RETURN_STMT:
            found.append(cursor)
        elif cursor.kind is not CursorKind.LAMBDA_EXPR:
            open_ += reversed(libclang.children(cursor))
    return found


def returned_variables(definition: Any, returns: list[Any]) -> frozenset[int | None]:
    """Tell the variables that a function returns by value, containers and objects of classes."""
    result = result_of(definition)
    if result is None or is_reference(result) or not is_class(result):
        return frozenset()
    named = [named_object(child) for statement in returns for child in libclang.children(statement)[:1]]
    found = frozenset(libclang.referenced_identity(name) for name in named if name is not None)
    return found if len(found) == 1 else frozenset()  # the caller's memory holds one at a time


def named_object(cursor: Any) -> Any:
    """Give the name of the variable that is returned, under moves and copies; None for any other expression."""
    inner = constructor_in(cursor)
    while inner is not None and inner.kind is CursorKind.CALL_EXPR and inner.referenced is not None:
        arguments = written_arguments(inner)
        if len(arguments) != 1 or not ((is_constructor(inner) and is_copy(inner)) or inner.spelling == "move"):
            return None
        inner = unwrapped(arguments[0])
    return inner if inner is not None and libclang.is_name(inner) else None


class Returned(NamedTuple):
    """What a function returns by value: the name of its variable, and the cursor that declares it."""

    name: str
    declared: Any


def returned_by(definition: Any, depth: int = 8) -> Returned:
    """Give the variable that a function returns, or that one which it calls for that returns; else ``result``."""
    bodies = [child for child in libclang.children(definition) if child.kind is CursorKind.COMPOUND_STMT]
    returns = returns_in(bodies[-1]) if bodies else []
    values = [child for statement in returns for child in libclang.children(statement)[:1]]
    if returned_variables(definition, returns):
        (variable, *_) = [name.referenced for name in map(named_object, values) if name is not None]
        return Returned(variable.spelling, variable)
    call = constructor_in(values[0]) if len(values) == 1 and depth > 0 else None
    called = call.referenced.get_definition() if call is not None and call.referenced is not None else None
    if called is not None and called.kind is not CursorKind.CONSTRUCTOR and result_of(called) is not None:
        return returned_by(called, depth - 1)
    return Returned("result", returns[0] if returns else definition)
