"""Where a program ends itself: checks that always fail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.arithmetic import constant_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Block, Operation


def ending_of(block: Block | None) -> Operation | None:
    """Find the check that fails wherever a block is executed; None where the program may go on."""
    operations: Iterable[Operation] = block.ops if block is not None else ()
    for op in operations:
        if op.name == "cf.assert" and constant_of(op.operands[0]) == 0:
            return op
        if op.name == "scf.if":
            first, second = [ending_of(region.blocks.first) for region in op.regions]
            if first is not None and second is not None:
                return first
    return None
