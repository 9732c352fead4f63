"""C types as the front end sees them: integers with width and sign, floats, pointers, arrays, and what is refused.

A type is a small immutable value.  Two rules of the language live here because every cast and every operator needs
them: the integer promotions with the usual arithmetic conversions, and the range of an integer type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tensorlift.ops.dtypes import DType, round_float


@dataclass(frozen=True, slots=True)
class IntegerType:
    """An integer type; ``spelling`` is canonical C, ``rank`` orders types of equal width (int < long < long long)."""

    spelling: str
    width: int
    signed: bool
    rank: int

    @property
    def minimum(self) -> int:
        """The least value of the type."""
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def maximum(self) -> int:
        """The greatest value of the type."""
        if self is BOOL:
            return 1
        return (1 << (self.width - 1)) - 1 if self.signed else (1 << self.width) - 1

    def contains(self, other: IntegerType) -> bool:
        """Whether every value of ``other`` is a value of this type."""
        return self.minimum <= other.minimum and other.maximum <= self.maximum

    def wrap(self, value: int) -> int:
        """Reduce a value to the type, as a conversion does on two's complement machines."""
        if self is BOOL:
            return int(value != 0)
        value &= (1 << self.width) - 1
        return value - (1 << self.width) if self.signed and value >> (self.width - 1) else value

    def signless(self, value: int) -> int:
        """Give the two's complement reading of a value, which attributes of signless integers hold."""
        value &= (1 << self.width) - 1
        return value - (1 << self.width) if value >> (self.width - 1) else value


@dataclass(frozen=True, slots=True)
class FloatType:
    """``float``, ``double``, or one of the types of 16 bits."""

    spelling: str
    width: int
    dtype: DType

    def rounded(self, value: float) -> float:
        """Round a number to the type."""
        return round_float(float(value), self.dtype)


@dataclass(frozen=True, slots=True)
class ComplexType:
    """A complex type: two numbers of type ``part``, side by side, the real one first."""

    spelling: str
    part: FloatType


PARTS = 2  # of a complex number


@dataclass(frozen=True, slots=True)
class PointerType:
    """A pointer to ``element``."""

    spelling: str
    element: CType


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array; ``length`` is None where the extent is variable (the declaration holds it) or missing."""

    spelling: str
    element: CType
    length: int | None
    variable: bool = False


@dataclass(frozen=True, slots=True)
class VoidType:
    """``void``."""

    spelling: str = "void"


@dataclass(frozen=True, slots=True)
class OtherType:
    """A type outside the subset; ``kind`` names it in diagnostics (``struct``, ``long double``, ...)."""

    spelling: str
    kind: str


NumberType: TypeAlias = IntegerType | FloatType
CType: TypeAlias = NumberType | ComplexType | PointerType | ArrayType | VoidType | OtherType

BOOL = IntegerType("_Bool", 8, signed=False, rank=0)
CHAR = IntegerType("char", 8, signed=True, rank=1)
TRUTH = IntegerType("_Bool", 1, signed=True, rank=0)  # of truth values in memory of literal IR
INT = IntegerType("int", 32, signed=True, rank=3)
UNSIGNED = IntegerType("unsigned int", 32, signed=False, rank=3)
LONG = IntegerType("long", 64, signed=True, rank=4)
UNSIGNED_LONG = IntegerType("unsigned long", 64, signed=False, rank=4)
HALF = FloatType("_Float16", 16, "f16")
BRAIN = FloatType("__bf16", 16, "bf16")
FLOAT = FloatType("float", 32, "f32")
DOUBLE = FloatType("double", 64, "f64")
VOID = VoidType()

# The integer and floating types of the LP64 data model (Linux and macOS on 64-bit machines).
SCALAR_TYPES: dict[str, IntegerType | FloatType] = {
    scalar.spelling: scalar
    for scalar in (
        BOOL,
        CHAR,
        IntegerType("signed char", 8, signed=True, rank=1),
        IntegerType("unsigned char", 8, signed=False, rank=1),
        IntegerType("short", 16, signed=True, rank=2),
        IntegerType("unsigned short", 16, signed=False, rank=2),
        INT,
        UNSIGNED,
        LONG,
        UNSIGNED_LONG,
        IntegerType("long long", 64, signed=True, rank=5),
        IntegerType("unsigned long long", 64, signed=False, rank=5),
        HALF,
        BRAIN,
        FLOAT,
        DOUBLE,
    )
}


def promote(ctype: IntegerType) -> IntegerType:
    """Apply the integer promotions: everything narrower than ``int`` becomes ``int``."""
    return INT if ctype.width < INT.width else ctype


def usual_arithmetic(left: CType, right: CType) -> IntegerType | FloatType:
    """Give the common type of two arithmetic operands (C11 6.3.1.8)."""
    if isinstance(left, FloatType) or isinstance(right, FloatType):
        floats = [side for side in (left, right) if isinstance(side, FloatType)]
        return max(floats, key=lambda side: side.width)
    assert isinstance(left, IntegerType)
    assert isinstance(right, IntegerType)
    return _common_integer(promote(left), promote(right))


def _common_integer(left: IntegerType, right: IntegerType) -> IntegerType:
    """Give the common type of two promoted integer types."""
    if left.signed == right.signed:
        return max(left, right, key=lambda side: side.rank)
    unsigned, signed = (right, left) if left.signed else (left, right)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.contains(unsigned):
        return signed
    return SCALAR_TYPES_BY_RANK[signed.rank]


SCALAR_TYPES_BY_RANK: dict[int, IntegerType] = {
    ctype.rank: ctype for ctype in SCALAR_TYPES.values() if isinstance(ctype, IntegerType) and not ctype.signed
}


def element_of(ctype: CType) -> CType:
    """Strip all array dimensions and one level of pointer: the type of the cells behind a parameter.

    Those of complex numbers are their parts.
    """
    if isinstance(ctype, PointerType):
        ctype = ctype.element
    while isinstance(ctype, ArrayType):
        ctype = ctype.element
    return ctype.part if isinstance(ctype, ComplexType) else ctype


def of_pairs(ctype: CType) -> CType:
    """Give the type of an array of complex numbers, or of a pointer to such, as one of arrays of their parts."""
    match ctype:
        case ComplexType(_, part):
            return ArrayType(f"{part.spelling}[{PARTS}]", part, PARTS)
        case ArrayType(spelling, element, length, variable):
            inner = of_pairs(element)
            _, bracket, extents = spelling.partition("[")
            return ArrayType(f"{element_of(inner).spelling}{bracket}{extents}[{PARTS}]", inner, length, variable)
        case PointerType(spelling, element):
            inner = of_pairs(element)
            extents = spelling.partition("(*)")[2]
            return PointerType(f"{element_of(inner).spelling} (*){extents}[{PARTS}]", inner)
    return ctype


def is_structure(ctype: CType) -> bool:
    """Whether a type is a structure, or a pointer to one."""
    inner = ctype.element if isinstance(ctype, PointerType) else ctype
    return isinstance(inner, OtherType) and inner.kind == "struct"
