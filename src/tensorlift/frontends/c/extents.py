"""Where function definitions stand in a C file, for those who change its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from clang.cindex import CursorKind, Diagnostic, LinkageKind, TypeKind

from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.openmp import without_comments

if TYPE_CHECKING:
    from collections.abc import Sequence


_PROMOTED = {
    libclang.FLOAT16, TypeKind.FLOAT, TypeKind.BOOL, TypeKind.CHAR_S, TypeKind.CHAR_U,
    TypeKind.SCHAR, TypeKind.UCHAR, TypeKind.SHORT, TypeKind.USHORT,
}  # fmt: skip


class Extent(NamedTuple):
    """Offsets of a definition in the bytes of a file: of its name, and behind its body."""

    name: int
    end: int


def extents_of(text: str, filename: str, arguments: Sequence[str]) -> tuple[dict[str, Extent], set[str]]:
    """Return where the functions of a file that may be replaced stand in it, by name, and which of them are hidden.

    These are the ones that others call by that name: neither static nor inline, however that is written.  Left out are
    those that macros make, those with attributes that are for the name, and those whose callers promote arguments.
    """
    unit = libclang.parse(text, filename, arguments)
    source, found, hidden = text.encode(), dict[str, Extent](), set[str]()
    for cursor in libclang.definitions(unit, CursorKind.FUNCTION_DECL):
        place, name = cursor.location, cursor.spelling.encode()
        if place.file is None or place.file.name != filename or not _is_called_so(cursor):
            continue
        body = libclang.children(cursor)[-1].extent.start.offset
        is_written = source[place.offset : place.offset + len(name)] == name and source[body : body + 1] == b"{"
        if is_written and place.offset < body and not _promotes(cursor, source[place.offset : body]):
            found[cursor.spelling] = Extent(place.offset, cursor.extent.end.offset)
            if libclang.is_hidden(cursor):
                hidden.add(cursor.spelling)
    return found, hidden


def last_lines_of(text: str, filename: str, arguments: Sequence[str]) -> dict[tuple[str, int], int]:
    """Return by name and line of the functions of a file on which line each ends, where nothing else stands behind it.

    Left out are those that macros make, in part or as a whole.
    """
    unit = libclang.parse(text, filename, arguments)
    source, found = text.encode(), dict[tuple[str, int], int]()
    for cursor in libclang.definitions(unit, CursorKind.FUNCTION_DECL):
        place, end, name = cursor.location, cursor.extent.end, cursor.spelling.encode()
        if place.file is None or place.file.name != filename:
            continue
        is_written = source[place.offset :].startswith(name) and source[: end.offset].endswith(b"}")
        if is_written and not source[end.offset :].partition(b"\n")[0].strip():
            found[cursor.spelling, place.line] = end.line
    return found


def has_errors(text: str, filename: str, arguments: Sequence[str]) -> bool:
    """Whether the parser finds errors in a file."""
    unit = libclang.parse(text, filename, arguments)
    return any(found.severity >= Diagnostic.Error for found in libclang.diagnostics(unit))


def _is_called_so(function: Any) -> bool:
    """Whether others call a function by its name."""
    is_symbol = function.linkage is LinkageKind.EXTERNAL and not libclang.is_inline(function)
    return is_symbol and not libclang.binding_attribute(function)


def _promotes(function: Any, head: bytes) -> bool:
    """Whether a function takes arguments as those hand them over who know no prototype, and they differ."""
    return b";" in without_comments(head) and any(
        argument.type.get_canonical().kind in _PROMOTED for argument in function.get_arguments()
    )
