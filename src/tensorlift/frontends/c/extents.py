"""Where function definitions stand in a C file, for those who change its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
    """Return where the functions that a file defines stand in it, by name; those that macros make are left out."""
    unit = libclang.parse(text, filename, arguments)
    source, found = text.encode(), {}
    for cursor in libclang.children(unit.cursor):
        place = cursor.location
        if cursor.kind.name != "FUNCTION_DECL" or not cursor.is_definition() or place.file is None:
            continue
        name = cursor.spelling.encode()
        start, end = cursor.extent.start.offset, cursor.extent.end.offset
        body = libclang.children(cursor)[-1].extent.start.offset
        is_written = source[place.offset : place.offset + len(name)] == name and source[body : body + 1] == b"{"
        if place.file.name == filename and is_written and start <= place.offset < body < end:
            found[cursor.spelling] = Extent(start, place.offset, body, end)
    return found
