"""A C file whose functions are to be replaced, whole or in part: where they stand, and whether texts agree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, LinkageKind, TranslationUnitLoadError

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.openmp import uses_openmp, without_comments
from tensorlift.frontends.c.outline.capture import uses_of
from tensorlift.frontends.c.outline.macros import Macros
from tensorlift.frontends.c.outline.stretches import Stretch, Surroundings, stretches_of
from tensorlift.frontends.c.outline.syntax import Node, Tree, called_by, node_of, tree
from tensorlift.frontends.c.parse_errors import ParseErrors
from tensorlift.frontends.c.reader import encoded, found_by_parser
from tensorlift.refusals import REFUSALS, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Diagnostic

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(\w*)(?:\\\r?\n|[^\n])*", re.MULTILINE)
_DEPTHS = {b"if": 1, b"ifdef": 1, b"ifndef": 1, b"endif": -1}
_WORD = re.compile(rb"\S+")


@dataclass(frozen=True, slots=True)
class Definition:
    """A function that a file defines; ``head`` is its text from the first character to before its body.

    The offsets are in the bytes of the file: of what belongs to it before its first character (attributes under
    conditions, macros), of that character, of its name, and behind it; ``callees`` are where the functions of the file
    start and end that it calls, and those that these call.  ``errors`` are those of the parser that reach it.
    """

    name: str
    location: Location
    head: str
    lead: int
    start: int
    place: int
    end: int
    is_static: bool
    is_inline: bool
    attribute: str  # one that says what the name stands for
    body: Node
    callees: tuple[tuple[int, int], ...]
    stretches: tuple[Stretch, ...]
    errors: tuple[Diagnostic, ...] = ()


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
        self.errors, self._reach = _reached(unit, filename, text)
        self.is_openmp = uses_openmp(unit)
        self._text, self._arguments = text, arguments
        self._declarations = [c for c in libclang.children(unit.cursor) if self._is_here(c)]
        self._plain = without_comments(self._source)

    @cached_property
    def macros(self) -> Macros:
        """The macros of the file, which is read once more for them."""
        return Macros(self._text, self._filename, self._arguments)

    @cached_property
    def _ends(self) -> list[int]:
        places = [(c.extent.start.offset, c.extent.end.offset) for c in self._declarations]
        return [self.macros.end(*place) for place in places]

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
        errors = self._reach.within(cursor) if self._reach is not None else ()
        elsewhere = next((node.cursor for node in body.walk() if not self._is_here(node.cursor)), None)
        if elsewhere is not None:
            file = PurePath(elsewhere.location.file.name).name
            errors = (*errors, *refusal("outline-elsewhere", self._locate(cursor), file).diagnostics)
        return Definition(
            name,
            self._locate(cursor),
            self._source[start : body.start].decode().rstrip(),
            self._lead(start, place),
            start,
            place,
            end.offset,
            cursor.linkage is LinkageKind.INTERNAL,
            libclang.is_inline(cursor),
            libclang.binding_attribute(cursor),
            body,
            self._callees(cursor),
            () if errors else tuple(self._stretches(cursor, body)),
            errors,
        )

    def _lead(self, start: int, place: int) -> int:
        """Find what belongs to a function before its first character, so that nothing may be written between."""
        behind = max((end for end in self._ends if end <= start), default=0)
        found, at = start, behind
        for directive in [*_DIRECTIVE.finditer(self._plain, behind, start), None]:
            end = directive.start() if directive else start
            last = max(self._plain.rfind(mark, at, end) for mark in (b";", b"{", b"}"))  # of a declaration left out
            word = _WORD.search(self._plain, max(last + 1, at), end)
            if word is not None:
                found = word.start()
                break
            at = directive.end() if directive else end
        depths = [0]
        for directive in _DIRECTIVE.finditer(self._plain, found, place):
            depths.append(depths[-1] + _DEPTHS.get(directive[1], 0))
        left = -min(depths)  # conditions that end between: they must start behind what is written
        for directive in reversed([*_DIRECTIVE.finditer(self._plain, 0, found)] if left else []):
            left -= _DEPTHS.get(directive[1], 0)
            if not left:
                return directive.start()
        return found

    def _stretches(self, cursor: Any, body: Node) -> list[Stretch]:
        if self.is_openmp and self.macros.pragma_in(body.start, body.end):
            return []  # it is not known which loops several threads run
        return stretches_of(body, Surroundings(self._source, uses_of(cursor, body), self._locate, self._callees))

    def _callees(self, cursor: Any) -> tuple[tuple[int, int], ...]:
        called = called_by(cursor, self._filename)
        return tuple((one.extent.start.offset, one.extent.end.offset) for one in called)

    @cached_property
    def trees(self) -> list[tuple[str, Tree]]:
        """All declarations in the file, by their names."""
        return [(c.spelling, tree(c, {})) for c in self._declarations]

    def statements(self, name: str) -> tuple[Tree, ...]:
        """Give the statements of a function."""
        (cursor,) = (
            c
            for c in self._declarations
            if c.kind is CursorKind.FUNCTION_DECL and c.spelling == name and c.is_definition()
        )
        return tuple(tree(child, {}) for child in libclang.children(libclang.children(cursor)[-1]))


def _reached(unit: Any, filename: str, text: str) -> tuple[tuple[Diagnostic, ...], ParseErrors | None]:
    """Give the errors of a file that lacks a header, and how far they reach; raise those of any other file."""
    errors = found_by_parser(unit, filename, REFUSALS["parse"])[0]
    reach = ParseErrors(unit, filename, text, errors) if errors else None
    if reach is None or not reach.errors:
        return (), None
    if not any(error.code == "TL102" for error in reach.errors):
        raise LiftError(*reach.errors)
    return reach.errors, reach


def trees_of(stretch: Stretch) -> tuple[Tree, ...]:
    """Give the statements of a stretch."""
    return tuple(tree(node.cursor, {}) for node in stretch.statements)
