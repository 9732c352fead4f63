"""Merging monomials: what is left of a polynomial after all that cancels has cancelled.

Monomials with the same summand are one representative with *cells*: disjoint guards, each with its coefficient.  Adding
a monomial splits the cells that it meets.  A summand may be the same in more ways than one (`matching`); a point of a
sum is absorbed where it cancels.  What is left of a sum may have shrunk to a point, so that the merging is repeated.
"""

from __future__ import annotations

from tensorlift.comprehension.normal.interning import spend, unique_name
from tensorlift.comprehension.normal.matching import match_monomials
from tensorlift.comprehension.normal.monomials import Coefficient, Monomial, Poly, poly, reduced
from tensorlift.comprehension.normal.tidy import by_equalities, tidy
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Constraint, Domain, equal
from tensorlift.poly.variables import disjoint_parts

ROUNDS = 5
Cell = tuple[Domain, Coefficient]


def vanishes(value: Poly, context: Domain) -> bool:
    """Tell whether a polynomial is shown to be zero at every point of the context."""
    return not combine(value, context).terms


def same(left: Poly, right: Poly, context: Domain) -> bool:
    """Tell whether two polynomials are shown to be equal at every point of the context."""
    if left is right:
        return True
    if left.modulus != right.modulus:
        return False
    return vanishes(difference(left, right), context)


def difference(left: Poly, right: Poly) -> Poly:
    """Subtract."""
    return poly([*left.terms, *right.negated().terms], left.modulus)


def combine(value: Poly, context: Domain) -> Poly:
    """Merge the monomials of a polynomial, for the points of the context."""
    for _ in range(ROUNDS):
        terms = [s for t in value.terms for s in by_equalities(t, context)]
        before = poly(terms, value.modulus)
        if len(before.terms) < 2:  # noqa: PLR2004 - nothing to merge
            return before
        after = poly(_merged(before, context), value.modulus)
        if not after.terms or _alike(before, after):
            return after
        value = after
    return value


def _alike(before: Poly, after: Poly) -> bool:
    """Tell whether a round changed nothing."""
    return len(before.terms) == len(after.terms) and all(
        b.key == a.key and b.domain == a.domain for b, a in zip(before.terms, after.terms, strict=True)
    )


class _Bucket:
    """A summand with its cells."""

    def __init__(self, term: Monomial) -> None:
        self.term = term
        self.cells: list[Cell] = [(term.domain, term.coefficient)]

    def freshen(self) -> None:
        """Give the bound variables new names, so that a match cannot mix them up with those of its target."""
        names = {v: unique_name() for v in self.term.bound}
        if names:
            self.term = self.term.with_bound(names)
            self.cells = [(_renamed(domain, names), coefficient) for domain, coefficient in self.cells]


def _merged(value: Poly, context: Domain) -> list[Monomial]:
    buckets: dict[tuple[int, ...], _Bucket] = {}
    for term in value.terms:
        known = buckets.get(term.key)
        if known is None:
            buckets[term.key] = _Bucket(term)
        else:
            names = dict(zip(term.order, known.term.order, strict=True))
            known.cells = add_cell(known.cells, _renamed(term.domain, names), term.coefficient, context, value.modulus)
    left = [b for b in buckets.values() if b.cells]
    groups: dict[int, list[_Bucket]] = {}
    for bucket in left:
        groups.setdefault(bucket.term.sig, []).append(bucket)
    merged = []
    for group in groups.values():
        for bucket in _united(group, context, value.modulus) if len(group) > 1 else group:
            merged += _monomials(bucket, context)
    return merged


def _renamed(domain: Domain, names: dict[str, str]) -> Domain:
    changed = {old: new for old, new in names.items() if old != new}
    return domain.substitute({old: Affine.var(new) for old, new in changed.items()}) if changed else domain


