"""Shorter terms: the domains inside a term need not say again what holds wherever the term is evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import Descend, rebuild_inside, transform
from tensorlift.comprehension.terms import Piecewise, Reduce, Term

if TYPE_CHECKING:
    from tensorlift.comprehension.domain import Domain


def shorten(term: Term, domain: Domain) -> Term:
    """Drop from the domains inside a term what holds wherever the term is evaluated."""
    return transform(term, domain, _shorten)


def _shorten(term: Term, domain: Domain, descend: Descend) -> Term:
    if not term.has_domains:
        return term
    if isinstance(term, Reduce):
        inside = (domain & term.domain).coalesce()
        return terms.reduce(term.op, term.bound, inside.gist(domain), descend(term.body, inside))
    if isinstance(term, Piecewise):
        kept = [(piece, inner) for piece, inner in term.pieces if not piece.is_disjoint(domain)]
        if len(kept) < 2:  # noqa: PLR2004 - no choice: where there are no points, any piece will do
            return descend((kept or list(term.pieces))[0][1], domain)
        return terms.piecewise((piece.gist(domain), descend(inner, domain & piece)) for piece, inner in kept)
    return rebuild_inside(term, domain, descend)
