"""Whether a place is between two bounds that are data: in the loop IR a conjunction with the mark ``tl.within``.

The source goes over these places alone, all of which it may access; the loop IR asks each place of an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.arith import AndIOp, CmpiOp
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import OpResult

from tensorlift.ir.arithmetic import predicate_number

if TYPE_CHECKING:
    from xdsl.dialects.builtin import LocationAttr
    from xdsl.ir import Operation, SSAValue

_MARK = "tl.within"


def within(place: SSAValue, low: SSAValue, high: SSAValue, location: LocationAttr) -> list[Operation]:
    """Give the operations that tell whether ``low <= place < high``, all in 64 bits."""
    above = CmpiOp(low, place, predicate_number("<=", signed=True))
    below = CmpiOp(place, high, predicate_number("<", signed=True))
    both = AndIOp(above, below)
    both.attributes[_MARK] = UnitAttr()
    for op in (above, below, both):
        op.location = location
    return [above, below, both]


def parts_of(op: Operation) -> tuple[SSAValue, SSAValue, SSAValue] | None:
    """Give the place and the bounds of what asks for places that a loop of the source goes over."""
    if _MARK not in op.attributes:
        return None
    above, below = (value.op for value in op.operands if isinstance(value, OpResult))
    return above.operands[1], above.operands[0], below.operands[1]
