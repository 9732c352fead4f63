"""A diagnostic as compilers show it: place, message, the source line with a caret under the place, remedy, notes.

The result is a list of styled pieces, so that the plain text and the coloured text cannot differ.  Columns count bytes
of the line in UTF-8, as C compilers count them; cells are what a terminal shows: tabs and wide characters are measured.
"""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import Diagnostic, LiftError, Location
from tensorlift.source import Source, read_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


PLAIN_WIDTH = 120
_TAB = 8
_GUTTER = 5
_CUT = "..."
_UNPRINTABLE = "\N{REPLACEMENT CHARACTER}"  # control characters of a source must not steer the terminal
_SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}


class Piece(NamedTuple):
    """A stretch of text in one style; the style is a rich style name, empty for none."""

    text: str
    style: str = ""


class Sources:
    """The texts that locations point into: those given, else read from the files that the locations name."""

    def __init__(self, *known: Source) -> None:
        """Know these sources; others are read when a location asks for them."""
        self._known: dict[str, Source | None] = {source.name: source for source in known}

    def line(self, location: Location) -> str | None:
        """Give the line of a location, None where it cannot be told; the line after the last one is empty."""
        source = self._source(location.file)
        if source is None or not 1 <= location.line <= len(source.lines) + 1:
            return None
        return source.lines[location.line - 1] if location.line <= len(source.lines) else ""

    def _source(self, name: str) -> Source | None:
        if name not in self._known:
            self._known[name] = _read_if_file(name)
        return self._known[name]


def render(diagnostic: Diagnostic, sources: Sources, width: int = PLAIN_WIDTH) -> list[Piece]:
    """Render one diagnostic with its excerpt, remedy and notes; every line ends in a newline."""
    severity = diagnostic.severity.value
    pieces = list(_headline(diagnostic.location, severity, f"{diagnostic.message} [{diagnostic.code}]"))
    pieces += _excerpt(diagnostic.location, sources, width)
    if diagnostic.remedy:
        pieces += [Piece("  help: ", "bold green"), Piece(printable(diagnostic.remedy) + "\n")]
    for note in diagnostic.notes:
        pieces += _headline(note.location, "note", note.message)
        pieces += _excerpt(note.location, sources, width)
    return pieces


def plain(pieces: Iterable[Piece]) -> str:
    """Join the pieces without their styles."""
    return "".join(piece.text for piece in pieces)


def printable(text: str) -> str:
    """Replace everything that a terminal would obey rather than show; newlines stay."""
    return "".join(c if c == "\n" or c.isprintable() else _UNPRINTABLE for c in text)


def _headline(location: Location | None, severity: str, message: str) -> Iterator[Piece]:
    yield Piece(f"{printable(str(location))}: " if location else "tensorlift: ", "bold")
    yield Piece(f"{severity}: ", _SEVERITY_STYLE[severity])
    yield Piece(printable(message) + "\n", "bold")


def _excerpt(location: Location | None, sources: Sources, width: int) -> Iterator[Piece]:
    line = sources.line(location) if location else None
    if location is None or line is None:
        return
    shown, caret = _clip(*_cells(line, location.column), width - _GUTTER - 3)
    gutter = max(_GUTTER, len(str(location.line)) + 1)
    yield Piece(f"{location.line:>{gutter}} |", "dim")
    yield Piece(f" {shown}".rstrip() + "\n")
    yield Piece(" " * gutter + " | ", "dim")
    yield Piece(" " * caret + "^\n", "bold green")


def _cells(line: str, column: int) -> tuple[list[str], int]:
    """Spread a line over terminal cells; give the cells and the one that the byte column falls on.

    A wide character is followed by an empty cell, a combining one joins the cell before it.
    """
    cells: list[str] = []
    caret: int | None = None
    offset = 0
    for character in line:
        size = len(character.encode("utf-8", "surrogatepass"))
        if caret is None and offset + size >= column:
            caret = len(cells)
        offset += size
        _append(cells, character)
    return cells, len(cells) if caret is None else caret


def _append(cells: list[str], character: str) -> None:
    if character == "\t":
        cells.extend(" " * (_TAB - len(cells) % _TAB))
        return
    shown = printable(character)
    if unicodedata.combining(shown) and cells:
        cells[-1] += shown
    elif unicodedata.east_asian_width(shown) in "WF":
        cells.extend((shown, ""))
    else:
        cells.append(shown)


def _clip(cells: list[str], caret: int, width: int) -> tuple[str, int]:
    """Cut a line to a window around the caret; mark each cut end."""
    width = max(width, 4 * len(_CUT))
    if max(len(cells), caret + 1) <= width:
        return "".join(cells), caret
    start = max(0, min(caret - width // 2, len(cells) + 1 - width))
    window = cells[start : start + width]
    if start:
        window[len(_CUT)] = window[len(_CUT)] or " "  # the right half of a wide character that was cut
        window[: len(_CUT)] = _CUT
    if start + width < len(cells):
        window[-len(_CUT) - 1] = window[-len(_CUT) - 1] if window[-len(_CUT)] else " "  # its left half
        window[-len(_CUT) :] = _CUT
    return "".join(window), caret - start


def _read_if_file(name: str) -> Source | None:
    try:
        return read_source(name) if Path(name).is_file() else None
    except (LiftError, OSError, ValueError):
        return None
