"""Where an integer that a loop of literal IR moves on turns: a condition on the counter chooses how it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.arith import CmpiOp
from xdsl.ir import BlockArgument

from tensorlift.ir.arithmetic import predicate_of
from tensorlift.poly.polynomial import ONE, ZERO

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import SSAValue

    from tensorlift.ir.regions import ControlFlow
    from tensorlift.poly.affine import Affine
    from tensorlift.poly.polynomial import Polynomial
    from tensorlift.proofs.source.claims import LoopClaim


def turn(
    flow: ControlFlow, loop: LoopClaim, value: SSAValue, number: Callable[[SSAValue], Polynomial | None]
) -> tuple[Affine, tuple[SSAValue, SSAValue]] | None:
    """Return from which iteration on two arms of a branch hand on another value, and the values before that and then.

    ``number`` tells what a value is by sizes and the variable of the loop.
    """
    if not isinstance(value, BlockArgument) or value.block is flow.blocks[loop.header] or loop.step != 1:
        return None
    join, inside = flow.position[value.block], flow.loops[loop.header].blocks
    branches = (b for b in flow.dominators(join) & inside - {join} if len(flow.edges(b)) > 1)
    branch = max(branches, key=lambda block: len(flow.dominators(block)), default=None)
    last = flow.blocks[branch].last_op if branch is not None else None
    condition = last.operands[0].owner if last is not None else None
    if branch is None or not isinstance(condition, CmpiOp):
        return None
    arms = [target for target, _ in flow.edges(branch)]
    handed: dict[int, set[SSAValue]] = {0: set(), 1: set()}
    for block in inside:
        for arm, (target, operands) in enumerate(flow.edges(block)):
            if target == join:
                by = (n for n, first in enumerate(arms) if first != join and first in flow.dominators(block))
                handed[arm if block == branch else next(by, 0)].add(operands[value.index])
    place = _place(condition, loop.variable, number)
    is_met = any(t in arms and t != join and b != branch for b in inside for t, _ in flow.edges(b))  # by other ways
    if place is None or is_met or any(len(values) != 1 for values in handed.values()):
        return None
    at, is_then = place
    (then,), (otherwise,) = handed.values()
    return at, ((otherwise, then) if is_then else (then, otherwise))


def _place(
    condition: CmpiOp, variable: str, number: Callable[[SSAValue], Polynomial | None]
) -> tuple[Affine, bool] | None:
    """Return from which value of a variable on a comparison holds, or, where that is false, does not hold."""
    operator, is_signed = predicate_of(condition)
    left, right = map(number, condition.operands)
    if left is None or right is None or not is_signed or operator in {"==", "!="}:
        return None
    distance = left - right if operator in {">", ">="} else right - left
    distance -= ZERO if "=" in operator else ONE
    slope, first = distance.coefficient(variable), distance.without([variable]).as_affine()
    if slope not in {ONE, -ONE} or first is None:
        return None
    return (-first, True) if slope == ONE else (first + 1, False)
