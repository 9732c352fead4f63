"""Products over ranges: a product is kept as the formal sum of its factors, so that merging sums merges products.

``prod over k of A(k)`` is the fold ``product`` of the monomial ``sum over k of [A(k)]``, where the coefficient counts
how often the factor ``[A(k)]`` occurs.  Two products are equal where their formal sums are: then the factors are the
same, each as often.  A factor beside such a fold joins it, for it may be the next point of the range.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.normal.atoms import ApplyAtom, Atom, FoldAtom, apply_atom, fold_atom
from tensorlift.comprehension.normal.monomials import Monomial, Poly
from tensorlift.poly.domain import UNIVERSE

if TYPE_CHECKING:
    from collections.abc import Iterable

Atoms = tuple[Atom, ...]
FACTOR_LIMIT = 8


def factor_of(value: Poly) -> Monomial:
    """Return the formal factor with the given value, once."""
    return Monomial(1, (apply_atom("factor", (value,), None),))


def factors_of(value: Poly) -> list[Monomial]:
    """Return the formal factors of a value: those of a single product one by one, inverses of those below the line.

    Those of a product over a range come with that range.
    """
    only = value.terms[0] if len(value.terms) == 1 else None
    if only is None or only.bound:
        return [factor_of(value)]
    ring = value.modulus
    found = _ranged(only.num, ring) + _factors([a for a in only.num if not is_product(a, ring)], only.den, ring)
    if only.coefficient != 1:
        found.append(factor_of(Poly((Monomial(only.coefficient),), ring)))
    return found


def is_product(atom: Atom, ring: int) -> bool:
    """Tell whether an atom is a product over a range, in the given ring."""
    return isinstance(atom, FoldAtom) and atom.op == "product" and atom.modulus == ring


def gathered(num: Atoms, den: Atoms, ring: int) -> tuple[Atoms, Atoms]:
    """Join all factors into one fold, where one of them is a product over a range in the same ring."""
    folds = [a for a in num if isinstance(a, FoldAtom) and is_product(a, ring)]
    if not folds or len(num) + len(den) == 1:
        return num, den
    items = _ranged(num, ring) + _factors([a for a in num if not is_product(a, ring)], den, ring)
    return (fold_atom("product", items, folds[0].dtype, ring),), ()


def _ranged(num: Atoms, ring: int) -> list[Monomial]:
    """Return the formal factors of products over ranges."""
    folds = (atom for atom in num if isinstance(atom, FoldAtom) and is_product(atom, ring))
    return [item.freshened() for fold in folds for item in fold.items]


def _factors(num: Iterable[Atom], den: Iterable[Atom], ring: int) -> list[Monomial]:
    """Return formal factors; an atom and its inverse are two, which do not cancel as the atom may be zero."""
    found = [factor_of(Poly((Monomial(1, (a,)),), ring)) for a in num]
    return found + [factor_of(Poly((Monomial(1, (), (a,)),), ring)) for a in den]


def plain_product(items: Poly) -> list[Poly] | None:
    """Return the factors of a product without ranges, each as often as it occurs; None where there are ranges."""
    factors: list[Poly] = []
    for item in items.terms:
        atom = item.num[0] if len(item.num) == 1 and not item.bound and item.domain is UNIVERSE else None
        count = item.coefficient
        if not isinstance(atom, ApplyAtom) or not isinstance(count, int) or not 0 < count <= FACTOR_LIMIT:
            return None
        factors += [atom.args[0].opened()] * count
    return factors
