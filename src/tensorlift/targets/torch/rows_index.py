"""Subscripts: slices with positive steps, new axes and single cells are views; index tensors gather."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
from tensorlift.targets.arrays import index
from tensorlift.targets.target import Memory, Slice, Subscripts, Tensor, row

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.targets.target import Sample


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
_SHARED = {row.spelling: row for row in index.ROWS}

ROWS = [
    row("x[]", _subscript, *_forward(_SHARED["x[]"].samples), name="subscript", memory=_memory),
    row("x[] =", _store, *_forward(_SHARED["x[] ="].samples), name="store"),
]
