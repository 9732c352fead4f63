"""Types and kinds of numbers of Python, with NumPy's rules of promotion.

A value is *weak* where Python computes it with its own ``int`` or ``float``: next to a NumPy scalar it takes that
one's type (NEP 50), so that ``float32`` stays ``float32`` when a literal is added.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import mul
from typing import TYPE_CHECKING, Protocol

from tensorlift.diagnostics import Location
from tensorlift.frontends.python.refusals import RefusedError
from tensorlift.ir import nodes
from tensorlift.ops.c_types import BOOL, BRAIN, DOUBLE, FLOAT, HALF, INT, LONG, SCALAR_TYPES, FloatType, IntegerType
from tensorlift.poly.polynomial import Polynomial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Number = IntegerType | FloatType

_MOST_KNOWN = 4
_FLOAT_FOR: dict[int, FloatType] = {8: HALF, 16: FLOAT}  # what NumPy takes integers of so many bits to, or a double

DTYPES: dict[str, Number] = {
    "float64": DOUBLE,
    "double": DOUBLE,
    "float32": FLOAT,
    "float16": HALF,
    "bfloat16": BRAIN,
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


NOWHERE = Location("", 1, 1)  # of the expressions that sizes are made of


@dataclass(frozen=True, slots=True)
class Scalar:
    """What is known of a number: its type, whose it is, and its value where that is stated or the same everywhere.

    ``node`` is a number of the source, or what an integer is made of: sizes and counters.

    ``mixed`` marks a value that data makes a truth value of Python, one of NumPy, or a number: whether a sum with
    another truth value is a number is not known.  ``loose`` marks a number of another type that data makes an integer
    of Python: beside an integer of NumPy it takes the type of that one, in which the result wraps.  ``known`` are all
    integers of Python that an integer of NumPy may be, where they are written in the source.  ``is_any`` marks an
    integer of 64 bits that is made of data, not of sizes and counters.
    """

    ctype: Number
    weak: bool = False
    node: nodes.Expression | None = None
    mixed: bool = False
    loose: bool = False
    known: frozenset[int] | None = None
    is_any: bool = False

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
        return self.ctype == BOOL

    @property
    def is_stable(self) -> bool:
        """Whether it is an integer that is made of sizes and counters."""
        return self.node is not None and not isinstance(self.node, nodes.Floating)

    @property
    def literal(self) -> float | None:
        """The number of the source that it is."""
        return self.node.value if isinstance(self.node, nodes.Integer | nodes.Floating) else None

    @property
    def integer(self) -> int | None:
        """The integer of the source that it is."""
        return self.node.value if isinstance(self.node, nodes.Integer) else None


def integer(value: int) -> Scalar:
    """Give a literal of Python's ``int``."""
    return size_of(nodes.Integer(value, LONG, NOWHERE))


def size_of(extent: nodes.Expression) -> Scalar:
    """Give an extent as an integer of Python."""
    return Scalar(LONG, weak=True, node=extent)


def floating(value: float, ctype: Number = DOUBLE) -> Scalar:
    """Give a literal of Python's ``float``."""
    return Scalar(ctype, weak=True, node=nodes.Floating(value, ctype, NOWHERE))


def of_type(ctype: Number, parts: Sequence[Scalar], node: nodes.Expression | None = None, *, weak: bool) -> Scalar:
    """Give what is computed of numbers, in a type."""
    return Scalar(ctype, weak, node, is_any=is_wide(ctype) and any(part.is_any for part in parts))


def is_wide(ctype: Number) -> bool:
    """Whether a type is that of integers of 64 bits."""
    return isinstance(ctype, IntegerType) and ctype.width == LONG.width


def joined_node(operator: str, *sides: Scalar) -> nodes.Expression | None:
    """Give what an operation on numbers is made of, where these are the same wherever they stand."""
    first, *rest = (side.node for side in sides)
    for node in rest:
        if first is None or node is None or not all(side.is_stable for side in sides):
            return None
        first = nodes.Binary(operator, first, node, LONG, NOWHERE)
    return first


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


def float_type(module: str, ctype: Number, *, weak: bool) -> Number:
    """Give the type in which a function of math or numpy computes with a number."""
    if module == "math":
        return DOUBLE
    if isinstance(ctype, FloatType):
        return ctype
    return DOUBLE if weak else _FLOAT_FOR.get(ctype.width, DOUBLE)


