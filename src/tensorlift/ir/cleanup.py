"""Removes operations without effects whose results nobody uses: what remains of index computations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xdsl.ir import Block

PURE = ("arith.", "math.", "affine.apply", "affine.min", "affine.max")


def remove_dead(block: Block, pure: tuple[str, ...] = PURE) -> None:
    """Remove from a block and from those inside, last operations first, what begins with one of the ``pure`` names."""
    op = block.last_op
    while op is not None:
        before = op.prev_op
        for region in op.regions:
            for inner in region.blocks:
                remove_dead(inner, pure)
        if op.name.startswith(pure) and not any(result.first_use for result in op.results):
            op.detach()  # type: ignore[no-untyped-call]  # untyped in xDSL
            op.erase()
        op = before
