"""Reading an MLIR module: parse it, then lower every function that it defines.

The module is upstream text, in custom or generic syntax, for example what Polygeist prints for C.  Attributes of other
dialects, which say nothing about what a function computes, are blanked out before parsing.

Modules of which a function, or a global, cannot be read: it is blanked out, and the others are read without it.

The bodies of functions see nothing of each other, so what is left means what it meant; what names something that went
with a function, which reaches to the next one, is refused itself.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.read_function import ReadFunction, read_function
from tensorlift.ir.location import location_of
from tensorlift.ir.mixed import name_of
from tensorlift.ir.text import functions as functions_of
from tensorlift.ir.text import parse_module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from tensorlift.diagnostics import Diagnostic

    Literally = Callable[[Operation, Mapping[str, Operation]], ModuleOp]
    Lower = Callable[[Operation, Mapping[str, Operation]], tuple[ModuleOp, tuple[Diagnostic, ...]]]


_STARTS = r'(?:^|(?<=[{}]))[ \t]*(?P<starts>"?(?!module\b|builtin\.module\b)[a-z]\w*\.[\w.]+"?)'
_TOKEN = re.compile(rf'{_STARTS}|"(?:[^"\\\n]|\\.)*"|//[^\n]*|[{{}}]', re.MULTILINE)
_NAME = re.compile(r'@(?:([\w$.-]+)|"([^"]*)")|\bsym_name\s*=\s*"([^"]*)"')


class _Span(NamedTuple):
    name: str
    start: int
    end: int
    is_function: bool


def parsed_without(
    text: str, filename: str, parse: Callable[[str, str], ModuleOp]
) -> tuple[ModuleOp, list[ReadFunction]]:
    """Parse a module without the functions that cannot be read, and give these refused.

    Raises ``LiftError`` where an error stands outside of functions, or no function is left.
    """
    refused: list[ReadFunction] = []
    first: LiftError | None = None
    while True:
        try:
            return parse(text, filename), sorted(refused, key=_line)
        except LiftError as error:
            first = first or error
            spans = _spans(text)
            place = error.diagnostics[0].location
            if place is None or place.file != filename or len(spans) < 2:  # noqa: PLR2004 - one would be all
                raise first from None
            at = _offset(text, place)
            found = next((span for span in spans if span.start <= at < span.end and span.name), None)
            if found is None:
                raise first from None
            if found.is_function:
                line = text.count("\n", 0, found.start) + 1
                column = found.start - (text.rfind("\n", 0, found.start) + 1) + 1
                refused.append(ReadFunction(found.name, Location(filename, line, column), None, error.diagnostics))
            blank = re.sub(r"[^\n]", " ", text[found.start : found.end])
            text = text[: found.start] + blank + text[found.end :]


def _line(function: ReadFunction) -> int:
    return function.location.line


def _offset(text: str, place: Location) -> int:
    start = 0
    for _ in range(place.line - 1):
        start = text.find("\n", start) + 1
    return start + place.column - 1


def _spans(text: str) -> list[_Span]:
    """Find what stands in a module, each from its first word to the next one, or to the end of what holds it."""
    spans: list[_Span] = []
    depth, base, start = 0, 0, -1
    for token in _TOKEN.finditer(text):
        if token["starts"] and (start < 0 or depth == base):
            if start >= 0:
                spans.append(_named(text, start, token.start("starts")))
            start, base = token.start("starts"), depth
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if start >= 0 and depth < base:
            spans.append(_named(text, start, token.start()))
            start = -1
    if start >= 0:
        spans.append(_named(text, start, len(text)))
    return spans


def _named(text: str, start: int, end: int) -> _Span:
    found = _NAME.search(text, start, end)
    name = next(filter(None, found.groups()), "") if found else ""
    return _Span(name, start, end, re.match(r'"?\w+\.func\b', text[start:end]) is not None)


_UNREADABLE = {
    "scf.while": ("control", "a `while` loop does not count"),
    "affine.parallel": ("control", "this form of `affine.parallel` is not lifted"),
    "scf.parallel": ("control", "this form of `scf.parallel` is not lifted"),
    "memref.atomic_rmw": ("operation", "memref.atomic_rmw"),
}
_SIZE_LIMIT = 4_000_000


def read_functions(
    text: str, filename: str, lower: Lower, literally: Literally, function: str | None
) -> list[ReadFunction]:
    """Read the functions of a module, or only one: all but private ones that others call.

    ``lower`` makes loop IR of a function, which may call the others, and ``literally`` literal IR.

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
    defined = {name_of(op): op for op in functions_of(module)}
    if not defined:
        raise (
            LiftError(*unread[0].diagnostics)
            if unread
            else refusal("no-function", start, "the module defines no function")
        )
    read = [_read(defined[name], defined, filename, lower) for name in _chosen(defined, function, start)]
    read = [replace(one, literally=partial(literally, defined[one.name], defined)) for one in read]
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


def _read(op: Operation, defined: Mapping[str, Operation], filename: str, lower: Lower) -> ReadFunction:
    """Lower one function; what refuses it becomes its diagnostics."""
    name, location = name_of(op), location_of(op) or Location(filename, 1, 1)
    return read_function(name, location, partial(lower, op, defined), refusal)
