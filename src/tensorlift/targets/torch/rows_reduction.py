"""Reductions over axes, running reductions and sums of products, with PyTorch's parameters.

For products PyTorch wants operands of one type.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
from tensorlift.targets.arrays import contraction, reduction
from tensorlift.targets.target import Axes, AxisPairs, ElementType, Flag, OpRow, Sample, Tensor, Text, row, sample

if TYPE_CHECKING:
    from tensorlift.comprehension.positions import PositionName
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.targets.target import Meaning

_INTEGER_TEXTS = ("dim=0, dtype=torch.int32", "dtype=torch.float64")


def _summed(  # noqa: PLR0913 - PyTorch's parameters
    op: Reducer,
    o: Obligations,
    input: Tensor,  # noqa: A002 - PyTorch's name
    dim: Axes = None,
    keepdim: Flag = False,  # noqa: FBT002 - as PyTorch has it
    *,
    dtype: ElementType | None = None,
) -> SymbolicTensor:
    if op == "prod" and isinstance(dim, tuple):
        o.refuse("a product over several axes at once")
    return reduction.reduction(op)(o, input, dim, dtype, keepdims=keepdim)


def _picked(op: Reducer, o: Obligations, input: Tensor, dim: Axes = None, keepdim: Flag = False) -> SymbolicTensor:  # noqa: A002, FBT002 - PyTorch's parameters
    if op in ("max", "min") and input.dtype == "bool":
        o.refuse("an extreme of truth values")
    return reduction.reduction(op)(o, input, dim, keepdims=keepdim)


def _position(
    op: PositionName,
    o: Obligations,
    input: Tensor,  # noqa: A002 - PyTorch's name
    dim: int | None = None,
    keepdim: Flag = False,  # noqa: FBT002 - as PyTorch has it
) -> SymbolicTensor:
    return reduction.position(op, o, input, dim, keepdims=keepdim)


def _mean(o: Obligations, input: Tensor, dim: Axes = None, keepdim: Flag = False) -> SymbolicTensor:  # noqa: A002, FBT002 - PyTorch's parameters
    return reduction.mean(o, input, dim, keepdims=keepdim)


def _running(
    op: Reducer,
    o: Obligations,
    input: Tensor,  # noqa: A002 - PyTorch's name
    dim: int,
    *,
    dtype: ElementType | None = None,
) -> SymbolicTensor:
    return reduction.running(op, default_axis=None)(o, input, dim, dtype)


def _running_extreme(op: Reducer, o: Obligations, input: Tensor, dim: int) -> tuple[SymbolicTensor, ...]:  # noqa: A002 - PyTorch's name
    """Give the values; where they stood, which PyTorch gives too, has no name here."""
    return (reduction.running(op, default_axis=None)(o, input, dim),)


def _rows(name: str, meaning: Meaning, values: str, least: int, *texts: str) -> list[OpRow]:
    operands = {"a": f"{values}[m, n]"}
    method = tuple(sample(f"a.{name}({text})", least, **operands) for text in texts)
    function = tuple(sample(f"torch.{name}(a, {text})".replace(", )", ")"), least, **operands) for text in texts)
    return [row(f".{name}()", meaning, *method, name=f"method {name}"), row(f"torch.{name}", meaning, *function)]


def _of_matrix(text: str) -> tuple[Sample, ...]:
    return (sample(text, 1, a="number[m, n]"),)


_TEXTS = ("", "dim=0", "dim=(0, 1)", "dim=-1, keepdim=True")
_ONE_AXIS = ("", "dim=0", "dim=-1, keepdim=True")

ROWS = [
    *_rows("sum", partial(_summed, "sum"), "arith", 0, *_TEXTS, *_INTEGER_TEXTS),
    *_rows("prod", partial(_summed, "prod"), "arith", 0, *_ONE_AXIS, *_INTEGER_TEXTS),
    *_rows("amax", partial(_picked, "max"), "arith", 1, *_TEXTS),
    *_rows("amin", partial(_picked, "min"), "arith", 1, *_TEXTS),
    *_rows("argmax", partial(_position, "argmax"), "tied", 1, "dim=0", "dim=-1, keepdim=True"),
    *_rows("argmin", partial(_position, "argmin"), "tied", 1, "dim=0", "dim=-1, keepdim=True"),
    *_rows("any", partial(_picked, "any"), "sparse", 0, *_TEXTS),
    *_rows("all", partial(_picked, "all"), "sparse", 0, *_TEXTS),
    *_rows("mean", _mean, "real", 1, *_TEXTS),
    *_rows("cumsum", partial(_running, "sum"), "arith", 0, "dim=0", "dim=-1", "dim=1, dtype=torch.int32"),
    *_rows("cumprod", partial(_running, "prod"), "arith", 0, "dim=0", "dim=-1"),
    row("torch.cummax", partial(_running_extreme, "max"), *_of_matrix("torch.cummax(a, dim=1)[0]")),
    row("torch.cummin", partial(_running_extreme, "min"), *_of_matrix("torch.cummin(a, dim=0)[0]")),
]


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


ROWS += [
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
