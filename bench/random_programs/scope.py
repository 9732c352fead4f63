"""What a random program may mention at a place: loop variables with their slack, arrays, scalars."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

REAL, WHOLE = "real", "int"


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop variable with ``low <= variable <= extent - 1 - high``; ``half`` allows ``2 * variable + 1`` as well.

    ``under`` names an outer variable that it never exceeds.  A window runs over ``0 .. width - 1`` and has no extent.
    """

    name: str
    extent: str
    low: int = 0
    high: int = 0
    half: bool = False
    under: str = ""
    width: int = 0


@dataclass(frozen=True, slots=True)
class Array:
    """A parameter or local array; ``flat`` ones are linearised by hand."""

    name: str
    kind: str
    shape: tuple[str, ...]
    written: bool
    flat: bool = False


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar that expressions may read; accumulators take updates as well."""

    name: str
    kind: str
    written: bool = False
    accumulator: bool = False


@dataclass(frozen=True, slots=True)
class Scope:
    """What a statement may use: the loops around it, outermost first, the scalars in sight, the guards passed."""

    loops: tuple[Loop, ...] = ()
    scalars: tuple[Scalar, ...] = ()
    guards: int = 0

    def inside(self, loop: Loop) -> Scope:
        """Enter a loop."""
        return dataclasses.replace(self, loops=(*self.loops, loop))

    def guarded(self) -> Scope:
        """Enter a branch."""
        return dataclasses.replace(self, guards=self.guards + 1)

    def knowing(self, scalar: Scalar) -> Scope:
        """See one more scalar."""
        return dataclasses.replace(self, scalars=(*self.scalars, scalar))

    def without(self, scalar: Scalar) -> Scope:
        """Hide a scalar."""
        return dataclasses.replace(self, scalars=tuple(s for s in self.scalars if s is not scalar))

    def refined(self, loop: Loop, low: int = 0, high: int = 0) -> Scope:
        """Know, by a guard, that a loop variable keeps this slack."""
        better = dataclasses.replace(loop, low=max(loop.low, low), high=max(loop.high, high))
        return dataclasses.replace(self, loops=tuple(better if x is loop else x for x in self.loops))

    def covers(self, extent: str) -> bool:
        """Tell whether a loop variable can walk along this extent."""
        return any(loop.extent == ("n" if extent == "2 * n" else extent) or loop.width for loop in self.loops)


def less(extent: str, constant: int) -> str:
    """Spell ``extent - constant``."""
    return f"{extent} - {constant}" if constant else extent


def strip(expression: str) -> str:
    """Drop parentheses around a whole expression."""
    if not expression.startswith("("):
        return expression
    level = 0
    for position, letter in enumerate(expression):
        level += (letter == "(") - (letter == ")")
        if level == 0:
            return expression[1:-1] if position == len(expression) - 1 else expression
    return expression


def indent(lines: list[str]) -> list[str]:
    """Move lines one level in."""
    return [f"    {line}" for line in lines]
