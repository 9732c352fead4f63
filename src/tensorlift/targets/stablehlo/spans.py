"""What subscripts pick of an axis in StableHLO: where it starts, how many cells it has, and the step."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.diagnostics import refuse
from tensorlift.ir.tensor_program import At, NewAxis, Range, Reverse
from tensorlift.ops.scalar_ops import neutral
from tensorlift.poly.affine import ONE, ZERO, Affine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.diagnostics import LiftError
    from tensorlift.ir.tensor_program import Shape, SubscriptItem
    from tensorlift.ops.dtypes import DType


class Span(NamedTuple):
    """Every ``step``-th cell of an axis, ``cells`` of them, from one on that loops may compute."""

    start: Affine
    cells: Affine
    step: int = 1

    @property
    def width(self) -> Affine:
        """The number of cells from the first to the last."""
        return (self.cells - 1) * self.step + 1 if self.cells != ZERO else ZERO

    @property
    def limit(self) -> Affine:
        """The position behind the last cell."""
        return self.start + self.width

    @property
    def is_static(self) -> bool:
        """Whether start and number of cells are numbers."""
        return self.start.is_constant and self.cells.is_constant


def spans(items: Sequence[SubscriptItem], shape: Shape, is_counted: Callable[[Affine], bool]) -> list[Span]:
    """Return what subscripts pick of every axis, clipped as slices clip where all are numbers.

    ``is_counted`` tells what loops change.

    Raises:
        LiftError: TL308, where the number of cells changes with a loop.

    """
    extents = iter(shape)
    found = [_span(item, next(extents)) for item in _axes(items)]
    if any(is_counted(span.cells) for span in found):
        raise changing("takes cells")
    return [*found, *(Span(ZERO, extent) for extent in extents)]


def reversed_axes(items: Sequence[SubscriptItem]) -> list[int]:
    """Return the axes that are reversed."""
    return [axis for axis, item in enumerate(_axes(items)) if isinstance(item, Reverse)]


def changing(what: str) -> LiftError:
    """Build the refusal of a loop that needs arrays of changing extents."""
    message = f"a loop {what} whose number changes with it, but shapes in StableHLO do not"
    return refuse("TL308", message, remedy="lift to numpy, jax or torch")


def _axes(items: Sequence[SubscriptItem]) -> Iterator[SubscriptItem]:
    return (item for item in items if not isinstance(item, NewAxis))


def _span(item: SubscriptItem, extent: Affine) -> Span:
    if isinstance(item, At):
        return Span(item.index, ONE)
    if not isinstance(item, Range):
        return Span(ZERO, extent)
    if all(place.is_constant for place in (item.start, item.stop, extent)):
        start = min(max(item.start.constant, 0), extent.constant)
        stop = min(max(item.stop.constant, start), extent.constant)
        return Span(Affine(start), Affine(-(-(stop - start) // item.step)), item.step)
    length = item.stop - item.start
    if not length.is_constant:
        return Span(item.start, item.extent, item.step)
    return Span(item.start, Affine(-(-max(length.constant, 0) // item.step)), item.step)


def neutral_number(op: str, dtype: DType) -> float:
    """Return the number that a fold does not change another by."""
    value = neutral(op, dtype)
    return float(value) if isinstance(value, str) else value
