"""Machine integers whose value is known as a polynomial of indices and sizes.

An `Exact` has the bits of its polynomial modulo two to the width, which sums, differences and products keep.  What an
operation reads of the bits, as signed or as unsigned, is the polynomial where its range shows that, or where it was
computed by operations whose overflow is undefined: an execution that goes on has not overflowed.
"""

from __future__ import annotations

from functools import partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, at_least
from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.ops.dtypes import integer_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.terms import Term
    from tensorlift.ops.dtypes import DType


class Exact(NamedTuple):
    """An integer by its polynomial; ``is_signed`` where the signed value of its bits is known to be just that."""

    value: Polynomial
    is_signed: bool


def as_signed(integer: Exact, dtype: DType, context: Domain) -> Polynomial | None:
    """Return the signed value of an integer, or None where the polynomial may not be that."""
    if integer.is_signed:
        return integer.value
    low, high = integer_range(dtype)
    return integer.value if _lies_in(integer.value, low, high, context) else None


def as_unsigned(integer: Exact, dtype: DType, context: Domain) -> Polynomial | None:
    """Return the unsigned value of an integer of a signed type, or None where the polynomial may not be that."""
    high = integer_range(dtype)[1]
    return integer.value if _lies_in(integer.value, 0, None if integer.is_signed else 2 * high + 1, context) else None


def are_equal_bits(left: Exact, right: Exact, dtype: DType, context: Domain) -> Polynomial | None:
    """Return a difference that is zero just where two integers have the same bits, or None where that is not known.

    Numbers that are the same modulo two to the width are the same if they are less than that apart.
    """
    difference, high = left.value - right.value, integer_range(dtype)[1]
    return difference if _lies_in(difference, -2 * high - 1, 2 * high + 1, context) else None


def _lies_in(value: Polynomial, low: int, high: int | None, context: Domain) -> bool:
    """Tell whether an affine integer is in a range; sizes are taken to stay within 64 bits with a sign."""
    exact = value.as_affine()
    if exact is None:
        return False
    least, most = integer_range("i64")
    if low == least or (high is not None and high >= most):
        context = context & Domain.of(*(c for n in exact.variables for c in (at_least(n, least), at_least(most, n))))
    return context.implies(at_least(exact, low), *(() if high is None else (at_least(high, exact),)))


def polynomial(expression: Affine) -> Polynomial:
    """Return an affine expression as a polynomial."""
    found: Mapping[tuple[str, ...], int] = {(name,): factor for name, factor in expression.terms}
    return Polynomial({(): expression.constant, **found})


def as_term(integer: Exact, dtype: DType) -> Term:
    """Return an integer as a term that computes it in a signed machine type."""
    exact = integer.value.as_affine()
    if exact is not None and (integer.is_signed or exact.is_constant):
        return terms.index(exact, dtype)
    total: Term | None = None
    for monomial, factor in sorted(integer.value.terms.items()):
        parts = [_variable(name, dtype, fits=integer.is_signed) for name in monomial]
        number = terms.constant(factor, dtype)
        if factor != 1 or not parts:
            parts.insert(0, number)
        product = reduce(partial(terms.apply, "mul"), parts)
        total = product if total is None else terms.apply("add", total, product)
    assert total is not None
    return total


def _variable(name: str, dtype: DType, *, fits: bool) -> Term:
    """Return an index or a size, of which the type may hold but the lower bits."""
    return terms.index(Affine.var(name), dtype) if fits else terms.cast(terms.index(Affine.var(name), "i64"), dtype)
