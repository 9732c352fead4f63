"""What a loop tests that is chosen by no iteration is chosen before the loop.

for (k = 0; k < least(i, n); k++)             e = i < n ? i : n;  for (k = 0; k < e; k++)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.arith import SelectOp
from xdsl.dialects.scf import IfOp, WhileOp

from tensorlift.normalise.choices import is_harmless
from tensorlift.normalise.edit import move, nested

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

_BRANCHES = {"scf.if", "scf.yield"}


@dataclass(frozen=True)
class Hoist:
    """The pass that lets tests ask of what was chosen before."""

    name = "hoist"

    def apply(self, module: ModuleOp) -> None:
        """Rewrite each loop."""
        for op in nested(module, WhileOp):
            test = op.before_region.block
            moved: list[Operation] = []
            for inside in test.ops:
                if inside is not test.last_op and _is_fixed(inside, op, moved):
                    moved.append(inside)
            if any(isinstance(one, IfOp | SelectOp) for one in moved):
                move(moved, op)


def _is_fixed(op: Operation, loop: WhileOp, moved: list[Operation]) -> bool:
    """Whether an operation computes with numbers that stand before a loop, or are moved there."""
    inside = list(op.walk())
    if not all(one.name in _BRANCHES or is_harmless(one) for one in inside):
        return False
    owners = [operand.owner for one in inside for operand in one.operands]
    return all(owner in moved or op.is_ancestor(owner) or not loop.is_ancestor(owner) for owner in owners)
