"""Pieces at other points than they are meant for: made wider, or at those of a fold.

BLAS fills boxes and halves.  A piece of an array may be computed at more points than it is meant for where everything
that it reads there exists, and where other pieces, written after it, put the right values there: a sum over all of a
matrix but its diagonal may fill the diagonal too, which is overwritten after.

Cells that lie apart, ``x[2 * k] = y[k]``, are a loop over ``k``, not one over the cells, which would divide by two;
so is ``x[n - 1 - i] = y[2 * i]``: compilers read cells that lie apart together only upwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.comprehension.rewrite import substitute, visit_reads, walk
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term, reduce
from tensorlift.ops.dtypes import is_float
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.targets.c.operands import hull, within
from tensorlift.targets.c.sums import folds_of, has_fold, replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tensorlift.targets.c.storage import Cells, Piece

    Extents = Callable[[str], Sequence[Affine]]


_APART = 2
_PLAIN = {"add", "sub", "mul", "neg"}  # operations that have a meaning on all floats


def widened(
    pieces: Sequence[Cells], indices: Sequence[str], versions: set[str], context: Domain, extents: Extents
) -> list[Cells]:
    """Return pieces, the first of which fills its hull where the others can overwrite what is not its own.

    ``versions`` are those in the memory that is written: nothing may read them then.
    """
    if len(pieces) < 2 or any(not term.reads.isdisjoint(versions) for _, term in pieces):  # noqa: PLR2004 - with others
        return list(pieces)
    for position, (domain, term) in enumerate(pieces):
        others = [*pieces[:position], *pieces[position + 1 :]]
        wide = _wide(domain, term, indices, context)
        if wide is None:
            continue
        left = (wide[0] & context) - domain
        covered = left
        for other, _ in others:
            covered = covered - other
        if not left.is_empty() and covered.is_empty() and reads_exist(wide[1], wide[0] & context, extents):
            return [wide, *others]
    return list(pieces)


def _wide(domain: Domain, term: Term, indices: Sequence[str], context: Domain) -> Cells | None:
    """Return the box around the cells of a sum of products of floats, with the sum over a box; None without one."""
    folds = folds_of(term)
    if len(folds) != 1 or folds[0].op != "sum" or has_fold(folds[0].body) or not _is_plain(term):
        return None
    fold = folds[0]
    ranges = hull(domain & fold.domain, (*indices, *fold.bound), context)
    if ranges is None or any(end.mentions(indices) for name in fold.bound for end in ranges[name]):
        return None
    cells, terms_ = (within({name: ranges[name] for name in names}) for names in (indices, fold.bound))
    if not (terms_ & domain & context).is_equal(fold.domain & domain & context):
        return None
    return cells, replaced(term, fold, reduce("sum", fold.bound, terms_, fold.body))


def _is_plain(term: Term) -> bool:
    """Tell whether a term has a value on all floats."""
    nodes = list(walk(term))
    return all(is_float(node.dtype) and (not isinstance(node, Apply) or node.op in _PLAIN) for node in nodes)


def reads_exist(term: Term, points: Domain, extents: Extents) -> bool:
    """Tell whether all cells that a term reads at some points exist."""
    missing: list[Read] = []

    def visit(found: Read, where: Domain) -> None:
        for index, extent in zip(found.indices, extents(found.array), strict=True):
            if not where.is_subset(Domain.of(at_least(index, Affine(0)), less(index, extent))):
                missing.append(found)

    visit_reads(term, points, visit)
    return not missing


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


def upwards(piece: Piece, versions: set[str]) -> Piece:
    """Return a piece over its last axis from the end where all that it reads with gaps between comes upwards then.

    ``versions`` are those in the memory that is written: it is the piece as it is where that is read at other cells.
    """
    reads = [node for node in walk(piece.term) if isinstance(node, Read) and node.indices]
    if not piece.variables or piece.own.indices[-1] != Affine.var(last := piece.variables[-1]) or has_fold(piece.term):
        return piece
    if any(found.array in versions and found.indices != piece.own.indices for found in reads):
        return piece
    steps = [found.indices[-1].coefficient(last) for found in reads]
    if min(steps, default=0) > -_APART or max(steps) >= _APART:
        return piece
    return piece.over(piece.variables, {last: piece.slot.shape[-1] - 1 - Affine.var(last)})


def _moves(place: Affine, bound: str, fold: Reduce) -> bool:
    """Tell whether a place moves upwards with one variable of a fold alone, by more than one cell."""
    others = (name for name in fold.bound if name != bound)
    return place.coefficient(bound) > 1 and not any(map(place.coefficient, others))
