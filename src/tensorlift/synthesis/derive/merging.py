"""Merging: sums over neighbouring domains that differ in one factor become one sum with a piecewise factor.

``alpha * sum(k <= i) A(i, k) * B(k, j) + alpha * sum(k > i) A(k, i) * B(k, j)`` takes one matrix product, not two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Reduce, Term, piecewise, reduce
from tensorlift.synthesis.simplify.arithmetic import factors, product, summands, total

if TYPE_CHECKING:
    from tensorlift.comprehension.domain import Domain


class _Summand(NamedTuple):
    """A sum of products: what stands outside, the sum, and the factors inside."""

    sign: int
    outside: tuple[Term, ...]
    sum: Reduce
    inside: tuple[Term, ...]


def merged_sums(term: Term, domain: Domain) -> Term:
    """Return the term with mergeable summands of its outermost sum merged, for the points of the domain."""
    if not term.has_domains:
        return term
    signed = summands(term)
    if sum(part.has_domains for _, part in signed) < 2:  # noqa: PLR2004 - nothing to merge
        return term
    for position, (sign, part) in enumerate(signed):
        for other in range(position + 1, len(signed)):
            one, two = _summand(sign, part), _summand(*signed[other])
            merged = None if one is None or two is None else _merged(one, two, domain)
            if merged is not None:
                rest = [s for k, s in enumerate(signed) if k not in (position, other)]
                return merged_sums(total([*rest, (sign, merged)], term), domain)
    return term


def _summand(sign: int, term: Term) -> _Summand | None:
    above, below = factors(term)
    sums = [f for f in above if isinstance(f, Reduce) and f.op == "sum" and len(f.bound) == 1]
    if len(sums) != 1 or below:
        return None
    inside, divisors = factors(sums[0].body)
    if divisors:
        return None
    bound = sums[0].bound[0]
    outside = [f for f in above if f is not sums[0]] + [f for f in inside if bound not in f.free]
    return _Summand(sign, tuple(outside), sums[0], tuple(f for f in inside if bound in f.free))


def _merged(one: _Summand, two: _Summand, domain: Domain) -> Term | None:
    if one.sign != two.sign or set(one.outside) != set(two.outside) or len(one.inside) != len(two.inside):
        return None
    names = {two.sum.bound[0]: Affine.var(one.sum.bound[0])}
    other_domain = two.sum.domain.substitute(names)
    inside = [substitute(f, names) for f in two.inside]
    first = [f for f in one.inside if f not in inside]
    second = [f for f in inside if f not in one.inside]
    if len(first) != 1 or len(second) != 1:
        return None
    if not (domain & one.sum.domain & other_domain).is_empty():
        return None
    factor = piecewise([(one.sum.domain, first[0]), (other_domain, second[0])])
    body = product([factor if f is first[0] else f for f in one.inside], [], one.sum.body)
    whole = ((one.sum.domain | other_domain) & domain).coalesce().gist(domain)
    return product([*one.outside, reduce("sum", one.sum.bound, whole, body)], [], one.sum)
