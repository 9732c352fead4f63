"""Jumps lead where control ends up: not to blocks that only jump on, nor where a constant says that it never goes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from xdsl.dialects.arith import CmpiOp
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp
from xdsl.ir import Block

from tensorlift.ir.arithmetic import constant_of, evaluator, width_of, wrapper
from tensorlift.normalise.edit import insert, last_of, remove

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import Attribute, Operation, SSAValue

_APART = 2  # so far from each constant there are two integers on both sides


def decide_branches(function: FuncOp) -> None:
    """Let branches on what is known jump, and remove blocks that nothing reaches then."""
    for block in list(function.body.blocks)[1:]:
        _ask_before(block)
    for block in function.body.blocks:
        branch = block.last_op
        holds = _known(branch.cond, block) if isinstance(branch, ConditionalBranchOp) else None
        if isinstance(branch, ConditionalBranchOp) and holds is not None:
            decide(branch, holds=holds)
    remove_unreached(function)


def decide(branch: ConditionalBranchOp, *, holds: bool) -> None:
    """Write a jump in place of a branch of which one side is known to be taken."""
    count = 1 + len(branch.then_block.args)
    passed = branch.operands[1:count] if holds else branch.operands[count:]
    target = branch.then_block if holds else branch.else_block
    insert([BranchOp.create(operands=passed, successors=[target], location=branch.location)], branch)
    remove(branch)


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
    """Tell whether a condition holds: it is a constant, was asked on the only way to a block, or follows from that."""
    number = constant_of(condition)
    if number is not None:
        return bool(number)
    asked = dict(_asked_before(block))
    if condition in asked:
        return asked[condition]
    return _following(condition.owner, asked) if isinstance(condition.owner, CmpiOp) else None


def _asked_before(block: Block | None) -> Iterator[tuple[SSAValue, bool]]:
    """Yield what was asked on the only way to a block, and the answers."""
    seen = set[Block]()
    while block is not None and block not in seen and len(uses := tuple(block.uses)) == 1:
        seen.add(block)
        branch = uses[0].operation
        if isinstance(branch, ConditionalBranchOp):
            yield branch.cond, uses[0].index == 0
        block = branch.parent


def _following(op: CmpiOp, asked: Mapping[SSAValue, bool]) -> bool | None:
    """Tell whether a comparison holds wherever others of the same integers were answered so.

    Answers change only at constants, where one integer reaches the other, and at the ends of the type.
    """
    variables = [value for value in dict.fromkeys(op.operands) if constant_of(value) is None]
    others = {value.owner: holds for value, holds in asked.items() if isinstance(value.owner, CmpiOp)}
    known = {one: holds for one, holds in others.items() if {*one.operands} & {*variables}}
    constants = {v: int(found) for one in (op, *known) for v in one.operands if (found := constant_of(v)) is not None}
    known = {one: holds for one, holds in known.items() if all(v in variables or v in constants for v in one.operands)}
    if variables and not known:
        return None
    answers = set[bool]()
    for numbers in product(_about(constants.values(), op.lhs.type), repeat=len(variables)):
        values = constants | dict(zip(variables, numbers, strict=True))
        if all(_holds(one, values) == holds for one, holds in known.items()):
            answers.add(_holds(op, values))
    return answers.pop() if len(answers) == 1 else None


def _holds(op: CmpiOp, values: Mapping[SSAValue, int]) -> bool:
    evaluate = evaluator(op)
    assert evaluate is not None
    return bool(evaluate(values[op.lhs], values[op.rhs]))


def _about(constants: Iterable[int], of_type: Attribute) -> list[int]:
    """List the integers of a type about some, about zero and about its ends."""
    least, wrap = -1 << (width_of(of_type) - 1), wrapper(of_type)
    return sorted({wrap(end + apart) for end in (*constants, 0, least) for apart in range(-_APART, _APART + 1)})


def remove_unreached(function: FuncOp) -> None:
    """Remove the blocks of a function that nothing leads to."""
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
