"""Folds over the places between bounds that are data, as one operation where each bound is where the last fold ended.

``sum(p) select(within(p, ptr(i), ptr(i + 1)), value(p), 0)`` is a fold of segments of ``value``; where a bound is not
below the next one, nothing is folded.  ``sum(i) select(within(p, low(i), high(i)), value(i), 0)`` for each ``p`` is
``value`` spread over the places between its bounds.  What does not change from place to place is a factor of the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.places import without_widening
from tensorlift.comprehension.segments import is_neutral
from tensorlift.comprehension.terms import Apply, Constant, Index, Read, Reduce, Term, applies, read
from tensorlift.diagnostics import refuse
from tensorlift.ops.dtypes import is_float
from tensorlift.ops.scalar_ops import neutral
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.names import fresh
from tensorlift.synthesis.derive.reads import read_value
from tensorlift.synthesis.derive.scope import Scope, Value, ranges_of, span_box
from tensorlift.synthesis.simplify.arithmetic import factors, product

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.diagnostics import LiftError

    Bounds = tuple[Term, Term]

_IN_PAIRS = ("sum", "max", "min")


def segments_value(term: Reduce, scope: Scope) -> Value | None:
    """Return the value of a fold between bounds that are data; None where it is none.

    Raises:
        LiftError: where no operation computes it.

    """
    if not applies(term.body, "select"):
        return None
    within, value, nothing = term.body.args
    if not applies(within, "within"):
        return None
    place = within.args[0].affine.variable if isinstance(within.args[0], Index) else None
    low, high = map(without_widening, within.args[1:])
    if place is not None and place in scope.spans and len(term.bound) == 1 and "spread" in scope.build.segmented:
        return _spread(term, place, (low, high), scope)
    if term.bound != (place,) or place is None or not is_neutral(nothing, term.op) or not scope.build.segmented:
        raise no_operation()
    in_pairs = "pairs" in scope.build.segmented
    axis = _only_axis(low, high, scope) if in_pairs else _common_axis(low, high, scope)
    spans = ranges_of(scope.domain & term.domain, (place,), (*scope.spans, place))
    if axis is None or spans is None or (in_pairs and term.op not in _IN_PAIRS):
        raise no_operation()
    above, below = factors(value) if term.op == "sum" else ([value], [])
    outside = [f for f in above if place not in f.free] if term.op == "sum" else []
    divisors = [f for f in below if place not in f.free]
    inside = product([f for f in above if f not in outside], [f for f in below if f not in divisors], value)
    if axis in inside.free or spans[place][0] != ZERO:
        raise no_operation()
    rest = {name: span for name, span in scope.spans.items() if name != axis}
    points = scope.domain.project_out(axis) & span_box(spans)
    inner = scope.over({**rest, **spans}, points)
    cells = inner.evaluate(inside, inner)
    if place not in cells.axes:
        cells = Value(
            inner.filled(cells, (*cells.axes, place), (*map(inner.extent, (*cells.axes, place)),)), (*cells.axes, place)
        )
    folded = _between_pairs if in_pairs else _between_neighbours
    scaled = _scaled(folded((low, high), term.op, (axis, place), cells, scope), outside, divisors, scope)
    if in_pairs and not (is_float(term.dtype) and any(map(_may_be_odd, (*outside, *divisors)))):
        return scaled
    is_some = scope.combined("lt", scope.evaluate(low, scope), scope.evaluate(high, scope))
    return scope.combined("select", is_some, scaled, scope.number(neutral(term.op, term.dtype), term.dtype))


def _scaled(value: Value, by: Iterable[Term], over: Iterable[Term], scope: Scope) -> Value:
    for factor in by:
        value = scope.combined("mul", scope.evaluate(factor, scope), value)
    for divisor in over:
        value = scope.combined("div", value, scope.evaluate(divisor, scope))
    return value


def _may_be_odd(factor: Term) -> bool:
    """Tell whether 0 times a factor, or over it, may be no number, or -0."""
    return not isinstance(factor, Constant) or factor.value <= 0


def _between_neighbours(bounds: Bounds, op: Reducer, names: tuple[str, str], cells: Value, scope: Scope) -> Value:
    """Fold from each place of a list up to the next one; any value where that is no later."""
    (low, _), (axis, place), (first, after) = bounds, names, scope.spans[names[0]]
    assert isinstance(low, Read)
    bound = fresh("b")
    ends = scope.over({bound: (first, after + 1)}, span_box({bound: (first, after + 1)}) & scope.context)
    moved = tuple(i.substitute({axis: Affine.var(bound)}) for i in low.indices)
    listed = read_value(read(low.array, moved, low.dtype), ends)
    folded = scope.build.segments(op, cells.expression, cells.axes.index(place), [listed.expression])
    return Value(folded, tuple(axis if name == place else name for name in cells.axes))


def _between_pairs(bounds: Bounds, op: Reducer, names: tuple[str, str], cells: Value, scope: Scope) -> Value:
    """Fold from each place of a list to the one beside it in another list; nothing where that is no later."""
    axis, place = names
    over = scope.over({axis: scope.spans[axis]}, span_box({axis: scope.spans[axis]}) & scope.context)
    listed = [over.filled(over.evaluate(bound, over), (axis,), (over.extent(axis),)) for bound in bounds]
    if listed[0].dtype != listed[1].dtype:
        raise no_operation()
    others = tuple(name for name in cells.axes if name != place)
    ordered = scope.permuted(cells, (place, *others)).expression
    return Value(scope.build.segments(op, ordered, 0, listed), (axis, *others))


def _spread(term: Reduce, place: str, bounds: Bounds, scope: Scope) -> Value:
    """Fold, at each place, the values whose bounds it is between."""
    assert isinstance(term.body, Apply)
    (row,), (_, value, nothing) = term.bound, term.body.args
    spans = ranges_of(scope.domain & term.domain, (row,), (*scope.spans, row))
    is_of_row = all(bound.free & {row, *scope.spans} == {row} for bound in bounds)
    if spans is None or not is_of_row or scope.spans[place][0] != ZERO or term.op not in ("sum", "prod"):
        raise no_operation()
    if place in value.free or not is_neutral(nothing, term.op):
        raise no_operation()
    others = tuple(name for name in scope.spans if name in value.free)
    rest = {name: scope.spans[name] for name in others}
    inner = scope.over({**spans, **rest}, scope.domain.project_out(place) & span_box(spans))
    cells = inner.evaluate(value, inner)
    order = (row, *others)
    spread = inner.filled(cells, order, (*map(inner.extent, order),))
    over = scope.over(spans, span_box(spans) & scope.context)
    listed = [over.filled(over.evaluate(bound, over), (row,), (over.extent(row),)) for bound in bounds]
    if listed[0].dtype != listed[1].dtype:
        raise no_operation()
    return Value(scope.build.segments(term.op, spread, 0, listed, scope.extent(place)), (place, *others))


def _only_axis(low: Term, high: Term, scope: Scope) -> str | None:
    """Return the axis on which alone bounds depend."""
    axes = scope.ordered([*low.free, *high.free])
    return axes[0] if len(axes) == 1 else None


def _common_axis(low: Term, high: Term, scope: Scope) -> str | None:
    """Return the axis along which the upper bound is the lower one of the next cell."""
    if not isinstance(low, Read) or not isinstance(high, Read) or low.array != high.array or len(low.indices) != 1:
        return None
    (index,), (following,) = low.indices, high.indices
    axis = next((name for name in scope.spans if index.coefficient(name) == 1), None)
    return axis if axis is not None and following == index + 1 and scope.axes_of_affine(index) == (axis,) else None


def no_operation() -> LiftError:
    """Return the refusal of what goes over places between bounds for which there is no operation."""
    message = "a loop goes over places between bounds that depend on data, for which there is no operation here"
    return refuse("TL315", message, remedy="pass the row of each place in an array, and go over the places alone")
