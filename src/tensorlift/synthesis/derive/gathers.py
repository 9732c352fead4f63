"""Reads at places that depend on data: ``x[ix]``, ``A[row]``, ``A[:, column]``, ``A[row, column]``.

NumPy puts the axes of index arrays where these stand, as long as they are neighbours; slices beside them stay in place.
What fits neither way is read with an index array for every axis.
"""

from __future__ import annotations

from tensorlift.comprehension.affine import ZERO, Affine
from tensorlift.comprehension.rewrite import place_of
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term
from tensorlift.ops.dtypes import integer_range, is_integer
from tensorlift.synthesis.derive.reads import affine_value, read_value
from tensorlift.synthesis.derive.scope import Scope, Value


def taken_value(term: Reduce, scope: Scope) -> Value | None:
    """Return the cells of an array at places that depend on data; None where a sum is not of that form."""
    places: dict[str, Term] = {}
    body: Term = term
    while isinstance(body, Reduce) and (place := place_of(body)) is not None:
        places[body.bound[0]] = place
        assert isinstance(body.body, Apply)
        body = body.body.args[1]
    if not places or not isinstance(body, Read):
        return None
    axes = [next((g for g in places if index.coefficient(g)), None) for index in body.indices]
    if sorted(a for a in axes if a is not None) != sorted(places) or any(
        index != Affine.var(axis) for index, axis in zip(body.indices, axes, strict=True) if axis is not None
    ):
        return None
    found = {name: scope.evaluate(_narrow(place), scope) for name, place in places.items()}
    if len(found) == 1:
        value = _along_axis(body, *next(iter(found.items())), scope)
        if value is not None:
            return value
    return _at_all(body, axes, found, scope)


def _narrow(place: Term) -> Term:
    """Look through conversions that leave every value as it is: places may be integers of any type."""
    while isinstance(place, Apply) and place.op == "cast" and is_integer(place.args[0].dtype):
        inner, outer = integer_range(place.args[0].dtype), integer_range(place.dtype)
        if not (outer[0] <= inner[0] and inner[1] <= outer[1]):
            break
        place = place.args[0]
    return place


def _along_axis(read: Read, name: str, place: Value, scope: Scope) -> Value | None:
    """Take places along one axis of a view; None where others vary with the places, or the view has not the axis."""
    (axis,) = (k for k, index in enumerate(read.indices) if index.coefficient(name))
    others = {v for k, index in enumerate(read.indices) if k != axis for v in scope.axes_of_affine(index)}
    if others & set(place.axes) or not (place.axes or len(read.indices) == 1):
        return None
    inner = scope.inner(scope.domain, {name: (ZERO, scope.shapes[read.array][axis])})
    view = read_value(read, inner)
    if view.axes.count(name) != 1:
        return None
    at = view.axes.index(name)
    taken = scope.build.take(view.expression, at, place.expression)
    return Value(taken, (*view.axes[:at], *place.axes, *view.axes[at + 1 :]))


def _at_all(read: Read, axes: list[str | None], places: dict[str, Value], scope: Scope) -> Value:
    """Take cells with an index array for each axis."""
    values = [
        affine_value(index, scope) if axis is None else places[axis]
        for index, axis in zip(read.indices, axes, strict=True)
    ]
    common = scope.ordered(a for value in values for a in value.axes)
    shape = scope.shapes[read.array]
    array = scope.build.variable(read.array, read.dtype, shape)
    return Value(scope.build.gather(array, tuple(scope.aligned(v, common) for v in values)), common)
