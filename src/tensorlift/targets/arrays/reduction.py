"""Reductions over axes and running reductions along one axis."""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.positions import DTYPE, Position
from tensorlift.comprehension.segments import neutral_term
from tensorlift.comprehension.tensor import (
    Indices,
    Obligations,
    SymbolicTensor,
    broadcast_shape,
    broadcast_to,
    choose,
    convert,
    pieces,
)
from tensorlift.comprehension.terms import COMBINER, Reducer
from tensorlift.ops.dtypes import DType, is_float
from tensorlift.poly.affine import ONE, Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.index import read_at
from tensorlift.targets.arrays.logic import truth
from tensorlift.targets.arrays.promotion import converted
from tensorlift.targets.arrays.scatter import require_in_range
from tensorlift.targets.arrays.shape import axes_of, axis_of
from tensorlift.targets.target import Axes, ElementType, Flag, OpRow, Tensor, both_forms, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.positions import PositionName
    from tensorlift.comprehension.terms import Term

_TRUTHS = ("any", "all")
_EXTREMES = ("max", "min", "fmax", "fmin")


def _result_dtype(o: Obligations, op: Reducer, dtype: DType, widened: DType, asked: ElementType | None) -> DType:
    if asked is not None and op not in ("sum", "prod"):
        o.refuse(f"a fold by {op} takes no element type")
    if op in _TRUTHS:
        return "bool"
    if op in _EXTREMES:
        return dtype
    found = widened if asked is None else asked.dtype
    if found == "bool":
        o.refuse(f"a {op} of truth values, which is any() or all()")
    return found


def fold(op: Reducer, x: SymbolicTensor, axes: tuple[int, ...], dtype: DType) -> SymbolicTensor:
    """Reduce whole axes; the extents may be zero, where the operation then needs a neutral element."""
    kept = [axis for axis in range(x.rank) if axis not in axes]
    names = tuple(fresh("r") for _ in axes)
    box = Domain.box(names, [x.shape[a] for a in axes])
    bound = dict(zip(axes, map(Affine.var, names), strict=True))

    def cell(indices: Indices) -> Term:
        full = bound | dict(zip(kept, indices, strict=True))
        body = x.at(tuple(full[axis] for axis in range(x.rank)))
        return terms.reduce(op, names, box, truth(body) if op in _TRUTHS else convert(body, dtype))

    return SymbolicTensor(tuple(x.shape[a] for a in kept), dtype, cell)


def reduction(op: Reducer, *, default_axis: int | None = None) -> Callable[..., SymbolicTensor]:
    """Return the meaning of a reduction over axes."""

    def meaning(  # noqa: PLR0913 - NumPy's parameters
        o: Obligations,
        a: Tensor,
        axis: Axes = default_axis,
        dtype: ElementType | None = None,
        *,
        keepdims: Flag = False,
        initial: Tensor | None = None,
        where: Tensor | None = None,
    ) -> SymbolicTensor:
        if not a.is_strong:
            o.refuse("a reduction of a Python number")
        axes = axes_of(o, axis, a.rank)
        element = _result_dtype(o, op, a.dtype, o.types.sum_type(a.dtype), dtype)
        start = None if initial is None else _start(o, op, initial, element)
        picked = a if where is None else _picked(o, op, a, where, start)
        return _keep(folded(o, Fold(op, element, start), picked, axes), a.rank, axes, keepdims=keepdims)

    return meaning


def _start(o: Obligations, op: Reducer, initial: SymbolicTensor, dtype: DType) -> Term:
    if initial.rank or op in _TRUTHS:
        o.refuse("an initial value that is no number")
    if is_float(initial.dtype) and not is_float(dtype):
        o.refuse("a float is the initial value of an integer reduction")
    return converted(o, initial, dtype).value()


