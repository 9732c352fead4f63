"""Operations moved and removed, and what they hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from xdsl.dialects.cf import AssertOp
from xdsl.dialects.scf import IfOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from tensorlift.ir.literal_function import OF_PART

if TYPE_CHECKING:
    from collections.abc import Iterable


_QUIET = ("arith.", "math.", "scf.", "ub.", "memref.load")  # operations that leave nothing behind

Structured = TypeVar("Structured", bound=Operation)


def nested(outer: Operation, kind: type[Structured]) -> list[Structured]:
    """List the operations of a kind that has regions inside of another one, each before those in its regions."""
    found: list[Structured] = []
    for region in outer.regions:
        for block in region.blocks:
            for op in block.ops:
                if op.regions:
                    found += [op] if isinstance(op, kind) else []
                    found += nested(op, kind)
    return found


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


def supersede(op: Operation, by: Operation) -> None:
    """Put an operation in place of another one, whose results its first ones are from now on."""
    insert([by], op)
    for result, mine in zip(op.results, by.results, strict=False):
        mine.name_hint = result.name_hint
        result.replace_all_uses_with(mine)
    remove(op)


def last_of(block: Block) -> Operation:
    """Return how a block ends."""
    last = block.last_op
    assert last is not None, "a block ends"
    return last


def forwarded(value: SSAValue, condition: Operation) -> SSAValue:
    """Return what stands for an argument of the second region of a loop in its first one, which ends in a condition."""
    is_argument = isinstance(value, BlockArgument) and value.block.parent_op() is condition.parent_op()
    return condition.operands[1 + value.index] if is_argument and isinstance(value, BlockArgument) else value


def is_quiet(op: Operation) -> bool:
    """Whether an operation, with all in its regions, only gives results, or asks something of the caller."""
    return all(inner.name.startswith(_QUIET) or is_asked(inner) for inner in op.walk())


def is_asked(op: Operation) -> bool:
    """Whether an operation asks of the caller that an index is inside of a part of an array."""
    return isinstance(op, AssertOp) and op.msg.data == OF_PART


def sweep(block: Block) -> None:
    """Remove what nobody uses."""
    for op in [op for op in reversed(block.ops) if op is not block.last_op]:
        kept = _narrowed(op) if isinstance(op, IfOp) else op
        if (
            not any(result.first_use for result in kept.results)
            and is_quiet(kept)
            and not any(map(is_asked, kept.walk()))
        ):
            remove(kept)
        else:
            for inner in (inner for region in kept.regions for inner in region.blocks):
                sweep(inner)


def _narrowed(op: IfOp) -> IfOp:
    """Leave out the results of a branch that nobody uses."""
    used = [k for k, result in enumerate(op.results) if result.first_use is not None]
    if len(used) == len(op.results):
        return op
    regions = [op.detach_region(region) for region in list(op.regions)]
    for end in (last_of(region.block) for region in regions if region.blocks):
        end.operands = [end.operands[k] for k in used]
    types = [op.results[k].type for k in used]
    made = IfOp.create(operands=op.operands, result_types=types, regions=regions, location=op.location)
    insert([made], op)
    for k, result in zip(used, made.results, strict=True):
        op.results[k].replace_all_uses_with(result)
    remove(op)
    return made
