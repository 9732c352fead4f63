"""Reading a C file: parse it, report what the parser refuses, lower every function that it defines."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clang.cindex import CursorKind, TranslationUnitLoadError

from tensorlift.diagnostics import Diagnostic, LiftError, Location
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.array_loops import loops_over_arrays
from tensorlift.frontends.c.openmp import not_sequential, uses_openmp
from tensorlift.frontends.c.outline.macros import Macros
from tensorlift.frontends.c.outline.syntax import called_by
from tensorlift.frontends.c.parse_errors import ParseErrors
from tensorlift.frontends.c.variables import UnitReader
from tensorlift.frontends.read_function import ReadFunction, read_function
from tensorlift.refusals import REFUSALS, Refusal, refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import ModuleOp

    Lower = Callable[[UnitReader, Any], ModuleOp]

_ERROR = 3
_UNDECLARED = "-Wimplicit-function-declaration"
_SIZE_LIMIT = 4_000_000


@dataclass(frozen=True)
class ParsedFile:
    """A C file as libclang has it, its errors, and its warnings about side effects whose order is undefined."""

    text: str
    name: str
    source: bytes
    unit: Any
    errors: tuple[Diagnostic, ...]
    unsequenced: tuple[Diagnostic, ...]
    arguments: tuple[str, ...] = ()

    @cached_property
    def functions(self) -> tuple[tuple[str, Any], ...]:
        """The functions that the file itself defines, with their names: looking for them goes over the whole file."""
        return _functions(self.unit, self.name)

    @cached_property
    def reach(self) -> ParseErrors | None:
        """How far the errors reach, if there are any."""
        return ParseErrors(self.unit, self.name, self.text, list(self.errors)) if self.errors else None

    def within(self, cursor: Any) -> tuple[Diagnostic, ...]:
        """Give what the parser found for which a function is refused; nothing where it holds."""
        errors = self.reach.within(cursor) if self.reach is not None else ()
        unsequenced = self.unsequenced if _in_file(cursor, self.name) else ()
        return errors or _inside_of(cursor, unsequenced) or self._in_openmp(cursor)

    @cached_property
    def _macros(self) -> Macros:
        return Macros(self.text, self.name, self.arguments)

    def _in_openmp(self, cursor: Any) -> tuple[Diagnostic, ...]:
        """Refuse a function that OpenMP may give another meaning, by its own pragmas or by those of what it calls."""
        if not uses_openmp(self.unit):
            return ()
        for one in (cursor, *called_by(cursor, self.name)):
            span = one.extent.start.offset, one.extent.end.offset
            if _in_file(one, self.name):
                detail = not_sequential(one, self.source) or self._macros.pragma_in(*span)
            else:
                detail = not_sequential(one, _bytes_of(str(one.location.file)))
            if detail:
                place = one.location
                return refusal("outline-pragma", Location(self.name, place.line, place.column), detail).diagnostics
        return ()


def parse_c(  # noqa: PLR0913 - each option is one of a compiler's
    text: str,
    filename: str,
    *,
    include_dirs: Sequence[str] = (),
    include_files: Sequence[str] = (),
    defines: Sequence[str] = (),
    std: str | None = None,
) -> ParsedFile:
    """Parse C source text; raises ``LiftError`` where it is no text.

    ``include_dirs``, ``include_files``, ``defines`` and ``std`` are the ``-I``, ``-include``, ``-D`` and ``-std`` of
    compilers.
    """
    source = encoded(text, filename)
    arguments = parser_arguments(include_dirs, include_files, defines, std)
    try:
        unit = libclang.parse(text, filename, arguments)
    except TranslationUnitLoadError as error:
        detail = f"libclang does not take the options {shlex.join(arguments)}"
        raise refusal("parse", Location(filename, 1, 1), detail) from error
    errors, unsequenced = found_by_parser(unit, filename, REFUSALS["parse"])
    return ParsedFile(text, filename, source, unit, tuple(errors), tuple(unsequenced), tuple(arguments))


def read_functions(parsed: ParsedFile, lower: Lower, function: str | None = None) -> list[ReadFunction]:
    """Read the functions of a file that is parsed, or one of them; ``lower`` makes the loop IR of one.

    Raises ``LiftError`` for what concerns the whole file: a parse error, a missing header, no function.
    """
    reader, errors = UnitReader(parsed.name), parsed.reach
    try:
        cursors = _selected(parsed.functions, parsed.name, function)
    except LiftError:
        if errors is None or not errors.errors:
            raise
        raise LiftError(*errors.errors) from None  # the parser may have dropped what is missing
    if errors is not None and errors.errors and all(map(errors.within, cursors)):
        raise LiftError(*errors.errors)
    found = [
        read_one(parsed, cursor, cursor.spelling, reader.location(cursor), partial(lower, reader, cursor))
        for cursor in cursors
    ]
    return [replace(one, loops=partial(loops_over_arrays, cursor)) for one, cursor in zip(found, cursors, strict=True)]


def read_one(
    parsed: ParsedFile, cursor: Any, name: str, location: Location, lower: Callable[[], ModuleOp]
) -> ReadFunction:
    """Lower one function, unless the parser found what refuses it; what refuses it becomes its diagnostics."""
    found = parsed.within(cursor)
    if found:
        return ReadFunction(name, location, None, found)
    function = read_function(name, location, lambda: (lower(), ()), refusal)
    warnings = parsed.reach.warnings() if parsed.reach is not None else ()
    return replace(function, diagnostics=(*function.diagnostics, *warnings))


def parser_arguments(
    include_dirs: Sequence[str], include_files: Sequence[str], defines: Sequence[str], std: str | None
) -> list[str]:
    """Spell the options of a compiler."""
    arguments = [f"-std={std}"] * (std is not None)
    arguments += [f"-I{directory}" for directory in include_dirs] + [f"-D{define}" for define in defines]
    return arguments + [part for name in include_files for part in ("-include", name)]


def encoded(text: str, filename: str) -> bytes:
    """Give the bytes of a source text; refuse what is none."""
    start = Location(filename, 1, 1)
    try:
        source = text.encode()
    except UnicodeEncodeError:  # bytes that were no UTF-8, held as surrogates
        source = b"\0"
    if b"\0" in source or "\ufffd" in text:
        raise refusal("binary", start, "it holds bytes that are no text")
    if not text.strip():
        raise refusal("no-function", start, "the file is empty")
    if len(text) > _SIZE_LIMIT:
        raise refusal("too-large", start, f"the file has more than {_SIZE_LIMIT} characters")
    return source


def found_by_parser(unit: Any, filename: str, row: Refusal) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Give the parser's errors, as ``row`` words them, and its warnings about undefined order of side effects."""
    errors: list[Diagnostic] = []
    unsequenced: list[Diagnostic] = []
    found = libclang.diagnostics(unit)
    is_missing = any(item.spelling.endswith(libclang.MISSING) for item in found)
    for item in found:
        place = item.location
        location = Location(place.file.name, place.line, place.column) if place.file else Location(filename, 1, 1)
        is_undeclared = is_missing and item.option == _UNDECLARED  # a function, of which a header may tell more
        if item.severity >= _ERROR or is_undeclared:
            errors.append(_parser_error(item.spelling, location, row))
        elif item.option == "-Wunsequenced":
            unsequenced.extend(refusal("unsequenced", location, item.spelling).diagnostics)
    return errors, unsequenced


