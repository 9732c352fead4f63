"""Types of an array library's results: where Python numbers would give another type than the source means."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import Cast, Elementwise, Expression, Literal, SizeValue, Variable
from tensorlift.ops.dtypes import integer_range, is_float, is_integer
from tensorlift.targets.python_text.text import is_above_signed, is_shortened

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from tensorlift.ops.dtypes import DType

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
    if node.dtype == "f32" and len(values) > 1 and any(map(_is_rounded, values)):
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
    if node.dtype == "f32":
        return node.op not in ("add", "sub", "mul", "neg")
    return False


def _is_rounded(value: Expression) -> bool:
    """Tell whether single precision may round a Python number."""
    return isinstance(value, SizeValue) or (isinstance(value, Literal) and is_shortened(value.value, "f32"))


def parameter_in(values: Sequence[Expression]) -> Variable | None:
    """Return the scalar parameter to convert so that an operation on Python numbers gets its type, if there is one."""
    for value in values:
        if isinstance(value, Variable):
            return value
        found = parameter_in(value.arguments) if isinstance(value, Elementwise) else None
        if found is not None:
            return found
    return None
