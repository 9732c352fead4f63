"""Reductions over axes and running reductions along one axis, with PyTorch's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.targets.arrays import reduction
from tensorlift.targets.target import Axes, ElementType, Flag, OpRow, Sample, Tensor, row, sample

if TYPE_CHECKING:
    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.targets.target import Meaning

_INTEGER_TEXTS = ("dim=0, dtype=torch.int32", "dtype=torch.float64")


def _summed(op: Reducer) -> Meaning:
    def meaning(
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

    return meaning


def _picked(op: Reducer) -> Meaning:
    def meaning(o: Obligations, input: Tensor, dim: Axes = None, keepdim: Flag = False) -> SymbolicTensor:  # noqa: A002, FBT002 - PyTorch's parameters
        if op in ("max", "min") and input.dtype == "bool":
            o.refuse("an extreme of truth values")
        return reduction.reduction(op)(o, input, dim, keepdims=keepdim)

    return meaning


def _position(*, is_greatest: bool) -> Meaning:
    def meaning(o: Obligations, input: Tensor, dim: int | None = None, keepdim: Flag = False) -> SymbolicTensor:  # noqa: A002, FBT002 - PyTorch's parameters
        return reduction.position(is_greatest=is_greatest)(o, input, dim, keepdims=keepdim)

    return meaning


def _mean(o: Obligations, input: Tensor, dim: Axes = None, keepdim: Flag = False) -> SymbolicTensor:  # noqa: A002, FBT002 - PyTorch's parameters
    return reduction.mean(o, input, dim, keepdims=keepdim)


def _running(op: Reducer) -> Meaning:
    def meaning(o: Obligations, input: Tensor, dim: int, *, dtype: ElementType | None = None) -> SymbolicTensor:  # noqa: A002 - PyTorch's name
        return reduction.running(op, default_axis=None)(o, input, dim, dtype)

    return meaning


def _running_extreme(op: Reducer) -> Meaning:
    def meaning(o: Obligations, input: Tensor, dim: int) -> tuple[SymbolicTensor, ...]:  # noqa: A002 - PyTorch's name
        """Give the values; where they stood, which PyTorch gives too, has no name here."""
        return (reduction.running(op, default_axis=None)(o, input, dim),)

    return meaning


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
    *_rows("sum", _summed("sum"), "arith", 0, *_TEXTS, *_INTEGER_TEXTS),
    *_rows("prod", _summed("prod"), "arith", 0, *_ONE_AXIS, *_INTEGER_TEXTS),
    *_rows("amax", _picked("max"), "arith", 1, *_TEXTS),
    *_rows("amin", _picked("min"), "arith", 1, *_TEXTS),
    *_rows("argmax", _position(is_greatest=True), "tied", 1, "dim=0", "dim=-1, keepdim=True"),
    *_rows("argmin", _position(is_greatest=False), "tied", 1, "dim=0", "dim=-1, keepdim=True"),
    *_rows("any", _picked("any"), "sparse", 0, *_TEXTS),
    *_rows("all", _picked("all"), "sparse", 0, *_TEXTS),
    *_rows("mean", _mean, "real", 1, *_TEXTS),
    *_rows("cumsum", _running("sum"), "arith", 0, "dim=0", "dim=-1", "dim=1, dtype=torch.int32"),
    *_rows("cumprod", _running("prod"), "arith", 0, "dim=0", "dim=-1"),
    row("torch.cummax", _running_extreme("max"), *_of_matrix("torch.cummax(a, dim=1)[0]")),
    row("torch.cummin", _running_extreme("min"), *_of_matrix("torch.cummin(a, dim=0)[0]")),
]
