"""Sums of products; PyTorch wants operands of one type there."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
from tensorlift.targets.arrays import contraction
from tensorlift.targets.target import AxisPairs, OpRow, Sample, Tensor, Text, row, sample

if TYPE_CHECKING:
    from tensorlift.targets.target import Meaning

_SHARED = {row.spelling: row for row in contraction.ROWS}


def _of_one_type(meaning: Meaning) -> Meaning:
    """Return the meaning for tensors of one type that is not that of truth values."""

    @functools.wraps(meaning)
    def checked(o: Obligations, *values: Any, **named: Any) -> Any:
        tensors = [value for value in values if isinstance(value, SymbolicTensor)]
        if len({t.dtype for t in tensors}) > 1 or not all(t.is_strong for t in tensors):
            o.refuse("a product of tensors of different types")
        return meaning(o, *values, **named)

    return checked


def _einsum(o: Obligations, equation: Text, *operands: Tensor) -> SymbolicTensor:
    """Sum products, but for narrow integers: whether these are widened depends on the order of evaluation."""
    if operands[0].dtype not in ("i64", "f32", "f64"):
        o.refuse("torch.einsum of narrow integers, which it may widen")
    return contraction.einsum(o, equation, *operands)


def _tensordot(o: Obligations, a: Tensor, b: Tensor, dims: AxisPairs) -> SymbolicTensor:
    return contraction.tensordot(o, a, b, dims)


def _trace(o: Obligations, input: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    return contraction.trace(o, input)


def _products(form: str) -> tuple[Sample, ...]:
    shapes = [("[m, k]", "[k, n]"), ("[k]", "[k, n]"), ("[m, k]", "[k]"), ("[k]", "[k]")]
    return tuple(sample(form, a=f"{t}{left}", b=f"{t}{right}") for left, right in shapes for t in ("f32", "f64", "i32"))


def _vector_row(name: str) -> OpRow:
    samples = tuple(sample(f"torch.{name}(a, b)", a=f"{t}[m]", b=f"{t}[m]") for t in ("f64", "i32"))
    return row(f"torch.{name}", _of_one_type(_dot), *samples)


def _dot(o: Obligations, input: Tensor, other: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    if input.rank != 1 or other.rank != 1:
        o.refuse("a product of anything but vectors")
    return contraction.matmul(o, input, other)


def _outer(o: Obligations, input: Tensor, vec2: Tensor) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    return contraction.outer(o, input, vec2)


_EINSUMS = (
    ("'ik,kj->ij'", {"a": "[m, k]", "b": "[k, n]"}),
    ("'ik,kj->ji'", {"a": "[m, k]", "b": "[k, n]"}),
    ("'ik,kj->k'", {"a": "[m, k]", "b": "[k, n]"}),
    ("'ik,kj,i->j'", {"a": "[m, k]", "b": "[k, n]", "c": "[m]"}),
    ("'ij->ji'", {"a": "[n, n]"}),
    ("'ii->i'", {"a": "[n, n]"}),
    ("'ii->'", {"a": "[n, n]"}),
    ("'i,j->'", {"a": "[n]", "b": "[m]"}),
    ("'bik,bkj->bij'", {"a": "[2, m, k]", "b": "[2, k, n]"}),
)


def _einsums() -> tuple[Sample, ...]:
    return tuple(
        sample(f"torch.einsum({spec}, {', '.join(shapes)})", **{name: f"{t}{shape}" for name, shape in shapes.items()})
        for spec, shapes in _EINSUMS
        for t in ("f64", "f32", "i64")
    )


ROWS = [
    replace(
        _SHARED["@"],
        meaning=_of_one_type(contraction.matmul),
        samples=(*_products("a @ b"), sample("a @ b", a="f64[2, m, k]", b="f64[k, n]")),
    ),
    row("torch.matmul", _of_one_type(contraction.matmul), *_products("torch.matmul(a, b)")),
    _vector_row("dot"),
    _vector_row("vdot"),
    replace(_SHARED["np.einsum"], spelling="torch.einsum", meaning=_of_one_type(_einsum), samples=_einsums()),
    row(
        "torch.tensordot",
        _of_one_type(_tensordot),
        "torch.tensordot(a, b, 1)",
        sample("torch.tensordot(a, b, dims=2)", a="f64[2, m, k]", b="f64[m, k, n]"),
        sample("torch.tensordot(a, b, dims=2)", a="i32[m, k]", b="i32[m, k]"),
        sample("torch.tensordot(a, b, dims=((0, 2), (1, 0)))", a="f64[m, 2, k]", b="f64[k, m, n]"),
        a="f64[m, k]",
        b="f64[k, n]",
    ),
    row("torch.outer", _outer, "torch.outer(a, b)", a="arith[m]", b="number[n]"),
    row("torch.trace", _trace, "torch.trace(a)", a="arith[n, n]"),
]