def _picked(
    o: Obligations, op: Reducer, a: SymbolicTensor, where: SymbolicTensor, start: Term | None
) -> SymbolicTensor:
    shape = broadcast_shape(o, (a.shape, where.shape))
    if len(shape) != a.rank or where.dtype != "bool" or shape != a.shape:
        o.refuse("a where= that is no mask of the array's shape")
    if start is None and op in _EXTREMES:
        o.refuse("a where= without initial=")
    neutral = start if op in _EXTREMES and start is not None else terms.constant(int(op in ("prod", "all")), a.dtype)
    chosen = broadcast_to(o, where, shape)
    return a.with_cells(shape, lambda indices: choose(chosen(indices), a.at(indices), convert(neutral, a.dtype)))


class Fold(NamedTuple):
    """A reduction: its operation, the type in which it is computed, and the initial value, if any."""

    op: Reducer
    dtype: DType
    start: Term | None = None


def folded(o: Obligations, how: Fold, x: SymbolicTensor, axes: tuple[int, ...]) -> SymbolicTensor:
    """Reduce axes; an extreme of no cells is its initial value, and needs one."""
    if not axes:
        o.refuse("a reduction over no axis")
    filled = [at_least(x.shape[a], 1) for a in axes]
    start = how.start
    if how.op in _EXTREMES and start is None:
        o.require(f"{how.op} needs an axis that is not empty", *filled)
    result = fold(how.op, x, axes, how.dtype)
    if start is None:
        return result
    combine = COMBINER[how.op]
    if how.op not in _EXTREMES or o.holds(*filled):
        return result.with_cells(result.shape, lambda indices: terms.apply(combine, start, result.at(indices)))
    some = Domain.of(*filled)

    def cell(indices: Indices) -> Term:
        folded = terms.apply(combine, start, result.at(indices))
        return terms.piecewise(((some, folded), (some.complement(), start)))

    return result.with_cells(result.shape, cell)


def _keep(result: SymbolicTensor, rank: int, axes: tuple[int, ...], *, keepdims: bool) -> SymbolicTensor:
    if not keepdims:
        return result
    kept = [axis for axis in range(rank) if axis not in axes]
    extents = dict(zip(kept, result.shape, strict=True))
    shape = tuple(extents.get(axis, ONE) for axis in range(rank))
    return result.with_cells(shape, lambda indices: result.at(tuple(indices[axis] for axis in kept)))


def position(
    op: PositionName, o: Obligations, a: Tensor, axis: int | None = None, *, keepdims: Flag = False
) -> SymbolicTensor:
    """Return the first place of the greatest or least value along one axis."""
    if not a.is_strong or not a.rank or a.dtype == "bool":
        o.refuse("a position among what is no array of numbers")
    if axis is None and a.rank > 1:
        o.refuse("a position among the cells of several axes")
    place = axis_of(o, axis or 0, a.rank)
    o.require("a position needs an axis that is not empty", at_least(a.shape[place], 1))
    name = fresh("r")
    points = Domain.box((name,), (a.shape[place],))

    def cell(indices: Indices) -> Term:
        body = a.at((*indices[:place], Affine.var(name), *indices[place:]))
        return Position(op == "argmax", is_last=False, bound=name, domain=points, body=body).term

    result = SymbolicTensor((*a.shape[:place], *a.shape[place + 1 :]), DTYPE, cell)
    return _keep(result, a.rank, (place,), keepdims=keepdims)


def mean(o: Obligations, a: Tensor, axis: Axes = None, *, keepdims: Flag = False) -> SymbolicTensor:
    """Return the mean over axes."""
    if not a.is_strong:
        o.refuse("the mean of a Python number")
    axes = axes_of(o, axis, a.rank)
    dtype = o.types.quotient_type(o, a.dtype)
    total = folded(o, Fold("sum", dtype), a, axes)

    counts = [terms.index(a.shape[place], "i64" if len(axes) > 1 else dtype) for place in axes]
    count = convert(reduce(partial(terms.apply, "mul"), counts), dtype) if counts else terms.constant(1, dtype)

    def cell(indices: Indices) -> Term:
        return terms.apply("div", total.at(indices), count)

    return _keep(total.with_cells(total.shape, cell), a.rank, axes, keepdims=keepdims)


