"""A ``do`` tests before its body, as other loops do, where its test asks of nothing but what goes round.

    do { a[i] = 0; i++; } while (i < n);      first = true;  while (first || i < n) { a[i] = 0; i++; first = false; }

Its test, of what an iteration hands on, is asked of what the next one is given.  The first iteration is not tested: a
truth value that is carried says which one that is, and the condition is an ``arith.select`` on it.  It is left out
where constants, or a branch around the loop, show that the test holds there.  Values beside those handed on that are
used after the loop are carried as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.arith import CmpiOp, ConstantOp, SelectOp
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i1
from xdsl.dialects.scf import ConditionOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from tensorlift.normalise.edit import forwarded, insert, last_of, move, nested, remove
from tensorlift.normalise.guards import comparison, is_certain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True)
class Rotate:
    """The pass that lets loops test first."""

    name = "rotate"

    def apply(self, module: ModuleOp) -> None:
        """Rewrite each ``do`` that can be, inner ones first."""
        for op in reversed(nested(module, WhileOp)):
            if len(op.after_region.block.ops) == 1:
                _rotate(op)


def _rotate(op: WhileOp) -> None:
    """Let a loop test first, if its test asks of nothing but what goes round."""
    old, condition, passed = op.before_region.block, last_of(op.before_region.block), last_of(op.after_region.block)
    handed = [forwarded(value, condition) for value in passed.operands]
    test: dict[Operation, None] = {}
    asked: dict[SSAValue, None] = {}
    given = dict(zip(handed, op.arguments, strict=True))
    is_closed = _collect(condition.operands[0], op, handed, test, asked)
    if not is_closed or not (test or asked) or any(isinstance(given[value].owner, PoisonOp) for value in asked):
        return  # it cannot, or has no test
    compare = condition.operands[0].owner
    is_tested = isinstance(compare, CmpiOp) and is_certain(comparison(compare, given), op)
    first = [] if is_tested else [_before(ConstantOp(IntegerAttr(truth, i1)), op) for truth in (-1, 0)]
    # What goes round: what an iteration hands on, what else is used after the loop, and which iteration is the first.
    left = [condition.operands[1 + k] for k, result in enumerate(op.results) if result.first_use is not None]
    extra = list(dict.fromkeys(value for value in left if op.is_ancestor(value.owner) and value not in handed))
    undefined = [_before(_poison(value.type), op) for value in extra]
    inits, hints = [*op.arguments, *undefined, *first[:1]], [value.name_hint for value in (*old.args, *extra)]
    before, after = _tested(condition, handed, test, inits, first), Block(arg_types=[value.type for value in inits])
    made = WhileOp.create(
        operands=inits,
        result_types=[value.type for value in inits],
        regions=[Region(before), Region(after)],
        attributes=op.attributes,
        location=op.location,
    )
    insert([made], op)
    for values in (before.args, after.args, made.results):
        for value, hint in zip(values, hints, strict=False):
            value.name_hint = hint
    stands: dict[SSAValue, SSAValue] = dict(zip([*handed, *extra], made.results, strict=False))
    for k, result in enumerate(op.results):
        value = condition.operands[1 + k]
        result.replace_all_uses_with(stands.get(value, value))
    remove(condition)
    move(list(old.ops), after)
    after.add_op(YieldOp.create(operands=[*handed, *extra, *first[1:]], location=passed.location))
    for argument, mine in zip(old.args, after.args, strict=False):
        argument.replace_all_uses_with(mine)
    for one in reversed(test):
        if not any(result.first_use for result in one.results):
            remove(one)
    remove(op)


def _tested(
    condition: Operation,
    handed: Sequence[SSAValue],
    test: Iterable[Operation],
    inits: Sequence[SSAValue],
    first: Sequence[SSAValue],
) -> Block:
    """Write the region that asks of what an iteration is given."""
    block = Block(arg_types=[value.type for value in inits])
    mapped: dict[SSAValue, SSAValue] = {}
    for value, argument in zip(handed, block.args, strict=False):
        mapped.setdefault(value, argument)
    block.add_ops(one.clone(mapped) for one in test)
    holds = mapped[condition.operands[0]]
    if first:
        block.add_op(choice := SelectOp(block.args[-1], first[0], holds))
        holds = choice.result
    block.add_op(ConditionOp.create(operands=[holds, *block.args], location=condition.location))
    return block


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


def _poison(of_type: Attribute) -> Operation:
    return PoisonOp.create(result_types=[of_type], properties={"value": PoisonAttr()})


def _before(made: Operation, op: Operation) -> SSAValue:
    """Insert an operation before a loop, and return its result."""
    insert([made], op)
    return made.results[0]
