"""Where a program ends itself: checks that always fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.arithmetic import constant_of

if TYPE_CHECKING:
    from xdsl.ir import Block, Operation


def endings(outer: Operation) -> dict[Block | None, Operation]:
    """Find for each block inside of an operation the check that fails wherever it is executed, if there is one."""
    found: dict[Block | None, Operation] = {}
    for block in (block for region in outer.regions for block in region.blocks):
        for op in block.ops:
            if op.regions:
                found |= endings(op)
            if block not in found and _always_fails(op, found):
                found[block] = op if op.name == "cf.assert" else found[op.regions[0].block]
    return found


def _always_fails(op: Operation, found: dict[Block | None, Operation]) -> bool:
    """Whether a program ends wherever it executes an operation."""
    if op.name == "scf.if":
        return all(region.blocks.first in found for region in op.regions)
    return op.name == "cf.assert" and constant_of(op.operands[0]) == 0
