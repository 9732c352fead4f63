"""Vectors: each lane is a number of its own, and what an operation does to vectors it does to each lane in turn.

The lanes of a vector of several dimensions are in the order of rows.  A lane of ``vector.transfer_read`` that lies
beyond an extent is the padding, and one of ``vector.transfer_write`` is not written.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerType, VectorType
from xdsl.dialects.math import FmaOp
from xdsl.ir import Block
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from tensorlift.readers.mlir.context import NSW, WRAPS, machine_type, vector_shape
from tensorlift.readers.mlir.memory import load, store, subscripts_of
from tensorlift.readers.mlir.scalars import SCALARS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue

    from tensorlift.readers.mlir.context import Context, Rule, View

_LESS = 2
_WRAPPING = (arith.AddiOp, arith.MuliOp)
_COMBINERS: dict[str, tuple[type[Operation], type[Operation]]] = {  # of floats and of integers
    "add": (arith.AddfOp, arith.AddiOp),
    "mul": (arith.MulfOp, arith.MuliOp),
    "minsi": (arith.MinSIOp, arith.MinSIOp),
    "minui": (arith.MinUIOp, arith.MinUIOp),
    "maxsi": (arith.MaxSIOp, arith.MaxSIOp),
    "maxui": (arith.MaxUIOp, arith.MaxUIOp),
    "minimumf": (arith.MinimumfOp, arith.MinimumfOp),
    "maximumf": (arith.MaximumfOp, arith.MaximumfOp),
    "minnumf": (arith.MinnumfOp, arith.MinnumfOp),
    "maxnumf": (arith.MaxnumfOp, arith.MaxnumfOp),
    "and": (arith.AndIOp, arith.AndIOp),
    "or": (arith.OrIOp, arith.OrIOp),
    "xor": (arith.XOrIOp, arith.XOrIOp),
}


def in_lanes(rule: Rule) -> Rule:
    """Return a rule for an operation on numbers that reads one on vectors too, lane by lane."""

    def read(ctx: Context, op: Operation) -> None:
        result: Any = op.results[0].type
        if not isinstance(result, VectorType):
            rule(ctx, op)
            return
        kind: type[Operation] = getattr(type(op), "OF_NUMBERS", type(op))
        given = {value: ctx.lanes(value) for value in op.operands}
        made: list[SSAValue] = []
        for lane in range(prod(vector_shape(result, op))):
            ctx.known.update((value, lanes[lane % len(lanes)]) for value, lanes in given.items())
            one = kind.create(
                operands=list(op.operands), result_types=[result.element_type], properties=_properties(op, lane)
            )
            one.location = op.location
            rule(ctx, one)
            made.append(ctx.number(one.results[0]))
            one.drop_all_references()
        ctx.known.update((value, lanes if len(lanes) > 1 else lanes[0]) for value, lanes in given.items())
        ctx.known[op.results[0]] = tuple(made)

    return read


def _properties(op: Operation, lane: int) -> dict[str, Attribute]:
    """Return the properties of an operation on one lane, of which a constant has one number."""
    properties = dict(op.properties)
    value = properties.get("value")
    if isinstance(value, DenseIntOrFPElementsAttr):
        numbers = list(value.get_attrs())
        properties["value"] = numbers[lane % len(numbers)]
    return properties


# -- memory


def _load(ctx: Context, op: Operation) -> None:
    view = ctx.view(op.operands[0])
    places = list(_places(ctx, op, op.results[0].type, subscripts_of(ctx, op, 1)))
    ctx.known[op.results[0]] = tuple(load(ctx, view, place) for place in places)


def _store(ctx: Context, op: Operation) -> None:
    view = ctx.view(op.operands[1])
    places = list(_places(ctx, op, op.operands[0].type, subscripts_of(ctx, op, 2)))
    for value, place in zip(ctx.lanes(op.operands[0]), places, strict=True):
        store(ctx, value, view, place)


def _places(ctx: Context, op: Operation, of_type: Any, first: Sequence[SSAValue]) -> Iterator[list[SSAValue]]:
    """Yield the subscripts of each lane: those of the last dimensions step."""
    extents = vector_shape(of_type, op)
    if len(extents) > len(first):
        raise ctx.refusal("type", op, f"`{op.name}` of more dimensions than those of the memory")
    return _stepped(ctx, first, extents, range(len(first) - len(extents), len(first)))


def _stepped(
    ctx: Context, first: Sequence[SSAValue], extents: Sequence[int], axes: Sequence[int | None]
) -> Iterator[list[SSAValue]]:
    """Yield the subscripts of each lane, each dimension of a vector along an axis, or along none."""
    for point in product(*map(range, extents)):
        place = list(first)
        for axis, step in zip(axes, point, strict=True):
            if axis is not None and step:
                place[axis] = ctx.binary(arith.AddiOp, place[axis], ctx.constant(step), NSW)
        yield place


def _transfer_read(ctx: Context, op: Operation) -> None:
    part: Any = op
    view, padding = ctx.view(part.source), ctx.number(part.padding)

    def read(place: Sequence[SSAValue], condition: SSAValue | None) -> SSAValue:
        if condition is None:
            return load(ctx, view, place)
        inside, after = Block(), Block(arg_types=[padding.type])
        outside = Block()
        ctx.branch(condition, inside, outside)
        ctx.begin(inside)
        ctx.jump(after, [load(ctx, view, place)])
        ctx.begin(outside)
        ctx.jump(after, [padding])
        ctx.begin(after)
        after.args[0].location = ctx.place
        return after.args[0]

    places = _transferred(ctx, op, view, part.result.type)
    ctx.known[part.result] = tuple(read(place, condition) for place, condition in places)


def _transfer_write(ctx: Context, op: Operation) -> None:
    part: Any = op
    if op.results:
        raise ctx.refusal("type", op, "an operation on tensors")
    view, values = ctx.view(part.source), iter(ctx.lanes(part.vector))
    for place, condition in _transferred(ctx, op, view, part.vector.type):
        if condition is None:
            store(ctx, next(values), view, place)
            continue
        inside, after = Block(), Block()
        ctx.branch(condition, inside, after)
        ctx.begin(inside)
        store(ctx, next(values), view, place)
        ctx.jump(after)
        ctx.begin(after)


def _transferred(
    ctx: Context, op: Operation, view: View, of_type: Any
) -> Iterator[tuple[list[SSAValue], SSAValue | None]]:
    """Yield the subscripts of each lane, and what holds where it lies inside, unless that is said."""
    part: Any = op
    if part.mask is not None:
        raise ctx.refusal("type", op, f"`{op.name}` under a mask")
    axes: list[int | None] = []
    for expression in part.permutation_map.data.results:
        if not isinstance(expression, AffineDimExpr | AffineConstantExpr):
            raise ctx.refusal("type", op, f"the map of `{op.name}`")
        axes.append(expression.position if isinstance(expression, AffineDimExpr) else None)
    said = [bool(value.value.data) for value in part.in_bounds]
    open_axes = [axis for axis, is_inside in zip(axes, said, strict=True) if axis is not None and not is_inside]
    for place in _stepped(ctx, ctx.numbers(part.indices), vector_shape(of_type, op), axes):
        inside = [ctx.compared(_LESS, place[axis], ctx.value(ctx.size(view, axis))) for axis in open_axes]
        condition = None
        for one in inside:
            condition = one if condition is None else ctx.binary(arith.AndIOp, condition, one)
        yield place, condition


# -- lanes


def _broadcast(ctx: Context, op: Operation) -> None:
    lanes = ctx.lanes(op.operands[0])
    source: Any = op.operands[0].type
    result: Any = op.results[0].type
    extents = vector_shape(result, op)
    if len(lanes) > 1 and extents[-len(vector_shape(source)) :] != vector_shape(source):
        raise ctx.refusal("type", op, "a broadcast along a dimension of the vector")
    ctx.known[op.results[0]] = lanes * (prod(extents) // len(lanes))


def _fused(ctx: Context, op: Operation) -> None:
    lanes = zip(*map(ctx.lanes, op.operands), strict=True)
    ctx.known[op.results[0]] = tuple(
        ctx.add(FmaOp.create(operands=list(values), result_types=[values[0].type])) for values in lanes
    )


def _reduced(ctx: Context, op: Operation) -> None:
    """Combine the lanes in order, after what is given to start with."""
    part: Any = op
    of_type = machine_type(part.dest.type, op)
    combiner = _COMBINERS[part.kind.data.value][isinstance(of_type, IntegerType)]
    start = [] if part.acc is None else [ctx.number(part.acc)]
    found, *others = [*start, *ctx.lanes(part.vector)]
    for other in others:
        found = ctx.binary(combiner, found, other, WRAPS if combiner in _WRAPPING else None)
    ctx.known[part.dest] = found


def _extracted(ctx: Context, op: Operation) -> None:
    """Take one lane, or those of all dimensions but the first."""
    part: Any = op
    places = list(part.static_position.get_values())
    extents = vector_shape(part.vector.type)
    if part.dynamic_position:
        raise ctx.refusal("type", op, "a lane that is not known")
    rest = prod(extents[len(places) :])
    first = sum(place * prod(extents[k + 1 :]) for k, place in enumerate(places))
    lanes = ctx.lanes(part.vector)[first : first + rest]
    ctx.known[part.result] = lanes if isinstance(part.result.type, VectorType) else lanes[0]


VECTORS: dict[str, Rule] = {
    **{name: in_lanes(rule) for name, rule in SCALARS.items()},
    "affine.vector_load": _load,
    "affine.vector_store": _store,
    "vector.broadcast": _broadcast,
    "vector.extract": _extracted,
    "vector.fma": _fused,
    "vector.load": _load,
    "vector.reduction": _reduced,
    "vector.store": _store,
    "vector.transfer_read": _transfer_read,
    "vector.transfer_write": _transfer_write,
}
