"""Reading an MLIR module: parse it, then translate every function that it defines into the loop IR.

The module is upstream text, in custom or generic syntax, for example what Polygeist prints for C.  Attributes of other
dialects, which say nothing about what a function computes, are blanked out before parsing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.mlir.function import FunctionReader
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.unread import parsed_without
from tensorlift.frontends.read_function import ReadFunction, read_function
from tensorlift.ir.location import location_of
from tensorlift.ir.text import functions as functions_of
from tensorlift.ir.text import parse_module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tensorlift.diagnostics import Diagnostic

    Literally = Callable[[Operation, Mapping[str, Operation]], ModuleOp]
    Otherwise = Callable[[Operation, Mapping[str, Operation], str], ModuleOp]

_UNREADABLE = {
    "scf.while": ("control", "a `while` loop does not count"),
    "affine.parallel": ("control", "this form of `affine.parallel` is not lifted"),
    "scf.parallel": ("control", "this form of `scf.parallel` is not lifted"),
    "memref.atomic_rmw": ("operation", "memref.atomic_rmw"),
}
_SIZE_LIMIT = 4_000_000


def read_mlir(  # noqa: PLR0913 - what is read, and how
    text: str,
    filename: str,
    *,
    function: str | None = None,
    generalise: bool | None = False,
    fitted: bool = False,
    literally: Literally | None = None,
    otherwise: Otherwise | None = None,
) -> list[ReadFunction]:
    """Read a module into the loop IR, one module for each function that it defines.

    With ``function`` only that function is read; without, all but private ones that others call.  With ``generalise``
    None, constant extents and bounds that an index ties together become sizes, and a note says so; with True constant
    bounds over extents that no type states do too.  With ``fitted`` an array is taken to be the part of it that the
    accesses need, where its type leaves that open; otherwise it may be larger.  ``literally`` reads a function of the
    module literally, which may call the others, and ``otherwise`` makes loop IR of that.

    Raises ``LiftError`` for what concerns the whole file: text that is no MLIR, no function, too much of it.
    """
    start = Location(filename, 1, 1)
    if len(text) > _SIZE_LIMIT:
        raise refusal("too-large", start, f"the file has more than {_SIZE_LIMIT} characters")
    if not text.strip():
        raise refusal("no-function", start, "the file is empty")
    module, unread = parsed_without(text, filename, _parse)
    if function is not None and any(one.name == function for one in unread):
        return [one for one in unread if one.name == function]
    defined = {_name(op): op for op in functions_of(module)}
    if not defined:
        raise (
            LiftError(*unread[0].diagnostics)
            if unread
            else refusal("no-function", start, "the module defines no function")
        )
    read = [
        _read(defined[name], defined, filename, generalise=generalise, fitted=fitted)
        for name in _chosen(defined, function, start)
    ]
    if literally is not None:
        read = [replace(one, literally=partial(literally, defined[one.name], defined)) for one in read]
    if otherwise is not None:
        read = [replace(one, otherwise=partial(otherwise, defined[one.name], defined, filename)) for one in read]
    return sorted([*read, *unread], key=lambda one: one.location.line) if unread and function is None else read


def _parse(text: str, filename: str) -> ModuleOp:
    """Parse a module; of upstream forms that cannot be read, those that would be refused anyway are told by name."""
    try:
        return parse_module(text, filename, places=True)
    except LiftError as error:
        place = error.diagnostics[0].location
        lines = [*text.splitlines(), ""]  # what is missing at the end stands behind the last line
        line = lines[place.line - 1] if place is not None and place.file == filename else ""
        for name, (reason, detail) in _UNREADABLE.items():
            if error.diagnostics[0].code != "TL191" and re.search(rf"\b{name}\b", line):
                raise refusal(reason, place, detail) from None
        raise


def _chosen(defined: Mapping[str, Operation], wanted: str | None, start: Location) -> Sequence[str]:
    if wanted is not None:
        if wanted not in defined:
            detail = f"there is no function `{wanted}`; the module defines {', '.join(defined)}"
            raise refusal("unknown-function", start, detail)
        return [wanted]
    helpers = {name for name, op in defined.items() if "private" in str(op.properties.get("sym_visibility", ""))}
    return [name for name in defined if name not in helpers] or list(defined)


def _read(
    op: Operation, defined: Mapping[str, Operation], filename: str, *, generalise: bool | None, fitted: bool
) -> ReadFunction:
    """Translate one function; what refuses it becomes its diagnostics."""
    name, location = _name(op), location_of(op) or Location(filename, 1, 1)

    def lower() -> tuple[ModuleOp, tuple[Diagnostic, ...]]:
        return FunctionReader(op, defined, filename).read(generalised=generalise, fitted=fitted)

    return read_function(name, location, lower, refusal)


def _name(op: Operation) -> str:
    name: Any = op.properties["sym_name"]
    return str(name.data)