def _parser_error(message: str, location: Location, row: Refusal) -> Diagnostic:
    """Give the diagnostic for one error of the parser."""
    if message.endswith(libclang.MISSING):
        return refusal("header", location, message).diagnostics[0]
    return Diagnostic(row.code, row.message.format(detail=message), location, row.remedy)


def _functions(unit: Any, filename: str) -> tuple[tuple[str, Any], ...]:
    """List the function definitions of the main file, with their names."""
    found = libclang.definitions(unit, CursorKind.FUNCTION_DECL)
    return tuple((cursor.spelling, cursor) for cursor in found if _in_file(cursor, filename))


def _selected(functions: Sequence[tuple[str, Any]], filename: str, wanted: str | None) -> list[Any]:
    """Select the function that is wanted, or all but ``main``."""
    start = Location(filename, 1, 1)
    if wanted is not None:
        chosen = [cursor for name, cursor in functions if name == wanted]
        if not chosen:
            known = ", ".join(name for name, _ in functions) or "none"
            raise refusal("unknown-function", start, f"there is no function `{wanted}`; the file defines {known}")
        return chosen
    chosen = [cursor for name, cursor in functions if name != "main"]
    if not chosen:
        raise refusal("no-function", start, "the file defines no function")
    return chosen


def _in_file(cursor: Any, filename: str) -> bool:
    file = cursor.location.file
    return file is not None and file.name == filename


@lru_cache(maxsize=16)
def _bytes_of(header: str) -> bytes:
    """Read a header as the parser had it, whose functions have their places there."""
    return Path(header).read_bytes() if Path(header).is_file() else b""


def _inside_of(cursor: Any, found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Select what was found between the first and the last line of a function."""
    if not found:
        return ()
    start, end = cursor.extent.start.line, cursor.extent.end.line
    return tuple(item for item in found if item.location is not None and start <= item.location.line <= end)
