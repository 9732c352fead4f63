"""Scalar expressions of Python as typed nodes of the shared syntax tree, with NumPy's rules of promotion.

A value is *weak* where Python computes it with its own ``int`` or ``float``: next to a NumPy scalar it takes that
one's type (NEP 50), so that ``float32`` stays ``float32`` when a literal is added.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.frontends.c import nodes
from tensorlift.frontends.c.c_types import BOOL, DOUBLE, INT, LONG, SCALAR_TYPES, FloatType, IntegerType
from tensorlift.frontends.c.polynomial import Polynomial

if TYPE_CHECKING:
    from tensorlift.diagnostics import Location

Number = IntegerType | FloatType

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
    """A scalar expression with its type; ``truth`` marks the result of a comparison."""

    node: nodes.Expression
    ctype: Number
    weak: bool = False
    truth: bool = False

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer."""
        return isinstance(self.ctype, IntegerType)


def integer(value: int, location: Location) -> Scalar:
    """Give a literal of Python's ``int``."""
    return Scalar(nodes.Integer(value, LONG, location), LONG, weak=True)


def floating(value: float, location: Location) -> Scalar:
    """Give a literal of Python's ``float``."""
    return Scalar(nodes.Floating(value, DOUBLE, location), DOUBLE, weak=True)


def named(variable: nodes.Variable, location: Location, *, weak: bool = False) -> Scalar:
    """Give a use of a scalar variable."""
    assert isinstance(variable.ctype, IntegerType | FloatType)
    return Scalar(nodes.Name(variable, variable.ctype, location), variable.ctype, weak)


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


def _strong(left: Number, right: Number) -> Number:
    """Promote two NumPy types: a float beside an integer of 32 or 64 bits is a double."""
    if isinstance(left, FloatType) and isinstance(right, FloatType):
        return left if left.width >= right.width else right
    if isinstance(left, IntegerType) and isinstance(right, IntegerType):
        return _strong_integers(left, right)
    number, whole = (left, right) if isinstance(left, FloatType) else (right, left)
    return number if whole.width <= number.width // 4 or whole is BOOL else DOUBLE


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
    """Convert to a type."""
    if value.ctype == ctype and not value.truth:
        return Scalar(value.node, ctype)
    node = value.node
    if isinstance(node, nodes.Integer) and isinstance(ctype, FloatType):
        return Scalar(nodes.Floating(float(node.value), ctype, node.location), ctype)
    if isinstance(node, nodes.Floating) and isinstance(ctype, FloatType):
        return Scalar(nodes.Floating(node.value, ctype, node.location), ctype)
    return Scalar(nodes.Cast(node, ctype, location, explicit=False), ctype)


def join(left: Scalar, right: Scalar, location: Location) -> tuple[Scalar, Scalar, bool]:
    """Convert two operands to their common type; also tell whether it is weak."""
    ctype, weak = promoted(left.ctype, left.weak, right.ctype, right.weak)
    return cast(left, ctype, location), cast(right, ctype, location), weak


def binary(operator: str, left: Scalar, right: Scalar, location: Location) -> Scalar:
    """Apply an operator of the tree to operands converted to their common type."""
    a, b, weak = join(left, right, location)
    return Scalar(nodes.Binary(operator, a.node, b.node, a.ctype, location), a.ctype, weak)


def compare(operator: str, left: Scalar, right: Scalar, location: Location) -> Scalar:
    """Compare two numbers."""
    a, b, _ = join(left, right, location)
    return Scalar(nodes.Binary(operator, a.node, b.node, INT, location), INT, truth=True)


def call(name: str, arguments: list[Scalar], ctype: Number, location: Location, *, weak: bool) -> Scalar:
    """Call a function of math.h on arguments of one type."""
    converted = tuple(cast(argument, ctype, location).node for argument in arguments)
    return Scalar(nodes.Call(name, converted, None, ctype, location), ctype, weak)


def choose(condition: Scalar, then: Scalar, otherwise: Scalar, location: Location) -> Scalar:
    """Give ``then if condition else otherwise``."""
    a, b, weak = join(then, otherwise, location)
    return Scalar(nodes.Conditional(condition.node, a.node, b.node, a.ctype, location), a.ctype, weak)


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