def running(op: Reducer, *, default_axis: int | None) -> Callable[..., SymbolicTensor]:
    """Return the meaning of a running reduction along one axis."""

    def meaning(
        o: Obligations, a: Tensor, axis: int | None = default_axis, dtype: ElementType | None = None
    ) -> SymbolicTensor:
        if not a.rank or not a.is_strong or (axis is None and a.rank > 1):
            o.refuse("a running reduction without an axis")
        element = _result_dtype(o, op, a.dtype, o.types.running_type(a.dtype), dtype)
        return _running_along(op, a, axis_of(o, axis or 0, a.rank), element)

    return meaning


def _running_along(op: Reducer, a: SymbolicTensor, place: int, dtype: DType) -> SymbolicTensor:
    name = fresh("s")

    def cell(indices: Indices) -> Term:
        body = a.at((*indices[:place], Affine.var(name), *indices[place + 1 :]))
        upto = Domain.of(at_least(name, 0), less(name, indices[place] + 1))
        return terms.reduce(op, (name,), upto, truth(body) if op in _TRUTHS else convert(body, dtype))

    return SymbolicTensor(a.shape, dtype, cell)


def segments(op: Reducer) -> Callable[..., SymbolicTensor]:
    """Return the meaning of folds from each place of a list up to the next one, the last of them up to the end.

    Where a place is not below the next one, it is the cell there.
    """

    def meaning(
        o: Obligations, a: Tensor, indices: Tensor, axis: int | None = 0, dtype: ElementType | None = None
    ) -> SymbolicTensor:
        if not a.is_strong or not a.rank or not indices.is_strong or indices.rank != 1 or axis is None:
            o.refuse("folds of segments of what is no array, or not by a list of places")
        place, (count,) = axis_of(o, axis, a.rank), indices.shape
        extent = a.shape[place]
        require_in_range(o, extent, indices)
        found = o.types.segment_type(o, a.dtype, dtype and dtype.dtype)
        element = _result_dtype(o, op, a.dtype, found, dtype)
        nothing = neutral_term(op, element)

        def between(low: Term, high: Term, at: Indices) -> Term:
            name = fresh("r")
            body = a.at((*at[:place], Affine.var(name), *at[place + 1 :]))
            value = truth(body) if op in _TRUTHS else convert(body, element)
            inside = terms.apply("within", terms.index(Affine.var(name), "i64"), low, high)
            chosen = terms.apply("select", inside, value, nothing)
            return terms.reduce(op, (name,), Domain.box((name,), (extent,)), chosen)

        def cell(at: Indices) -> Term:
            first, following = (indices.at((at[place] + more,)) for more in (0, 1))
            low, high = (terms.cast(bound, "i64") for bound in (first, following))
            single = read_at([low], [extent], lambda found: a.at((*at[:place], *found, *at[place + 1 :])))
            one = truth(single) if op in _TRUTHS else convert(single, element)
            is_last = Domain.of(equal(at[place] + 1, count))
            chosen = terms.apply("select", terms.apply("lt", first, following), between(low, high, at), one)
            return pieces((is_last.complement(), chosen), (is_last, between(low, terms.index(extent, "i64"), at)))

        return SymbolicTensor((*a.shape[:place], count, *a.shape[place + 1 :]), element, cell)

    return meaning


def _rows(op: Reducer) -> list[OpRow]:
    meaning, least = reduction(op), 1 if op in _EXTREMES else 0
    texts = ["", "axis=0", "axis=(0, 1)", "axis=-1, keepdims=True"]
    if op in ("sum", "prod"):
        texts += ["axis=0, dtype=np.int32", "dtype=np.float64", "initial=2", "where=a > 1"]
    if op in _EXTREMES:
        texts += ["initial=1", "axis=1, initial=0"]
    method, function = both_forms("np", op, texts, least, f"{'sparse' if op in _TRUTHS else 'arith'}[m, n]")
    if op in _EXTREMES:
        infinite = "-np.inf" if op == "max" else "np.inf"
        function.append(sample(f"np.{op}(a, axis=0, initial={infinite})", a="real[m, n]"))
        method.append(sample(f"a.{op}(axis=1, initial={infinite}, where=a > 1)", a="real[m, n]"))
    return [
        row(f".{op}()", meaning, *method, name=f"method {op}"),
        row(f"np.{op}", meaning, *function),
    ]


