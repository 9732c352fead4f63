"""The meaning of every scalar operation of the loop IR on plain Python numbers: one row per operation.

Integers are Python integers in the signed range of their width whatever their signedness in the source; ``i1`` is 0 or
-1, and ``index`` is exact.  Floats are Python floats; a narrower one is rounded after each operation, which for + - * /
and sqrt is exactly the operation of its type, since 53 bits are more than twice 24.  What C leaves undefined (division
by zero, overlong shifts, casts that do not fit) raises ArithmeticFault: such an input has no meaning to compare with.
"""

from __future__ import annotations

import math
import operator
import struct
from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.dialects.arith import IntegerOverflowAttr, IntegerOverflowFlag
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue

from tensorlift.ir.c_types import FLOAT_NAMES
from tensorlift.ir.elementary import FLOAT_FUNCTIONS
from tensorlift.ops.dtypes import FRACTION_BITS, round_float

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Number = int | float
    Evaluator = Callable[..., Any]


class ArithmeticFault(ArithmeticError):  # noqa: N818 - a fault of the interpreted program, not of this one
    """Raised where an operation has no defined result."""


def evaluator(op: Operation) -> Evaluator | None:
    """Give the function from operand values to the result value, or None where ``op`` is no scalar operation."""
    name = op.name
    if name in _EXACT:
        return _wrapped(_EXACT[name], op.results[0].type)
    if name in _CLOSED:
        return _CLOSED[name]
    if name in _WIDTH_DEPENDENT:
        return _WIDTH_DEPENDENT[name](width_of(op.operands[0].type))
    if name in _CASTS:
        return _CASTS[name](op.operands[0].type, op.results[0].type)
    if name in FLOAT_FUNCTIONS:
        return _rounded(FLOAT_FUNCTIONS[name], op.results[0].type)
    if name in _COMPARISONS:
        return _COMPARISONS[name](op)
    return None


def within_64_bits(evaluate: Callable[[Operation], Evaluator | None]) -> Callable[[Operation], Evaluator | None]:
    """Give an ``evaluator`` that takes overflow of 64 bits for undefined: the integers of Python have no limit."""

    def choose(op: Operation) -> Evaluator | None:
        wrapping, exact = evaluate(op), _UNLIMITED.get(op.name)
        if wrapping is None or exact is None or width_of(op.results[0].type) != 64:  # noqa: PLR2004 - bits
            return wrapping

        def checked(*operands: int) -> int:
            value: int = wrapping(*operands)
            if exact(*operands) != value:
                raise ArithmeticFault("an integer needs more than 64 bits")
            return value

        return checked

    return choose


def of_numbers(op: Operation) -> Evaluator | None:
    """Give an ``evaluator`` that takes comparing a NaN for undefined: it has no order, and programs may give it on.

    A value that is compared with itself is asked whether it is one.
    """
    compare = evaluator(op)
    if compare is None or op.name not in _ORDERING or is_one_value(*op.operands):
        return compare

    def checked(left: float, right: float) -> Number:
        if left != left or right != right:  # noqa: PLR0124 - faster than asking for a NaN
            raise ArithmeticFault("a NaN is compared")
        result: Number = compare(left, right)
        return result

    return checked


def is_one_value(left: SSAValue, right: SSAValue) -> bool:
    """Tell whether two operands are one value, or loads of one place beside each other."""
    one, other = left.owner, right.owner
    if left is right or isinstance(one, Block) or isinstance(other, Block):
        return left is right
    is_load = one.name == other.name and one.name.endswith(".load") and one.next_op is other
    is_place = one.properties == other.properties and len(one.operands) == len(other.operands)
    return is_load and is_place and all(a is b for a, b in zip(one.operands, other.operands, strict=True))


