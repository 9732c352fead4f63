"""Whether a function loops over arrays of numbers: what scans count, whether it lifts or not.

A loop of it reads or writes a number by a subscript or through a pointer: `x[i]`, `*p`, `boxes[i].width`.  Loops that
go over texts, pointers and whole structures alone compute nothing that is an array operation.
"""

from __future__ import annotations

from typing import Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang

_LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT}
_OTHERS = {TypeKind.POINTER, TypeKind.RECORD, TypeKind.CHAR_S, TypeKind.CHAR_U, *libclang.ARRAYS}
_IN_OBJECTS = {CursorKind.MEMBER_REF_EXPR, CursorKind.PAREN_EXPR}


def loops_over_arrays(function: Any) -> bool:
    """Whether a loop of a function, or any of its code where it has a ``goto``, has a number of an array."""
    jumps = bool(libclang.descendants(function, CursorKind.GOTO_STMT))
    waiting = [(function, jumps)]
    while waiting:
        cursor, is_inside = waiting.pop()
        is_inside = is_inside or cursor.kind in _LOOPS
        if is_inside and _is_number_of_array(cursor):
            return True
        waiting += [(child, is_inside) for child in libclang.children(cursor)]
    return False


def _is_number_of_array(cursor: Any) -> bool:
    if cursor.kind not in {CursorKind.ARRAY_SUBSCRIPT_EXPR, CursorKind.UNARY_OPERATOR, CursorKind.MEMBER_REF_EXPR}:
        return False
    if cursor.type.get_canonical().kind in _OTHERS:
        return False
    while cursor.kind in _IN_OBJECTS and libclang.children(cursor):
        cursor = libclang.children(cursor)[0]
    is_pointed_to = cursor.kind is CursorKind.UNARY_OPERATOR and libclang.unary_operator(cursor) == "*"
    return is_pointed_to or bool(cursor.kind is CursorKind.ARRAY_SUBSCRIPT_EXPR)
