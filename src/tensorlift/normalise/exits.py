"""A loop that counts and is left at its first hit runs backwards to its end: the last hit that it meets is the first.

    for (i = 0; i < n; i++)                       k = n;
        if (a[i] < 0) break;                      for (c = 0; c < n; c++)
    k = i;                                            if (a[n - 1 - c] < 0) k = n - 1 - c;

That is so where iterations know nothing of each other: what the loop carries are counters, and it has no effect but
what it leaves.  What it leaves at its end is there at first, and each hit leaves its own.  The program does not make
all of these iterations: the mark ``tl.left`` holds the diagnostic that refuses the loop where it stays one.
"""

from __future__ import annotations

from dataclasses import dataclass
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
    SelectOp,
    SubiOp,
    TruncIOp,
)
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, UnitAttr, i1
from xdsl.dialects.scf import ConditionOp, IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from tensorlift.ir.arithmetic import constant_of, width_of
from tensorlift.ir.left_early import JUMP, marked, refusal_of
from tensorlift.ir.location import location_of
from tensorlift.normalise.choices import is_harmless
from tensorlift.normalise.edit import forwarded, insert, is_quiet, last_of, move, nested, remove, sweep
from tensorlift.normalise.exact import REACHED
from tensorlift.normalise.guards import comparison, contrary, linear
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


_ENDS = {(True, False): MaxSIOp, (True, True): MaxUIOp, (False, False): MinSIOp, (False, True): MinUIOp}
_WRAPS = IntegerOverflowAttr("none")


@dataclass(frozen=True)
class Exits:
    """The pass that lets searches run to their end."""

    name = "exits"

    def apply(self, module: ModuleOp) -> None:
        """Rewrite each search, inner ones first."""
        for op in reversed(nested(module, WhileOp)):
            search = _search_of(op)
            if search is not None:
                _Reversing(op, search).run()


class _Search(NamedTuple):
    """A loop that goes on while the test of ``branch`` holds and ``body``, an arm of that, says so.

    Its values move by ``steps``.  The one at ``counter`` is tested: ``bound + beyond`` is the first that is not in the
    loop, which ``is_exact`` says of loops without iterations too.  ``flags`` say whether the values may wrap.
    """

    branch: IfOp
    body: Block
    rest: Block
    steps: Sequence[int]
    counter: int
    bound: SSAValue
    beyond: int
    is_exact: bool
    is_unsigned: bool
    flags: Sequence[IntegerOverflowAttr]


def _search_of(op: WhileOp) -> _Search | None:
    """Look at a loop: its first region must test, and do all else under that."""
    before, condition = op.before_region.block, last_of(op.before_region.block)
    branch, goes_on = condition.prev_op, condition.operands[0]
    if len(op.after_region.block.ops) > 1 or not isinstance(branch, IfOp) or not isinstance(goes_on, OpResult):
        return None
    if goes_on.owner is not branch or not all(map(is_quiet, before.ops)):
        return None
    arms = branch.true_region.block, branch.false_region.block
    stops = [constant_of(last_of(arm).operands[goes_on.index]) == 0 for arm in arms]
    if stops.count(True) != 1 or not isinstance(branch.cond.owner, CmpiOp):
        return None
    body, rest = arms if stops[1] else arms[::-1]
    handed = [forwarded(value, condition) for value in last_of(op.after_region.block).operands]
    following = [_going_on(value, branch, body) for value in handed]
    moved = [linear(value, {}) for value in following]
    if any(told.base is not argument for told, argument in zip(moved, before.args, strict=True)):
        return None
    steps = [told.offset for told in moved]
    asked = comparison(branch.cond.owner, {}, holds=body is arms[0])
    sides = [(asked.left, asked.right, 1), (asked.right, asked.left, -1)]
    for side, other, way in sides if asked.operator != "==" else ():
        counter = next((k for k, argument in enumerate(before.args) if side.base is argument), None)
        towards = (way,) if asked.operator != "!=" else (1, -1)
        bound = _side(branch.cond.owner, other.base)
        if counter is not None and steps[counter] in towards and bound is not None and _is_fixed(bound, op):
            beyond = (steps[counter] if asked.operator == "<=" else 0) - side.offset
            flags = [_flags(value) for value in following]
            return _Search(
                branch, body, rest, steps, counter, bound, beyond, asked.operator == "!=", asked.is_unsigned, flags
            )
    return None


