"""Products of a triangular matrix, as calls of BLAS: ``B = alpha * op(A) * B`` or ``B = alpha * B * op(A)``.

What is overwritten is multiplied in place; another matrix is copied first to where the product goes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, NotAffine, at_least, less
from tensorlift.comprehension.terms import read
from tensorlift.targets.c.cells import affine_text
from tensorlift.targets.c.operands import PREFIXES
from tensorlift.targets.c.sums import addends, factors, has_fold, product, sum_of_products

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.targets.c.cells import Cell
    from tensorlift.targets.c.storage import Memory, Piece
    from tensorlift.targets.c.sums import Part

_OTHER = {"Upper": "Lower", "Lower": "Upper"}


class TriangularProduct(NamedTuple):
    """A call; where another matrix is multiplied, ``copy`` is the piece that puts it where the product goes."""

    call: str
    copy: Piece | None


class _Triangle(NamedTuple):
    """The reads of the triangle and, at the cell itself, of what it multiplies; ``free`` is the axis that it walks.

    ``points`` are those of cells and of the sum over ``summed``, and both addends are scaled by ``scale``.  The
    ``half`` is that of the matrix as it is multiplied.
    """

    matrix: Read
    moved: Read
    free: str
    summed: str
    points: Domain
    scale: Term | None
    is_unit: bool
    half: str = ""


def triangular_product(piece: Piece, memory: Memory, cell_at: Callable[[Domain], Cell]) -> TriangularProduct | None:
    """Return the call for a piece that is a product of a triangular matrix and another one, else None."""
    if len(piece.variables) != 2 or piece.slot.dtype not in PREFIXES or piece.slot.strides is not None:  # noqa: PLR2004 - a matrix
        return None
    ranges = _box(piece)
    if ranges is None:
        return None
    for found in _triangles(piece):
        half = _half(found, piece, ranges)
        if half is not None:
            return _called(found._replace(half=half), ranges, piece, memory, cell_at)
    return None


def _called(
    found: _Triangle,
    ranges: Sequence[tuple[Affine, Affine]],
    piece: Piece,
    memory: Memory,
    cell_at: Callable[[Domain], Cell],
) -> TriangularProduct | None:
    place, inside, is_own = memory.place[found.matrix.array], memory.inside(piece.slot), found.moved is piece.own
    if place.strides is not None or found.matrix.array in inside or (found.moved.array in inside and not is_own):
        return None
    if found.scale is not None and not (is_own or found.scale.reads.isdisjoint(inside)):
        return None
    cell = cell_at(piece.context)
    scale = "1.0" if found.scale is None else cell.value(found.scale, share=False).source
    if cell.lines:
        return None
    is_left = found.free == piece.variables[0]
    walked = (found.free, found.summed) if is_left else (found.summed, found.free)
    is_straight = found.matrix.indices == tuple(map(Affine.var, walked))
    flags = [
        "CblasRowMajor",
        "CblasLeft" if is_left else "CblasRight",
        f"Cblas{found.half if is_straight else _OTHER[found.half]}",
        "CblasNoTrans" if is_straight else "CblasTrans",
        "CblasUnit" if found.is_unit else "CblasNonUnit",
    ]
    start = [low for low, _ in ranges]
    corner = start[0 if is_left else 1]
    sizes = [affine_text(high - low + 1).source for low, high in ranges]
    matrices = [place.address((corner, corner)), place.stride(0), piece.slot.address(start), piece.slot.stride(0)]
    call = f"{PREFIXES[piece.slot.dtype]}trmm({', '.join([*flags, *sizes, scale, *matrices])});"
    return TriangularProduct(call, None if is_own else replace(piece, term=found.moved))


def _box(piece: Piece) -> Sequence[tuple[Affine, Affine]] | None:
    """Return the first and the last value of each variable, where each is one expression."""
    try:
        ends = [[piece.where.extreme(v, maximum=most) for most in (False, True)] for v in piece.variables]
    except NotAffine:
        return None
    if any(len(found) != 1 for both in ends for found in both):
        return None
    return [(first[0][1], last[0][1]) for first, last in ends]


def _half(found: _Triangle, piece: Piece, ranges: Sequence[tuple[Affine, Affine]]) -> str | None:
    """Tell which half of the square of the triangle, as it is multiplied, the points are."""
    spans = dict(zip(piece.variables, ranges, strict=True))
    spans[found.summed] = spans[found.free]
    around = piece.context
    for name, (low, high) in spans.items():
        around = around & Domain.of(at_least(name, low), at_least(high, name))
    after, before = Domain.of(less(found.free, found.summed)), Domain.of(less(found.summed, found.free))
    upper, lower = (after, before) if found.free == piece.variables[0] else (before, after)
    halves = {"Upper": upper, "Lower": lower}
    if not found.is_unit:
        halves = {half: around - halves[other] for half, other in _OTHER.items()}
    return next((h for h, part in halves.items() if (around & part).is_equal(found.points & piece.context)), None)


def _triangles(piece: Piece) -> Iterator[_Triangle]:
    """Yield how a term may be read as such a product."""
    parts = addends(piece.term)
    folds = [part for part in parts if part.fold is not None]
    others = [part for part in parts if part.fold is None]
    if len(folds) != 1 or len(others) > 1 or any(has_fold(part.term) for part in others):
        return
    for found in _products(folds[0], piece, is_unit=bool(others)):
        if not others or _is_scaled(others[0].term, found.moved, found.scale):
            yield found


def _is_scaled(term: Term, own: Read, scale: Term | None) -> bool:
    listed = factors(term)
    rest = [factor for factor in listed if factor is not own]
    return len(rest) == len(listed) - 1 and product(rest) is scale


def _products(part: Part, piece: Piece, *, is_unit: bool) -> Iterator[_Triangle]:
    found = sum_of_products(part, piece.variables, piece.slot.dtype)
    if found is None:
        return
    points, summed = piece.domain & found.domain, found.summed
    own = tuple(map(Affine.var, piece.variables))
    for matrix, moved in (found.reads, found.reads[::-1]):
        for free in piece.variables:
            walked = (Affine.var(free), Affine.var(summed))
            there = tuple(index.substitute({free: walked[1]}) for index in own)
            if moved.indices == there and matrix.indices in (walked, walked[::-1]):
                here = read(moved.array, own, moved.dtype)
                yield _Triangle(matrix, here, free, summed, points, found.scale, is_unit)
