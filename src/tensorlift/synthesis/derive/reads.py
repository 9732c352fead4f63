"""Array reads as views: each subscript, affine in the axes, becomes a position, a slice, a window or a diagonal.

``A[i + 1, j]`` over ranges of ``i`` and ``j`` is the slice ``A[low + 1:high + 1, low:high]``; ``x[i + j]`` is a sliding
window, ``x[2 * i + j]`` every second one; ``A[i, i]`` is the diagonal.  What is none of these is gathered.

Reads at places that depend on data are ``x[ix]``, ``A[row]``, ``A[:, column]``, ``A[row, column]``.  NumPy puts the
axes of index arrays where these stand, as long as they are neighbours; slices beside them stay in place.  What fits
neither way is read with an index array for every axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.places import gathered, of_one_variable, stays_within, without_widening
from tensorlift.comprehension.ranges import ends_of, value_range
from tensorlift.comprehension.rewrite import place_of, reads_in
from tensorlift.ir.tensor_program import At, Expression, Iota, Range, Reverse, SubscriptItem
from tensorlift.ir.views import whole
from tensorlift.ops.dtypes import NARROW, is_float
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.synthesis.derive.scope import Scope, Value, ends_over

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Read, Reduce, Term
    from tensorlift.ops.dtypes import DType


def read_value(read: Read, scope: Scope) -> Value:
    """Return the cells of a read over the axes of the scope on which it depends."""
    shape = scope.shapes[read.array]
    array = scope.build.variable(read.array, read.dtype, shape)
    variables = [scope.axes_of_affine(index) for index in read.indices]
    flat = [v for names in variables for v in names]
    if len(set(flat)) == len(flat):
        windowed = _windowed(array, read, variables, scope)
        if windowed is not None:
            return windowed
    elif len(shape) == 2 and read.indices[0] == read.indices[1] and len(flat) == 2:  # noqa: PLR2004 - a matrix
        diagonal = _diagonal(array, read.indices[0], flat[0], scope)
        if diagonal is not None:
            return diagonal
    return _gathered(array, read, scope)


def _windowed(array: Expression, read: Read, variables: list[tuple[str, ...]], scope: Scope) -> Value | None:
    """Subscript each axis by itself: no axis variable occurs twice."""
    items: list[SubscriptItem] = []
    axes: list[str] = []
    windows: list[tuple[int, str]] = []
    steps: dict[str, int] = {}
    turned: list[str] = []
    for index, names, extent in zip(read.indices, variables, array.shape, strict=True):
        if not names:
            items.append(At(index))
            continue
        if len(names) == 1:
            item = _slice(index, names[0], extent, scope)
            if index.coefficient(names[0]) < 0:
                turned.append(names[0])
        else:
            item = _window(index, names, scope)
            if item is not None:
                windows.append((len(axes), names[1]))
                steps |= {n: abs(index.coefficient(n)) for n in names}
                turned += [n for n in names if index.coefficient(n) < 0]
        if item is None:
            return None
        items.append(item)
        axes.append(names[0])
    view = scope.build.subscript(array, items)
    if windows:
        extents = tuple((scope.extent(name) - 1) * steps[name] + 1 for _, name in windows)
        view = scope.build.windows(view, tuple(axis for axis, _ in windows), extents)
        axes += [name for _, name in windows]
    if any(step > 1 for step in steps.values()):
        view = scope.build.subscript(
            view, [Range(ZERO, e, steps.get(a, 1)) for a, e in zip(axes, view.shape, strict=True)]
        )
    if turned:
        flips = [Reverse() if a in turned else whole(e) for a, e in zip(axes, view.shape, strict=True)]
        view = scope.build.subscript(view, flips)
    return Value(view, tuple(axes))


def _slice(index: Affine, name: str, extent: Affine, scope: Scope) -> Range | None:
    """Return the slice of the cells that one axis variable passes, in rising order."""
    low, high = ends_over(index, scope.spans)
    step = abs(index.coefficient(name))
    if step == 1:
        return scope.range(low, high + 1, extent)
    return scope.stepped(low, high, step, extent) if (high - low).divided(step) is not None else None


def _window(index: Affine, names: tuple[str, ...], scope: Scope) -> Range | None:
    """Return the slice under a window: two variables, a position and a place in the window."""
    if len(names) != 2 or not has_windows(names, scope):  # noqa: PLR2004 - a position and a place
        return None
    low, high = ends_over(index, scope.spans)
    return Range(low, high + 1)


def has_windows(names: tuple[str, ...], scope: Scope) -> bool:
    """Tell whether there may be windows at the first of such variables: none is empty, nor is what they run over."""
    filled = names[1:] if scope.build.short_windows else names
    return scope.context.implies(*(at_least(scope.extent(name), 1) for name in filled))


def _diagonal(array: Expression, index: Affine, name: str, scope: Scope) -> Value | None:
    item = _slice(index, name, array.shape[0], scope)
    if item is None or item.step != 1 or index.coefficient(name) != 1:
        return None
    square = scope.build.subscript(array, (item, item))
    return Value(scope.build.diagonal(square), (name,))


def _gathered(array: Expression, read: Read, scope: Scope) -> Value:
    axes = scope.axes_of(read)
    indices = tuple(scope.aligned(affine_value(index, scope), axes) for index in read.indices)
    return Value(scope.build.gather(array, indices), axes)


def affine_value(index: Affine, scope: Scope, dtype: DType = "i64") -> Value:
    """Return an affine expression of axes and sizes as an array over its axes; what a narrow type cannot hold wraps."""
    names = scope.axes_of_affine(index)
    if not names and (is_float(dtype) or scope.holds(dtype, index)):
        return Value(scope.build.size(index, dtype), ())
    if not names:
        return Value(scope.build.cast(scope.build.size(index), dtype), ())
    free = index - sum((Affine.var(n, index.coefficient(n)) for n in names), Affine(0))
    start = free if index.coefficient(names[0]) == 1 else Affine(0)  # the offset goes into the range of integers
    total = _multiple(index, names[0], start, scope)
    if index.coefficient(names[0]) < 0:
        total = scope.combined("neg", total)
    for name in names[1:]:
        sign = "sub" if index.coefficient(name) < 0 else "add"
        total = scope.combined(sign, total, _multiple(index, name, Affine(0), scope))
    if free != start:
        op, rest = ("sub", -free) if free.is_constant and free.constant < 0 else ("add", free)
        total = scope.combined(op, total, Value(scope.build.size(rest), ()))
    counted = total.expression
    if isinstance(counted, Iota) and _is_range(dtype, counted.start, index, scope):
        return Value(scope.build.iota(counted.start, counted.start + counted.shape[0], dtype), total.axes)
    return scope.converted(total, dtype)


def _is_range(dtype: DType, start: Affine, index: Affine, scope: Scope) -> bool:
    """Tell whether a range in a type is a range of integers that is converted; no library counts in others."""
    if dtype in NARROW:  # which rounds a start before it is added
        return start == ZERO
    return dtype in ("f64", "i32") and scope.holds(dtype, start if dtype == "f64" else index)


def _multiple(index: Affine, name: str, start: Affine, scope: Scope) -> Value:
    """Return one axis variable times the size of its coefficient, from ``start`` on."""
    first, after = scope.spans[name]
    numbers = Value(scope.build.iota(first + start, after + start), (name,))
    factor = abs(index.coefficient(name))
    return numbers if factor == 1 else scope.combined("mul", scope.number(factor, "i64"), numbers)


def taken_value(term: Reduce, scope: Scope) -> Value | None:
    """Return the cells of an array at places that depend on data; None where a sum is not of that form."""
    windows = _taken_in_windows(term, scope)
    if windows is not None:
        return windows
    read = gathered(term)
    if read is None:
        return _computed_and_taken(term, scope)
    body = read.cell
    axes = [None if place is None else index.variable for index, place in zip(body.indices, read.places, strict=True)]
    places = {str(axis): place for axis, place in zip(axes, read.places, strict=True) if place is not None}
    extents = dict(zip(axes, scope.shapes[body.array], strict=True))
    found = {name: _place_value(place, extents[name], scope) for name, place in places.items()}
    if len(found) == 1:
        value = _along_axis(body, *next(iter(found.items())), scope)
        if value is not None:
            return value
    return _at_all(body, axes, found, scope)


def _taken_in_windows(term: Reduce, scope: Scope) -> Value | None:
    """Take cells once for each sum, or difference, of two variables where that is all that the places depend on."""
    names = scope.axes_of(term)
    if len(names) != 2 or scope.guard is not None or not has_windows(names, scope):  # noqa: PLR2004 - as of a window
        return None
    one = of_one_variable((term,), names)
    if one is None:
        return None
    (taken,), total, name = one
    low, high = ends_over(total, scope.spans)
    inside = (scope.domain & Domain.of(equal(name, total))).project_out(*names)
    inner = scope.inner(inside, {name: (low, high + 1)})
    cells = inner.evaluate(taken, inner).expression
    return _windowed(cells, terms.read("cells", (total - low,), term.dtype), [names], scope)


def _computed_and_taken(term: Reduce, scope: Scope) -> Value | None:
    """Compute a value for all places of one axis, and take that at one place; None where there are more of them."""
    place, ends = place_of(term), ends_of(term.domain & scope.context, term.bound[0])
    if place is None or ends is None or ends[0] != ZERO:
        return None
    (name,), (_, value, _), extent = term.bound, term.body.children, ends[1] + 1
    inner = scope.inner(scope.domain & term.domain, {name: (ZERO, extent)})
    values, at = inner.evaluate(value, inner), _place_value(place, extent, scope)
    if at.axes or values.axes.count(name) != 1:
        return None
    axis = values.axes.index(name)
    taken = scope.build.take(values.expression, axis, at.expression)
    return Value(taken, tuple(a for a in values.axes if a != name))


def _place_value(place: Term, extent: Affine, scope: Scope) -> Value:
    """Return a place, the first one where it does not count and may be outside."""
    value, (least, most) = scope.evaluate(without_widening(place), scope), value_range(place)
    if scope.guard is None or scope.context.implies(at_least(least, 0), less(most, extent)):
        return value
    if stays_within(place, ZERO, extent - 1, scope.domain):
        return value
    return scope.where_it_counts(scope.guard, value, scope.number(0, value.expression.dtype))


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


def readable(term: Term, domain: Domain, evaluated: Domain, scope: Scope) -> bool:
    """Tell whether a term that counts, and is in bounds, on ``domain`` is in bounds on all of ``evaluated``."""
    if not term.reads or evaluated.is_subset(domain):
        return True
    reads = reads_in(term, evaluated)
    return all(where.is_subset(Domain.box(read.indices, scope.shapes[read.array])) for read, where in reads)
