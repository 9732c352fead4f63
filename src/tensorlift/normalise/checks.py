"""Checks of the source: what they say of sizes is asked of the caller, and what they say of data is refused.

A way on which the program ends is not taken: its condition, where it is one of sizes and loop variables, becomes a
precondition.  A check that a size of what a function returns is the one that the caller expects tells that size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import CmpiOp
from xdsl.ir import Block, Operation, SSAValue

from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.literal_function import NEGATIVE, OF_PART
from tensorlift.normalise.asked import demand, settle
from tensorlift.normalise.bounds import ask_for_extent, ask_for_part
from tensorlift.normalise.conditions import AffineCondition
from tensorlift.normalise.truths import decided_here, inverted, plain
from tensorlift.normalise.values import Address, Array, Data, Unknown
from tensorlift.poly.index_arithmetic import Index
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from tensorlift.normalise.execution import Execution, Rule, Test


def require(ex: Execution, test: Test, condition: SSAValue, ending: Operation, *, holds: bool = True) -> None:
    """Ask that a condition holds, or does not, whenever it is tested, as the program ends elsewhere."""
    asked = test.condition if holds or isinstance(test.condition, Data) else inverted(test).condition
    if isinstance(asked, AffineCondition):
        asked = plain(asked) or asked
    op = condition.owner
    demand(ex, asked, _name(ending), ex.at(ending if isinstance(op, Block) or constant_of(condition) == 0 else op))


def _name(ending: Operation) -> str:
    """Give the name of what ends the program, which the message quotes."""
    message: Any = ending.properties["msg"]
    return str(message.data).rpartition("`")[0].rpartition("`")[2] or "assert"


def _checked(ex: Execution, op: Operation) -> None:
    (condition,) = op.operands
    message: Any = op.properties["msg"]
    ask = _ASKED.get(message.data)
    if ask is not None and isinstance(condition.owner, CmpiOp):
        ask(ex, condition.owner)
    elif isinstance(ex.values[condition], Unknown):
        _expected(ex, condition.owner)
    else:
        require(ex, decided_here(ex, ex.test(condition)), condition, op)


def _expected(ex: Execution, comparison: Operation | Block) -> None:
    """Give an array that is returned the extent that it is compared with."""
    found = [] if isinstance(comparison, Block) else [ex.values[operand] for operand in comparison.operands]
    for told, given in (found, found[::-1]) if len(found) > 1 else ():
        if isinstance(told, Unknown) and told.reason == "extent" and isinstance(given, Index):
            dimension = ex.language.returned[told.detail]
            (array,) = [
                bound.base
                for variable, bound in ex.environment.items()
                if variable.name == dimension.array and isinstance(bound, Address) and isinstance(bound.base, Array)
            ]
            ex.rely_on(given)
            axes = range(dimension.rank)
            settle(ex, array, [given.polynomial if axis == dimension.axis else None for axis in axes], ex.place)
            return
    unknown = next((value for value in found if isinstance(value, Unknown) and value.reason != "extent"), None)
    if unknown is not None:
        raise refusal(unknown.reason, ex.place, unknown.detail)
    raise refusal("subscript-data", ex.place, "data in an extent")


_ASKED = {NEGATIVE: ask_for_extent, OF_PART: ask_for_part}
CHECKS: dict[str, Rule] = {"cf.assert": _checked}
