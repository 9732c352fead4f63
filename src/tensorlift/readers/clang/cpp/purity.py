"""Whether an expression, or a function, does nothing but give a value."""

from __future__ import annotations

from typing import Any

from clang.cindex import CursorKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.math_functions import is_math_function
from tensorlift.frontends.cpp.cpp_types import in_std

_READERS = {"size", "empty", "operator[]", "at", "front", "back", "begin", "end", "data"}
_STEPS = {"post++", "pre++", "post--", "pre--"}
_EFFECTS = {CursorKind.COMPOUND_ASSIGNMENT_OPERATOR, CursorKind.CXX_NEW_EXPR, CursorKind.CXX_DELETE_EXPR}
_EFFECTS |= {CursorKind.CXX_THROW_EXPR, CursorKind.LAMBDA_EXPR}


def is_pure(cursor: Any, depth: int = 8) -> bool:
    """Whether reading an expression, or the body of a function, has no effects; no is the answer in doubt."""
    kind = cursor.kind
    if kind in _EFFECTS:
        return False
    if kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(cursor) == "=":
        return False
    if kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(cursor) in _STEPS:
        return False
    if kind is CursorKind.CALL_EXPR and not _is_pure_function(cursor.referenced, depth):
        return False
    return all(is_pure(child, depth) for child in libclang.children(cursor))


def _is_pure_function(function: Any, depth: int) -> bool:
    if function is None or depth == 0:
        return False
    definition = function.get_definition()
    if definition is not None:
        return is_pure(definition, depth - 1)
    if function.kind is CursorKind.CXX_METHOD:
        return in_std(function) and function.spelling in _READERS
    return function.kind is CursorKind.FUNCTION_DECL and is_math_function(function.spelling)