def add_cell(cells: list[Cell], domain: Domain, coefficient: Coefficient, context: Domain, modulus: int) -> list[Cell]:
    """Add a guarded coefficient to disjoint cells; cells of equal coefficient become one."""
    spend(domain.size * context.size * (1 + sum(known.size for known, _ in cells)) // 2)
    for position, (known, there) in enumerate(cells):
        if known.is_equal(domain):
            total = reduced(there + coefficient, modulus)
            return [*cells[:position], *([(known, total)] if total else []), *cells[position + 1 :]]
    result: dict[Coefficient, Domain] = {}

    def put(where: Domain, value: Coefficient) -> None:
        value = reduced(value, modulus)
        if value and not context.is_disjoint(where):
            result[value] = result[value] | where if value in result else where

    rest = domain
    for known, there in cells:
        if (context & known).is_disjoint(domain):
            put(known, there)
            continue
        put(known - domain, there)
        put(known & domain, there + coefficient)
        rest = rest - known
    put(rest, coefficient)
    spend(sum(where.size**2 for where in result.values()))
    return [(where.coalesce(), value) for value, where in result.items()]


def _monomials(bucket: _Bucket, context: Domain) -> list[Monomial]:
    """Write the cells as monomials; a sum has a convex range, so that ranges of one point are seen."""
    term, result = bucket.term, []
    if len(bucket.cells) == 1 and bucket.cells[0][0] is term.domain:
        return [term.with_domain(term.domain, bucket.cells[0][1])]
    for domain, coefficient in bucket.cells:
        parts = [domain]
        if term.bound and domain.size > 1:
            parts = disjoint_parts(context & domain).parts()
        elif not term.bound and context.is_subset(domain):
            parts = [UNIVERSE]
        for part in parts:
            result += tidy(term.with_domain(part, coefficient), context)
    return result


def _united(group: list[_Bucket], context: Domain, modulus: int) -> list[_Bucket]:
    """Merge the cells of summands that look alike into those of representatives, the widest and densest sums first."""
    representatives: list[_Bucket] = []
    for bucket in group:
        bucket.freshen()
    for bucket in sorted(group, key=lambda b: (-len(b.term.bound), _stride(b.term))):
        left = [
            (domain, coefficient)
            for domain, coefficient in bucket.cells
            if not any(
                _absorb(known, bucket.term.with_domain(domain, coefficient), context, modulus)
                for known in representatives
            )
        ]
        if left:
            bucket.cells = left
            representatives.append(bucket)
    return [b for b in representatives if b.cells]


def _stride(term: Monomial) -> int:
    """Return the largest factor that a bound variable has in a subscript."""
    indices = (index for atom in term.atoms for _, subscripts in atom.subscripts() for index in subscripts)
    return max((abs(factor) for index in indices for name, factor in index.terms if name in term.bound), default=0)


def _absorb(bucket: _Bucket, term: Monomial, context: Domain, modulus: int) -> bool:
    """Add a monomial to the cells of a summand, where it is that summand at other values of its bound variables."""
    pattern = bucket.term
    where = context & term.domain
    for match in match_monomials(pattern, term, where, same):
        if any(v not in match for v in pattern.bound):
            continue
        if len(term.bound) == len(pattern.bound):
            image = _image(match, term)
            if image is None:
                continue
            bucket.cells = add_cell(bucket.cells, image, term.coefficient, context, modulus)
            return True
        if not term.bound:
            point = term.domain & Domain.of(*(equal(v, a) for v, a in match.items()))
            # A point may fit several sums: it is absorbed only where it cancels.
            opposite = reduced(-term.coefficient, modulus)
            if any(c == opposite and (context & point).is_subset(d) for d, c in bucket.cells):
                bucket.cells = add_cell(bucket.cells, point, term.coefficient, context, modulus)
                return True
    return False


def _image(match: dict[str, Affine], term: Monomial) -> Domain | None:
    """Return the values of a pattern's variables at the points of a term; None unless the match is one to one.

    Those that are multiples of a variable of the term, as in every other summand of a sum, take no values between.
    """
    inverse: dict[str, Affine] = {}
    multiples: dict[str, Constraint] = {}
    for variable, value in match.items():
        inside = [v for v in value.variables if v in term.bound]
        if len(inside) != 1 or inside[0] in inverse or inside[0] in multiples:
            return None
        back = (value - Affine.var(variable)).solve(inside[0])
        if back is None:
            multiples[inside[0]] = equal(variable, value)
        else:
            inverse[inside[0]] = back
    domain = term.domain.substitute(inverse)
    return (domain & Domain.of(*multiples.values())).project_out(*multiples) if multiples else domain
