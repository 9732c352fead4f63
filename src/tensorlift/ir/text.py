"""Loop modules as text: printed so that upstream mlir-opt accepts them, read in custom and in generic syntax.

``python -m tensorlift.ir.text FILE`` reads a module and prints it again; the text tests use it.
"""

from __future__ import annotations

import re
import sys
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Span

from tensorlift.diagnostics import LiftError, Location, refuse
from tensorlift.ir.dialects import dialect_names, loop_context
from tensorlift.ir.function import functions
from tensorlift.ir.location import location_of
from tensorlift.ir.parser import LoopParser
from tensorlift.ir.printer import LoopPrinter
from tensorlift.ir.validity import disagreement

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

__all__ = ["functions", "parse_module", "print_module"]


def print_module(module: ModuleOp, *, locations: bool = False, generic: bool = False) -> str:
    """Print a module; with ``locations``, each operation ends in the place that it comes from."""
    out = StringIO()
    LoopPrinter(out, print_debuginfo=locations, print_generic_format=generic).print_op(module)
    return out.getvalue() + "\n"


def parse_module(text: str, filename: str, *, places: bool = False, context: Context | None = None) -> ModuleOp:
    """Read and verify a module; with ``places``, an operation without a location gets its place in the text.

    A ``context`` knows more operations than those of the loop dialects.

    Raises LiftError: TL190 where the text is not MLIR, TL191 where it uses an operation, type or attribute outside the
    loop dialects, TL192 where an operation breaks its own rules.
    """
    try:
        parser = LoopParser(context or loop_context(), text, filename)
    except ParseError as error:  # the parser reads the first token at once
        raise syntax_error(error) from None
    parser.places = places
    try:
        module = parser.parse_module()
    except ParseError as error:
        raise syntax_error(error) from None
    except XDSL_LIMITS as error:
        place = Location(filename, parser.lexer.input.content.count("\n", 0, parser.pos) + 1, 1)
        raise unreadable(error, place) from None
    if wrong := invalid_in(module, filename):
        raise wrong
    return module


# What xDSL raises without a place, for example on a semi-affine map or a type whose parameters do not fit.
XDSL_LIMITS = (NotImplementedError, ValueError, VerifyException, AssertionError, KeyError, IndexError, RecursionError)
_UNKNOWN = re.compile(r"'?([\w.]+)'? is not registered")


def syntax_error(error: ParseError) -> LiftError:
    unknown = _UNKNOWN.search(error.msg)
    if unknown is None:
        return refuse("TL190", f"not MLIR: {error.msg}", _place(error.span), "give a module that mlir-opt accepts")
    # xDSL points behind the name.
    at = error.span.input.content.rfind(unknown[1], 0, error.span.start)
    place = _place(Span(at, at, error.span.input)) if at >= 0 else _place(error.span)
    known = ", ".join(dialect_names())
    return refuse("TL191", f"'{unknown[1]}' is not part of the loop IR", place, f"use only the dialects {known}")


def unreadable(error: Exception, place: Location) -> LiftError:
    """Build the refusal of what xDSL breaks down over."""
    return refuse("TL190", f"cannot be read: {error}", place, "give a module that mlir-opt accepts")


def _place(span: Span[Any]) -> Location:
    found = span.get_location()
    return Location(found.file, found.line, found.col)


def invalid_in(op: Operation, filename: str) -> LiftError | None:
    """Verify each operation in one by itself, so that the diagnostic can name the place of the one that is wrong."""
    for inner in op.walk():
        try:
            inner.verify(verify_nested_ops=False)
        except Exception as error:  # noqa: BLE001 - what scf.while may not be, xDSL says by an Exception itself
            wrong: str | None = str(error).strip().splitlines()[-1]
        else:
            wrong = disagreement(inner)
        if wrong is not None:
            place = location_of(inner) or Location(filename, 1, 1)
            return refuse("TL192", f"{inner.name} is not valid: {wrong}", place, "give a module that mlir-opt accepts")
    return None


def main(arguments: list[str]) -> int:
    """Read the file that is named (``-`` for standard input) and print it again."""
    (path,) = arguments
    text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    try:
        sys.stdout.write(print_module(parse_module(text, Path(path).name), locations=False))
    except LiftError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
