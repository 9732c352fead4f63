"""Loops of which data say how long they run: ``while (err > tol)``, ``for (..) { ...; if (d < tol) break; }``, ``do``.

Such a loop stays one.  All that it carries is data, in cells, and a cell of its own says whether it goes on:

    while (err > tol) body         goes_on = err > tol;  while (goes_on) { body;  goes_on = err > tol; }

A loop is taken for one of these where it does not count: it is marked, and all is executed again.  One that may be left
in the middle is written anew first, so that its header tests and nothing else:

    for (; t; next) { ...; if (b) break; }        unbroken = true;  while (unbroken && t) { ...; unbroken = !b;  next; }

What it leaves where it is left in the middle is carried beside what it hands on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.arith import ConstantOp, SelectOp, XOrIOp
from xdsl.dialects.builtin import IntegerAttr, UnitAttr, i1
from xdsl.dialects.scf import ConditionOp, IfOp, WhileOp, YieldOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue

from tensorlift.ir.arithmetic import constant_of
from tensorlift.normalise.edit import forwarded, insert, is_quiet, last_of, move, remove
from tensorlift.normalise.steering import UNBOUNDED, is_memory, made_of
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tensorlift.normalise.execution import Execution


def let_data_end(op: WhileOp) -> bool:
    """Mark a loop as one of which data say how long it runs, and let its header do nothing but test; False if none."""
    if not _may_end(op):
        return False
    if len(op.after_region.block.ops) == 1:
        op = _LeftInside(op).rewritten()
    elif not all(map(is_quiet, list(op.before_region.block.ops)[:-1])):
        return False
    op.attributes[UNBOUNDED] = UnitAttr()
    return True


def _may_end(op: WhileOp) -> bool:
    """Tell whether what a loop asks may change in it."""
    work, seen = [last_of(op.before_region.block).operands[0]], set[SSAValue]()
    while work:
        value = work.pop()
        owner = value.owner
        if isinstance(owner, Block):
            if op.is_ancestor(owner):
                return True
        elif isinstance(owner, SelectOp) and owner.cond is op.before_region.block.args[-1]:
            work.append(owner.rhs)  # the first iteration is not tested
        elif value not in seen and op.is_ancestor(owner):
            seen.add(value)
            if owner.name == "scf.while" or (owner.name == "memref.load" and not is_quiet(op)):
                return True
            work += [*owner.operands, *made_of(value)]
    return False


class _LeftInside:
    """A loop whose first region holds all of it: ``before`` some operations, ``branch`` that asks whether to go on."""

    def __init__(self, op: WhileOp) -> None:
        self.op = op
        self.block, self.condition = op.before_region.block, last_of(op.before_region.block)
        self.tests, self.branch = list[Operation](), None
        *ops, _ = self.block.ops
        goes_on = self.condition.operands[0]
        branch = goes_on.owner if isinstance(goes_on, OpResult) else None
        if isinstance(branch, IfOp) and isinstance(goes_on, OpResult) and ops[-1] is branch:
            stops = [constant_of(last_of(region.block).operands[goes_on.index]) == 0 for region in branch.regions]
            if stops.count(True) == 1 and all(map(is_quiet, ops[:-1])):
                self.tests, self.branch = ops[:-1], branch
                self.rest, self.body = (branch.regions[arm].block for arm in (stops.index(True), stops.index(False)))

    def rewritten(self) -> WhileOp:
        """Write it anew; what it leaves is read off what the new one carries."""
        op, place = self.op, self.condition.location
        used = [k for k, result in enumerate(op.results) if result.first_use is not None]
        handed = [forwarded(value, self.condition) for value in last_of(op.after_region.block).operands]
        following = [self._going_on(value) for value in handed]
        left = [self._going_on(self.condition.operands[1 + k]) for k in used]
        poisons = [PoisonOp.create(result_types=[v.type], properties={"value": PoisonAttr()}) for v in left]
        truth = ConstantOp(IntegerAttr(-1, i1))
        insert([*poisons, truth], op)
        inits = [*op.arguments, *(one.results[0] for one in poisons), truth.result]
        types = [value.type for value in inits]
        header, body = Block(arg_types=types), Block(arg_types=types)
        test: SSAValue = header.args[-1]
        if self.branch is not None:
            asked = self._asked(header)
            header.add_ops([never := ConstantOp(IntegerAttr(0, i1)), both := SelectOp(test, asked, never.result)])
            test = both.result
        header.add_op(ConditionOp.create(operands=[test, *header.args], location=place))
        made = WhileOp.create(
            operands=inits,
            result_types=types,
            regions=[Region(header), Region(body)],
            attributes=op.attributes,
            location=op.location,
        )
        hints = [
            *(argument.name_hint for argument in self.block.args),
            *(op.results[k].name_hint for k in used),
            "goes_on",
        ]
        for values in (header.args, body.args, made.results):
            for value, hint in zip(values, hints, strict=True):
                value.name_hint = hint
        insert([made], op)
        self._leave(made, used, following, left)
        goes_on = self._going_on(self.condition.operands[0])
        moved = [*self.tests, *(list(self.body.ops)[:-1] if self.branch is not None else list(self.block.ops)[:-1])]
        move(moved, body)
        body.add_op(YieldOp.create(operands=[*following, *left, goes_on], location=place))
        for argument, mine in zip(self.block.args, body.args, strict=False):
            argument.replace_all_uses_with(mine)
        remove(op)
        return made

    def _going_on(self, value: SSAValue) -> SSAValue:
        """Return what a value is at the end of an iteration."""
        if self.branch is not None and isinstance(value, OpResult) and value.owner is self.branch:
            return last_of(self.body).operands[value.index]
        return value

    def _asked(self, header: Block) -> SSAValue:
        """Copy the test to the new header."""
        assert self.branch is not None
        mapped = self._copied(self.tests, header.args, header)
        holds = mapped.get(self.branch.cond, self.branch.cond)
        if self.body is self.branch.regions[0].block:
            return holds
        header.add_ops([truth := ConstantOp(IntegerAttr(-1, i1)), contrary := XOrIOp(holds, truth.result)])
        return contrary.result

    def _copied(self, ops: Iterable[Operation], given: Sequence[SSAValue], to: Block) -> dict[SSAValue, SSAValue]:
        """Copy operations for what the header is given; return what stands for what."""
        mapped: dict[SSAValue, SSAValue] = dict(zip(self.block.args, given, strict=False))
        to.add_ops(one.clone(mapped) for one in ops)
        return mapped

    def _leave(
        self, made: WhileOp, used: Sequence[int], following: Sequence[SSAValue], left: Sequence[SSAValue]
    ) -> None:
        """Say what the old loop leaves: what its last iteration left, or what there is where its test fails."""
        op, carried = self.op, made.results[len(self.block.args) :]
        stands = dict(zip(used, carried, strict=False))
        ends = [self._at_test(self.condition.operands[1 + k]) for k in used]
        arguments = list(self.block.args)
        for k, end, value in zip(used, ends, left, strict=True):
            same = [n for n, one in enumerate(following) if one is value and (not self.branch or arguments[n] is end)]
            if same:
                stands[k] = made.results[same[0]]
        if self.branch is not None:
            apart = [(k, end) for k, end in zip(used, ends, strict=True) if stands[k] in carried]
            then, otherwise = Block(), Block()
            rest = list(self.rest.ops)[:-1]
            mapped = self._copied([*self.tests, *rest], made.results, then)
            then.add_op(YieldOp(*(mapped.get(end, end) for _, end in apart)))
            otherwise.add_op(YieldOp(*(stands[k] for k, _ in apart)))
            types = [stands[k].type for k, _ in apart]
            choice = IfOp(made.results[-1], types, Region(then), Region(otherwise))
            choice.location = self.condition.location
            if apart:
                insert([choice], op)
            stands |= {k: result for (k, _), result in zip(apart, choice.results, strict=True)}
        for k, value in stands.items():
            op.results[k].replace_all_uses_with(value)

    def _at_test(self, value: SSAValue) -> SSAValue:
        """Return what a value is where the test fails."""
        if isinstance(value, OpResult) and value.owner is self.branch:
            return last_of(self.rest).operands[value.index]
        return value


def unbounded(ex: Execution, op: Operation) -> None:
    """Execute a loop of which data say how long it runs."""
    place, (header, body) = ex.place, (region.block for region in op.regions)
    condition, arguments, yields = last_of(header), header.args, last_of(body).operands
    tests = list(header.ops)[:-1]
    if any(map(is_memory, arguments)) or any(v in ex.steering.values for v in (*arguments, *body.args, *op.results)):
        raise refusal("loop-data", place, "data")

    def test(given: Sequence[SSAValue]) -> None:
        """Ask whether the loop goes on, unless that is carried."""
        if condition.operands[0] not in arguments:
            with ex.cells.without(arguments):
                ex.values.update(zip(arguments, [ex.values[value] for value in given], strict=True))
                _run(ex, tests)
                ex.place = place
                ex.cells.put(goes_on, ex.number(condition.operands[0]))

    def read() -> None:
        for argument in arguments:
            ex.values[argument] = ex.cells.load(argument)
        _run(ex, tests)

    ex.cells.assign({value: (init,) for value, init in zip(arguments, op.operands, strict=True)}, anonymous=True)
    goes_on = ex.cells.cell_of(condition.operands[0]) or ex.cells.make("goes_on", [condition.operands[0]])
    test(op.operands)
    for value, init in zip(arguments, op.operands, strict=True):
        ex.cells.store(value, init)
    before, noted = ex.cells.held(), ex.cells.mark()
    ex.sink.begin_while(goes_on, place)
    with ex.inside():
        ex.cells.enter(op)
        read()
        for inner, handed in zip(body.args, condition.operands[1:], strict=True):
            ex.values[inner] = ex.values[handed]
            ex.cells.alias(inner, handed)
        ex.execute_block(body)
        ex.place = place
        test(yields)
        ex.cells.hand_on(list(zip(arguments, yields, strict=True)))
    ex.sink.end_while()
    ex.cells.leave(before)
    ex.cells.unmark(noted)
    read()
    for result, handed in zip(op.results, condition.operands[1:], strict=True):
        ex.values[result] = ex.values[handed]
        ex.cells.alias(result, handed)


def _run(ex: Execution, ops: Iterable[Operation]) -> None:
    for op in ops:
        ex.run(op)
