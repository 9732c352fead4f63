"""Fortran to the loop IR: a signature is what declarations say, and what literal IR asks for of assumed shapes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DictionaryAttr, StringAttr

from tensorlift.diagnostics import Location
from tensorlift.frontends.fortran.procedures import parse_fortran
from tensorlift.frontends.fortran.prototype import is_hidden, prototype_of
from tensorlift.frontends.fortran.refusals import refusal
from tensorlift.frontends.fortran.signature import signature_of
from tensorlift.frontends.fortran.syntax import Settings
from tensorlift.frontends.read_function import ReadFunction, read_function
from tensorlift.ir.function import EQUAL, function_named
from tensorlift.normalise.loop_ir import FORTRAN, loop_ir
from tensorlift.readers.fortran import literal_module_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.diagnostics import Diagnostic
    from tensorlift.frontends.fortran.symbols import Procedure
    from tensorlift.normalise.execution import Language


def read_fortran(  # noqa: PLR0913 - how sources are read
    text: str,
    filename: str,
    *,
    function: str | None = None,
    divides_sizes: bool = True,
    by_columns: bool = False,
    settings: Settings = Settings(),  # noqa: B008 - frozen
) -> list[ReadFunction]:
    """Read Fortran source text into the loop IR, one module for each procedure.

    With ``function``, in letters of any case, only that procedure is read; without, all but those that
    other procedures contain.  With ``divides_sizes`` quotients of sizes are sizes, else data.  With ``by_columns`` all
    arrays have their axes in the other order, so that what is computed of them by rows is what Fortran has in memory.

    Raises ``LiftError`` for what concerns the whole file.
    """
    parsed = parse_fortran(text, filename, settings)
    language = replace(FORTRAN, divides_sizes=divides_sizes)
    known = [*parsed.procedures, *parsed.unread]
    wanted = None if function is None else function.lower()
    if wanted is not None and wanted not in known:
        detail = f"there is no procedure `{function}`; the file defines {', '.join(known) or 'none'}"
        raise refusal("unknown-function", Location(filename, 1, 1), detail)
    found: list[ReadFunction] = []
    for name, procedure in parsed.procedures.items():
        if wanted == name or (wanted is None and not is_hidden(procedure)):
            place = parsed.file.location(procedure.line, name)
            literal = cache(partial(literal_module_of, procedure, by_columns=by_columns))
            lower = partial(_lower, procedure=procedure, file=filename, language=language, by_columns=by_columns)
            found.append(_read(name, place, lower, literal))
    for name, (line, error) in parsed.unread.items():
        if wanted in {None, name}:
            found.append(ReadFunction(name, parsed.file.location(line, name), None, error.diagnostics))
    if not found:
        raise refusal("no-function", Location(filename, 1, 1), "the file defines no subroutine and no function")
    return sorted(found, key=lambda one: one.location.line)


def _read(name: str, place: Location, lower: Callable[..., Any], literally: Callable[[], ModuleOp]) -> ReadFunction:
    read = read_function(name, place, partial(lower, literally), refusal)
    return replace(read, literally=literally, again=lambda module: _read(name, place, lower, lambda: module))


def _lower(
    read: Callable[[], ModuleOp], procedure: Procedure, file: str, language: Language, *, by_columns: bool
) -> tuple[ModuleOp, tuple[Diagnostic, ...]]:
    literal = read().clone()  # the passes rewrite what they are given
    equal = function_named(literal, procedure.name).attributes.get(EQUAL)
    rows: Any = equal.data if isinstance(equal, DictionaryAttr) else {}
    told = {key: row.data for key, row in rows.items()}
    signature = signature_of(procedure, told, by_columns=by_columns)
    module = loop_ir(literal, signature, file, language)
    facts = {**prototype_of(procedure), "by_columns": by_columns}
    function_named(module, procedure.name).attributes["tl.fortran"] = StringAttr(json.dumps(facts))
    return module, ()
