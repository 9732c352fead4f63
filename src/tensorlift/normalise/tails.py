"""Short ends that several ways have are written once for each: where they would need a flag, that says less.

if (a) { if (b) continue; x; } y;                if (a) { if (!b) { x; y; } } else y;
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.cf import BranchOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, SSAValue

from tensorlift.ir.location import location_of
from tensorlift.normalise.edit import last_of
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.normalise.graph import Graph

_MOST_OPERATIONS = 12
_MOST_WAYS = 3
_MOST_COPIED = 40_000  # operations; more take seconds


def write_tails(graph: Graph) -> bool:
    """Write each short end that not all ways have as often as it is reached; tell whether there is any."""
    tails = list(_tails(graph))
    room = _MOST_COPIED
    for tail in tails:
        for use in tuple(tail.uses)[1:]:
            use.operation.successors[use.index] = _copy(tail)
            room -= len(tail.ops)
            if room < 0:
                location = location_of(last_of(tail))
                raise refusal("step-limit", location, f"more than {_MOST_COPIED} operations by ends that are shared")
    return bool(tails)


def _tails(graph: Graph) -> Iterator[Block]:
    for step, merges in graph.merges.items():
        level = next((h for h in graph.around(step) if all(merge in graph.loops[h].blocks for merge in merges)), None)
        for number in merges:
            block = graph.blocks[number]
            is_short = isinstance(block.last_op, BranchOp | ReturnOp) and len(block.ops) <= _MOST_OPERATIONS
            if not is_short or len(graph.sources[number]) > _MOST_WAYS or graph.join(step, level) == number:
                continue
            if step in graph.loops or number in graph.loops or any(graph.alternatives(step, [number])):
                continue
            if all(use.operation.parent is block for value in graph.values([number]) for use in value.uses):
                yield block


def _copy(block: Block) -> Block:
    made = Block(arg_types=[argument.type for argument in block.args])
    known: dict[SSAValue, SSAValue] = {}
    for argument, mine in zip(block.args, made.args, strict=True):
        mine.name_hint = argument.name_hint
        known[argument] = mine
    made.add_ops(op.clone(known) for op in block.ops)
    assert block.parent is not None
    block.parent.insert_block_after(made, block)
    return made
