"""Operations on numbers: what is copied as it is, with ``index`` as ``i64``, and the expressions of the affine dialect.

Signs are in the operations.  What has no flag wraps, that of ``index`` too.  Affine expressions are those of whole
numbers, which upstream transforms as such: one that leaves 64 bits has no meaning.
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1, i64
from xdsl.dialects.math import AbsFOp
from xdsl.ir.affine import AffineBinaryOpKind

from tensorlift.ir.index_syntax import ARITHMETIC
from tensorlift.ir.linear import evaluated
from tensorlift.ops.scalar_ops import REALS, ROUNDINGS
from tensorlift.readers.mlir.context import NSW, WRAPS, machine_type, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Operation, SSAValue
    from xdsl.ir.affine import AffineExpr, AffineMap

    from tensorlift.readers.mlir.context import Context, Rule

_COPIED = [
    *("addf", "subf", "mulf", "divf", "remf", "negf", "maximumf", "minimumf", "maxnumf", "minnumf"),
    *("addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"),
    *("andi", "ori", "xori", "shli", "shrsi", "shrui", "maxsi", "maxui", "minsi", "minui"),
    *("cmpf", "cmpi", "select", "extsi", "extui", "trunci", "sitofp", "uitofp", "fptosi", "fptoui", "extf", "truncf"),
]
_MATH = [
    *(REALS.keys() | set(ROUNDINGS) - {"rint"}),
    *("absf", "absi", "atan2", "copysign", "fma", "fpowi", "ipowi", "powf", "roundeven", "rsqrt"),
]
_ARITH = {operation.name: operation for operation in arith.Arith.operations}
_OVERFLOWING = frozenset({"arith.addi", "arith.subi", "arith.muli", "arith.shli"})
_AT_LEAST, _EQUAL, _NEGATIVE = 5, 0, 2
_SAME, _LESS, _UNEQUAL = 1, 4, 13  # of floats; the last holds where one is no number


def _copied(ctx: Context, op: Operation) -> None:
    (result,) = op.results
    operands = ctx.numbers(op.operands)
    properties = dict(op.properties)
    if op.name in _OVERFLOWING:
        properties.setdefault("overflowFlags", WRAPS)
    made = type(op).create(operands=operands, result_types=[machine_type(result.type, op)], properties=properties)
    ctx.known[result] = ctx.add(made)


def _of_index(name: str) -> Rule:
    """Compute with numbers of type ``index`` as the operation of ``arith`` does."""

    def rule(ctx: Context, op: Operation) -> None:
        left, right = ctx.numbers(op.operands)
        flags = WRAPS if f"arith.{name}" in _OVERFLOWING else None
        ctx.known[op.results[0]] = ctx.binary(_ARITH[f"arith.{name}"], left, right, flags)

    return rule


def _index_compared(ctx: Context, op: Operation) -> None:
    comparison: Any = op
    ctx.known[op.results[0]] = ctx.compared(comparison.number, *ctx.numbers(op.operands))


def _constant(ctx: Context, op: Operation) -> None:
    value, of_type = op.properties["value"], machine_type(op.results[0].type, op)
    if not isinstance(value, IntegerAttr | FloatAttr):
        raise ctx.refusal("type", op, f"the constant {value}")
    number: Any = IntegerAttr(value.value.data, of_type) if isinstance(value, IntegerAttr) else value
    ctx.known[op.results[0]] = ctx.add(arith.ConstantOp.create(result_types=[of_type], properties={"value": number}))


def _index_cast(widen: type[Operation]) -> Rule:
    """Convert between integers and ``index``."""

    def rule(ctx: Context, op: Operation) -> None:
        ctx.known[op.results[0]] = resized(ctx, ctx.number(op.operands[0]), machine_type(op.results[0].type, op), widen)

    return rule


def resized(ctx: Context, value: SSAValue, of_type: Attribute, widen: type[Operation] = arith.ExtSIOp) -> SSAValue:
    """Give an integer another width."""
    more = width(of_type) - width(value.type)
    if not more:
        return value
    kind = widen if more > 0 else arith.TruncIOp
    return ctx.add(kind.create(operands=[value], result_types=[of_type]))


# -- affine expressions


def applied(ctx: Context, subscript: AffineMap, operands: Sequence[SSAValue]) -> list[SSAValue]:
    """Evaluate the results of a map."""
    count = subscript.num_dims
    return [_evaluated(ctx, result, operands[:count], operands[count:]) for result in subscript.results]


def _evaluated(ctx: Context, e: AffineExpr, dims: Sequence[SSAValue], symbols: Sequence[SSAValue]) -> SSAValue:
    return evaluated(e, dims, symbols, ctx.constant, partial(_combined, ctx))


def _combined(ctx: Context, kind: AffineBinaryOpKind, left: SSAValue, right: SSAValue) -> SSAValue:
    """Combine two values; a divisor that is not positive has no meaning."""
    if kind is AffineBinaryOpKind.Add:
        return ctx.binary(arith.AddiOp, left, right, NSW)
    if kind is AffineBinaryOpKind.Mul:
        return ctx.binary(arith.MuliOp, left, right, NSW)
    if kind is AffineBinaryOpKind.FloorDiv:
        return ctx.binary(arith.FloorDivSIOp, left, right)
    if kind is AffineBinaryOpKind.CeilDiv:
        return ctx.binary(arith.CeilDivSIOp, left, right)
    rest = ctx.binary(arith.RemSIOp, left, right)
    raised = ctx.binary(arith.AddiOp, rest, right, WRAPS)
    return _chosen(ctx, ctx.compared(_NEGATIVE, rest, ctx.constant(0)), raised, rest)


def _chosen(ctx: Context, condition: SSAValue, one: SSAValue, other: SSAValue) -> SSAValue:
    return ctx.add(arith.SelectOp.create(operands=[condition, one, other], result_types=[one.type]))


def extremum(ctx: Context, kind: type[Operation], values: Sequence[SSAValue]) -> SSAValue:
    """Give the least or greatest of some numbers."""
    first, *others = values
    for other in others:
        first = ctx.binary(kind, first, other)
    return first


def holds(ctx: Context, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """Tell whether all constraints of an affine set hold."""
    condition: Any = op.properties["condition"]
    count, found = condition.data.num_dims, []
    for item in condition.data.constraints:
        left, right = (_evaluated(ctx, side, operands[:count], operands[count:]) for side in (item.lhs, item.rhs))
        if item.kind.value == "<=":
            left, right = right, left
        found.append(ctx.compared(_EQUAL if item.kind.value == "==" else _AT_LEAST, left, right))
    return extremum(ctx, arith.AndIOp, found)


def _apply(ctx: Context, op: Operation) -> None:
    subscript: Any = op.properties["map"]
    (ctx.known[op.results[0]],) = applied(ctx, subscript.data, ctx.numbers(op.operands))


def _map_extremum(kind: type[Operation]) -> Rule:
    def rule(ctx: Context, op: Operation) -> None:
        subscript: Any = op.properties["map"]
        ctx.known[op.results[0]] = extremum(ctx, kind, applied(ctx, subscript.data, ctx.numbers(op.operands)))

    return rule


def _is_nan(ctx: Context, op: Operation) -> None:
    number = ctx.number(op.operands[0])
    ctx.known[op.results[0]] = _compared(ctx, _UNEQUAL, number, number)


def _beside_infinity(predicate: int) -> Rule:
    """Compare the size of a number with infinity."""

    def rule(ctx: Context, op: Operation) -> None:
        number = ctx.number(op.operands[0])
        infinity: Any = FloatAttr(inf, number.type)
        most = arith.ConstantOp.create(result_types=[number.type], properties={"value": infinity})
        size = AbsFOp.create(operands=[number], result_types=[number.type])
        ctx.known[op.results[0]] = _compared(ctx, predicate, ctx.add(size), ctx.add(most))

    return rule


def _compared(ctx: Context, predicate: int, left: SSAValue, right: SSAValue) -> SSAValue:
    number = {"predicate": IntegerAttr(predicate, i64)}
    return ctx.add(arith.CmpfOp.create(operands=[left, right], result_types=[i1], properties=number))


def _counting(kind: type[Operation]) -> Rule:
    """Count the places of bits at which nothing is left of a number that is moved there."""

    def rule(ctx: Context, op: Operation) -> None:
        number = ctx.number(op.operands[0])
        zero = ctx.constant(0, number.type)
        moved = (ctx.binary(kind, number, ctx.constant(place, number.type)) for place in range(width(number.type)))
        _add_up(ctx, op, [resized(ctx, ctx.compared(_EQUAL, left, zero), number.type, arith.ExtUIOp) for left in moved])

    return rule


def _set_bits(ctx: Context, op: Operation) -> None:
    number = ctx.number(op.operands[0])
    one = ctx.constant(1, number.type)
    places = (ctx.constant(place, number.type) for place in range(width(number.type)))
    moved = [ctx.binary(arith.ShRUIOp, number, place) for place in places]
    _add_up(ctx, op, [ctx.binary(arith.AndIOp, bits, one) for bits in moved])


def _add_up(ctx: Context, op: Operation, values: Sequence[SSAValue]) -> None:
    found, *others = values
    for other in others:
        found = ctx.binary(arith.AddiOp, found, other, WRAPS)
    ctx.known[op.results[0]] = found


SCALARS: dict[str, Rule] = {
    **{f"index.{name}": _of_index(twin) for name, twin in ARITHMETIC.items()},
    **dict.fromkeys((*(f"arith.{name}" for name in _COPIED), *(f"math.{name}" for name in _MATH)), _copied),
    "arith.constant": _constant,
    "arith.index_cast": _index_cast(arith.ExtSIOp),
    "arith.index_castui": _index_cast(arith.ExtUIOp),
    "index.constant": _constant,
    "index.casts": _index_cast(arith.ExtSIOp),
    "index.castu": _index_cast(arith.ExtUIOp),
    "index.cmp": _index_compared,
    "math.ctlz": _counting(arith.ShRUIOp),
    "math.cttz": _counting(arith.ShLIOp),
    "math.ctpop": _set_bits,
    "math.isnan": _is_nan,
    "math.isinf": _beside_infinity(_SAME),
    "math.isfinite": _beside_infinity(_LESS),
    "affine.apply": _apply,
    "affine.max": _map_extremum(arith.MaxSIOp),
    "affine.min": _map_extremum(arith.MinSIOp),
}
