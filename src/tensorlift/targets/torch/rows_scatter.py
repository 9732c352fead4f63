"""Updates of PyTorch's at index tensors: methods that change the tensor, each a statement.

Of equal places the order is undefined, which does not matter for sums, products and extremes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, equal
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays import scatter
from tensorlift.targets.arrays.shape import axis_of
from tensorlift.targets.target import Flag, Memory, Slice, Tensor, Tensors, Text, row, sample
from tensorlift.targets.torch.rows_shape import INDEX_TYPES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.tensor import Indices, Obligations, SymbolicTensor
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.targets.target import OpRow, Sample

_REDUCERS: dict[str, Reducer] = {"prod": "prod", "amax": "max", "amin": "min"}


def _check(o: Obligations, x: SymbolicTensor, places: Sequence[SymbolicTensor], value: SymbolicTensor) -> None:
    if not all(tensor.is_strong for tensor in (x, value, *places)) or value.dtype != x.dtype or x.dtype == "bool":
        o.refuse(f"values of type {value.dtype} are folded into cells of type {x.dtype}")
    if any(index.dtype not in INDEX_TYPES for index in places):
        o.refuse("places that PyTorch takes for a mask, or not at all; use .to(torch.int64)")


def _require_shape(o: Obligations, shape: Indices, wanted: Indices) -> None:
    if len(shape) != len(wanted):
        o.refuse("a tensor of another number of axes, which is not broadcast here")
    for extent, other in zip(shape, wanted, strict=True):
        o.require("tensors have one shape", equal(extent, other))


def _index_add(o: Obligations, x: Tensor, dim: int, index: Tensor, source: Tensor) -> SymbolicTensor:
    _check(o, x, (index,), source)
    if index.rank != 1:
        o.refuse("places in anything but a row")
    axis = axis_of(o, dim, x.rank)
    _require_shape(o, source.shape, (*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]))
    return scatter.folded("sum", o, x, (*[Slice()] * axis, index), source)


def _index_put(o: Obligations, x: Tensor, indices: Tensors, values: Tensor, accumulate: Flag) -> SymbolicTensor:
    _check(o, x, indices, values)
    if not accumulate:
        o.refuse("values are stored by a method, and not by x[...] = v")
    return scatter.folded("sum", o, x, indices, values)


def _scatter_reduce(o: Obligations, x: Tensor, dim: int, index: Tensor, src: Tensor, reduce: Text) -> SymbolicTensor:  # noqa: PLR0913, PLR0917 - PyTorch's parameters
    """Fold each value into the cell at its own subscripts, but for one axis, on which the place is given."""
    _check(o, x, (index,), src)
    if reduce not in _REDUCERS:
        o.refuse(f"a fold by {reduce}, which is none of {', '.join(_REDUCERS)}")
    axis = axis_of(o, dim, x.rank)
    _require_shape(o, index.shape, (*x.shape[:axis], *index.shape[axis : axis + 1], *x.shape[axis + 1 :]))
    _require_shape(o, src.shape, index.shape)
    scatter.require_in_range(o, x.shape[axis], index)

    def cell(at: Indices) -> Term:
        name = fresh("k")
        point = (*at[:axis], Affine.var(name), *at[axis + 1 :])
        test = terms.apply("hits", terms.cast(index.at(point), "i64"), terms.index(at[axis], "i64"))
        points = Domain.box((name,), (index.shape[axis],))
        return scatter.Hits((name,), points, (test,), src.at(point)).fold(_REDUCERS[reduce], x.at(at))

    return x.with_cells(x.shape, cell)


def _row(name: str, meaning: object, *samples: Sample) -> OpRow:
    update = partial(row, name=name, memory=Memory.UPDATE)
    return update(f".{name}()", meaning, *samples)  # type: ignore[arg-type]  # as the rows give them


_SOME = "(b > 0).to(torch.int64)"
ROWS = [
    _row(
        "index_add_",
        _index_add,
        sample(f"a.index_add_(0, {_SOME}, b)", 1, a="f64[n + 1]", b="f64[n]"),
        sample("a.index_add_(0, torch.arange(n), b)", 1, a="i8[n + 1]", b="i8[n]"),
        sample(f"a.index_add_(0, {_SOME}, torch.broadcast_to(c, (n,)))", 1, a="f64[n + 1]", b="f64[n]", c="f64[]"),
        sample("a.index_add_(1, (c > 0).to(torch.int32), b)", 1, a="f64[m, 2]", b="f64[m, n]", c="f64[n]"),
    ),
    _row(
        "index_put_",
        _index_put,
        sample(f"a.index_put_(({_SOME},), b, accumulate=True)", 1, a="f64[n + 1]", b="f64[n]"),
        sample(f"a.index_put_(({_SOME}, {_SOME}), c, accumulate=True)", 1, a="f64[2, n + 1]", b="f64[n]", c="f64[]"),
        sample(f"a.index_put_(({_SOME},), b[:, None], accumulate=True)", 1, a="f64[n + 1, m]", b="f64[n]"),
    ),
    _row(
        "scatter_reduce_",
        _scatter_reduce,
        sample(f'a.scatter_reduce_(0, {_SOME}, b, "amax")', 1, a="f64[n + 1]", b="f64[n]"),
        sample(f'a.scatter_reduce_(0, {_SOME}, b, "prod")', 1, a="f64[n + 1]", b="f64[n]"),
        sample('a.scatter_reduce_(1, (b > 0).to(torch.int64), b, "amin")', 1, a="f64[m, 2]", b="f64[m, n]"),
        sample(
            'a.scatter_reduce_(0, torch.broadcast_to((c > 0).to(torch.int64)[:, None], (m, n)), b, "amax")',
            1, a="f64[2, n]", b="f64[m, n]", c="f64[m]",
        ),
    ),
]  # fmt: skip