def unsteady(directions: Iterator[int], epsilons: int) -> Callable[[Operation], Evaluator | None]:
    """Give an ``evaluator`` that rounds sums, products, quotients and conversions of floats, as directions say.

    What a float holds exactly as it is, a whole number that is not too large, is not rounded.
    """

    def evaluate(op: Operation) -> Evaluator | None:
        steady = evaluator(op)
        if steady is None or op.name not in _ROUNDING:
            return steady
        dtype = FLOAT_NAMES[op.results[0].type]
        bits = FRACTION_BITS[dtype]

        def moved(*operands: float) -> float:
            value = steady(*operands)
            if abs(value) <= 1 << bits and value == int(value):
                return float(value)
            value *= 1 + next(directions) * epsilons * 2.0 ** (1 - bits)
            return round_float(float(value), dtype)

        return moved

    return evaluate


_ORDERING = frozenset({"arith.cmpf", "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"})
_ROUNDING = frozenset({"arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.truncf"})


def width_of(of_type: Attribute) -> int:
    """Give the bits of an integer type; an index is taken as 64 bits wide where an operation must know."""
    return of_type.width.data if isinstance(of_type, IntegerType) else 64


def wrapper(of_type: Attribute) -> Callable[[int], int]:
    """Give the reduction of an integer to its type: two's complement, or nothing for an index."""
    if isinstance(of_type, IndexType):
        return int
    half = 1 << (width_of(of_type) - 1)
    mask = 2 * half - 1
    return lambda value: ((value + half) & mask) - half


def constant(op: Operation) -> Number:
    """Give the value of an ``arith.constant``."""
    value = op.properties["value"]
    if isinstance(value, FloatAttr):
        return round_float(float(value.value.data), FLOAT_NAMES[value.type])
    if not isinstance(value, IntegerAttr):
        raise ArithmeticFault(f"a constant of type {op.results[0].type} is no scalar")
    return wrapper(op.results[0].type)(value.value.data)


def constant_of(value: SSAValue) -> Number | None:
    """Give the number that a value is a constant of, None where it is computed."""
    owner = value.owner
    return constant(owner) if isinstance(owner, Operation) and owner.name == "arith.constant" else None


def _wrapped(function: Callable[..., int], of_type: Attribute) -> Evaluator:
    wrap = wrapper(of_type)
    return lambda *operands: wrap(function(*operands))


def _rounded(function: Callable[..., float], of_type: Attribute) -> Evaluator:
    dtype = FLOAT_NAMES[of_type]
    if dtype == "f64":
        return function
    return lambda *operands: round_float(function(*operands), dtype)


def _truncated_quotient(dividend: int, divisor: int) -> int:
    if divisor == 0:
        raise ArithmeticFault("division by zero")
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _divsi(width: int) -> Evaluator:
    least = -1 << (width - 1)

    def divide(dividend: int, divisor: int) -> int:
        if dividend == least and divisor == -1:
            raise ArithmeticFault("the quotient overflows")
        return _truncated_quotient(dividend, divisor)

    return divide


def _remsi(width: int) -> Evaluator:
    divide = _divsi(width)
    return lambda dividend, divisor: dividend - divisor * divide(dividend, divisor)


def _rounding_division(round_quotient: Callable[[int, int], int]) -> Callable[[int], Evaluator]:
    def build(width: int) -> Evaluator:
        divide = _divsi(width)

        def rounded(dividend: int, divisor: int) -> int:
            divide(dividend, divisor)  # for its faults
            return round_quotient(dividend, divisor)

        return rounded

    return build


def _unsigned(function: Callable[[int, int], int]) -> Callable[[int], Evaluator]:
    """Lift a function of two unsigned values to the signed representation."""

    def build(width: int) -> Evaluator:
        mask, wrap = (1 << width) - 1, wrapper(IntegerType(width))
        return lambda left, right: wrap(function(left & mask, right & mask))

    return build


def _shift(shift: Callable[[int, int, int], int]) -> Callable[[int], Evaluator]:
    def build(width: int) -> Evaluator:
        mask, wrap = (1 << width) - 1, wrapper(IntegerType(width))

        def checked(value: int, amount: int) -> int:
            if not 0 <= amount < width:
                raise ArithmeticFault(f"a shift by {amount} of a value of {width} bits")
            return wrap(shift(value, amount, mask))

        return checked

    return build


