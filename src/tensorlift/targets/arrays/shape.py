"""Operations that move cells without computing: transposes, flips, diagonals, joins, windows, shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.tensor import Indices, Obligations, SymbolicTensor, below, convert, number, pieces, size
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import at_least, equal
from tensorlift.targets.arrays.creation import exact_size
from tensorlift.targets.target import Axes, ElementType, Memory, Size, Sizes, Tensor, Tensors, row, sample

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Term


def axis_of(o: Obligations, axis: int, rank: int) -> int:
    """Return the position of an axis that may count from the end."""
    if not -rank <= axis < rank:
        o.refuse(f"there is no axis {axis} in rank {rank}")
    return axis % rank


def axes_of(o: Obligations, axis: Axes, rank: int) -> tuple[int, ...]:
    """Return the positions of distinct axes; None means all of them."""
    if axis is None:
        return tuple(range(rank))
    listed = tuple(axis_of(o, a, rank) for a in ((axis,) if isinstance(axis, int) else axis))
    if len(set(listed)) != len(listed):
        o.refuse("an axis stands twice")
    return listed


def permuted(x: SymbolicTensor, order: tuple[int, ...]) -> SymbolicTensor:
    """Return the tensor whose axis ``k`` is axis ``order[k]``."""
    place = [order.index(axis) for axis in range(x.rank)]
    return x.with_cells(tuple(x.shape[a] for a in order), lambda indices: x.at(tuple(indices[p] for p in place)))


def _attribute_t(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no transpose")
    return permuted(x, tuple(reversed(range(x.rank))))


def _transpose(o: Obligations, a: Tensor, axes: Axes = None) -> SymbolicTensor:
    order = tuple(reversed(range(a.rank))) if axes is None else axes_of(o, axes, a.rank)
    if len(order) != a.rank:
        o.refuse("a transpose of some of the axes")
    return permuted(a, order)


def _method_transpose(o: Obligations, a: Tensor, *axes: int) -> SymbolicTensor:
    return _transpose(o, a, axes or None)


def swapaxes(o: Obligations, a: Tensor, axis1: int, axis2: int) -> SymbolicTensor:
    """Return the tensor with two axes exchanged."""
    order = list(range(a.rank))
    first, second = axis_of(o, axis1, a.rank), axis_of(o, axis2, a.rank)
    order[first], order[second] = second, first
    return permuted(a, tuple(order))


def _moveaxis(o: Obligations, a: Tensor, source: int, destination: int) -> SymbolicTensor:
    moved = axis_of(o, source, a.rank)
    order = [axis for axis in range(a.rank) if axis != moved]
    order.insert(axis_of(o, destination, a.rank), moved)
    return permuted(a, tuple(order))


def expand_dims(o: Obligations, a: Tensor, axis: int) -> SymbolicTensor:
    """Return the tensor with a new axis of one position."""
    place = axis_of(o, axis, a.rank + 1)
    shape = (*a.shape[:place], ONE, *a.shape[place:])
    return a.with_cells(shape, lambda indices: a.at(indices[:place] + indices[place + 1 :]))


def flip(o: Obligations, m: Tensor, axis: Axes = None) -> SymbolicTensor:
    """Return the tensor with some axes reversed."""
    flipped = set(axes_of(o, axis, m.rank))

    def cell(indices: Indices) -> Term:
        return m.at(tuple(m.shape[a] - 1 - i if a in flipped else i for a, i in enumerate(indices)))

    return m.with_cells(m.shape, cell)


def diagonal(o: Obligations, a: Tensor, offset: Size = ZERO, axis1: int = 0, axis2: int = 1) -> SymbolicTensor:
    """Return a diagonal of two axes."""
    rows, columns = axes_of(o, (axis1, axis2), a.rank)
    down, right = (ZERO, offset) if o.decide(at_least(offset, 0)) else (-offset, ZERO)
    height, width = a.shape[rows] - down, a.shape[columns] - right
    length = height if o.decide(at_least(width, height)) else width
    if not o.decide(at_least(length, 0)):
        length = ZERO
    others = [axis for axis in range(a.rank) if axis not in (rows, columns)]

    def cell(indices: Indices) -> Term:
        full = dict(zip(others, indices[:-1], strict=True))
        full[rows], full[columns] = indices[-1] + down, indices[-1] + right
        return a.at(tuple(full[axis] for axis in range(a.rank)))

    return a.with_cells((*(a.shape[axis] for axis in others), length), cell)


def concatenate(o: Obligations, arrays: Tensors, axis: int = 0) -> SymbolicTensor:
    """Return arrays joined along an axis."""
    rank = arrays[0].rank
    if not rank or any(t.rank != rank for t in arrays):
        o.refuse("arrays of different ranks, or of rank 0, are joined")
    place = axis_of(o, axis, rank)
    for other in arrays[1:]:
        for mine, theirs in _without(arrays[0].shape, other.shape, place):
            if mine != theirs:
                o.require("joined arrays have equal extents", equal(mine, theirs))
    return _joined(o, arrays, place)


def _without(left: Sizes, right: Sizes, place: int) -> list[tuple[Affine, Affine]]:
    return [(a, b) for axis, (a, b) in enumerate(zip(left, right, strict=True)) if axis != place]


def _joined(o: Obligations, arrays: Tensors, place: int) -> SymbolicTensor:
    dtype = o.types.result_type(o, arrays)
    total = sum((t.shape[place] for t in arrays), ZERO)
    shape = (*arrays[0].shape[:place], total, *arrays[0].shape[place + 1 :])

    def cell(indices: Indices) -> Term:
        return _joined_cell(arrays, place, indices, dtype)

    return SymbolicTensor(shape, dtype, cell)


def _joined_cell(arrays: Tensors, place: int, indices: Indices, dtype: str) -> Term:
    first, *rest = arrays
    here = convert(first.at(indices), dtype)  # type: ignore[arg-type]  # a DType came in
    if not rest:
        return here
    extent = first.shape[place]
    shifted = (*indices[:place], indices[place] - extent, *indices[place + 1 :])
    inside = below(indices[place], extent)
    return pieces((inside, here), (inside.complement(), _joined_cell(tuple(rest), place, shifted, dtype)))


def stack(o: Obligations, arrays: Tensors, axis: int = 0) -> SymbolicTensor:
    """Return arrays joined along a new axis."""
    return concatenate(o, tuple(expand_dims(o, t, axis) for t in arrays), axis)


def windows(o: Obligations, x: Tensor, window_shape: Sizes, axis: Axes = None) -> SymbolicTensor:
    """Return all windows along axes; the axes inside windows come last."""
    axes = axes_of(o, axis, x.rank)
    if len(axes) != len(window_shape):
        o.refuse("a window of another rank than its axes")
    shape = list(x.shape)
    for place, extent in zip(axes, window_shape, strict=True):
        o.require("a window fits", at_least(extent, 0), at_least(shape[place], extent))
        shape[place] = shape[place] - extent + 1
    rank = x.rank

    def cell(indices: Indices) -> Term:
        full = list(indices[:rank])
        for place, inside in zip(axes, indices[rank:], strict=True):
            full[place] = full[place] + inside
        return x.at(tuple(full))

    return x.with_cells((*shape, *window_shape), cell)


def _shape(o: Obligations, x: Tensor) -> tuple[SymbolicTensor, ...]:
    if not x.is_strong:
        o.refuse("a Python number has no shape")
    return tuple(map(size, x.shape))


def _ndim(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not x.is_strong:
        o.refuse("a Python number has no rank")
    return number(x.rank)


def _dtype(o: Obligations, x: Tensor) -> ElementType:
    if not x.is_strong:
        o.refuse("a Python number has no element type")
    return ElementType(x.dtype)


def _length(o: Obligations, x: Tensor) -> SymbolicTensor:
    if not x.rank:
        o.refuse("len() of a number")
    return size(x.shape[0])


def _least(o: Obligations, *sizes: Tensor) -> SymbolicTensor:
    return _extreme(o, sizes, largest=False)


def _greatest(o: Obligations, *sizes: Tensor) -> SymbolicTensor:
    return _extreme(o, sizes, largest=True)


def _extreme(o: Obligations, sizes: Tensors, *, largest: bool) -> SymbolicTensor:
    """Python's min and max of sizes: which one it is may depend on the sizes, so that the proof goes by cases."""
    if len(sizes) < 2 or any(s.is_strong for s in sizes):  # noqa: PLR2004 - of one, Python takes the elements
        o.refuse("min() or max() of anything but sizes")
    best, *rest = (exact_size(o, s) for s in sizes)
    for value in rest:
        keeps = at_least(best, value) if largest else at_least(value, best)
        best = best if o.decide(keeps) else value
    return size(best)


