"""A ``do`` tests before its body, as other loops do, where its test asks of nothing but what goes round.

    do { a[i] = 0; i++; } while (i < n);        first = true;  while (first || i < n) { a[i] = 0; i++; first = false; }

Its test, of what an iteration hands on, is asked of what the next one is given.  The first iteration is not tested: a
truth value that is carried says which one that is, and the condition is an ``arith.select`` on it.  It is left out where
constants, or a branch around the loop, show that the test holds there.  Values other than those handed on that are used
after the loop are carried as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.arith import CmpiOp, ConstantOp, SelectOp
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.dialects.scf import ConditionOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Block, BlockArgument, Operation, Region

from tensorlift.normalise.guards import comparison, is_certain

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import SSAValue


@dataclass(frozen=True)
class Rotate:
    """The pass that lets loops test first."""

    name = "rotate"

    def apply(self, module: ModuleOp) -> None:
        """Rewrite each ``do`` that can be, inner ones first."""
        for op in reversed([op for op in module.walk() if isinstance(op, WhileOp)]):
            if len(op.after_region.block.ops) == 1:
                _rotate(op)


def _rotate(op: WhileOp) -> None:
    """Let a loop test first, if its test asks of nothing but what goes round."""
    old, passed = op.before_region.block, _last(op.after_region.block)
    condition = _last(old)
    handed = [_forwarded(value, condition) for value in passed.operands]
    test: dict[Operation, None] = {}
    asked: dict[SSAValue, None] = {}
    if not _collect(condition.operands[0], op, handed, test, asked):
        return
    given = dict(zip(handed, op.arguments, strict=True))
    if any(isinstance(given[value].owner, PoisonOp) for value in asked):
        return
    compare = condition.operands[0].owner
    is_tested = isinstance(compare, CmpiOp) and is_certain(comparison(compare, given), op)
    first = [] if is_tested else [_constant(value, op) for value in (True, False)]
    # What goes round: what an iteration hands on, what else is used after the loop, and which iteration is the first.
    left = [condition.operands[1 + k] for k, result in enumerate(op.results) if result.first_use is not None]
    extra = list(dict.fromkeys(v for v in left if _is_inside(v, op) and v not in handed))
    round_ = [*handed, *extra, *first[:1]]
    before, after = Block(arg_types=[v.type for v in round_]), Block(arg_types=[v.type for v in round_])
    for block in (before, after):
        for argument, like in zip(block.args, [*old.args, *extra], strict=False):
            argument.name_hint = like.name_hint
    mapped: dict[SSAValue, SSAValue] = {}
    for value, argument in zip(handed, before.args, strict=False):
        mapped.setdefault(value, argument)
    before.add_ops(one.clone(mapped) for one in test)
    holds = mapped[condition.operands[0]]
    if first:
        before.add_op(choice := SelectOp(before.args[-1], first[0], holds))
        holds = choice.result
    before.add_op(ConditionOp.create(operands=[holds, *before.args], location=condition.location))
    made = WhileOp.create(
        operands=[*op.arguments, *(_poison(value, op) for value in extra), *first[:1]],
        result_types=[value.type for value in round_],
        regions=[Region(before), Region(after)],
        location=op.location,
    )
    _insert(made, op)
    for result, argument in zip(made.results, before.args, strict=True):
        result.name_hint = argument.name_hint
    for k, result in enumerate(op.results):
        value = condition.operands[1 + k]
        result.replace_all_uses_with(made.results[round_.index(value)] if value in round_ else value)
    for argument, mine in zip(old.args, after.args, strict=False):
        argument.replace_all_uses_with(mine)
    condition.detach()
    condition.erase()
    for one in list(old.ops):
        one.detach()
        after.add_op(one)
    after.add_op(YieldOp.create(operands=[*handed, *extra, *first[1:]], location=passed.location))
    for one in reversed(test):
        if not any(result.first_use for result in one.results):
            one.detach()
            one.erase()
    op.detach()
    op.erase()


def _collect(
    value: SSAValue,
    op: WhileOp,
    handed: Sequence[SSAValue],
    test: dict[Operation, None],
    asked: dict[SSAValue, None],
) -> bool:
    """Collect the arithmetic that a test is made of, in order, and what that asks of; tell whether there is no more."""
    owner = value.owner
    if value in handed:
        asked[value] = None
    elif isinstance(owner, Block):
        return owner is not op.before_region.block
    elif owner not in test and op.is_ancestor(owner):
        if owner.parent is not op.before_region.block or not owner.name.startswith("arith."):
            return False
        if not all(_collect(operand, op, handed, test, asked) for operand in owner.operands):
            return False
        test[owner] = None
    return True


def _forwarded(value: SSAValue, condition: Operation) -> SSAValue:
    """Return what stands for an argument of the second region in the first one."""
    is_argument = isinstance(value, BlockArgument) and value.block.parent_op() is condition.parent_op()
    return condition.operands[1 + value.index] if is_argument and isinstance(value, BlockArgument) else value


def _is_inside(value: SSAValue, op: WhileOp) -> bool:
    return op.is_ancestor(value.owner)


def _last(block: Block) -> Operation:
    last = block.last_op
    assert last is not None, "a region ends"
    return last


def _insert(made: Operation, op: WhileOp) -> Operation:
    assert op.parent is not None
    op.parent.insert_op_before(made, op)
    return made


def _constant(value: bool, op: WhileOp) -> SSAValue:  # noqa: FBT001 - what it is
    return _insert(ConstantOp(IntegerAttr(-1 if value else 0, i1)), op).results[0]


def _poison(like: SSAValue, op: WhileOp) -> SSAValue:
    return _insert(PoisonOp.create(result_types=[like.type], properties={"value": PoisonAttr()}), op).results[0]
