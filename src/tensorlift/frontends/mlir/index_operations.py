"""Operations on numbers: what they are as exact indices, and as operations of the emitted program.

An operation on ``index`` is only evaluated.  One on integers is emitted, because as data it wraps; where its operands
have exact forms it also has one, which holds as long as nothing left its type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir.affine import AffineBinaryOpKind

from tensorlift.frontends.mlir.atoms import NotAffineError, product
from tensorlift.frontends.mlir.refusals import refusal
from tensorlift.frontends.mlir.shapes import is_large
from tensorlift.frontends.mlir.translator import check_scalar
from tensorlift.frontends.mlir.values import Need, Scalar, View
from tensorlift.ir.location import location_of
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Attribute, Operation

    from tensorlift.frontends.mlir.translator import Rule, Translator

    Evaluator = Callable[[Translator, Affine, Affine], Affine]

_EXACT = 64
_LONGEST_SHIFT = 31


def _is_integer(of_type: Attribute) -> bool:
    return isinstance(of_type, IntegerType) and of_type.width.data > 1


def _width(of_type: Attribute) -> int:
    return of_type.width.data if isinstance(of_type, IntegerType) else _EXACT


def copied(t: Translator, op: Operation) -> Scalar:
    """Emit an operation on numbers as it is."""
    for value in (*op.operands, *op.results):
        if isinstance(t.known.get(value), View):
            raise refusal("memory", location_of(op), f"`{op.name}` chooses among memrefs")
        check_scalar(value.type, op)
    if len(op.results) != 1:
        raise refusal("operation", location_of(op), op.name)
    return Scalar(_copy(t, op))


def _copy(t: Translator, op: Operation) -> Any:
    made = type(op).create(
        operands=[t.number(value, op) for value in op.operands],
        result_types=[result.type for result in op.results],
        properties=dict(op.properties),
    )
    return t.emit_value(made, op)


def _evaluated(evaluate: Evaluator, *, wraps: bool = True) -> Rule:
    """Handle a binary operation that has an exact form; ``wraps`` where the result may leave its type."""

    def handle(t: Translator, op: Operation) -> Scalar:
        result = op.results[0]
        check_scalar(result.type, op)
        is_index = isinstance(result.type, IndexType)
        if not is_index and not _is_integer(result.type):
            return copied(t, op)
        left, right = t.scalar(op.operands[0]), t.scalar(op.operands[1])
        index, why = None, next((s.why for s in (left, right) if s.index is None), ("data", "data"))
        if left.index is not None and right.index is not None:
            try:
                index = evaluate(t, left.index, right.index)
            except NotAffineError as error:
                why = ("affine", str(error))
        if index is None:
            return Scalar(_copy(t, op), why=why)
        needs = left.needs + right.needs
        if wraps and (_width(result.type) < _EXACT or is_large(index)) and not _is_exact(op):
            needs += (Need(index, _width(result.type), location_of(op)),)
        return Scalar(None if is_index else _copy(t, op), index, needs)

    return handle


def _is_exact(op: Operation) -> bool:
    flags: Any = op.properties.get("overflowFlags")
    return flags is not None and "nsw" in str(flags)


def _divided(kind: AffineBinaryOpKind, *, rounds_to_zero: bool = False) -> Evaluator:
    """Divide by a positive constant; rounding to zero is rounding down only where the dividend is not negative."""

    def evaluate(t: Translator, left: Affine, right: Affine) -> Affine:
        if rounds_to_zero and not t.atoms.is_nonnegative(left):
            raise NotAffineError("rounds a quotient that may be negative towards zero")
        return t.atoms.divided(kind, left, right)

    return evaluate


def _shifted(_: Translator, left: Affine, right: Affine) -> Affine:
    if right.terms or not 0 <= right.constant <= _LONGEST_SHIFT:
        raise NotAffineError("is shifted by a number that is not constant")
    return left * (1 << right.constant)


def _extremum(kind: str) -> Rule:
    def handle(t: Translator, op: Operation) -> Scalar:
        if not isinstance(op.results[0].type, IndexType):
            return copied(t, op)
        sides = [t.bound(value, kind, op) for value in op.operands]
        return Scalar(extremum=(kind, (*sides[0], *sides[1])), why=("affine", f"is the {kind} of several numbers"))

    return handle


def _constant(t: Translator, op: Operation) -> Scalar:
    result = op.results[0]
    check_scalar(result.type, op)
    value: Any = op.properties["value"]
    index = None
    if isinstance(value, IntegerAttr) and not _is_bit(result.type):
        width = _width(result.type)
        whole = value.value.data & ((1 << width) - 1)
        index = Affine(whole - (1 << width) if whole >> (width - 1) else whole)
    made = None if isinstance(result.type, IndexType) else _copy(t, op)
    return Scalar(made, index)


def _is_bit(of_type: Attribute) -> bool:
    return isinstance(of_type, IntegerType) and of_type.width.data == 1


def _cast(*, unsigned: bool = False) -> Rule:
    """Handle a conversion among integers and indices; the exact form stays, under the needs that say so."""

    def handle(t: Translator, op: Operation) -> Scalar:
        source, result = op.operands[0], op.results[0]
        check_scalar(source.type, op)
        check_scalar(result.type, op)
        scalar = t.scalar(source)
        if scalar.index is None or _is_bit(source.type) or _is_bit(result.type):
            return Scalar(_copy(t, op), why=scalar.why)
        need = Need(scalar.index, _width(result.type), location_of(op))
        if isinstance(source.type, IndexType):
            # An index read as an integer counts as exact from here on, as data too.
            index = t.index(source, op)
            t.needs.insist(need)
            made = arith.IndexCastOp(t.index_value(index, op), result.type)
            return Scalar(t.emit_value(made, op), index)
        needs = scalar.needs
        if _width(result.type) < _width(source.type):
            needs += (need,)
        if unsigned:
            needs += (Need(scalar.index, _EXACT, location_of(op), only_nonnegative=True),)
        is_index = isinstance(result.type, IndexType)
        return Scalar(None if is_index else _copy(t, op), scalar.index, needs)

    return handle


def _apply(t: Translator, op: Operation) -> Scalar:
    applied: Any = op.properties["map"]
    operands = t.indices(op.operands, op)
    count = applied.data.num_dims
    (result,) = applied.data.results
    return Scalar(index=t.atoms.applied(result, operands[:count], operands[count:]))


def _map_extremum(kind: str) -> Rule:
    def handle(t: Translator, op: Operation) -> Scalar:
        applied: Any = op.properties["map"]
        operands = t.indices(op.operands, op)
        count = applied.data.num_dims
        found = tuple(t.atoms.applied(e, operands[:count], operands[count:]) for e in applied.data.results)
        if len(found) == 1:
            return Scalar(index=found[0])
        return Scalar(extremum=(kind, found), why=("affine", f"is the {kind} of several numbers"))

    return handle


_DOWN, _UP, _REST = AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod

INDEX_OPERATIONS: dict[str, Rule] = {
    "affine.apply": _apply,
    "affine.max": _map_extremum("max"),
    "affine.min": _map_extremum("min"),
    "arith.addi": _evaluated(lambda _, a, b: a + b),
    "arith.ceildivsi": _evaluated(_divided(_UP), wraps=False),
    "arith.ceildivui": _evaluated(_divided(_UP, rounds_to_zero=True), wraps=False),
    "arith.constant": _constant,
    "arith.divsi": _evaluated(_divided(_DOWN, rounds_to_zero=True), wraps=False),
    "arith.divui": _evaluated(_divided(_DOWN, rounds_to_zero=True), wraps=False),
    "arith.extsi": _cast(),
    "arith.extui": _cast(unsigned=True),
    "arith.floordivsi": _evaluated(_divided(_DOWN), wraps=False),
    "arith.index_cast": _cast(),
    "arith.index_castui": _cast(unsigned=True),
    "arith.maxsi": _extremum("max"),
    "arith.minsi": _extremum("min"),
    "arith.muli": _evaluated(lambda _, a, b: product(a, b)),
    "arith.remsi": _evaluated(_divided(_REST, rounds_to_zero=True), wraps=False),
    "arith.remui": _evaluated(_divided(_REST, rounds_to_zero=True), wraps=False),
    "arith.shli": _evaluated(_shifted),
    "arith.subi": _evaluated(lambda _, a, b: a - b),
    "arith.trunci": _cast(),
}
