"""What was found out about a function's literal IR, to be decided by its checker.

Nothing here is believed.  A *loop claim* says what holds at the head of a loop before each iteration: the values of the
arguments of its header, and the cells of the arrays that the loop writes, both in terms of what they were where the
loop was entered.  A loop that stays a loop of the definitions claims its item instead, iteration for iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.variables import strided

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import KeptLoop
    from tensorlift.comprehension.state import Effect
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.affine import Affine
    from tensorlift.poly.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Advance:
    """An integer that each iteration moves on by as much; where it ``wraps``, modulo two to its width.

    One that takes a ``turn`` moves by another number from an iteration on.
    """

    by: Polynomial
    wraps: bool = False
    turn: tuple[Affine, Polynomial] | None = None

    def variables(self) -> frozenset[str]:
        """Return the names of which it tells."""
        return self.by.variables().union(
            *(() if self.turn is None else (self.turn[0].variables, self.turn[1].variables()))
        )


Phi = str | Advance  # a number has the name under which the states have it as an array of rank 0


@dataclass(frozen=True, slots=True)
class Ahead:
    """An array on which the definitions ran a part of a loop ahead of the rest.

    ``reached`` is where that part has been before an iteration; elsewhere the array is an ``older`` version still.
    """

    reached: Domain
    older: str


@dataclass(frozen=True, slots=True)
class Rows:
    """The cells of an array that iterations before one have made what a version of it is after the loop."""

    reached: Domain
    version: str


@dataclass(frozen=True, slots=True)
class Hit:
    """The first iteration at which a loop is left early, by a name: what a counter is there, or ``none`` without one.

    The counter is told by its number among the arguments of the header.
    """

    name: str
    counter: int
    none: Affine
    dtype: DType


@dataclass(frozen=True, slots=True)
class LoopClaim:
    """A loop, by the position of its header among the blocks.

    ``variable`` goes up from ``lower``, by ``step``, as long as it is below each of ``upper``. A step that is no
    constant is at least one, and it is not known which iterations there are. ``phis`` has one entry for each argument
    of the header. ``states`` are the arrays before iteration ``variable``; ``item`` is the loop of the definitions,
    where it stays one. ``versions`` names the definitions that arrays are equal to when the loop ends. ``locals`` tells
    which values of the IR the states mean by the names of scalars that the loop does not change: each by its block, and
    the position of its operation or, counted from -1 down, of its argument. ``ahead`` is for loops that stay. Without
    ``lower``, the loop begins where the counter does that moves by its step. With ``rows``, iterations make each what
    loops of the definitions make of all, which stay. ``is_segment``: the source goes over some places of an array,
    between bounds that are data, the claim over all of them (`segments`). With ``inner``, a claim of the same loop, an
    iteration is all of those of ``inner``. A loop that does something and is left early has a ``hit``, of which states
    tell; ``running`` is what numbers would be if it were not left.
    """

    header: int
    variable: str
    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    step: Affine | int
    phis: tuple[Phi, ...]
    states: Effect = field(default_factory=dict)
    item: KeptLoop | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    locals: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    ahead: Mapping[str, Ahead] = field(default_factory=dict)
    inner: LoopClaim | None = None
    hit: Hit | None = None
    running: Effect = field(default_factory=dict)
    is_segment: bool = False
    rows: Mapping[str, Rows] = field(default_factory=dict)

    @property
    def below(self) -> Domain:
        """Where the variable is below each of its upper bounds."""
        return Domain.of(*(less(self.variable, high) for high in self.upper))

    def reached(self, context: Domain) -> Domain:
        """Return the values that the variable may have, its end included and what is beyond."""
        starts = context & Domain.of(*(at_least(self.variable, low) for low in self.lower))
        return starts & strided(self.variable, self.lower[0], self.step)


@dataclass(frozen=True, slots=True)
class Claims:
    """All claims about one function: its loops, by their headers.

    ``memories`` tells which array each memory is that the function makes, by its number among those.
    """

    loops: Mapping[int, LoopClaim]
    memories: Mapping[int, str] = field(default_factory=dict)
