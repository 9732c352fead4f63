"""Positions: those of extremes, where dialects have no operation for them, and of the cells that views show."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ONE, ZERO, Affine
from tensorlift.comprehension.positions import DTYPE
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Copy,
    Elementwise,
    Expression,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reduction,
    Reverse,
    SizeValue,
    Subscript,
    Transpose,
    Windows,
)
from tensorlift.ops.dtypes import integer_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Shape
    from tensorlift.ops.dtypes import DType

    Indices = tuple[Affine, ...]


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


def shown(node: Expression, at: Indices) -> tuple[Expression, Indices] | None:
    """Return the operand of a view, and the index there of the cell that it shows; None for what is no view."""
    if isinstance(node, Subscript):
        return node.argument, _behind(node, at)
    if isinstance(node, Transpose):
        return node.argument, tuple(at[node.permutation.index(axis)] for axis in range(node.rank))
    if isinstance(node, Windows):
        inside = dict(zip(node.axes, at[node.argument.rank :], strict=True))
        return node.argument, tuple(p + inside.get(axis, ZERO) for axis, p in enumerate(at[: node.argument.rank]))
    return None


def _behind(node: Subscript, indices: Indices) -> Indices:
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


def cell_of(node: Expression, at: Indices) -> tuple[Expression, Indices]:
    """Return the array that views and gathers show, and the place there of the cell at an index."""
    view = shown(node, at)
    if view is not None:
        return cell_of(*view)
    if isinstance(node, Gather):
        found = [number_at(index, at) for index in node.indices]
        indices = tuple(index for index in found if index is not None)
        if len(indices) == len(found):
            return cell_of(node.argument, indices)
    return node, at


def number_at(node: Expression, at: Indices) -> Affine | None:
    """Return the number at an index of what an array of indices broadcasts to, where it is affine in the index."""
    at = at[len(at) - node.rank :]
    array, place = cell_of(node, tuple(ZERO if e == 1 else index for e, index in zip(node.shape, at, strict=True)))
    if isinstance(array, Literal):
        return Affine(int(array.value)) if not isinstance(array.value, str) and array.value.denominator == 1 else None
    if isinstance(array, SizeValue):
        return array.affine
    if isinstance(array, Iota):
        return array.start + place[0]
    if isinstance(array, Cast | Copy | Broadcast):
        return number_at(array.argument, place)
    if not isinstance(array, Elementwise):
        return None
    numbers = [number_at(argument, place) for argument in array.arguments]
    known = [number for number in numbers if number is not None]
    return _combined(array.op, known) if len(known) == len(numbers) else None


def _combined(op: str, numbers: Sequence[Affine]) -> Affine | None:
    """Return an operation on affine numbers, None where that is not affine."""
    if op == "neg":
        return -numbers[0]
    if op in ("add", "sub"):
        return numbers[0] + numbers[1] if op == "add" else numbers[0] - numbers[1]
    if op == "mul":
        factor, other = numbers if numbers[0].is_constant else numbers[::-1]
        return other * factor.constant if factor.is_constant else None
    return None
