"""The scalar functions that terms apply: one row each, with its arity and result type.

Integer arithmetic wraps in two's complement; arithmetic on floats means arithmetic on the reals.  Each other reading of
these functions (the normal form, an interpreter, a target's spelling) is a table keyed by the names of this one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.ops.dtypes import DType, integer_range, is_float, width

if TYPE_CHECKING:
    from fractions import Fraction

TypeRule = Callable[[tuple[DType, ...]], DType]


def _first(operands: tuple[DType, ...]) -> DType:
    return operands[0]


def _join(operands: tuple[DType, ...]) -> DType:
    """Return the type of an arithmetic operation: floats before integers, the wider before, unsigned before signed."""
    if operands[0] == operands[-1]:  # there are two at most
        return operands[0]
    return max(operands, key=lambda d: (is_float(d), width(d), d.startswith("u")))


def _truth(_: tuple[DType, ...]) -> DType:
    return "bool"


def _second(operands: tuple[DType, ...]) -> DType:
    return _join(operands[1:])


@dataclass(frozen=True, slots=True)
class ScalarOp:
    """A scalar function: its name, the number of operands, the result type rule, the infix sign of the notation."""

    name: str
    arity: int
    result: TypeRule
    infix: str = ""
    commutative: bool = False
    meaning: str = ""


class RealFunction(NamedTuple):
    """A function of one real; ``values`` are those on which it is finite, but that it overflows perhaps."""

    values: str = "real"
    overflows: bool = False
    in_numpy: bool = True

    @property
    def is_partial(self) -> bool:
        """Whether it is not finite for some finite operands."""
        return self.overflows or self.values != "real"


# Functions of reals by their names in C, in Python's ``math`` and in MLIR.
REALS = {
    "sqrt": RealFunction("positive_real"),
    "cbrt": RealFunction(),
    "exp": RealFunction(overflows=True),
    "exp2": RealFunction(overflows=True),
    "expm1": RealFunction(overflows=True),
    "log": RealFunction("positive_real"),
    "log2": RealFunction("positive_real"),
    "log10": RealFunction("positive_real"),
    "log1p": RealFunction("positive_real"),
    "sin": RealFunction(),
    "cos": RealFunction(),
    "tan": RealFunction(),
    "asin": RealFunction("fraction"),
    "acos": RealFunction("fraction"),
    "atan": RealFunction(),
    "sinh": RealFunction(overflows=True),
    "cosh": RealFunction(overflows=True),
    "tanh": RealFunction(),
    "asinh": RealFunction(),
    "acosh": RealFunction("above_one"),
    "atanh": RealFunction("fraction"),
    "erf": RealFunction(in_numpy=False),
    "erfc": RealFunction(in_numpy=False),
}
FUNCTIONS = (*REALS, "pow")  # that take longer than arithmetic
ROUNDINGS = ("floor", "ceil", "trunc", "round", "rint")


def numpy_name(op: str) -> str:
    """Return what NumPy calls a function of reals: inverse functions are arcs there."""
    return f"arc{op[1:]}" if op in REALS and op.startswith("a") else op


IN_NUMPY = tuple(op for op, function in REALS.items() if function.in_numpy)
# Functions of reals by their names in Python's modules; NumPy has two for the inverse ones.
SPELLED = {
    "math": {op: op for op in REALS},
    "numpy": {spelled: op for op in IN_NUMPY for spelled in (op, numpy_name(op))},
}

_ROWS = [
    ScalarOp("add", 2, _join, "+", commutative=True, meaning="a + b; integers wrap"),
    ScalarOp("sub", 2, _join, "-", meaning="a - b; integers wrap"),
    ScalarOp("mul", 2, _join, "*", commutative=True, meaning="a * b; integers wrap"),
    ScalarOp("neg", 1, _first, meaning="-a; integers wrap"),
    ScalarOp("div", 2, _join, "/", meaning="a / b over the reals"),
    ScalarOp("tdiv", 2, _join, meaning="the integer quotient rounded towards zero, as in C"),
    ScalarOp("rem", 2, _join, meaning="a - b * tdiv(a, b); for floats a - b * trunc(a / b), as C's fmod"),
    ScalarOp("floordiv", 2, _join, "//", meaning="the quotient rounded down, as in Python"),
    ScalarOp("mod", 2, _join, "%", meaning="a - b * floordiv(a, b), as in Python"),
    ScalarOp("max", 2, _join, commutative=True, meaning="the greater; NaN if either is"),
    ScalarOp("min", 2, _join, commutative=True, meaning="the lesser; NaN if either is"),
    ScalarOp("fmax", 2, _join, commutative=True, meaning="the greater; a NaN is ignored, as C's fmax"),
    ScalarOp("fmin", 2, _join, commutative=True, meaning="the lesser; a NaN is ignored, as C's fmin"),
    ScalarOp("eq", 2, _truth, "==", commutative=True),
    ScalarOp("hits", 2, _truth, meaning="a == b, where a is the place of a cell that is read, and b any place"),
    ScalarOp("within", 3, _truth, meaning="b <= a < c: a is among the places between b and c that a loop goes over"),
    ScalarOp("ne", 2, _truth, "!=", commutative=True),
    ScalarOp("lt", 2, _truth, "<"),
    ScalarOp("le", 2, _truth, "<="),
    ScalarOp("gt", 2, _truth, ">"),
    ScalarOp("ge", 2, _truth, ">="),
    ScalarOp("and", 2, _truth, "and", commutative=True),
    ScalarOp("or", 2, _truth, "or", commutative=True),
    ScalarOp("not", 1, _truth),
    ScalarOp("bitand", 2, _join, "&", commutative=True),
    ScalarOp("bitor", 2, _join, "|", commutative=True),
    ScalarOp("bitxor", 2, _join, "^", commutative=True),
    ScalarOp("bitnot", 1, _first),
    ScalarOp("shl", 2, _first, "<<", meaning="a * 2**b, wrapped"),
    ScalarOp("shr", 2, _first, ">>", meaning="floor(a / 2**b): arithmetic for signed, logical for unsigned types"),
    ScalarOp("select", 3, _second, meaning="b if a else c; only the chosen operand counts"),
    ScalarOp("abs", 1, _first),
    ScalarOp("infinity", 0, lambda _: "f64"),
    ScalarOp("nan", 0, lambda _: "f64"),
    ScalarOp("pow", 2, _join),
    ScalarOp("atan2", 2, _join),
    ScalarOp("copysign", 2, _join),
    *(ScalarOp(name, 1, _first) for name in (*REALS, *ROUNDINGS)),
    ScalarOp("cast", 1, _first, meaning="the operand in the type of the result, as `conversions` says"),
]

SCALAR_OPS: dict[str, ScalarOp] = {row.name: row for row in _ROWS}

# What arithmetic on reals gives, before it is rounded to a type.
ON_NUMBERS: dict[str, Callable[..., Fraction]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg, "div": operator.truediv,
}  # fmt: skip

COMPARISONS: dict[str, Callable[[Fraction, Fraction], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip

# The comparison that holds where one does not, unless it is one of NaN, and the one of the operands in the other order.
OPPOSITE = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
TURNED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def neutral(op: str, dtype: DType) -> int | str:
    """Return what changes nothing in a fold: a number, or ``inf``, ``-inf`` or ``nan``, which ``fmax`` ignores."""
    if op not in ("max", "min", "fmax", "fmin"):
        return int(op in ("prod", "all"))
    if is_float(dtype):
        return "nan" if op[0] == "f" else "-inf" if op == "max" else "inf"
    return integer_range(dtype)[0 if op.endswith("max") else 1]
