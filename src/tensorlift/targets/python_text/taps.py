"""Sums over windows of constant extents as sums of slices: ``sum(x[k : k + n] * w[k] for k in range(3))``.

Every library copies windows that overlap before it multiplies them, which takes several to a hundred times longer.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import (
    At,
    Contraction,
    Elementwise,
    NewAxis,
    Range,
    Subscript,
    Transpose,
    Variable,
    Windows,
)
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.targets.python_text.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.ir.tensor_program import Expression, Shape
    from tensorlift.targets.python_text.spelling import Spelling

_MOST = 64  # slices of one sum


def taps_text(spell: Spelling, node: Contraction, least: int = 1) -> Text | None:
    """Spell a product of windows along ``least`` axes or more and another array; None where it is no such product."""
    found = next(_windows_and_other(node), None)
    if found is None or len(found[0].axes) < least:
        return None
    windows, positions, inside, other, labels = found
    free = (letter for letter in "klpqrstuvw" if letter not in spell.names.values())
    names = dict(zip(inside, free, strict=False))
    if len(names) < len(inside):
        return None
    at = {label: Affine.var(name) for label, name in names.items()}
    begins = dict(zip(windows.axes, inside, strict=True))
    shape = windows.shape[: len(positions)]
    items = tuple(
        Range(at[begins[axis]], at[begins[axis]] + extent) if axis in begins else Range(ZERO, extent)
        for axis, extent in enumerate(shape)
    )
    tap = Subscript(windows.dtype, shape, False, windows.argument, items)  # noqa: FBT003 - no Python number
    picked = tuple(
        At(at[label]) if label in at else Range(ZERO, extent) for label, extent in zip(labels, other.shape, strict=True)
    )
    rest = tuple(label for label in labels if label not in at)
    extents = tuple(extent for label, extent in zip(labels, other.shape, strict=True) if label not in at)
    factor = Subscript(other.dtype, extents, False, other, picked)  # noqa: FBT003 - as above
    if set(positions) | set(rest) == set(node.output):
        operands = (along(tap, positions, node.output, node.shape), along(factor, rest, node.output, node.shape))
        body = spell(Elementwise(node.dtype, node.shape, False, "mul", operands))  # noqa: FBT003 - as above
    else:
        body = spell(Contraction(node.dtype, node.shape, False, (tap, factor), (positions, rest), node.output))  # noqa: FBT003 - as above
    counts = zip(names.values(), windows.extents, strict=True)
    return Text(f"sum({body.source} {' '.join(f'for {name} in range({extent})' for name, extent in counts)})")


def _windows_and_other(
    node: Contraction,
) -> Iterator[tuple[Windows, tuple[str, ...], tuple[str, ...], Expression, tuple[str, ...]]]:
    """Yield the windows of a product of two, labels of their positions and inside, the other operand and its labels."""
    if len(node.arguments) != 2:  # noqa: PLR2004 - a product of two
        return
    for (windows, labels), (other, others) in zip(
        zip(node.arguments, node.labels, strict=True),
        [*zip(node.arguments, node.labels, strict=True)][::-1],
        strict=True,
    ):
        if not isinstance(windows, Windows):
            continue
        rank = windows.argument.rank
        positions, inside = labels[:rank], labels[rank:]
        if (
            all(extent.is_constant and extent.constant >= 1 for extent in windows.extents)
            and prod(extent.constant for extent in windows.extents) <= _MOST
            and windows.dtype == other.dtype == node.dtype
            and _is_at_hand(windows.argument)
            and _is_at_hand(other)
            and set(inside) <= set(others) - set(node.output)
            and set(node.output) <= set(positions) | set(others)
            and len(set(labels)) == len(labels)
            and len(set(others)) == len(others)
        ):
            yield windows, positions, inside, other, others


def _is_at_hand(node: Expression) -> bool:
    """Tell whether an expression costs nothing each time that it is written."""
    while isinstance(node, Subscript | Transpose):
        node = node.argument
    return isinstance(node, Variable)


def along(operand: Expression, labels: tuple[str, ...], axes: tuple[str, ...], shape: Shape) -> Expression:
    """Bring an operand's axes into order, with new ones between them, as they broadcast."""
    wanted = tuple(label for label in axes if label in labels)
    if not wanted:
        return operand
    if wanted != labels:
        order = tuple(map(labels.index, wanted))
        operand = Transpose(operand.dtype, tuple(operand.shape[k] for k in order), operand.is_weak, operand, order)
    first = axes.index(wanted[0])
    items = [
        Range(ZERO, extent) if label in labels else NewAxis()
        for label, extent in zip(axes[first:], shape[first:], strict=True)
    ]
    if not any(isinstance(item, NewAxis) for item in items):
        return operand
    extents = tuple(ONE if isinstance(item, NewAxis) else item.stop for item in items)
    return Subscript(operand.dtype, extents, operand.is_weak, operand, tuple(items))
