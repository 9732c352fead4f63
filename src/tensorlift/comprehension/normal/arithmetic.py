"""Ring operations on polynomials of the normal form, with a bound on what distribution may build."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.atoms import Atom, apply_atom, index_atom
from tensorlift.comprehension.normal.combine import combine
from tensorlift.comprehension.normal.interning import Undecided, spend
from tensorlift.comprehension.normal.monomials import Monomial, Poly, idempotent, poly
from tensorlift.comprehension.normal.products import gathered
from tensorlift.comprehension.normal.tidy import tidy
from tensorlift.ops.dtypes import DType, is_integer, width
from tensorlift.poly.domain import UNIVERSE, Domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tensorlift.poly.affine import Affine

PRODUCT_LIMIT = 160  # monomials of a product; a larger one stays a single atom
CELL_LIMIT = 64  # guards that the operands of a function may split a domain into

ZERO = Poly(())


def modulus(dtype: DType) -> int:
    """Return two to the width of an integer type; zero for reals and truth values, which are exact."""
    return 1 << width(dtype) if is_integer(dtype) else 0


def number(value: Fraction | int, ring: int) -> Poly:
    """Return a constant."""
    return poly([Monomial(value)], ring)


def of_atom(atom: Atom, ring: int) -> Poly:
    """Return the polynomial that is one atom."""
    return Poly((Monomial(1, (atom,)),), ring)


def of_affine(value: Affine, ring: int) -> Poly:
    """Return an affine expression as a polynomial in its variables."""
    return poly([Monomial(1, (index_atom(value),))], ring)


def added(left: Poly, right: Poly) -> Poly:
    """Add."""
    if not left.terms:
        return right
    return poly([*left.terms, *right.terms], left.modulus) if right.terms else left


def subtracted(left: Poly, right: Poly) -> Poly:
    """Subtract."""
    return added(left, right.negated())


def is_infinite(value: Poly) -> bool:
    """Tell whether infinity or NaN is among the atoms: those do not obey the laws of a ring."""
    return any(a.infinite for t in value.terms for a in t.atoms)


def product_of(left: Monomial, right: Monomial, ring: int) -> Monomial:
    """Multiply two monomials: a product of sums is the sum over both ranges."""
    if left.bound and right.bound and not set(left.bound).isdisjoint(right.bound):
        right = right.freshened()
    num, den = gathered(idempotent(left.num + right.num), left.den + right.den, ring)
    coefficient, bound = left.coefficient * right.coefficient, left.bound + right.bound
    return Monomial(coefficient, num, den, bound, left.domain & right.domain)


def multiplied(left: Poly, right: Poly, context: Domain, dtype: DType) -> Poly:
    """Multiply by distribution, or to an opaque product where that would be too large."""
    if len(left.terms) * len(right.terms) > PRODUCT_LIMIT:
        left, right = combine(left, context), combine(right, context)
        if len(left.terms) * len(right.terms) > PRODUCT_LIMIT:
            return applied("product", (left, right), context, dtype)
    if left.constant == 1:
        return right
    if right.constant == 1:
        return left
    return poly(
        [t for a in left.terms for b in right.terms for t in tidy(product_of(a, b, left.modulus), context)],
        left.modulus,
    )


def divided(left: Poly, right: Poly, context: Domain, dtype: DType) -> Poly:
    """Divide over the reals.

    The laws used hold for every total division with ``1 / (a b) = (1/a) (1/b)``, for example with ``1 / 0 = 0``:
    nothing is cancelled.
    """
    terms = []
    for cell, (divisor,) in cells((right,), context):
        inside = context & cell
        inverse = _inverse(combine(divisor, inside), cell, dtype)
        for term in left.terms:
            terms += tidy(product_of(term, inverse, 0), context)
    return poly(terms, 0)


def _inverse(divisor: Poly, cell: Domain, dtype: DType) -> Monomial:
    if len(divisor.terms) == 1:
        only = divisor.terms[0]
        if not only.bound and only.domain is UNIVERSE:
            return Monomial(Fraction(1) / only.coefficient, only.den, only.num, (), cell)
    return Monomial(1, (), (apply_atom("value", (divisor,), dtype),), (), cell)


def cells(values: Sequence[Poly], context: Domain) -> list[tuple[Domain, tuple[Poly, ...]]]:
    """Split the context into guards, on which every monomial without bound variables applies everywhere or nowhere.

    The polynomials come restricted to each guard, so that those monomials need no guard of their own.
    """
    guards = [t.domain for v in values for t in v.terms if not t.bound]
    found = split_by(guards, context)
    if len(found) == 1:
        return [(found[0], tuple(restricted(v, context) for v in values))] if guards else [(UNIVERSE, tuple(values))]
    return [(cell, tuple(restricted(v, context & cell) for v in values)) for cell in found]


def split_by(guards: Iterable[Domain], context: Domain) -> list[Domain]:
    """Return parts of the context, all of it together, on each of which every guard holds everywhere or nowhere."""
    found = [UNIVERSE]
    for guard in dict.fromkeys(guards):
        if guard is UNIVERSE:
            continue
        split = []
        for cell in found:
            spend(cell.size * guard.size)
            inside = context & cell
            if inside.is_disjoint(guard) or inside.is_subset(guard):
                split.append(cell)
            else:
                split += [cell & guard, (cell - guard).coalesce()]
        found = split
        if len(found) > CELL_LIMIT:
            raise Undecided
    return found


def restricted(value: Poly, inside: Domain) -> Poly:
    """Return a polynomial on a domain that the guard of no monomial without bound variables splits."""
    terms = []
    for term in value.terms:
        if term.domain is UNIVERSE:
            terms.append(term)
        elif not inside.is_disjoint(term.domain):
            terms.append(term if term.bound else term.with_domain(UNIVERSE))
    return poly(terms, value.modulus)


def by_cells(
    values: Sequence[Poly], context: Domain, ring: int, build: Callable[[tuple[Poly, ...], Domain], Poly]
) -> Poly:
    """Apply a function of polynomials on each guard by itself; ``build`` is given the operands and the domain."""
    split = cells(values, context)
    if len(split) == 1 and split[0][0] is UNIVERSE:
        return build(tuple(combine(v, context) for v in split[0][1]), context)
    terms = []
    for cell, parts in split:
        inside = context & cell
        value = build(tuple(combine(p, inside) for p in parts), inside)
        terms += [t.with_domain(cell & t.domain) for t in value.terms]
    return poly(terms, ring)


def applied(op: str, values: Sequence[Poly], context: Domain, dtype: DType) -> Poly:
    """Apply an opaque function."""
    ring = modulus(dtype)
    return by_cells(values, context, ring, lambda args, _: of_atom(apply_atom(op, args, dtype), ring))
