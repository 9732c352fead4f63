"""Cells that lie apart: ``x[2 * k] = y[k]`` is a loop over ``k``, not one over the cells, which would divide by two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.rewrite import substitute
from tensorlift.targets.c.sums import folds_of, replaced

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Reduce
    from tensorlift.targets.c.storage import Piece


def counted(piece: Piece, fresh: Callable[[str], str]) -> Piece:
    """Return a piece that goes over the variables of a fold in place of the axes that are multiples of them."""
    for fold in folds_of(piece.term):
        places = _places(fold, piece)
        if places is not None:
            counts = {bound: Affine.var(fresh("k")) for bound in fold.bound}
            here = {variable: place.substitute(counts) for variable, (_, place) in places.items()}
            over = {variable: str(counts[bound]) for variable, (bound, _) in places.items()}
            apart = replace(piece, term=replaced(piece.term, fold, substitute(fold.body, counts)))
            apart = apart.over([over.get(name, name) for name in piece.variables], here)
            return counted(apart, fresh)  # what was inside may be such a fold too
    return piece


def _places(fold: Reduce, piece: Piece) -> dict[str, tuple[str, Affine]] | None:
    """Return for each variable of a fold an axis, by its name, that is a multiple of it; None where there is none.

    A fold has one value then, at every point of the piece.
    """
    if not piece.where.is_subset(fold.domain.project_out(*fold.bound)):
        return None
    found: dict[str, tuple[str, Affine]] = {}
    for bound in fold.bound:
        for equality in fold.domain.equalities():
            for variable in (v for v in piece.variables if v not in found):
                place = equality.solve(variable)
                if place is not None and _moves(place, bound, fold):
                    found[variable] = bound, place
    return found if len(found) == len(fold.bound) else None


def _moves(place: Affine, bound: str, fold: Reduce) -> bool:
    """Tell whether a place moves upwards with one variable of a fold alone, by more than one cell."""
    others = (name for name in fold.bound if name != bound)
    return place.coefficient(bound) > 1 and not any(map(place.coefficient, others))
