"""What errors of the parser reach: the functions that may mean something else for them.

The parser goes on behind an error, but what it then gives may be less than the text, or something else: a statement is
dropped, an unknown type is taken for ``int``.  So a name is doubtful that an error quotes, or that is declared where an
error stands, and every name declared with a doubtful one, macros included.  A function holds where no error stands in
it and no word of it is doubtful.  Where an error stands elsewhere, all of the file is refused.

A header that is missing, or that holds an error, may define any macro.  Conditions of the preprocessor that could ask
for one refuse the whole file; a function whose names are all known without the header is read as if it defined none of
them, and a warning says so.

Of the system's headers nothing is asked that a project could define.  Functions defined in those of another compiler,
or of another version, may hold errors, as they use its builtins: all functions that such headers define are doubtful.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind

from tensorlift.diagnostics import Diagnostic, LiftError, Location, Severity
from tensorlift.frontends.c import libclang
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_WORD = re.compile(r"\b[^\W\d]\w*")
_QUOTED = re.compile(r"'([^']*)'")
_DIRECTIVE = re.compile(r"(?:.*\*/)?\s*(?:#|%:|\?\?=)(?:\s|/\*.*?\*/)*(\w*)(.*)", re.DOTALL)
_PASTED = re.compile(r"##|%:%:|\?\?=\?\?=|\w\\[ \t]*\n\w")  # words that are put together from several
_CONDITIONS = {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef"}
# Words that no declaration changes; a header that makes macros of them is none that this can be read without.
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        "auto break case char const continue default do double else enum extern float for goto if inline int long "
        "register restrict return short signed sizeof static struct switch typedef union unsigned "
        "void volatile while _Bool",
    )
)
_COMPILERS_OWN = {"defined", "_OPENMP", "_WIN32", "_MSC_VER"}  # and what starts with two underscores
_NAME_ALONE = {CursorKind.FUNCTION_DECL, CursorKind.VAR_DECL}  # declarations whose other words they do not declare


@dataclass(frozen=True, slots=True)
class _Chunk:
    """A declaration or a macro: the lines where it stands, its words, and the names that it declares."""

    first: int
    last: int
    words: frozenset[str]
    names: frozenset[str]


class ParseErrors:
    """The errors of a unit, and which functions they reach."""

    def __init__(self, unit: Any, filename: str, text: str, errors: Sequence[Diagnostic]) -> None:
        """Trace what errors reach; raises ``LiftError`` with all of them where that cannot be told."""
        intrinsic = set(in_system_functions(unit, errors))
        self.errors = tuple(item for item in errors if item not in intrinsic)
        errors = self.errors
        self._lines, self._filename = text.splitlines(), filename
        self._files = [name for name in _headers(unit) if not _is_foreign(name)]
        self._missing = [item for item in errors if item.code == "TL102"]
        inside = [item for item in errors if _line(item, filename) and item not in self._missing]
        outside = [item for item in errors if not _line(item, filename)]
        if any(item.location is None or item.location.file not in self._files for item in outside):
            raise LiftError(*errors)  # in the options, or in a header of this package
        headers = [*self._missing, *outside]
        self._chunks = [*self._declarations(unit, filename), *self._macros()]
        if headers and (self._asks(filename) or self._includes_within()):
            raise LiftError(*errors)
        self._at = {_line(item, filename): item for item in reversed(inside)}
        if not all(self._is_told(line) for line in self._at):
            raise LiftError(*errors)
        doubtful = {word for item in errors for word in _quoted(item)}
        for chunk in self._chunks:
            if any(chunk.first <= line <= chunk.last for line in self._at):
                doubtful |= chunk.names
        if outside:
            doubtful |= self._declared_elsewhere(unit, filename)
        self._intrinsic = _system_functions(unit, intrinsic)
        doubtful |= self._intrinsic
        self._doubtful = self._closure(doubtful - _KEYWORDS)
        if errors and self._doubtful and any(map(_PASTED.search, (text, *map(_text, self._files)))):
            raise LiftError(*errors)  # a macro may put doubtful names together
        self._warnings = tuple(
            replace(
                item,
                message=f"{item.message}; read as if the header defined no name that this function uses",
                severity=Severity.WARNING,
            )
            for item in headers
        )

    def within(self, cursor: Any) -> tuple[Diagnostic, ...]:
        """Give the errors for which a function is refused; none where it holds."""
        file = cursor.location.file
        if file is not None and file.name != self._filename:
            return self._told({cursor.spelling} & self._doubtful, cursor)
        first, last = cursor.extent.start.line, cursor.extent.end.line
        here = tuple(item for line, item in sorted(self._at.items()) if first <= line <= last)
        if here:
            return here
        return self._told(_words("\n".join(self._lines[first - 1 : last])) & self._doubtful, cursor)

    def _told(self, doubtful: Collection[str], cursor: Any) -> tuple[Diagnostic, ...]:
        """Give an error for which names are doubtful, if there are any."""
        if not doubtful:
            return ()
        named = [item for item in self.errors if not _words(item.message).isdisjoint(doubtful)]
        if named or not self._intrinsic:
            return tuple(named or self._missing or self.errors)[:1]
        place = Location(self._filename, cursor.extent.start.line, cursor.extent.start.column)
        return refusal("call", place, min(self._intrinsic.intersection(doubtful) or doubtful)).diagnostics

    def warnings(self) -> tuple[Diagnostic, ...]:
        """Give what is assumed of the headers that are missing or hold an error."""
        return self._warnings

    def _declarations(self, unit: Any, filename: str) -> Iterator[_Chunk]:
        for cursor in libclang.children(unit.cursor):
            if cursor.location.file is None or cursor.location.file.name != filename:
                continue
            first, last = cursor.extent.start.line, cursor.extent.end.line
            words = _words("\n".join(self._lines[first - 1 : last]))
            names = {cursor.spelling} if cursor.kind in _NAME_ALONE else words
            yield _Chunk(first, last, words, frozenset(names))

    def _macros(self) -> Iterator[_Chunk]:
        """Give every macro that the file or one of its headers defines; those of headers stand on no line here."""
        for number, body, name in _macros_of(self._lines):
            yield _Chunk(number, number + body.count("\n"), _words(body), frozenset({name}))
        for file in self._files:
            for _, body, name in _macros_of(_text(file).splitlines()):
                yield _Chunk(0, 0, _words(body), frozenset({name}))

    def _is_told(self, line: int) -> bool:
        """Whether an error stands in a declaration and in no directive, and is not about the machine."""
        if "static assertion failed" in self._at[line].message or "_Static_assert" in self._lines[line - 1]:
            return False
        if any(number <= line <= number + body.count("\n") for number, _, body in _directives(self._lines)):
            return False
        return any(chunk.first <= line <= chunk.last for chunk in self._chunks)

    def _asks(self, filename: str) -> bool:
        """Whether a condition of the preprocessor may depend on what a header defines."""
        places = [item.location.line for item in self._missing if item.location and item.location.file == filename]
        first = min(places, default=1) if len(places) == len(self._missing) and places else 1
        if any(number > first and _names_in(name, body) for number, name, body in _directives(self._lines)):
            return True
        for file in self._files:
            conditions = [_names_in(name, body) for _, name, body in _directives(_text(file).splitlines())]
            if any(conditions[1:]):  # the first directive guards the header
                return True
        return False

    def _includes_within(self) -> bool:
        """Whether a header is text of a declaration, which would then lack what the header lacks."""
        places = [number for number, name, _ in _directives(self._lines) if name not in {*_CONDITIONS, "define"}]
        includes = [line for line in places if "include" in self._lines[line - 1] or "embed" in self._lines[line - 1]]
        return any(chunk.first <= line <= chunk.last for chunk in self._chunks for line in includes)

    def _declared_elsewhere(self, unit: Any, filename: str) -> set[str]:
        """List the names that headers declare which this package does not bring, and those of their macros."""
        found: set[str] = set()
        for cursor in libclang.children(unit.cursor):
            file = cursor.location.file
            if file is None or file.name == filename or _is_foreign(file.name):
                continue
            found.add(cursor.spelling)
            if cursor.kind == CursorKind.ENUM_DECL:
                found |= {constant.spelling for constant in libclang.children(cursor)}
        return found.union(*(chunk.names for chunk in self._chunks if chunk.first == 0))

    def _closure(self, doubtful: set[str]) -> set[str]:
        """Add every name that is declared with a doubtful one."""
        waiting = list(self._chunks)
        while reached := [chunk for chunk in waiting if chunk.words & doubtful]:
            for chunk in reached:
                doubtful |= chunk.names - _KEYWORDS
            waiting = [chunk for chunk in waiting if chunk not in reached]
        return doubtful


def _line(item: Diagnostic, filename: str) -> int:
    """Give the line of the file where an error stands; 0 where it stands elsewhere."""
    return item.location.line if item.location is not None and item.location.file == filename else 0


def _quoted(item: Diagnostic) -> frozenset[str]:
    """Give the words that an error quotes; an undeclared identifier is an error wherever it stands."""
    if item.code == "TL102" or "use of undeclared identifier" in item.message:
        return frozenset()
    return _words(" ".join(_QUOTED.findall(item.message)))


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text))


def _names_in(directive: str, condition: str) -> bool:
    """Whether a directive is a condition with names that are not the compiler's own."""
    names = {name for name in _words(condition) - _COMPILERS_OWN if not name.startswith("__")}
    return directive in _CONDITIONS and bool(names or "__has" in condition)


