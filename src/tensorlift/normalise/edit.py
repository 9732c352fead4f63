"""Operations moved and removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.ir import Block

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xdsl.ir import Operation


def move(ops: Iterable[Operation], to: Block | Operation) -> None:
    """Move operations to the end of a block, or to before an operation."""
    for op in ops:
        op.detach()  # type: ignore[no-untyped-call]  # of xDSL
        if isinstance(to, Block):
            to.add_op(op)
        else:
            insert([op], to)


def insert(ops: Iterable[Operation], before: Operation) -> None:
    """Insert operations before another one."""
    block = before.parent
    assert block is not None, "it stands in a block"
    block.insert_ops_before(list(ops), before)


def remove(op: Operation) -> None:
    """Remove an operation whose results nobody uses."""
    op.detach()  # type: ignore[no-untyped-call]  # of xDSL
    op.erase()


def last_of(block: Block) -> Operation:
    """Return how a block ends."""
    last = block.last_op
    assert last is not None, "a block ends"
    return last
