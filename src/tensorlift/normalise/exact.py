"""Integers as exact polynomials of sizes and loop variables: one rule for each operation of literal IR.

A rule takes exact operands and gives an exact result, with the needs that it rests on, or None where there is none.
Overflow that is undefined needs nothing; where arithmetic wraps, the result is one without a sign whose needs say that
it does not wrap.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import IndexType, bf16, f16, f32, f64, i1
from xdsl.dialects.builtin import IntegerType as BuiltinInteger

from tensorlift.ir.arithmetic import never_wraps, predicate_of, width_of
from tensorlift.normalise.steering import handed_on
from tensorlift.ops.c_types import (
    BRAIN,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    SCALAR_TYPES,
    TRUTH,
    UNSIGNED,
    UNSIGNED_LONG,
    FloatType,
    IntegerType,
)
from tensorlift.poly import index_arithmetic
from tensorlift.poly.index_arithmetic import Index, Need, Setting
from tensorlift.poly.polynomial import ONE, Polynomial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xdsl.ir import Attribute, Operation, SSAValue

    Rule = Callable[[Operation, Sequence[Index], Setting], Index | None]

_INTEGERS = {name: kind for name, kind in SCALAR_TYPES.items() if isinstance(kind, IntegerType)}
_SIGNED = {8: _INTEGERS["signed char"], 16: _INTEGERS["short"], 32: INT, 64: LONG}
_UNSIGNED = {8: _INTEGERS["unsigned char"], 16: _INTEGERS["unsigned short"], 32: UNSIGNED, 64: UNSIGNED_LONG}
# The types of C of numbers, integers with a sign.
NUMBERS: Mapping[Attribute, FloatType | IntegerType] = {
    f16: HALF,
    bf16: BRAIN,
    f32: FLOAT,
    f64: DOUBLE,
    i1: TRUTH,
    IndexType(): LONG,
    **{BuiltinInteger(width): kind for width, kind in _SIGNED.items()},
}
_OPERATORS = {
    "arith.divsi": ("/", True),
    "arith.divui": ("/", False),
    "arith.remsi": ("%", True),
    "arith.remui": ("%", False),
    "arith.floordivsi": ("//", True),
    "arith.shrsi": (">>", True),
    "arith.shrui": (">>", False),
    "arith.andi": ("&", False),
}
_WRAPPING = {"arith.addi": "+", "arith.subi": "-", "arith.muli": "*", "arith.shli": "<<"}
_RINGS = {"arith.addi", "arith.subi", "arith.muli"}  # their results are right modulo the range of a type
_EXTENSIONS = {"arith.extsi": True, "arith.extui": False, "arith.index_cast": True, "arith.index_castui": False}
_READ_WITHOUT_SIGN = {"arith.extui", "arith.uitofp", "arith.divui", "arith.remui", "arith.shrui"}
REACHED = "tl.reached"  # marks what a counter is after a loop: its bound, or its start where that is beyond
DIVISIONS = {"arith.divsi", "arith.divui", "arith.floordivsi", "arith.remsi", "arith.remui"}
QUOTIENTS = {"arith.divsi", "arith.divui", "arith.floordivsi"}


def integer(kind: Attribute, *, signed: bool) -> IntegerType:
    """Give the integer type of C of a type of literal IR, read in one of two ways."""
    return (_SIGNED if signed else _UNSIGNED)[width_of(kind)]


def constant(op: Operation) -> Index:
    """Give an integer constant."""
    value: Any = op.properties["value"]
    return Index(Polynomial.constant(value.value.data), integer(op.results[0].type, signed=True))


def number_type(kind: Attribute, values: Sequence[SSAValue]) -> FloatType | IntegerType:
    """Give the type of C of numbers; without a sign where values are used so."""
    uses = [use.operation for value in values for use in value.uses]
    unsigned = any(
        op.name in _READ_WITHOUT_SIGN or (op.name == "arith.cmpi" and not predicate_of(op)[1]) for op in uses
    )
    return integer_or_float(kind, signed=not unsigned)


def integer_or_float(kind: Attribute, *, signed: bool) -> FloatType | IntegerType:
    """Give the type of C of numbers, of integers with a sign or without."""
    number = NUMBERS[kind]
    return number if isinstance(number, FloatType) or number is TRUTH else integer(kind, signed=signed)


def read_as(index: Index, ctype: IntegerType, setting: Setting) -> Index | None:
    """Take the bits of an integer for those of a type of the same width."""
    if index.ctype == ctype:
        return index
    return index_arithmetic.convert(index, ctype, setting.location)


def _computed(op: Operation, operands: Sequence[Index], setting: Setting) -> Index | None:
    """Compute with two integers."""
    kind = op.results[0].type
    if op.name in _WRAPPING:
        operator = _WRAPPING[op.name]
        signed = never_wraps(op) or setting.exact_from > INT.width
    else:
        operator, signed = _OPERATORS[op.name]
        signed |= operator == "&" and all(operand.ctype.signed for operand in operands)
    ctype = integer(kind, signed=signed)
    if not signed and op.name in _RINGS:
        return _in_ring(_WRAPPING[op.name], operands, ctype, setting)
    left = read_as(operands[0], ctype, setting)
    right = read_as(operands[1], ctype, setting)
    if left is None or right is None:
        return None
    if never_wraps(op):
        setting = index_arithmetic.Setting(setting.ranges, setting.domain, setting.location)
    return index_arithmetic.binary(operator, left, right, ctype, setting)


def _rounded_up(op: Operation, operands: Sequence[Index], setting: Setting) -> Index | None:
    """Divide by a positive number, rounding up, which is to round down a greater dividend."""
    ctype, divisor = integer(op.results[0].type, signed=op.name == "arith.ceildivsi"), operands[1]
    left, number = read_as(operands[0], ctype, setting), divisor.polynomial.constant_value
    if left is None or number is None or number < 1:
        return None
    raised = replace(left, polynomial=left.polynomial + Polynomial.constant(number - 1))
    return index_arithmetic.binary("//", raised, replace(divisor, ctype=ctype), ctype, setting)


def _complement(op: Operation, operands: Sequence[Index], setting: Setting) -> Index | None:
    """Invert all bits of an integer with a sign, which leaves ``-x - 1``."""
    value, mask = operands if operands[1].polynomial.constant_value is not None else operands[::-1]
    ctype = integer(op.results[0].type, signed=True)
    found = read_as(value, ctype, setting)
    if mask.polynomial.constant_value != -1 or found is None:
        return None
    return replace(found, polynomial=-found.polynomial - ONE, needs=found.needs + mask.needs)


def _in_ring(operator: str, operands: Sequence[Index], ctype: IntegerType, setting: Setting) -> Index | None:
    """Compute where that wraps: a term may be negative, as ``dy`` in ``y + dy``, where the result is not."""
    found = index_arithmetic.binary(operator, operands[0], operands[1], ctype, setting)
    signed = [operand.polynomial.constant_value for operand in operands if operand.ctype.signed]
    if found is None or found.polynomial.is_constant or all(value is not None and value >= 0 for value in signed):
        return found
    need = Need("overflow", found.polynomial, setting.location, wraps=True)
    return found if need in found.needs else replace(found, needs=(*found.needs, need))


def _extended(op: Operation, operands: Sequence[Index], setting: Setting) -> Index | None:
    """Widen, narrow or take for an index; the result has a sign, but for one of few bits that is used without."""
    signed = _EXTENSIONS.get(op.name, True)
    given, wanted = op.operands[0].type, op.results[0].type
    if width_of(wanted) < INT.width and width_of(wanted) < width_of(given):
        ctype = number_type(wanted, handed_on(op.results[0]))
        assert isinstance(ctype, IntegerType)
        return index_arithmetic.convert(operands[0], ctype, setting.location)
    if width_of(wanted) <= width_of(given):  # an index cast may narrow
        return index_arithmetic.convert(operands[0], integer(wanted, signed=operands[0].ctype.signed), setting.location)
    found = read_as(operands[0], integer(given, signed=signed), setting)
    return None if found is None else index_arithmetic.convert(found, integer(wanted, signed=True), setting.location)


def _reached(op: Operation, operands: Sequence[Index], setting: Setting) -> Index | None:
    """Take the end of a loop for its bound, which it is where the loop has iterations or is just at its end."""
    if REACHED not in op.attributes:
        return None
    end, start = operands
    room = end.polynomial - start.polynomial
    need = Need("extent", room if "max" in op.name else -room, setting.location)
    is_certain = setting.domain is not None and setting.ranges.is_certain(need.polynomial, setting.domain)
    return end if is_certain else replace(end, needs=(*end.needs, need))


EXACT: Mapping[str, Rule] = {
    **dict.fromkeys((*_OPERATORS, *_WRAPPING), _computed),
    **dict.fromkeys((*_EXTENSIONS, "arith.trunci"), _extended),
    **dict.fromkeys(("arith.ceildivsi", "arith.ceildivui"), _rounded_up),
    "arith.xori": _complement,
    **dict.fromkeys(("arith.maxsi", "arith.maxui", "arith.minsi", "arith.minui"), _reached),
}
