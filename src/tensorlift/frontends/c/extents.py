"""Where function definitions stand in a C file, for those who change its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clang.cindex import LinkageKind

from tensorlift.frontends.c import libclang

if TYPE_CHECKING:
    from collections.abc import Sequence


class Extent(NamedTuple):
    """Offsets of a definition in the bytes of a file: of its first character, its name, its body, and behind that."""

    start: int
    name: int
    body: int
    end: int


def extents_of(text: str, filename: str, arguments: Sequence[str]) -> dict[str, Extent]:
    """Return where the functions of a file that may be replaced stand in it, by name.

    These are the ones that others call by that name: neither static nor inline, however that is written.  Those that
    macros make are left out, and those with attributes that are for the name.
    """
    unit = libclang.parse(text, filename, arguments)
    source, found = text.encode(), {}
    for cursor in libclang.children(unit.cursor):
        place = cursor.location
        if cursor.kind.name != "FUNCTION_DECL" or not cursor.is_definition() or place.file is None:
            continue
        is_called_so = cursor.linkage is LinkageKind.EXTERNAL and not libclang.is_inline(cursor)
        if not is_called_so or libclang.binding_attribute(cursor):
            continue
        name = cursor.spelling.encode()
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        body = libclang.children(cursor)[-1].extent.start.offset
        is_written = source[place.offset : place.offset + len(name)] == name and source[body : body + 1] == b"{"
        if place.file.name == filename and is_written and start <= place.offset < body < end:
            found[cursor.spelling] = Extent(start, place.offset, body, end)
    return found
