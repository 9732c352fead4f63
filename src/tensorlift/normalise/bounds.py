"""What Python does outside of an array: it is asked of arguments that nothing lies there.

An index below zero counts from the end, bounds of slices are cut off, and what remains outside raises an exception.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import AddiOp, CmpiOp
from xdsl.dialects.cf import AssertOp
from xdsl.ir import Operation

from tensorlift.comprehension.polynomial import ONE, ZERO
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Data, Index
from tensorlift.ir.arithmetic import predicate_of
from tensorlift.normalise.cases import sign
from tensorlift.normalise.edit import remove
from tensorlift.normalise.steering import is_integer

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue

    from tensorlift.comprehension.polynomial import Polynomial
    from tensorlift.frontends.c.values import Array
    from tensorlift.normalise.execution import Execution

_UNTOLD = "%extent "
_MOVES = {"arith.addi", "arith.subi", "arith.muli", "arith.index_cast"}


@dataclass(frozen=True)
class Exceptions:
    """The pass that removes assertions of what excludes exceptions, and the comparisons that are made for them alone.

    The accesses ask of arguments what they say of indices, and the front end what else they say.  What the source
    states itself stays: its keyword stands in backticks.
    """

    name = "exceptions"

    def apply(self, module: ModuleOp) -> None:
        """Remove them."""
        for check in [op for op in module.walk() if isinstance(op, AssertOp) and "`" not in op.msg.data]:
            condition = check.operands[0].owner
            remove(check)
            if isinstance(condition, Operation) and not any(result.uses for result in condition.results):
                remove(condition)


def extent_name(array: Array, axis: int) -> str:
    """Name the variable that stands for an extent of an array that nothing tells."""
    return f"{_UNTOLD}{axis} {array.name}"


def untold_extent(polynomial: Polynomial) -> str | None:
    """Name the array whose extent a polynomial is made of, where nothing tells that."""
    found = (name for name in sorted(polynomial.variables()) if name.startswith(_UNTOLD))
    return next((name.rpartition(" ")[2] for name in found), None)


def from_the_end(ex: Execution, op: Operation) -> Any:
    """Give an index that counts from the end where it is below zero: it is asked for not to be; None for others."""
    if not ex.language.cuts_off or not is_integer(op.results[0]):
        return None
    condition, then, index = op.operands
    test, moved = condition.owner, then.owner
    if not isinstance(test, CmpiOp) or predicate_of(test) != ("<", True) or test.lhs is not index:
        return None
    if not isinstance(moved, AddiOp) or moved.lhs is not index or op.results[0] not in ex.steering.values:
        return None
    zero, found = ex.values[test.rhs], ex.values[index]
    if not isinstance(zero, Index) or zero.polynomial != ZERO:
        return None
    if isinstance(found, Data) or is_of_data(ex, found):
        return ex.as_index(index) if _is_place(op.results[0]) else None
    if not isinstance(found, Index):
        return None
    is_inside = _asked(ex, found.polynomial)
    if is_inside is None:
        raise refusal("negative", ex.place, str(found.polynomial))
    return found if is_inside else ex.values[then]


def is_of_data(ex: Execution, value: object) -> bool:
    """Whether an integer is a place that depends on data."""
    return isinstance(value, Index) and not ex.sink.data_places.keys().isdisjoint(value.polynomial.variables())


def cut_off(ex: Execution, op: Operation) -> Index | None:
    """Give an integer that is cut off at a bound where it is beyond: it is asked for not to be."""
    own, bound = (ex.index(operand) for operand in op.operands)
    if not ex.language.cuts_off or own is None or bound is None:
        return None
    room = bound.polynomial - own.polynomial
    is_inside = _asked(ex, room if op.name == "arith.minsi" else -room)
    return None if is_inside is None else own if is_inside else bound


def _asked(ex: Execution, polynomial: Polynomial) -> bool | None:
    """Ask for a polynomial not to be negative; tell whether it is not, and nothing where that cannot be asked for."""
    known = sign(ex, polynomial)
    if known is None:
        least = ex.ranges.minimum(polynomial, ex.domain)
        if least is None or ex.ranges.is_nonnegative(-least - ONE):
            return None
        ex.preconditions.insist("extent", least, ex.place)
    return known is not False


def _is_place(value: SSAValue) -> bool:
    """Whether a value is used for places in memory alone."""
    return all(
        use.operation.name.startswith("memref.")
        or (use.operation.name in _MOVES and _is_place(use.operation.results[0]))
        for use in value.uses
    )
