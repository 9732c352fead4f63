"""Statements as the text of a function of their own, and the call that stands in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.frontends.c.outline.capture import Passed, Way

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.frontends.c.outline.stretches import Stretch

_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Outlined:
    """A function of statements: ``before`` and ``after`` them stand the lines that copy variables in and out."""

    name: str
    stretch: Stretch
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    statements: str
    line: int

    def head(self) -> str:
        """Declare the function, for all files and without a semicolon."""
        return "\n".join(_wrapped(f"void {self.name}", self.parameters, ""))

    def definition(self, head: str, start: str, end: str = "") -> str:
        """Write the function with a head; ``start`` and ``end`` around its statements say where those are from."""
        before, after = ("".join(f"  {one}\n" for one in lines) for lines in (self.before, self.after))
        return f"{head}\n{{\n{before}{start}{self.statements}\n{end}{after}}}\n"

    def call(self, column: int) -> str:
        """Write the call, which starts at a column."""
        lines = _wrapped(self.name, self.arguments, ";", column)
        return "\n".join([lines[0], *(" " * column + one for one in lines[1:])])


def outlined(stretch: Stretch, name: str, fresh: Callable[[str], str]) -> Outlined:
    """Make a function of a stretch; raises LiftError where there can be none."""
    passed = stretch.passed()
    pointers = {one.name: fresh(f"{one.name}_out") for one in passed if one.way in {Way.INOUT, Way.OUT}}
    text = stretch.function.text
    start = text.rfind(b"\n", 0, stretch.start) + 1
    given = [one for one in passed if one.way is not Way.LOCAL]
    return Outlined(
        name,
        stretch,
        tuple(
            one.declared(pointers[one.name], pointer=True) if one.name in pointers else one.declared(one.name)
            for one in given
        ),
        tuple(f"&{one.name}" if one.name in pointers else one.name for one in given),
        (
            *(f"enum {{ {constant} = {value} }};" for constant, value in stretch.constants().items()),
            *(_declared(one, pointers.get(one.name, "")) for one in passed if one.way is not Way.VALUE),
        ),
        tuple(f"*{pointer} = {one};" for one, pointer in pointers.items()),
        " " * (stretch.start - start) + text[stretch.start : stretch.end].decode(),
        text.count(b"\n", 0, stretch.start) + 1,
    )


def _declared(variable: Passed, pointer: str) -> str:
    start = variable.declared(variable.name)
    return f"{start} = *{pointer};" if variable.way is Way.INOUT else f"{start};"


def _wrapped(start: str, parts: Sequence[str], ending: str, column: int = 0) -> list[str]:
    """Write a list in parentheses in lines of a width."""
    lines, indent = [f"{start}("], min(len(start) + 1, 40)
    listed = parts or (["void"] if " " in start else [""])
    for position, part in enumerate(listed):
        piece = part + (", " if position < len(listed) - 1 else f"){ending}")
        if column + len(lines[-1]) + len(piece) > _WIDTH and lines[-1].strip():
            lines.append(" " * indent)
        lines[-1] += piece
    return [line.rstrip() for line in lines]
