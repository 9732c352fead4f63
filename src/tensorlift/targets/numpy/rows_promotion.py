"""Type promotion of NumPy 2 (NEP 50): arrays and NumPy scalars count by type, Python numbers only by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.domain import at_least
from tensorlift.comprehension.dtypes import DType, integer_range, is_float, is_integer, width
from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor, affine_of, convert, scalar_value
from tensorlift.comprehension.terms import Apply

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Term

_WIDEST = 64
_EXACT_IN_F32 = 16
_SIZE_BITS = 32  # a size of the source fits an int, so that a Python integer made of sizes fits these types
_SIGNED_OF_WIDTH: dict[int, DType] = {8: "i8", 16: "i16", 32: "i32", 64: "i64"}


def promote(left: DType, right: DType) -> DType:
    """Return the common type of two types, as ``np.promote_types`` does."""
    if right in (left, "bool"):
        return left
    if left == "bool":
        return right
    if is_float(left) or is_float(right):
        return _promote_floats(left, right)
    if (left[0] == "u") == (right[0] == "u"):
        return max(left, right, key=width)
    signed, unsigned = (right, left) if left[0] == "u" else (left, right)
    if width(signed) > width(unsigned):
        return signed
    return "f64" if width(unsigned) == _WIDEST else _SIGNED_OF_WIDTH[2 * width(unsigned)]


def _promote_floats(left: DType, right: DType) -> DType:
    if is_float(left) and is_float(right):
        return max(left, right, key=width)
    floating, integer = (left, right) if is_float(left) else (right, left)
    return floating if width(integer) <= _EXACT_IN_F32 else "f64"


def result_type(o: Obligations, tensors: Sequence[SymbolicTensor], *, operator: bool = False) -> DType:
    """Return the common type of operands, as ``np.result_type`` does, however a scalar parameter is given.

    An operator on Python numbers gives a Python number, whose type counts nowhere.
    """
    firm = _result_type([(t.dtype, t.strength is not Strength.WEAK) for t in tensors])
    if any(t.strength is Strength.EITHER for t in tensors):
        loose = _result_type([(t.dtype, t.is_strong) for t in tensors])
        is_number = operator and not any(t.is_strong for t in tensors)
        if loose != firm and not (is_number and is_float(loose) and is_float(firm)):
            o.refuse(f"the type is {loose} or {firm} as the scalar is given; convert it first, as np.float64(x) does")
    return firm


def _result_type(operands: list[tuple[DType, bool]]) -> DType:
    result: DType | None = None
    for dtype, is_strong in operands:
        if is_strong:
            result = dtype if result is None else promote(result, dtype)
    for dtype, is_strong in operands:
        if not is_strong:
            result = _kind(dtype) if result is None else _promote_weak(result, dtype)
    if result is None:
        raise ValueError("no operands")
    return result


def _kind(weak: DType) -> DType:
    """Return the type that a Python number has alone."""
    return "i64" if is_integer(weak) else "f64" if is_float(weak) else "bool"


def _promote_weak(strong: DType, weak: DType) -> DType:
    if weak == "bool" or is_float(strong):
        return strong
    if is_float(weak):
        return "f64"
    return "i64" if strong == "bool" else strong


def result_strength(tensors: Sequence[SymbolicTensor]) -> Strength:
    """Return how much the result of an operator counts: Python numbers give a Python number."""
    strengths = {t.strength for t in tensors}
    if Strength.STRONG in strengths:
        return Strength.STRONG
    return Strength.EITHER if Strength.EITHER in strengths else Strength.WEAK


def converted(o: Obligations, tensor: SymbolicTensor, dtype: DType) -> SymbolicTensor:
    """Return an operand in the type of the operation; a Python integer that the type does not hold would raise."""
    if tensor.dtype == dtype:
        return tensor
    if tensor.strength is Strength.WEAK:
        return scalar_value(_weak_value(o, tensor.value(), dtype), Strength.WEAK)
    return SymbolicTensor(tensor.shape, dtype, lambda indices: convert(tensor.at(indices), dtype), tensor.strength)


def _weak_value(o: Obligations, term: Term, dtype: DType) -> Term:
    if not is_integer(term.dtype):
        return convert(term, dtype)
    if not is_integer(dtype):
        return _exact_as_real(term, dtype) if is_float(dtype) else convert(term, dtype)
    value = affine_of(term)
    if value is None:
        o.refuse(f"a Python integer that may not fit {dtype}")
    low, high = integer_range(dtype)
    if value.is_constant or width(dtype) < _SIZE_BITS:
        o.require(f"a Python integer fits {dtype}", at_least(value, low), at_least(high, value))
    return terms.index(value, dtype)


def _exact_as_real(term: Term, dtype: DType) -> Term:
    """Return a Python integer as a real: it never wraps, so that its arithmetic is that of the reals."""
    if isinstance(term, Apply) and term.op in ("add", "sub", "mul", "neg"):
        return terms.apply(term.op, *(_exact_as_real(a, dtype) for a in term.args))
    return convert(term, dtype)