ROWS = [
    row(
        ".T",
        _attribute_t,
        "a.T",
        sample("a.T", a="f64[m, 2, n]"),
        name="transposed",
        memory=Memory.VIEW,
        a="arith[m, n]",
    ),
    row(
        "np.transpose",
        _transpose,
        "np.transpose(a)",
        sample("np.transpose(a, (2, 0, 1))", a="f64[m, 2, n]"),
        memory=Memory.VIEW,
        a="arith[m, n]",
    ),
    row(
        ".transpose()",
        _method_transpose,
        "a.transpose(1, 2, 0)",
        "a.transpose()",
        name="method transpose",
        memory=Memory.VIEW,
        a="f64[m, 2, n]",
    ),
    row("np.swapaxes", swapaxes, "np.swapaxes(a, 0, -1)", memory=Memory.VIEW, a="f64[m, 2, n]"),
    row(
        "np.moveaxis", _moveaxis, "np.moveaxis(a, 0, -1)", "np.moveaxis(a, -1, 0)", memory=Memory.VIEW, a="f64[m, 2, n]"
    ),
    row(
        "np.expand_dims",
        expand_dims,
        "np.expand_dims(a, 1)",
        "np.expand_dims(a, -1)",
        memory=Memory.VIEW,
        a="f64[m, n]",
    ),
    row(
        "np.flip",
        flip,
        "np.flip(a)",
        sample("np.flip(a, axis=-1)", a="f64[m, n]"),
        sample("np.flip(a, (0, 1))", a="f64[m, n, 2]"),
        memory=Memory.VIEW,
        a="arith[m, n]",
    ),
    row(
        "np.diagonal",
        diagonal,
        "np.diagonal(a)",
        sample("np.diagonal(a, 1)", a="f64[m, n]"),
        sample("np.diagonal(a, -1, 0, 2)", a="f64[m, 2, n]"),
        memory=Memory.WINDOW,
        a="arith[m, n]",
    ),
    row(
        "np.concatenate",
        concatenate,
        "np.concatenate((a, b))",
        sample("np.concatenate((a, b, a), axis=-1)", a="f64[m, n]", b="f64[m, 1]"),
        a="number[m, n]",
        b="number[2, n]",
    ),
    row(
        "np.stack",
        stack,
        "np.stack((a, b))",
        sample("np.stack((a, b), axis=-1)", a="f64[m]", b="i32[m]"),
        a="number[m, n]",
        b="number[m, n]",
    ),
    row(
        "np.lib.stride_tricks.sliding_window_view",
        windows,
        "np.lib.stride_tricks.sliding_window_view(a, 2)",
        sample("np.lib.stride_tricks.sliding_window_view(a, (m, 2))", 1, a="f64[m + n, n + 1]"),
        sample("np.lib.stride_tricks.sliding_window_view(a, 2, axis=1)", 1, a="f64[m, n + 1]"),
        least=1,
        memory=Memory.WINDOW,
        a="f64[n + 1]",
    ),
    row(
        "sliding_window_view",
        windows,
        "sliding_window_view(a, 2)",
        name="imported sliding_window_view",
        least=1,
        memory=Memory.WINDOW,
        a="f64[n + 1]",
    ),
    row(".shape", _shape, "np.zeros(a.shape)", "a.shape[1] * np.ones(2)", reads_cells=False, a="f64[m, n]"),
    row(".ndim", _ndim, "a.ndim * np.ones(2)", reads_cells=False, a="f64[m, n]"),
    row(".dtype", _dtype, "np.zeros(n, a.dtype)", reads_cells=False, a="arith[m, n]"),
    row("len()", _length, "np.zeros(len(a))", reads_cells=False, a="f64[m, n]"),
    row("min()", _least, "np.zeros(min(m, n))", "np.zeros(min(m, n, 2))", name="builtin min"),
    row("max()", _greatest, "np.zeros(max(m, n))", "np.zeros(max(n - 2, 0))", name="builtin max"),
]