def _flags(value: SSAValue) -> IntegerOverflowAttr:
    """Return what is known of overflow where a value moves on."""
    return value.owner.overflow_flags if isinstance(value.owner, AddiOp | SubiOp) else _WRAPS


def _side(test: CmpiOp, base: object) -> SSAValue | None:
    return next((side for side in test.operands if linear(side, {}).base == base), None)


def _is_after_a_hit(op: Operation, flags: Mapping[SSAValue, bool]) -> bool:
    """Whether an operation is only run where a flag does not have the value that it has where nothing was hit."""
    inner, outer = op, op.parent_op()
    while outer is not None:
        if isinstance(outer, IfOp) and outer.cond in flags:
            return (inner.parent_region() is outer.true_region) is not flags[outer.cond]
        inner, outer = outer, outer.parent_op()
    return False


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


def _arms(branch: IfOp) -> list[Block]:
    return [region.block for region in branch.regions]


class _Reversing:
    """One search, and what is written in place of it: at the end of ``to``, or before that."""

    def __init__(self, op: WhileOp, search: _Search) -> None:
        self.op, self.search = op, search
        self.to: Block | Operation = op
        self.before, self.condition = op.before_region.block, last_of(op.before_region.block)
        self.flags = search.flags[search.counter]
        self.low, self.step = op.arguments[search.counter], search.steps[search.counter]
        self.results: list[SSAValue] = [result for result in op.results if result.first_use is not None]

    def run(self) -> None:
        """Write the loop, if what it leaves at its end can be said before it."""
        op, search = self.op, self.search
        handed = [self.condition.operands[1 + k] for k, result in enumerate(op.results) if result in self.results]
        rest, hits = ([self._left(value, arm) for value in handed] for arm in (search.rest, search.body))
        if not all(map(self._is_arithmetic, rest)):
            return
        self._forget(rest)
        merged = self._merge(rest, hits)
        outside: dict[SSAValue, SSAValue] = {}
        past = self.plus(self.copied(search.bound, outside), search.beyond)
        last = self.plus(past, -self.step)
        if any(map(self._asks, rest)):
            end = _ENDS[self.step > 0, search.is_unsigned](past, self.low)
            end.attributes[REACHED] = UnitAttr()
            self._give(outside, past if search.is_exact else self.emit(end))
        inits = [self.low, *(self.copied(value, outside) for value in rest)]
        types = [value.type for value in inits]
        hints = [self.before.args[search.counter].name_hint, *(result.name_hint or "left" for result in self.results)]
        before, after = self._tested(types), self._searched(types, hints, last, hits)
        mark = marked(refusal_of(op, JUMP) or refusal("break", location_of(op)).diagnostics[0])
        regions = [Region(before), Region(after)]
        self.to = op
        self.emit(made := WhileOp.create(operands=inits, result_types=types, regions=regions, attributes=mark))
        for values in (before.args, after.args, made.results):
            for value, hint in zip(values, hints, strict=True):
                value.name_hint = hint
        for result, mine in zip(self.results, made.results[1:], strict=True):
            result.replace_all_uses_with(mine)
        for branch in merged:
            remove(branch)
        remove(op)
        sweep(after)

    def _told(self, rest: Sequence[SSAValue]) -> dict[SSAValue, bool]:
        """Return the truth values that the loop leaves at its end."""
        left = {result: constant_of(value) for result, value in zip(self.results, rest, strict=True)}
        return {result: bool(number) for result, number in left.items() if number is not None}

    def _merge(self, rest: list[SSAValue], hits: list[SSAValue]) -> list[IfOp]:
        """Leave what is chosen behind the loop by whether there was a hit, as in ``found ? i : -1``.

        Returns the branches that are needless then.
        """
        left = dict(zip(self.results, zip(rest, hits, strict=True), strict=True))
        merged: list[IfOp] = []
        for flag in tuple(left):
            for branch in [use.operation for use in flag.uses]:
                chosen = self._chosen(branch, left) if isinstance(branch, IfOp) else None
                if chosen is not None and isinstance(branch, IfOp):
                    left |= chosen
                    merged.append(branch)

        self.to = self.op

        def is_needed(result: SSAValue) -> bool:
            return any(not any(branch.is_ancestor(use.operation) for branch in merged) for use in result.uses)

        needed = {result: values for result, values in left.items() if is_needed(result)}
        self.results = list(needed)
        rest[:], hits[:] = [value for value, _ in needed.values()], [value for _, value in needed.values()]
        return merged

    def _chosen(
        self, branch: IfOp, left: Mapping[SSAValue, tuple[SSAValue, SSAValue]]
    ) -> dict[SSAValue, tuple[SSAValue, SSAValue]] | None:
        """Say what a branch behind the loop gives without a hit and with one; None where there is more to it."""
        if branch.parent is not self.op.parent or not branch.results or not is_quiet(branch):
            return None
        found: dict[SSAValue, tuple[SSAValue, SSAValue]] = {}
        for result in branch.results:
            without, with_hit = (self._behind(result, branch, left, is_hit=is_hit) for is_hit in (False, True))
            if without is None or with_hit is None or any(isinstance(v.owner, PoisonOp) for v in (without, with_hit)):
                return None  # what is undefined on one way is what it is on the other
            found[result] = without, with_hit
        return found

    def _behind(
        self, value: SSAValue, branch: IfOp, left: Mapping[SSAValue, tuple[SSAValue, SSAValue]], *, is_hit: bool
    ) -> SSAValue | None:
        """Compute a value behind the loop where there was a hit, in the loop, or where there was none, before it.

        None where it is more than arithmetic on what the loop leaves and what is there.
        """
        if value in left:
            return left[value][1 if is_hit else 0]
        owner = value.owner
        if isinstance(owner, Block) or not branch.is_ancestor(owner):
            is_here = not isinstance(owner, Block) and owner.parent is self.op.parent
            return None if is_here and not owner.is_before_in_block(self.op) else value  # type: ignore[union-attr]  # an operation
        if isinstance(owner, IfOp) and isinstance(value, OpResult):
            ends = [last_of(region.block).operands[value.index] for region in owner.regions]
            condition = self._behind(owner.cond, branch, left, is_hit=is_hit)
            number = constant_of(condition) if condition is not None else None
            if number is not None:
                return self._behind(ends[number == 0], branch, left, is_hit=is_hit)
            operands = [condition, *(self._behind(end, branch, left, is_hit=is_hit) for end in ends)]
        elif is_harmless(owner):
            operands = [self._behind(operand, branch, left, is_hit=is_hit) for operand in owner.operands]
        else:
            return None
        known = [operand for operand in operands if operand is not None]
        is_inside = any(self.op.is_ancestor(operand.owner) for operand in known)
        if len(known) < len(operands) or (is_inside and not is_hit):
            return None
        self.to = last_of(self.search.body) if is_hit else self.op
        by_operand = dict(zip(owner.operands, known, strict=False))
        return self.emit(SelectOp(*known) if isinstance(owner, IfOp) else owner.clone(by_operand))

    def _forget(self, rest: list[SSAValue]) -> None:
        """Let what is only asked for after a hit be anything where there is none."""
        flags = self._told(rest)
        for number, (result, value) in enumerate(zip(self.results, rest, strict=True)):
            is_integer = isinstance(value.type, IntegerType)
            if is_integer and self._asks(value) and all(_is_after_a_hit(use.operation, flags) for use in result.uses):
                rest[number] = self.number(0, value.type)

    def _tested(self, types: Sequence[Attribute]) -> Block:
        """Write the test, which is that of the source; only the body is another iteration than that it is made for."""
        self.to = block = Block(arg_types=types)
        search = self.search
        asked = self.copied(search.branch.cond, {self.before.args[search.counter]: block.args[0]})
        if search.body is not search.branch.true_region.block:
            test = asked.owner
            assert isinstance(test, CmpiOp)
            asked = self.emit(CmpiOp(test.lhs, test.rhs, contrary(test)))
        block.add_op(ConditionOp.create(operands=[asked, *block.args], location=self.condition.location))
        return block

    def _searched(
        self, types: Sequence[Attribute], hints: Sequence[str | None], last: SSAValue, hits: Sequence[SSAValue]
    ) -> Block:
        """Write the body: it leaves what a hit does, or else what it is given."""
        self.to = block = Block(arg_types=types)
        here: dict[SSAValue, SSAValue] = {}
        back = SubiOp if self.step > 0 else AddiOp
        self._give(here, self.emit(back(last, self.since(block.args[0]), overflow=self.flags)))
        for argument, value in here.items():
            argument.replace_all_uses_with(value)
        *ops, _, _ = self.before.ops
        move(ops, block)
        *ops, end = self.search.body.ops
        move(ops, block)
        arms = Block(), Block()
        for arm, values in zip(arms, (block.args[1:], [here.get(value, value) for value in hits]), strict=True):
            arm.add_op(YieldOp.create(operands=values, location=self.op.location))
        goes_on = self.condition.operands[0]
        assert isinstance(goes_on, OpResult)
        condition = end.operands[goes_on.index]
        if isinstance(condition.owner, CmpiOp):
            test = condition.owner
            condition, arms = self.emit(CmpiOp(test.lhs, test.rhs, contrary(test))), arms[::-1]
        regions = [Region(arm) for arm in arms]
        self.emit(left := IfOp.create(operands=[condition], result_types=types[1:], regions=regions))
        for result, hint in zip(left.results, hints[1:], strict=True):
            result.name_hint = hint
        following = self.plus(block.args[0], self.step)
        block.add_op(YieldOp.create(operands=[following, *left.results], location=self.op.location))
        return block

    def emit(self, made: Operation) -> SSAValue:
        """Write an operation; return its first result."""
        made.location = self.op.location
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

    def _left(self, value: SSAValue, arm: Block) -> SSAValue:
        """Return what a value is where an arm of the branch is run."""
        if isinstance(value, OpResult) and value.owner is self.search.branch:
            return last_of(arm).operands[value.index]
        if value is self.search.branch.cond:
            return self.number(-1 if arm is self.search.branch.true_region.block else 0, i1)
        return value

    def _is_arithmetic(self, value: SSAValue) -> bool:
        """Whether a value is made of what the loop carries by arithmetic."""
        owner = value.owner
        if isinstance(owner, Block) or not self.op.is_ancestor(owner):
            return True
        return owner.name.startswith("arith.") and all(map(self._is_arithmetic, owner.operands))

    def _asks(self, value: SSAValue) -> bool:
        """Whether a value is made of what the loop carries."""
        owner = value.owner
        if not self.op.is_ancestor(owner):
            return False
        return isinstance(owner, Block) or any(map(self._asks, owner.operands))

    def _give(self, known: dict[SSAValue, SSAValue], counter: SSAValue) -> None:
        """Say what the loop carries where its counter has a value."""
        arguments, inits, steps = self.before.args, self.op.arguments, self.search.steps
        for k, (argument, init, step) in enumerate(zip(arguments, inits, steps, strict=True)):
            known[argument] = init if k != self.search.counter else counter
            if k != self.search.counter and step and argument.first_use is not None:
                count = self.as_wide(self.since(counter), init.type)
                moved = self.emit(MuliOp(count, self.number(step, init.type), overflow=self.search.flags[k]))
                known[argument] = self.emit(AddiOp(init, moved, overflow=self.search.flags[k]))
