"""Integers that a loop moves by other steps from an iteration on, as those that follow where a band begins.

for (i = 0; i < n; i++) { ...; if (i >= k) p += s; }            p = i > k ? s * (i - k) : 0
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.scf import IfOp
from xdsl.ir import OpResult, SSAValue

from tensorlift.ir.arithmetic import predicate_of
from tensorlift.normalise.edit import last_of
from tensorlift.normalise.evolution import ITERATION
from tensorlift.normalise.values import Choice
from tensorlift.poly.index_arithmetic import Index, fit
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial

if TYPE_CHECKING:
    from tensorlift.normalise.evolution import Evolution
    from tensorlift.normalise.execution import Execution
    from tensorlift.poly.index_arithmetic import Need


@dataclass(frozen=True, slots=True)
class _Turn:
    """The iteration from which on an integer moves otherwise, and by what it moves before that and then.

    Each iteration ``needs`` that what it asks is exact.
    """

    iteration: Polynomial
    before: Polynomial
    then: Polynomial
    needs: tuple[Need, ...]


def turned(ex: Execution, solved: Evolution, number: int, iteration: Polynomial) -> Choice | None:
    """Give what an argument of a loop is before an iteration, where conditions on a counter choose how it moves."""
    argument, start = solved.view.arguments[number], solved.starts.get(number)
    if argument not in ex.steering.values or not isinstance(start, Index) or not iteration.is_affine:
        return None
    turn = _turn(solved, number)
    if turn is None or not turn.iteration.is_affine:
        return None
    first, needs = start, start.needs + solved.asked_before(iteration, turn.needs)

    def after(before: Polynomial, then: Polynomial) -> Index:
        moved = first.polynomial + before * turn.before + then * turn.then
        return fit(moved, first.ctype, needs, ex.setting)

    early, late = after(iteration, ZERO), after(turn.iteration, iteration - turn.iteration)
    # At the turn itself both are the same: asked like this, it is asked as in `max(0, i - k)`.
    return Choice((iteration - turn.iteration - ONE,), Choice((turn.iteration,), late, after(ZERO, iteration)), early)


def _turn(solved: Evolution, number: int) -> _Turn | None:
    """Tell when an argument turns; None where it does not, or where its steps vary."""
    match solved.view.yields[number]:
        case OpResult(op=IfOp() as op, index=index) if op.false_region.blocks:
            condition, arms = op.cond, [last_of(region.block).operands[index] for region in op.regions]
        case OpResult(op=SelectOp() as op):
            condition, arms = op.cond, [op.lhs, op.rhs]
        case _:
            return None
    start, ends = solved.starts[number], [solved.quiet.index(arm) for arm in arms]
    asked = _from_when(solved, condition)
    if asked is None or not isinstance(start, Index):
        return None
    steps: list[Polynomial] = []
    for end in ends:
        if end is None or end.ctype != start.ctype or not all(need.wraps for need in end.needs):
            return None
        steps.append(end.polynomial - solved.symbol(number))
    if any(map(solved.needed, steps)):
        return None
    iteration, needs, is_then = asked
    before, then = reversed(steps) if is_then else steps
    return _Turn(iteration, before, then, needs)


def _from_when(solved: Evolution, condition: SSAValue) -> tuple[Polynomial, tuple[Need, ...], bool] | None:
    """Tell the iteration from which on a condition holds, or the one from which on it does not; and what that needs."""
    match condition:
        case OpResult(op=op) if op.name == "arith.cmpi":
            operator, is_signed = predicate_of(op)
            left, right = map(solved.quiet.index, op.operands)
        case _:
            return None
    if left is None or right is None or not is_signed or operator in {"==", "!="}:
        return None
    distance, needs = left.polynomial - right.polynomial, (*left.needs, *right.needs)
    if not all(solved.needed(part) <= solved.moves.keys() for part in (distance, *(need.polynomial for need in needs))):
        return None
    needs = tuple(replace(n, polynomial=solved.at_iteration(n.polynomial), wraps=False) for n in needs)
    distance = solved.at_iteration(distance if operator in {">", ">="} else -distance)
    distance -= ZERO if "=" in operator else ONE
    slope, first = distance.coefficient(ITERATION), distance.without([ITERATION])
    if slope not in {ONE, -ONE} or ITERATION in solved.ranges.leaves(first):
        return None
    return (-first, needs, True) if slope == ONE else (first + ONE, needs, False)
