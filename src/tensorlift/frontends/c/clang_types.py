"""libclang types to the front end's C types, converted once for each type of a translation unit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.ops.c_types import (
    BOOL,
    CHAR,
    SCALAR_TYPES,
    VOID,
    ArrayType,
    ComplexType,
    CType,
    FloatType,
    OtherType,
    PointerType,
    VoidType,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCALARS: dict[TypeKind, CType] = {
    TypeKind.VOID: VOID,
    TypeKind.BOOL: BOOL,
    TypeKind.CHAR_S: CHAR,
    TypeKind.CHAR_U: SCALAR_TYPES["unsigned char"],
    TypeKind.SCHAR: SCALAR_TYPES["signed char"],
    TypeKind.UCHAR: SCALAR_TYPES["unsigned char"],
    TypeKind.SHORT: SCALAR_TYPES["short"],
    TypeKind.USHORT: SCALAR_TYPES["unsigned short"],
    TypeKind.INT: SCALAR_TYPES["int"],
    TypeKind.UINT: SCALAR_TYPES["unsigned int"],
    TypeKind.LONG: SCALAR_TYPES["long"],
    TypeKind.ULONG: SCALAR_TYPES["unsigned long"],
    TypeKind.LONGLONG: SCALAR_TYPES["long long"],
    TypeKind.ULONGLONG: SCALAR_TYPES["unsigned long long"],
    libclang.FLOAT16: SCALAR_TYPES["_Float16"],
    TypeKind.FLOAT: SCALAR_TYPES["float"],
    TypeKind.DOUBLE: SCALAR_TYPES["double"],
}

_REFUSED = {
    TypeKind.LONGDOUBLE: "long-double",
    TypeKind.COMPLEX: "complex",
    TypeKind.RECORD: "struct",
    TypeKind.FUNCTIONPROTO: "function-pointer",
    TypeKind.FUNCTIONNOPROTO: "function-pointer",
}

_PARAMETER = CursorKind.PARM_DECL.value


class TypeReader:
    """Reads types and remembers each; equal types are one object, so that most comparisons are by identity."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int | None], CType] = {}
        self._by_value: dict[CType, CType] = {}
        self._taken: dict[int | None, CType] = {}  # parameters that are declared as ``void *``

    def read(self, clang_type: Any) -> CType:
        """Convert a type; qualifiers other than ``volatile`` are dropped."""
        key = libclang.identity_of(clang_type)
        known = self._seen.get(key)
        if known is None:
            converted = self._convert(clang_type.get_canonical())
            known = self._seen[key] = self._by_value.setdefault(converted, converted)
        return known

    def of(self, cursor: Any) -> CType:
        """Convert the type of a cursor; a parameter of type ``void *`` has the one that the function converts it to."""
        known = self._seen.get(libclang.type_identity(cursor))
        known = self.read(cursor.type) if known is None else known
        if cursor._kind_id == _PARAMETER and _is_void(known):  # noqa: SLF001 - building a CursorKind costs more
            return self._taken_for(cursor, known)
        return known

    def _taken_for(self, parameter: Any, declared: CType) -> CType:
        """Give the one type to which a function converts a parameter wherever it names it; else the declared one."""
        found = self._taken.get(parameter.data[0])
        if found is None:
            self._taken[parameter.data[0]] = declared  # of a function that hands it on to itself
            taken = set(self._uses(parameter.semantic_parent, parameter))
            found = self._taken[parameter.data[0]] = taken.pop() if len(taken) == 1 else declared
        return found

    def _uses(self, cursor: Any, parameter: Any, around: CType | None = None) -> Iterator[CType]:
        """Yield the type to which each use of a parameter is converted, ``void *`` where it is not."""
        if cursor.kind is CursorKind.DECL_REF_EXPR:
            if libclang.referenced_identity(cursor) == parameter.data[0]:
                yield self.of(cursor) if around is None else around
            return
        if cursor.kind not in libclang.CONVERSIONS:
            around = None
        elif not _is_void(kind := self.of(cursor)) and (around is None or _is_void(around)):
            around = kind
        for child in libclang.children(cursor):
            yield from self._uses(child, parameter, around)

    def _convert(self, clang_type: Any) -> CType:
        """Convert a canonical type."""
        kind = clang_type.kind
        if clang_type.is_volatile_qualified():
            return OtherType(clang_type.spelling, "volatile")
        if kind in _SCALARS:
            return _SCALARS[kind]
        if kind is TypeKind.POINTER:
            element = self.read(clang_type.get_pointee())
            return PointerType(_without_qualifiers(clang_type.spelling), element)
        if kind in libclang.ARRAYS:
            return self._array(clang_type)
        if kind is TypeKind.ENUM:
            return self.read(clang_type.get_declaration().enum_type)
        if kind is TypeKind.COMPLEX:
            part = self.read(clang_type.element_type)
            if isinstance(part, FloatType):
                return ComplexType(_without_qualifiers(clang_type.spelling), part)
        return OtherType(clang_type.spelling, _REFUSED.get(kind, "type"))

    def _array(self, clang_type: Any) -> CType:
        """Convert an array type; the extents of variable arrays stand in the declaration."""
        element = self.read(clang_type.element_type)
        length = clang_type.element_count if clang_type.kind is TypeKind.CONSTANTARRAY else None
        spelling = _without_qualifiers(clang_type.spelling)
        return ArrayType(spelling, element, length, variable=clang_type.kind is TypeKind.VARIABLEARRAY)


def _is_void(ctype: CType) -> bool:
    return isinstance(ctype, PointerType) and isinstance(ctype.element, VoidType)


def _without_qualifiers(spelling: str) -> str:
    """Drop the qualifiers that change no meaning here."""
    return re.sub(r"\b(const|restrict|static)\b ?", "", spelling).strip()
