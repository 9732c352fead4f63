"""Tensors whose axes are joined or split, in memory: each element is copied to where it stands among all, row by row.

The place in a joined axis is that of the first axis times the extent of the next one, plus the place there, and so on.
It is affine where all extents but the first are numbers; others are refused, and so is an open axis that gets longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.dialects.linalg.ops import GenericOp, YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.tensors import InMemory, memory_of
from tensorlift.ir.location import location_of

if TYPE_CHECKING:
    from collections.abc import Sequence


def collapse(to: InMemory, op: Operation) -> None:
    """Join axes."""
    source, (result,) = to.known[op.operands[0]], op.results
    of_type: Any = source.type
    groups, shape = _groups(op), of_type.get_shape()
    places = _places(op, groups, shape)
    made: Any = memory_of(result.type, op)
    sizes = [
        _extent(to, op, source, group)
        for group, extent in zip(groups, made.get_shape(), strict=True)
        if extent == DYNAMIC_INDEX
    ]
    memory = to.known[result] = to.allocated(made, sizes, result.name_hint)
    rank = len(shape)
    _copied(to, source, memory, AffineMap.identity(rank), AffineMap(rank, 0, tuple(places)))


def expand(to: InMemory, op: Operation) -> None:
    """Split axes."""
    source, *sizes = (to.known[value] for value in op.operands)
    (result,) = op.results
    made: Any = memory_of(result.type, op)
    shape = made.get_shape()
    places = _places(op, _groups(op), shape)
    if len(sizes) != shape.count(DYNAMIC_INDEX):
        raise refusal("operation", location_of(op), op.name)
    memory = to.known[result] = to.allocated(made, sizes, result.name_hint)
    rank = len(shape)
    _copied(to, source, memory, AffineMap(rank, 0, tuple(places)), AffineMap.identity(rank))


def _groups(op: Operation) -> list[list[int]]:
    """Give the axes that are one on the other side."""
    groups: Any = op.properties["reassociation"]
    return [[axis.value.data for axis in group] for group in groups]


def _places(op: Operation, groups: Sequence[Sequence[int]], shape: Sequence[int]) -> list[AffineExpr]:
    """Give the place in each joined axis by the places in those that it is joined of."""
    found = []
    for group in groups:
        first, *rest = [axis for axis in group if shape[axis] != 1] or group[:1]
        if any(shape[axis] == DYNAMIC_INDEX for axis in rest):
            raise refusal("open-axes", location_of(op), op.name)
        place: AffineExpr = AffineExpr.dimension(first)
        for axis in rest:
            place = place * shape[axis] + AffineExpr.dimension(axis)
        found.append(place)
    return found


def _extent(to: InMemory, op: Operation, source: SSAValue, group: Sequence[int]) -> SSAValue:
    """Give the extent of a joined axis that is open: that of one axis, beside which others have one position."""
    of_type: Any = source.type
    shape = of_type.get_shape()
    (open_,) = (axis for axis in group if shape[axis] == DYNAMIC_INDEX)
    if any(shape[axis] != 1 for axis in group if axis != open_):
        raise refusal("open-axes", location_of(op), op.name)
    return to.size(source, open_)


def _copied(to: InMemory, source: SSAValue, target: SSAValue, *maps: AffineMap) -> None:
    """Copy each element from its place to that in another memory, by a map for each."""
    of_type: Any = source.type
    block = Block(arg_types=[of_type.element_type] * 2)
    block.add_op(YieldOp(block.args[0]))
    kinds = [IteratorTypeAttr(IteratorType.PARALLEL)] * maps[0].num_dims
    to.add(GenericOp([source], [target], Region(block), [AffineMapAttr(one) for one in maps], kinds))
