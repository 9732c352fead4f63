"""Scalar expressions of Python as typed nodes of the shared syntax tree, with NumPy's rules of promotion.

A value is *weak* where Python computes it with its own ``int`` or ``float``: next to a NumPy scalar it takes that
one's type (NEP 50), so that ``float32`` stays ``float32`` when a literal is added.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.python.refusals import refusal
from tensorlift.ops.c_types import BOOL, DOUBLE, INT, LONG, SCALAR_TYPES, FloatType, IntegerType
from tensorlift.poly.polynomial import Polynomial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.diagnostics import Location

Number = IntegerType | FloatType

_MOST_KNOWN = 4
_HALF, _SINGLE = 8, 16  # integers of up to so many bits NumPy takes to float16 and float32

DTYPES: dict[str, Number] = {
    "float64": DOUBLE,
    "double": DOUBLE,
    "float32": SCALAR_TYPES["float"],
    "int64": LONG,
    "int_": LONG,
    "intp": LONG,
    "int32": INT,
    "int16": SCALAR_TYPES["short"],
    "int8": SCALAR_TYPES["signed char"],
    "uint8": SCALAR_TYPES["unsigned char"],
    "uint16": SCALAR_TYPES["unsigned short"],
    "uint32": SCALAR_TYPES["unsigned int"],
    "uint64": SCALAR_TYPES["unsigned long"],
    "bool_": BOOL,
    "float": DOUBLE,
    "int": LONG,
    "bool": BOOL,
}


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar expression with its type; ``truth`` marks the result of a comparison, which is 0 or 1.

    ``mixed`` marks a value that data makes a truth value of Python, one of NumPy, or a number: whether a sum with
    another truth value is a number is not known.  ``loose`` marks a number of another type that data makes an integer
    of Python: beside an integer of NumPy it takes the type of that one, in which the result wraps.  ``known`` are all
    integers of Python that an integer of NumPy may be, where they are written in the source.
    """

    node: nodes.Expression
    ctype: Number
    weak: bool = False
    truth: bool = False
    mixed: bool = False
    loose: bool = False
    known: frozenset[int] | None = None

    @property
    def may_be_integer(self) -> bool:
        """Whether it is an integer of Python, or data makes it one."""
        return self.loose or (self.weak and self.is_integer)

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer."""
        return isinstance(self.ctype, IntegerType)

    @property
    def is_truth(self) -> bool:
        """Whether it is a truth value: Python's ``bool`` where it is weak, else NumPy's."""
        return self.truth or self.ctype == BOOL


def integer(value: int, location: Location) -> Scalar:
    """Give a literal of Python's ``int``."""
    return Scalar(nodes.Integer(value, LONG, location), LONG, weak=True)


def size_of(extent: nodes.Expression) -> Scalar:
    """Give an extent as an integer of Python."""
    return Scalar(extent, LONG, weak=True)


def product(extents: Sequence[nodes.Expression], location: Location) -> Scalar:
    """Multiply extents."""
    return reduce(lambda count, extent: binary("*", count, extent, location), map(size_of, extents))


def floating(value: float, location: Location) -> Scalar:
    """Give a literal of Python's ``float``."""
    return Scalar(nodes.Floating(value, DOUBLE, location), DOUBLE, weak=True)


def truth(value: bool, location: Location) -> Scalar:  # noqa: FBT001 - the literal itself
    """Give a literal of Python's ``bool``."""
    return Scalar(nodes.Integer(int(value), INT, location), INT, weak=True, truth=True)


def promoted(left: Number, left_weak: bool, right: Number, right_weak: bool) -> tuple[Number, bool]:  # noqa: FBT001 - two types with their marks
    """Give the common type of two operands, and whether it is weak."""
    if left_weak and right_weak:
        return (DOUBLE if isinstance(left, FloatType) or isinstance(right, FloatType) else LONG), True
    if left_weak or right_weak:
        weak, strong = (left, right) if left_weak else (right, left)
        if isinstance(weak, FloatType) and isinstance(strong, IntegerType):
            return DOUBLE, False
        return (LONG if strong is BOOL else strong), False
    return _strong(left, right), False


