"""What a function does to structures, found beforehand: the members that it writes, the roots that it subscripts.

A member counts as written where it is assigned, incremented or has its address taken, in the function or in one that
it calls.  ``m->vals[i] = x`` writes what ``vals`` points to, not ``vals``; for an array inside the structure it is the
member that is written.  A root counts as subscripted where ``x[i].re`` occurs, or where a callee subscripts it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang

_WRAPPERS = {CursorKind.PAREN_EXPR, CursorKind.UNEXPOSED_EXPR}
_CHANGES = {"post++", "post--", "pre++", "pre--", "&"}


@dataclass(slots=True)
class Facts:
    """Declarations, by the identity that libclang gives them."""

    written: set[int] = field(default_factory=set)
    subscripted: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)


class FactFinder:
    """Finds the facts of each function once."""

    def __init__(self) -> None:
        self._known: dict[int, Facts] = {}

    def of(self, function: Any) -> Facts:
        """Give the facts of a function definition."""
        known = self._known.get(function.data[0])
        if known is None:
            known = self._known[function.data[0]] = Facts()
            work = [function]
            while work:
                cursor = work.pop()
                self._note(cursor, known)
                work.extend(libclang.children(cursor))
        return known

    def _note(self, cursor: Any, facts: Facts) -> None:
        """Note what one expression does by itself."""
        kind = cursor.kind
        if _changes(cursor):
            _written(libclang.children(cursor)[0], facts)
        elif kind is CursorKind.ARRAY_SUBSCRIPT_EXPR:
            base = stripped(libclang.children(cursor)[0])
            if base.kind is CursorKind.DECL_REF_EXPR and base.referenced is not None:
                facts.subscripted.add(base.referenced.data[0])
        elif kind is CursorKind.CALL_EXPR:
            self._call(cursor, facts)

    def _call(self, cursor: Any, facts: Facts) -> None:
        """Take over what the callee does."""
        definition = cursor.referenced.get_definition() if cursor.referenced is not None else None
        if definition is None or definition.kind is not CursorKind.FUNCTION_DECL:
            return
        inner = self.of(definition)
        facts.written |= inner.written
        for parameter, argument in zip(definition.get_arguments(), cursor.get_arguments(), strict=False):
            root = stripped(argument)
            named = root.kind is CursorKind.DECL_REF_EXPR and root.referenced is not None
            if named and parameter.data[0] in inner.subscripted:
                facts.subscripted.add(root.referenced.data[0])


def _changes(cursor: Any) -> bool:
    """Whether an expression assigns to its first operand, or takes its address."""
    if cursor.kind is CursorKind.BINARY_OPERATOR:
        return libclang.binary_operator(cursor) == "="
    if cursor.kind is CursorKind.UNARY_OPERATOR:
        return libclang.unary_operator(cursor) in _CHANGES
    return bool(cursor.kind is CursorKind.COMPOUND_ASSIGNMENT_OPERATOR)


def stripped(cursor: Any) -> Any:
    """Take parentheses and implicit conversions off an expression."""
    return libclang.inside(cursor, _WRAPPERS)


def _written(target: Any, facts: Facts) -> None:
    """Note the members whose memory an assignment to the target changes, and the pointers that it moves."""
    cursor = stripped(target)
    if cursor.type.get_canonical().kind is TypeKind.RECORD:
        _all_fields(cursor.type, facts)
    while True:
        if cursor.kind is CursorKind.DECL_REF_EXPR and cursor.referenced is not None:
            facts.moved.add(cursor.referenced.data[0])
            return
        children = libclang.children(cursor)
        if cursor.kind is CursorKind.MEMBER_REF_EXPR and children:
            if cursor.referenced is not None:
                facts.written.add(cursor.referenced.data[0])
        elif cursor.kind is not CursorKind.ARRAY_SUBSCRIPT_EXPR:
            return
        cursor = stripped(children[0])
        if cursor.type.get_canonical().kind is TypeKind.POINTER:
            return


def _all_fields(record: Any, facts: Facts) -> None:
    """Note every member of a structure that is assigned as a whole."""
    for child in libclang.children(record.get_canonical().get_declaration()):
        if child.kind is CursorKind.FIELD_DECL:
            facts.written.add(child.data[0])
            if child.type.get_canonical().kind is TypeKind.RECORD:
                _all_fields(child.type, facts)
