"""Pieces: shorter domains where the context says the rest, and one piece where several have the same term."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.normal import equal
from tensorlift.comprehension.positions import place_of
from tensorlift.comprehension.rewrite import Descend, rebuild_inside, shorten, simplified, substitute, transform, walk
from tensorlift.comprehension.rewrite import place_of as place_read
from tensorlift.comprehension.terms import (
    COMBINER,
    Apply,
    Constant,
    Piecewise,
    Reduce,
    Term,
    piecewise,
    reduce,
    unconverted,
)
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain
from tensorlift.poly.variables import is_single_valued

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorlift.comprehension.definition import Definition

Piece = tuple[Domain, Term]

_MOST_SCATTERED = 4  # parts of a domain that cannot be told more shortly


def tidy(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Return the pieces that have points, their terms shortened, pieces of equal terms united."""
    shortened = [(domain, shorten(_decided(term, domain), domain)) for domain, term in pieces if not domain.is_empty()]
    merged = merge(_flatten(shortened))
    if len(merged) < len(shortened):
        merged = [(domain, shorten(term, domain)) for domain, term in merged]
    return tuple(merged)


def tidied(definition: Definition) -> Definition:
    """Return a definition with its pieces tidied."""
    return replace(definition, pieces=tidy(definition.pieces))


def _flatten(pieces: Iterable[Piece]) -> list[Piece]:
    """Turn piecewise terms at the root into pieces."""
    return [part for piece in pieces for part in _parts(*piece)]


def _parts(domain: Domain, term: Term) -> list[Piece]:
    if isinstance(term, Piecewise):
        return _flatten(((domain & piece).coalesce(), inner) for piece, inner in term.pieces)
    return [(domain, term)]


def _decided(term: Term, domain: Domain) -> Term:
    """Compute piece by piece what operations make of numbers that depend on the piece: flags that sizes tell."""
    return transform(term, domain, _decide)


def _decide(term: Term, domain: Domain, descend: Descend) -> Term:
    if not term.has_domains:
        return term
    rebuilt = rebuild_inside(term, domain, descend)
    if not isinstance(rebuilt, Apply):
        return rebuilt
    decisive = rebuilt.args[:1] if rebuilt.op == "select" else rebuilt.args
    open_ones = [a for a in decisive if not isinstance(a, Constant)]
    choice = open_ones[0] if len(open_ones) == 1 else None
    if not isinstance(choice, Piecewise) or not all(isinstance(inner, Constant) for _, inner in choice.pieces):
        return rebuilt
    parts = [(piece, tuple(inner if a is choice else a for a in rebuilt.args)) for piece, inner in choice.pieces]
    return piecewise((piece, simplified(rebuilt.op, args, rebuilt)) for piece, args in parts)


def merge(pieces: list[Piece]) -> list[Piece]:
    """Unite pieces where the term of one is right on the domain of the other."""
    merged: list[Piece] = []
    for domain, term in pieces:
        for position, (other_domain, other) in enumerate(merged):
            common = _common_term(other, other_domain, term, domain)
            if common is not None and (united := _united(other_domain, domain)) is not None:
                merged[position] = (united, common)
                break
        else:
            merged.append((domain, term))
    return merged


def _united(left: Domain, right: Domain) -> Domain | None:
    """Unite two domains, unless that only makes a longer list of scattered parts."""
    united = (left | right).coalesce()
    return united if united.size <= max(_MOST_SCATTERED, left.size, right.size) else None


def _common_term(left: Term, left_domain: Domain, right: Term, right_domain: Domain) -> Term | None:
    if left is right:
        return left
    if isinstance(left, Constant) and isinstance(right, Constant):
        return None
    if _is_one_of(right, left, left_domain):
        return right if equal(left, right, left_domain) else None
    if _is_one_of(left, right, right_domain):
        return left if equal(left, right, right_domain) else None
    if left.reads == right.reads:  # an equality over other arrays would be an accident
        if equal(left, right, right_domain) and not _is_placed_by_nothing(left, right_domain):
            return left
        if equal(left, right, left_domain) and not _is_placed_by_nothing(right, left_domain):
            return right
    if _is_start(right, left, right_domain):
        return left
    return right if _is_start(left, right, left_domain) else _over_both(left, left_domain, right, right_domain)


def _over_both(left: Term, left_domain: Domain, right: Term, right_domain: Domain) -> Term | None:
    """Give the term that is one term on one domain and another one on another, where only ranges of folds differ."""
    if left is right:
        return left
    if isinstance(left, Apply) and isinstance(right, Apply) and (left.op, left.dtype) == (right.op, right.dtype):
        pairs = zip(left.args, right.args, strict=True)
        args = [_over_both(one, left_domain, other, right_domain) for one, other in pairs]
        known = tuple(arg for arg in args if arg is not None)
        return simplified(left.op, known, left) if len(known) == len(args) else None
    if isinstance(left, Reduce) and isinstance(right, Reduce) and left.op == right.op and len(left.bound) == 1:
        names = dict(zip(right.bound, map(Affine.var, left.bound), strict=False))
        points = ((left_domain & left.domain) | (right_domain & right.domain.substitute(names))).coalesce()
        if len(right.bound) == 1 and left.body is substitute(right.body, names) and points.size == 1:
            return reduce(left.op, left.bound, points.gist((left_domain | right_domain).coalesce()), left.body)
    return None


def _is_one_of(term: Term, value: Term, domain: Domain) -> bool:
    """Tell whether a term may well be another one on a domain on purpose, though that reads no arrays."""
    if _is_power(term):
        return isinstance(value, Constant)
    place = None if value.reads else place_of(term)
    return place is not None and not place.position.domain.is_disjoint(domain)  # the place of nothing is no number


def _is_placed_by_nothing(term: Term, domain: Domain) -> bool:
    """Tell whether a term reads at a place that is folded over nothing on a domain: there it is no cell."""
    places = (place for node in walk(term) if (place := place_read(node)) is not None)
    return any(isinstance(fold := unconverted(place), Reduce) and fold.domain.is_disjoint(domain) for place in places)


def _is_start(value: Term, fold: Term, domain: Domain) -> bool:
    """Tell whether a value is what a fold, or what depends on one, comes to on a domain where it is over nothing.

    A fold over no more than one point is none: ``o[2 * i] = x[i]`` leaves the cells between alone.
    """
    parts: tuple[Term, ...] = (fold,)
    if isinstance(fold, Apply) and fold.op in COMBINER.values():
        parts = fold.args
    elif isinstance(fold, Apply) and fold.op in ("cast", "select") and fold.args[0].dtype == "bool":
        parts = fold.args[:1]
    folds = (part for part in parts if isinstance(part, Reduce) and _is_over_nothing(part, domain))
    if all(all(is_single_valued(found.domain, name) for name in found.bound) for found in folds):
        return False
    return equal(value, fold, domain)


def _is_over_nothing(fold: Reduce, domain: Domain) -> bool:
    """Tell whether a fold, or the one of the same kind that it is over, has no points on a domain."""
    if fold.domain.is_disjoint(domain):
        return True
    inner = fold.body
    return isinstance(inner, Reduce) and inner.op == fold.op and _is_over_nothing(inner, domain & fold.domain)


def _is_power(term: Term) -> bool:
    """Tell whether a term is a product of equal factors, which is one where there is none."""
    return isinstance(term, Reduce) and term.op == "prod" and term.body.free.isdisjoint(term.bound)
