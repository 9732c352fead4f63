"""C++ to the loop IR: a signature is what C++ declares, and what literal IR asks for of containers and objects."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from tensorlift.frontends.c.variables import UnitReader
from tensorlift.frontends.cpp.reader import ParsedCpp, lower_cpp, parse_cpp, read_instances
from tensorlift.frontends.cpp.signature import signature_of
from tensorlift.languages.c import asked_by
from tensorlift.normalise.loop_ir import cpp_language, executed, rewrite
from tensorlift.readers.clang.cpp import literal_cpp_module

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.cpp.instances import Instance
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.ir import nodes


def read_cpp(
    text: str, filename: str, *, function: str | None = None, divides_sizes: bool = True, **options: Any
) -> list[ReadFunction]:
    """Read C++ source text into the loop IR, one module for each function and for each instance of a template.

    ``options`` are those of ``parse_cpp``.  Functions that share a name get the types of their parameters, or the
    arguments of the template, behind it; ``function`` names one of them, or all that share a name.
    With ``divides_sizes`` quotients of sizes are sizes, else data.

    Raises ``LiftError`` for what concerns the whole file: a parse error, a missing header, no function, no text.
    """
    return read_parsed_cpp(parse_cpp(text, filename, **options), function, divides_sizes=divides_sizes)


def read_parsed_cpp(
    parsed: ParsedCpp, function: str | None = None, *, divides_sizes: bool = True
) -> list[ReadFunction]:
    """Read the functions of a file as ``read_cpp`` does."""
    instances = {instance.name: instance for instance in parsed.found}
    literal = cache(lambda name: literal_cpp_module(parsed, instances[name]))

    def read(literally: Callable[[str], ModuleOp], function: str | None) -> list[ReadFunction]:
        found = read_instances(parsed, partial(_lower, literally, divides_sizes), function)
        known = {f.name: (partial(literally, f.name), partial(again, f.name)) for f in found if f.name in instances}
        return [replace(f, literally=known[f.name][0], again=known[f.name][1]) if f.name in known else f for f in found]

    def again(name: str, module: ModuleOp) -> ReadFunction:
        return next(one for one in read(lambda _: module, name) if one.name == name)

    return read(literal, function)


def _lower(
    read: Callable[[str], ModuleOp],
    divides_sizes: bool,  # noqa: FBT001 - one of two readings
    parsed: ParsedCpp,
    instance: Instance,
) -> ModuleOp:
    file, name = parsed.parsed, instance.name
    unit = UnitReader(file.name)
    entry = signature_of(unit, instance.cursor, name, lambda: asked_by(read(name), name))
    language = replace(cpp_language(entry.prototype), divides_sizes=divides_sizes)
    literal = read(name).clone()  # which the passes rewrite
    rewrite(literal, entry.function.location, language)

    def lower(signature: nodes.Function, source: str) -> ModuleOp:
        return executed(literal, signature, source, language)

    return lower_cpp(entry, file.name, lower)
