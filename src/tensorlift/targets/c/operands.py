"""Operands of BLAS: reads in memory as vectors and matrices, products of two of them under a sum, symmetric calls.

``syrk`` adds ``A A^T`` to a half, ``syr2k`` ``A B^T + B A^T``; in ``symm`` a sum over the stored half and one over the
mirrored half are one product.  A product of a matrix with its own transpose that fills a square is one half, mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, at_least
from tensorlift.poly.variables import extreme_of
from tensorlift.targets.c.cells import affine_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.targets.c.storage import Piece, Slot

PREFIXES = {"f64": "cblas_d", "f32": "cblas_s"}
Ranges = dict[str, tuple["Affine", "Affine"]]  # the first and the last value of each variable


@dataclass(frozen=True, slots=True)
class Operand:
    """A read in memory."""

    slot: Slot
    indices: tuple[Affine, ...]

    def uses(self, variable: str) -> bool:
        """Tell whether a variable says which cell is read."""
        return any(index.coefficient(variable) for index in self.indices)

    def axis(self, variable: str) -> int:
        """Return the only axis that a variable runs along in steps of one; -1 where there is none."""
        found = [k for k, index in enumerate(self.indices) if index.coefficient(variable)]
        return found[0] if len(found) == 1 and self.indices[found[0]].coefficient(variable) == 1 else -1

    def stride(self, variable: str) -> str:
        """Spell the distance of the cells of neighbouring values of a variable."""
        return self.slot.stride(self.axis(variable))

    def address(self, values: Mapping[str, Affine]) -> str:
        """Spell the address of the cell where variables have values."""
        return self.slot.address([index.substitute(values) for index in self.indices])


@dataclass(frozen=True, slots=True)
class Matrix:
    """An operand as a matrix by rows: its flag and its leading dimension."""

    operand: Operand
    flag: str
    leading: str


@dataclass(frozen=True, slots=True)
class Product:
    """A sum over one variable of products of two reads; ``points`` are those of the cells and of the sum.

    Where it is over several, the ``repeated`` ones are looped over, and such sums added.
    """

    piece: Piece
    summed: str
    operands: tuple[Operand, Operand]
    scale: str
    points: Domain
    repeated: tuple[str, ...] = ()


def matrix(operand: Operand, row: str, column: str) -> Matrix | None:
    """See an operand as a matrix with these variables for rows and columns."""
    axes = operand.axis(row), operand.axis(column)
    last = operand.slot.rank - 1
    if min(axes) < 0 or axes[0] == axes[1] or operand.slot.stride(last) != "1":
        return None
    if axes[1] == last:
        return Matrix(operand, "CblasNoTrans", operand.slot.stride(axes[0]))
    return Matrix(operand, "CblasTrans", operand.slot.stride(axes[1])) if axes[0] == last else None


def box(points: Domain, variables: Sequence[str], context: Domain) -> Ranges | None:
    """Return first and last value of variables that run through a box, at any point of the others; None without one."""
    found = hull(points, variables, context)
    return found if found is not None and boxed(points, found, context).is_subset(points) else None


def boxed(points: Domain, ranges: Ranges, context: Domain) -> Domain:
    """Return the box of ranges around points."""
    return (points & context).project_out(*ranges) & within(ranges)


def within(ranges: Ranges) -> Domain:
    """Return the points at which variables are in ranges."""
    return Domain.of(*(c for name, (low, high) in ranges.items() for c in (at_least(name, low), at_least(high, name))))


def hull(points: Domain, variables: Sequence[str], context: Domain) -> Ranges | None:
    """Return the least and the largest value of variables, each one expression; None where one is none."""
    found: Ranges = {}
    inside = points & context
    for name in variables:
        alone = inside.project_out(*(v for v in variables if v != name))
        try:
            first, last = (extreme_of(alone, name, maximum=maximum) for maximum in (False, True))
        except NotAffine:
            return None
        ends = _only(first, inside, name), _only(last, inside, name)
        if ends[0] is None or ends[1] is None:
            return None
        found[name] = (ends[0], ends[1])
    return found


def _only(pieces: Sequence[tuple[Domain, Affine]], inside: Domain, name: str) -> Affine | None:
    """Return a bound that is the same expression everywhere."""
    known = inside.project_out(name)
    here = [value for domain, value in pieces if not (domain & known).is_empty()]
    return here[0] if len(here) == 1 else None


_AXES = 2  # of a matrix


@dataclass(frozen=True, slots=True)
class SymmetricCall:
    """A routine with its arguments, those before and behind the result's scale.

    With ``mirrored`` the upper half is computed, and the lower one is to be a copy of it.
    """

    routine: str
    before: tuple[str, ...]
    behind: tuple[str, ...]
    mirrored: bool = False

    def arguments(self, beta: str) -> str:
        """Spell the arguments behind the order of the matrices."""
        return ", ".join((*self.before, beta, *self.behind))


def symmetric_call(products: Sequence[Product]) -> SymmetricCall | None:
    """Return the call that computes one product, or two together; None without one."""
    first = products[0]
    piece = first.piece
    if len(piece.variables) != _AXES or piece.slot.rank != _AXES or piece.slot.stride(1) != "1":
        return None
    if any(product.scale != first.scale for product in products):
        return None
    listed = [renamed(product, {product.summed: first.summed}) for product in products]
    return _rank_update(listed) or (_product(listed[0], listed[1]) if len(listed) > 1 else None)


def renamed(product: Product, names: dict[str, str]) -> Product:
    """Give variables of the sum other names."""
    left, right = (_moved(operand, names) for operand in product.operands)
    summed, *repeated = (names.get(v, v) for v in (product.summed, *product.repeated))
    return Product(product.piece, summed, (left, right), product.scale, product.points.rename(names), tuple(repeated))


def _moved(operand: Operand, names: dict[str, str]) -> Operand:
    values = {old: Affine.var(new) for old, new in names.items()}
    return replace(operand, indices=tuple(index.substitute(values) for index in operand.indices))


# -- half of a symmetric result


def _rank_update(products: Sequence[Product]) -> SymmetricCall | None:
    first, last = products[0], products[-1]
    row, column = first.piece.variables
    sides = [_sides(product, row, column) for product in (first, last)]
    if sides[0] is None or sides[1] is None:
        return None
    (left, right), (other_left, other_right) = sides[0], sides[1]
    if other_right != _moved(left, {row: column}) or right != _moved(other_left, {row: column}):
        return None
    context = first.piece.context
    ranges = hull(first.points, (row, column, first.summed), context)
    if ranges is None or ranges[row] != ranges[column]:
        return None
    half = _half(first.points & context, boxed(first.points, ranges, context), row, column)
    if half is None or not (last.points & context).is_equal(first.points & context):
        return None
    matrices = [matrix(operand, row, first.summed) for operand in (left, other_left)[: len(products)]]
    if any(one is None or matrices[0] is None or one.flag != matrices[0].flag for one in matrices):
        return None
    start = {name: low for name, (low, _) in ranges.items()}
    inputs = [text for one in matrices if one for text in (one.operand.address(start), one.leading)]
    flags = (f"Cblas{half or 'Upper'}", *(one.flag for one in matrices[:1] if one))
    before = (*flags, _extent(ranges, row), _extent(ranges, first.summed), first.scale, *inputs)
    return SymmetricCall("syrk" if len(products) == 1 else "syr2k", before, _result(first, ranges), mirrored=not half)


def _sides(product: Product, row: str, column: str) -> tuple[Operand, Operand] | None:
    """Return the operand of the rows, then that of the columns."""
    for left, right in (product.operands, product.operands[::-1]):
        if left.uses(row) and right.uses(column):
            return None if left.uses(column) or right.uses(row) else (left, right)
    return None


def _half(points: Domain, whole: Domain, row: str, column: str) -> str | None:
    """Tell which half of a square points are; all of it is the empty one."""
    halves = {"": whole, "Lower": whole & Domain.of(at_least(row, column))}
    halves["Upper"] = whole & Domain.of(at_least(column, row))
    return next((half for half, part in halves.items() if part.is_equal(points)), None)


# -- products with a symmetric matrix


def _product(first: Product, second: Product) -> SymmetricCall | None:
    """Return the product of which one sum reads the stored half of a matrix, and the other one the mirrored half."""
    row, column = first.piece.variables
    for straight, turned in ((first, second), (second, first)):
        for side, free, other in (("Left", row, column), ("Right", column, row)):
            found = _sided(straight, turned, side, free, other)
            if found is not None:
                return found
    return None


def _sided(straight: Product, turned: Product, side: str, free: str, other: str) -> SymmetricCall | None:
    summed, piece = straight.summed, straight.piece
    stored, plain = _stored(straight, free, other)
    mirrored, same = _stored(turned, free, other)
    if stored is None or mirrored is None or plain is None or plain != same:
        return None
    ends = (free, summed) if side == "Left" else (summed, free)
    lies, factor = matrix(stored, *ends), matrix(plain, *((summed, other) if side == "Left" else (other, summed)))
    if mirrored != _moved(stored, {free: summed, summed: free}) or lies is None or lies.flag != "CblasNoTrans":
        return None
    if factor is None or factor.flag != "CblasNoTrans":
        return None
    points, rest = straight.points & piece.context, turned.points & piece.context
    both = straight.points | turned.points
    ranges = hull(both, (*piece.variables, summed), piece.context)
    if ranges is None or ranges[free] != ranges[summed] or not (points & rest).is_empty():
        return None
    if not boxed(both, ranges, piece.context).is_equal(points | rest):
        return None
    below, above = Domain.of(at_least(*ends)), Domain.of(at_least(*ends[::-1]))
    halves = (("Lower", below, above), ("Upper", above, below))  # a half is rows from columns on, or up to them
    half = next((h for h, mine, its in halves if points.is_subset(mine) and rest.is_subset(its)), None)
    if half is None:
        return None
    start = {name: low for name, (low, _) in ranges.items()}
    sizes = [_extent(ranges, name) for name in piece.variables]
    inputs = [text for one in (lies, factor) for text in (one.operand.address(start), one.leading)]
    before = (f"Cblas{side}", f"Cblas{half}", *sizes, straight.scale, *inputs)
    return SymmetricCall("symm", before, _result(straight, ranges))


def _stored(product: Product, free: str, other: str) -> tuple[Operand | None, Operand | None]:
    """Return the operand that may be a half, and the other one."""
    for half, plain in (product.operands, product.operands[::-1]):
        if half.uses(free) and half.uses(product.summed) and not half.uses(other) and not plain.uses(free):
            return half, plain
    return None, None


def _extent(ranges: Ranges, variable: str) -> str:
    low, high = ranges[variable]
    return affine_text(high - low + 1).source


def _result(product: Product, ranges: Ranges) -> tuple[str, str]:
    piece = product.piece
    return piece.slot.address([ranges[name][0] for name in piece.variables]), piece.slot.stride(0)
