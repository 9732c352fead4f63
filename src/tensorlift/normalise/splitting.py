"""Split loops over a product of sizes into nested loops, so that ``i / s`` and ``i % s`` come out exactly.

A loop of ``c*h*w`` iterations whose body divides its counter by ``w`` and by ``h*w`` becomes three loops over ``c``,
``h`` and ``w``, in the same order of iterations: ``i = (x*h + y)*w + z``.  Then ``i / w = x*h + y`` and ``i % w = z``
hold because ``0 <= z < w``.  A loop over a product without any division is split at the factors that the source
multiplies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tensorlift.poly.polynomial import ONE, ZERO, Polynomial

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Products: TypeAlias = "Mapping[Polynomial, tuple[Polynomial, Polynomial]]"
_MOST_LOOPS = 8


def factors_of(total: Polynomial, found: Sequence[Polynomial], products: Products) -> list[Polynomial] | None:
    """Give the lengths of nested loops, outermost first, that make up ``total`` iterations; None where there are none.

    ``found`` are the divisors in the loop, ``products`` the two factors of the products that the source computes.
    """
    inner_first: list[Polynomial] = []
    stride, rest = ONE, total
    for divisor in sorted(found, key=_degree):
        for step in (_exact(divisor, stride), divisor):
            left = None if step is None or step == ONE else _exact(rest, step)
            if step is not None and left is not None:
                inner_first.append(step)
                stride, rest = stride * step, left
                break
    repeated = [divisor for divisor in found if not divisor.is_constant]
    while not rest.is_affine and repeated and len(inner_first) < _MOST_LOOPS:
        left = _exact(rest, repeated[0])
        if left is None:
            repeated.pop(0)
        else:
            inner_first.append(repeated[0])
            rest = left
    whole = [*inner_first, *([] if rest == ONE else [rest])]
    parts = [_affine_factors(factor, products) for factor in whole]
    flat = [factor for part in parts if part is not None for factor in part]
    return list(reversed(flat)) if None not in parts and 1 < len(flat) <= _MOST_LOOPS else None


def _affine_factors(product: Polynomial, products: Products) -> list[Polynomial] | None:
    """Split a polynomial into affine factors, innermost first, as the source multiplies them, else by its variables."""
    if product.is_affine:
        return [product]
    if product in products:
        outer, inner = products[product]
        parts = [_affine_factors(inner, products), _affine_factors(outer, products)]
        return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
    if len(product.terms) == 1:
        ((monomial, value),) = product.terms.items()
        names = [Polynomial.variable(name) for name in reversed(monomial)]
        return [*names[:-1], names[-1].scale(value)]
    return None


def _exact(dividend: Polynomial, divisor: Polynomial) -> Polynomial | None:
    """Divide where nothing remains."""
    if divisor == ZERO:
        return None
    quotient, remainder = dividend.divide(divisor)
    return quotient if remainder == ZERO else None


def _degree(polynomial: Polynomial) -> tuple[int, str]:
    return max((len(monomial) for monomial in polynomial.terms), default=0), str(polynomial)
