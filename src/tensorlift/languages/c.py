"""C to the loop IR."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.memref import GlobalOp

from tensorlift.frontends.c.elsewhere import Elsewhere
from tensorlift.frontends.c.reader import ParsedFile, parse_c, read_functions
from tensorlift.frontends.c.signature import Asked, c_signature
from tensorlift.ir.function import function_named
from tensorlift.ir.literal_function import argument_names, result_names
from tensorlift.ir.lost_bits import wrapping_below
from tensorlift.normalise.loop_ir import MLIR, C, loop_ir
from tensorlift.readers.clang import literal_module_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from tensorlift.frontends.c.elsewhere import OtherFile
    from tensorlift.frontends.c.variables import UnitReader
    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.normalise.execution import Language


def read_c(
    text: str,
    filename: str,
    *,
    function: str | None = None,
    others: Sequence[OtherFile] = (),
    divides_sizes: bool = True,
    **options: Any,
) -> list[ReadFunction]:
    """Read C source text into the loop IR, one module for each function that the file defines.

    ``options`` are those of ``parse_c``.  With ``function`` only that function is read; without, all but ``main``.
    What the file does not define is looked for in the ``others`` of its project.  With ``divides_sizes`` quotients of
    sizes are sizes, else data.

    Raises ``LiftError`` for what concerns the whole file: a parse error, a missing header, no function, no text.
    """
    language = replace(C, divides_sizes=divides_sizes)
    return read_parsed_c(parse_c(text, filename, **options), function, others, language=language)


def read_parsed_c(  # noqa: PLR0913 - a file, and how it is read
    parsed: ParsedFile,
    function: str | None = None,
    others: Sequence[OtherFile] = (),
    *,
    wraps: bool = False,
    keeps_rank: bool = False,
    language: Language = C,
) -> list[ReadFunction]:
    """Read the functions of a file as ``read_c`` does.

    Integers of less than 64 bits may be taken to wrap, and subscripts to stay in the dimensions that are declared.
    """
    elsewhere = Elsewhere(parsed, others)
    literal = cache(partial(literal_module_of, parsed, elsewhere=elsewhere))

    def read(literally: Callable[[str], ModuleOp], function: str | None) -> list[ReadFunction]:
        lower = partial(_lower, parsed, literally, wraps=wraps, keeps_rank=keeps_rank, language=language)
        return [
            replace(f, literally=partial(literally, f.name), elsewhere=elsewhere, again=partial(again, f.name))
            for f in read_functions(parsed, lower, function)
        ]

    def again(name: str, module: ModuleOp) -> ReadFunction:
        (found,) = read(lambda _: module, name)
        return found

    return read(literal, function)


def _lower(  # noqa: PLR0913 - a function, and how it is read
    parsed: ParsedFile,
    read: Callable[[str], ModuleOp],
    reader: UnitReader,
    cursor: Any,
    *,
    wraps: bool,
    keeps_rank: bool,
    language: Language,
) -> ModuleOp:
    literal = read(cursor.spelling)
    signature = c_signature(reader, cursor, asked_by(literal, cursor.spelling))
    for parameter in signature.parameters if keeps_rank else ():
        parameter.keeps_rank = bool(parameter.extents)
    if wraps:
        exact_from = MLIR.exact_from  # nothing else is known to hold a position
        return loop_ir(
            wrapping_below(literal, exact_from), signature, parsed.name, replace(language, exact_from=exact_from)
        )
    return loop_ir(literal.clone(), signature, parsed.name, language)  # the passes rewrite what they are given


def asked_by(literal: ModuleOp, name: str) -> Asked:
    """Say what the literal IR of a function takes."""
    outer = [op.sym_name.data for op in literal.ops if isinstance(op, GlobalOp)]
    function = function_named(literal, name)
    return Asked([*argument_names(function), *result_names(function)], outer)