def _directives(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Give line, name and rest of every directive, the lines that a backslash continues put together."""
    number = 0
    while number < len(lines):
        start, whole = number, lines[number]
        while whole.rstrip().endswith("\\") and number + 1 < len(lines):
            number += 1
            whole = whole.rstrip()[:-1] + "\n" + lines[number]
        number += 1
        if found := _DIRECTIVE.fullmatch(whole):
            yield start + 1, found[1], found[2]


def _macros_of(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Give line, text and name of every macro that is defined."""
    for number, directive, body in _directives(lines):
        if directive == "define" and (found := _WORD.search(body)):
            yield number, body, found[0]


def _headers(unit: Any) -> list[str]:
    return sorted({str(found.include.name) for found in unit.get_includes()})


def _is_foreign(name: str) -> bool:
    """Whether a header is none of the project's."""
    return libclang.is_bundled(name) or libclang.is_system(name)


def in_system_functions(unit: Any, errors: Sequence[Diagnostic]) -> list[Diagnostic]:
    """List the errors that stand in functions which headers of the system define: they reach these functions only."""
    inside = libclang.in_system_functions(unit, [(e.location.file, e.location.line) for e in errors if e.location])
    return [e for e in errors if e.location and (e.location.file, e.location.line) in inside]


def _system_functions(unit: Any, errors: Collection[Diagnostic]) -> set[str]:
    """List the functions that headers of the system define, if any holds an error, and the macros that name one."""
    if not errors:
        return set()
    headers = {name for name in _headers(unit) if libclang.is_system(name)}
    defined = libclang.definitions(unit, CursorKind.FUNCTION_DECL)
    found = {cursor.spelling for cursor in defined if str(cursor.location.file) in headers}
    folders = {Path(item.location.file).parent for item in errors if item.location}
    near = sorted(name for name in headers if Path(name).parent in folders)
    macros = [(_words(body), macro) for name in near for _, body, macro in _macros_of(_text(name).splitlines())]
    while new := {name for words, name in macros if not words.isdisjoint(found)} - found:
        found |= new
    return found


def _text(name: str) -> str:
    return Path(name).read_text(encoding="utf-8", errors="replace")
