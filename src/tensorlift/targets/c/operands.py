"""Operands of BLAS: reads in memory as vectors and matrices, and products of two of them under a sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain, NotAffine, at_least

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.comprehension.affine import Affine
    from tensorlift.targets.c.storage import Piece, Slot

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
    """A sum over one variable of products of two reads; ``points`` are those of the cells and of the sum."""

    piece: Piece
    summed: str
    operands: tuple[Operand, Operand]
    scale: str
    points: Domain


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
    whole = (points & context).project_out(*ranges)
    for name, (low, high) in ranges.items():
        whole = whole & Domain.of(at_least(name, low), at_least(high, name))
    return whole


def hull(points: Domain, variables: Sequence[str], context: Domain) -> Ranges | None:
    """Return the least and the largest value of variables, each one expression; None where one is none."""
    found: Ranges = {}
    inside = points & context
    for name in variables:
        alone = inside.project_out(*(v for v in variables if v != name))
        try:
            first, last = (alone.extreme(name, maximum=maximum) for maximum in (False, True))
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
