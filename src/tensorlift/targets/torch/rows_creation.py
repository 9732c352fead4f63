"""Tensors from nothing or from one value; each names its type, or takes type and device of another tensor."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ZERO
from tensorlift.comprehension.domain import at_least
from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor, number
from tensorlift.targets.arrays import creation
from tensorlift.targets.target import Device, ElementType, Memory, OpRow, Size, Sizes, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable


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


def _constant(
    value: int,
    o: Obligations,
    size: Sizes,
    *,
    dtype: ElementType,
    device: Device | None = None,  # noqa: ARG001 - says where, not what
) -> SymbolicTensor:
    return creation.full(o, size, number(value), dtype)


def _new_constant(
    value: int, o: Obligations, x: Tensor, size: Sizes, dtype: ElementType | None = None
) -> SymbolicTensor:
    return creation.full(o, size, number(value), dtype or ElementType(x.dtype))


def _constant_like(value: int, o: Obligations, input: Tensor, *, dtype: ElementType | None = None) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    return creation.full(o, input.shape, number(value), dtype or ElementType(input.dtype))


def _empty(
    o: Obligations,
    size: Sizes,
    *,
    dtype: ElementType,
    device: Device | None = None,  # noqa: ARG001 - says where, not what
) -> SymbolicTensor:
    return creation.empty(o, size, dtype)


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


def _eye(
    o: Obligations,
    n: Size,
    m: Size | None = None,
    *,
    dtype: ElementType,
    device: Device | None = None,  # noqa: ARG001 - says where, not what
) -> SymbolicTensor:
    return creation.diagonal_mask(o, n, m, dtype=dtype)


def _triangle(
    shared: Callable[..., SymbolicTensor],
    o: Obligations,
    input: Tensor,  # noqa: A002 - PyTorch's name
    diagonal: Size = ZERO,
) -> SymbolicTensor:
    return shared(o, input, diagonal)


def _broadcast_to(o: Obligations, input: Tensor, size: Sizes) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
    return creation.broadcast(o, input, size)


_TYPES = ("dtype=torch.int32", "dtype=torch.float64", "dtype=torch.bool, device=x.device")


def _constants(name: str, value: int) -> list[OpRow]:
    texts = [f"torch.{name}((m, n), {dtype})" for dtype in _TYPES] + [f"torch.{name}(n, dtype=torch.float32)"]
    new = [f"x.new_{name}((m, n))", f"x.new_{name}(n, dtype=torch.int32)", f"x.new_{name}(())"]
    like = [f"torch.{name}_like(x)", f"torch.{name}_like(x, dtype=torch.float32)"]
    return [
        row(f"torch.{name}", partial(_constant, value), *tuple(sample(text, x="f64[m]") for text in texts)),
        row(
            f".new_{name}()",
            partial(_new_constant, value),
            *tuple(sample(text, x="arith[m]") for text in new),
            name=f"new_{name}",
            reads_cells=False,
        ),
        row(
            f"torch.{name}_like",
            partial(_constant_like, value),
            *tuple(sample(text, x="arith[m, n]") for text in like),
            name=f"{name}_like",
            reads_cells=False,
        ),
    ]


def _triangles(name: str, shared: Callable[..., SymbolicTensor]) -> list[OpRow]:
    texts = [f"torch.{name}(a{offset})" for offset in ("", ", 1", ", diagonal=-1", ", n - m")]
    samples = tuple(sample(text, a="arith[m, n]") for text in texts)
    return [row(f"torch.{name}", partial(_triangle, shared), *samples)]


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
    row("torch.empty", _empty, "torch.zeros_like(torch.empty((m, n), dtype=torch.int32))", memory=Memory.BLANK),
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
        *tuple(
            sample(text, x="f64[m]")
            for text in (
                "torch.arange(n)",
                "torch.arange(m, m + n)",
                "torch.arange(n, dtype=torch.int32, device=x.device)",
                "torch.arange(n - 1, -1, -1)",
                "torch.arange(0, n, 2)",
                "torch.arange(n, dtype=torch.float64)",
                "torch.arange(n)[:, None] * 2 - torch.arange(m) + 1",
            )
        ),
    ),
    row(
        "torch.eye",
        _eye,
        "torch.eye(n, dtype=torch.bool)",
        "torch.eye(m, n, dtype=torch.float64, device=x.device)",
        x="f64[m]",
    ),
    *_triangles("tril", creation.lower_triangle),
    *_triangles("triu", creation.upper_triangle),
    row(
        "torch.broadcast_to",
        _broadcast_to,
        "torch.broadcast_to(a, (m, n))",
        sample("torch.broadcast_to(a[:, None], (m, n))", a="number[m]"),
        "torch.broadcast_to(x, (m, n))",
        memory=Memory.WINDOW,
        a="number[n]",
        x="number[]",
    ),
]
