"""Loops, conditions and calls: parallel loops become nests, carried values local scalars, calls the callee's body."""

from __future__ import annotations

from contextlib import ExitStack
from math import inf
from typing import TYPE_CHECKING, Any

from xdsl.dialects import affine, scf
from xdsl.dialects.arith import (
    AddfOp,
    AddiOp,
    AndIOp,
    ConstantOp,
    IndexCastOp,
    MaximumfOp,
    MaxSIOp,
    MinimumfOp,
    MinSIOp,
    MulfOp,
    MuliOp,
    OrIOp,
    XOrIOp,
)
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, StringAttr
from xdsl.ir import Block, Region

from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.translator import EMPTY_MAP, check_scalar
from tensorlift.frontends.mlir.values import Scalar
from tensorlift.ir.location import location_of
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.frontends.mlir.translator import Rule, Translator

    Bounds = tuple[tuple[Affine, ...], tuple[Affine, ...], int]


def _affine_for(t: Translator, op: Operation) -> None:
    loop: Any = op
    lowers = _applied(t, loop.lowerBoundMap.data, loop.lowerBoundOperands, "max", op)
    uppers = _applied(t, loop.upperBoundMap.data, loop.upperBoundOperands, "min", op)
    _loop(t, op, (lowers, uppers, loop.step.value.data), list(loop.inits))


def _applied(t: Translator, bound: Any, operands: Sequence[SSAValue], kind: str, op: Operation) -> tuple[Affine, ...]:
    """Give the bounds that a map stands for; ``min`` of a ``min`` is one of all."""
    if len(bound.results) == 1 and len(operands) == 1 and str(bound.results[0]) in {"d0", "s0"}:
        return t.bound(operands[0], kind, op)
    indices = t.indices(operands, op)
    dims, symbols = indices[: bound.num_dims], indices[bound.num_dims :]
    return tuple(t.atoms.applied(result, dims, symbols) for result in bound.results)


def _scf_for(t: Translator, op: Operation) -> None:
    if "unsignedCmp" in op.properties:
        raise refusal("control", location_of(op), "a loop that compares unsigned bounds is not lifted")
    lowers, uppers = t.bound(op.operands[0], "max", op), t.bound(op.operands[1], "min", op)
    _loop(t, op, (lowers, uppers, _constant_step(t, op.operands[2], op)), list(op.operands[3:]))


def _constant_step(t: Translator, value: SSAValue, op: Operation) -> int:
    step = t.index(value, op)
    if step.terms:
        raise refusal("step", location_of(op), "not constant")
    return step.constant


def _loop(t: Translator, op: Operation, bounds: Bounds, initial: list[SSAValue]) -> None:
    lowers, uppers, step = bounds
    if step < 1:
        raise refusal("step", location_of(op), str(step))
    block = op.regions[0].block
    variable, *carried = block.args
    cells = [_carried(t, value, argument, op) for value, argument in zip(initial, carried, strict=True)]
    with t.loop(variable.name_hint, lowers, uppers, step, op) as loop:
        _bind(t, variable, Affine.var(loop.variable), op)
        for cell, argument in zip(cells, carried, strict=True):
            t.known[argument] = Scalar(_read(t, cell, op))
        last = t.block(block)
        ends = [t.number(value, last) for value in last.operands]
        for end, cell in zip(ends, cells, strict=True):
            _write(t, end, cell, last)
    _give(t, cells, op)


def _bind(t: Translator, variable: SSAValue, index: Affine, op: Operation) -> None:
    """Say what a loop variable is; one of an integer type is also there as such a number."""
    value = None
    if isinstance(variable.type, IntegerType):
        value = t.emit_value(IndexCastOp(t.index_value(index, op), variable.type), op)
    t.known[variable] = Scalar(value, index)


def _carried(t: Translator, initial: SSAValue, argument: SSAValue, op: Operation) -> SSAValue:
    """Put a carried value into a local scalar."""
    if not isinstance(t.known[initial], Scalar):
        raise refusal("memory", location_of(op), "a memref that changes from one iteration to the next is not lifted")
    check_scalar(argument.type, op)
    if isinstance(argument.type, IndexType):
        raise refusal("data", location_of(op), "an index that is carried from one iteration to the next")
    cell = t.cell(argument.type, argument.name_hint, op)
    _write(t, t.number(initial, op), cell, op)
    return cell


