"""A flag is a constant where the program ends for all of its other values: ``assert(order == ROW_MAJOR);``.

So one case of a function that flags steer is read alone: its branches are decided, and its arrays have one shape.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import AndIOp, CmpiOp, ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.cf import AssertOp, ConditionalBranchOp
from xdsl.ir import Block

from tensorlift.ir.arithmetic import constant_of, predicate_of
from tensorlift.normalise.edit import insert, last_of
from tensorlift.normalise.flags import compared_with, constants_asked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xdsl.dialects.func import FuncOp
    from xdsl.ir import SSAValue, Use


def put_asserted(function: FuncOp) -> None:
    """Put constants in place of flags that are asserted to be equal to some, but in the assertions."""
    entry = function.body.blocks[0]
    tests = [test for condition, holds in _asserted(entry) for test in _equalities(condition, holds=holds)]
    for argument in entry.args:
        test = next((test for test in tests if argument in test.operands), None)
        number = None if test is None else compared_with(argument, test)
        if test is not None and number is not None and constants_asked(argument, {*function.body.blocks}) is not None:
            its_type: Any = argument.type
            known = ConstantOp(IntegerAttr(number, its_type))
            known.location = test.location
            insert([known], entry.first_op or last_of(entry))
            argument.replace_uses_with_if(known.result, partial(_is_elsewhere, test))


def _is_elsewhere(test: CmpiOp, use: Use) -> bool:
    return use.operation is not test


def _asserted(block: Block | None) -> Iterator[tuple[SSAValue, bool]]:
    """Yield the conditions without which the program ends, and whether they hold, on the only way from a block on."""
    seen = set[Block]()
    while block is not None and block not in seen:
        seen.add(block)
        yield from ((op.arg, True) for op in block.ops if isinstance(op, AssertOp))
        branch = last_of(block)
        going_on = [target for target in branch.successors if not _fails(target)]
        if isinstance(branch, ConditionalBranchOp) and len(going_on) == 1:
            yield branch.cond, going_on[0] is branch.then_block
        block = going_on[0] if len(set(going_on)) == 1 else None


def _fails(block: Block) -> bool:
    """Tell whether the program ends in a block."""
    return any(isinstance(op, AssertOp) and constant_of(op.arg) == 0 for op in block.ops)


def _equalities(condition: SSAValue, *, holds: bool) -> Iterator[CmpiOp]:
    """Yield the equalities that follow from a condition."""
    op = condition.owner
    if isinstance(op, AndIOp) and holds:
        for operand in op.operands:
            yield from _equalities(operand, holds=True)
    elif isinstance(op, CmpiOp) and predicate_of(op)[0] == ("==" if holds else "!="):
        yield op
