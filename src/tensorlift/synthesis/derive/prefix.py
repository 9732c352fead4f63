"""Reductions that are one operation along an axis: running folds and positions of extremes.

*Prefixes*: a reduction up to the value of an axis is a running fold along that axis.

*Positions of extremes*: the first place of the greatest or least value along an axis, counted from zero.  The last
place is the first one in the other direction, and a range that does not begin with zero is counted from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.positions import counted_from_zero, position_of
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Reduce, piecewise, reduce
from tensorlift.ir.scalar_terms import neutral
from tensorlift.ir.tensor_program import Range, Reverse
from tensorlift.ir.views import whole
from tensorlift.ops.dtypes import is_float, is_integer
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import EMPTY, Domain, at_least
from tensorlift.poly.variables import unconstrained, without_divisions
from tensorlift.synthesis.derive.reads import affine_value, readable
from tensorlift.synthesis.derive.scope import Scope, Span, SplitAxis, Value, range_of, span_box

if TYPE_CHECKING:
    from collections.abc import Callable

    Evaluation = Callable[[Reduce, Domain, Scope], tuple[Scope, Domain | None]]


def prefix_value(term: Reduce, full: Domain, scope: Scope) -> Value | None:
    """Return the running fold that a reduction is, None where it is not one.

    ``sum(k : 0 <= k <= i) f(k)`` runs upwards and ends at ``i``, ``sum(k : i <= k < n) f(k)`` downwards.

    Raises:
        SplitAxis: where the first prefix is empty, so that it has to be told apart.

    """
    for name in term.bound:
        single = _separated(term, name, full, scope.domain) if len(term.bound) > 1 else term
        here = full.project_out(*(v for v in term.bound if v != name))
        value = None if single is None else _single(single, here, scope)
        if value is not None:
            return value
    return None


def _separated(term: Reduce, name: str, full: Domain, known: Domain) -> Reduce | None:
    """Return the reduction over one variable of that over the others, where neither range depends on the other."""
    others = tuple(v for v in term.bound if v != name)
    alone, rest = full.project_out(*others), full.project_out(name)
    if not (alone & rest).is_subset(full):
        return None
    inner = reduce(term.op, others, term.domain.project_out(name).gist(known), term.body)
    result = reduce(term.op, (name,), term.domain.project_out(*others).gist(known), inner)
    assert isinstance(result, Reduce)
    return result


def _single(term: Reduce, full: Domain, scope: Scope) -> Value | None:
    name = term.bound[0]
    ends = [a for a in scope.spans if term.domain.mentions(a) and a not in term.body.free]
    for axis in ends:
        span = range_of(full, name, [a for a in scope.spans if a != axis])
        if span is not None and len(ends) == 1 and (scope.domain & span_box({name: span})).is_subset(full):
            try:
                return _along(term, axis, span, scope)
            except SplitAxis:
                if not scope.fills:
                    raise
    for axis in ends:
        value = _masked(term, axis, full, scope)
        if value is not None:
            return value
    return None


def _along(term: Reduce, axis: str, span: Span, scope: Scope) -> Value | None:
    (name,), (low, high) = term.bound, span
    if name not in term.body.free:
        return _repeated(term, high - low, scope)
    if abs(high.coefficient(axis)) == 1 and not low.coefficient(axis):
        return _running(term, axis, (low, high), scope, upwards=True)
    if abs(low.coefficient(axis)) == 1 and not high.coefficient(axis):
        return _running(term, axis, (low, high), scope, upwards=False)
    return None


def _masked(term: Reduce, axis: str, full: Domain, scope: Scope) -> Value | None:
    """Return the running fold of what is the neutral element where a condition does not hold, which needs no axis.

    One that may be of nothing begins before the first element that counts.
    """
    (name,) = term.bound
    others = [a for a in scope.spans if a != axis]
    span = range_of(without_divisions(full.project_out(*others)), name, ())
    if span is None or name not in term.body.free:
        return None
    points = scope.domain & span_box({name: span})
    conditions = unconstrained(term.domain, axis), full.project_out(axis)
    condition = next((each for each in conditions if (points & each).is_subset(full)), None)
    if condition is None:
        return None
    span = _with_an_element(span, axis, scope)
    prefix = scope.box & span_box({name: span})
    body = piecewise([(condition, term.body), (prefix.project_out(axis) - condition, neutral(term.op, term.dtype))])
    masked = reduce(term.op, term.bound, span_box({name: span}), body)
    assert isinstance(masked, Reduce)
    return _along(masked, axis, span, scope)


def _with_an_element(span: Span, axis: str, scope: Scope) -> Span:
    """Return a range of which one end moves along an axis, with the other end moved so that it is never empty."""
    low, high = span
    (first, after), moving = scope.spans[axis], low if low.mentions((axis,)) else high
    ends = first if (moving.coefficient(axis) > 0) == (moving is high) else after - 1
    missing = 1 - (high - low).substitute({axis: ends})
    if not missing.is_constant or missing.constant <= 0:
        return span
    return (low - missing, high) if moving is high else (low, high + missing)


def _repeated(term: Reduce, times: Affine, scope: Scope) -> Value | None:
    """Return the fold of a value that does not depend on the variable: a multiple or a power."""
    if term.op not in ("sum", "prod") or not scope.box.implies(at_least(times, 0)):
        return None
    value = scope.evaluate(term.body, scope)
    if term.op == "sum":
        return scope.combined("mul", affine_value(times, scope, term.dtype), value)
    return scope.combined("pow", value, affine_value(times, scope)) if is_float(term.dtype) else None


def _running(term: Reduce, axis: str, span: Span, scope: Scope, *, upwards: bool) -> Value | None:
    name = term.bound[0]
    first, last = scope.spans[axis][0], scope.spans[axis][1] - 1
    low, high = span
    moving = high if upwards else low
    is_rising = moving.coefficient(axis) > 0
    longest, shortest = (last, first) if is_rising == upwards else (first, last)
    # The fold covers what the longest prefix covers; the shortest must have an element.
    whole_span = (low.substitute({axis: longest}), high.substitute({axis: longest}))
    skipped = (high - low).substitute({axis: shortest}) - 1
    if skipped == -1:
        without = _without_own(term, span, scope) if is_rising and upwards else None
        if without is not None:
            return without
        raise SplitAxis(axis, shortest)
    if not scope.context.implies(at_least(skipped, 0)):
        return None
    inner = scope.inner(scope.domain.project_out(axis) & span_box({name: whole_span}), {name: whole_span})
    if not readable(term.body, inner.domain, inner.box, scope):
        return None
    value = inner.evaluate(term.body, inner)
    if name not in value.axes or axis in value.axes:  # a mask may bring in what the body does not mention
        return None
    folded = _folded(term, value, name, inner, upwards=upwards)
    length = whole_span[1] - whole_span[0]
    if skipped != ZERO:
        kept = Range(skipped, length) if upwards else Range(ZERO, length - skipped)
        items = [kept if a == name else whole(inner.extent(a)) for a in value.axes]
        folded = Value(scope.build.subscript(folded.expression, items), folded.axes)
    axes = tuple(axis if a == name else a for a in folded.axes)
    if is_rising:
        return Value(folded.expression, axes)
    turn = [Reverse() if a == axis else whole(e) for a, e in zip(axes, folded.expression.shape, strict=True)]
    return Value(scope.build.subscript(folded.expression, turn), axes)


def _without_own(term: Reduce, span: Span, scope: Scope) -> Value | None:
    """Return a sum of integers up to an end as that which includes the end, less what is there."""
    (name,), (low, high) = term.bound, span
    own = substitute(term.body, {name: high})
    if term.op != "sum" or not is_integer(term.dtype) or not readable(own, EMPTY, scope.box, scope):
        return None
    whole_sum = reduce("sum", (name,), Domain.of(at_least(name, low), at_least(high, name)), term.body)
    return scope.combined("sub", scope.evaluate(whole_sum, scope), scope.evaluate(own, scope))


def _folded(term: Reduce, value: Value, name: str, scope: Scope, *, upwards: bool) -> Value:
    position = value.axes.index(name)
    if upwards:
        return Value(scope.build.cumulative(term.op, value.expression, position), value.axes)
    turn = [Reverse() if a == name else whole(scope.extent(a)) for a in value.axes]
    turned = scope.build.subscript(value.expression, turn)
    folded = scope.build.cumulative(term.op, turned, position)
    return Value(scope.build.subscript(folded, turn), value.axes)


def position_value(term: Reduce, scope: Scope, evaluation: Evaluation) -> Value | None:
    """Return the value of a position over the axes of the scope; None where it is none, or no range has it alone."""
    found = position_of(term)
    if found is None:
        return None
    counted = counted_from_zero(term, scope.box)
    if counted is not None:
        return scope.evaluate(counted, scope)
    extreme = found.extreme
    if found.is_last or not isinstance(extreme, Reduce):
        return None
    inner, extra = evaluation(extreme, scope.domain & found.domain, scope)
    value = inner.evaluate(found.body, inner)
    first, after = inner.spans[found.bound]
    is_whole = first.is_constant and not first.constant and inner.context.implies(at_least(after, 1))
    if extra is not None or not is_whole or found.bound not in value.axes:
        return None
    rest = tuple(a for a in value.axes if a != found.bound)
    axis = value.axes.index(found.bound)
    return Value(inner.build.position(value.expression, axis, is_greatest=found.is_greatest), rest)
