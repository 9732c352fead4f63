"""Jumps to blocks that only jump on lead where those lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp

from tensorlift.normalise.edit import insert, remove

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Block, Operation, SSAValue


def thread_jumps(function: FuncOp, headers: Collection[Block]) -> None:
    """Let jumps pass by empty blocks; one that leads to a header stays, for it tells where the loop is entered."""
    for block in list(function.body.blocks)[1:]:
        jump = block.first_op
        if not isinstance(jump, BranchOp) or jump.successors[0] in {block, *headers}:
            continue
        if any(use.operation is not jump for argument in block.args for use in argument.uses):
            continue
        for use in tuple(block.uses):
            _lead_on(use.operation, block, jump)
        remove(jump)
        function.body.detach_block(block)


def _lead_on(op: Operation, block: Block, jump: BranchOp) -> None:
    """Write a branch anew: past a block, to where that jumps."""
    (target,) = jump.successors
    if block not in op.successors:
        return  # both of its ways led there, and it is written anew
    passed: list[Sequence[SSAValue]] = []
    operands = list(op.operands)
    first = len(operands) - sum(len(successor.args) for successor in op.successors)
    rest = operands[first:]
    for successor in op.successors:
        values, rest = rest[: len(successor.args)], rest[len(successor.args) :]
        by: dict[SSAValue, SSAValue] = dict(zip(block.args, values, strict=True)) if successor is block else {}
        passed.append([by.get(value, value) for value in jump.operands] if successor is block else values)
    successors = [target if successor is block else successor for successor in op.successors]
    others = [*operands[:first], *(value for values in passed for value in values)]
    if len(successors) == 1:
        made: Operation = BranchOp.create(operands=others, successors=successors, location=op.location)
    else:
        sizes = DenseArrayBase.from_list(i32, [first, *map(len, passed)])
        made = ConditionalBranchOp.create(
            operands=others, successors=successors, properties={"operandSegmentSizes": sizes}, location=op.location
        )
    insert([made], op)
    remove(op)
