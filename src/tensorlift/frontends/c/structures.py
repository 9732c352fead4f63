"""Structures of a C file as declarations of their own: what programs may reach, at its offset, and bytes for the rest.

What stands in a structure but numbers, pointers to numbers, arrays of numbers and structures with a name, is bytes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.ops.c_types import SCALAR_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BYTE = 8
_NAME = re.compile(r"(?:struct )?[A-Za-z_]\w*")
_LARGE = 32  # bytes; what is larger is handed over in memory, whatever its members are


class _Member(NamedTuple):
    declared: str
    size: int
    alignment: int
    offset: int


def declarations_of(types: Iterable[Any]) -> tuple[str, ...]:
    """Declare the structures that parameters of some types are or point to, each behind those inside of it.

    One whose layout cannot be declared is left out, and so is one of which nobody could say how it is handed over.
    """
    found: dict[str, str] = {}
    for clang_type in types:
        canonical = clang_type.get_canonical()
        by_pointer, own = canonical.kind is TypeKind.POINTER, dict[str, str]()
        _declare(canonical.get_pointee() if by_pointer else canonical, own)
        if by_pointer or canonical.get_size() > _LARGE or not any(" unused_" in text for text in own.values()):
            found |= own
    return tuple(found.values())


def _declare(record: Any, found: dict[str, str]) -> str | None:
    """Declare a structure if that is possible; give its name."""
    record = record.get_canonical()
    name = re.sub(r"\b(const|volatile) ", "", record.spelling)
    declaration = record.get_declaration()
    if declaration.kind is not CursorKind.STRUCT_DECL or not _NAME.fullmatch(name) or record.get_size() <= 0:
        return None
    if name not in found:
        lines = _lines(declaration, record.get_size(), found)
        if lines is None:
            return None
        head, tail = (name, "") if name.startswith("struct ") else ("typedef struct", f" {name}")
        found[name] = "\n".join([f"{head} {{", *(f"  {line};" for line in lines), f"}}{tail};"])
    return name


def _lines(declaration: Any, size: int, found: dict[str, str]) -> list[str] | None:
    fields = [child for child in libclang.children(declaration) if child.kind is CursorKind.FIELD_DECL]
    taken = {field.spelling for field in fields}
    lines, end, widest = list[str](), 0, 1

    def fill(until: int) -> None:
        name = f"unused_{end}"
        while name in taken:
            name += "_"
        lines.append(f"char {name}[{until - end}]")

    for member in _members(fields, found):
        if member.offset < end or member.offset % member.alignment:
            continue
        if _up(end, member.alignment) != member.offset:
            fill(member.offset)
        lines.append(member.declared)
        end, widest = member.offset + member.size, max(widest, member.alignment)
    if _up(end, widest) != size:
        if size < end or size % widest:
            return None
        fill(size)
    return lines


def _members(fields: Iterable[Any], found: dict[str, str]) -> Iterator[_Member]:
    """Yield the members that can be declared."""
    for field in fields:
        clang_type = field.type.get_canonical()
        declared = None if field.is_bitfield() or not field.spelling else _declared(clang_type, field.spelling, found)
        offset = field.get_field_offsetof()
        if declared is not None and offset >= 0 and offset % _BYTE == 0:
            yield _Member(declared, max(clang_type.get_size(), 0), clang_type.get_align(), offset // _BYTE)


def _declared(clang_type: Any, name: str, found: dict[str, str]) -> str | None:
    """Declare a member; None where that takes more than the types that programs know."""
    extents = ""
    if clang_type.kind is TypeKind.INCOMPLETEARRAY:
        extents, clang_type = "[]", clang_type.element_type.get_canonical()
    while clang_type.kind is TypeKind.CONSTANTARRAY and clang_type.element_count > 0:
        extents += f"[{clang_type.element_count}]"
        clang_type = clang_type.element_type.get_canonical()
    is_pointer = clang_type.kind is TypeKind.POINTER and not extents
    base = clang_type.get_pointee().get_canonical() if is_pointer else clang_type
    const = "const " * base.is_const_qualified()
    if base.is_volatile_qualified() or clang_type.is_volatile_qualified():
        return None
    if base.kind is TypeKind.ENUM:
        base = base.get_declaration().enum_type.get_canonical()
    spelled = re.sub(r"\bconst ", "", base.spelling)
    if spelled not in SCALAR_TYPES and (is_pointer or _declare(base, found) is None):
        return None
    return f"{const}{spelled} {'*' * is_pointer}{name}{extents}"


def _up(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment
