"""Layouts of memrefs: where elements lie does not matter to a lifted program, as long as no two share a place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import AffineMapAttr, IntAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir.affine import AffineDimExpr

from tensorlift.frontends.mlir.refusals import refusal

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location


def check_layout(of_type: MemRefType[Any], place: Location | None) -> None:
    """Refuse layouts in which elements overlap or may overlap; dynamic strides are taken not to."""
    layout: Any = of_type.layout
    if isinstance(layout, NoneAttr):
        return
    if isinstance(layout, StridedLayoutAttr):
        strides = [stride.data if isinstance(stride, IntAttr) else None for stride in layout.strides]
        if _may_overlap(strides, of_type.get_shape()):
            raise refusal("layout", place, f"{of_type}")
        return
    if not isinstance(layout, AffineMapAttr) or not _permutes(layout):
        raise refusal("layout", place, f"{of_type}")


def _permutes(layout: AffineMapAttr) -> bool:
    """Tell whether a map only orders the dimensions in another way."""
    positions = [r.position if isinstance(r, AffineDimExpr) else -1 for r in layout.data.results]
    return sorted(positions) == list(range(layout.data.num_dims))


def _may_overlap(strides: list[int | None], shape: tuple[int, ...]) -> bool:
    """Tell whether the constant strides let two elements share a place: each must pass all that lies inside of it."""
    inner = 1
    for stride, extent in sorted((s, n) for s, n in zip(strides, shape, strict=True) if s is not None and n != 1):
        if abs(stride) < inner:
            return True
        inner = abs(stride) * max(extent - 1, 0) + inner
    return False
