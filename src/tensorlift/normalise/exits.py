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
from typing import TYPE_CHECKING

from xdsl.dialects.arith import (
    AddiOp,
    CmpiOp,
    SelectOp,
    SubiOp,
)
from xdsl.dialects.builtin import IntegerType, ModuleOp, i1
from xdsl.dialects.memref import LoadOp
from xdsl.dialects.scf import IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue

from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.left_early import JUMP, marked, refusal_of
from tensorlift.ir.location import location_of
from tensorlift.normalise.choices import is_harmless
from tensorlift.normalise.edit import is_quiet, last_of, move, nested, remove, sweep
from tensorlift.normalise.guards import contrary
from tensorlift.normalise.prefixes import split
from tensorlift.normalise.searches import Search, Writer, search_of
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Exits:
    """The pass that lets searches run to their end."""

    name = "exits"

    def apply(self, module: ModuleOp) -> None:
        """Rewrite each search, inner ones first."""
        for op in reversed(nested(module, WhileOp)):
            search = search_of(op)
            if search is None:
                continue
            is_pure = None not in search.steps and all(map(is_quiet, op.before_region.block.ops))
            is_split = not (is_pure and _plain(op)) and split(op, search)
            if not is_split and not (is_pure and _Reversing(op, search).run()):
                split(op, search)


def _plain(op: WhileOp) -> bool:
    """Whether neither a loop nor those around it leave what they read, or what a loop inside of them found."""
    outer: Operation | None = op
    while outer is not None:
        search = search_of(outer) if isinstance(outer, WhileOp) else None
        if isinstance(outer, WhileOp) and search is not None and _finds_data(outer, search):
            return False
        outer = outer.parent_op()
    return True


def _finds_data(op: WhileOp, search: Search) -> bool:
    """Whether a loop leaves what it read, or what a loop inside of it found."""
    left = (last_of(op.before_region.block).operands[1 + k] for k, r in enumerate(op.results) if r.first_use)
    return any(_is_data(value, op, search) for value in left)


def _is_data(value: SSAValue, op: WhileOp, search: Search) -> bool:
    owner = value.owner
    if isinstance(owner, Block) or not op.is_ancestor(owner):
        return False
    if isinstance(owner, IfOp) and isinstance(value, OpResult):
        arms = [search.body] if owner is search.branch else [region.block for region in owner.regions]
        return any(_is_data(last_of(arm).operands[value.index], op, search) for arm in arms)
    if isinstance(owner, LoadOp | WhileOp):
        return value.type != i1
    return any(_is_data(operand, op, search) for operand in owner.operands if operand.type != i1)


def _is_after_a_hit(op: Operation, flags: Mapping[SSAValue, bool]) -> bool:
    """Whether an operation is only run where a flag does not have the value that it has where nothing was hit."""
    inner, outer = op, op.parent_op()
    while outer is not None:
        if isinstance(outer, IfOp) and outer.cond in flags:
            return (inner.parent_region() is outer.true_region) is not flags[outer.cond]
        inner, outer = outer, outer.parent_op()
    return False


class _Reversing(Writer):
    """One search, and what is written in place of it."""

    def __init__(self, op: WhileOp, search: Search) -> None:
        super().__init__(op, search)
        self.results: list[SSAValue] = [result for result in op.results if result.first_use is not None]

    def run(self) -> bool:
        """Write the loop, if what it leaves at its end can be said before it; tell whether."""
        op, search = self.op, self.search
        handed = [self.condition.operands[1 + k] for k, result in enumerate(op.results) if result in self.results]
        rest, hits = ([self.left(value, arm) for value in handed] for arm in (search.rest, search.body))
        if not all(map(self.is_arithmetic, rest)):
            return False
        self._forget(rest)
        merged = self._merge(rest, hits)
        outside: dict[SSAValue, SSAValue] = {}
        past = self.past(outside)
        last = self.plus(past, -self.step)
        if any(map(self.asks, rest)):
            self.give(outside, self.end(past))
        inits = [self.low, *(self.copied(value, outside) for value in rest)]
        types = [value.type for value in inits]
        hints = [self.before.args[search.counter].name_hint, *(result.name_hint or "left" for result in self.results)]
        before, after = self.tested(types), self._searched(types, hints, last, hits)
        mark = marked(refusal_of(op, JUMP) or refusal("ends-early", location_of(op)).diagnostics[0])
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
        return True

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
            if is_integer and self.asks(value) and all(_is_after_a_hit(use.operation, flags) for use in result.uses):
                rest[number] = self.number(0, value.type)

    def _searched(
        self, types: Sequence[Attribute], hints: Sequence[str | None], last: SSAValue, hits: Sequence[SSAValue]
    ) -> Block:
        """Write the body: it leaves what a hit does, or else what it is given."""
        self.to = block = Block(arg_types=types)
        here: dict[SSAValue, SSAValue] = {}
        back = SubiOp if self.step > 0 else AddiOp
        self.give(here, self.emit(back(last, self.since(block.args[0]), overflow=self.flags)))
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
