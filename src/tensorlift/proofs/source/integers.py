"""Machine integers whose value is known as a polynomial of indices and sizes.

An `Exact` has the bits of its polynomial modulo two to the width, which sums, differences and products keep.  What an
operation reads of the bits, as signed or as unsigned, is the polynomial where its range shows that, or where it was
computed by operations whose overflow is undefined: an execution that goes on has not overflowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.polynomial import Polynomial
from tensorlift.comprehension.ranges import in_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.domain import Domain
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
    exact = integer.value.as_affine()
    return integer.value if exact is not None and context.implies(*in_range(exact, dtype)) else None


def as_unsigned(integer: Exact, dtype: DType, context: Domain) -> Polynomial | None:
    """Return the unsigned value of an integer of a signed type, or None where the polynomial may not be that."""
    exact = integer.value.as_affine()
    if exact is None:
        return None
    unsigned: DType = "u" + dtype[1:]  # type: ignore[assignment]  # the same width without a sign
    low, *high = in_range(exact, unsigned)
    is_below = integer.is_signed or context.implies(*high)
    return integer.value if is_below and context.implies(low) else None


def polynomial(expression: Affine) -> Polynomial:
    """Return an affine expression as a polynomial."""
    found: Mapping[tuple[str, ...], int] = {(name,): factor for name, factor in expression.terms}
    return Polynomial({(): expression.constant, **found})


def as_term(value: Polynomial, dtype: DType) -> Term:
    """Return a polynomial as a term that computes it in a machine type."""
    exact = value.as_affine()
    if exact is not None:
        return terms.constant(exact.constant, dtype) if exact.is_constant else terms.index(exact, dtype)
    total: Term | None = None
    for monomial, factor in sorted(value.terms.items()):
        product: Term = terms.constant(factor, dtype)
        for name in monomial:
            product = terms.apply("mul", product, terms.index(Affine.var(name), dtype))
        total = product if total is None else terms.apply("add", total, product)
    assert total is not None
    return total
