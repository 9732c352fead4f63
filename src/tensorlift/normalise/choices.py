"""What the test of a loop asks of, as one expression: ``i < (a < b ? a : b)`` is ``i < a && i < b``.

A branch in a test, both ways of which compute something for one block, becomes an ``arith.select``.  A comparison with
the smaller of two integers becomes a comparison with both, and so does one with the greater.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.arith import AndIOp, CmpiOp, SelectOp
from xdsl.dialects.cf import BranchOp, ConditionalBranchOp
from xdsl.ir import Block, Operation, SSAValue

from tensorlift.ir.arithmetic import MIRRORED, predicate_number, predicate_of
from tensorlift.normalise.edit import insert, move, remove

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_MAY_STOP = ("div", "rem")  # the operations of arith that have no meaning on some integers


def may_be_asked(block: Block) -> bool:
    """Whether what a block computes has no effect and needs no memory, and may be computed where nobody needs it."""
    return all(is_harmless(op) for op in block.ops if op is not block.last_op)


def is_harmless(op: Operation) -> bool:
    """Whether an operation computes with numbers, whatever they are."""
    return op.name.startswith("arith.") and not any(part in op.name for part in _MAY_STOP)


def choose_in_tests(headers: Iterable[Block]) -> None:
    """Let what loops test be chosen by ``arith.select``, and be compared with each that may be chosen."""
    for header in headers:
        block: Block | None = header
        while block is not None:
            while (joined := _joined(block)) is not None:
                _choose(*joined)
            block = _next_test(block)


def _next_test(block: Block) -> Block | None:
    """Return the block of the second test of two that are joined by ``&&``, which chooses what it compares with."""
    branch = block.last_op
    for side in branch.successors if isinstance(branch, ConditionalBranchOp) else ():
        joined = _joined(side) if not side.args and len(tuple(side.uses)) == 1 and may_be_asked(side) else None
        test = joined.target.last_op if joined is not None else None
        if branch is not None and test is not None and not {*test.successors}.isdisjoint(branch.successors):
            return side
    return None


class _Joined(NamedTuple):
    """A branch of which both ways compute something for one block, and nothing else."""

    branch: ConditionalBranchOp
    target: Block
    values: Sequence[SSAValue]
    others: Sequence[SSAValue]


def _joined(block: Block) -> _Joined | None:
    """Look at how a block ends."""
    branch = block.last_op
    if not isinstance(branch, ConditionalBranchOp):
        return None
    count = len(branch.then_block.args)
    target, values = _way(branch.then_block, branch.operands[1 : 1 + count])
    other, others = _way(branch.else_block, branch.operands[1 + count :])
    is_all = target is other and len(tuple(target.uses)) == len((values, others))
    return _Joined(branch, target, values, others) if is_all else None


def _way(target: Block, passed: Sequence[SSAValue]) -> tuple[Block, Sequence[SSAValue]]:
    """Return the block that one way of a branch leads to, with what that is passed."""
    jump = target.last_op
    if isinstance(jump, BranchOp) and not target.args and len(tuple(target.uses)) == 1 and may_be_asked(target):
        return jump.successors[0], jump.operands
    return target, passed


def _choose(branch: ConditionalBranchOp, target: Block, values: Sequence[SSAValue], others: Sequence[SSAValue]) -> None:
    """Compute both sides of a branch, and choose; what follows stands in the same block then."""
    sides = [side for side in branch.successors if side is not target]
    for side in sides:
        *ops, jump = side.ops
        move(ops, branch)
        remove(jump)
    chosen = [SelectOp(branch.cond, value, other) for value, other in zip(values, others, strict=True)]
    insert(chosen, branch)
    for op, argument in zip(chosen, tuple(target.args), strict=True):
        argument.replace_all_uses_with(op.result)
    block = branch.parent
    assert block is not None
    remove(branch)
    move(list(target.ops), block)
    for side in (*sides, target):
        assert side.parent is not None
        side.parent.detach_block(side)
    _compare_with_both(block)


def _compare_with_both(block: Block) -> None:
    """Let a test ask of both integers whether it holds, where the smaller, or the greater, of them was chosen."""
    last = block.last_op
    test = last.operands[0].owner if isinstance(last, ConditionalBranchOp) else None
    if not isinstance(test, CmpiOp):
        return
    (operator, signed), choice, value = predicate_of(test), test.rhs.owner, test.lhs
    if not isinstance(choice, SelectOp):
        operator, choice, value = MIRRORED.get(operator, operator), test.lhs.owner, test.rhs
    if not isinstance(choice, SelectOp) or operator not in MIRRORED or not isinstance(choice.cond.owner, CmpiOp):
        return
    said, sides = choice.cond.owner, (choice.lhs, choice.rhs)
    told, is_signed = predicate_of(said)
    if alike((said.rhs, said.lhs), sides):
        told = MIRRORED.get(told, told)
    elif not alike((said.lhs, said.rhs), sides):
        return
    if told not in MIRRORED or told[0] != operator[0] or is_signed != signed:
        return
    asked = [CmpiOp(value, side, predicate_number(operator, signed=signed)) for side in sides]
    both = AndIOp(asked[0].result, asked[1].result)
    insert([*asked, both], test)
    test.result.replace_all_uses_with(both.result)
    for op in (test, choice, said):
        if not any(op.results[0].uses):
            remove(op)


def alike(some: Sequence[SSAValue], others: Sequence[SSAValue]) -> bool:
    """Whether values are computed in the same way."""
    return all(one is other or _same(one.owner, other.owner) for one, other in zip(some, others, strict=True))


def _same(one: Operation | Block, other: Operation | Block) -> bool:
    """Whether operations of ``arith`` compute the same; the arguments of a block are none."""
    if isinstance(one, Block) or isinstance(other, Block) or not one.name.startswith("arith."):
        return False
    is_alike = one.name == other.name and one.properties == other.properties and one.result_types == other.result_types
    return is_alike and alike(one.operands, other.operands)
