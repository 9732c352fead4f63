"""Products of a triangular matrix with what is overwritten, as calls of BLAS: ``B = alpha * op(A) * B``."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, NotAffine, at_least, less
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Read
from tensorlift.targets.c.cells import affine_text
from tensorlift.targets.c.sums import addends, factors, has_fold, product

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Term
    from tensorlift.targets.c.cells import Cell
    from tensorlift.targets.c.storage import Memory, Piece
    from tensorlift.targets.c.sums import Part
    from tensorlift.targets.c.text import Line

_PREFIXES = {"f64": "cblas_d", "f32": "cblas_s"}


class _Triangle(NamedTuple):
    """The matrix by the read of it, the variables of its rows and of the sum, and what both sums are scaled by."""

    matrix: Read
    summed: str
    points: Domain
    scale: Term | None
    is_unit: bool


def triangular_product(piece: Piece, memory: Memory, cell_at: Callable[[Domain], Cell]) -> list[Line] | None:
    """Return the call for a piece that multiplies its array by a triangular matrix from the left, else None."""
    if len(piece.variables) != 2 or piece.slot.dtype not in _PREFIXES or piece.slot.strides is not None:  # noqa: PLR2004 - a matrix
        return None
    found = _triangle(piece)
    if found is None or memory.place[found.matrix.array].strides is not None:
        return None
    (row, column), summed = piece.variables, found.summed
    try:
        ends = [piece.where.extreme(v, maximum=most) for v in (row, column) for most in (False, True)]
    except NotAffine:
        return None
    if any(len(end) != 1 for end in ends):
        return None
    low, high, left, right = (end[0][1] for end in ends)
    around = piece.context & Domain.of(at_least(row, low), at_least(high, row), at_least(column, left))
    around = around & Domain.of(at_least(right, column), at_least(summed, low), at_least(high, summed))
    after, before = Domain.of(less(row, summed)), Domain.of(less(summed, row))
    halves = {"Upper": after, "Lower": before}
    if not found.is_unit:
        halves = {half: around - other for half, other in (("Upper", before), ("Lower", after))}
    half = next((h for h, part in halves.items() if (around & part).is_equal(found.points & piece.context)), None)
    indices = tuple(map(Affine.var, (row, summed)))
    if half is None or found.matrix.indices not in (indices, indices[::-1]):
        return None
    is_straight = found.matrix.indices == indices
    stored = half if is_straight else {"Upper": "Lower", "Lower": "Upper"}[half]
    cell = cell_at(piece.context)
    scale = "1.0" if found.scale is None else cell.value(found.scale, share=False).source
    if cell.lines:
        return None
    place = memory.place[found.matrix.array]
    flags = (
        f"Cblas{stored}, Cblas{'NoTrans' if is_straight else 'Trans'}, Cblas{'Unit' if found.is_unit else 'NonUnit'}"
    )
    sizes = f"{affine_text(high - low + 1).source}, {affine_text(right - left + 1).source}"
    matrices = (
        f"{place.address((low, low))}, {place.stride(0)}, {piece.slot.address((low, left))}, {piece.slot.stride(0)}"
    )
    return [f"{_PREFIXES[piece.slot.dtype]}trmm(CblasRowMajor, CblasLeft, {flags}, {sizes}, {scale}, {matrices});"]


def _triangle(piece: Piece) -> _Triangle | None:
    parts = addends(piece.term)
    folds = [part for part in parts if part.fold is not None]
    others = [part for part in parts if part.fold is None]
    if len(folds) != 1 or len(others) > 1 or any(has_fold(part.term) for part in others):
        return None
    scale = folds[0].coefficient
    if others and not _is_scaled(others[0].term, piece.own, scale):
        return None
    return _product(folds[0], piece, scale, is_unit=bool(others))


def _is_scaled(term: Term, own: Read, scale: Term | None) -> bool:
    listed = factors(term)
    rest = [factor for factor in listed if factor is not own]
    return len(rest) == len(listed) - 1 and product(rest) is scale


def _product(part: Part, piece: Piece, scale: Term | None, *, is_unit: bool) -> _Triangle | None:
    fold = part.fold
    if fold is None or len(fold.bound) != 1 or (scale is not None and not scale.free.isdisjoint(piece.variables)):
        return None
    summed = fresh("summed")
    listed = factors(substitute(fold.body, {fold.bound[0]: Affine.var(summed)}))
    reads = [factor for factor in listed if isinstance(factor, Read)]
    column = (Affine.var(summed), Affine.var(piece.variables[1]))
    moved = [read for read in reads if read.array == piece.own.array and read.indices == column]
    matrices = [read for read in reads if read.array != piece.own.array and len(read.indices) == 2]  # noqa: PLR2004 - as above
    if len(listed) != 2 or len(moved) != 1 or len(matrices) != 1 or matrices[0].dtype != piece.own.dtype:  # noqa: PLR2004 - as above
        return None
    points = piece.domain & fold.domain.rename({fold.bound[0]: summed})
    return _Triangle(matrices[0], summed, points, scale, is_unit)
