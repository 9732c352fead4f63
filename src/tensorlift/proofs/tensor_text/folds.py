"""Loops that fold numbers, read as folds.

A loop from one bound to another that hands on nothing but ``s = combine(s, v(k))`` is a fold over the places between
the bounds, which may be data.  What another loop hands on so beside a tensor is, at each point, a fold over those
before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.scf import YieldOp
from xdsl.dialects.tensor import ExtractOp

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import affine_of, scalar_value, size
from tensorlift.comprehension.terms import Apply
from tensorlift.poly.affine import ONE, Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.values import Held
from tensorlift.targets.arrays.spans import fold_between
from tensorlift.targets.linalg.rows_structured import is_neutral
from tensorlift.targets.mlir_text.operations import dtype_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.dialects.scf import ForOp
    from xdsl.ir import Operation, SSAValue

    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.proofs.tensor_text.execute import Evaluation

Values = dict["SSAValue", Held]
REDUCERS: dict[str, Reducer] = {combiner: op for op, combiner in terms.COMBINER.items()}  # type: ignore[misc]  # its keys are the folds


def reducer(evaluation: Evaluation, combine: Operation, old: SSAValue, new: SSAValue) -> Reducer:
    """Return by which fold an operation combines two of its operands; it has no others."""
    o, dtype = evaluation.ledger, dtype_of(old.type)
    if dtype is None or old is new or sorted(map(id, combine.operands)) != sorted(map(id, (old, new))):
        o.refuse("what is handed on is combined with anything but one number")
    first, second = (terms.scalar(fresh("argument"), dtype) for _ in range(2))
    given = {old: Held(scalar_value(first)), new: Held(scalar_value(second))}
    found = evaluation.operation(combine, given).tensor.value()
    if not isinstance(found, Apply) or found.op not in REDUCERS or set(found.args) != {first, second}:
        o.refuse("numbers are combined by another operation than those that fold")
    return REDUCERS[found.op]


def running(evaluation: Evaluation, loop: ForOp, combine: Operation, inner: Values, point: str) -> None:
    """Give values to what a loop folded before a point, and with it."""
    before = loop.body.block.args[2]
    op, new = _combined(evaluation, combine, before)
    value = evaluation.structured.value(new, inner).value()
    start = evaluation.structured.value(loop.iter_args[1], inner).value()
    if not is_neutral(start, op):
        evaluation.ledger.refuse("a running fold that starts from anything but what it ignores")
    name = fresh("s")
    body = substitute(value, {point: Affine.var(name)})
    for result, end in ((before, Affine.var(point)), (combine.results[0], Affine.var(point) + 1)):
        upto = Domain.of(at_least(name, 0), less(name, end))
        inner[result] = Held(scalar_value(terms.reduce(op, (name,), upto, body)))


def between(evaluation: Evaluation, loop: ForOp, values: Values) -> Held:
    """Return what a loop folds of the places from one bound up to another."""
    o, structured, block = evaluation.ledger, evaluation.structured, loop.body.block
    *body, end = block.ops
    step = affine_of(structured.value(loop.step, values).value())
    is_fold = (
        len(loop.iter_args) == 1 and isinstance(end, YieldOp) and body and list(end.operands) == list(body[-1].results)
    )
    if not is_fold or step != ONE:
        o.refuse("a loop at a point of another one that is no fold")
    place, before = block.args
    op, new = _combined(evaluation, body[-1], before)
    if not is_neutral(structured.value(loop.iter_args[0], values).value(), op):
        o.refuse("a fold that starts from anything but what it ignores")
    low, high = (structured.value(bound, values) for bound in (loop.lb, loop.ub))
    extent, name, outside = _extent(evaluation, place, body, values), fresh("s"), o.context
    for bound in (low, high):
        require_bound(evaluation, bound.value(), extent)
    inner = dict(values) | {place: Held(size(Affine.var(name)))}
    o.within(outside & Domain.box((name,), (extent,)))
    try:
        for one in body[:-1]:
            if one.regions:
                o.refuse("a fold that does more at each place")
            evaluation.statement(one, inner)
        value = structured.value(new, inner).value()
    finally:
        o.within(outside)
    found = fold_between(op, value.dtype, extent, (low.value(), high.value()), lambda at: substitute(value, {name: at}))
    return Held(scalar_value(found))


def _combined(evaluation: Evaluation, combine: Operation, before: SSAValue) -> tuple[Reducer, SSAValue]:
    """Return by which fold, and with what, an operation combines what is folded so far."""
    others = [operand for operand in combine.operands if operand is not before]
    if len(others) != 1:
        evaluation.ledger.refuse("what is handed on is combined with anything but one number")
    return reducer(evaluation, combine, before, others[0]), others[0]


def _extent(evaluation: Evaluation, place: SSAValue, body: Sequence[Operation], values: Values) -> Affine:
    """Return how many places there are, by the arrays that are read there: as many as the shortest has."""
    o = evaluation.ledger
    extents = [
        values[one.tensor].tensor.shape[list(one.indices).index(place)]
        for one in body
        if isinstance(one, ExtractOp) and place in one.indices and one.tensor in values
    ]
    if not extents:
        o.refuse("a fold between bounds, of places at which nothing is read")
    return next((e for e in extents if all(o.holds(at_least(other, e)) for other in extents)), extents[0])


def require_bound(evaluation: Evaluation, bound: Term, extent: Affine) -> None:
    """Demand that a bound is at most behind the last place."""
    o, why, exact = evaluation.ledger, "a bound is a place, or after the last one", affine_of(bound)
    if exact is not None:
        o.require(why, at_least(exact, 0), at_least(extent, exact))
    else:
        o.read(why, bound, extent + 1, UNIVERSE)