def _count(count: Callable[[int, int], int]) -> Callable[[int], Evaluator]:
    """Count bits of the unsigned value; ``count`` gets the value and the width."""

    def build(width: int) -> Evaluator:
        mask = (1 << width) - 1
        return lambda value: count(value & mask, width)

    return build


def _ipowi(width: int) -> Evaluator:
    wrap = wrapper(IntegerType(width))

    def power(base: int, exponent: int) -> int:
        if exponent >= 0:
            return wrap(pow(base, exponent, 1 << width))
        if base == 0:
            raise ArithmeticFault("a negative power of zero")
        return base ** (exponent & 1) if abs(base) == 1 else 0

    return power


# How integers compare, in the order of the predicates of ``arith.cmpi``; those without a sign follow after four.
COMPARED = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
NEGATED = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}  # for operands that change places
_FIRST_ORDERED, _FIRST_UNSIGNED = 2, 6


def predicate_of(op: Operation) -> tuple[str, bool]:
    """Give the operator of an ``arith.cmpi``, and whether it takes its operands as signed."""
    number = _predicate(op)
    signed = number < _FIRST_UNSIGNED
    return [*COMPARED][number if signed else number - _FIRST_UNSIGNED + _FIRST_ORDERED], signed


def predicate_number(compared: str, *, signed: bool) -> int:
    """Give the number of the predicate of an ``arith.cmpi`` by its operator."""
    number = [*COMPARED].index(compared)
    return number if signed or number < _FIRST_ORDERED else number - _FIRST_ORDERED + _FIRST_UNSIGNED


def never_wraps(op: Operation | Block) -> bool:
    """Tell whether an operation is one whose signed overflow is undefined."""
    flags = op.properties.get("overflowFlags") if isinstance(op, Operation) else None
    return isinstance(flags, IntegerOverflowAttr) and IntegerOverflowFlag.NSW in flags.data


def _cmpi(op: Operation) -> Evaluator:
    compared, signed = predicate_of(op)
    compare = COMPARED[compared]
    if signed:
        return lambda left, right: -compare(left, right)
    mask = (1 << width_of(op.operands[0].type)) - 1
    return lambda left, right: -compare(left & mask, right & mask)


def _predicate(op: Operation) -> int:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    return int(predicate.value.data)


def _cmpf(op: Operation) -> Evaluator:
    """Compare floats: of the 16 predicates 1 to 7 are sums of equal 1, greater 2, less 4; from 8 on NaN is true too."""
    predicate = _predicate(op)
    unordered = predicate >= _FIRST_UNORDERED
    accepted = {_UNORDERED_ONLY: 0, _ALWAYS: 7}.get(predicate, predicate - 7 if unordered else predicate)

    def compare(left: float, right: float) -> int:
        if math.isnan(left) or math.isnan(right):
            return -unordered
        relation = 1 if left == right else 2 if left > right else 4
        return -bool(accepted & relation)

    return compare


_FIRST_UNORDERED, _UNORDERED_ONLY, _ALWAYS = 8, 14, 15


def _fptosi(_source: Attribute, target: Attribute) -> Evaluator:
    width = width_of(target)
    return _truncation(-1 << (width - 1), (1 << (width - 1)) - 1, int)


def _fptoui(_source: Attribute, target: Attribute) -> Evaluator:
    return _truncation(0, (1 << width_of(target)) - 1, wrapper(target))


def _truncation(low: int, high: int, wrap: Callable[[int], int]) -> Evaluator:
    def truncate(value: float) -> int:
        if not math.isfinite(value) or not low <= (whole := int(value)) <= high:
            raise ArithmeticFault(f"{value!r} does not fit {low} .. {high}")
        return wrap(whole)

    return truncate


def _sitofp(_source: Attribute, target: Attribute) -> Evaluator:
    return _rounding_once(target)


def _uitofp(source: Attribute, target: Attribute) -> Evaluator:
    mask = (1 << width_of(source)) - 1
    convert = _rounding_once(target)
    return lambda value: convert(value & mask)


