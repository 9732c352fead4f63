"""Operations that move cells without computing: transposes, flips, diagonals, joins, windows, shapes, subscripts.

Slices with positive steps, new axes and single cells are views; index tensors gather.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE
from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
from tensorlift.targets.arrays import index, shape
from tensorlift.targets.target import (
    DEVICE,
    Device,
    Memory,
    OpRow,
    Size,
    Slice,
    Subscripts,
    Tensor,
    Tensors,
    row,
    sample,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.tensor import Indices
    from tensorlift.comprehension.terms import Term
    from tensorlift.targets.target import Sample

_MATRIX = 2
_SHARED = {row.spelling: row for row in (*shape.ROWS, *index.ROWS)}


def _transposed(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.rank != _MATRIX:
        o.refuse("the attribute T of anything but a matrix")
    return shape.permuted(x, (1, 0))


def _matrix_transposed(o: Obligations, x: Tensor) -> SymbolicTensor:
    if x.rank < _MATRIX:
        o.refuse("the attribute mT of less than a matrix")
    return shape.permuted(x, (*range(x.rank - 2), x.rank - 1, x.rank - 2))


def _permute(o: Obligations, x: Tensor, *dims: int) -> SymbolicTensor:
    if not dims:
        o.refuse("permute() without axes, which PyTorch does not have")
    order = shape.axes_of(o, dims, x.rank)
    if len(order) != x.rank:
        o.refuse("a permutation of some of the axes")
    return shape.permuted(x, order)


def _transpose(o: Obligations, x: Tensor, dim0: int, dim1: int) -> SymbolicTensor:
    order = list(range(x.rank))
    first, second = shape.axis_of(o, dim0, x.rank), shape.axis_of(o, dim1, x.rank)
    order[first], order[second] = second, first
    return shape.permuted(x, tuple(order))


def _flip(o: Obligations, x: Tensor, *dims: int) -> SymbolicTensor:
    if not dims:
        o.refuse("flip() without axes, which PyTorch does not have")
    flipped = set(shape.axes_of(o, dims, x.rank))

    def cell(indices: Indices) -> Term:
        return x.at(tuple(x.shape[a] - 1 - i if a in flipped else i for a, i in enumerate(indices)))

    return x.with_cells(x.shape, cell)


def _unsqueeze(o: Obligations, x: Tensor, dim: int) -> SymbolicTensor:
    place = shape.axis_of(o, dim, x.rank + 1)
    extents = (*x.shape[:place], ONE, *x.shape[place:])
    return x.with_cells(extents, lambda indices: x.at(indices[:place] + indices[place + 1 :]))


def _unfold(o: Obligations, x: Tensor, dimension: int, size: Size, step: int) -> SymbolicTensor:
    if step != 1:
        o.refuse("windows at a distance")
    return shape.windows(o, x, (size,), shape.axis_of(o, dimension, x.rank))


def _cat(o: Obligations, tensors: Tensors, dim: int = 0) -> SymbolicTensor:
    return shape.concatenate(o, tensors, dim)


def _stack(o: Obligations, tensors: Tensors, dim: int = 0) -> SymbolicTensor:
    return shape.stack(o, tensors, dim)


def _diagonal(o: Obligations, input: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    if input.rank != _MATRIX:
        o.refuse("the diagonal of anything but a matrix")
    return shape.diagonal(o, input)


def _device(o: Obligations, x: Tensor) -> Device:
    if not x.is_strong:
        o.refuse("a Python number is on no device")
    return DEVICE


def _view(name: str, spelling: str, meaning: object, *samples: object) -> OpRow:
    return row(spelling, meaning, *samples, name=name, memory=Memory.VIEW)  # type: ignore[arg-type]  # as the rows give them


def _sizes_row(spelling: str, *texts: str) -> OpRow:
    return replace(_SHARED[spelling], samples=tuple(sample(text, a="f64[m, n]") for text in texts))


ROWS = [
    _view("transposed", ".T", _transposed, sample("a.T", a="arith[m, n]")),
    _view("matrix transposed", ".mT", _matrix_transposed, sample("a.mT", a="f64[2, m, n]")),
    _view("permute", ".permute()", _permute, sample("a.permute(1, 2, 0)", a="f64[m, 2, n]")),
    _view("transpose", ".transpose()", _transpose, sample("a.transpose(0, -1)", a="f64[m, 2, n]")),
    _view("unsqueeze", ".unsqueeze()", _unsqueeze, sample("a.unsqueeze(1)", a="f64[m, n]")),
    _view("diagonal", "torch.diagonal", _diagonal, sample("torch.diagonal(a)", a="arith[m, n]")),
    _view(
        "unfold",
        ".unfold()",
        _unfold,
        sample("a.unfold(0, 2, 1)", 1, a="f64[n + 1]"),
        sample("a.unfold(0, m, 1).unfold(1, 2, 1)", 1, a="f64[m + n, n + 1]"),
    ),
    row(".flip()", _flip, "a.flip(0)", sample("a.flip(0, -1)", a="f64[m, n, 2]"), a="arith[m, n]"),
    row(
        "torch.cat",
        _cat,
        "torch.cat((a, b))",
        sample("torch.cat((a, b, a), dim=-1)", a="f64[m, n]", b="f64[m, 1]"),
        a="number[m, n]",
        b="number[2, n]",
    ),
    row("torch.stack", _stack, "torch.stack((a, b), dim=-1)", a="f64[m]", b="f64[m]"),
    _sizes_row(".shape", "a.new_zeros(a.shape)", "a.shape[1] * a"),
    _sizes_row(".ndim", "a.ndim * a"),
    _sizes_row(".dtype", "torch.zeros(n, dtype=a.dtype)"),
    _sizes_row("len()", "len(a) * a"),
    replace(_SHARED["min()"], samples=(sample("torch.arange(min(m, n))"), sample("torch.arange(min(m, n, 2))"))),
    replace(_SHARED["max()"], samples=(sample("torch.arange(max(m, n))"), sample("torch.arange(max(n - 2, 0))"))),
    row(".device", _device, "torch.arange(n, device=a.device)", reads_cells=False, a="f64[m]"),
]


INDEX_TYPES = ("i32", "i64")  # bytes are a mask


def _refuse_backward(o: Obligations, items: Subscripts) -> None:
    if any(isinstance(item, Slice) and item.step < 1 for item in items):
        o.refuse("a slice with a negative step, which PyTorch does not have; use flip()")


def _subscript(o: Obligations, x: Tensor, items: Subscripts) -> SymbolicTensor:
    _refuse_backward(o, items)
    if any(isinstance(item, SymbolicTensor) and item.is_strong and item.dtype not in INDEX_TYPES for item in items):
        o.refuse("a gather by integers that PyTorch takes for a mask, or not at all; use .to(torch.int64)")
    return index.subscript(o, x, items)


def _store(o: Obligations, x: Tensor, items: Subscripts, value: Tensor) -> SymbolicTensor:
    _refuse_backward(o, items)
    return index.store(o, x, items, value)


def _memory(x: SymbolicTensor, items: Subscripts) -> Memory:  # noqa: ARG001 - as rows are asked
    """Tell a view from a copy: only a gather copies."""
    is_gather = any(isinstance(item, SymbolicTensor) and item.rank for item in items)
    return Memory.NEW if is_gather else Memory.VIEW


def _forward(samples: Iterable[Sample]) -> tuple[Sample, ...]:
    """Leave out samples with negative steps, and say the others in PyTorch's names."""
    return tuple(s._replace(text=s.text.replace("np.", "torch.")) for s in samples if not _BACKWARD.search(s.text))


_BACKWARD = re.compile(r":[^,]*:-")
ROWS += [
    row("x[]", _subscript, *_forward(_SHARED["x[]"].samples), name="subscript", memory=_memory),
    row("x[] =", _store, *_forward(_SHARED["x[] ="].samples), name="store"),
]
