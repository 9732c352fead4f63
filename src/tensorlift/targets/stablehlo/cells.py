"""Which cells a view has: the array behind slices, windows and gathers, and affine places in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import ZERO, Affine
from tensorlift.ir.tensor_program import (
    At,
    Broadcast,
    Cast,
    Elementwise,
    Gather,
    Iota,
    Literal,
    NewAxis,
    Range,
    Reverse,
    SizeValue,
    Subscript,
    Transpose,
    Windows,
)

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Expression

Indices = tuple[Affine, ...]


def cell_of(node: Expression, at: Indices) -> tuple[Expression, Indices]:
    """Return the array that a view is made of, and the place there of the cell at an index of the view."""
    if isinstance(node, Subscript):
        return cell_of(node.argument, _behind_items(node, at))
    if isinstance(node, Transpose):
        return cell_of(node.argument, tuple(at[node.permutation.index(axis)] for axis in range(node.rank)))
    if isinstance(node, Windows):
        inside = dict(zip(node.axes, at[node.argument.rank :], strict=True))
        places = at[: node.argument.rank]
        return cell_of(node.argument, tuple(p + inside.get(axis, ZERO) for axis, p in enumerate(places)))
    if isinstance(node, Gather):
        found = [number_at(index, at) for index in node.indices]
        indices = tuple(index for index in found if index is not None)
        if len(indices) == len(found):
            return cell_of(node.argument, indices)
    return node, at


def _behind_items(node: Subscript, at: Indices) -> Indices:
    walks, extents = iter(at), iter(node.argument.shape)
    found: list[Affine] = []
    for item in node.items:
        if isinstance(item, NewAxis):
            next(walks)
            continue
        extent = next(extents)
        if isinstance(item, At):
            found.append(item.index)
        elif isinstance(item, Range):
            found.append(item.start + next(walks) * item.step)
        elif isinstance(item, Reverse):
            found.append(extent - 1 - next(walks))
    return (*found, *walks)


def number_at(node: Expression, at: Indices) -> Affine | None:
    """Return the number at an index of what an array of indices broadcasts to, where it is affine in the index."""
    at = at[len(at) - node.rank :]
    array, place = cell_of(node, tuple(ZERO if e == 1 else index for e, index in zip(node.shape, at, strict=True)))
    if isinstance(array, Literal):
        return Affine(int(array.value)) if not isinstance(array.value, str) else None
    if isinstance(array, SizeValue):
        return array.affine
    if isinstance(array, Iota):
        return array.start + place[0]
    if isinstance(array, Cast | Broadcast):
        return number_at(array.argument, place)
    if not isinstance(array, Elementwise):
        return None
    numbers = [number_at(argument, place) for argument in array.arguments]
    return _combined(array.op, [number for number in numbers if number is not None], len(numbers))


def _combined(op: str, numbers: list[Affine], arity: int) -> Affine | None:
    if len(numbers) < arity:
        return None
    if op == "neg":
        return -numbers[0]
    if op in ("add", "sub"):
        return numbers[0] + numbers[1] if op == "add" else numbers[0] - numbers[1]
    if op == "mul":
        factor, other = numbers if numbers[0].is_constant else numbers[::-1]
        return other * factor.constant if factor.is_constant else None
    return None
