"""Regions of blocks that jump to each other: each becomes a block, in an order in which values come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.ir import Block

from tensorlift.readers.mlir.context import grouped, lane_hints, lane_types, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, Region

    from tensorlift.readers.mlir.context import Context, Known

_EQUAL = 0


def jumping(ctx: Context, region: Region) -> tuple[list[Known], Operation]:
    """Read the blocks of a region; give what it ends with, and the last operation of a block that ends it."""
    entry, *others = _in_order(region.blocks[0])
    ends = [block for block in (entry, *others) if not _following(block)]
    if not ends:
        around = region.parent_op()
        assert around is not None
        raise ctx.refusal("control", around, "its blocks have no end")
    made = {block: _block(ctx, block) for block in others}
    done: Block | None = None
    for block in (entry, *(block for block in others if block not in ends), *(end for end in ends if end is not entry)):
        if block is not entry:
            ctx.begin(made[block])
        last = ctx.read(block)
        ctx.place = last.location
        if block not in ends:
            _jump(ctx, last, made)
        elif len(ends) == 1:
            return [ctx.known[value] for value in last.operands], last
        else:
            done = done or Block(arg_types=lane_types([value.type for value in last.operands], last))
            ctx.jump(done, ctx.flat(last.operands))
    assert done is not None
    ctx.begin(done)
    for argument in done.args:
        argument.location = ctx.place
    return grouped([value.type for value in last.operands], done.args), last


def _in_order(entry: Block) -> list[Block]:
    """List blocks that can be reached, each after those through which all ways to it lead."""
    found: list[Block] = []
    seen = {entry}
    pending = [(entry, _following(entry))]
    while pending:
        block, left = pending[-1]
        target = next((one for one in left if one not in seen), None)
        if target is None:
            found.append(block)
            pending.pop()
        else:
            seen.add(target)
            pending.append((target, _following(target)))
    return found[::-1]


def _following(block: Block) -> Sequence[Block]:
    return block.last_op.successors if block.last_op is not None else ()


def _block(ctx: Context, block: Block) -> Block:
    """Make a block with the arguments of another, lane by lane."""
    around = block.parent_op()
    assert around is not None
    made = Block(arg_types=lane_types([argument.type for argument in block.args], around))
    for argument, hint in zip(made.args, lane_hints(block.args), strict=True):
        argument.location = ctx.place
        named(argument, ctx.names.fresh(hint, "carried"))
    ctx.bind(block.args, made.args)
    return made


def _jump(ctx: Context, last: Any, made: dict[Block, Block]) -> None:
    if last.name == "cf.br":
        ctx.jump(made[last.successor], ctx.flat(last.arguments))
    elif last.name == "cf.cond_br":
        way = Block()
        ctx.branch(ctx.number(last.cond), way, made[last.else_block], ctx.flat(last.else_arguments))
        ctx.begin(way)
        ctx.jump(made[last.then_block], ctx.flat(last.then_arguments))
    elif last.name == "cf.switch":
        _switch(ctx, last, made)
    else:
        raise ctx.refusal("control", last, f"`{last.name}` jumps")


def _switch(ctx: Context, last: Any, made: dict[Block, Block]) -> None:
    """Compare with each case in turn."""
    flag = ctx.number(last.flag)
    cases = last.case_values.get_values() if last.case_values is not None else ()
    for number, target, given in zip(cases, last.case_blocks, last.case_operand, strict=True):
        way, otherwise = Block(), Block()
        ctx.branch(ctx.compared(_EQUAL, flag, ctx.constant(int(number), flag.type)), way, otherwise)
        ctx.begin(way)
        ctx.jump(made[target], ctx.flat(given))
        ctx.begin(otherwise)
    ctx.jump(made[last.default_block], ctx.flat(last.default_operands))
