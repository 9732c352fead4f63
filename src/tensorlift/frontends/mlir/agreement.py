"""Extents that operands of one operation of Linalg share: where they differ, the operation means nothing.

Only operations of a function's own block count, which run whenever the function does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import BlockArgument, Operation
from xdsl.ir.affine import AffineDimExpr

from tensorlift.ir.subscripts import READ_ONLY, STRUCTURED

if TYPE_CHECKING:
    from xdsl.ir import Block, SSAValue

    Place = tuple[SSAValue, int]  # a memref and one of its dimensions

_ALLOCATIONS = ("memref.alloc", "memref.alloca")


class Agreement:
    """Which dimensions of which memrefs have one extent in a block."""

    def __init__(self, block: Block) -> None:
        self._classes: dict[Place, list[Place]] = {}
        for op in block.ops:
            if op.name in (*STRUCTURED, *READ_ONLY) and not op.results:
                self._unite(op)

    def _unite(self, op: Operation) -> None:
        from tensorlift.ir.structured import space_of  # noqa: PLC0415 - rare, and its dialect takes time to load

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

    def extent(self, value: SSAValue, axis: int) -> int | SSAValue | Place:
        """Give what tells an extent: a number, an argument of the function, or the first argument that has it."""
        places = self._classes.get((value, axis), [(value, axis)])
        told = [extent for place in places if (extent := _extent(*place)) is not None]
        return told[0] if told else next(place for place in places if isinstance(place[0], BlockArgument))


def _extent(value: SSAValue, axis: int) -> int | SSAValue | None:
    assert isinstance(value.type, MemRefType)
    shape = value.type.get_shape()
    if shape[axis] != DYNAMIC_INDEX:
        return int(shape[axis])
    if not isinstance(value.owner, Operation) or value.owner.name not in _ALLOCATIONS:
        return None
    size = value.owner.operands[shape[:axis].count(DYNAMIC_INDEX)]
    return size if isinstance(size, BlockArgument) else None
