"""Putting one monomial in order: no empty guard, no bound variable that an equality fixes or that only counts."""

from __future__ import annotations

from itertools import permutations

from tensorlift.comprehension.normal.atoms import IndexAtom, ReadAtom, index_atom
from tensorlift.comprehension.normal.interning import Undecided, spend, unique_name
from tensorlift.comprehension.normal.monomials import Monomial, idempotent, spread_indices
from tensorlift.poly.affine import ONE, Affine, solved
from tensorlift.poly.domain import UNIVERSE, Domain, NotAffine, equal
from tensorlift.poly.variables import is_single_valued


def tidy(term: Monomial, context: Domain) -> list[Monomial]:
    """Return monomials without fixed or merely counting bound variables; none where the guard is empty."""
    spend(term.domain.size * context.size)
    if not term.coefficient:
        return []
    if term.domain is UNIVERSE:
        if term.bound:
            raise Undecided  # a sum over all integers: the normal form has only finite ones
        return [term]
    whole = context & term.domain
    if whole.is_empty():
        return []
    if not term.bound:
        return [term]
    fixed = _fixed(term, whole)
    if fixed is not None:
        return [t for s in spread_indices(fixed) for t in tidy(s, context)]
    counted = _counted(term, context)
    if counted is not None:
        return [t for s in spread_indices(counted) for t in tidy(s, context)]
    numbered = _numbered(term, context)
    if numbered is not None:
        return [t for s in spread_indices(numbered) for t in tidy(s, context)]
    shifted = _shifted(term)
    if shifted is not None:
        return [t for s in spread_indices(shifted) for t in tidy(s, context)]
    return [term]


def _shifted(term: Monomial) -> Monomial | None:
    """Let a bound variable that is also a factor be the subscript itself of the first read that it subscripts.

    The factor is then the same sum of variables in every spelling of the range.
    """
    factors = [a.affine.variable for a in term.num if isinstance(a, IndexAtom)]
    for variable in term.bound:
        if variable not in factors:
            continue
        for atom in sorted(term.atoms, key=lambda a: a.sig):
            indices = atom.indices if isinstance(atom, ReadAtom) else ()
            for index in indices:
                if index.coefficient(variable) not in (1, -1) or index.mentions(v for v in term.bound if v != variable):
                    continue
                name = unique_name()
                value = (index - Affine.var(name)).solve(variable)
                if value is None or index.variable == variable:
                    return None
                bound = tuple(name if v == variable else v for v in term.bound)
                return term.substituted({variable: value}, bound)
    return None


def _fixed(term: Monomial, whole: Domain) -> Monomial | None:
    """Put in the value of a bound variable that an equality of the guard fixes: the sum has one point there."""
    for equality in whole.equalities():
        for variable, coefficient in equality.terms:
            if variable in term.bound and coefficient in (1, -1):
                value = equality.solve(variable)
                if value is not None:
                    left = tuple(v for v in term.bound if v != variable)
                    only = term.substituted({variable: value}, left)  # of truth values some may be the same now
                    return Monomial(only.coefficient, idempotent(only.num), only.den, only.bound, only.domain)
    return None


def _counted(term: Monomial, context: Domain) -> Monomial | None:
    """Replace a bound variable on which no atom depends by the number of its points, where that is affine."""
    used = frozenset[str]().union(*(a.free for a in term.atoms))
    for variable in term.bound:
        if variable in used:
            continue
        # The context may say which of several bounds counts.
        bounds = _interval(term.domain, variable) or _interval(term.domain.gist(context), variable)
        if bounds is None and not is_single_valued(context & term.domain, variable):
            continue
        domain = term.domain.project_out(variable)
        left = tuple(v for v in term.bound if v != variable)
        count = ONE if bounds is None else bounds[1] - bounds[0] + 1
        # Where there is just no point, the number of points is zero, so that no guard need say so.
        if not left and context.is_subset(domain | Domain.of(equal(count, 0))):
            domain = UNIVERSE
        return Monomial(term.coefficient, (*term.num, index_atom(count)), term.den, left, domain)
    return None


def _numbered(term: Monomial, context: Domain) -> Monomial | None:
    """Make a sum over blocks of points one over all points, numbered through: ``k`` for ``16 b + k``."""
    for index in (i for a in term.atoms if isinstance(a, ReadAtom) for i in a.indices):
        bound = [v for v in index.variables if v in term.bound]
        for block, point in permutations(bound, 2):
            ratio, left = divmod(index.coefficient(block), index.coefficient(point))
            if left or abs(ratio) == 1:
                continue
            number = unique_name()
            value = {point: Affine.var(number) - Affine.var(block, ratio)}
            moved = term.substituted(value, tuple(number if v == point else v for v in term.bound))
            if all(block not in a.free for a in moved.atoms) and is_single_valued(context & moved.domain, block):
                return moved
    return None


def _interval(domain: Domain, variable: str) -> tuple[Affine, Affine] | None:
    """Return the least and greatest value of a variable that takes every value between two affine bounds."""
    try:
        parts = domain.conjuncts()
    except NotAffine:
        return None
    if len(parts) != 1:
        return None
    lows: list[Affine] = []
    highs: list[Affine] = []
    for constraint in parts[0]:
        coefficient = constraint.affine.coefficient(variable)
        if coefficient == 0:
            continue
        bound = constraint.affine.solve(variable)
        if bound is None or constraint.is_equality:
            return None
        (lows if coefficient > 0 else highs).append(bound)
    return (lows[0], highs[0]) if len(lows) == len(highs) == 1 else None


def by_equalities(term: Monomial, context: Domain) -> list[Monomial]:
    """Write subscripts by the equalities of the guard: the last variable of each, by name, in terms of the others."""
    whole = context if term.domain is UNIVERSE else context & term.domain
    spend(whole.size)
    values = solved(tuple(whole.equalities()), term.bound)
    if not values or not any(a.free & values.keys() for a in term.atoms):
        return [term]
    num = tuple(a.rename(values) for a in term.num)
    den = tuple(a.rename(values) for a in term.den)
    return spread_indices(Monomial(term.coefficient, num, den, term.bound, term.domain))
