"""Counters that may wrap: a loop counts as its closed form says only where no counter that it compares leaves its type.

One without a sign must rise to its bound, fall to it by one, or meet another one half-way.  What else the sides of the
test rest on is asked for at every time that the test is made, the last one included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.normalise.evolution import ITERATION, Comparison, Evolution
from tensorlift.normalise.exact import integer, read_as
from tensorlift.ops.c_types import INT, IntegerType
from tensorlift.poly.index_arithmetic import Index, Need
from tensorlift.poly.loops import LoopRange
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location
    from tensorlift.normalise.execution import Execution
    from tensorlift.normalise.induction import TripCount

_EQUALITIES = {"==", "!="}


def require_exact(ex: Execution, solved: Evolution, place: Location) -> None:
    """Prove or record that the counters of a loop do not wrap.

    Raises:
        LiftError: where one may.

    """
    for test, count, trips in zip(solved.view.tests, solved.counts, solved.trips(), strict=True):
        _require_in_range(ex, solved, test, count, place)
        _rely_on_sides(ex, solved, test, trips, place)


def _rely_on_sides(ex: Execution, solved: Evolution, test: Comparison, trips: Polynomial, place: Location) -> None:
    first = ZERO if solved.view.is_tested else ONE
    times = LoopRange(ITERATION, first, (trips + ONE,))
    for number in solved.compared(test):
        _rely_on_start(ex, solved, test, number, place)
        for need in solved.needs[number]:
            with ex.inside(loops=(times,)):
                ex.preconditions.demand(Need(need.kind, need.polynomial, place), ex.domain)
    for side in (test.left, test.right):
        value = solved.quiet.side(side)
        assert value is not None, "the loop is solved"
        if not isinstance(side, Index) and test.operator not in _EQUALITIES:
            value = read_as(value, integer(side.type, signed=test.is_signed), ex.setting) or value
        for need in value.needs:
            polynomial = solved.at_iteration(need.polynomial)
            at_first = ex.ranges.substitute(polynomial, {ITERATION: first})
            ex.preconditions.demand(Need(need.kind, at_first, place), ex.domain)
            if at_first != polynomial:
                with ex.inside(loops=(times,)):  # not empty: the first time is checked apart
                    ex.preconditions.demand(Need(need.kind, polynomial, place), ex.domain)


def _rely_on_start(ex: Execution, solved: Evolution, test: Comparison, number: int, place: Location) -> None:
    start, argument = solved.starts[number], solved.view.arguments[number]
    assert isinstance(start, Index), "it is compared"
    is_read = test.operator not in _EQUALITIES
    read = read_as(start, integer(argument.type, signed=test.is_signed), ex.setting) if is_read else None
    for need in (read or start).needs:
        ex.preconditions.demand(Need(need.kind, need.polynomial, place), ex.domain)


def _require_in_range(ex: Execution, solved: Evolution, test: Comparison, count: TripCount, place: Location) -> None:
    moving = {n: solved.moves[n] for n in solved.compared(test) if solved.moves[n] != ZERO}
    if _meet(solved, test, moving):
        return
    for number, moves in moving.items():
        ctype, start = solved.kinds[number], solved.starts[number]
        if not isinstance(ctype, IntegerType) or not isinstance(start, Index):
            continue
        if ctype.signed and ctype.width >= INT.width:
            continue  # it does not wrap
        step = moves.coefficient(ITERATION)
        end = start.polynomial - count.distance
        is_rising = step == count.stride
        is_falling = step == -count.stride if ctype.signed else step == -ONE and _ends_in_range(ex, test, end, place)
        if not is_falling and not is_rising:
            raise refusal("loop-wrap", place, solved.view.arguments[number].name_hint or "a variable")
        room = None
        if is_falling and ctype.signed:
            room = end - count.stride + Polynomial.constant(1 - ctype.minimum)
        elif is_rising and ctype.width <= INT.width:
            last = start.polynomial + count.distance + count.stride - ONE
            room = Polynomial.constant(ctype.maximum) - last
        if room is not None:
            ex.preconditions.demand(Need("overflow", room, place), ex.domain)


def _meet(solved: Evolution, test: Comparison, moving: dict[int, Polynomial]) -> bool:
    """Tell whether two counters move towards each other by one and stop before they pass."""
    sides = [solved.quiet.side(side) for side in (test.left, test.right)]
    low, high = sides[::-1] if test.operator == ">" else sides
    if test.operator not in {"<", ">"} or low is None or high is None:
        return False
    t, names = Polynomial.variable(ITERATION), {number: name for name, number in solved.symbols.items()}
    found = {Polynomial.variable(names[number]): moves for number, moves in moving.items()}
    return found == {low.polynomial: t, high.polynomial: -t}


def _ends_in_range(ex: Execution, test: Comparison, end: Polynomial, place: Location) -> bool:
    """Tell whether a counter that falls by one is no less than zero while it is used; record what is not certain.

    The last iteration comes before the one that ``!=`` waits for, which may be below zero.
    """
    if test.operator in {"<", ">"}:
        return True  # its bound is no less
    least = end if test.operator in {"<=", ">="} else end + ONE
    if least.constant_value is not None and least.constant_value < 0:
        return False
    ex.preconditions.demand(Need("overflow", least, place), ex.domain)
    return True
