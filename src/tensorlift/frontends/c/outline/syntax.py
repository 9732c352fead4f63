"""The statements and expressions of one function, with what each names inside.

Syntax trees as data that can be compared: what libclang reads in a piece of text, without where it stands.

An array that became a parameter is a pointer there, so that arrays and pointers to the same elements count as one type.
A constant is handed over as a parameter that is none, so that expressions are compared without their own ``const``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT}
FOR_PARTS = 4  # of a `for` that leaves none out
_JUMPS = {
    CursorKind.BREAK_STMT,
    CursorKind.CONTINUE_STMT,
    CursorKind.GOTO_STMT,
    CursorKind.INDIRECT_GOTO_STMT,
    CursorKind.LABEL_STMT,
    CursorKind.CASE_STMT,
    CursorKind.DEFAULT_STMT,
}


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A cursor with its parts; ``names`` are the declarations that are named inside of it."""

    cursor: Any
    kind: CursorKind
    parts: tuple[Node, ...]
    names: frozenset[int]
    jumps: bool
    name: int = 0

    @property
    def start(self) -> int:
        """The offset of the first byte."""
        return int(self.cursor.extent.start.offset)

    @property
    def end(self) -> int:
        """The offset behind the last byte; a semicolon behind an expression does not belong to it."""
        return int(self.cursor.extent.end.offset)

    @property
    def operator(self) -> str:
        """The operator of an expression of two operands or one, else nothing."""
        if self.kind is CursorKind.UNARY_OPERATOR:
            return libclang.unary_operator(self.cursor)
        two = {CursorKind.BINARY_OPERATOR, CursorKind.COMPOUND_ASSIGNMENT_OPERATOR}
        return libclang.binary_operator(self.cursor) if self.kind in two else ""

    @property
    def has_loop(self) -> bool:
        """Whether a loop stands inside."""
        return any(node.kind in LOOPS for node in self.walk())

    def walk(self) -> Iterator[Node]:
        """Yield the node and all inside of it."""
        yield self
        for part in self.parts:
            yield from part.walk()


def node_of(cursor: Any) -> Node:
    """Read a cursor and all inside of it."""
    parts = tuple(map(node_of, libclang.children(cursor)))
    kind = cursor.kind
    name = identity(libclang.referenced(cursor)) if kind is CursorKind.DECL_REF_EXPR else 0
    names = frozenset({name} if name else ()).union(*(part.names for part in parts))
    return Node(cursor, kind, parts, names, kind in _JUMPS or any(part.jumps for part in parts), name)


def identity(cursor: Any) -> int:
    """Tell declarations apart; those of one thing are one."""
    return int(cursor.canonical.data[0] or 0)


def called_by(function: Any, filename: str) -> list[Any]:
    """List the definitions in a file that a function calls, directly or not."""
    found: dict[int, Any] = {}

    def visit(cursor: Any) -> None:
        for call in libclang.descendants(cursor, CursorKind.CALL_EXPR):
            callee = call.referenced
            definition = callee.get_definition() if callee is not None else None
            if definition is None or identity(definition) in found:
                continue
            file = definition.location.file
            if file is not None and file.name == filename:
                found[identity(definition)] = definition
                visit(definition)

    visit(function)
    return list(found.values())


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
ARRAYS = {*libclang.ARRAYS, TypeKind.DEPENDENTSIZEDARRAY}


def tree(cursor: Any, names: Mapping[str, str]) -> Tree:
    """Give the tree of a cursor; ``names`` are other names that some identifiers have here."""
    kind = cursor.kind
    if kind is CursorKind.PAREN_EXPR:  # the tree has the grouping; headers differ in the parentheses of their macros
        return tree(libclang.children(cursor)[0], names)
    if kind is CursorKind.UNEXPOSED_EXPR and _keeps_the_type(cursor):
        return tree(libclang.children(cursor)[0], names)
    own: list[object] = [kind.name]
    if kind in _NAMED or kind.is_declaration():
        own.append(names.get(cursor.spelling, cursor.spelling))
    if kind.is_expression() or kind.is_declaration():
        own.append(_value_type(cursor) if kind.is_expression() else _type(cursor.type))
    if kind in _LITERALS or kind is CursorKind.CXX_UNARY_EXPR:
        own.append(libclang.evaluate(cursor))
    elif kind in _BINARY:
        own.append(libclang.binary_operator(cursor))
    elif kind is CursorKind.UNARY_OPERATOR:
        own.append(libclang.unary_operator(cursor))
    elif kind.is_declaration():
        own.append(cursor.storage_class.name)
    return (*own, *(tree(child, names) for child in libclang.children(cursor)))


def _keeps_the_type(cursor: Any) -> bool:
    """Tell whether a conversion is to the same type, as of an enumeration and the integers that it is."""
    inner = libclang.children(cursor)
    return len(inner) == 1 and inner[0].kind.is_expression() and _value_type(cursor) == _value_type(inner[0])


def _value_type(expression: Any) -> str:
    return _type(expression.type).removeprefix("const ")


def _type(clang_type: Any) -> str:
    """Spell a type; arrays and pointers are spelled by what they hold, enumerations by the integers that they are.

    A function that takes or returns one may be declared with the integers, which is the same type to C.
    """
    canonical = clang_type.get_canonical()
    if canonical.kind is TypeKind.FUNCTIONPROTO:
        ends = ["..."] if canonical.is_function_variadic() else []
        return f"{_type(canonical.get_result())} ({', '.join([*map(_type, canonical.argument_types()), *ends])})"
    if canonical.kind is TypeKind.ENUM:
        return str(canonical.get_declaration().enum_type.spelling)
    if canonical.kind in ARRAYS:
        return f"-> {canonical.element_type.spelling}"
    if canonical.kind is TypeKind.POINTER:
        pointee = canonical.get_pointee()
        return f"-> {_type(pointee) if pointee.kind is TypeKind.FUNCTIONPROTO else pointee.spelling}"
    return str(canonical.spelling)