def _read(t: Translator, cell: SSAValue, op: Operation) -> SSAValue:
    return t.emit_value(affine.LoadOp(cell, [], EMPTY_MAP), op)


def _write(t: Translator, value: SSAValue, cell: SSAValue, op: Operation) -> None:
    t.emit(affine.StoreOp(value, cell, [], EMPTY_MAP), op)


def _affine_parallel(t: Translator, op: Operation) -> None:
    loop: Any = op
    lower, upper = loop.lowerBoundsMap.data, loop.upperBoundsMap.data
    count = lower.num_dims + lower.num_symbols
    lowers = _applied(t, lower, op.operands[:count], "max", op)
    uppers = _applied(t, upper, op.operands[count:], "min", op)
    steps = [step.value.data for step in loop.steps]
    groups = zip(_grouped(lowers, loop.lowerBoundsGroups), _grouped(uppers, loop.upperBoundsGroups), steps, strict=True)
    kinds = reductions(loop)
    cells = [_neutral(t, kind, result.type, op) for kind, result in zip(kinds, op.results, strict=True)]

    def combine(last: Operation) -> None:
        for kind, cell, value in zip(kinds, cells, last.operands, strict=True):
            made = COMBINERS[kind][0](_read(t, cell, last), t.number(value, last))
            _write(t, t.emit_value(made, last), cell, last)

    _nest(t, op, list(groups), combine)
    _give(t, cells, op)


def reductions(loop: Any) -> list[str]:
    """Give the names of reductions; of the numbers of generic syntax those that all versions of MLIR share."""
    numbered = {0: "addf", 1: "addi"}
    return [k.data if isinstance(k, StringAttr) else numbered.get(k.value.data, str(k)) for k in loop.reductions]


def _neutral(t: Translator, kind: str, of_type: Any, op: Operation) -> SSAValue:
    """Put the neutral element of a reduction into a local scalar."""
    if kind not in COMBINERS:
        raise refusal("control", location_of(op), f"a reduction by `{kind}` is not lifted")
    check_scalar(of_type, op)
    number = COMBINERS[kind][1](of_type.bitwidth)
    is_integer = isinstance(of_type, IntegerType)
    attribute = IntegerAttr(int(number), of_type) if is_integer else FloatAttr(number, of_type)
    cell = t.cell(of_type, "reduced", op)
    _write(t, t.emit_value(ConstantOp(attribute), op), cell, op)
    return cell


def _give(t: Translator, cells: Sequence[SSAValue], op: Operation) -> None:
    """Let the results of a loop be what the local scalars hold after it."""
    for cell, result in zip(cells, op.results, strict=True):
        t.known[result] = Scalar(_read(t, cell, op))


def _grouped(bounds: tuple[Affine, ...], counts: Any) -> list[tuple[Affine, ...]]:
    if len(counts.get_values()) == 1:
        return [bounds]
    found, start = [], 0
    for count in counts.get_values():
        found.append(bounds[start : start + count])
        start += count
    return found


def _scf_parallel(t: Translator, op: Operation) -> None:
    loop: Any = op
    cells = [_carried(t, value, value, op) for value in loop.initVals]
    nest = [
        (t.bound(low, "max", op), t.bound(high, "min", op), _constant_step(t, step, op))
        for low, high, step in zip(loop.lowerBound, loop.upperBound, loop.step, strict=True)
    ]

    def combine(last: Operation) -> None:
        for cell, value, region in zip(cells, last.operands, last.regions, strict=True):
            one, other = region.block.args
            t.known[one] = Scalar(_read(t, cell, last))
            t.known[other] = Scalar(t.number(value, last))
            end = t.block(region.block)
            _write(t, t.number(end.operands[0], end), cell, end)

    _nest(t, op, nest, combine)
    _give(t, cells, op)


def _nest(t: Translator, op: Operation, nest: list[Bounds], combine: Callable[[Operation], None]) -> None:
    """Emit the iterations of a parallel loop in order, which is one of the orders that it allows.

    ``combine`` adds to the results what the terminator of the body gives in one iteration.
    """
    block = op.regions[0].block
    with ExitStack() as stack:
        for argument, (lowers, uppers, step) in zip(block.args, nest, strict=True):
            if step < 1:
                raise refusal("step", location_of(op), str(step))
            loop = stack.enter_context(t.loop(argument.name_hint, lowers, uppers, step, op))
            _bind(t, argument, Affine.var(loop.variable), op)
        combine(t.block(block))


