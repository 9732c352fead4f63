"""Reading a source by the front end of its language, which the suffix of its name tells."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.source import LANGUAGES, language_of
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.dialects.func import FuncOp
    from xdsl.ir import BlockArgument

    from tensorlift.frontends.fortran.syntax import Settings
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.pipeline import LiftOptions
    from tensorlift.source import Source


def read(source: Source, options: LiftOptions) -> Sequence[ReadFunction]:
    """Read the functions of a source, or the one that is asked for, into the loop IR."""
    wanted = options.functions[0] if len(options.functions) == 1 else None
    found = _READERS[language_of(source.name)](source, options, wanted)
    for name, number in options.case:
        if all(in_case(function, [(name, number)]) is function for function in found):
            message = f"no function of '{source.name}' has an argument '{name}' that may be the integer {number}"
            raise refuse("TL544", message, remedy="name an argument that is compared with constants, as --case mode=1")
    return [in_case(function, options.case) for function in found]


def in_case(function: ReadFunction, case: Sequence[tuple[str, int]]) -> ReadFunction:
    """Read a function anew with assertions of what flags are that it has; one that has none of them is the same."""
    if not case or function.again is None or function.literally is None:
        return function
    from xdsl.dialects.builtin import ArrayAttr, StringAttr

    from tensorlift.ir.function import WRITTEN, FunctionView, function_named
    from tensorlift.ir.literal_function import argument_names
    from tensorlift.normalise.flags import assert_flags, held, leave_out

    try:
        whole = function.literally()
    except LiftError:
        return function
    literal, asked = function_named(whole, function.name), dict(case)
    names = map(parameter_names(function), argument_names(literal))
    arguments = zip(names, literal.body.blocks[0].args, strict=True)
    numbers = [held(argument, asked[name]) if name in asked else None for name, argument in arguments]
    if all(number is None for number in numbers):
        return function

    def edited(*edits: Callable[[FuncOp, dict[BlockArgument, int]], None]) -> ModuleOp:
        module = whole.clone()
        of = function_named(module, function.name)
        known = {a: n for a, n in zip(of.body.blocks[0].args, numbers, strict=True) if n is not None}
        for edit in edits:
            edit(of, known)
        return module

    asserted = edited(assert_flags)  # which nothing is left out of
    again = replace(function.again(edited(leave_out, assert_flags)), literally=lambda: asserted)
    if function.module is not None and again.module is not None:
        written = FunctionView(function_named(function.module, function.name)).written
        marks = ArrayAttr([StringAttr(array) for array in written])
        function_named(again.module, function.name).attributes[WRITTEN] = marks
    return again


def parameter_names(function: ReadFunction) -> Callable[[str], str]:
    """Tell how loop IR calls the arguments of literal IR: members of structures, ``layer->size``, have other names."""
    if function.module is None:
        return str
    from tensorlift.ir.function import FunctionView, function_named

    parameters = FunctionView(function_named(function.module, function.name)).parameters
    names = {parameter.access: parameter.name for parameter in parameters}
    return lambda name: names.get(name, name)


def is_c(source: Source) -> bool:
    """Whether a source is read as C."""
    return language_of(source.name) == "c"


def literal_module(function: ReadFunction) -> ModuleOp:
    """Read a function literally; raises ``LiftError`` where that is refused."""
    if function.literally is None and function.module is None:
        raise LiftError(*function.diagnostics)
    if function.literally is None:
        remedy = "give a source in C, C++, Fortran, Python or MLIR, or show the loop IR: --emit ir"
        raise refuse("TL512", f"no literal IR is made of '{function.location.file}'", function.location, remedy)
    return function.literally()


def wrapping_widths_of(function: ReadFunction) -> frozenset[int]:
    """Return the widths at which a source wraps data: all where it is not read literally."""
    from tensorlift.ir.wrapping import ALL_WIDTHS, wrapping_widths

    try:
        return wrapping_widths(literal_module(function))
    except LiftError:
        return ALL_WIDTHS


def _read_mlir(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.languages.mlir import read_mlir

    generalise, fitted = options.generalise, options.replaces
    return read_mlir(source.text, source.name, function=wanted, generalise=generalise, fitted=fitted)


def _read_python(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.languages.python import read_python

    return read_python(source.text, source.name, function=wanted, divides_sizes=options.divides_sizes)


def fortran_settings(options: LiftOptions) -> Settings:
    """Say how files in Fortran are read."""
    from tensorlift.frontends.fortran.syntax import Settings

    return Settings(options.defines, options.include_dirs, 8 if "default-real-8" in (options.std or "") else 4)


def _read_fortran(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.languages.fortran import read_fortran

    found = read_fortran(
        source.text,
        source.name,
        function=wanted,
        divides_sizes=options.divides_sizes,
        by_columns=options.replaces,  # what Fortran calls works in its memory
        settings=fortran_settings(options),
    )
    return _with_extents(found, options)


def _read_cpp(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.languages.cpp import read_cpp

    found = read_cpp(source.text, source.name, function=wanted, std=options.std, **_reading_of(options))
    return _with_extents(found, options)


def _read_c(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.languages.c import read_c

    found = read_c(
        source.text, source.name, function=wanted, others=options.others, std=options.std, **_reading_of(options)
    )
    return _with_extents(found, options)


def _reading_of(options: LiftOptions) -> dict[str, Any]:
    preprocessor = "include_dirs", "include_files", "defines"
    return {name: getattr(options, name) for name in (*preprocessor, "divides_sizes")}


def _with_extents(found: Sequence[ReadFunction], options: LiftOptions) -> Sequence[ReadFunction]:
    from tensorlift.frontends.c.natural import with_natural_extents

    if options.replaces or options.adapter or get_target(options.target).reads_back:
        return found
    return [replace(one, again=partial(_read_again, one)) for one in with_natural_extents(found)]


def _read_again(function: ReadFunction, literal: ModuleOp) -> ReadFunction:
    from tensorlift.frontends.c.natural import with_natural_extents

    assert function.again is not None
    (again,) = with_natural_extents([function.again(literal)])
    return again


_READERS: dict[str, Callable[[Source, LiftOptions, str | None], Sequence[ReadFunction]]] = {
    "c": _read_c,
    "c++": _read_cpp,
    "fortran": _read_fortran,
    "python": _read_python,
    "mlir": _read_mlir,
}
SUFFIXES = frozenset(chain(*LANGUAGES.values()))  # of what is taken for a source where nobody names it
