"""Loops that store what a condition keeps one after the other, read as one store of what a mask keeps.

    for i ...: if m(i): h = insert(v(i), h, [k]); k = k + 1

Nothing is read of what is stored into, nor of the place but by these two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.arith import AddiOp, IndexCastOp
from xdsl.dialects.scf import ForOp, IfOp, YieldOp
from xdsl.dialects.tensor import InsertOp

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import SymbolicTensor, size
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.names import fresh
from tensorlift.proofs.values import Held
from tensorlift.targets.arrays.compaction import Kept

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from tensorlift.comprehension.terms import Term
    from tensorlift.proofs.tensor_text.execute import Evaluation

Values = dict["SSAValue", Held]
_CARRIED = 2  # values: the tensor and the place


class Compaction(NamedTuple):
    """A loop, what it computes at a point, the condition there, the cell that is stored, and what counts up by what."""

    loop: ForOp
    body: tuple[Operation, ...]
    condition: SSAValue
    cell: SSAValue
    step: SSAValue


def compaction(op: Operation) -> Compaction | None:
    """Read a loop as such a one; None for others."""
    if not isinstance(op, ForOp) or len(op.iter_args) != _CARRIED or len(op.body.blocks) != 1:
        return None
    *body, branch, end = (op, *op.body.block.ops)
    _, into, place = op.body.block.args
    if not isinstance(branch, IfOp) or not isinstance(end, YieldOp) or list(end.operands) != list(branch.results):
        return None
    if len(branch.true_region.blocks) != 1 or len(branch.false_region.blocks) != 1:
        return None
    match list(branch.true_region.block.ops), list(branch.false_region.block.ops):
        case [IndexCastOp() as at, InsertOp() as insert, AddiOp() as following, YieldOp() as given], [
            YieldOp() as kept
        ]:
            is_compaction = (
                at.input is place
                and insert.dest is into
                and list(insert.indices) == [at.result]
                and following.lhs is place
                and list(given.operands) == [insert.result, following.result]
                and list(kept.operands) == [into, place]
            )
            return Compaction(op, tuple(body[1:]), branch.cond, insert.scalar, following.rhs) if is_compaction else None
    return None


def compacted(evaluation: Evaluation, read: Compaction, values: Values) -> Held:
    """Return what such a loop makes of the tensor that it starts from."""
    o, structured, loop = evaluation.ledger, evaluation.structured, read.loop
    into, start = (structured.value(one, values) for one in loop.iter_args)
    lower, upper, step = (structured.size(end, values) for end in (loop.lb, loop.ub, loop.step))
    if lower != ZERO or step != ONE:
        o.refuse("a loop over stores that does not go up from zero by one")
    name, outside = fresh("u"), o.context
    inner = dict(values) | {loop.body.block.args[0]: Held(size(Affine.var(name)))}
    o.within(outside & Domain.box((name,), (upper,)))
    try:
        for one in read.body:
            if one.regions:
                o.refuse("a loop over stores that does more at each point")
            evaluation.statement(one, inner)
        condition, cell, by = (structured.value(one, inner).value() for one in (read.condition, read.cell, read.step))
    finally:
        o.within(outside)
    if by != terms.one(start.dtype) or cell.dtype != into.dtype:
        o.refuse("a place that does not go up by one, or a cell of another type")

    def along(term: Term) -> SymbolicTensor:
        return SymbolicTensor((upper,), term.dtype, lambda at: substitute(term, {name: at[0]}))

    kept = Kept(along(condition).at, upper, start.value(), start.dtype)
    result = kept.stored(o, into, along(cell))
    structured.check_is(loop.results[0].type, result, "scf.for")
    return Held(result)
