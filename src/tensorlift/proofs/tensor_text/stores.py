"""Loops that store, read as one update: each point stores into, or combines with, one cell.

    for i ...: h = insert(combine(extract(h, [p(i)]), v(i)), h, [p(i)])

Nothing else may be read of what is carried.  The points come in their order, so that of those which hit one cell the
last value stays, where all but one variable are told by the cell.  The innermost loop may also hand on what it folded
so far, ``s = combine(s, v(i))``: a fold over what is before the point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xdsl.dialects.scf import ForOp, YieldOp
from xdsl.dialects.tensor import ExtractOp, InsertOp

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import SymbolicTensor, affine_of, domain_of, size
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.tensor_text.folds import between, reducer, running
from tensorlift.proofs.values import Held, cells_of
from tensorlift.targets.arrays.scatter import Hits

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from tensorlift.comprehension.tensor import Indices
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.proofs.tensor_text.execute import Evaluation

Values = dict["SSAValue", Held]
_CARRIED = 2  # values: a tensor, and what is folded so far


class StoreNest(NamedTuple):
    """Loops, the outermost first, around operations that end with an insertion into what they carry."""

    loops: tuple[ForOp, ...]
    body: tuple[Operation, ...]
    insert: InsertOp
    folded: Operation | None  # what combines with what is folded so far


def store_nest(op: Operation) -> StoreNest | None:
    """Read a loop as such a nest; None for others."""
    loops: list[ForOp] = []
    while isinstance(op, ForOp) and len(op.body.blocks) == 1:
        loops.append(op)
        *body, end = op.body.block.ops
        if not body or not isinstance(end, YieldOp) or not 1 <= len(op.iter_args) == len(end.operands) <= _CARRIED:
            return None
        carried, (given, *folded), last = op.body.block.args[1], end.operands, body[-1]
        if not last.results or given is not last.results[0]:
            return None
        if isinstance(last, InsertOp):
            own = folded[0].owner if folded else None
            is_plain = last.dest is carried and (own is None or own in body)
            return StoreNest(tuple(loops), tuple(body[:-1]), last, own) if is_plain else None  # type: ignore[arg-type]  # what is in the body is an operation
        if not isinstance(last, ForOp) or folded or len(body) > 1:
            return None
        if last.iter_args[0] is not carried or carried in last.iter_args[1:]:
            return None
        op = last
    return None


def updated(evaluation: Evaluation, nest: StoreNest, values: Values) -> Held:
    """Return what loops make of the tensor that they start from."""
    o, structured = evaluation.ledger, evaluation.structured
    held = structured.held(nest.loops[0].iter_args[0], values)
    start = held.tensor
    inner, names, domain = _points(evaluation, nest, values)
    op, given = _combining(evaluation, nest)
    outside = o.context
    o.within(outside & domain)
    try:
        _execute(evaluation, nest, given, inner, names[-1])
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

    if held.blank is not None and op is not None:
        o.refuse("cells are read that have no value")

    def cell(at: Indices, value: Term = value, start: SymbolicTensor = start) -> Term:
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
    if held.blank is None:
        return Held(result)
    none = SymbolicTensor(start.shape, "bool", lambda _: terms.zero("bool"))
    written = domain_of(cell(cells_of(result), terms.one("bool"), none))
    rest = held.blank if written is None else held.blank - written
    return Held(result, blank=None if (rest & o.context).is_empty() else rest)


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


def _execute(evaluation: Evaluation, nest: StoreNest, given: SSAValue, inner: Values, point: str) -> None:
    """Give values to what is computed at a point, but for the cell that is read and combined."""
    carried, scalar = nest.insert.dest, nest.insert.scalar
    for one in nest.body:
        is_combined = given is not scalar and (carried in one.operands or scalar in one.results)
        if one is nest.folded:
            running(evaluation, nest.loops[-1], one, inner, point)
        elif isinstance(one, ForOp):
            inner[one.results[0]] = between(evaluation, one, inner)
        elif one.regions:
            evaluation.ledger.refuse("a loop over stores that does more at each point")
        elif not is_combined:
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
    if len(others) != 1:
        o.refuse("a cell is combined with anything but one number")
    return reducer(evaluation, combine, read.results[0], others[0]), others[0]  # type: ignore[arg-type]  # it is an operation
