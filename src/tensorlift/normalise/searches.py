"""Loops that count and may be left early: what they test, how their values move, and what is written for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.arith import (
    AddiOp,
    CmpiOp,
    ConstantOp,
    ExtSIOp,
    ExtUIOp,
    IntegerOverflowAttr,
    MaxSIOp,
    MaxUIOp,
    MinSIOp,
    MinUIOp,
    MuliOp,
    SubiOp,
    TruncIOp,
)
from xdsl.dialects.builtin import IntegerAttr, IntegerType, UnitAttr, i1
from xdsl.dialects.scf import ConditionOp, IfOp, WhileOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from tensorlift.ir.arithmetic import constant_of, width_of
from tensorlift.normalise.edit import forwarded, insert, is_quiet, last_of
from tensorlift.normalise.exact import REACHED
from tensorlift.normalise.guards import comparison, contrary, linear

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


_ENDS = {(True, False): MaxSIOp, (True, True): MaxUIOp, (False, False): MinSIOp, (False, True): MinUIOp}
_WRAPS = IntegerOverflowAttr("none")


class Search(NamedTuple):
    """A loop that goes on while the test of ``branch`` holds and ``body``, an arm of that, says so.

    Its values become ``handed``, and those that have one move by ``steps``.  The one at ``counter`` is tested:
    ``bound + beyond`` is the first that is not in the loop, which ``is_exact`` says of loops without iterations too.
    ``flags`` say whether the values may wrap.
    """

    branch: IfOp
    body: Block
    rest: Block
    handed: Sequence[SSAValue]
    steps: Sequence[int | None]
    counter: int
    bound: SSAValue
    beyond: int
    is_exact: bool
    is_unsigned: bool
    flags: Sequence[IntegerOverflowAttr]


def search_of(op: WhileOp) -> Search | None:
    """Look at a loop: its first region must test, and do all else under that."""
    before, condition = op.before_region.block, last_of(op.before_region.block)
    branch, goes_on = condition.prev_op, condition.operands[0]
    if len(op.after_region.block.ops) > 1 or not isinstance(branch, IfOp) or not isinstance(goes_on, OpResult):
        return None
    if goes_on.owner is not branch or not all(map(is_quiet, _tested_first(before, branch))):
        return None
    arms = branch.true_region.block, branch.false_region.block
    stops = [constant_of(last_of(arm).operands[goes_on.index]) == 0 for arm in arms]
    if stops.count(True) != 1 or not isinstance(branch.cond.owner, CmpiOp):
        return None
    body, rest = arms if stops[1] else arms[::-1]
    handed = [forwarded(value, condition) for value in last_of(op.after_region.block).operands]
    following = [_going_on(value, branch, body) for value in handed]
    moved = [linear(value, {}) for value in following]
    steps = [told.offset if told.base is argument else None for told, argument in zip(moved, before.args, strict=True)]
    asked = comparison(branch.cond.owner, {}, holds=body is arms[0])
    sides = [(asked.left, asked.right, 1), (asked.right, asked.left, -1)]
    for side, other, way in sides if asked.operator != "==" else ():
        counter = next((k for k, argument in enumerate(before.args) if side.base is argument), None)
        towards = (way,) if asked.operator != "!=" else (1, -1)
        step = steps[counter] if counter is not None else None
        bound = _side(branch.cond.owner, other.base)
        if counter is not None and step is not None and step in towards and bound is not None and _is_fixed(bound, op):
            beyond = (step if asked.operator == "<=" else 0) - side.offset
            flags, is_exact = [_flags(value) for value in following], asked.operator == "!="
            arms_of = branch, body, rest
            return Search(*arms_of, handed, steps, counter, bound, beyond, is_exact, asked.is_unsigned, flags)
    return None


def _tested_first(before: Block, branch: IfOp) -> Iterator[Operation]:
    return (op for op in before.ops if op is not branch and op is not before.last_op)


def _flags(value: SSAValue) -> IntegerOverflowAttr:
    """Return what is known of overflow where a value moves on."""
    return value.owner.overflow_flags if isinstance(value.owner, AddiOp | SubiOp) else _WRAPS


def _side(test: CmpiOp, base: object) -> SSAValue | None:
    return next((side for side in test.operands if linear(side, {}).base == base), None)


def _going_on(value: SSAValue, branch: IfOp, body: Block) -> SSAValue:
    """Return what a value is where the loop goes on: what the other arm has is undefined, or not asked for."""
    if isinstance(value, OpResult) and value.owner is branch:
        value = last_of(body).operands[value.index]
    while isinstance(value, OpResult) and isinstance(value.owner, IfOp):
        sides = [last_of(region.block).operands[value.index] for region in value.owner.regions]
        defined = [side for side in sides if not isinstance(side.owner, PoisonOp)]
        if len(defined) != 1:
            break
        (value,) = defined
    return value


def _is_fixed(value: SSAValue, op: WhileOp) -> bool:
    """Whether a value is computed outside of a loop, or by arithmetic on such in its test."""
    owner = value.owner
    if not op.is_ancestor(owner):
        return True
    is_test = (
        not isinstance(owner, Block) and owner.parent is op.before_region.block and owner.name.startswith("arith.")
    )
    return is_test and all(_is_fixed(operand, op) for operand in owner.operands)  # type: ignore[union-attr]  # an operation


class Writer:
    """What is written in place of a loop, or from its parts: at the end of ``to``, or before that."""

    def __init__(self, op: WhileOp, search: Search) -> None:
        self.op, self.search = op, search
        self.to: Block | Operation = op
        self.place = op.location
        self.before, self.condition = op.before_region.block, last_of(op.before_region.block)
        self.flags, step = search.flags[search.counter], search.steps[search.counter]
        assert step is not None, "it counts"
        self.low, self.step = op.arguments[search.counter], step

    def past(self, outside: dict[SSAValue, SSAValue]) -> SSAValue:
        """Write the first value of the counter that is not in the loop."""
        return self.plus(self.copied(self.search.bound, outside), self.search.beyond)

    def end(self, past: SSAValue) -> SSAValue:
        """Write what the counter is at the loop's end, that of a loop without iterations included."""
        if self.search.is_exact:
            return past
        end = _ENDS[self.step > 0, self.search.is_unsigned](past, self.low)
        end.attributes[REACHED] = UnitAttr()
        return self.emit(end)

    def tested(self, types: Sequence[Attribute]) -> Block:
        """Write the test, which is that of the source; its counter is the first value that is carried."""
        self.to = block = Block(arg_types=types)
        search = self.search
        asked = self.copied(search.branch.cond, {self.before.args[search.counter]: block.args[0]})
        if search.body is not search.branch.true_region.block:
            test = asked.owner
            assert isinstance(test, CmpiOp)
            asked = self.emit(CmpiOp(test.lhs, test.rhs, contrary(test)))
        block.add_op(ConditionOp.create(operands=[asked, *block.args], location=self.condition.location))
        return block

    def emit(self, made: Operation) -> SSAValue:
        """Write an operation; return its first result."""
        made.location = self.place
        if isinstance(self.to, Block):
            self.to.add_op(made)
        else:
            insert([made], self.to)
        return made.results[0] if made.results else self.low

    def plus(self, value: SSAValue, number: int) -> SSAValue:
        """Add a constant to what the counter is compared with."""
        if not number:
            return value
        return self.emit(AddiOp(value, self.number(number, value.type), overflow=self.flags))

    def since(self, counter: SSAValue) -> SSAValue:
        """Return how many iterations there are before the counter has a value."""
        if self.step < 0:
            return self.emit(SubiOp(self.low, counter, overflow=self.flags))
        if constant_of(self.low) == 0:
            return counter
        return self.emit(SubiOp(counter, self.low, overflow=self.flags))

    def as_wide(self, count: SSAValue, of_type: Attribute) -> SSAValue:
        """Give a number of iterations another type."""
        if count.type == of_type:
            return count
        assert isinstance(of_type, IntegerType)
        if width_of(of_type) < width_of(count.type):
            return self.emit(TruncIOp(count, of_type))
        return self.emit((ExtUIOp if self.search.is_unsigned else ExtSIOp)(count, of_type))

    def number(self, number: int, of_type: Attribute) -> SSAValue:
        """Write a constant."""
        assert isinstance(of_type, IntegerType)
        return self.emit(ConstantOp(IntegerAttr(number, of_type)))

    def copied(self, value: SSAValue, known: dict[SSAValue, SSAValue]) -> SSAValue:
        """Compute a value of the loop here, where some are known."""
        if value in known or not self.op.is_ancestor(value.owner):
            return known.get(value, value)
        assert isinstance(value, OpResult)
        for operand in value.owner.operands:
            known.setdefault(operand, self.copied(operand, known))
        known[value] = self.emit(value.owner.clone(dict(known)))
        return known[value]

    def left(self, value: SSAValue, arm: Block) -> SSAValue:
        """Return what a value is where an arm of the branch is run."""
        if isinstance(value, OpResult) and value.owner is self.search.branch:
            return last_of(arm).operands[value.index]
        if value is self.search.branch.cond:
            return self.number(-1 if arm is self.search.branch.true_region.block else 0, i1)
        return value

    def is_arithmetic(self, value: SSAValue) -> bool:
        """Whether a value is made of what the loop carries by arithmetic."""
        owner = value.owner
        if isinstance(owner, Block) or not self.op.is_ancestor(owner):
            return True
        return owner.name.startswith("arith.") and all(map(self.is_arithmetic, owner.operands))

    def asks(self, value: SSAValue) -> bool:
        """Whether a value is made of what the loop carries."""
        owner = value.owner
        if not self.op.is_ancestor(owner):
            return False
        return isinstance(owner, Block) or any(map(self.asks, owner.operands))

    def give(self, known: dict[SSAValue, SSAValue], counter: SSAValue) -> None:
        """Say what the loop carries that moves by a step where its counter has a value."""
        arguments, inits, steps = self.before.args, self.op.arguments, self.search.steps
        for k, (argument, init, step) in enumerate(zip(arguments, inits, steps, strict=True)):
            if step is None:
                continue
            known[argument] = init if k != self.search.counter else counter
            if k != self.search.counter and step and argument.first_use is not None:
                count = self.as_wide(self.since(counter), init.type)
                moved = self.emit(MuliOp(count, self.number(step, init.type), overflow=self.search.flags[k]))
                known[argument] = self.emit(AddiOp(init, moved, overflow=self.search.flags[k]))
