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
    """``ceil(distance / stride)`` iterations; ``must_reach`` if the loop ends only when the distance is met exactly."""

    distance: Polynomial
    stride: int
    must_reach: bool = False


def trip_count(operator: str, start: Polynomial, slope: int) -> TripCount | str:
    """Solve ``start + slope * t  operator  0`` for the first ``t`` that fails, or say why that cannot be done."""
    if operator == "==":
        return "is an equality"
    if slope == 0:
        return "does not change"
    if operator == "!=":
        distance = -start if slope > 0 else start
        if abs(slope) != 1:
            return "may step over the bound that `!=` waits for"
        return TripCount(distance, 1, must_reach=True)
    if operator in {">", ">="}:
        start, slope = -start, -slope
        operator = {">": "<", ">=": "<="}[operator]
    if slope < 0:
        return "moves away from its bound"
    return TripCount(-start + (ONE if operator == "<=" else ZERO), slope)


def trips_of(distance: Polynomial, stride: int, ranges: Ranges) -> Polynomial:
    """Give ``ceil(distance / stride)``."""
    return distance if stride == 1 else ranges.quotient(distance + Polynomial.constant(stride - 1), stride)


def nested_loops(lengths: list[Polynomial], hint: str, machine: Execution) -> tuple[tuple[LoopRange, ...], Polynomial]:
    """Give the nested loops that one loop is split into, outermost first, and its iteration number in mixed radix."""
    loops = tuple(LoopRange(machine.fresh(hint), ZERO, (length,)) for length in lengths)
    machine.orders.note(lengths, [over.variable for over in loops])
    iteration = ZERO
    for over in loops:
        iteration = iteration * over.uppers[0] + Polynomial.variable(over.variable)
    return loops, iteration
