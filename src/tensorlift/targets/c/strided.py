"""Cells that lie apart: ``x[2 * k] = y[k]`` is a loop over ``k``, not one over the cells, which would divide by two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import read
from tensorlift.targets.c.sums import folds_of, replaced

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Reduce
    from tensorlift.targets.c.storage import Piece


def counted(piece: Piece, fresh: Callable[[str], str]) -> Piece:
    """Return a piece that goes over the variable of a fold in place of the axis that is a multiple of it."""
    for fold in folds_of(piece.term):
        found = _axis(fold, piece)
        if found is not None:
            variable, place = found
            (bound,) = fold.bound
            count = Affine.var(fresh("k"))
            here = {variable: place.substitute({bound: count})}
            term = replaced(piece.term, fold, substitute(fold.body, {bound: count}))
            own = read(piece.own.array, tuple(i.substitute(here) for i in piece.own.indices), piece.own.dtype)
            names = tuple(str(count) if name == variable else name for name in piece.variables)
            return replace(
                piece, variables=names, domain=piece.domain.substitute(here), term=substitute(term, here), own=own
            )
    return piece


def _axis(fold: Reduce, piece: Piece) -> tuple[str, Affine] | None:
    """Return an axis at every point of which a fold has one value, at a multiple of the fold's variable."""
    if len(fold.bound) != 1 or not piece.where.is_subset(fold.domain.project_out(*fold.bound)):
        return None
    for equality in fold.domain.equalities():
        for variable in piece.variables:
            place = equality.solve(variable)
            if place is not None and abs(place.coefficient(fold.bound[0])) > 1:
                return variable, place
    return None
