"""Python text with its precedence: parentheses where the grammar needs them and nowhere else.

Types count too: where Python numbers would give another type than the source means.
"""

from __future__ import annotations

import builtins
import keyword
from enum import IntEnum
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.ir.tensor_program import (
    Cast,
    Elementwise,
    Expression,
    Literal,
    SizeValue,
    Variable,
    walk_expressions,
)
from tensorlift.ops.dtypes import NARROW, integer_range, is_float, is_integer, shortest
from tensorlift.targets.emitted import as_float

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Sequence

    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.affine import Affine


class Precedence(IntEnum):
    """How tightly the outermost operator of a text binds."""

    CONDITIONAL = 1
    OR = 2
    AND = 3
    NOT = 4
    COMPARISON = 5
    BIT_OR = 6
    BIT_XOR = 7
    BIT_AND = 8
    SHIFT = 9
    SUM = 10
    PRODUCT = 11
    UNARY = 12
    POWER = 13
    ATOM = 15


class Text(NamedTuple):
    """Source text and the precedence of its outermost operator; ``operator`` tells ``@`` from ``*``."""

    source: str
    precedence: Precedence = Precedence.ATOM
    operator: str = ""

    def __str__(self) -> str:
        """Give the text as it stands alone."""
        return self.source

    def within(self, least: Precedence) -> str:
        """Return the text where an operand must bind at least so tightly."""
        return self.source if self.precedence >= least else f"({self.source})"

    @property
    def atom(self) -> str:
        """The text where a call, a subscript or an attribute follows."""
        return self.within(Precedence.ATOM)


def call(function: str, *arguments: str | Text, **keywords: str | Text) -> Text:
    """Return a call; keyword arguments with empty text are left out."""
    listed = [*map(str, arguments), *(f"{name}={text}" for name, text in keywords.items() if text)]
    return Text(f"{function}({', '.join(listed)})")


def binary(left: Text, operator: str, right: Text, precedence: Precedence) -> Text:
    """Return a left-associative operation; ``@`` inside ``*`` and the reverse get parentheses for the reader."""
    first = left.within(precedence)
    if (
        precedence is left.precedence is Precedence.PRODUCT
        and "@" in (operator, left.operator)
        and operator != left.operator
    ):
        first = f"({left.source})"
    tighter = Precedence(precedence + 1) if precedence + 1 in Precedence._value2member_map_ else Precedence.ATOM
    return Text(f"{first} {operator} {right.within(tighter)}", precedence, operator)


def affine_text(value: Affine, rename: Callable[[str], str]) -> Text:
    """Spell an affine expression of sizes and loop variables."""
    text = str(_renamed(value, rename))
    if value.is_constant:
        return Text(text, Precedence.ATOM if value.constant >= 0 else Precedence.UNARY)
    if value.variable is not None:
        return Text(text)
    if len(value.terms) == 1 and not value.constant:
        return Text(text, Precedence.PRODUCT if value.terms[0][1] > 0 else Precedence.UNARY)
    return Text(text, Precedence.SUM)


def _renamed(value: Affine, rename: Callable[[str], str]) -> Affine:
    return type(value)(value.constant, {rename(v): c for v, c in value.terms})


def number_text(value: Fraction | str, dtype: DType, library: str) -> Text:
    """Spell a number so that Python reads back exactly the same value; ``library`` holds infinity and NaN."""
    if isinstance(value, str):
        return (
            Text(f"-{library}.{value[1:]}", Precedence.UNARY) if value.startswith("-") else Text(f"{library}.{value}")
        )
    if dtype == "bool":
        return Text(str(bool(value)))
    if is_above_signed(value, dtype):
        return Text(f"{library}.uint64({value})")
    if not is_float(dtype):
        return Text(str(int(value)), Precedence.ATOM if value >= 0 else Precedence.UNARY)
    if Fraction(as_float(value)) != value:
        return Text(f"{value.numerator} / {value.denominator}", Precedence.PRODUCT, "/")
    return Text(shortest(as_float(value), dtype), Precedence.ATOM if value >= 0 else Precedence.UNARY)


def is_above_signed(value: Fraction | str, dtype: DType) -> bool:
    """Tell whether a number is spelled in the type of unsigned integers of 64 bits, as signed ones do not hold it."""
    return is_integer(dtype) and not isinstance(value, str) and value > integer_range("i64")[1]


def is_shortened(value: Fraction | str, dtype: DType) -> bool:
    """Tell whether a number is spelled as another one, which is rounded to it where it meets its type."""
    return is_float(dtype) and not isinstance(value, str) and Fraction(shortest(as_float(value), dtype)) != value


