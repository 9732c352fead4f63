"""Subscripts of views: what they keep, two of them as one, axes that would be dropped and inserted again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import At, NewAxis, Range, Reverse, Subscript
from tensorlift.poly.affine import ONE, ZERO, Affine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.ir.tensor_program import Shape, SubscriptItem


def whole(extent: Affine) -> Range:
    """Return the subscript that keeps a whole axis."""
    return Range(ZERO, extent)


def is_whole(item: SubscriptItem, extent: Affine) -> bool:
    """Tell whether a subscript keeps a whole axis."""
    return isinstance(item, Range) and item.start == ZERO and item.stop == extent and item.step == 1


def subscript_shape(shape: Shape, items: Sequence[SubscriptItem]) -> Shape:
    """Return the shape of what subscripts take of an array."""
    result: list[Affine] = []
    axis = 0
    for item in items:
        if isinstance(item, NewAxis):
            result.append(ONE)
            continue
        if isinstance(item, Range):
            result.append(item.extent)
        elif isinstance(item, Reverse):
            result.append(shape[axis])
        axis += 1
    return (*result, *shape[axis:])


def composed_items(inner: Subscript, items: Sequence[SubscriptItem]) -> list[SubscriptItem] | None:
    """Return one subscript that does what two do, None where no single one does."""
    behind = inner.argument.rank - sum(not isinstance(item, NewAxis) for item in inner.items)
    waiting = [*inner.items, *map(whole, inner.argument.shape[inner.argument.rank - behind :])]
    result: list[SubscriptItem] = []
    extents = iter(inner.shape)
    for item in items:
        while waiting and isinstance(waiting[0], At):
            result.append(waiting.pop(0))
        if isinstance(item, NewAxis):
            result.append(item)
            continue
        below = waiting.pop(0)
        joined = below if is_whole(item, next(extents)) else _narrowed(below, item)
        if joined is None:
            return None
        result.append(joined)
    return [*result, *waiting]


def _narrowed(below: SubscriptItem, item: SubscriptItem) -> SubscriptItem | None:
    """Return the part that an item takes of a range with step 1."""
    if not isinstance(below, Range) or below.step != 1 or below.is_clamped:
        return None
    if isinstance(item, At):
        return At(below.start + item.index)
    if isinstance(item, Range):
        end = None if item.end is None else below.start + item.end
        return Range(below.start + item.start, below.start + item.stop, item.step, item.is_clamped, end)
    return None


def without_turns(items: Sequence[SubscriptItem], shape: Shape) -> list[SubscriptItem]:
    """Return subscripts that keep an axis of one position where they would drop it and insert it again."""
    kept: list[SubscriptItem] = []
    extents = iter(shape)
    extent = ZERO
    for item in items:
        if isinstance(item, NewAxis) and extent == ONE and isinstance(kept[-1], At):
            kept[-1], extent = whole(ONE), ZERO
            continue
        extent = ZERO if isinstance(item, NewAxis) else next(extents)
        kept.append(item)
    return kept