def _of_ufunc(name: str, op: Reducer) -> list[OpRow]:
    least = 1 if op in _EXTREMES else 0
    operands = {"a": "number[m, n]"} if op not in _TRUTHS else {"a": "sparse[m, n]"}
    reduced, accumulated = f"np.{name}.reduce", f"np.{name}.accumulate"
    return [
        row(
            reduced,
            reduction(op, default_axis=0),
            sample(f"{reduced}(a)", least, **operands),
            sample(f"{reduced}(a, axis=1)", least, **operands),
            name=f"{name}.reduce",
        ),
        row(
            accumulated,
            running(op, default_axis=0),
            sample(f"{accumulated}(a)", 0, **operands),
            sample(f"{accumulated}(a, axis=1)", 0, **operands),
            name=f"{name}.accumulate",
        ),
    ]


def _segments(name: str, op: Reducer) -> OpRow:
    operands = {"a": "number[m, n]"} if op not in _TRUTHS else {"a": "sparse[m, n]"}
    folded = f"np.{name}.reduceat"
    return row(
        folded,
        segments(op),
        sample(f"{folded}(a, np.arange(min(m, n)))", 1, **operands),
        sample(f"{folded}(a, np.arange(min(m, n) - 1, -1, -1), axis=1)", 1, **operands),
        name=f"{name}.reduceat",
    )


def _position(op: PositionName) -> list[OpRow]:
    meaning = partial(position, op)
    method, function = both_forms("np", op, ("axis=0", "axis=1", "axis=-1, keepdims=True"), 1, "tied[m, n]")
    return [
        row(f"np.{op}", meaning, *function, f"np.{op}(a)", least=1, a="tied[n]"),
        row(f".{op}()", meaning, *method, f"a.{op}()", name=f"method {op}", least=1, a="tied[n]"),
    ]


def _cumulative(name: str, op: Reducer) -> list[OpRow]:
    meaning = running(op, default_axis=None)
    method, function = both_forms("np", name, ("axis=0", "axis=-1", "axis=1, dtype=np.int32"), 0, "arith[m, n]")
    return [
        row(f"np.{name}", meaning, *function, f"np.{name}(a)", a="number[n]"),
        row(f".{name}()", meaning, *method, name=f"method {name}"),
    ]


ROWS = [
    *(row for op in ("sum", "prod", "max", "min", "any", "all") for row in _rows(op)),
    *_position("argmax"),
    *_position("argmin"),
    *_of_ufunc("add", "sum"),
    *_of_ufunc("multiply", "prod"),
    *_of_ufunc("maximum", "max"),
    *_of_ufunc("minimum", "min"),
    *_of_ufunc("fmax", "fmax"),
    *_of_ufunc("fmin", "fmin"),
    *_of_ufunc("logical_or", "any"),
    *_of_ufunc("logical_and", "all"),
    _segments("add", "sum"),
    _segments("multiply", "prod"),
    _segments("maximum", "max"),
    _segments("minimum", "min"),
    _segments("logical_or", "any"),
    _segments("logical_and", "all"),
    *_cumulative("cumsum", "sum"),
    *_cumulative("cumprod", "prod"),
    row(
        ".mean()",
        mean,
        "a.mean(axis=0)",
        sample("a.mean()", 1, a="f64[m, n]"),
        name="method mean",
        least=1,
        a="arith[m, n]",
    ),
    row("np.mean", mean, "np.mean(a, axis=1, keepdims=True)", least=1, a="arith[m, n]"),
]
