"""Operations that move cells without computing: transposes, flips, diagonals, joins, windows, shapes, subscripts.

Slices with positive steps, new axes and single cells are views; index tensors gather.

Tensors from nothing or from one value; each names its type, or takes type and device of another tensor.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor, number
from tensorlift.poly.affine import ZERO
from tensorlift.poly.domain import at_least
from tensorlift.targets.arrays import compaction, creation, index, shape
from tensorlift.targets.target import (
    DEVICE,
    Device,
    ElementType,
    Memory,
    OpRow,
    Size,
    Sizes,
    Slice,
    Subscripts,
    Tensor,
    respelled,
    row,
    sample,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tensorlift.targets.target import Sample


def _full(
    o: Obligations,
    size: Sizes,
    fill_value: Tensor,
    *,
    dtype: ElementType,
    device: Device | None = None,  # noqa: ARG001 - says where, not what
) -> SymbolicTensor:
    _refuse_tensor(o, fill_value)
    return creation.full(o, size, fill_value, dtype)


def _refuse_tensor(o: Obligations, value: SymbolicTensor) -> None:
    if value.strength is not Strength.WEAK:
        o.refuse("a tensor is filled with a tensor, which takes its value out of PyTorch; use torch.broadcast_to")


def _new_full(
    o: Obligations, x: Tensor, size: Sizes, fill_value: Tensor, dtype: ElementType | None = None
) -> SymbolicTensor:
    _refuse_tensor(o, fill_value)
    return creation.full(o, size, fill_value, dtype or ElementType(x.dtype))


def _new_constant(
    value: int, o: Obligations, x: Tensor, size: Sizes, dtype: ElementType | None = None
) -> SymbolicTensor:
    return creation.full(o, size, number(value), dtype or ElementType(x.dtype))


def _new_empty(o: Obligations, x: Tensor, size: Sizes, dtype: ElementType | None = None) -> SymbolicTensor:
    return creation.empty(o, size, dtype or ElementType(x.dtype))


def _arange(  # noqa: PLR0913 - PyTorch's parameters
    o: Obligations,
    start: Tensor,
    end: Tensor | None = None,
    step: Tensor | None = None,
    *,
    dtype: ElementType | None = None,
    device: Device | None = None,  # noqa: ARG001 - says where, not what
) -> SymbolicTensor:
    """Give a range, whose ends PyTorch wants in order."""
    upper = creation.exact_size(o, start if end is None else end)
    lower = ZERO if end is None else creation.exact_size(o, start)
    stride = 1 if step is None else creation.exact_size(o, step).constant
    o.require("a range has its ends in order", at_least(upper, lower) if stride > 0 else at_least(lower, upper))
    return creation.arange(o, start, end, step, dtype)


_TYPES = ("dtype=torch.int32", "dtype=torch.float64", "dtype=torch.bool, device=x.device")


def _constants(name: str, value: int) -> list[OpRow]:
    texts = [f"torch.{name}((m, n), {dtype})" for dtype in _TYPES] + [f"torch.{name}(n, dtype=torch.float32)"]
    new = [f"x.new_{name}((m, n))", f"x.new_{name}(n, dtype=torch.int32)", f"x.new_{name}(())"]
    like = [f"torch.{name}_like(x)", f"torch.{name}_like(x, dtype=torch.float32)"]
    return [
        row(
            f"torch.{name}",
            respelled(partial(creation.constant_array, value), "size=shape * dtype! device"),
            *texts,
            x="f64[m]",
        ),
        row(
            f".new_{name}()",
            partial(_new_constant, value),
            *new,
            name=f"new_{name}",
            reads_cells=False,
            x="arith[m]",
        ),
        row(
            f"torch.{name}_like",
            respelled(partial(creation.constant_like, value), "input=a * dtype"),
            *like,
            name=f"{name}_like",
            reads_cells=False,
            x="arith[m, n]",
        ),
    ]


def _triangles(name: str, shared: Callable[..., SymbolicTensor]) -> list[OpRow]:
    texts = [f"torch.{name}(a{offset})" for offset in ("", ", 1", ", diagonal=-1", ", n - m")]
    return [row(f"torch.{name}", respelled(shared, "input=m diagonal=k"), *texts, a="arith[m, n]")]


ROWS = [
    *_constants("zeros", 0),
    *_constants("ones", 1),
    row(
        "torch.full",
        _full,
        "torch.full((m, n), 3, dtype=torch.int32)",
        "torch.full((n,), -torch.inf, dtype=torch.float64)",
    ),
    row(
        ".new_full()",
        _new_full,
        "x.new_full((m, n), 3)",
        sample("x.new_full((n,), 2.5, dtype=torch.float32)", x="i32[m]"),
        reads_cells=False,
        x="arith[m]",
    ),
    row(
        "torch.empty",
        respelled(creation.empty, "size=shape * dtype! device"),
        "torch.zeros_like(torch.empty((m, n), dtype=torch.int32))",
        memory=Memory.BLANK,
    ),
    row(
        ".new_empty()",
        _new_empty,
        "torch.zeros_like(x.new_empty((m, n)))",
        memory=Memory.BLANK,
        reads_cells=False,
        x="arith[m]",
    ),
    row(
        "torch.arange",
        _arange,
        "torch.arange(n)",
        "torch.arange(m, m + n)",
        "torch.arange(n, dtype=torch.int32, device=x.device)",
        "torch.arange(n - 1, -1, -1)",
        "torch.arange(0, n, 2)",
        "torch.arange(n, dtype=torch.float64)",
        "torch.arange(n)[:, None] * 2 - torch.arange(m) + 1",
        x="f64[m]",
    ),
    row(
        "torch.eye",
        respelled(creation.diagonal_mask, "n=N m=M * dtype! device"),
        "torch.eye(n, dtype=torch.bool)",
        "torch.eye(m, n, dtype=torch.float64, device=x.device)",
        x="f64[m]",
    ),
    *_triangles("tril", creation.lower_triangle),
    *_triangles("triu", creation.upper_triangle),
    row(
        "torch.broadcast_to",
        respelled(creation.broadcast, "input=array size=shape"),
        "torch.broadcast_to(a, (m, n))",
        sample("torch.broadcast_to(a[:, None], (m, n))", a="number[m]"),
        "torch.broadcast_to(x, (m, n))",
        memory=Memory.WINDOW,
        a="number[n]",
        x="number[]",
    ),
]


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


def _flip(o: Obligations, x: Tensor, *dims: int) -> SymbolicTensor:
    if not dims:
        o.refuse("flip() without axes, which PyTorch does not have")
    return shape.flip(o, x, dims)


def _unfold(o: Obligations, x: Tensor, dimension: int, size: Size, step: int) -> SymbolicTensor:
    if step != 1:
        o.refuse("windows at a distance")
    return shape.windows(o, x, (size,), shape.axis_of(o, dimension, x.rank))


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


ROWS += [
    _view("transposed", ".T", _transposed, sample("a.T", a="arith[m, n]")),
    _view("matrix transposed", ".mT", _matrix_transposed, sample("a.mT", a="f64[2, m, n]")),
    _view("permute", ".permute()", _permute, sample("a.permute(1, 2, 0)", a="f64[m, 2, n]")),
    _view(
        "transpose",
        ".transpose()",
        respelled(shape.swapaxes, "x=a dim0=axis1 dim1=axis2"),
        sample("a.transpose(0, -1)", a="f64[m, 2, n]"),
    ),
    _view(
        "unsqueeze",
        ".unsqueeze()",
        respelled(shape.expand_dims, "x=a dim=axis"),
        sample("a.unsqueeze(1)", a="f64[m, n]"),
    ),
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
        respelled(shape.concatenate, "tensors=arrays dim=axis"),
        "torch.cat((a, b))",
        sample("torch.cat((a, b, a), dim=-1)", a="f64[m, n]", b="f64[m, 1]"),
        a="number[m, n]",
        b="number[2, n]",
    ),
    row(
        "torch.stack",
        respelled(shape.stack, "tensors=arrays dim=axis"),
        "torch.stack((a, b), dim=-1)",
        a="f64[m]",
        b="f64[m]",
    ),
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
    *(row(r.spelling, r.meaning, *_forward(r.samples), name=r.name) for r in compaction.ROWS),
]
