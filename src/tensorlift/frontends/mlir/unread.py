"""Modules of which a function, or a global, cannot be read: it is blanked out, and the others are read without it.

The bodies of functions see nothing of each other, so what is left means what it meant; what names something that went
with a function, which reaches to the next one, is refused itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import LiftError, Location
from tensorlift.frontends.read_function import ReadFunction

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.dialects.builtin import ModuleOp

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
