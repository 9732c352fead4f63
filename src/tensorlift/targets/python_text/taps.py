"""Sums over windows of constant extents as sums of slices: ``sum(x[k : k + n] * w[k] for k in range(3))``.

Every library copies windows that overlap before it multiplies them, which takes several to a hundred times longer.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.ir.tensor_program import (
    At,
    Cast,
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
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import Expression, Reduction, Shape
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.python_text.spelling import Spelling

_MOST = 64  # slices of one sum


class _Taps(NamedTuple):
    """Windows of constant extents: the array, a slice of it for windows that begin at zero, the axes and extents."""

    array: Expression
    items: tuple[Range, ...]
    axes: tuple[int, ...]
    extents: tuple[int, ...]
    shape: Shape
    dtype: DType

    def at(self, counters: Sequence[str]) -> Expression:
        """Return the cells of all windows at one place in each."""
        begins = dict(zip(self.axes, map(Affine.var, counters), strict=True))
        items = tuple(
            replace(item, start=item.start + begins[axis], stop=item.stop + begins[axis]) if axis in begins else item
            for axis, item in enumerate(self.items)
        )
        cells = Subscript(self.array.dtype, self.shape, False, self.array, items)  # noqa: FBT003 - no Python number
        return _converted(cells, self.dtype)

    def clauses(self, counters: Sequence[str]) -> str:
        """Spell what the counters count."""
        counts = zip(counters, self.extents, strict=True)
        return " ".join(f"for {name} in range({extent})" for name, extent in counts)


def product_text(spell: Spelling, node: Contraction, least: int = 1) -> Text | None:
    """Spell a product of windows along ``least`` axes or more and another array; None where it is no such product."""
    if len(node.arguments) != 2:  # noqa: PLR2004 - a product of two
        return None
    pairs = [*zip(node.arguments, node.labels, strict=True)]
    for (windows, spec), (factor, labels) in (pairs, pairs[::-1]):
        taps = _taps_of(windows)
        other = factor.argument if isinstance(factor, Cast) else factor
        if taps is None or len(taps.axes) < least or factor.dtype != node.dtype or not _is_at_hand(other):
            continue
        positions, inside = spec[: len(taps.shape)], spec[len(taps.shape) :]
        counters = _counters(spell, len(inside))
        if (
            counters is None
            or not set(inside) <= set(labels) - set(node.output)
            or not set(node.output) <= set(positions) | set(labels)
            or len(set(spec)) < len(spec)
            or len(set(labels)) < len(labels)
        ):
            continue
        at = dict(zip(inside, map(Affine.var, counters), strict=True))
        axes = [*zip(labels, other.shape, strict=True)]
        items = tuple(At(at[label]) if label in at else Range(ZERO, extent) for label, extent in axes)
        rest = tuple(label for label in labels if label not in at)
        extents = tuple(extent for label, extent in axes if label not in at)
        picked = _converted(Subscript(other.dtype, extents, False, other, items), factor.dtype)  # noqa: FBT003 - no Python number
        cells = taps.at(counters)
        if set(positions) | set(rest) == set(node.output):
            operands = (along(cells, positions, node.output, node.shape), along(picked, rest, node.output, node.shape))
            body: Expression = Elementwise(node.dtype, node.shape, False, "mul", operands)  # noqa: FBT003 - as above
        else:
            body = Contraction(node.dtype, node.shape, False, (cells, picked), (positions, rest), node.output)  # noqa: FBT003 - as above
        return Text(f"sum({spell(body).source} {taps.clauses(counters)})")
    return None


def sum_text(spell: Spelling, node: Reduction) -> Text | None:
    """Spell a sum over all of each window; None where it is no such sum."""
    taps = _taps_of(node.argument) if node.op == "sum" else None
    if taps is None or sorted(node.axes) != list(range(len(taps.shape), node.argument.rank)):
        return None
    counters = _counters(spell, len(taps.axes))
    if counters is None or node.dtype != taps.dtype:
        return None
    return Text(f"sum({spell(taps.at(counters)).source} {taps.clauses(counters)})")


def _converted(node: Expression, dtype: DType) -> Expression:
    return node if node.dtype == dtype else Cast(dtype, node.shape, False, node)  # noqa: FBT003 - no Python number


def _counters(spell: Spelling, count: int) -> list[str] | None:
    """Choose names that the text does not use otherwise."""
    free = [letter for letter in "klpqrstuvw" if letter not in spell.names.values()]
    return free[:count] if len(free) >= count else None


def _taps_of(node: Expression) -> _Taps | None:
    """Take windows apart, some of which may be left out, and which may be converted to another type."""
    dtype = node.dtype
    if isinstance(node, Cast):
        node = node.argument
    shape, items = node.shape, node.items if isinstance(node, Subscript) else ()
    if isinstance(node, Subscript):
        node = node.argument
    if not isinstance(node, Windows) or not _is_at_hand(node.argument) or "bool" in {dtype, node.dtype}:
        return None
    rank, whole = node.argument.rank, [Range(ZERO, extent) for extent in node.shape]
    items = (*items, *whole[len(items) :])
    slices = tuple(item for item in items[:rank] if isinstance(item, Range) and not item.is_clamped)
    extents = tuple(extent.constant for extent in node.extents if extent.is_constant)
    if len(slices) < rank or list(items[rank:]) != whole[rank:] or len(extents) < len(node.extents):
        return None
    if min(extents) < 1 or prod(extents) > _MOST:
        return None
    return _Taps(node.argument, slices, node.axes, extents, shape[:rank], dtype)


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