def _strong(left: Number, right: Number) -> Number:
    """Promote two NumPy types: ``float32`` beside an integer of more than 16 bits is ``float64``."""
    if BRAIN in {left, right} and left != right:
        raise RefusedError("type", f"{name_of(left)} beside {name_of(right)}, which libraries promote in several ways")
    if isinstance(left, FloatType) and isinstance(right, FloatType):
        return left if left.width >= right.width else right
    if isinstance(left, IntegerType) and isinstance(right, IntegerType):
        return _strong_integers(left, right)
    number, whole = (left, right) if isinstance(left, FloatType) else (right, left)
    least = _FLOAT_FOR.get(whole.width, DOUBLE)
    return number if number.width >= least.width else least


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


def cast(value: Scalar, ctype: Number) -> Scalar:
    """Convert to a type; raises ``RefusedError`` for a literal of Python's ``int`` that the type does not hold."""
    node = value.node
    if value.ctype == ctype:
        return Scalar(ctype, node=node, is_any=value.is_any)
    if value.literal is not None and isinstance(ctype, FloatType):
        return replace(floating(ctype.rounded(value.literal), ctype), weak=False)
    if value.integer is not None and isinstance(ctype, IntegerType) and value.weak and ctype != BOOL:
        if not holds(ctype, value.integer):
            raise RefusedError("range", f"{value.integer} is no number of the type {name_of(ctype)}")
        if ctype == LONG:
            return Scalar(LONG, node=nodes.Integer(int(value.integer), LONG, NOWHERE))
    is_any = is_wide(ctype) and (isinstance(value.ctype, FloatType) or value.is_any)
    if node is None or not value.is_stable or not isinstance(ctype, IntegerType) or ctype == BOOL:
        return Scalar(ctype, is_any=is_any)
    return Scalar(ctype, node=nodes.Cast(node, ctype, NOWHERE), is_any=is_any)


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


def fits(value: Typed, ctype: Number) -> bool:
    """Whether a variable of a type holds a value as Python does.

    A weak number must not lose by the conversion; any other keeps its type, in which what is made of it is computed.
    """
    if not value.weak:
        return value.ctype == ctype
    if ctype in (value.ctype, DOUBLE):
        return True
    if value.literal is not None and value.ctype != BOOL:
        if isinstance(ctype, FloatType):
            return ctype.rounded(value.literal) == value.literal
        return ctype != BOOL and isinstance(value.literal, int) and holds(ctype, value.literal)
    return ctype == LONG and isinstance(value.ctype, IntegerType)


def name_of(ctype: Number) -> str:
    """Name a type as NumPy does."""
    return next(name for name, known in DTYPES.items() if known == ctype)


def number(value: Scalar) -> Scalar:
    """Turn a truth value into the number that it is: Python's is an ``int``, NumPy's stays a ``bool_``."""
    if not value.is_truth:
        return value
    return replace(cast(value, LONG if value.weak else BOOL), weak=value.weak, mixed=value.mixed)


LOGICAL = {"+": "||", "*": "&&", "|": "||", "&": "&&", "^": "!="}  # what operators are among truth values of NumPy


def of_numpy(value: Scalar) -> Scalar:
    """Give a truth value as NumPy takes it for its functions, and leave a number as it is."""
    return replace(value, weak=False, mixed=False) if value.is_truth else value


def truth(*, weak: bool, mixed: bool = False) -> Scalar:
    """Give a truth value."""
    return Scalar(BOOL, weak, mixed=mixed)


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
        if value.integer is not None and value.weak:
            found |= {int(value.integer)}
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
    left: Scalar, right: Scalar, compute: Callable[[int, int], int] | None = None
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
    raise RefusedError("type", f"arithmetic of {detail}")


def join(left: Scalar, right: Scalar) -> tuple[Scalar, Scalar, bool]:
    """Convert two operands to their common type; also tell whether it is weak."""
    left, right = number(left), number(right)
    ctype, weak = promoted(left.ctype, left.weak, right.ctype, right.weak)
    return cast(left, ctype), cast(right, ctype), weak


