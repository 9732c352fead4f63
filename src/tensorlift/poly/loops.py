"""Loops around a place, their bounds, and the conditions that hold there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tensorlift.poly.polynomial import ONE, Polynomial


@dataclass(frozen=True, slots=True)
class LoopRange:
    """A loop variable and its bounds: ``lower <= variable < min(uppers)`` in steps of ``step``, at least one."""

    variable: str
    lower: Polynomial
    uppers: tuple[Polynomial, ...]
    step: Polynomial = ONE

    def below(self, position: int) -> LoopRange:
        """Give the range below one of the upper bounds, the last one where there are not so many."""
        return LoopRange(self.variable, self.lower, (self.uppers[min(position, len(self.uppers) - 1)],))


@dataclass(frozen=True, slots=True)
class NotZero:
    """The condition that a polynomial is not zero."""

    polynomial: Polynomial


Known = tuple["Polynomial | NotZero", ...]


@dataclass(frozen=True, eq=False)
class Domain:
    """The loops around a place, outermost first, and the conditions (``polynomial >= 0``, or not zero) that hold there.

    Equality is by value; the hash is kept, because questions about domains are looked up again and again.
    """

    loops: tuple[LoopRange, ...] = ()
    guards: tuple[Polynomial, ...] = ()
    apart: tuple[NotZero, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        return self is other or (
            isinstance(other, Domain)
            and self.loops == other.loops
            and self.guards == other.guards
            and self.apart == other.apart
        )

    def __hash__(self) -> int:
        """Hash by value."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.loops, self.guards, self.apart))

    @cached_property
    def variables(self) -> frozenset[str]:
        """The loop variables."""
        return frozenset([loop.variable for loop in self.loops])

    @cached_property
    def choices(self) -> tuple[Domain, ...]:
        """The domains with one upper bound for each loop that together bound what several bounds do."""
        most = max([len(loop.uppers) for loop in self.loops], default=1)
        if most == 1:
            return (self,)
        return tuple(
            Domain(tuple([loop.below(position) for loop in self.loops]), self.guards) for position in range(most)
        )

    @cached_property
    def _outers(self) -> tuple[Domain, ...]:
        return tuple(Domain(self.loops[:depth]) for depth in range(len(self.loops)))

    def inside(self, loops: tuple[LoopRange, ...], known: Known) -> Domain:
        """Give the domain inside of more loops and conditions; of two that differ by a number, the stronger is kept."""
        apart = tuple([condition for condition in known if isinstance(condition, NotZero)])
        least = dict(self._least)
        for condition in known:
            if not isinstance(condition, NotZero):
                slope, constant = _without_constant(condition)
                least[slope] = min(constant, least.get(slope, constant))
        guards = tuple([slope + Polynomial.constant(constant) for slope, constant in least.items()])
        return Domain(self.loops + loops, guards, self.apart + apart)

    def says(self, polynomial: Polynomial) -> bool:
        """Whether one of the conditions says that a polynomial is not negative."""
        slope, constant = _without_constant(polynomial)
        return slope in self._least and self._least[slope] <= constant

    @cached_property
    def _least(self) -> dict[Polynomial, int]:
        return dict(map(_without_constant, self.guards))

    def around(self, depth: int) -> Domain:
        """Give the loops outside the one at a depth, without conditions."""
        return self._outers[depth]


def _without_constant(polynomial: Polynomial) -> tuple[Polynomial, int]:
    constant = polynomial.terms.get((), 0)
    return polynomial - Polynomial.constant(constant), constant
