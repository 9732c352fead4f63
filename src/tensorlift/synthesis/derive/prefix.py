"""Prefixes: a reduction up to the value of an axis is a running fold along that axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ZERO, Affine
from tensorlift.comprehension.domain import Domain, at_least, less
from tensorlift.ir.tensor_program import Range, Reverse
from tensorlift.synthesis.derive.builder import whole
from tensorlift.synthesis.derive.readable import readable
from tensorlift.synthesis.derive.scope import Scope, Span, Value, range_of

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reduce


def prefix_value(term: Reduce, full: Domain, scope: Scope) -> Value | None:
    """Return the running fold that a reduction is, None where it is not one.

    ``sum(k : 0 <= k <= i) f(k)`` runs upwards and ends at ``i``, ``sum(k : i <= k < n) f(k)`` downwards.
    """
    if len(term.bound) != 1:
        return None
    name = term.bound[0]
    ends = [a for a in scope.spans if term.domain.mentions(a) and a not in term.body.free]
    if len(ends) != 1 or name not in term.body.free:
        return None
    axis = ends[0]
    span = range_of(full, name, [a for a in scope.spans if a != axis])
    if span is None or not _is_exactly(full, name, span, scope):
        return None
    low, high = span
    if high.coefficient(axis) == 1 and not low.coefficient(axis):
        return _running(term, axis, (low, high), scope, upwards=True)
    if low.coefficient(axis) == 1 and not high.coefficient(axis):
        return _running(term, axis, (low, high), scope, upwards=False)
    return None


def _is_exactly(full: Domain, name: str, span: Span, scope: Scope) -> bool:
    return (scope.domain & Domain.of(at_least(name, span[0]), less(name, span[1]))).is_subset(full)


def _running(term: Reduce, axis: str, span: Span, scope: Scope, *, upwards: bool) -> Value | None:
    name = term.bound[0]
    first, after = scope.spans[axis]
    low, high = span
    # The fold covers what the longest prefix covers; the shortest must have an element.
    if upwards:
        whole_span = (low, high.substitute({axis: after - 1}))
        skipped = high.substitute({axis: first}) - low - 1
    else:
        whole_span = (low.substitute({axis: first}), high)
        skipped = high - low.substitute({axis: after - 1}) - 1
    if not scope.context.implies(at_least(skipped, 0)):
        return None
    inner = scope.inner(scope.domain.project_out(axis) & _between(name, whole_span), {name: whole_span})
    if not readable(term.body, inner.domain, inner.box, scope):
        return None
    value = inner.permuted(inner.evaluate(term.body, inner), (*scope.spans, name))
    if name not in value.axes:
        return None
    folded = _folded(term, value, name, inner, upwards=upwards)
    length = whole_span[1] - whole_span[0]
    if skipped != ZERO:
        kept = Range(skipped, length) if upwards else Range(ZERO, length - skipped)
        items = [kept if a == name else whole(inner.extent(a)) for a in value.axes]
        folded = Value(scope.build.subscript(folded.expression, items), folded.axes)
    return Value(folded.expression, tuple(axis if a == name else a for a in folded.axes))


def _between(name: str, span: tuple[Affine, Affine]) -> Domain:
    return Domain.of(at_least(name, span[0]), less(name, span[1]))


def _folded(term: Reduce, value: Value, name: str, scope: Scope, *, upwards: bool) -> Value:
    position = value.axes.index(name)
    if upwards:
        return Value(scope.build.cumulative(term.op, value.expression, position), value.axes)
    turn = [Reverse() if a == name else whole(scope.extent(a)) for a in value.axes]
    turned = scope.build.subscript(value.expression, turn)
    folded = scope.build.cumulative(term.op, turned, position)
    return Value(scope.build.subscript(folded, turn), value.axes)
