"""Jumps lead where control ends up: not to blocks that only jump on, nor where a constant says that it never goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.arith import CmpiOp, ConstantOp
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp

from tensorlift.ir.arithmetic import constant, constant_of, evaluator
from tensorlift.normalise.edit import insert, last_of, remove

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Block, Operation, SSAValue


def decide_branches(function: FuncOp) -> None:
    """Let branches on what is known jump, and remove blocks that nothing reaches then."""
    for block in list(function.body.blocks)[1:]:
        _ask_before(block)
    for block in function.body.blocks:
        branch = block.last_op
        holds = _known(branch.cond, block) if isinstance(branch, ConditionalBranchOp) else None
        if isinstance(branch, ConditionalBranchOp) and holds is not None:
            count = 1 + len(branch.then_block.args)
            passed = branch.operands[1:count] if holds else branch.operands[count:]
            target = branch.then_block if holds else branch.else_block
            insert([BranchOp.create(operands=passed, successors=[target], location=branch.location)], branch)
            remove(branch)
    _remove_unreached(function)


def _ask_before(block: Block) -> None:
    """Let those that jump to a block that only asks what they pass ask that themselves."""
    branch = block.first_op
    if not isinstance(branch, ConditionalBranchOp) or branch.cond not in block.args:
        return
    if any(use.operation is not branch for argument in block.args for use in argument.uses):
        return
    for jump in [use.operation for use in block.uses if isinstance(use.operation, BranchOp)]:
        insert([branch.clone(dict(zip(block.args, jump.operands, strict=True)))], jump)
        remove(jump)


def _known(condition: SSAValue, block: Block) -> bool | None:
    """Tell whether a condition holds, where it is a constant, compares two, or was asked on the only way to a block."""
    op, number = condition.owner, constant_of(condition)
    if number is not None:
        return bool(number)
    before = [(use.operation, use.index) for use in block.uses]
    if len(before) == 1 and isinstance(before[0][0], ConditionalBranchOp) and before[0][0].cond is condition:
        return bool(before[0][1] == 0)
    compared = [v.owner for v in op.operands if isinstance(v.owner, ConstantOp)] if isinstance(op, CmpiOp) else []
    evaluate = evaluator(op) if isinstance(op, CmpiOp) and len(compared) == len(op.operands) else None
    return bool(evaluate(*map(constant, compared))) if evaluate is not None else None


def _remove_unreached(function: FuncOp) -> None:
    reached: dict[Block, None] = {}
    work = [function.body.blocks[0]]
    while work:
        block = work.pop()
        if block not in reached:
            reached[block] = None
            work += last_of(block).successors
    unreached = [block for block in function.body.blocks if block not in reached]
    for block in unreached:
        function.body.detach_block(block)
        block.drop_all_references()


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