def float_type(module: str, ctype: Number, *, weak: bool) -> Number | None:
    """Give the type in which a function of math or numpy computes with a number: None where that is float16."""
    if module == "math":
        return DOUBLE
    if isinstance(ctype, FloatType):
        return ctype
    width = LONG.width if weak else ctype.width
    if width <= _HALF:
        return None
    return DTYPES["float32"] if width <= _SINGLE else DOUBLE


def _strong(left: Number, right: Number) -> Number:
    """Promote two NumPy types: ``float32`` beside an integer of more than 16 bits is ``float64``."""
    if isinstance(left, FloatType) and isinstance(right, FloatType):
        return left if left.width >= right.width else right
    if isinstance(left, IntegerType) and isinstance(right, IntegerType):
        return _strong_integers(left, right)
    number, whole = (left, right) if isinstance(left, FloatType) else (right, left)
    return number if whole.width <= number.width // 2 else DOUBLE


def _strong_integers(left: IntegerType, right: IntegerType) -> Number:
    if left is BOOL or right is BOOL:
        return right if left is BOOL else left
    if left.signed == right.signed:
        return left if left.width >= right.width else right
    signed, unsigned = (left, right) if left.signed else (right, left)
    if signed.width > unsigned.width:
        return signed
    wider = {8: SCALAR_TYPES["short"], 16: INT, 32: LONG}
    return wider.get(unsigned.width, DOUBLE)


def cast(value: Scalar, ctype: Number, location: Location) -> Scalar:
    """Convert to a type; raises LiftError for a literal of Python's ``int`` that the type does not hold."""
    if value.ctype == ctype and not value.truth:
        return Scalar(value.node, ctype)
    node = value.node
    if isinstance(node, nodes.Integer | nodes.Floating) and isinstance(ctype, FloatType):
        number = float(node.value) if ctype == DOUBLE else _single(node.value)
        return Scalar(nodes.Floating(number, ctype, node.location), ctype)
    if isinstance(node, nodes.Integer) and isinstance(ctype, IntegerType) and value.weak and ctype != BOOL:
        if not holds(ctype, node.value):
            raise refusal("type", location, f"{node.value} is no number of the type {name_of(ctype)}")
        if ctype == LONG:
            return Scalar(nodes.Integer(node.value, LONG, node.location), LONG)
    return Scalar(nodes.Cast(node, ctype, location, explicit=False), ctype)


def holds(ctype: IntegerType, value: int) -> bool:
    """Whether an integer type has a value."""
    return ctype.minimum <= value <= ctype.maximum


def keeps_kind(found: Number, target: Number) -> bool:
    """Whether NumPy stores one type into another in place: not floats into integers, nor signs into unsigned ones."""
    if isinstance(target, FloatType):
        return True
    if not isinstance(found, IntegerType) or target == BOOL:
        return found == target
    return target.signed or not found.signed


def fits(value: Scalar, ctype: Number) -> bool:
    """Whether a variable of a type holds a value as Python does.

    A weak number must not lose by the conversion; any other keeps its type, in which what is made of it is computed.
    """
    if not value.weak:
        return value.ctype == ctype or (value.truth and ctype == BOOL)
    if ctype in (value.ctype, DOUBLE):
        return True
    if isinstance(value.node, nodes.Integer | nodes.Floating):
        number = value.node.value
        return holds(ctype, int(number)) if isinstance(ctype, IntegerType) else _single(number) == number
    return value.is_truth or (value.is_integer and ctype == LONG)


def _single(number: float) -> float:
    """Round to single precision."""
    try:
        found: float = struct.unpack("f", struct.pack("f", number))[0]
    except OverflowError:
        return float("inf")
    return found


def name_of(ctype: Number) -> str:
    """Name a type as NumPy does."""
    return next(name for name, known in DTYPES.items() if known == ctype)


def number(value: Scalar, location: Location) -> Scalar:
    """Turn a truth value into the number that it is: Python's is an ``int``, NumPy's stays a ``bool_``."""
    if not value.is_truth:
        return value
    ctype = LONG if value.weak else BOOL
    return Scalar(cast(value, ctype, location).node, ctype, value.weak, mixed=value.mixed)


LOGICAL = {"+": "||", "*": "&&", "|": "||", "&": "&&", "^": "!="}  # what operators are among truth values of NumPy