def _affine_if(t: Translator, op: Operation) -> None:
    condition: Any = op.properties["condition"]
    operands, count = t.indices(op.operands, op), condition.data.num_dims
    constraints = [t.constraint(item, operands[:count], operands[count:]) for item in condition.data.constraints]
    attribute, values = t.atoms.set(constraints)
    _branch(
        t,
        op,
        affine.YieldOp,
        lambda types, regions: affine.IfOp.create(
            operands=values, result_types=types, properties={"condition": attribute}, regions=regions
        ),
    )


def _scf_if(t: Translator, op: Operation) -> None:
    condition = t.number(op.operands[0], op)
    _branch(
        t,
        op,
        scf.YieldOp,
        lambda types, regions: scf.IfOp.create(operands=[condition], result_types=types, regions=regions),
    )


def _branch(
    t: Translator, op: Operation, terminator: Any, make: Callable[[list[Any], list[Region]], Operation]
) -> None:
    types = [result.type for result in op.results]
    for of_type in types:
        check_scalar(of_type, op)
    regions = []
    for region in op.regions:
        if not region.blocks:
            regions.append(Region())
            continue
        block = Block()
        with t.inside(block):
            last = t.block(region.block)
            t.emit(terminator.create(operands=[t.number(value, last) for value in last.operands]), last)
        regions.append(Region(block))
    made = make(types, regions)
    t.emit(made, op)
    why = ("data", "a condition")
    for result, value in zip(op.results, made.results, strict=True):
        t.known[result] = Scalar(value, why=why)


def _call(t: Translator, op: Operation) -> None:
    """Translate the body of the callee in place of the call."""
    callee: Any = op.properties["callee"]
    name = callee.string_value()
    function = t.functions.get(name)
    if function is None:
        raise refusal("call", location_of(op), name)
    if name in t.calls:
        raise refusal("recursion", location_of(op), name)
    body = only_block(function)
    for argument, value in zip(body.args, op.operands, strict=True):
        t.known[argument] = t.known[value]
    t.calls.append(name)
    last = t.block(body)
    t.calls.pop()
    for result, value in zip(op.results, last.operands, strict=True):
        t.known[result] = t.known[value]


def only_block(function: Operation) -> Block:
    """Give the body of a function that does not jump."""
    region = function.regions[0]
    if len(region.blocks) > 1:
        raise refusal("control", location_of(function), "a function of several blocks is not lifted")
    return region.block


def _refused(message: str) -> Rule:
    def handle(_: Translator, op: Operation) -> None:
        raise refusal("control", location_of(op), message)

    return handle


# Reductions of ``affine.parallel``: how two values become one, and the neutral element of a type of so many bits.
COMBINERS: dict[str, tuple[Callable[[SSAValue, SSAValue], Operation], Callable[[int], float]]] = {
    "addf": (AddfOp, lambda _: 0.0),
    "addi": (AddiOp, lambda _: 0),
    "andi": (AndIOp, lambda _: -1),
    "maximumf": (MaximumfOp, lambda _: -inf),
    "maxs": (MaxSIOp, lambda bits: -(2 ** (bits - 1))),
    "minimumf": (MinimumfOp, lambda _: inf),
    "mins": (MinSIOp, lambda bits: 2 ** (bits - 1) - 1),
    "mulf": (MulfOp, lambda _: 1.0),
    "muli": (MuliOp, lambda _: 1),
    "ori": (OrIOp, lambda _: 0),
    "xori": (XOrIOp, lambda _: 0),
}

STRUCTURES: dict[str, Rule] = {
    "affine.for": _affine_for,
    "affine.if": _affine_if,
    "affine.parallel": _affine_parallel,
    "func.call": _call,
    "scf.for": _scf_for,
    "scf.if": _scf_if,
    "scf.parallel": _scf_parallel,
    "scf.while": _refused("a `while` loop does not count"),
    "scf.index_switch": _refused("a switch is not lifted"),
    "scf.execute_region": _refused("a region that is executed is not lifted"),
}
