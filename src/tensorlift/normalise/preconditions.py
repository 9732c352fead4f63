"""The preconditions of a lifted function: what must hold for the exact index arithmetic to be what C computes.

A condition is first proved for all sizes; only what cannot be proved is recorded, once, spelled in the names of the
source.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.poly.polynomial import ONE, Polynomial, spell_constraint, spell_inequality
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.poly.index_arithmetic import Need
    from tensorlift.poly.loops import Domain
    from tensorlift.poly.ranges import Ranges


@dataclass(frozen=True, slots=True)
class Requirement:
    """One recorded condition, ``polynomial >= 0`` over sizes, or one of several ``choices`` of constraints.

    A constraint is a polynomial that is not negative, or is zero where that is marked.  A condition on memory has none,
    only its text.
    """

    kind: str
    polynomial: Polynomial | None
    text: str
    location: Location
    choices: tuple[tuple[tuple[Polynomial, bool], ...], ...] = ()


class Preconditions:
    """Collects the requirements of one function, in order and without repetition."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges
        self._found: dict[Polynomial, Requirement] = {}
        self._stated: dict[str, Requirement] = {}
        self._settled: set[tuple[Polynomial, Domain]] = set()

    def demand(self, need: Need, domain: Domain) -> None:
        """Prove a need in a domain, or record it for the least value over the domain."""
        key = (need.polynomial, domain)
        if key in self._settled:
            return
        self._settled.add(key)
        if self._ranges.is_certain(need.polynomial, domain):
            return
        least = self._ranges.minimum(need.polynomial, domain)
        if least is None or (least.constant_value or 0) < 0:
            raise refusal("overflow", need.location, str(need.polynomial))
        self.insist(need.kind, least, need.location)

    def insist(self, kind: str, polynomial: Polynomial, location: Location) -> None:
        """Record ``polynomial >= 0``; a product that holds for all sizes of at least one becomes that condition."""
        if polynomial.is_affine or not self._ranges.is_nonnegative(polynomial):
            self._add(kind, polynomial, location)
            return
        for name in sorted(self._ranges.leaves(polynomial)):
            self._add(kind, Polynomial.variable(name) - ONE, location)

    def record(self, kind: str, polynomial: Polynomial, location: Location) -> None:
        """Record ``polynomial >= 0`` unless it holds for all sizes of at least one."""
        if not self._ranges.is_nonnegative(polynomial):
            self._add(kind, polynomial, location)

    def state(self, kind: str, text: str, location: Location) -> None:
        """Record a condition on memory, in words."""
        self._stated.setdefault(text, Requirement(kind, None, text, location))

    def choose(self, kind: str, choices: Sequence[Sequence[tuple[Polynomial, bool]]], location: Location) -> None:
        """Record that the constraints of one of several choices hold."""
        kept = tuple(map(tuple, choices))
        text = " or ".join(f"({' and '.join(spell_constraint(*one) for one in choice)})" for choice in kept)
        self._stated.setdefault(text, Requirement(kind, None, text, location, kept))

    def known(self) -> list[Polynomial]:
        """List what is recorded not to be negative."""
        return list(self._found)

    def _add(self, kind: str, polynomial: Polynomial, location: Location) -> None:
        requirement = Requirement(kind, polynomial, spell_inequality(polynomial), location)
        self._found.setdefault(polynomial, requirement)
        self._ranges.assume(polynomial)

    def requirements(self) -> list[Requirement]:
        """List what was recorded, leaving out what another recorded condition implies."""
        found = list(self._found.values())
        self._ranges.forget_floors()  # a condition must not help to make itself superfluous
        needed = [item for item in found if not any(self._implies(other, item, found) for other in found)]
        return needed + list(self._stated.values())

    def _implies(self, stronger: Requirement, weaker: Requirement, found: list[Requirement]) -> bool:
        """Whether one condition makes another superfluous; of two equivalent ones the first stays."""
        strong, weak = stronger.polynomial, weaker.polynomial
        if stronger is weaker or strong is None or weak is None or not self._ranges.is_certain(weak - strong):
            return False
        back = self._ranges.is_certain(strong - weak)
        return not back or found.index(stronger) < found.index(weaker)
