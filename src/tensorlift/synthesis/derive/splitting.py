"""Splitting: the same value as several simpler ones, where one box of axes does not do.

A reduction over several convex parts, or with a piecewise body, is a combination of reductions; a stride in its domain
becomes a factor of a subscript; one over a few constant points is written out.  A definition whose term is piecewise
becomes more pieces.

*Merging* does the opposite: sums over neighbouring domains that differ in one factor become one sum with a piecewise
factor.  ``alpha * sum(k <= i) A(i, k) * B(k, j) + alpha * sum(k > i) A(k, i) * B(k, j)`` takes one matrix product, not
two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import exchanged, substitute, summands, walk
from tensorlift.comprehension.terms import COMBINER, Apply, Piecewise, Reduce, Term, apply, piecewise, reduce
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import disjoint_parts, stride_of
from tensorlift.synthesis.derive.scope import range_of
from tensorlift.synthesis.simplify.arithmetic import factors, product, total

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_MOST_PARTS = 8


def combined(op: str, parts: list[Term]) -> Term:
    """Fold terms with the operation of a reduction."""
    result = parts[0]
    for part in parts[1:]:
        result = apply(COMBINER[op], result, part)
    return result


def without_strides(term: Reduce) -> Reduce | None:
    """Return the reduction with ``low + step * t`` for a variable that takes every ``step``-th value, or None."""
    for name in term.bound:
        found = stride_of(term.domain, name)
        if found is None:
            continue
        offset, step = found
        counter = fresh("t")
        value = {name: offset + Affine.var(counter, step)}
        bound = tuple(counter if v == name else v for v in term.bound)
        result = reduce(term.op, bound, term.domain.substitute(value), substitute(term.body, value))
        assert isinstance(result, Reduce)
        return result
    return None


def at_only_point(term: Reduce, context: Domain) -> Term | None:
    """Return the body where the domain has one point, an affine one, all over the context; else None."""
    if len(term.bound) != 1:
        return None
    (name,) = term.bound
    for equality in term.domain.equalities():
        value = equality.solve(name)
        if value is not None and context.is_subset(term.domain.substitute({name: value})):
            return substitute(term.body, {name: value})
    return None


def over_parts(term: Reduce, full: Domain, context: Domain) -> Term | None:
    """Return the reduction as a combination over the convex parts of its domain; None where it is convex."""
    try:
        parts = disjoint_parts(full).parts()
    except NotAffine:
        return None
    if not 1 < len(parts) <= _MOST_PARTS:
        return None
    return combined(term.op, [reduce(term.op, term.bound, part.gist(context), term.body) for part in parts])


def over_pieces(term: Reduce, full: Domain) -> Term | None:
    """Return a reduction with a piecewise term in its body as a combination over the pieces; None without one."""
    expanded = [(d, t) for d, t in expanded_pieces(full, term.body) if not d.is_empty()]
    if len(expanded) < 2:  # noqa: PLR2004 - nothing to combine
        return None
    return combined(term.op, [reduce(term.op, term.bound, domain, body) for domain, body in expanded])


def written_out(term: Reduce, full: Domain, axes: Iterable[str], most: int) -> Term | None:
    """Return a reduction over at most so many constant points as an expression of all of them; None over others."""
    points: list[dict[str, Affine]] = [{}]
    for name in term.bound:
        span = range_of(full, name, [*axes, *term.bound])
        if span is None or not (span[0].is_constant and span[1].is_constant):
            return None
        values = range(span[0].constant, span[1].constant)
        if len(points) * len(values) > most:
            return None
        points = [{**point, name: Affine(value)} for point in points for value in values]
    context = full.project_out(*term.bound)
    for point in points:
        if not context.is_subset(full.substitute(point)):
            return None
    return combined(term.op, [substitute(term.body, point) for point in points]) if points else None


def expanded_pieces(domain: Domain, term: Term) -> Iterator[tuple[Domain, Term]]:
    """Yield a term piece by piece, so that no piecewise term is left outside reductions."""
    waiting = [(domain, term)]
    count = 0
    while waiting:
        where, current = waiting.pop(0)
        found = next(_piecewise_outside_reductions(current), None)
        count += 1
        if found is None or count > _MOST_PARTS * _MOST_PARTS:
            yield where, current
            continue
        for piece, value in found.pieces:
            inside = where & piece
            if not inside.is_empty():
                waiting.append((inside, _replaced(current, found, value)))


def _piecewise_outside_reductions(term: Term) -> Iterator[Piecewise]:
    if not term.has_domains:
        return
    hidden = {node for r in walk(term) if isinstance(r, Reduce) for node in walk(r) if node is not r}
    yield from (node for node in walk(term) if isinstance(node, Piecewise) and node not in hidden)


def _replaced(term: Term, old: Term, new: Term) -> Term:
    def change(node: Term) -> Term | None:
        descends = node.has_domains and isinstance(node, Apply | Piecewise)
        return new if node is old else None if descends else node

    return exchanged(term, change)


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