def of_numpy(value: Scalar) -> Scalar:
    """Give a truth value as NumPy takes it for its functions, and leave a number as it is."""
    return replace(value, weak=False, mixed=False) if value.is_truth else value


def logical(operator: str, values: Sequence[Scalar], location: Location, *, weak: bool, mixed: bool = False) -> Scalar:
    """Combine truth values with an operator of the tree to one truth value."""
    first, *rest = (truth_of(value, location) for value in values)
    node = first.node
    for value in rest:
        node = nodes.Binary(operator, node, value.node, INT, location)
    return Scalar(node, INT, weak, truth=True, mixed=mixed)


def differ_in_kind(values: Sequence[Scalar]) -> bool:
    """Whether one of several values, of which data chooses, may or may not be a truth value of Python or NumPy."""
    kinds = {(value.is_truth, value.weak) for value in values}
    return any(value.mixed for value in values) or (len(kinds) > 1 and any(value.is_truth for value in values))


def is_loose(values: Sequence[Scalar], ctype: Number, *, weak: bool) -> bool:
    """Whether what data chooses of several values, in their common type, may be an integer of Python all the same."""
    return (isinstance(ctype, FloatType) or not weak) and any(value.may_be_integer for value in values)


def known_integers(values: Sequence[Scalar]) -> frozenset[int] | None:
    """Give the integers of Python that data chooses of several values, where they are few and written in the source."""
    found: frozenset[int] = frozenset()
    for value in values:
        if isinstance(value.node, nodes.Integer) and value.weak:
            found |= {value.node.value}
        elif value.may_be_integer:
            if value.known is None:
                return None
            found |= value.known
    return found if len(found) <= _MOST_KNOWN else None


def combined(left: Scalar, right: Scalar, compute: Callable[[int, int], int] | None) -> frozenset[int] | None:
    """Give the integers of Python that an operation gives for two numbers; None where they are not known.

    ``compute`` is the operation on integers of Python.  Numbers that are NumPy's alone give none.
    """
    if not (left.may_be_integer and right.may_be_integer):
        return frozenset()
    one, other = known_integers([left]), known_integers([right])
    if compute is mul and frozenset({0}) in (one, other):
        return frozenset({0})
    if one is None or other is None or compute is None:
        return None
    try:
        return frozenset(compute(a, b) for a in one for b in other)
    except (ZeroDivisionError, ValueError):
        return None


def check_wrapping(
    left: Scalar, right: Scalar, location: Location, compute: Callable[[int, int], int] | None = None
) -> frozenset[int] | None:
    """Refuse an operation on integers that wraps in another type where data makes an operand an integer of Python.

    Gives the integers of Python that are its results then, where they are known.
    """
    kinds = [[(side.ctype, side.weak), *([(LONG, True)] if side.loose else [])] for side in (left, right)]
    types = {promoted(*one, *other)[0] for one in kinds[0] for other in kinds[1]}
    found = combined(left, right, compute)
    if not (left.loose or right.loose) or not all(side.is_integer for side in (left, right)) or len(types) == 1:
        return found
    strong = types - {LONG}
    if len(strong) == 1 and not any(not side.loose and not side.weak for side in (left, right)):
        (ctype,) = strong  # beside LONG, which is that of two integers of Python
        if isinstance(ctype, IntegerType) and found is not None and all(holds(ctype, value) for value in found):
            return found
    detail = "integers of which data makes one an integer of Python, or one of NumPy with a type in which others wrap"
    raise refusal("type", location, f"arithmetic of {detail}")


def stored(value: Scalar, location: Location) -> Scalar:
    """Give a truth value the type in which variables hold it, and leave a number as it is."""
    return replace(cast(value, BOOL, location), weak=value.weak, mixed=value.mixed) if value.truth else value


def join(left: Scalar, right: Scalar, location: Location) -> tuple[Scalar, Scalar, bool]:
    """Convert two operands to their common type; also tell whether it is weak."""
    left, right = number(left, location), number(right, location)
    ctype, weak = promoted(left.ctype, left.weak, right.ctype, right.weak)
    return cast(left, ctype, location), cast(right, ctype, location), weak


