"""Absorbing: a summand that continues a sum at a neighbouring point becomes a point of the sum's domain.

``sum(k : 0 <= k < i) f(k) + f(i)`` is ``sum(k : 0 <= k <= i) f(k)``.  Loops with a peeled first or last iteration, and
accumulations started with the first element, come out of the summariser in the first form.  So do the positions of
extremes.  Two sums over ranges side by side are one, as those of an unrolled loop and of what is left of it.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations, permutations
from itertools import product as choices
from typing import TYPE_CHECKING, TypeVar, cast

from tensorlift.comprehension import terms
from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.positions import with_start
from tensorlift.comprehension.ranges import ends_of
from tensorlift.comprehension.rewrite import (
    Descend,
    contains,
    flattened,
    rebuild_inside,
    simplified,
    substitute,
    summands,
    transform,
    walk,
)
from tensorlift.comprehension.terms import COMBINER, Apply, Piecewise, Reduce, Reducer, Term
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, at_least
from tensorlift.poly.domain import equal as equals
from tensorlift.poly.variables import extreme_of
from tensorlift.synthesis.simplify.arithmetic import factors, operands, product, total
from tensorlift.synthesis.simplify.pieces import merge
from tensorlift.synthesis.simplify.sums import without_steps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# The reductions that a repeated point does not change.
_IDEMPOTENT = {op: cast("Reducer", name) for name, op in COMBINER.items() if name not in ("sum", "prod")}

_MOST_PIECEWISE = _MOST_SUMMANDS = 8
Part = TypeVar("Part")


def absorb(term: Term, domain: Domain) -> Term:
    """Return the term with points absorbed into neighbouring reductions, wherever it is evaluated inside the domain."""
    return transform(term, domain, _absorb)


def _absorb(term: Term, domain: Domain, descend: Descend) -> Term:
    if not term.has_domains:
        return term
    if isinstance(term, Piecewise):
        pieces = merge([(inside := domain & piece, descend(inner, inside)) for piece, inner in term.pieces])
        return pieces[0][1] if len(pieces) == 1 else terms.piecewise((p.gist(domain), t) for p, t in pieces)
    rebuilt = rebuild_inside(term, domain, descend)
    if isinstance(rebuilt, Apply) and (rebuilt.op in ("add", "sub") or rebuilt.op in _IDEMPOTENT):
        rebuilt = _without_pieces(rebuilt, domain, descend)
    if isinstance(rebuilt, Apply) and rebuilt.op in ("add", "sub"):
        return _absorb_summands(rebuilt, domain)
    if isinstance(rebuilt, Apply) and rebuilt.op in _IDEMPOTENT:
        return _absorb_extremes(rebuilt, domain)
    if isinstance(rebuilt, Apply) and rebuilt.op == "select":
        return with_start(rebuilt, domain, lambda left, right: equal(left, right, domain)) or rebuilt
    return rebuilt


def _without_pieces(term: Apply, domain: Domain, descend: Descend) -> Term:
    """Return the operation on a piecewise operand as one term, where its pieces turn out to be the same then.

    Each piece is looked at with all other operands, so that this takes few piecewise values inside each other.
    """
    if not any(isinstance(operand, Piecewise) for operand in term.args):
        return term
    if sum(isinstance(node, Piecewise) for node in walk(term)) > _MOST_PIECEWISE:
        return term
    for position, operand in enumerate(term.args):
        if isinstance(operand, Piecewise):
            before, after = term.args[:position], term.args[position + 1 :]
            parts = [(domain & piece, (*before, inner, *after)) for piece, inner in operand.pieces]
            united = merge([(inside, descend(simplified(term.op, args), inside)) for inside, args in parts])
            if len(united) == 1:
                return united[0][1]
    return term


def _grown(parts: list[Part], extend: Callable[[Part, Part], Part | None]) -> bool:
    """Let parts take in others, each as often as it can; tell whether one did."""
    before, position = len(parts), 0
    while position < len(parts):
        for other, point in enumerate(parts):
            grown = None if other == position else extend(parts[position], point)
            if grown is not None:
                parts[position] = grown
                del parts[other]
                position = -1  # what has grown may take in further parts
                break
        position += 1
    return len(parts) < before


def _absorb_summands(term: Apply, domain: Domain) -> Term:
    def extend(summand: tuple[int, Term], point: tuple[int, Term]) -> tuple[int, Term] | None:
        if summand[0] != point[0]:
            return None
        grown = _side_by_side(summand[1], point[1], domain) or _extend_sum(summand[1], point[1], domain)
        return None if grown is None else (summand[0], grown)

    signed = summands(term)
    is_changed = _taken_together(signed, term, domain)
    is_changed = _grown(signed, extend) or is_changed
    return total(signed, term) if _grown_by_several(signed, term, domain) or is_changed else term


def _taken_together(signed: list[tuple[int, Term]], term: Apply, domain: Domain) -> bool:
    """Let sums of every so many-th cell each, as of a loop with several accumulators, be one; tell whether some are."""
    for sign, first in signed:
        if not isinstance(first, Reduce) or first.op != "sum" or len(first.bound) != 1:
            continue
        same: list[tuple[Term, Term]] = []
        for other in (found for one, found in signed if one == sign and isinstance(found, Reduce)):
            names = dict(zip(other.bound, map(Affine.var, first.bound), strict=False))
            points = other.domain.substitute(names)
            is_like = other.op == "sum" and len(other.bound) == 1 and other.reads == first.reads
            if is_like and (domain & points).is_equal(domain & first.domain):
                same.append((other, substitute(other.body, names)))
        if len(same) > 1:
            step = terms.reduce("sum", first.bound, first.domain, total([(1, body) for _, body in same], term))
            whole = without_steps(step, domain) if isinstance(step, Reduce) else None
            if whole is not None:
                taken = [found for found, _ in same]
                signed[:] = [one for one in signed if one[1] not in taken] + [(sign, whole)]
                return True
    return False


def _grown_by_several(signed: list[tuple[int, Term]], term: Apply, domain: Domain) -> bool:
    """Let a sum of sums take in the point that several summands are together; tell whether one did."""
    sums = [(sign, found) for sign, found in signed if isinstance(found, Reduce) and len(signed) <= _MOST_SUMMANDS]
    for sign, found in sums:
        parts = len(summands(found.body)) if isinstance(found.body, Apply) else 1
        points = [(one, other) for one, other in signed if one == sign and other is not found]
        for chosen in combinations(points, parts) if parts > 1 else ():
            grown = _extend_sum(found, total([(1, point) for _, point in chosen], term), domain)
            if grown is not None:
                signed[:] = [one for one in signed if one not in chosen and one[1] is not found] + [(sign, grown)]
                return True
    return False


def _side_by_side(one: Term, other: Term, domain: Domain) -> Term | None:
    """Return one sum for two of the same over ranges that touch; None where they do not, or are no such sums."""
    if not isinstance(one, Reduce) or not isinstance(other, Reduce) or not one.op == other.op == "sum":
        return None
    if len(one.bound) != 1 or len(other.bound) != 1:
        return None
    names = {other.bound[0]: Affine.var(one.bound[0])}
    points = other.domain.substitute(names)
    if one.body is not substitute(other.body, names) or not (domain & one.domain).is_disjoint(points):
        return None
    ends = [ends_of(part, one.bound[0]) for part in (one.domain, points)]
    for (low, _), (_, high) in permutations([end for end in ends if end is not None], 2):
        both = Domain.of(at_least(one.bound[0], low), at_least(high, one.bound[0]))
        if (domain & both).is_equal(domain & (one.domain | points)):
            return terms.reduce("sum", one.bound, both, one.body)
    return None


def _extend_sum(summand: Term, point: Term, domain: Domain) -> Term | None:
    """Return the scaled sum with one more point, whose summand is ``point``; None where it is not its neighbour."""
    numerators, denominators = factors(summand)
    sums = [n for n in numerators if isinstance(n, Reduce) and n.op == "sum" and len(n.bound) == 1]
    if len(sums) != 1 or not sums[0].body.reads <= point.reads:
        return None
    if contains(point, Reduce) != contains(sums[0].body, Reduce):
        return None
    found, variable = sums[0], sums[0].bound[0]
    scale = [n for n in numerators if n is not found]
    for value in _neighbours(found.domain, variable, domain):
        place = domain & Domain.of(equals(variable, value))
        if not place.is_disjoint(found.domain):
            continue
        next_point = product([*scale, substitute(found.body, {variable: value})], denominators, summand)
        if equal(next_point, point, domain):
            grown = ((domain & found.domain) | place).coalesce().gist(domain)
            return product([*scale, terms.reduce("sum", found.bound, grown, found.body)], denominators, summand)
    return None


def _absorb_extremes(term: Apply, domain: Domain) -> Term:
    op, parts = _IDEMPOTENT[term.op], operands(term, term.op)
    if not _grown(parts, lambda found, point: _extend_extreme(found, op, point, domain)):
        return term
    return reduce(lambda left, right: terms.apply(term.op, left, right), parts)


def _extend_extreme(found: Term, op: Reducer, point: Term, domain: Domain) -> Term | None:
    """Return the reduction with one more point; a point inside its domain already may be dropped as well."""
    if not isinstance(found, Reduce) or found.op != op or not found.body.reads <= point.reads:
        return None
    if len((flat := flattened(found)).bound) > 1:
        return found if _has_corner(flat, point, domain) else None
    variable = found.bound[0]
    for value in _neighbours(found.domain, variable, domain, inside=True):
        if equal(substitute(found.body, {variable: value}), point, domain):
            place = domain & Domain.of(equals(variable, value))
            grown = ((domain & found.domain) | place).coalesce().gist(domain)
            return terms.reduce(op, found.bound, grown, found.body)
    return None


def _has_corner(found: Reduce, point: Term, domain: Domain) -> bool:
    """Tell whether a point is one of a reduction over several variables, each of them at one of its ends."""
    ends = (
        _neighbours(found.domain.project_out(*(o for o in found.bound if o != v)), v, domain, inside=True)
        for v in found.bound
    )
    corners = (dict(zip(found.bound, values, strict=True)) for values in choices(*ends))
    return any(
        (domain & Domain.of(*(equals(v, value) for v, value in corner.items()))).is_subset(found.domain)
        and equal(substitute(found.body, corner), point, domain)
        for corner in corners
    )


def _neighbours(reduced: Domain, variable: str, domain: Domain, *, inside: bool = False) -> Iterator[Affine]:
    """Yield the points just outside the ends of a reduced range, and the ends themselves where asked."""
    seen: set[Affine] = set()
    for value in _candidates(reduced, variable, domain, inside=inside):
        if value not in seen:
            seen.add(value)
            yield value


def _candidates(reduced: Domain, variable: str, domain: Domain, *, inside: bool) -> Iterator[Affine]:
    for maximum in (False, True):
        try:
            ends = extreme_of(reduced & domain, variable, maximum=maximum)
        except NotAffine:
            continue
        for _, end in ends:
            yield end + (1 if maximum else -1)
            if inside:
                yield end
    yield from _bounds(reduced, variable)


def _bounds(reduced: Domain, variable: str) -> Iterator[Affine]:
    """Yield the points just outside the constraints as written: they hold where the range is empty as well."""
    try:
        conjuncts = reduced.conjuncts()
    except NotAffine:
        return
    for constraint in (c for conjunct in conjuncts for c in conjunct):
        bound = constraint.affine.solve(variable)
        if bound is not None:
            yield bound + (-1 if constraint.affine.coefficient(variable) == 1 else 1)
