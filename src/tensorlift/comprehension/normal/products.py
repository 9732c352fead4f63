"""Products over ranges: a product is kept as the formal sum of its factors, so that merging sums merges products.

``prod over k of A(k)`` is the fold ``product`` of the monomial ``sum over k of [A(k)]``, where the coefficient counts
how often the factor ``[A(k)]`` occurs.  Two products are equal where their formal sums are: then the factors are the
same, each as often.  A factor beside such a fold joins it, for it may be the next point of the range.
"""

from __future__ import annotations

from tensorlift.comprehension.normal.atoms import ApplyAtom, Atom, FoldAtom, apply_atom, fold_atom
from tensorlift.comprehension.normal.monomials import Monomial, Poly
from tensorlift.poly.domain import UNIVERSE

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
    found = _factors(only.num, only.den, value.modulus)
    if only.coefficient != 1:
        found.append(factor_of(Poly((Monomial(only.coefficient),), value.modulus)))
    return found


def is_product(atom: Atom, ring: int) -> bool:
    """Tell whether an atom is a product over a range, in the given ring."""
    return isinstance(atom, FoldAtom) and atom.op == "product" and atom.modulus == ring


def gathered(num: Atoms, den: Atoms, ring: int) -> tuple[Atoms, Atoms]:
    """Join all factors into one fold, where one of them is a product over a range in the same ring."""
    folds = [a for a in num if isinstance(a, FoldAtom) and is_product(a, ring)]
    if not folds or len(num) + len(den) == 1:
        return num, den
    return (fold_atom("product", _factors(num, den, ring), folds[0].dtype, ring),), ()


def _factors(num: Atoms, den: Atoms, ring: int) -> list[Monomial]:
    """Return formal factors, first those of products over ranges.

    An atom and its inverse are two, which do not cancel as the atom may be zero.
    """
    folds = [a for a in num if isinstance(a, FoldAtom) and is_product(a, ring)]
    found = [item.freshened() for fold in folds for item in fold.items]
    found += [factor_of(Poly((Monomial(1, (a,)),), ring)) for a in num if not is_product(a, ring)]
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
