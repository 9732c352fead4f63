"""libclang types of C++: references are what they refer to, containers are arrays, classes are structures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.clang_types import TypeReader
from tensorlift.frontends.cpp.objects import ContainerType
from tensorlift.ops.c_types import BOOL, ComplexType, CType, FloatType, NumberType, OtherType

INCLUDE = Path(__file__).parent / "include"  # the headers of the library that the front end brings
REFERENCES = {TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE}
_NAMED = {"vector", "array"}


class CppTypes(TypeReader):
    """Reads types, containers among them."""

    def _convert(self, clang_type: Any) -> CType:
        if clang_type.kind in REFERENCES:
            return self.read(clang_type.get_pointee())
        if clang_type.kind is TypeKind.RECORD:
            container = self.container(clang_type)
            if container is not None:
                return container.array()
            part = self.read(clang_type.get_template_argument_type(0)) if is_complex(clang_type) else None
            if isinstance(part, FloatType):
                return ComplexType(f"_Complex {part.spelling}", part)
        if clang_type.kind is TypeKind.NULLPTR:
            return OtherType("nullptr", "type")
        return super()._convert(clang_type)

    def container(self, clang_type: Any) -> ContainerType | None:
        """Read a std::vector or std::array of numbers, nested at will; None for any other type."""
        record = without_reference(clang_type)
        declaration = record.get_declaration()
        if record.kind is not TypeKind.RECORD or declaration.spelling not in _NAMED or not in_std(declaration):
            return None
        length = _length(record) if declaration.spelling == "array" else None
        inner = self.container(record.get_template_argument_type(0))
        if inner is not None:
            return ContainerType(inner.element, (length, *inner.lengths))
        element = self.read(record.get_template_argument_type(0))
        if not isinstance(element, NumberType | ComplexType) or (length is None and element is BOOL):
            return None
        return ContainerType(element, (length,))

    def member(self, clang_type: Any) -> ContainerType | None:
        """Read what a member or a reference may be that holds numbers: a container, or an array of constant extents."""
        plain, lengths = without_reference(clang_type), []
        while plain.kind is TypeKind.CONSTANTARRAY:
            lengths.append(int(plain.element_count))
            plain = plain.element_type.get_canonical()
        element = self.read(plain) if lengths else None
        if isinstance(element, NumberType):
            return ContainerType(element, tuple(lengths))
        return self.container(clang_type)


def without_reference(clang_type: Any) -> Any:
    """Give the canonical type without reference."""
    found = clang_type.get_canonical()
    while found.kind in REFERENCES:
        found = found.get_pointee().get_canonical()
    return found


def is_reference(clang_type: Any) -> bool:
    """Whether a type is a reference."""
    return clang_type.get_canonical().kind in REFERENCES


def is_class(clang_type: Any) -> bool:
    """Whether a type is a class, or a reference to one; complex numbers are numbers, as those of C."""
    return bool(without_reference(clang_type).kind is TypeKind.RECORD and not is_complex(clang_type))


def pointed_class(clang_type: Any) -> Any:
    """Give the class that a pointer points to; None for any other type."""
    found = clang_type.get_canonical()
    pointee = found.get_pointee().get_canonical() if found.kind is TypeKind.POINTER else None
    return pointee if pointee is not None and is_class(pointee) else None


def is_complex(clang_type: Any) -> bool:
    """Whether a type is std::complex, or a reference to one."""
    record = without_reference(clang_type)
    declaration = record.get_declaration()
    return bool(record.kind is TypeKind.RECORD and declaration.spelling == "complex" and in_std(declaration))


def is_of_complex(declaration: Any) -> bool:
    """Whether a function, a constructor or a member function is one of <complex>."""
    file = declaration.location.file
    return file is not None and Path(file.name) == INCLUDE / "complex"


def is_plain_array(clang_type: Any) -> bool:
    """Whether a type is an array as C has it."""
    return bool(without_reference(clang_type).kind is TypeKind.CONSTANTARRAY)


def in_std(declaration: Any) -> bool:
    """Whether a declaration stands in namespace std, nested classes included."""
    parent = declaration.semantic_parent
    while parent is not None and parent.kind is not CursorKind.TRANSLATION_UNIT:
        if parent.kind is CursorKind.NAMESPACE and parent.spelling == "std":
            return True
        parent = parent.semantic_parent
    return False


def spelled(clang_type: Any) -> str:
    """Spell a type for messages and for code, without `class` and `struct`."""
    return re.sub(r"\b(class|struct) ", "", clang_type.spelling)


def fields_of(record: Any) -> list[Any]:
    """List the members of a class; templates that are instantiated have them in their type alone."""
    return list(record.get_canonical().get_fields())


def bases_of(record: Any) -> list[Any]:
    """List the base classes of a class."""
    return [c for c in declared_in(record) if c.kind is CursorKind.CXX_BASE_SPECIFIER]


def declared_in(record: Any) -> list[Any]:
    """List what a class declares; a template that is instantiated declares that for it."""
    declaration = record.get_canonical().get_declaration()
    template = libclang.LIBRARY.clang_getSpecializedCursorTemplate(declaration)
    return libclang.children(declaration) or (libclang.children(template) if template is not None else [])


def has_own_copy(record: Any) -> bool:
    """Whether a class says itself what a copy of an object is, or what one is made of that is moved."""
    own = [c for c in declared_in(without_reference(record)) if c.kind is CursorKind.CONSTRUCTOR]
    return any((c.is_copy_constructor() or c.is_move_constructor()) and not c.is_default_method() for c in own)


def has_destructor(record: Any) -> bool:
    """Whether something happens where the life of an object or of its members ends, but that vectors are freed."""
    canonical = without_reference(record)
    while canonical.kind is TypeKind.CONSTANTARRAY:
        canonical = canonical.element_type.get_canonical()
    if canonical.kind is not TypeKind.RECORD or in_std(canonical.get_declaration()):
        return False
    own = [c for c in declared_in(canonical) if c.kind is CursorKind.DESTRUCTOR]
    return not all(c.is_default_method() for c in own) or any(has_destructor(f.type) for f in fields_of(canonical))


def _length(record: Any) -> int:
    """Give the length of a std::array from its only member."""
    (elements,) = fields_of(record)
    return int(elements.type.get_canonical().element_count)
