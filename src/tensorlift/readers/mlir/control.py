"""Loops, conditions and calls: structured control becomes blocks, a call the body of what is called.

The iterations of a parallel loop run in order, which is one of the orders that it allows.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import inf
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, StringAttr
from xdsl.dialects.cf import AssertOp
from xdsl.dialects.ub import PoisonAttr, PoisonOp
from xdsl.ir import Block

from tensorlift.ir.arithmetic import constant, constant_of
from tensorlift.readers.mlir.context import lane_hints, lane_types, machine_type, named
from tensorlift.readers.mlir.jumps import jumping
from tensorlift.readers.mlir.scalars import applied, extremum, holds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Operation, Region, SSAValue

    from tensorlift.readers.mlir.context import Context, Rule

    Bounds = tuple[SSAValue, SSAValue, SSAValue]

_EQUAL = 0


def _affine_for(ctx: Context, op: Operation) -> None:
    loop: Any = op
    low = extremum(ctx, arith.MaxSIOp, applied(ctx, loop.lowerBoundMap.data, ctx.numbers(loop.lowerBoundOperands)))
    high = extremum(ctx, arith.MinSIOp, applied(ctx, loop.upperBoundMap.data, ctx.numbers(loop.upperBoundOperands)))
    _loop(ctx, op, (low, high, ctx.constant(loop.step.value.data)), list(loop.inits))


def _scf_for(ctx: Context, op: Operation) -> None:
    if "unsignedCmp" in op.properties:
        raise ctx.refusal("control", op, "a loop that compares unsigned bounds is not lifted")
    low, high, step = ctx.numbers(op.operands[:3])
    _check_step(ctx, op, step)
    _loop(ctx, op, (low, high, step), list(op.operands[3:]))


def _check_step(ctx: Context, op: Operation, step: SSAValue) -> None:
    """Refuse a step that is no step, where that is known."""
    number = constant_of(step)
    if number is not None and number < 1:
        raise ctx.refusal("step", op, str(number))


def _loop(ctx: Context, op: Operation, bounds: Bounds, initial: Sequence[SSAValue]) -> None:
    block = op.regions[0].block
    variable, *carried = block.args
    names = [ctx.names.fresh(hint, "carried") for hint in lane_hints(carried)]

    def body(index: SSAValue, values: list[SSAValue]) -> Sequence[SSAValue]:
        ctx.bind(block.args, [index, *values])
        return ctx.flat(ctx.read(block).operands)

    first = dict(zip(names, ctx.flat(initial), strict=True))
    ctx.bind(op.results, ctx.loop(bounds, first, body, variable.name_hint))


def _scf_while(ctx: Context, op: Operation) -> None:
    """Read what a loop does before its condition into the header, and what it does after that into the body.

    A condition in several steps, which a branch makes, leaves the loop from each.
    """
    before, after = (region.block for region in op.regions)
    place, first = ctx.place, ctx.flat(op.operands)
    header, inside, done = Block(arg_types=[value.type for value in first]), Block(), Block()
    for argument, hint in zip(header.args, lane_hints(before.args), strict=True):
        argument.location = place
        named(argument, ctx.names.fresh(hint, "carried"))
    ctx.bind(before.args, header.args)
    ctx.jump(header, first)
    ctx.begin(header)
    steps = _steps(before)
    if steps is not None:
        ctx.asked[steps] = inside, done
    last = ctx.read(before)
    handed = ctx.flat(last.operands[1:])
    if steps is None:
        ctx.branch(ctx.number(last.operands[0]), inside, done)
    ctx.begin(inside)
    ctx.bind(after.args, handed)
    following = ctx.flat(ctx.read(after).operands)
    ctx.place = place
    ctx.jump(header, following)
    ctx.begin(done)
    ctx.bind(op.results, handed)


def _steps(before: Block) -> Operation | None:
    """Return the branch whose only result is the condition that comes right after it."""
    last = before.last_op
    branch = last.prev_op if last is not None else None
    if last is None or branch is None or branch.name != "scf.if" or len(branch.results) != 1:
        return None
    uses = list(branch.results[0].uses)
    return branch if len(uses) == 1 and last.operands[0] is branch.results[0] else None


# -- parallel loops


def _affine_parallel(ctx: Context, op: Operation) -> None:
    loop: Any = op
    lower, upper = loop.lowerBoundsMap.data, loop.upperBoundsMap.data
    count = lower.num_dims + lower.num_symbols
    operands = ctx.numbers(op.operands)
    lows = _grouped(ctx, arith.MaxSIOp, applied(ctx, lower, operands[:count]), loop.lowerBoundsGroups)
    highs = _grouped(ctx, arith.MinSIOp, applied(ctx, upper, operands[count:]), loop.upperBoundsGroups)
    steps = [ctx.constant(step.value.data) for step in loop.steps]
    kinds, first = _reductions(loop), {}
    for kind, result in zip(kinds, op.results, strict=True):
        if kind not in _COMBINERS:
            raise ctx.refusal("control", op, f"a reduction by `{kind}` is not lifted")
        first[ctx.names.fresh("reduced", "reduced")] = _neutral(ctx, kind, machine_type(result.type, op))

    def combined(values: list[SSAValue], last: Operation) -> list[SSAValue]:
        given = zip(kinds, values, ctx.numbers(last.operands), strict=True)
        return [ctx.add(_COMBINERS[kind][0](one, other)) for kind, one, other in given]

    _nest(ctx, op, list(zip(lows, highs, steps, strict=True)), first, combined)


def _reductions(loop: Any) -> list[str]:
    """Give the names of reductions; of the numbers of generic syntax those that all versions of MLIR share."""
    numbered = {0: "addf", 1: "addi"}
    return [k.data if isinstance(k, StringAttr) else numbered.get(k.value.data, str(k)) for k in loop.reductions]


def _grouped(ctx: Context, kind: type[Operation], bounds: list[SSAValue], counts: Any) -> list[SSAValue]:
    """Give the bound of each dimension, which is the extremum of several."""
    ends = accumulate(counts.get_values(), initial=0)
    return [extremum(ctx, kind, bounds[start:end]) for start, end in pairwise(ends)]


def _neutral(ctx: Context, kind: str, of_type: Any) -> SSAValue:
    number = _COMBINERS[kind][1](of_type.bitwidth)
    is_integer = isinstance(of_type, IntegerType)
    value: Any = IntegerAttr(int(number), of_type) if is_integer else FloatAttr(number, of_type)
    return ctx.add(arith.ConstantOp.create(result_types=[of_type], properties={"value": value}))


def _scf_parallel(ctx: Context, op: Operation) -> None:
    loop: Any = op
    first = {ctx.names.fresh(value.name_hint, "carried"): ctx.number(value) for value in loop.initVals}
    nest = list(zip(*map(ctx.numbers, (loop.lowerBound, loop.upperBound, loop.step)), strict=True))
    for _, _, step in nest:
        _check_step(ctx, op, step)

    def combined(values: list[SSAValue], last: Operation) -> list[SSAValue]:
        found = []
        for value, given, region in zip(values, ctx.numbers(last.operands), last.regions, strict=True):
            ctx.known.update(zip(region.block.args, (value, given), strict=True))
            (end,) = ctx.numbers(ctx.read(region.block).operands)
            found.append(end)
        return found

    _nest(ctx, op, nest, first, combined)


def _scf_forall(ctx: Context, op: Operation) -> None:
    loop: Any = op

    def end(bound: int | SSAValue) -> SSAValue:
        return ctx.constant(bound) if isinstance(bound, int) else ctx.number(bound)

    nest = [(end(low), end(high), end(step)) for low, high, step in loop.bounds()]
    for _, _, step in nest:
        _check_step(ctx, op, step)
    _nest(ctx, op, nest, {}, lambda values, _: values)


def _nest(
    ctx: Context,
    op: Operation,
    nest: Sequence[Bounds],
    first: dict[str, SSAValue],
    combined: Callable[[list[SSAValue], Operation], list[SSAValue]],
) -> None:
    """Make a loop for each dimension; ``combined`` gives what is carried on after one iteration."""
    block = op.regions[0].block

    def inner(axis: int, values: dict[str, SSAValue]) -> list[SSAValue]:
        if axis == len(nest):
            return combined(list(values.values()), ctx.read(block))

        def body(index: SSAValue, carried: list[SSAValue]) -> Sequence[SSAValue]:
            ctx.known[block.args[axis]] = index
            return inner(axis + 1, dict(zip(values, carried, strict=True)))

        return ctx.loop(nest[axis], values, body, block.args[axis].name_hint)

    ctx.known.update(zip(op.results, inner(0, first), strict=True))


# -- conditions and calls


def _affine_if(ctx: Context, op: Operation) -> None:
    _branch(ctx, op, holds(ctx, op, ctx.numbers(op.operands)))


def _scf_if(ctx: Context, op: Operation) -> None:
    if op not in ctx.asked:
        _branch(ctx, op, ctx.number(op.operands[0]))
        return
    blocks = [region.block for region in op.regions]
    known = [_told(block, op.operands[0], holds=block is blocks[0]) for block in blocks]
    inside, done = ctx.asked[op]
    then, otherwise = (Block() if told is None else inside if told else done for told in known)
    ctx.branch(ctx.number(op.operands[0]), then, otherwise)
    for way, block, told in zip((then, otherwise), blocks, known, strict=True):
        if told is None:
            ctx.begin(way)
            ctx.branch(ctx.number(ctx.read(block).operands[0]), inside, done)


def _told(block: Block, condition: SSAValue, *, holds: bool) -> bool | None:
    """Tell what an arm of a branch gives that computes nothing: a constant, or the condition of the branch."""
    last = block.last_op
    if last is None or last is not block.first_op:
        return None
    value = last.operands[0]
    if value is condition:
        return holds
    return bool(constant(value.owner)) if isinstance(value.owner, arith.ConstantOp) else None


def _branch(ctx: Context, op: Operation, condition: SSAValue) -> None:
    after = _after(op)
    then, otherwise = Block(), Block()
    regions = [region for region in op.regions if region.blocks]
    ctx.branch(condition, then, otherwise if len(regions) > 1 else after)
    for block, region in zip((then, otherwise), regions, strict=False):
        _read_arm(ctx, block, region, after)
    _join(ctx, op, after)


def _scf_switch(ctx: Context, op: Operation) -> None:
    """Compare with each case in turn."""
    switch: Any = op
    after, number = _after(op), ctx.number(switch.arg)
    for case, region in zip(switch.cases.get_values(), switch.case_regions, strict=True):
        block, otherwise = Block(), Block()
        ctx.branch(ctx.compared(_EQUAL, number, ctx.constant(case)), block, otherwise)
        _read_arm(ctx, block, region, after)
        ctx.begin(otherwise)
    last = ctx.read(switch.default_region.block)
    ctx.jump(after, ctx.flat(last.operands))
    _join(ctx, op, after)


def _after(op: Operation) -> Block:
    """Make the block that comes after a choice, with its results."""
    return Block(arg_types=lane_types([result.type for result in op.results], op))


def _read_arm(ctx: Context, block: Block, region: Region, after: Block) -> None:
    ctx.begin(block)
    last = ctx.read(region.block)
    ctx.jump(after, ctx.flat(last.operands))


def _join(ctx: Context, op: Operation, after: Block) -> None:
    ctx.begin(after)
    for hint, argument in zip(lane_hints(op.results), after.args, strict=True):
        argument.location = ctx.place
        named(argument, hint)
    ctx.bind(op.results, after.args)


def _execute_region(ctx: Context, op: Operation) -> None:
    _region(ctx, op, op.regions[0])


def _region(ctx: Context, op: Operation, region: Region) -> None:
    """Read a region that runs once, and gives the results of an operation."""
    if len(region.blocks) > 1:
        ctx.known.update(zip(op.results, jumping(ctx, region)[0], strict=True))
        return
    last = ctx.read(region.block)
    ctx.known.update(zip(op.results, (ctx.known[value] for value in last.operands), strict=True))


def _assert(ctx: Context, op: Operation) -> None:
    message: Any = op.properties["msg"]
    ctx.end(AssertOp(ctx.number(op.operands[0]), f"assertion: {message.data}"))


def _poison(ctx: Context, op: Operation) -> None:
    made = machine_type(op.results[0].type, op)
    ctx.known[op.results[0]] = ctx.add(PoisonOp.create(result_types=[made], properties={"value": PoisonAttr()}))


def _call(ctx: Context, op: Operation) -> None:
    """Read the body of the callee in place of the call."""
    callee: Any = op.properties["callee"]
    name = callee.string_value()
    if name not in ctx.functions:
        raise ctx.refusal("call", op, name)
    if name in ctx.calls:
        raise ctx.refusal("recursion", op, name)
    region = ctx.functions[name].regions[0]
    ctx.known.update(zip(region.blocks[0].args, (ctx.known[value] for value in op.operands), strict=True))
    ctx.calls.append(name)
    _region(ctx, op, region)
    ctx.calls.pop()


# Reductions of ``affine.parallel``: how two values become one, and the neutral element of a type of so many bits.
_COMBINERS: dict[str, tuple[Any, Callable[[int], float]]] = {
    "addf": (arith.AddfOp, lambda _: 0.0),
    "addi": (arith.AddiOp, lambda _: 0),
    "andi": (arith.AndIOp, lambda _: -1),
    "maximumf": (arith.MaximumfOp, lambda _: -inf),
    "maxs": (arith.MaxSIOp, lambda bits: -(2 ** (bits - 1))),
    "minimumf": (arith.MinimumfOp, lambda _: inf),
    "mins": (arith.MinSIOp, lambda bits: 2 ** (bits - 1) - 1),
    "mulf": (arith.MulfOp, lambda _: 1.0),
    "muli": (arith.MuliOp, lambda _: 1),
    "ori": (arith.OrIOp, lambda _: 0),
    "xori": (arith.XOrIOp, lambda _: 0),
}


CONTROL: dict[str, Rule] = {
    "affine.for": _affine_for,
    "affine.if": _affine_if,
    "affine.parallel": _affine_parallel,
    "cf.assert": _assert,
    "func.call": _call,
    "memref.alloca_scope": _execute_region,
    "scf.for": _scf_for,
    "scf.forall": _scf_forall,
    "scf.if": _scf_if,
    "scf.parallel": _scf_parallel,
    "scf.while": _scf_while,
    "scf.index_switch": _scf_switch,
    "scf.execute_region": _execute_region,
    "ub.poison": _poison,
}
