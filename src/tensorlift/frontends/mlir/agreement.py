"""Extents that operands of one operation of Linalg share: where they differ, the operation means nothing.

Only operations of a function's own block count, which run whenever the function does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType
from xdsl.ir import BlockArgument, Operation
from xdsl.ir.affine import AffineDimExpr

from tensorlift.ir.arithmetic import constant_of
from tensorlift.ir.subscripts import READ_ONLY, STRUCTURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
            elif op.name == "memref.copy":
                one, other = op.operands
                for axis in range(len(_shape(one))):
                    self._join((one, axis), (other, axis))
            elif op.name in _ALLOCATIONS:
                for axis, place in _made_of(op):
                    self._join((op.results[0], axis), place)

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


def _shape(value: SSAValue) -> Sequence[int]:
    assert isinstance(value.type, MemRefType)
    return value.type.get_shape()


def _made_of(op: Operation) -> Iterator[tuple[int, Place]]:
    """Yield the open dimensions of memory that is made as large as a dimension of another one."""
    dimensions = [axis for axis, extent in enumerate(_shape(op.results[0])) if extent == DYNAMIC_INDEX]
    for axis, size in zip(dimensions, op.operands, strict=True):
        if isinstance(size.owner, Operation) and size.owner.name == "memref.dim":
            memory, place = size.owner.operands
            if (number := constant_of(place)) is not None and 0 <= number < len(_shape(memory)):
                yield axis, (memory, int(number))


def _extent(value: SSAValue, axis: int) -> int | SSAValue | None:
    shape = _shape(value)
    if shape[axis] != DYNAMIC_INDEX:
        return int(shape[axis])
    if not isinstance(value.owner, Operation) or value.owner.name not in _ALLOCATIONS:
        return None
    size = value.owner.operands[shape[:axis].count(DYNAMIC_INDEX)]
    return size if isinstance(size, BlockArgument) else None
