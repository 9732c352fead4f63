"""Kinds of parameters of operations of MLIR dialects that are read by their form, and what a row says of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.tensor import Shape, SymbolicTensor
from tensorlift.ops.dtypes import DType

if TYPE_CHECKING:
    from tensorlift.targets.target import OpRow

Ints = tuple[int, ...]
Labels = tuple[str, ...]
Pairs = tuple[tuple[int, int], ...]
Ranges = tuple[tuple[int, int, int], ...]  # start, limit and step for each axis
ElementType = DType  # of a result whose shape the operands tell
Region = Callable[..., SymbolicTensor]  # applies the region of an operation to its arguments


class ResultType(NamedTuple):
    """The type of a result that the operands do not tell; the text states it, every extent as a number."""

    shape: Shape
    dtype: DType


_OPERANDS = ("Tensor", "Tensors")
_GIVEN = ("ResultType", "ElementType", "Region")


def operands_of(row: OpRow) -> tuple[str, ...]:
    """Return the names of the operands, in order; one that stands for several ends the list."""
    return tuple(p.name for p in row.parameters if p.kind in _OPERANDS)


def attributes_of(row: OpRow) -> dict[str, str]:
    """Return the attributes by name, with their kinds."""
    return {p.name: p.kind for p in row.parameters if p.kind not in (*_OPERANDS, *_GIVEN)}


def given_to(row: OpRow, kind: str) -> str:
    """Return the parameter that takes the type of the result, its element type or the region, nothing without one."""
    return next((p.name for p in row.parameters if p.kind == kind), "")
