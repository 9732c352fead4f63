"""Shapes that are seen anew: ``reshape`` where axes stay, axes of one position come and go, and axes are split.

An axis is split into one of any length and others of lengths that the source states: ``x.reshape(n // 2, 2, -1)``.
Axes that become one would need products of sizes and positions, by which no array is read here.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.frontends.python.defining import Function, new_array
from tensorlift.frontends.python.scalars import quotient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.frontends.python.defining import Given
    from tensorlift.poly.polynomial import Polynomial


class Group(NamedTuple):
    """An axis of an array, or none, and what it becomes: the lengths of the axes after the first, ``None`` for no axis.

    ``whole`` is the length of the first axis where all are stated.
    """

    axis: int | None
    others: tuple[int, ...] | None
    whole: int | None = None


def grouped(source: Sequence[Polynomial], target: Sequence[Polynomial | None], axis: int = 0) -> list[Group] | None:
    """Find how axes of some lengths become those of others, of which None is what is left; None where none is known."""
    if not source and not target:
        return []
    options: list[tuple[Group, int, int]] = []  # each with how many axes it takes on both sides
    if target and target[0] is not None and target[0].constant_value == 1:
        options.append((Group(None, ()), 0, 1))
    if source and source[0].constant_value == 1:
        options.append((Group(axis, None), 1, 0))
    if source and target and (target[0] is None or target[0] == source[0]):
        options.append((Group(axis, ()), 1, 1))
    if source and target:
        options += [(group, 1, 1 + len(group.others or ())) for group in _splits(source[0], target, axis)]
    for group, taken, made in options:
        rest = grouped(source[taken:], target[made:], axis + taken)
        if rest is not None:
            return [group, *rest]
    return None


def _splits(whole: Polynomial, target: Sequence[Polynomial | None], axis: int) -> list[Group]:
    """List the ways to split an axis into some of those that follow."""
    found: list[Group] = []
    others: list[int] = []
    product, first = 1, target[0]
    for length in target[1:]:
        stated = None if length is None else length.constant_value
        if stated is None or stated < 1:
            break
        others.append(stated)
        product *= stated
        own = None if first is None else first.constant_value
        if first is None or first.scale(product) == whole or first == quotient(whole, product):
            found.append(Group(axis, tuple(others)))
        elif own is not None:
            found.append(Group(axis, tuple(others), own))
    return found


def _reshaped(given: Mapping[str, Given], stated: Mapping[str, Any]) -> str:
    lines: list[str] = []
    shape: list[str] = []
    cells: list[str] = []
    for axis, others, whole in stated["groups"]:
        place = f"i{len(shape)}"
        if others is None:
            cells.append("0")
            continue
        if axis is None:
            shape.append("1")
            continue
        extent, product = f"a.shape[{axis}]", prod(others)
        if whole is not None:
            lines.append(f"assert {extent} == {whole * product}")
        elif others:
            lines.append(f"assert {extent} % {product} == 0")
        shape.append(str(whole) if whole is not None else f"{extent} // {product}" if others else extent)
        for length in others:
            place = f"({place} * {length} + i{len(shape)})"
            shape.append(str(length))
        cells.append(place)
    return "\n".join([*lines, new_array(shape, given["a"].dtype, f"a[{', '.join(cells)}]")])


RESHAPED = {"reshape": Function(("a",), {"groups": ()}, _reshaped)}
RESHAPING = {"reshape", "ravel", "flatten"}
