"""Diagnostics that comments of a module expect, ``// expected-error @+1 {{text}}``, as mlir-opt verifies them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.diagnostics import Diagnostic, Location, Severity, refuse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_COMMENT = re.compile(
    r"expected-(error|warning|note|remark)(-re)? *(?:@([+-]\d+|above|below|unknown))? *\{\{(.*)\}\} *$"
)
_PATTERN = re.compile(r"\{\{(.*?)\}\}")  # inside of the text of an ``expected-error-re``
_REMARK = "remark"  # a note by itself, which is none on another diagnostic


@dataclass(frozen=True, slots=True)
class _Expected:
    kind: str
    line: int | None
    text: str
    pattern: re.Pattern[str]
    place: Location


def verify_expected(filename: str, lines: Sequence[str], diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Give what is wrong with diagnostics: each that no comment in the file expects, each that is missing.

    Raises:
        LiftError: TL598, where a comment cannot be read.

    """
    missing = list(_expected(filename, lines))
    wrong = []
    for kind, message, place in _said(diagnostics):
        line = place.line if place is not None and place.file == filename else None
        for one in missing:
            if one.kind == kind and one.line == line and one.pattern.search(message):
                missing.remove(one)
                break
        else:
            remedy = f"expect it by a comment, `// expected-{kind} @below {{{{..}}}}`"
            wrong.append(Diagnostic("TL598", f"no comment expects this {kind}: {message}", place, remedy))
    for one in missing:
        remedy = "name the kind, the line and a part of the message of a diagnostic, or leave the comment out"
        wrong.append(Diagnostic("TL598", f"the {one.kind} is missing: {one.text}", one.place, remedy))
    return wrong


def _said(diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[str, str, Location | None]]:
    for one in diagnostics:
        yield _REMARK if one.severity is Severity.NOTE else one.severity.value, one.message, one.location
        for note in one.notes:
            yield _REMARK, note.message, note.location


def _expected(filename: str, lines: Sequence[str]) -> Iterator[_Expected]:
    """Read the comments; ``@above`` and ``@below`` are the next lines that are no such comments themselves."""
    found = {number: _COMMENT.search(line) for number, line in enumerate(lines, 1)}
    for number, comment in found.items():
        if comment is None:
            continue
        kind, is_pattern, where, text = comment.groups()
        line: int | None = number
        if where == "unknown":
            line = None
        elif where == "above":
            line = next((at for at in range(number, 0, -1) if not found[at]), None)
        elif where == "below":
            line = next((at for at in range(number, len(found) + 1) if not found[at]), None)
        elif where:
            line = number + int(where)
        parts = _PATTERN.split(text) if is_pattern else [text]
        pattern = "".join(part if at % 2 else re.escape(part) for at, part in enumerate(parts))
        place = Location(filename, number, len(lines[number - 1][: comment.start()].encode()) + 1)
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            message = f"'{text}' holds what is no regular expression: {error}"
            raise refuse("TL598", message, place, "write regular expressions as {{[0-9]+}}") from None
        yield _Expected(_REMARK if kind == "note" else kind, line, text, compiled, place)
