"""libclang declarations to variables of signatures: their types, their extents as sums of sizes, and their places.

A trap of the binding that this file answers: the extents of arrays are children of the declaration, innermost first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.diagnostics import Location
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.clang_types import TypeReader
from tensorlift.ir import nodes
from tensorlift.ops.c_types import (
    PARTS,
    UNSIGNED_LONG,
    ArrayType,
    ComplexType,
    CType,
    IntegerType,
    PointerType,
    of_pairs,
)
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPTH_LIMIT = 120
_CONSTANTS = {CursorKind.INTEGER_LITERAL, CursorKind.CHARACTER_LITERAL, CursorKind.CXX_UNARY_EXPR}  # and `sizeof`


class UnitReader:
    """Reads the variables of one translation unit, whose main file is ``file``."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.types = TypeReader()
        self._variables: dict[int | None, nodes.Variable] = {}
        self._positions = libclang.Positions(file)

    def location(self, cursor: Any) -> Location:
        """Give the place of a cursor; an expression often starts where its first operand does."""
        return Location(*self._positions.of(libclang.start(cursor)))

    def variable_of(self, cursor: Any) -> nodes.Variable:
        """Read a declaration of a variable or parameter once."""
        known = self._variables.get(cursor.data[0])
        if known is not None:
            return known
        ctype = self.types.of(cursor)
        variable = nodes.Variable(cursor.spelling, ctype, self.location(cursor))
        self._variables[cursor.data[0]] = variable
        variable.is_parameter = cursor.kind is CursorKind.PARM_DECL
        clang_type = cursor.type
        variable.is_const = _is_const(clang_type)
        if isinstance(ctype, PointerType | ArrayType):  # in brackets it qualifies the pointer that it becomes
            variable.is_restrict = "restrict" in clang_type.spelling
            variable.points_to_const = _points_to_const(clang_type)
        if not variable.is_parameter:
            variable.is_global = cursor.semantic_parent.kind is CursorKind.TRANSLATION_UNIT
            inside = "[]" if isinstance(ctype, ArrayType) else ""
            variable.access = f"{cursor.spelling}{inside}" if variable.is_global else ""
        source = cursor.get_definition() if variable.is_global else None
        self._fill(source or cursor, variable)
        return variable

    def _fill(self, cursor: Any, variable: nodes.Variable) -> None:
        """Sort the expression children of a declaration into extents (innermost first) and initialiser."""
        children = libclang.expressions(cursor)
        ctype = variable.ctype
        array = ctype.element if isinstance(ctype, PointerType) else ctype
        if isinstance(ctype, ComplexType) or not isinstance(array, ArrayType | ComplexType):
            variable.is_initialised = bool(children) and not variable.is_parameter
            return
        if children and children[-1].kind in {CursorKind.INIT_LIST_EXPR, CursorKind.STRING_LITERAL}:
            variable.is_initialised = bool(children.pop())
        variable.extents = tuple(self._extents(variable, _dimensions(array), children))
        if _is_complex(array):
            variable.ctype = of_pairs(ctype)
            variable.extents += (nodes.Integer(PARTS, UNSIGNED_LONG, variable.location),)

    def _extents(
        self, variable: nodes.Variable, dimensions: list[ArrayType], children: list[Any]
    ) -> Iterator[nodes.Expression | None]:
        """Match the extents' expressions with the dimensions; constant lengths come from the type."""
        spelled = [dimension for dimension in dimensions if dimension.variable or dimension.length is not None]
        found = list(reversed(children[: len(spelled)])) if len(children) >= len(spelled) else []
        for dimension in dimensions:
            cursor = found.pop(0) if found and dimension in spelled else None
            if dimension.length is not None:
                yield nodes.Integer(dimension.length, UNSIGNED_LONG, variable.location)
            elif cursor is not None:
                yield self._extent(cursor, 0)
            else:
                yield nodes.Unsupported(variable.location) if dimension.variable else None

    def _extent(self, cursor: Any, depth: int) -> nodes.Expression:
        """Read a sum of sizes, of which conversions do not matter."""
        location = self.location(cursor)
        while cursor.kind in libclang.CONVERSIONS and (inner := libclang.expressions(cursor)):
            cursor = inner[-1]
        if depth > _DEPTH_LIMIT:
            raise refusal("depth", location)
        ctype, kind = self.types.of(cursor), cursor.kind
        value = libclang.evaluate(cursor) if kind in _CONSTANTS else None
        if isinstance(value, int) and isinstance(ctype, IntegerType):
            return nodes.Integer(ctype.wrap(value), ctype, location)
        if kind is CursorKind.BINARY_OPERATOR and libclang.binary_operator(cursor) != "=":
            left, right = (self._extent(child, depth + 1) for child in libclang.children(cursor))
            return nodes.Binary(libclang.binary_operator(cursor), left, right, ctype, location)
        declared = cursor.referenced if kind is CursorKind.DECL_REF_EXPR else None
        if declared is not None and declared.kind is CursorKind.ENUM_CONSTANT_DECL:
            return nodes.Integer(declared.enum_value, ctype, location)
        is_variable = declared is not None and declared.kind in {CursorKind.PARM_DECL, CursorKind.VAR_DECL}
        return nodes.Name(self.variable_of(declared), ctype, location) if is_variable else nodes.Unsupported(location)


def _is_complex(ctype: CType) -> bool:
    """Whether elements of an array, or what stands alone, are complex numbers."""
    while isinstance(ctype, ArrayType):
        ctype = ctype.element
    return isinstance(ctype, ComplexType)


def _dimensions(array: CType) -> list[ArrayType]:
    """List the array types of all dimensions, outermost first."""
    found: list[ArrayType] = []
    current: CType = array
    while isinstance(current, ArrayType):
        found.append(current)
        current = current.element
    return found


def _is_const(clang_type: Any) -> bool:
    """Whether a type is ``const``; an array is where its elements are."""
    clang_type = clang_type.get_canonical()
    if clang_type.kind is TypeKind.CONSTANTARRAY:  # libclang tells the qualifiers of elements only in the spelling
        element = clang_type.spelling.partition("[")[0]
        return element.startswith("const ") and "*" not in element
    return bool(clang_type.is_const_qualified())


def _points_to_const(clang_type: Any) -> bool:
    """Whether the elements behind a pointer, or of an array, are ``const``."""
    clang_type = clang_type.get_canonical()
    if clang_type.kind is TypeKind.POINTER:
        clang_type = clang_type.get_pointee().get_canonical()
    if clang_type.kind in libclang.ARRAYS:  # as in `_is_const`
        element = clang_type.spelling.partition("[")[0]
        return "const" in element.split() and "*" not in element
    return bool(clang_type.is_const_qualified())
