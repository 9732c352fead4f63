"""Folds between bounds that are data in StableHLO, read as one operation: a ``while`` over rows around one over places.

    while i < rows:  s = nothing, p = low(i);  while p < high(i): s = combine(s, v(p)), p += 1;  out[i] = s, i += 1

One more row is there, as XLA demands one to store into where there are none.  Where the last bound is not above the
first one, nothing is folded.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import SymbolicTensor, affine_of, array, domain_of, scalar_value
from tensorlift.comprehension.terms import Apply
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.proofs.tensor_text.folds import REDUCERS, require_bound
from tensorlift.proofs.values import Held
from tensorlift.targets.arrays.spans import fold_between
from tensorlift.targets.linalg.rows_structured import is_neutral

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import Block, Operation, SSAValue

    from tensorlift.comprehension.tensor import Indices
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.proofs.tensor_text.execute import Evaluation

Values = dict["SSAValue", Held]
_WHILE, _UPDATE, _SLICES = (
    "stablehlo.while",
    "stablehlo.dynamic_update_slice",
    ("stablehlo.dynamic_slice", "stablehlo.real_dynamic_slice"),
)


class _Loop(NamedTuple):
    """A loop over a place and a value: its condition, and what it does before it hands on both."""

    op: Operation
    condition: Block
    body: Block
    steps: tuple[Operation, ...]
    following: SSAValue
    given: SSAValue

    @property
    def arguments(self) -> tuple[SSAValue, SSAValue]:
        """The place and the value in the body."""
        place, value = self.body.args
        return place, value


class RowFolds(NamedTuple):
    """A loop over rows, the loop in it, and what stores a row."""

    outer: _Loop
    inner: _Loop
    update: Operation


def row_folds(op: Operation) -> RowFolds | None:
    """Read a loop as such a nest; None for others."""
    outer = _loop(op)
    update = outer.given.owner if outer is not None else None
    if outer is None or update not in outer.steps or update.name != _UPDATE:  # type: ignore[union-attr]  # an operation
        return None
    loops = [one for one in outer.steps if one.name == _WHILE]
    inner = _loop(loops[0]) if len(loops) == 1 else None
    return None if inner is None else RowFolds(outer, inner, update)  # type: ignore[arg-type]  # an operation


def _loop(op: Operation) -> _Loop | None:
    if op.name != _WHILE or len(op.operands) != 2 or any(len(region.blocks) != 1 for region in op.regions):  # noqa: PLR2004 - a place and a value
        return None
    condition, body = (region.block for region in op.regions)
    *steps, end = body.ops
    if len(end.operands) != len(body.args) or len(condition.args) != len(body.args):
        return None
    return _Loop(op, condition, body, tuple(steps), *end.operands)


def rows_folded(evaluation: Evaluation, nest: RowFolds, values: Values) -> Held:
    """Return the array that the nest makes of the one that it starts from, of which it writes all rows but the last."""
    o, outer, update = evaluation.ledger, nest.outer, nest.update
    first, start = (values[operand].tensor for operand in outer.op.operands)
    at, into = outer.arguments
    place, name = _place("row")
    if affine_of(first.value()) != ZERO or update.operands[0] is not into or not start.rank:
        o.refuse("a loop over rows that does not store each of them from the first one on")
    holds = domain_of(_asked(evaluation, outer, {**values, outer.condition.args[0]: place}))
    rows = start.shape[0] - 1
    o.require_always("there is a row after the last one that is stored", at_least(rows, 0))
    inside = Domain.box((name,), (rows,))
    reached = o.context & Domain.box((name,), (rows + 1,))
    if holds is None or not (reached & holds).is_equal(reached & inside):
        o.refuse("a loop over rows that does not go on exactly below their number")
    with _within(evaluation, inside):
        inner = {**values, at: place}
        number = outer.steps.index(nest.inner.op)
        _execute(evaluation, outer.steps[:number], inner)
        inner[nest.inner.op.results[1]] = _between(evaluation, nest.inner, inner)
        _execute(evaluation, [one for one in outer.steps[number + 1 :] if one is not update], inner)
        _, part, *starts = evaluation.operands(update, {**inner, into: Held(start)})
        wanted = [Affine.var(name), *(ZERO for _ in start.shape[1:])]
        if [affine_of(one.value()) for one in starts] != wanted or part.rank != start.rank or part.dtype != start.dtype:
            o.refuse("a loop over rows that stores another part than a row")
        for extent, whole in zip(part.shape, (ONE, *start.shape[1:]), strict=True):
            o.require("a row is stored as a whole", equal(extent, whole))
        _check_following(evaluation, outer.following, inner, name)
        names = [fresh("c") for _ in start.shape[1:]]
        value = part.at((ZERO, *map(Affine.var, names)))

    def cell(indices: Indices) -> Term:
        stored = substitute(value, dict(zip((name, *names), indices, strict=True)))
        cases = (less(indices[0], rows), stored), (at_least(indices[0], rows), start.at(indices))
        return terms.piecewise((Domain.of(case), term) for case, term in cases)

    result = start.with_cells(start.shape, cell)
    evaluation.check_is(outer.op.results[1].type, result, _WHILE)
    return Held(result)


def _between(evaluation: Evaluation, loop: _Loop, values: Values) -> Held:
    """Return what a loop folds of the places from one bound up to another."""
    o, (at, before) = evaluation.ledger, loop.arguments
    low, start = (values[operand].tensor for operand in loop.op.operands)
    combine = loop.given.owner
    values_of = combine.operands if combine in loop.steps else ()  # type: ignore[union-attr]  # an operation
    others = [operand for operand in values_of if operand is not before]
    if len(values_of) != 2 or len(others) != 1:  # noqa: PLR2004 - what is folded so far, and one more
        o.refuse("what is folded so far is combined with anything but one value")
    (new,) = others
    place, name = _place("place")
    asked = _asked(evaluation, loop, {**values, loop.condition.args[0]: place})
    if not terms.applies(asked, "lt") or affine_of(asked.args[0]) != Affine.var(name) or name in asked.args[1].free:
        o.refuse("a fold that does not go on exactly below a bound")
    high = asked.args[1]
    sliced = [values[one.operands[0]].tensor for one in loop.steps if one.name in _SLICES and one.operands[0] in values]
    if not sliced or not sliced[0].rank:
        o.refuse("a fold between bounds, of places at which nothing is read")
    extent = sliced[0].shape[0]
    for bound in (low.value(), high):
        require_bound(evaluation, bound, extent)
    with _within(evaluation, Domain.box((name,), (extent,))):
        inner = {**values, at: place}
        _execute(evaluation, [one for one in loop.steps if one is not combine], inner)
        _check_following(evaluation, loop.following, inner, name)
        folded = evaluation.structured.held(new, inner).tensor
        if folded.rank != start.rank or folded.dtype != start.dtype:
            o.refuse("a fold of values of another type")
        for extent_of, whole in zip(folded.shape, start.shape, strict=True):
            o.require("all of a value is folded", equal(extent_of, whole))
        names = tuple(fresh("c") for _ in start.shape)
        cells = tuple(map(Affine.var, names))
        op = _reducer(evaluation, loop, new, start)
        if not is_neutral(start.at(cells), op):
            o.refuse("a fold that starts from anything but what it ignores")
        value = folded.at(cells)
    found = fold_between(op, value.dtype, extent, (low.value(), high), lambda k: substitute(value, {name: k}))
    result = start.with_cells(start.shape, lambda indices: substitute(found, dict(zip(names, indices, strict=True))))
    evaluation.check_is(loop.op.results[1].type, result, _WHILE)
    return Held(result)


def _reducer(evaluation: Evaluation, loop: _Loop, new: SSAValue, like: SymbolicTensor) -> Reducer:
    """Return by which fold the body combines what is folded so far with a value."""
    old, combine = loop.body.args[1], loop.given.owner
    first, second = (array(fresh("argument"), like.shape, like.dtype) for _ in range(2))
    result = evaluation.operation(combine, {old: Held(first), new: Held(second)}).tensor  # type: ignore[arg-type]  # an operation
    at = tuple(Affine.var(fresh("c")) for _ in like.shape)
    found = result.at(at)
    if not isinstance(found, Apply) or found.op not in REDUCERS or set(found.args) != {first.at(at), second.at(at)}:
        evaluation.ledger.refuse("values are combined by another operation than those that fold")
    return REDUCERS[found.op]


def _execute(evaluation: Evaluation, steps: Sequence[Operation], values: Values) -> None:
    for one in steps:
        if one.regions:
            evaluation.ledger.refuse("a loop over rows that does more for each of them")
        evaluation.statement(one, values)


def _place(stem: str) -> tuple[Held, str]:
    name = fresh(stem)
    return Held(scalar_value(terms.index(Affine.var(name), "i64"))), name


def _asked(evaluation: Evaluation, loop: _Loop, values: Values) -> Term:
    """Return what the condition of a loop asks of its place."""
    given = evaluation.statements(loop.condition, values, is_function=False)
    if len(given) != 1 or given[0].tensor.rank:
        evaluation.ledger.refuse("a loop whose condition gives no truth value")
    return given[0].tensor.value()


def _check_following(evaluation: Evaluation, following: SSAValue, values: Values, name: str) -> None:
    held = values.get(following)
    if held is None or held.tensor.rank or affine_of(held.tensor.value()) != Affine.var(name) + 1:
        evaluation.ledger.refuse("a loop whose place does not go up by one")


@contextmanager
def _within(evaluation: Evaluation, domain: Domain) -> Iterator[None]:
    outside = evaluation.ledger.context
    with evaluation.ledger.translating():
        evaluation.ledger.within(outside & domain)
        try:
            yield
        finally:
            evaluation.ledger.within(outside)
