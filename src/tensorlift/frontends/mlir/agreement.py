"""Extents that operands of one operation of Linalg share: where they differ, the operation means nothing.

Only operations of a function's own block count, which run whenever the function does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr

from tensorlift.frontends.mlir.values import Scalar, View
from tensorlift.ir.structured import space_of
from tensorlift.ir.subscripts import STRUCTURED
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.ir import Block, SSAValue

    from tensorlift.frontends.mlir.values import Known, Memory

    Place = tuple[SSAValue, int]  # a memref and one of its dimensions

_ALLOCATIONS = ("memref.alloc", "memref.alloca")


class Agreement:
    """Which dimensions of which memrefs have one extent in a block."""

    def __init__(self, block: Block) -> None:
        self._classes: dict[Place, list[Place]] = {}
        for op in block.ops:
            if op.name in STRUCTURED and not op.results:
                self._unite(op)

    def _unite(self, op: Operation) -> None:
        loops: dict[int, Place] = {}
        for value, subscripts in zip(op.operands, space_of(op).maps, strict=True):
            for axis, expression in enumerate(subscripts.results):
                if isinstance(expression, AffineDimExpr):
                    self._join(loops.setdefault(expression.position, (value, axis)), (value, axis))

    def _join(self, one: Place, other: Place) -> None:
        first, second = (self._classes.setdefault(place, [place]) for place in (one, other))
        if first is not second:
            first += second
            self._classes.update(dict.fromkeys(second, first))

    def extent(self, memory: Memory, axis: int, known: Mapping[SSAValue, Known]) -> Affine | None:
        """Give an extent of a memory that the ``known`` values tell, None where they do not."""
        whole = View.whole(memory)
        own = [value for value, view in known.items() if view == whole]
        places = [place for value in own for place in self._classes.get((value, axis), ())]
        found = (_extent(value, dimension, known) for value, dimension in places)
        return next((extent for extent in found if extent is not None), None)


def _extent(value: SSAValue, axis: int, known: Mapping[SSAValue, Known]) -> Affine | None:
    assert isinstance(value.type, MemRefType)
    shape = value.type.get_shape()
    if shape[axis] != DYNAMIC_INDEX:
        return Affine(shape[axis])
    view = known.get(value)
    if isinstance(view, View):
        return view.extents[axis] or view.memory.extents[view.axes[axis]]
    if not isinstance(value.owner, Operation) or value.owner.name not in _ALLOCATIONS:
        return None
    size = known.get(value.owner.operands[shape[:axis].count(DYNAMIC_INDEX)])
    return size.index if isinstance(size, Scalar) else None
