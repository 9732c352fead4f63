"""What a random Python function may mention at a place: arrays, numbers, loop variables, all with their types.

Every array has one of two extents, ``n`` and ``m``, or that less a constant.  An index is a loop variable with the
room that it leaves at both ends, so that every access lies inside *by construction*, for sizes from three on.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import random

T = TypeVar("T")

LEAST = 3  # the least extent of an array


@dataclass(frozen=True, slots=True)
class Array:
    """An array or a nested list; ``shape`` names extents, ``cut`` is by how much the first one is less.

    ``base`` is the array that a view shows: who writes one writes the other.
    """

    name: str
    dtype: str
    shape: tuple[str, ...]
    is_list: bool = False
    cut: int = 0
    base: str = ""

    @property
    def is_float(self) -> bool:
        """Whether its elements are floating-point numbers."""
        return self.dtype.startswith("float")

    def annotation(self) -> str:
        """Spell it as a parameter is annotated."""
        if self.is_list:
            inner = {"float64": "float", "int64": "int"}[self.dtype]
            return "list[" * len(self.shape) + inner + "]" * len(self.shape)
        return f"'{self.dtype}[{', '.join(':' for _ in self.shape)}]'"


@dataclass(frozen=True, slots=True)
class Counter:
    """A loop variable from ``low`` on, to ``extent - 1 - high``."""

    name: str
    extent: str
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class Number:
    """A scalar variable; ``exact`` where no rounding went into it, so that tests of it do not depend on the order."""

    name: str
    is_float: bool
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Scope:
    """What a statement may use."""

    arrays: tuple[Array, ...]
    counters: tuple[Counter, ...] = ()
    numbers: tuple[Number, ...] = ()

    def with_counter(self, counter: Counter) -> Scope:
        """Enter a loop."""
        return dataclasses.replace(self, counters=(*self.counters, counter))

    def with_number(self, number: Number) -> Scope:
        """Know one more scalar."""
        return dataclasses.replace(self, numbers=(*self.numbers, number))

    def with_array(self, array: Array) -> Scope:
        """Know one more array."""
        return dataclasses.replace(self, arrays=(*self.arrays, array))


class Chooser:
    """Random choices; the same seed gives the same ones."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._count = 0

    def chance(self, probability: float) -> bool:
        """Be true that often."""
        return self.rng.random() < probability

    def pick(self, *choices: T) -> T:
        """Choose one, each equally often."""
        return self.rng.choice(choices)

    def fresh(self, stem: str) -> str:
        """Give a name that was not given yet."""
        self._count += 1
        return f"{stem}{self._count}"
