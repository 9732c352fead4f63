"""Positions of extremes for dialects that have no operation for them: the least index at which the extreme is."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE, ZERO
from tensorlift.comprehension.positions import DTYPE
from tensorlift.ir.tensor_program import (
    Elementwise,
    Expression,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reduction,
    Subscript,
)
from tensorlift.ops.dtypes import integer_range

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType


def without_position(node: Reduction) -> Reduction:
    """Return a reduction as one that folds, the first place of an extreme as the least index of those that have it."""
    if node.op not in ("argmax", "argmin"):
        return node
    argument, (axis,) = node.argument, node.axes
    kept = [Range(ZERO, extent) for extent in node.shape]
    op: Reducer = "max" if node.op == "argmax" else "min"
    best = Reduction(argument.dtype, node.shape, is_weak=False, argument=argument, op=op, axes=node.axes)
    aligned = _subscript(best, [*kept[:axis], NewAxis(), *kept[axis:]], (*node.shape[:axis], ONE, *node.shape[axis:]))
    extent = argument.shape[axis]
    places: Expression = Iota(DTYPE, (extent,), is_weak=False, start=ZERO)
    behind = argument.rank - axis - 1
    if behind:
        places = _subscript(places, [Range(ZERO, extent), *[NewAxis()] * behind], (extent, *[ONE] * behind))
    nothing = Literal(DTYPE, (), is_weak=True, value=Fraction(integer_range(DTYPE)[1]))
    is_best = _cellwise("eq", "bool", argument, aligned)
    chosen = _cellwise("select", DTYPE, is_best, places, nothing)
    return Reduction(DTYPE, node.shape, is_weak=False, argument=chosen, op="min", axes=node.axes)


def _cellwise(op: str, dtype: DType, first: Expression, *others: Expression) -> Expression:
    """Apply a scalar function to operands that broadcast to the shape of the first."""
    return Elementwise(dtype, first.shape, is_weak=False, op=op, arguments=(first, *others))


def _subscript(argument: Expression, items: list[Range | NewAxis], shape: Shape) -> Expression:
    return Subscript(argument.dtype, shape, is_weak=False, argument=argument, items=tuple(items))
