"""Lines of C: statements as a tree of blocks, printed with the lines after which arrays hold definitions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.ir.cut import Cut

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_INDENT = "  "
_WIDTH = 118


@dataclass(slots=True)
class Block:
    """Statements under a header such as ``for (...)``, in order."""

    header: str
    body: list[Line] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Holds:
    """Here an array of the program holds a definition."""

    array: str
    definition: str


Line = str | Block | Holds


def print_lines(lines: Sequence[Line], first: int, depth: int = 1) -> tuple[list[str], list[Cut]]:
    """Print statements from a line number on, with the cuts that they mark."""
    texts: list[str] = []
    cuts: list[Cut] = []
    for line in lines:
        if isinstance(line, Holds):
            cuts.append(Cut(first + len(texts) - 1, line.array, line.definition))
        elif isinstance(line, str):
            texts += [_INDENT * depth + part for part in _wrapped(line, _WIDTH - len(_INDENT) * depth)]
        else:
            inner, found = print_lines(line.body, first + len(texts) + 1, depth + 1)
            is_single = len(inner) == 1 or (len(line.body) == 1 and isinstance(line.body[0], Block))
            texts.append(_INDENT * depth + line.header + ("" if is_single else " {"))
            texts += inner if is_single else [*inner, _INDENT * depth + "}"]
            cuts += found
    return texts, cuts


def mentions(lines: Sequence[Line], name: str) -> bool:
    """Tell whether statements have a name in them."""
    for line in lines:
        if isinstance(line, Block):
            if re.search(rf"\b{name}\b", line.header) or mentions(line.body, name):
                return True
        elif isinstance(line, str) and re.search(rf"\b{name}\b", line):
            return True
    return False


def _wrapped(line: str, width: int) -> Iterator[str]:
    """Break a long line at spaces outside of strings, of which there are none."""
    indent = ""
    while len(line) + len(indent) > width:
        place = line.rfind(" ", 0, width - len(indent))
        if place <= 0:
            break
        yield indent + line[:place]
        line, indent = line[place + 1 :], _INDENT * 2
    yield indent + line