# Keywords, builtins, and the names that emitted text of any library needs.
_RESERVED = {*keyword.kwlist, *vars(builtins), "tdiv", "round_half_away", "tdiv_positive"}


def safe_names(names: Iterable[str], library_names: Collection[str]) -> dict[str, str]:
    """Return names that hide nothing the text needs: those that would get a trailing underscore."""
    listed = list(dict.fromkeys(names))
    taken = set(listed)
    result = {}
    for name in listed:
        safe = name
        while safe in _RESERVED or safe in library_names or (safe != name and safe in taken):
            safe += "_"
        result[name] = safe
        taken.add(safe)
    return result


COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
# Operations that the text has as operators, which give a Python number for Python numbers.
_OPERATORS = {
    *COMPARISONS, "add", "sub", "mul", "div", "floordiv", "mod", "bitand", "bitor", "bitxor", "shl", "shr", "and", "or",
    "neg", "bitnot", "not",
}  # fmt: skip
_BUILTINS = ("max", "min")  # of literals and sizes the text has Python's own, which give a Python number


def converts_itself(argument: Expression, other: Expression) -> bool:
    """Tell whether the library's promotion does the conversion: to f64 next to an array of f64."""
    if not isinstance(argument, Cast) or argument.dtype != "f64" or other.is_weak or other.dtype != "f64":
        return False
    inner = argument.argument
    return not inner.is_weak and inner.dtype != "bool" and not isinstance(other, Cast)


def may_be_python(node: Expression, firm: Container[str]) -> bool:
    """Tell whether the text of a scalar may give a Python number; ``firm`` are the converted parameters."""
    if isinstance(node, Variable):
        return node.is_weak and node.name not in firm
    if isinstance(node, Literal):
        return not is_above_signed(node.value, node.dtype)
    if isinstance(node, Elementwise) and node.is_weak:
        if node.op not in _OPERATORS:
            return False
        return all(may_be_python(a, firm) for a in node.arguments) and not needs_type(node, node.arguments, firm)
    return node.is_weak


def asks_of_sizes(value: Expression) -> bool:
    """Tell whether a value may be a truth value of Python: what conditions on sizes are, also where they have names."""
    leaves = (node for node in walk_expressions(value) if not node.operands)
    is_asked = (isinstance(n, SizeValue | Literal) or (isinstance(n, Variable) and n.dtype == "bool") for n in leaves)
    return value.dtype == "bool" and not value.shape and all(is_asked)


def is_cut(number: Expression, dtype: DType) -> bool:
    """Tell whether constants become an integer type that may not hold them: converting Python numbers would raise."""
    if isinstance(number, Variable) or not is_float(number.dtype) or not is_integer(dtype):
        return False
    low, high = integer_range(dtype)
    is_held = isinstance(number, Literal) and isinstance(number.value, Fraction) and low <= number.value <= high
    return not is_held


def needs_type(node: Elementwise, values: Sequence[Expression], firm: Container[str]) -> bool:
    """Tell whether Python numbers would give another type or value, would not wrap, or would raise on division."""
    if not all(may_be_python(v, firm) for v in values):
        return False
    if node.dtype in NARROW and len(values) > 1 and any(_is_rounded(value, node.dtype) for value in values):
        return True
    if node.op in COMPARISONS:
        return values[0].dtype != "f64" and not all(isinstance(v, SizeValue | Literal) for v in values)
    if is_integer(node.dtype):
        is_folded = node.op in _OPERATORS or node.op in _BUILTINS  # Python computes it of literals, as it is meant
        return not (is_folded and all(isinstance(v, Literal) for v in values))
    if node.op == "div":
        return not isinstance(values[1], Literal)
    if node.op == "pow":
        return True
    if node.dtype in NARROW:
        return node.op not in ("add", "sub", "mul", "neg")
    return False


def _is_rounded(value: Expression, dtype: DType) -> bool:
    """Tell whether a narrow float may round a Python number."""
    return isinstance(value, SizeValue) or (isinstance(value, Literal) and is_shortened(value.value, dtype))


def parameter_in(values: Sequence[Expression]) -> Variable | None:
    """Return the scalar parameter to convert so that an operation on Python numbers gets its type, if there is one."""
    for value in values:
        if isinstance(value, Variable):
            return value
        found = parameter_in(value.arguments) if isinstance(value, Elementwise) else None
        if found is not None:
            return found
    return None
