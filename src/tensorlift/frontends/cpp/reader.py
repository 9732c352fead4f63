"""Reading a C++ file: parse it, find its functions and the instances of its templates, lower every one."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clang.cindex import TranslationUnitLoadError

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.c import libclang
from tensorlift.frontends.c.reader import ParsedFile, encoded, found_by_parser, inside_of, lowered, parser_arguments
from tensorlift.frontends.c.refusals import refusal as c_refusal
from tensorlift.frontends.cpp.cpp_types import INCLUDE
from tensorlift.frontends.cpp.entry import CppReader
from tensorlift.frontends.cpp.instances import Instance, Template, instances, with_pointers
from tensorlift.frontends.cpp.lower import lower_cpp
from tensorlift.frontends.cpp.refusals import REFUSALS, refusal
from tensorlift.frontends.read_function import ReadFunction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.frontends.c.parse_errors import ParseErrors

SUFFIXES = (".cpp", ".cc", ".cxx", ".hpp")
_STANDARD = "c++17"


@dataclass(frozen=True, slots=True)
class ParsedCpp:
    """A C++ file as libclang has it: its functions and instances, and the templates without any.

    ``parsed.text`` is the text that was parsed, which holds a pointer to each instance.
    """

    parsed: ParsedFile
    found: tuple[Instance, ...]
    templates: tuple[Template, ...]


def parse_cpp(  # noqa: PLR0913 - each option is one of a compiler's
    text: str,
    filename: str,
    *,
    include_dirs: Sequence[str] = (),
    include_files: Sequence[str] = (),
    defines: Sequence[str] = (),
    std: str | None = None,
) -> ParsedCpp:
    """Parse C++ source text; the options are those of ``parse_c``.  Raises ``LiftError`` where it is no text."""
    encoded(text, filename)
    arguments = parser_arguments(include_dirs, include_files, defines, std or _STANDARD)
    before = ("-x", "c++", "-nostdinc++", "-Wno-everything", "-Wunsequenced")
    try:
        parsed = with_pointers(text)
        unit = libclang.parse(parsed, filename, [*arguments, "-isystem", str(INCLUDE)], before)
    except TranslationUnitLoadError as error:
        detail = f"libclang does not take the options {shlex.join(arguments)}"
        raise c_refusal("parse", Location(filename, 1, 1), detail) from error
    errors, unsequenced = found_by_parser(unit, filename, REFUSALS["parse"])
    file = ParsedFile(parsed, filename, parsed.encode(), unit, tuple(errors), tuple(unsequenced))
    found, templates = instances(unit, filename)
    return ParsedCpp(file, tuple(found), tuple(templates))


def read_cpp(text: str, filename: str, *, function: str | None = None, **options: Any) -> list[ReadFunction]:
    """Read C++ source text into the loop IR, one module for each function and each instance of a template.

    ``options`` are those of ``parse_cpp``.  Functions that share a name get the types of their parameters, or the
    arguments of the template, behind it; ``function`` names one of them, or all that share a name.

    Raises ``LiftError`` for what concerns the whole file: a parse error, a missing header, no function, no text.
    """
    return read_parsed_cpp(parse_cpp(text, filename, **options), function)


def read_parsed_cpp(file: ParsedCpp, function: str | None = None) -> list[ReadFunction]:
    """Read the functions of a file as ``read_cpp`` does."""
    parsed, reached = file.parsed, file.parsed.reach
    reader = CppReader(parsed.name, parsed.source)
    chosen, refused = _chosen(file.found, file.templates, function, parsed.name)
    cursors = [one.cursor for one in chosen] + [one.cursor for one in refused]
    if reached is not None and (
        all(map(reached.within, cursors)) or not all(_stands_in(cursors, e) for e in parsed.errors)
    ):
        raise LiftError(*parsed.errors)
    return [
        *(_read(reader, instance, parsed.name, parsed.unsequenced, reached) for instance in chosen),
        *(_uninstantiated(reader, template) for template in refused),
    ]


def _chosen(
    found: Sequence[Instance], templates: Sequence[Template], wanted: str | None, filename: str
) -> tuple[Sequence[Instance], Sequence[Template]]:
    """Choose what to read."""
    start = Location(filename, 1, 1)
    if wanted is None:
        if not found and not templates:
            raise c_refusal("no-function", start, "the file defines no function")
        return found, templates
    named = [one for one in found if one.name == wanted] or [one for one in found if one.spelling == wanted]
    unused = [template for template in templates if template.name == wanted]
    if not named and not unused:
        known = ", ".join([one.name for one in found] + [one.name for one in templates]) or "none"
        raise c_refusal("unknown-function", start, f"there is no function `{wanted}`; the file defines {known}")
    return named, unused


def _stands_in(cursors: Sequence[Any], error: Diagnostic) -> bool:
    """Tell whether an error stands in a function, which the parser then has not dropped, or tells of a header."""
    line = error.location.line if error.location else 0
    return error.code == "TL102" or any(c.extent.start.line <= line <= c.extent.end.line for c in cursors)


def _uninstantiated(reader: CppReader, template: Template) -> ReadFunction:
    location = reader.location(template.cursor)
    return ReadFunction(template.name, location, None, refusal("template", location, template.name).diagnostics)


def _read(
    reader: CppReader,
    instance: Instance,
    filename: str,
    unsequenced: Sequence[Diagnostic],
    errors: ParseErrors | None,
) -> ReadFunction:
    """Read and lower one function that no error of the parser reaches; what refuses it becomes its diagnostics."""
    cursor: Any = instance.cursor
    if errors is not None and (here := errors.within(cursor)):
        return ReadFunction(instance.name, reader.location(cursor), None, here)

    def lower() -> ModuleOp:
        entry = reader.entry(cursor, instance.name)
        return lower_cpp(entry, filename, reader.used_sizes)

    function = lowered(instance.name, reader.location(cursor), inside_of(cursor, unsequenced), lower)
    return function if errors is None else replace(function, diagnostics=(*function.diagnostics, *errors.warnings()))
