"""Loops that store where data say, read as one update: each point stores into, or combines with, one cell.

    for i ...: h = insert(combine(extract(h, [p(i)]), v(i)), h, [p(i)])

Nothing else may be read of what is carried.  The points come in their order, so that of those which hit one cell the
last value stays, where all but one variable are told by the cell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.dialects.tensor import ExtractOp, InsertOp

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import affine_of, scalar_value, size
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.values import Held
from tensorlift.targets.arrays.scatter import Hits
from tensorlift.targets.mlir_text.operations import dtype_of

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from tensorlift.comprehension.tensor import Indices
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.proofs.tensor_text.execute import Evaluation

Values = dict["SSAValue", Held]
_FOLDS: tuple[Reducer, ...] = ("sum", "prod", "max", "min")


class StoreNest(NamedTuple):
    """Loops, the outermost first, around operations that end with an insertion into what they carry."""

    loops: tuple[ForOp, ...]
    body: tuple[Operation, ...]
    insert: InsertOp


def store_nest(op: Operation) -> StoreNest | None:
    """Read a loop as such a nest; None for others."""
    loops: list[ForOp] = []
    while isinstance(op, ForOp) and len(op.iter_args) == len(op.results) == 1 and len(op.body.blocks) == 1:
        loops.append(op)
        carried = op.body.block.args[1]
        *body, end = op.body.block.ops
        if not body or not isinstance(end, YieldOp) or list(end.operands) != list(body[-1].results):
            return None
        last = body[-1]
        if isinstance(last, InsertOp):
            return StoreNest(tuple(loops), tuple(body[:-1]), last) if last.dest is carried else None
        if len(body) > 1 or not isinstance(last, ForOp) or list(last.iter_args) != [carried]:
            return None
        op = last
    return None


def updated(evaluation: Evaluation, nest: StoreNest, values: Values) -> Held:
    """Return what loops make of the tensor that they start from."""
    o, structured = evaluation.ledger, evaluation.structured
    start = structured.value(nest.loops[0].iter_args[0], values)
    inner, names, domain = _points(evaluation, nest, values)
    op, given = _combining(evaluation, nest)
    outside = o.context
    o.within(outside & domain)
    try:
        _execute(evaluation, nest, given, inner)
        places = [structured.value(index, inner).value() for index in nest.insert.indices]
        value = structured.value(given, inner).value()
        for place, extent in zip(places, start.shape, strict=True):
            exact = affine_of(place)
            if exact is not None:
                o.require("a place is in range", at_least(exact, 0), less(exact, extent), over=domain)
            else:
                o.read("a place is in range", place, extent, domain)
    finally:
        o.within(outside)
    if value.dtype != start.dtype or (op is not None and start.dtype == "bool"):
        o.refuse("what is stored is of another type")
    alone = [exact.variable for p in places if (exact := affine_of(p)) is not None and not exact.is_constant]
    if op is None and (None in alone or len(set(alone)) < len(alone)):
        o.refuse("stores at places that are sums of loop variables, whose order is not known")

    def cell(at: Indices) -> Term:
        own = {name: Affine.var(fresh("k")) for name in names}
        points, tests = domain.substitute(own), list["Term"]()
        for index, place in zip(at, places, strict=True):
            here = substitute(place, own)
            exact = affine_of(here)
            if exact is not None:
                points = points & Domain.of(equal(index, exact))
            else:
                tests.append(terms.apply("hits", terms.cast(here, "i64"), terms.index(index, "i64")))
        hits = Hits(tuple(map(str, own.values())), points, tuple(tests), substitute(value, own))
        old = start.at(at)
        return hits.last(o, old, is_ordered=True) if op is None else hits.fold(op, old)

    result = start.with_cells(start.shape, cell)
    structured.check_is(nest.loops[0].results[0].type, result, "scf.for")
    return Held(result)


def _points(evaluation: Evaluation, nest: StoreNest, values: Values) -> tuple[Values, list[str], Domain]:
    """Return values with those of the loops' variables, which get new names, and the domain of these."""
    inner, names, domain = dict(values), list[str](), UNIVERSE
    for loop in nest.loops:
        lower, upper, step = (evaluation.structured.size(end, inner) for end in (loop.lb, loop.ub, loop.step))
        if lower != ZERO or step != ONE:
            evaluation.ledger.refuse("a loop over stores that does not go up from zero by one")
        names.append(fresh("u"))
        domain = domain & Domain.of(at_least(names[-1], 0), less(names[-1], upper))
        inner[loop.body.block.args[0]] = Held(size(Affine.var(names[-1])))
    return inner, names, domain


def _execute(evaluation: Evaluation, nest: StoreNest, given: SSAValue, inner: Values) -> None:
    """Give values to what is computed at a point, but for the cell that is read and combined."""
    carried, scalar = nest.insert.dest, nest.insert.scalar
    for one in nest.body:
        if one.regions:
            evaluation.ledger.refuse("a loop over stores that does more at each point")
        is_combined = given is not scalar and (carried in one.operands or scalar in one.results)
        if not is_combined:
            evaluation.statement(one, inner)


def _combining(evaluation: Evaluation, nest: StoreNest) -> tuple[Reducer | None, SSAValue]:
    """Return by which operation the cell is combined with what, None where it is replaced by that."""
    scalar = nest.insert.scalar
    carried = nest.insert.dest
    reads = [one for one in nest.body if carried in one.operands]
    if not reads:
        return None, scalar
    combine = scalar.owner
    (read, *more), o = reads, evaluation.ledger
    is_own = isinstance(read, ExtractOp) and list(read.indices) == list(nest.insert.indices) and not more
    users = [use.operation for use in read.results[0].uses]
    if not is_own or combine not in nest.body or users != [combine] or len(list(scalar.uses)) != 1:
        o.refuse("a loop over stores reads other cells of what it stores into")
    others = [operand for operand in combine.operands if operand is not read.results[0]]  # type: ignore[union-attr]  # it is an operation
    dtype = dtype_of(others[0].type) if len(others) == 1 else None
    if dtype is None:
        o.refuse("a cell is combined with anything but one number")
    old, new = (terms.scalar(fresh("argument"), dtype) for _ in range(2))
    given = {read.results[0]: Held(scalar_value(old)), others[0]: Held(scalar_value(new))}
    found = evaluation.operation(combine, given).tensor.value()  # type: ignore[arg-type]  # it is an operation
    for op in _FOLDS:
        combiner = terms.COMBINER[op]
        if found in (terms.apply(combiner, old, new), terms.apply(combiner, new, old)):
            return op, others[0]
    return o.refuse("a cell is combined by another operation than those that fold")
