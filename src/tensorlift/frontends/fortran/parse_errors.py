"""Why a unit of Fortran does not parse: blocks that are not ended, another form, statements that go on.

The parser says where it stopped, and no more.  What is said here has a remedy that works; the rest is told by its line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import Note
from tensorlift.frontends.fortran.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.frontends.fortran.syntax import File

_NAMED = r"(?:\w+\s*:\s*)?"
_UNITS = r"subroutine|function|module|program|submodule"
PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_BLOCKS = {
    "do": re.compile(rf"{_NAMED}do\b(?!\s*[\d=(%])[^{{]*$", re.IGNORECASE),
    "if": re.compile(rf"{_NAMED}if\s*{PARENTHESES}\s*then$", re.IGNORECASE),
    "select": re.compile(rf"{_NAMED}select\s*(?:case|type)\b", re.IGNORECASE),
    "where": re.compile(rf"{_NAMED}where\s*{PARENTHESES}$", re.IGNORECASE),
    "forall": re.compile(rf"{_NAMED}forall\s*{PARENTHESES}$", re.IGNORECASE),
    "block": re.compile(rf"{_NAMED}block$", re.IGNORECASE),
    "associate": re.compile(rf"{_NAMED}associate\s*\(", re.IGNORECASE),
    "interface": re.compile(r"(?:abstract\s+)?interface\b(?!\s*[=(%])", re.IGNORECASE),
    "type": re.compile(r"type\s*(?:,.*::|::|(?!is\b)\w+$)", re.IGNORECASE),
}
_END = re.compile(
    rf"end\s*(?:(?P<kind>{'|'.join(_BLOCKS)}|{_UNITS}|procedure|block\s*data)\b\s*(?P<name>\w*)\s*(?:\(.*\))?)?$",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"(?:[-+*/,(=]|\.\w+\.)\s*(?:!.*)?$")
_OF_FIXED_FORM = re.compile(r"[c*](?:\s|$)|     [^\s\d!]\s", re.IGNORECASE)


_OF_LATER = re.compile(rf"\s*{_NAMED}do\s+concurrent\b.*(?:::|\)\s*(?:local|shared|reduce|default)\b)", re.IGNORECASE)
LAST_COLUMN = 72  # of a line of fixed form that is read
_IS_CUT = re.compile(  # a statement that goes on behind it, and is not numbered there
    rf"(?![c*!])(?!.{{{LAST_COLUMN - 1}}} [\w ]{{1,8}}$)[^!]{{{LAST_COLUMN}}}[^!]*[^!\s]", re.IGNORECASE
)


class Statement(NamedTuple):
    """A statement with its line, and the kind and name of the unit that it begins, if it does."""

    text: str
    line: int
    unit: str = ""
    name: str = ""


class _Open(NamedTuple):
    """What is to be ended: a unit with its name, or a block; and whether units may begin inside."""

    kind: str
    name: str
    line: int
    contains: bool = False


def parse_error(file: File, line: int, statements: Iterable[Statement]) -> LiftError:
    """Say why a unit of these statements does not parse, which the parser left at a line."""
    text = file.lines[line - 1] if 0 < line <= len(file.lines) else ""
    place = file.location(line)
    if not file.is_fixed and _OF_FIXED_FORM.match(text):
        return refusal("fixed-form", place)
    if _OF_LATER.match(text):
        return refusal("loop-control", place, text.strip())
    if _GOES_ON.search(text):
        return refusal("unfinished-fixed" if file.is_fixed else "unfinished", place)
    statements = list(statements)
    of_c = next((one for one in statements if one.text.endswith(("{", "}"))), None)
    if of_c is not None:
        return refusal("parse", file.location(of_c.line), f"`{of_c.text}`")
    return _too_long(file, statements) or _unbalanced(file, statements) or refusal("parse", place, f"`{text.strip()}`")


def _too_long(file: File, statements: Sequence[Statement]) -> LiftError | None:
    """Find the first line of fixed form that ends within a statement."""
    lines = range(statements[0].line, statements[-1].line + 1) if file.is_fixed and statements else ()
    found = (n for n in lines if _IS_CUT.match(file.lines[n - 1]))
    return next((refusal("too-long", file.location(n)) for n in found), None)


def _unbalanced(file: File, statements: Iterable[Statement]) -> LiftError | None:
    """Find the first line that ends what is not open there, or what is never ended."""
    opened: list[_Open] = []
    last = 0
    for text, last, unit, name in statements:
        ended = _END.match(text)
        if unit:
            if opened and not opened[-1].contains:
                is_module = opened[-1].kind in {"module", "program"}
                return refusal("contains", file.location(last)) if is_module else _not_ended(file, opened[-1], last)
            opened.append(_Open(unit, name, last))
        elif ended is not None:
            kind, own = (ended["kind"] or "").lower(), (ended["name"] or "").lower()
            if not opened or (kind in _BLOCKS and opened[-1].kind not in _BLOCKS):
                return refusal("extra-end", file.location(last), text)
            top = opened.pop()
            is_same = kind == top.kind or (kind in {"", "procedure"} and top.kind not in _BLOCKS)
            if not is_same or (top.name and own not in {"", top.name}):
                return _not_ended(file, top, last)
        elif re.fullmatch("contains", text, re.IGNORECASE) and opened:
            opened[-1] = opened[-1]._replace(contains=True)
        else:
            found = (kind for kind, begins in _BLOCKS.items() if begins.match(text))
            opened += [_Open(kind, "", last, kind == "interface") for kind in found]
    return _not_ended(file, opened[-1], last, "unended") if opened else None


def _not_ended(file: File, one: _Open, line: int, reason: str = "not-ended") -> LiftError:
    """Refuse what is not ended before a line, or after the last one."""
    note = Note(f"`{one.kind}` begins here", file.location(one.line))
    return refusal(reason, file.location(line), f"{one.kind} {one.name}".strip(), (note,))
