"""How often a loop runs, from the distance of what its test compares; and nested loops in place of one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.poly.loops import LoopRange
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial

if TYPE_CHECKING:
    from tensorlift.normalise.execution import Execution
    from tensorlift.poly.ranges import Ranges


@dataclass(frozen=True, slots=True)
class TripCount:
    """``ceil(distance / stride)`` iterations; ``must_reach`` if the loop ends only when the distance is met exactly.

    A ``stride`` that is no constant is to be at least one.
    """

    distance: Polynomial
    stride: Polynomial
    must_reach: bool = False


def trip_count(operator: str, start: Polynomial, slope: Polynomial) -> TripCount | str:
    """Solve ``start + slope * t  operator  0`` for the first ``t`` that fails, or say why that cannot be done."""
    if operator == "==":
        return "is an equality"
    if slope == ZERO:
        return "does not change"
    if operator == "!=":
        distance = -start if slope == ONE else start
        if slope not in {ONE, -ONE}:
            return "may step over the bound that `!=` waits for"
        return TripCount(distance, ONE, must_reach=True)
    if operator in {">", ">="}:
        start, slope = -start, -slope
        operator = {">": "<", ">=": "<="}[operator]
    if slope.constant_value is not None and slope.constant_value < 0:
        return "moves away from its bound"
    return TripCount(-start + (ONE if operator == "<=" else ZERO), slope)


def trips_of(count: TripCount, ranges: Ranges) -> Polynomial:
    """Give ``ceil(distance / stride)``; of a stride that is no constant, what that is at most."""
    by = count.stride.constant_value
    if by is None or by == 1:
        return count.distance
    return ranges.quotient(count.distance + Polynomial.constant(by - 1), by)


def nested_loops(lengths: list[Polynomial], hint: str, machine: Execution) -> tuple[tuple[LoopRange, ...], Polynomial]:
    """Give the nested loops that one loop is split into, outermost first, and its iteration number in mixed radix."""
    loops = tuple(LoopRange(machine.fresh(hint), ZERO, (length,)) for length in lengths)
    machine.orders.note(lengths, [over.variable for over in loops])
    iteration = ZERO
    for over in loops:
        iteration = iteration * over.uppers[0] + Polynomial.variable(over.variable)
    return loops, iteration
