"""Reading a source by the front end of its language, which the suffix of its name tells."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, refuse
from tensorlift.frontends.read_function import ReadFunction
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tensorlift.frontends.c import nodes
    from tensorlift.frontends.c.reader import ParsedFile
    from tensorlift.frontends.cpp.instances import Instance
    from tensorlift.frontends.cpp.reader import ParsedCpp
    from tensorlift.frontends.python.lower import Translation
    from tensorlift.pipeline import LiftOptions
    from tensorlift.source import Source


def read(source: Source, options: LiftOptions) -> Sequence[ReadFunction]:
    """Read the functions of a source, or the one that is asked for, into the loop IR."""
    wanted = options.functions[0] if len(options.functions) == 1 else None
    return _READERS.get(PurePath(source.name).suffix, _read_c)(source, options, wanted)


def is_c(source: Source) -> bool:
    """Whether a source is read as C."""
    return PurePath(source.name).suffix not in _READERS


def literal_module(function: ReadFunction) -> ModuleOp:
    """Read a function literally; raises ``LiftError`` where that is refused."""
    if function.literally is None and function.module is None:
        raise LiftError(*function.diagnostics)
    if function.literally is None:
        remedy = "give a source in C, C++, Python or MLIR, or show the loop IR: --emit ir"
        raise refuse("TL512", f"no literal IR is made of '{function.location.file}'", function.location, remedy)
    return function.literally()


def _read_mlir(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.frontends.mlir import read_mlir

    return read_mlir(
        source.text,
        source.name,
        function=wanted,
        generalise=options.generalise,
        fitted=options.replaces,
        literally=_mlir_literally,
        otherwise=_mlir_otherwise,
    )


def _mlir_literally(function: Operation, functions: Mapping[str, Operation]) -> ModuleOp:
    from tensorlift.readers.mlir import literal_module_of

    return literal_module_of(function, functions)


def _mlir_otherwise(function: Operation, functions: Mapping[str, Operation], filename: str) -> ModuleOp:
    from tensorlift.normalise.loop_ir import MLIR, loop_ir
    from tensorlift.normalise.signature import mlir_signature

    literal = _mlir_literally(function, functions)
    return loop_ir(literal, mlir_signature(function, literal, filename), filename, MLIR)


def _read_python(source: Source, _options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.frontends.python import read_python

    return [with_literal_python(f) for f in read_python(source.text, source.name, function=wanted)]


def with_literal_python(function: ReadFunction) -> ReadFunction:
    """Say of a function of Python how it is read literally."""
    known = function.translation
    if known is None:
        return function
    return replace(function, literally=partial(_python_literally, known), otherwise=partial(_python_otherwise, known))


def _python_literally(known: Translation) -> ModuleOp:
    from tensorlift.readers.python import literal_module_of

    return literal_module_of(known.inferred())


def _python_otherwise(known: Translation) -> ModuleOp:
    from tensorlift.frontends.python.lower import lower_python
    from tensorlift.normalise.loop_ir import PYTHON, loop_ir

    def lower(signature: nodes.Function, source: str) -> ModuleOp:
        return loop_ir(_python_literally(known), signature, source, PYTHON)

    return lower_python(known, lower)


def _read_cpp(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.frontends.cpp.reader import parse_cpp

    parsed = parse_cpp(source.text, source.name, std=options.std, **_preprocessor(options))
    found = _with_extents(read_parsed_cpp(parsed, wanted), options)
    instances = {instance.name: instance for instance in parsed.found}
    return [
        replace(f, literally=partial(_literally_cpp, parsed, instances[f.name])) if f.name in instances else f
        for f in found
    ]


def read_cpp(text: str, filename: str, *, function: str | None = None, **options: Any) -> list[ReadFunction]:
    """Read C++ source text into the loop IR; ``options`` are those of ``parse_cpp``."""
    from tensorlift.frontends.cpp.reader import parse_cpp

    return read_parsed_cpp(parse_cpp(text, filename, **options), function)


def read_parsed_cpp(parsed: ParsedCpp, function: str | None = None) -> list[ReadFunction]:
    """Read the functions of a file of C++, or one of them, into the loop IR, by way of literal IR."""
    from tensorlift.frontends.cpp import reader

    return reader.read_parsed_cpp(parsed, _lowered_cpp, function)


def _lowered_cpp(parsed: ParsedCpp, instance: Instance) -> ModuleOp:
    from tensorlift.normalise.cpp import cpp_loop_ir

    return cpp_loop_ir(parsed.parsed, instance, partial(_literally_cpp, parsed, instance))


def _read_c(source: Source, options: LiftOptions, wanted: str | None) -> Sequence[ReadFunction]:
    from tensorlift.frontends.c.reader import parse_c, read_parsed

    parsed = parse_c(source.text, source.name, std=options.std, **_preprocessor(options))
    found = _with_extents(read_parsed(parsed, wanted), options)
    return [
        replace(
            f, literally=partial(_literally, parsed, f.name), otherwise=partial(_otherwise, parsed, f.name, options)
        )
        for f in found
    ]


def _otherwise(parsed: ParsedFile, name: str, options: LiftOptions) -> ModuleOp:
    from tensorlift.frontends.c.clang_ast import UnitReader
    from tensorlift.normalise.loop_ir import C, loop_ir

    signature = UnitReader(parsed.name, parsed.source).function(dict(parsed.functions)[name])
    module = loop_ir(_literally(parsed, name), signature, parsed.name, C)
    _with_extents([ReadFunction(name, signature.location, module)], options)
    return module


def _literally(parsed: ParsedFile, name: str) -> ModuleOp:
    from tensorlift.readers.clang import literal_module_of

    return literal_module_of(parsed, name)


def _literally_cpp(parsed: ParsedCpp, instance: Instance) -> ModuleOp:
    from tensorlift.readers.clang.cpp import literal_cpp_module

    return literal_cpp_module(parsed, instance)


def _preprocessor(options: LiftOptions) -> dict[str, Sequence[str]]:
    return {"include_dirs": options.include_dirs, "include_files": options.include_files, "defines": options.defines}


def _with_extents(found: Sequence[ReadFunction], options: LiftOptions) -> Sequence[ReadFunction]:
    from tensorlift.frontends.c.natural import with_natural_extents

    fitted = options.replaces or options.adapter or get_target(options.target).reads_back
    return found if fitted else with_natural_extents(found)


# Any other name is C.
_READERS: dict[str, Callable[[Source, LiftOptions, str | None], Sequence[ReadFunction]]] = {
    ".mlir": _read_mlir,
    ".py": _read_python,
    **dict.fromkeys((".cpp", ".cc", ".cxx", ".hpp"), _read_cpp),
}