def _rounding_once(target: Attribute) -> Callable[[int], float]:
    """Convert integers to a float type, rounded once: what is beyond 26 bits is cut to a sticky bit first."""
    dtype = FLOAT_NAMES[target]

    def convert(value: int) -> float:
        excess = max(value.bit_length() - 26, 0)
        kept = value >> excess
        return round_float(float((kept | (kept << excess != value)) << excess), dtype)

    return float if dtype == "f64" else convert


def _bitcast(source: Attribute, target: Attribute) -> Evaluator:
    reading, writing = (_FORMATS[str(of_type)] for of_type in (target, source))
    return lambda value: struct.unpack(reading, struct.pack(writing, value))[0]


_FORMATS = {"i8": "<b", "i16": "<h", "i32": "<i", "i64": "<q", "f16": "<e", "f32": "<f", "f64": "<d"}


def _to_type(source: Attribute, target: Attribute) -> Evaluator:
    wrap = wrapper(target)
    if not isinstance(source, IndexType):
        return wrap

    def convert(index: int) -> int:
        if not -_BEYOND_INDICES <= index < _BEYOND_INDICES:
            raise ArithmeticFault(f"the index {index} does not fit 64 bits")
        return wrap(index)

    return convert


_BEYOND_INDICES = 1 << 63


def _from_unsigned(source: Attribute, target: Attribute) -> Evaluator:
    mask, wrap = (1 << width_of(source)) - 1, wrapper(target)
    return lambda value: wrap(value & mask)


def _to_float(_source: Attribute, target: Attribute) -> Evaluator:
    return partial(round_float, dtype=FLOAT_NAMES[target])


_EXACT: dict[str, Callable[..., int]] = {
    "arith.addi": operator.add,
    "arith.subi": operator.sub,
    "arith.muli": operator.mul,
    "math.absi": abs,
}
_UNLIMITED = {**_EXACT, "arith.shli": operator.lshift}
_CLOSED: dict[str, Evaluator] = {
    "arith.andi": operator.and_,
    "arith.ori": operator.or_,
    "arith.xori": operator.xor,
    "arith.minsi": min,
    "arith.maxsi": max,
    "arith.select": lambda condition, chosen, other: chosen if condition else other,
}
_WIDTH_DEPENDENT: dict[str, Callable[[int], Evaluator]] = {
    "arith.divsi": _divsi,
    "arith.remsi": _remsi,
    "arith.floordivsi": _rounding_division(operator.floordiv),
    "arith.ceildivsi": _rounding_division(lambda dividend, divisor: -(-dividend // divisor)),
    "arith.divui": _unsigned(_truncated_quotient),
    "arith.remui": _unsigned(lambda left, right: left - right * _truncated_quotient(left, right)),
    "arith.ceildivui": _unsigned(lambda left, right: -_truncated_quotient(-left, right) + (left % right > 0)),
    "arith.minui": _unsigned(min),
    "arith.maxui": _unsigned(max),
    "arith.shli": _shift(lambda value, amount, _mask: value << amount),
    "arith.shrsi": _shift(lambda value, amount, _mask: value >> amount),
    "arith.shrui": _shift(lambda value, amount, mask: (value & mask) >> amount),
    "math.ctlz": _count(lambda value, width: width - value.bit_length()),
    "math.cttz": _count(lambda value, width: (value & -value).bit_length() - 1 if value else width),
    "math.ctpop": _count(lambda value, _width: value.bit_count()),
    "math.ipowi": _ipowi,
}
_CASTS: dict[str, Callable[[Attribute, Attribute], Evaluator]] = {
    "arith.extsi": _to_type,
    "arith.extui": _from_unsigned,
    "arith.trunci": _to_type,
    "arith.index_cast": _to_type,
    "arith.index_castui": _from_unsigned,
    "arith.sitofp": _sitofp,
    "arith.uitofp": _uitofp,
    "arith.fptosi": _fptosi,
    "arith.fptoui": _fptoui,
    "arith.extf": _to_float,
    "arith.truncf": _to_float,
    "arith.bitcast": _bitcast,
}
_COMPARISONS: dict[str, Callable[[Operation], Evaluator]] = {"arith.cmpi": _cmpi, "arith.cmpf": _cmpf}
