"""What a function asks of its caller where the source checks it: conditions, and extents of what it hands on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.normalise.conditions import AffineCondition
from tensorlift.poly.index_arithmetic import Need
from tensorlift.poly.polynomial import ONE, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.normalise.execution import Execution
    from tensorlift.normalise.values import Array
    from tensorlift.poly.loops import Domain


def demand(machine: Execution, condition: object, name: str, location: Location) -> None:
    """Ask that a condition holds whenever it is tested, as the program ends by ``name`` elsewhere."""
    if condition is True:
        return
    bounds: tuple[Polynomial, ...] = ()
    if isinstance(condition, AffineCondition) and not condition.inverted:
        bounds = tuple(side for p, is_zero in condition.constraints for side in ((p, -p) if is_zero else (p,)))
    elif isinstance(condition, AffineCondition) and [is_zero for _, is_zero in condition.constraints] == [True]:
        ((apart, _),) = condition.constraints
        bounds = tuple(side - ONE for side in (apart, -apart) if machine.ranges.is_nonnegative(side, machine.domain))
    least = [machine.ranges.minimum(bound, machine.domain) for bound in bounds]
    if not bounds or machine.branches_around or None in least:
        raise refusal("ending", location, name)
    for bound in bounds:
        machine.preconditions.demand(Need("assertion", bound, location), machine.domain)


def settle(machine: Execution, array: Array, extents: Sequence[Polynomial | None], location: Location) -> None:
    """Fix the extents of an array where it is handed on, None where any will do; refuse two that differ."""
    array.settled.append((list(extents), machine.domain))
    exact: list[Polynomial | None] = []
    for position, here in enumerate(extents):
        given = [(polynomial, domain) for f, domain in array.settled if (polynomial := f[position]) is not None]
        exact.append(_one_for_all(machine, given, array, location) if given else None)
        polynomial = exact[-1]
        if polynomial is not None and here is not None:
            machine.preconditions.demand(Need("extent", polynomial, location), machine.domain)
            if polynomial.is_affine:
                array.extents[position] = polynomial
    array.exact = tuple(exact)


def _one_for_all(
    machine: Execution, given: list[tuple[Polynomial, Domain]], array: Array, location: Location
) -> Polynomial:
    """Return one of the extents that equals each where that is given."""
    ranges = machine.ranges
    if all(ranges.leaves(polynomial) <= ranges.sizes.keys() for polynomial, _ in given):
        for candidate, _ in given:
            if all(_are_equal(machine, candidate, polynomial, domain) for polynomial, domain in given):
                return candidate
    raise refusal("extent", location, array.name)


def _are_equal(machine: Execution, one: Polynomial, other: Polynomial, domain: Domain) -> bool:
    return one == other or all(machine.ranges.is_certain(side, domain) for side in (one - other, other - one))
