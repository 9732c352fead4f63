"""Positions: those of extremes, where dialects have no operation for them, and of the cells that views show."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE, ZERO
from tensorlift.comprehension.positions import DTYPE
from tensorlift.ir.tensor_program import (
    At,
    Elementwise,
    Expression,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reduction,
    Reverse,
    Subscript,
)
from tensorlift.ops.dtypes import integer_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.affine import Affine
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


def source_of(node: Subscript, indices: tuple[Affine, ...]) -> tuple[Affine, ...]:
    """Return the operand's index for an index of a view."""
    result: list[Affine] = []
    place = 0
    for item in node.items:
        if isinstance(item, At):
            result.append(item.index)
            continue
        index = indices[place]
        place += 1
        if isinstance(item, Range):
            result.append(index * item.step + item.start)
        elif isinstance(item, Reverse):
            result.append(node.argument.shape[len(result)] - 1 - index)
    return (*result, *indices[place:])


def combined(op: str, numbers: Sequence[Affine]) -> Affine | None:
    """Return an operation on affine numbers, None where that is not affine."""
    if op == "neg":
        return -numbers[0]
    if op in ("add", "sub"):
        return numbers[0] + numbers[1] if op == "add" else numbers[0] - numbers[1]
    if op == "mul":
        factor, other = numbers if numbers[0].is_constant else numbers[::-1]
        return other * factor.constant if factor.is_constant else None
    return None
