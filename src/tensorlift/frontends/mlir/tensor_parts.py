"""Parts of tensors in memory: those that are taken and put, one after the other or by iterations of a parallel loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import memref, tensor
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i32
from xdsl.ir import Block, Operation, Region, SSAValue

from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.tensors import InMemory, memory_of
from tensorlift.ir.location import location_of
from tensorlift.ir.parallel_syntax import ForallOp, InParallelOp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute

_INDEX = IndexType()


def _part(to: InMemory, op: Any, memory: SSAValue, of_type: Attribute) -> SSAValue:
    """See a part of a memory, as a slice says."""
    groups = [[to.known[value] for value in group] for group in (op.offsets, op.sizes, op.strides)]
    return subview(to, memory, groups, [op.static_offsets, op.static_sizes, op.static_strides], of_type)


def subview(
    to: InMemory,
    memory: SSAValue,
    groups: Sequence[Sequence[SSAValue]],
    static: Sequence[Attribute],
    of_type: Attribute,
) -> SSAValue:
    """See a part of a memory: offsets, sizes and strides, of which some are values."""
    names = ("static_offsets", "static_sizes", "static_strides")
    properties = dict(zip(names, static, strict=True))
    properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [1, *map(len, groups)])
    operands = [memory, *(value for group in groups for value in group)]
    return to.made(memref.SubviewOp.create(operands=operands, result_types=[of_type], properties=properties))


def extract_slice(to: InMemory, op: Operation) -> None:
    """Take a part."""
    (result,), part = op.results, op
    of_type = memory_of(result.type, op)
    view = _part(to, part, to.known[op.operands[0]], of_type)
    to.known[result] = to.copied(view, result.name_hint)


def insert_slice(to: InMemory, op: Operation) -> None:
    """Put a part into a tensor."""
    parts: Any = op
    memory = to.written(parts.dest, op, op.results[0].name_hint)
    source = to.known[parts.source]
    to.copy(source, _part(to, op, memory, source.type))
    to.known[op.results[0]] = memory


def forall(to: InMemory, op: Operation) -> None:
    """Keep the tensors that iterations make together in one memory each, of which each reads the part that it makes."""
    loop: Any = op
    block = op.regions[0].block
    count, parts = len(loop.outputs), [*block.last_op.regions[0].block.ops]  # type: ignore[union-attr]  # verified
    shared = block.args[len(block.args) - count :]
    for use in (use for own in shared for use in own.uses):
        is_target = use.operation in parts and use.index == 1
        if not is_target and not any(_is_part(use.operation, part) for part in parts):
            place = location_of(use.operation)
            raise refusal("tensors", place, "`scf.forall` reads what other iterations may make of its tensors")
    kept = [to.written(value, op, value.name_hint) for value in loop.outputs]
    to.own -= {*kept}
    inside, _ = to.inside(block, kept, [_INDEX] * (len(block.args) - count))
    outer, to.block = to.block, inside
    targets = dict(zip(shared, kept, strict=True))
    for part in parts:
        source, target = to.known[part.operands[0]], targets[part.operands[1]]
        to.copy(source, _part(to, part, target, source.type))
    to.add(InParallelOp.create(regions=[Region(Block())]))
    to.block = outer
    segments: Any = op.properties["operandSegmentSizes"]
    counts = DenseArrayBase.from_list(i32, [*[*segments.get_values()][:-1], 0])
    to.add(
        ForallOp.create(
            operands=[to.known[value] for value in op.operands[: len(op.operands) - count]],
            properties={**op.properties, "operandSegmentSizes": counts},
            attributes=dict(op.attributes),
            regions=[Region(inside)],
        )
    )
    to.own |= {*kept}
    to.known.update(zip(op.results, kept, strict=True))


def _is_part(reading: Operation, part: Any) -> bool:
    """Tell whether an operation asks for extents, or takes the part of a tensor that another one puts there."""
    if not isinstance(reading, tensor.ExtractSliceOp):
        return reading.name == "tensor.dim"
    names = ("static_offsets", "static_sizes", "static_strides")
    is_same = all(reading.properties[name] == part.properties[name] for name in names)
    return is_same and [*reading.operands] == [*part.operands[1:]]