def binary(operator: str, left: Scalar, right: Scalar) -> Scalar:
    """Give what an operator makes of operands converted to their common type."""
    a, b, weak = join(left, right)
    if a.ctype == BOOL:
        if operator not in LOGICAL:
            raise RefusedError("truths", "this operator is not lifted for two truth values of NumPy")
        return truth(weak=False)
    found = of_type(a.ctype, (a, b), joined_node(operator, a, b), weak=weak)
    return replace(found, is_any=a.is_any and b.is_any) if operator == "&" else found


def compare(left: Scalar, right: Scalar) -> Scalar:
    """Compare two numbers; integers exactly."""
    compared_in(number(left), number(right))
    return truth(weak=left.weak and right.weak)


class Typed(Protocol):
    """What is known of a number, here and where literal IR is made of it."""

    @property
    def ctype(self) -> Number:
        """Its type."""

    @property
    def weak(self) -> bool:
        """Whether it is Python's own."""

    @property
    def literal(self) -> float | None:
        """The number of the source that it is."""


def compared_in(left: Typed, right: Typed) -> Number:
    """Give the type in which two numbers are compared, for integers one that holds both."""
    if not isinstance(left.ctype, IntegerType) or not isinstance(right.ctype, IntegerType):
        return promoted(left.ctype, left.weak, right.ctype, right.weak)[0]
    for one, ctype in ((left, right.ctype), (right, left.ctype)):
        if one.weak and one.literal is not None and ctype != BOOL and holds(ctype, int(one.literal)):
            return ctype
    for ctype in (left.ctype, right.ctype, LONG):
        if ctype != BOOL and ctype.contains(left.ctype) and ctype.contains(right.ctype):
            return ctype
    raise RefusedError("type", "a comparison of an unsigned integer with one that may be negative")


def common_type(values: Sequence[Typed]) -> tuple[Number, bool]:
    """Give the type that several numbers or truth values have together, and whether it is Python's own."""
    ctype, weak = values[0].ctype, values[0].weak
    for value in values[1:]:
        if ctype == value.ctype == BOOL:
            weak = weak and value.weak
        else:
            ctype, weak = promoted(ctype, weak, value.ctype, value.weak)
    return ctype, weak


def accumulator(element: Number) -> Number:
    """Give the type in which NumPy sums elements of a type."""
    if isinstance(element, FloatType):
        return element
    return LONG if element.signed or element == BOOL else DTYPES["uint64"]


def check_choice(first: Scalar, second: Scalar, common: Number) -> None:
    """Refuse a choice between numbers of which one would not keep its own type, in which Python goes on."""
    if not (fits(first, common) and fits(second, common)):
        one, other = (name_of(number(value).ctype) for value in (first, second))
        raise RefusedError("type", f"a choice between numbers of the types {one} and {other}")


def choose(then: Scalar, otherwise: Scalar) -> Scalar:
    """Give what is one number or another, as data decides."""
    mixed = differ_in_kind([then, otherwise])
    if then.is_truth and otherwise.is_truth:
        return truth(weak=then.weak and otherwise.weak, mixed=mixed)
    a, b, weak = join(then, otherwise)
    check_choice(then, otherwise, a.ctype)
    loose = is_loose((then, otherwise), a.ctype, weak=weak)
    found = of_type(a.ctype, (a, b), joined_node("?", a, b), weak=weak)
    return replace(found, mixed=mixed, loose=loose, known=known_integers((then, otherwise)))


def truth_of(value: Scalar) -> Scalar:
    """Tell whether a number is other than zero."""
    return value if value.is_truth else truth(weak=value.weak)


QUOTIENT = " // "  # in the name of a quotient by a constant, which is a variable by itself


def quotient(whole: Polynomial, divisor: int) -> Polynomial:
    """Give the quotient by a constant, a variable by itself."""
    return Polynomial.variable(f"({whole}){QUOTIENT}{divisor}")


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
        case nodes.Binary(operator="//" | "%" as operator, left=left, right=right):
            a, b = polynomial(left), polynomial(right)
            dividend, divisor = (None if side is None else side.constant_value for side in (a, b))
            if a is None or not divisor:
                return None
            if dividend is None:
                is_quotient = operator == "//" and divisor > 0
                return quotient(a, divisor) if is_quotient else None
            return Polynomial.constant(dividend // divisor if operator == "//" else dividend % divisor)
        case _:
            return None
