"""Truth values as polynomials over 0 and 1: comparisons, connectives and choices.

``a and b`` is the product, ``not a`` is ``1 - a``, ``a or b`` is ``a + b - a b``.  With ``c c = c`` for atoms such a
polynomial is unique for each boolean function of its atoms, and it is its own value in every ring, so that
``select(c, x, y)`` is ``c x + (1 - c) y``.  A comparison of affine expressions of indices is no atom but a guard.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.arithmetic import (
    ZERO,
    added,
    by_cells,
    multiplied,
    number,
    of_atom,
    subtracted,
)
from tensorlift.comprehension.normal.atoms import FoldAtom, IndexAtom, apply_atom
from tensorlift.comprehension.normal.interning import tables
from tensorlift.comprehension.normal.monomials import Monomial, Poly
from tensorlift.ops.dtypes import DType, integer_range, is_float, is_integer, wrap
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain

if TYPE_CHECKING:
    from collections.abc import Callable

TRUE = number(1, 0)


def guard(domain: Domain, context: Domain) -> Poly:
    """Return the truth value that is 1 inside a domain."""
    if context.is_subset(domain):
        return TRUE
    return ZERO if context.is_disjoint(domain) else Poly((Monomial(1, domain=domain),))


def negation(value: Poly) -> Poly:
    """Return ``not value``."""
    return subtracted(TRUE, value)


def conjunction(left: Poly, right: Poly, context: Domain) -> Poly:
    """Return ``left and right``."""
    return multiplied(left, right, context, "bool")


def disjunction(left: Poly, right: Poly, context: Domain) -> Poly:
    """Return ``left or right``."""
    return subtracted(added(left, right), conjunction(left, right, context))


def exclusion(left: Poly, right: Poly, context: Domain) -> Poly:
    """Return ``left != right`` for truth values."""
    both = conjunction(left, right, context)
    return subtracted(subtracted(added(left, right), both), both)


def is_fold(value: Poly) -> bool:
    """Tell whether a truth value is that of `any` over a range."""
    return isinstance(value.atom, FoldAtom)


# -- comparisons


def affine_of(value: Poly) -> Affine | None:
    """Return a positive multiple of a real polynomial as an affine expression of indices, where it is one."""
    scale = lcm(*(Fraction(t.coefficient).denominator for t in value.terms))
    result = Affine(0)
    for term in value.terms:
        if term.den or term.bound or term.domain is not UNIVERSE or len(term.num) > 1:
            return None
        coefficient = int(term.coefficient * scale)
        if not term.num:
            result = result + coefficient
        elif isinstance(term.num[0], IndexAtom):
            result = result + term.num[0].affine * coefficient
        else:
            return None
    return result


def _scaled(value: Poly) -> Poly:
    """Divide by the size of the coefficient of the first summand: neither sign nor zero changes."""
    if value.modulus:
        return value
    first = min(value.terms, key=lambda t: t.key)
    return Poly(tuple(t.scaled(1 / abs(Fraction(first.coefficient))) for t in value.terms))


def positive(value: Poly, context: Domain) -> Poly:
    """Return ``value > 0`` for a real value."""

    def build(args: tuple[Poly, ...], inside: Domain) -> Poly:
        found = affine_of(args[0])
        if found is not None:
            return guard(Domain.of(Constraint(found - 1)), inside)
        return of_atom(apply_atom("positive", (_scaled(args[0]),), "bool"), 0)

    return by_cells((value,), context, 0, build)


def zero(value: Poly, context: Domain) -> Poly:
    """Return ``value == 0``; for machine integers, modulo the width of the type."""

    def build(args: tuple[Poly, ...], inside: Domain) -> Poly:
        constant = args[0].constant
        if constant is not None:
            return ZERO if constant else TRUE
        found = None if args[0].modulus else affine_of(args[0])
        if found is not None:
            return guard(Domain.of(Constraint(found, is_equality=True)), inside)
        return of_atom(apply_atom("zero", (_scaled(args[0]),), "bool"), 0)

    return by_cells((value,), context, 0, build)


def integer_less(left: Poly, right: Poly, context: Domain, dtype: DType) -> Poly:
    """Return ``left < right`` for machine integers; differences may wrap, so that both sides stay."""

    def build(args: tuple[Poly, ...], _: Domain) -> Poly:
        a, b = args[0].constant, args[1].constant
        low, high = integer_range(dtype)
        if a is not None and b is not None:
            return TRUE if wrap(int(a), dtype) < wrap(int(b), dtype) else ZERO
        if a is not None:  # c < x is not (x < c + 1), and never where c is the greatest value
            above = wrap(int(a), dtype)
            return ZERO if above == high else negation(less(args[1], number(above + 1, args[1].modulus)))
        if b is not None and wrap(int(b), dtype) == low:
            return ZERO
        return less(*args)

    def less(a: Poly, b: Poly) -> Poly:
        return of_atom(apply_atom(f"less.{dtype}", (a, b), "bool"), 0)

    return by_cells((left, right), context, 0, build)


def less_than(left: Poly, right: Poly, context: Domain, dtype: DType) -> Poly:
    """Return ``left < right``."""
    if is_integer(dtype):
        return integer_less(left, right, context, dtype)
    return positive(subtracted(right, left), context)


def equals(left: Poly, right: Poly, context: Domain, dtype: DType) -> Poly:
    """Return ``left == right``."""
    if is_float(dtype) or is_integer(dtype):
        return zero(subtracted(left, right), context)
    return negation(exclusion(left, right, context))


def itself(op: str, value: Poly, context: Domain) -> Poly:
    """Compare a float with itself: that asks whether it is a NaN, which is no number, and not known."""

    def build(args: tuple[Poly, ...], _: Domain) -> Poly:
        if affine_of(args[0]) is not None or not tables.purpose.may_be_nan:
            return TRUE
        return of_atom(apply_atom("number", (args[0],), "bool"), 0)

    is_number = by_cells((value,), context, 0, build)
    return {"eq": is_number, "le": is_number, "ge": is_number, "ne": negation(is_number)}.get(op, ZERO)


COMPARISONS: dict[str, Callable[[Poly, Poly, Domain, DType], Poly]] = {
    "lt": less_than,
    "gt": lambda a, b, context, dtype: less_than(b, a, context, dtype),
    "le": lambda a, b, context, dtype: negation(less_than(b, a, context, dtype)),
    "ge": lambda a, b, context, dtype: negation(less_than(a, b, context, dtype)),
    "eq": equals,
    "ne": lambda a, b, context, dtype: negation(equals(a, b, context, dtype)),
}


def affine_condition(op: str, difference: Affine) -> Domain:
    """Return where ``a op b`` holds for integers with ``difference = a - b``."""
    if op in ("eq", "ne"):
        holds = Domain.of(Constraint(difference, is_equality=True))
        return holds if op == "eq" else holds.complement()
    bound = {"lt": -difference - 1, "le": -difference, "gt": difference - 1, "ge": difference}[op]
    return Domain.of(Constraint(bound))
