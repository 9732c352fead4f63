"""A loop between bounds that are data goes over all places of an array, and asks of each whether it is between them.

    for (p = lo; p < hi; p++)                     for (q = 0; q < extent; q++)
        s += a[p];                                    if (lo <= q && q < hi) s += a[q];

The extent is that of an array which the loop reads or writes at ``p``: the length of its rows where it has some.  What
is between ``lo`` and ``hi`` is inside of the array, as the source accesses it there; the test is marked, so that it is
known that the source does not look at the other places (`ir.within`).  The header reads its bound in each iteration:
where the loop stores nothing into that memory, that is done before the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.arith import (
    AddiOp,
    CmpiOp,
    ConstantOp,
    ExtSIOp,
    ExtUIOp,
    IndexCastOp,
    IntegerOverflowAttr,
    IntegerOverflowFlag,
    TruncIOp,
)
from xdsl.dialects.builtin import IndexType, IntegerAttr, MemRefType, i1, i64
from xdsl.dialects.scf import ConditionOp, IfOp, WhileOp, YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def

from tensorlift.ir.arithmetic import MIRRORED, constant_of, predicate_number, predicate_of
from tensorlift.ir.within import within
from tensorlift.normalise.choices import is_harmless
from tensorlift.normalise.edit import insert, last_of, move, remove
from tensorlift.normalise.execution import Test
from tensorlift.normalise.steering import made_of
from tensorlift.normalise.values import Address, Array, Data, depends_on_data
from tensorlift.ops.c_types import BOOL, LONG
from tensorlift.poly.index_arithmetic import Index

if TYPE_CHECKING:
    from tensorlift.normalise.execution import Execution, Rule

_EXACT = IntegerOverflowAttr([IntegerOverflowFlag.NSW])
_WIDER = {"arith.extsi", "arith.extui", "arith.index_cast"}


@irdl_op_definition
class ExtentOp(IRDLOperation):
    """The number of cells that an array has along its last axis."""

    name = "segment.extent"
    memory = operand_def(MemRefType)
    result = result_def(i64)


@irdl_op_definition
class WithinOp(IRDLOperation):
    """Whether a place is between two bounds that are data."""

    name = "segment.within"
    place, low, high = operand_def(i64), operand_def(i64), operand_def(i64)
    result = result_def(i1)


@dataclass(frozen=True, slots=True)
class _Segment:
    """A loop whose argument at ``counter`` rises by one from its start, as long as it is less than ``high``."""

    op: WhileOp
    counter: int
    high: SSAValue
    is_signed: bool
    includes: bool  # whether the bound is still in the loop
    fixed: list[Operation]  # of the header, to be moved out of the loop


def over_all_places(ex: Execution, op: Operation) -> list[Operation] | None:
    """Rewrite a loop between bounds that are data; gives what is to be executed in its place, None where it stays."""
    segment, previous, block = _segment_of(op), op.prev_op, op.parent
    if segment is None or segment.op.results[segment.counter].first_use is not None:
        return None
    if not any(map(_is_loaded, (op.operands[segment.counter], segment.high))):
        return None
    extent = _extent(ex, segment)
    if extent is None or block is None:
        return None
    made = _rewritten(ex, segment, extent)
    listed = list(block.ops)
    return listed[0 if previous is None else listed.index(previous) + 1 : listed.index(made) + 1]


def _segment_of(op: Operation) -> _Segment | None:
    if not isinstance(op, WhileOp):
        return None
    before, after = op.before_region.block, op.after_region.block
    last = last_of(before)
    test = last.operands[0].owner
    if list(last.operands[1:]) != list(before.args) or not isinstance(test, CmpiOp) or test.parent is not before:
        return None
    operator, is_signed = predicate_of(test)
    left, high = test.operands
    if operator.startswith(">"):
        operator, left, high = MIRRORED[operator], high, left
    counter = _unwidened(left)
    fixed = _fixed(op, [inside for inside in before.ops if inside not in {test, last}])
    if operator not in {"<", "<="} or not isinstance(counter, BlockArgument) or counter.block is not before:
        return None
    if fixed is None or _is_of(high, before, fixed) is not True:
        return None
    step = last_of(after).operands[counter.index].owner
    if not isinstance(step, AddiOp) or step.lhs is not after.args[counter.index] or constant_of(step.rhs) != 1:
        return None
    return _Segment(op, counter.index, high, is_signed, operator == "<=", fixed)


def _is_loaded(value: SSAValue) -> bool:
    """Whether an integer is made of what is read from memory."""
    work, seen = [value], {value}
    for made in work:
        if isinstance(made.owner, Operation) and made.owner.name == "memref.load":
            return True
        work += [part for part in made_of(made) if part not in seen]
        seen.update(work)
    return False


def _unwidened(value: SSAValue) -> SSAValue:
    """Look through conversions that keep the value."""
    while not isinstance(value.owner, Block) and value.owner.name in _WIDER:
        value = value.owner.operands[0]
    return value


def _is_of(value: SSAValue, before: Block, fixed: list[Operation]) -> bool:
    """Whether a value is there before a loop, or is moved there."""
    owner = value.owner
    return owner in fixed if isinstance(owner, Operation) and owner.parent is before else owner is not before


def _fixed(loop: WhileOp, ops: list[Operation]) -> list[Operation] | None:
    """Return those operations of a header that no iteration changes; None where others do more than widen."""
    stored = {inside.operands[1] for inside in loop.walk() if inside.name == "memref.store"}
    before, fixed = loop.before_region.block, list[Operation]()
    for op in ops:
        is_still = all(_is_of(operand, before, fixed) for operand in op.operands)
        if is_still and (is_harmless(op) or (op.name == "memref.load" and op.operands[0] not in stored)):
            fixed.append(op)
        elif not is_harmless(op):
            return None
    return fixed


# -- how far the loop goes


def _extent(ex: Execution, segment: _Segment) -> SSAValue | None:
    """Give the number of places that an array has where the loop accesses it; None where that is not known."""
    after = segment.op.after_region.block
    place, first = after.args[segment.counter], None
    for access in segment.op.after_region.walk():
        if access.name not in {"memref.load", "memref.store"}:
            continue
        memory, offset = access.operands[-2:]
        others = _beside(offset, place)
        found = ex.values.get(memory)
        if others is None or not isinstance(found, Address) or not isinstance(found.base, Array):
            continue
        rows = [other for other in others if not _is_start(ex, other)]
        if not rows:
            first = first or ExtentOp.create(operands=[memory], result_types=[i64])
        elif len(rows) == 1 and (length := _row_length(rows[0])) is not None:
            told = ex.values.get(length)
            if isinstance(told, Index) and told.polynomial.is_affine and not depends_on_data(told.polynomial):
                return _widened(length, segment.op, is_signed=True)
            first = ExtentOp.create(operands=[memory], result_types=[i64])
            break
    if first is None:
        return None
    insert([first], segment.op)
    return first.result


def _beside(offset: SSAValue, place: SSAValue) -> list[SSAValue] | None:
    """List what is added to a place to give an offset; None where that is made of it otherwise."""
    added, found, work = list[SSAValue](), 0, [offset]
    while work:
        value = _unwidened(work.pop())
        owner = value.owner
        if value is place:
            found += 1
        elif isinstance(owner, AddiOp):
            work += owner.operands
        elif not isinstance(owner, Block) and owner.name == "arith.select":  # what counts from the end
            work.append(owner.operands[2])
        else:
            added.append(value)
    return added if found == 1 else None


def _is_start(ex: Execution, value: SSAValue) -> bool:
    """Whether a value is where a view of memory starts."""
    known = ex.values.get(value)
    return isinstance(known, Index) and known.polynomial.constant_value == 0


def _row_length(value: SSAValue) -> SSAValue | None:
    """Return the factor of a product that is the same all over the function: the length of a row."""
    owner = value.owner
    if isinstance(owner, Block) or owner.name != "arith.muli":
        return None
    for factor in reversed(owner.operands):
        length = _unwidened(factor)
        outer = length.owner.parent_op() if isinstance(length.owner, Block) else None
        if outer is not None and outer.name == "func.func":
            return length
    return None


# -- the loop


def _widened(value: SSAValue, before: Operation, *, is_signed: bool) -> SSAValue:
    """Convert an integer to 64 bits before an operation."""
    if value.type == i64:
        return value
    if isinstance(value.type, IndexType):
        made: Operation = IndexCastOp(value, i64)
    else:
        made = (ExtSIOp if is_signed else ExtUIOp)(value, i64)
    made.location = before.location
    insert([made], before)
    return made.results[0]


def _sum(left: SSAValue, right: SSAValue) -> Operation:
    """Add integers that never overflow."""
    return AddiOp.create(operands=[left, right], result_types=[left.type], properties={"overflowFlags": _EXACT})


def _rewritten(ex: Execution, segment: _Segment, extent: SSAValue) -> Operation:
    """Write the loop over all places."""
    op, number, place = segment.op, segment.counter, segment.op.location
    move(segment.fixed, op)
    low, high = (_widened(one, op, is_signed=segment.is_signed) for one in (op.operands[number], segment.high))
    zero, one = (ConstantOp(IntegerAttr(value, i64)) for value in (0, 1))
    insert([zero, one], op)
    if segment.includes:
        more = _sum(high, one.result)
        insert([more], op)
        high = more.results[0]
    types = [i64 if k == number else value.type for k, value in enumerate(op.operands)]
    test, body = Block(arg_types=types), Block(arg_types=types)
    below = CmpiOp(test.args[number], extent, predicate_number("<", signed=True))
    test.add_ops([below, ConditionOp(below.result, *test.args)])
    inner = op.after_region.block
    for k, (mine, theirs) in enumerate(zip(body.args, inner.args, strict=True)):
        mine.name_hint = test.args[k].name_hint = theirs.name_hint
    asked = WithinOp.create(operands=[body.args[number], low, high], result_types=[i1])
    body.add_op(asked)
    given = _narrowed(body, body.args[number], inner.args[number])
    for k, (mine, theirs) in enumerate(zip(body.args, inner.args, strict=True)):
        theirs.replace_all_uses_with(given if k == number else mine)
    branch, following = _branch(asked, inner, body, number), _sum(body.args[number], one.result)
    results = iter(branch.results)
    yielded = [following.results[0] if k == number else next(results) for k in range(len(types))]
    body.add_ops([branch, following, YieldOp(*yielded)])
    made = WhileOp.create(
        operands=[zero.result if k == number else value for k, value in enumerate(op.operands)],
        result_types=types,
        regions=[Region(test), Region(body)],
        attributes=dict(op.attributes),
    )
    for new in (made, asked, branch, following, below, zero, one):
        new.location = place
    insert([made], op)
    for k, (result, after) in enumerate(zip(op.results, made.results, strict=True)):
        after.name_hint = result.name_hint
        if k != number:
            result.replace_all_uses_with(after)
    remove(op)
    ex.steering.values.update({extent, zero.result, test.args[number], body.args[number], given})
    ex.steering.values.add(following.results[0])
    return made


def _branch(asked: Operation, inner: Block, body: Block, number: int) -> Operation:
    """Write what an iteration does where its place is between the bounds."""
    end, then = last_of(inner), Block()
    left = [value for k, value in enumerate(end.operands) if k != number]
    kept = [value for k, value in enumerate(body.args) if k != number]
    move([inside for inside in inner.ops if inside is not end], then)
    then.add_op(YieldOp(*left))
    otherwise = Region(Block([YieldOp(*kept)])) if kept else Region()
    types = [value.type for value in kept]
    return IfOp.create(operands=asked.results, result_types=types, regions=[Region(then), otherwise])


def _narrowed(body: Block, wide: SSAValue, value: SSAValue) -> SSAValue:
    """Give the counter in the type of the source; where that is widened again it is the wide one."""
    for use in list(value.uses):
        widened = use.operation
        if widened.name in {"arith.extsi", "arith.extui"} and widened.results[0].type == wide.type:
            widened.results[0].replace_all_uses_with(wide)
            remove(widened)
    if value.type == wide.type or value.first_use is None:
        return wide
    kind = IndexCastOp if isinstance(value.type, IndexType) else TruncIOp
    made = kind.create(operands=[wide], result_types=[value.type])
    made.results[0].name_hint = value.name_hint
    body.add_op(made)
    return made.results[0]


# -- what the operations give


def _cells(ex: Execution, op: Operation) -> None:
    array = ex.array(op.operands[0])
    known = array.extents[-1] if array.extents else None
    if known is None or not known.is_affine:
        known = ex.segments.get(array)
        if known is None:
            known = ex.segments[array] = ex.new_size(array, len(array.extents) - 1)
    ex.values[op.results[0]] = Index(known, LONG)


def _within(ex: Execution, op: Operation) -> None:
    place, low, high = (ex.number(operand) for operand in op.operands)
    made = within(place.ssa, low.ssa, high.ssa, ex.sink.place(ex.place))
    for part in made:
        ex.sink.add(part)
    ex.values[op.results[0]] = Test(Data(made[-1].results[0], BOOL, truth=True))


SEGMENTS: dict[str, Rule] = {ExtentOp.name: _cells, WithinOp.name: _within}
