"""A C file whose functions are to be replaced, whole or in part: where they stand, and whether texts agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, StorageClass, TranslationUnitLoadError

from tensorlift.diagnostics import Location
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.openmp import uses_openmp
from tensorlift.frontends.c.outline.capture import uses_of
from tensorlift.frontends.c.outline.macros import Macros
from tensorlift.frontends.c.outline.stretches import Stretch, Surroundings, stretches_of
from tensorlift.frontends.c.outline.syntax import Node, Tree, called_by, node_of, tree
from tensorlift.frontends.c.reader import diagnose, encoded
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Definition:
    """A function that a file defines; ``head`` is its text from the first character to before its body.

    The offsets are in the bytes of the file: of its first character, of its name, and behind it; ``callees`` are where
    the functions of the file start and end that it calls, and those that these call.
    """

    name: str
    location: Location
    head: str
    start: int
    place: int
    end: int
    is_static: bool
    is_inline: bool
    body: Node
    callees: tuple[tuple[int, int], ...]
    stretches: tuple[Stretch, ...]


class Unit:
    """A file as libclang reads it."""

    def __init__(self, text: str, filename: str, arguments: Sequence[str]) -> None:
        """Read a file; raises LiftError where it does not parse."""
        self._source = encoded(text, filename)
        self._filename = filename
        try:
            unit = libclang.parse(text, filename, arguments)
        except TranslationUnitLoadError as error:
            raise refusal("parse", Location(filename, 1, 1), "libclang does not take the options") from error
        diagnose(unit, filename)
        self.is_openmp = uses_openmp(unit)
        self.macros = Macros(text, filename, arguments)
        self._declarations = [c for c in libclang.children(unit.cursor) if self._is_here(c)]

    def _is_here(self, cursor: Any) -> bool:
        file = cursor.location.file
        return file is not None and file.name == self._filename

    def _locate(self, cursor: Any) -> Location:
        place = cursor.location
        return Location(self._filename, place.line, place.column)

    def definitions(self) -> list[Definition]:
        """List the functions that are written in the file itself, not by a macro."""
        defined = [c for c in self._declarations if c.kind is CursorKind.FUNCTION_DECL and c.is_definition()]
        found = map(self._definition, defined)
        return [definition for definition in found if definition is not None]

    def _definition(self, cursor: Any) -> Definition | None:
        name, place, start, end = cursor.spelling, cursor.location.offset, cursor.extent.start.offset, cursor.extent.end
        body = node_of(libclang.children(cursor)[-1])
        is_written = (
            self._source[place:].startswith(name.encode()) and self._source[body.start : body.start + 1] == b"{"
        )
        if not is_written or not start <= place < body.start < end.offset:
            return None
        words = self._source[start:place].decode().split()
        return Definition(
            name,
            self._locate(cursor),
            self._source[start : body.start].decode().rstrip(),
            start,
            place,
            end.offset,
            cursor.storage_class is StorageClass.STATIC,
            any(word.strip("_") == "inline" for word in words),
            body,
            self._callees(cursor),
            tuple(self._stretches(cursor, body)),
        )

    def _stretches(self, cursor: Any, body: Node) -> list[Stretch]:
        if self.is_openmp and self.macros.pragma_in(body.start, body.end):
            return []  # it is not known which loops several threads run
        return stretches_of(body, Surroundings(self._source, uses_of(cursor, body), self._locate, self._callees))

    def _callees(self, cursor: Any) -> tuple[tuple[int, int], ...]:
        called = called_by(cursor, self._filename)
        return tuple((one.extent.start.offset, one.extent.end.offset) for one in called)

    def trees(self, names: Mapping[str, str]) -> list[tuple[str, Tree]]:
        """Give all declarations in the file by their names, some identifiers under other ``names``."""
        return [(names.get(c.spelling, c.spelling), tree(c, names)) for c in self._declarations]

    def statements(self, name: str) -> tuple[Tree, ...]:
        """Give the statements of a function."""
        (cursor,) = (
            c
            for c in self._declarations
            if c.kind is CursorKind.FUNCTION_DECL and c.spelling == name and c.is_definition()
        )
        return tuple(tree(child, {}) for child in libclang.children(libclang.children(cursor)[-1]))


def trees_of(stretch: Stretch) -> tuple[Tree, ...]:
    """Give the statements of a stretch."""
    return tuple(tree(node.cursor, {}) for node in stretch.statements)
