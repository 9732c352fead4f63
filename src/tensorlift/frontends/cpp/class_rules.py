"""Classes of which an object is no more than its members: what any other one has is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TypeKind

from tensorlift.frontends.cpp.cpp_types import (
    bases_of,
    declared_in,
    fields_of,
    has_destructor,
    has_own_copy,
    in_std,
    is_reference,
    spelled,
    without_reference,
)
from tensorlift.frontends.cpp.refusals import refusal

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location


def require_class(clang_type: Any, location: Location) -> Any:
    """Give the canonical type of a class of the subset; refuse any other."""
    record = without_reference(clang_type)
    declaration = record.get_declaration()
    name = spelled(record).removeprefix("const ")
    if record.kind is not TypeKind.RECORD or in_std(declaration):
        raise refusal("function-object" if name.startswith("std::function<") else "container", location, name)
    if declaration.kind is CursorKind.UNION_DECL:
        raise refusal("union", location, name)
    if bases_of(record):
        raise refusal("base", location, name)
    for field in fields_of(record):
        if field.is_bitfield() or is_reference(field.type):
            what = "is a bit-field" if field.is_bitfield() else "is a reference"
            raise refusal("class", location, f"the member `{field.spelling}` of `{name}` {what}")
    for child in declared_in(record):
        if child.kind is CursorKind.CXX_METHOD and child.is_virtual_method():
            raise refusal("virtual", location, child.spelling)
    return record


def require_plain_ending(clang_type: Any, location: Location) -> None:
    """Refuse an object that does something where its life ends, which is in the function."""
    if has_destructor(clang_type):
        name = spelled(without_reference(clang_type)).removeprefix("const ")
        raise refusal("destructor", location, name)


def require_plain_copy(clang_type: Any, location: Location) -> None:
    """Refuse a copy of an object that is not one of its members."""
    if has_own_copy(clang_type):
        name = spelled(without_reference(clang_type)).removeprefix("const ")
        raise refusal("copy", location, name)