def binary(operator: str, left: Scalar, right: Scalar, location: Location) -> Scalar:
    """Apply an operator of the tree to operands converted to their common type."""
    a, b, weak = join(left, right, location)
    if a.ctype == BOOL:
        if operator not in LOGICAL:
            raise refusal("truths", location, "this operator is not lifted for two truth values of NumPy")
        return logical(LOGICAL[operator], [left, right], location, weak=False)
    return Scalar(nodes.Binary(operator, a.node, b.node, a.ctype, location), a.ctype, weak)


def compare(operator: str, left: Scalar, right: Scalar, location: Location) -> Scalar:
    """Compare two numbers; integers exactly."""
    a, b = number(left, location), number(right, location)
    ctype = _compared(a, b, location)
    test = nodes.Binary(operator, cast(a, ctype, location).node, cast(b, ctype, location).node, INT, location)
    return Scalar(test, INT, weak=left.weak and right.weak, truth=True)


def _compared(left: Scalar, right: Scalar, location: Location) -> Number:
    """Give the type in which two numbers are compared: for integers one that holds both."""
    common = promoted(left.ctype, left.weak, right.ctype, right.weak)[0]
    if not isinstance(left.ctype, IntegerType) or not isinstance(right.ctype, IntegerType):
        return common
    if left.weak != right.weak:
        weak, strong = (left.node, right.ctype) if left.weak else (right.node, left.ctype)
        if isinstance(weak, nodes.Integer) and holds(strong, weak.value) and strong != BOOL:
            return strong
        if LONG.contains(strong):
            return LONG
    if not isinstance(common, IntegerType) or not (common.contains(left.ctype) and common.contains(right.ctype)):
        raise refusal("type", location, "a comparison of an unsigned integer with one that may be negative")
    return LONG if common == BOOL else common


def call(name: str, arguments: list[Scalar], ctype: Number, location: Location, *, weak: bool) -> Scalar:
    """Call a function of math.h on arguments of one type."""
    converted = tuple(cast(argument, ctype, location).node for argument in arguments)
    return Scalar(nodes.Call(name, converted, None, ctype, location), ctype, weak)


def check_choice(first: Scalar, second: Scalar, common: Number, location: Location) -> None:
    """Refuse a choice between numbers of which one would not keep its own type, in which Python goes on."""
    if not (fits(first, common) and fits(second, common)):
        one, other = (name_of(number(value, location).ctype) for value in (first, second))
        raise refusal("type", location, f"a choice between numbers of the types {one} and {other}")


def choose(condition: Scalar, then: Scalar, otherwise: Scalar, location: Location) -> Scalar:
    """Give ``then if condition else otherwise``."""
    mixed = differ_in_kind([then, otherwise])
    if then.is_truth and otherwise.is_truth:
        arms = [truth_of(arm, location) for arm in (then, otherwise)]
        node = nodes.Conditional(condition.node, arms[0].node, arms[1].node, INT, location)
        return Scalar(node, INT, then.weak and otherwise.weak, truth=True, mixed=mixed)
    a, b, weak = join(then, otherwise, location)
    check_choice(then, otherwise, a.ctype, location)
    node = nodes.Conditional(condition.node, a.node, b.node, a.ctype, location)
    loose = is_loose((then, otherwise), a.ctype, weak=weak)
    return Scalar(node, a.ctype, weak, mixed=mixed, loose=loose, known=known_integers((then, otherwise)))


def truth_of(value: Scalar, location: Location) -> Scalar:
    """Tell whether a number is other than zero."""
    return value if value.truth else replace(compare("!=", value, integer(0, location), location), weak=value.weak)


def polynomial(node: nodes.Expression) -> Polynomial | None:
    """Read an integer expression as a polynomial over the names of its variables; None where it is none."""
    match node:
        case nodes.Integer(value=value):
            return Polynomial.constant(value)
        case nodes.Name(variable=variable) if isinstance(variable.ctype, IntegerType):
            return Polynomial.variable(variable.name)
        case nodes.Cast(operand=operand, ctype=IntegerType(width=64)):
            return polynomial(operand)
        case nodes.Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
            a, b = polynomial(left), polynomial(right)
            if a is None or b is None:
                return None
            return a + b if operator == "+" else a - b if operator == "-" else a * b
        case _:
            return None
