"""Syntax trees as data that can be compared: what libclang reads in a piece of text, without where it stands.

An array that became a parameter is a pointer there, so that arrays and pointers to the same elements count as one type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang

if TYPE_CHECKING:
    from collections.abc import Mapping

Tree = tuple[object, ...]

_LITERALS = {CursorKind.INTEGER_LITERAL, CursorKind.FLOATING_LITERAL, CursorKind.CHARACTER_LITERAL}
_BINARY = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR}
_NAMED = {
    CursorKind.DECL_REF_EXPR,
    CursorKind.MEMBER_REF_EXPR,
    CursorKind.STRING_LITERAL,
    CursorKind.LABEL_REF,
    CursorKind.LABEL_STMT,
    CursorKind.TYPE_REF,
}
ARRAYS = {
    TypeKind.CONSTANTARRAY,
    TypeKind.INCOMPLETEARRAY,
    TypeKind.VARIABLEARRAY,
    TypeKind.DEPENDENTSIZEDARRAY,
}


def tree(cursor: Any, names: Mapping[str, str]) -> Tree:
    """Give the tree of a cursor; ``names`` are other names that some identifiers have here."""
    kind = cursor.kind
    own: list[object] = [kind.name]
    if kind in _NAMED or kind.is_declaration():
        own.append(names.get(cursor.spelling, cursor.spelling))
    if kind.is_expression() or kind.is_declaration():
        own.append(_type(cursor.type))
    if kind in _LITERALS or kind is CursorKind.CXX_UNARY_EXPR:
        own.append(libclang.evaluate(cursor))
    elif kind in _BINARY:
        own.append(libclang.binary_operator(cursor))
    elif kind is CursorKind.UNARY_OPERATOR:
        own.append(libclang.unary_operator(cursor))
    elif kind.is_declaration():
        own.append(cursor.storage_class.name)
    return (*own, *(tree(child, names) for child in libclang.children(cursor)))


def _type(clang_type: Any) -> str:
    """Spell a type; arrays and pointers are spelled by what they hold."""
    canonical = clang_type.get_canonical()
    if canonical.kind in ARRAYS:
        return f"-> {canonical.element_type.spelling}"
    if canonical.kind is TypeKind.POINTER:
        return f"-> {canonical.get_pointee().spelling}"
    return str(canonical.spelling)
