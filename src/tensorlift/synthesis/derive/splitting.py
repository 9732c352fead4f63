"""Splitting: the same value as several simpler ones, where one box of axes does not do.

A reduction over several convex parts, or with a piecewise body, is a combination of reductions; a stride in its domain
becomes a factor of a subscript; one over a few constant points is written out.  A definition whose term is piecewise
becomes more pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, NotAffine
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.rewrite import rebuild, substitute, walk
from tensorlift.comprehension.terms import COMBINER, Apply, Piecewise, Reduce, Term, apply, reduce
from tensorlift.synthesis.derive.scope import range_of

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
        found = term.domain.stride(name)
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
        parts = full.disjoint().parts()
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
    memo: dict[Term, Term] = {old: new}

    def convert(node: Term) -> Term:
        if node not in memo:
            descends = node.has_domains and isinstance(node, Apply | Piecewise)
            memo[node] = rebuild(node, convert) if descends else node
        return memo[node]

    return convert(term)
