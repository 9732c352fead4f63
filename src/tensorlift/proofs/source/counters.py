"""Integers that a loop moves on: what they are before an iteration, and that each iteration moves them so.

One that turns moves by ``a`` in the iterations before ``t``, and by ``b`` from there on.  Where the loop begins at
``low``, before iteration ``i`` it has moved by

``a * (i - low)``                   where ``i <= t``
``a * (t - low) + b * (i - t)``     where ``low <= t < i``
``b * (i - low)``                   where ``t < low`` and ``t < i``
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.poly.affine import affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.polynomial import Polynomial
from tensorlift.proofs.source.integers import Exact
from tensorlift.proofs.source.operations import Cases, Undecided

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.poly.affine import Affine
    from tensorlift.proofs.source.claims import Advance, LoopClaim
    from tensorlift.proofs.source.operations import Value

Moved = list[tuple[Domain, Polynomial]]


def counter_before(claim: LoopClaim, phi: Advance, start: Exact) -> Value:
    """Return what an integer is before an iteration, by what it starts from.

    Raises:
        Undecided: where it does not move by whole steps, or turns in a loop that has another step than one.

    """
    pieces = _moved(claim, phi)
    found = [(where, Exact(start.value + by, start.is_signed and not phi.wraps)) for where, by in pieces]
    return Cases(tuple(found)) if len(found) > 1 else found[0][1]


def _moved(claim: LoopClaim, phi: Advance) -> Moved:
    variable, low, step = affine(claim.variable), claim.lower[0], affine(claim.step)
    if phi.turn is None:
        moved, rest = (phi.by * Polynomial.of(variable - low)).divide(Polynomial.of(step))
        if rest.terms:
            raise Undecided("a counter does not move by whole steps")
        return [(UNIVERSE, moved)]
    turn, then = phi.turn
    if claim.step != 1:
        raise Undecided("an integer turns in a loop that has another step than one")
    after = less(turn, variable)
    return [
        (Domain.of(at_least(turn, variable)), phi.by * Polynomial.of(variable - low)),
        (
            Domain.of(after, at_least(turn, low)),
            phi.by * Polynomial.of(turn - low) + then * Polynomial.of(variable - turn),
        ),
        (Domain.of(after, less(turn, low)), then * Polynomial.of(variable - low)),
    ]


def pieces_of(value: Value) -> tuple[tuple[Domain, Exact], ...]:
    """Return the cases of an integer; none where it is data."""
    if isinstance(value, Cases):
        return value.pieces
    return ((UNIVERSE, value),) if isinstance(value, Exact) else ()


def require_moved(claim: LoopClaim, phi: Advance, was: Value, value: Value, iterations: Domain) -> None:
    """Show that an iteration moves an integer as is claimed.

    Raises:
        Undecided: where that is not shown.

    """
    later = {claim.variable: affine(claim.variable) + claim.step}
    wanted = [
        (where, one.value + phi.by, one.is_signed)
        if phi.turn is None
        else (
            where.substitute(later),
            one.value.substitute({n: Polynomial.of(p) for n, p in later.items()}),
            one.is_signed,
        )
        for where, one in pieces_of(was)
    ]
    found = pieces_of(value)
    turn = [phi.turn[0], phi.turn[0] - 1] if phi.turn is not None else []
    if not found:
        raise Undecided("a counter does not move as claimed")
    for where, now in found:
        for place, after, is_signed in wanted:
            here = iterations & where & place
            if here.is_empty():
                continue
            if not _are_equal(now.value, after, here, [{claim.variable: point} for point in turn]):
                raise Undecided("a counter does not move as claimed")
            if is_signed and not now.is_signed:
                raise Undecided("a counter may wrap around")


def _are_equal(one: Polynomial, other: Polynomial, here: Domain, points: list[Mapping[str, Affine]]) -> bool:
    """Tell whether polynomials are equal on a domain, where they look alike, or do at the one point that it has."""
    if one == other:
        return True
    for point in points:
        at = {name: Polynomial.of(place) for name, place in point.items()}
        if here.implies(*(equal(name, place) for name, place in point.items())):
            return one.substitute(at) == other.substitute(at)
    return False
