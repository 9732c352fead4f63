"""Type promotion of array libraries: arrays count by their type, Python numbers only by their kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import Obligations, Strength, SymbolicTensor, affine_of, convert, scalar_value
from tensorlift.comprehension.terms import Apply
from tensorlift.ops.dtypes import SIGNED, DType, is_float, is_integer, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Term

_WIDEST = 64


class Operand(NamedTuple):
    """What an operand counts for in promotion."""

    dtype: DType
    is_strong: bool
    rank: int


class ArrayTypes(ABC):
    """Type rules that array libraries share (`comprehension.tensor.TypeRules`); each says how types combine."""

    of_negative_reals = ""  # what is wrong with them as unsigned integers

    @abstractmethod
    def common(self, o: Obligations, operands: Sequence[Operand]) -> DType:
        """Return the common type of operands."""

    @abstractmethod
    def float_type(self, o: Obligations, dtype: DType) -> DType:
        """Return the type in which a function of reals is computed for operands of a type."""

    @abstractmethod
    def function_strength(self, o: Obligations, tensors: Sequence[SymbolicTensor]) -> Strength:
        """Return how much the result of a function counts."""

    def quotient_type(self, o: Obligations, dtype: DType) -> DType:
        """Return the type of ``/``: that of functions of reals."""
        return self.float_type(o, dtype)

    def check_conversion(self, o: Obligations, source: DType, dtype: DType) -> None:
        """Refuse a conversion between types that does not truncate and wrap."""
        if self.of_negative_reals and is_float(source) and dtype.startswith("u"):
            o.refuse(f"{self.of_negative_reals}; convert to a signed type first")

    def check_difference(self, o: Obligations, operands: Sequence[SymbolicTensor]) -> None:  # noqa: B027 - most libraries subtract what has a type
        """Refuse operands that the library does not subtract."""

    def running_type(self, dtype: DType) -> DType:
        """Return the type of a running sum or product."""
        return self.sum_type(dtype)

    def segment_type(self, o: Obligations, dtype: DType, asked: DType | None) -> DType:  # noqa: ARG002 - NumPy takes each type
        """Return the type of sums or products of segments: what is asked for, or that of a sum."""
        return asked or self.sum_type(dtype)

    def sum_type(self, dtype: DType) -> DType:
        """Return the type of a sum or product: narrow integers are widened."""
        if is_float(dtype) or width(dtype) == _WIDEST:
            return dtype
        return "u64" if dtype.startswith("u") else "i64"

    def result_type(self, o: Obligations, tensors: Sequence[SymbolicTensor], *, operator: bool = False) -> DType:
        """Return the common type of operands, however a scalar parameter is given.

        An operator on Python numbers gives a Python number, whose type counts nowhere.
        """
        firm = self.common(o, [Operand(t.dtype, t.strength is not Strength.WEAK, t.rank) for t in tensors])
        if any(t.strength is Strength.EITHER for t in tensors):
            loose = self.common(o, [Operand(t.dtype, t.is_strong, t.rank) for t in tensors])
            is_number = operator and not any(t.is_strong for t in tensors)
            if loose != firm and not (is_number and is_float(loose) and is_float(firm)):
                o.refuse(f"the type is {loose} or {firm} as the scalar is given; convert the scalar first")
        return firm

    def strength(
        self, o: Obligations, tensors: Sequence[SymbolicTensor], dtype: DType, *, operator: bool = False
    ) -> Strength:
        """Return how much a result counts: an operator on Python numbers gives a Python number."""
        if not operator:
            return self.function_strength(o, tensors)
        strength = operator_strength(tensors)
        if strength is Strength.EITHER and not is_float(dtype):
            o.refuse(
                "a Python integer does not wrap but an array's does; convert the parameter first, as np.int32(x) does"
            )
        return strength


def operator_strength(tensors: Sequence[SymbolicTensor]) -> Strength:
    """Return how much the result of an operator counts: Python numbers give a Python number."""
    strengths = {t.strength for t in tensors}
    if Strength.STRONG in strengths:
        return Strength.STRONG
    return Strength.EITHER if Strength.EITHER in strengths else Strength.WEAK


def promote_integers(left: DType, right: DType) -> DType:
    """Return the least type of truth values or integers that holds both, double precision where none is."""
    if right in (left, "bool"):
        return left
    if left == "bool":
        return right
    if (left[0] == "u") == (right[0] == "u"):
        return max(left, right, key=width)
    signed, unsigned = (right, left) if left[0] == "u" else (left, right)
    if width(signed) > width(unsigned):
        return signed
    return next((wide for wide in SIGNED if width(wide) > width(unsigned)), "f64")


def kind_of(weak: DType) -> DType:
    """Return the type that a Python number has alone."""
    return "i64" if is_integer(weak) else "f64" if is_float(weak) else "bool"


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
    o.fits(f"a Python integer fits {dtype}", value, dtype)
    return terms.index(value, dtype)


def _exact_as_real(term: Term, dtype: DType) -> Term:
    """Return a Python integer as a real: it never wraps, so that its arithmetic is that of the reals."""
    if isinstance(term, Apply) and term.op in ("add", "sub", "mul", "neg"):
        return terms.apply(term.op, *(_exact_as_real(a, dtype) for a in term.args))
    return convert(term, dtype)
