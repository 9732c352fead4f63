"""Selections that replace a diagonal of an array, seen as stores into the array or as sums that are added to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.ir.tensor_program import Diagonal, DiagonalMask, Elementwise, Variable

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Expression


class DiagonalStore(NamedTuple):
    """So many cells of a matrix on a diagonal that starts at a row and a column.

    They become ``values``, a number or one for each column, or ``values`` are added to them.
    """

    row: int
    column: int
    cells: int
    values: Expression
    adds: bool


def diagonal_store(mask: Expression | None, chosen: Expression, other: Expression) -> DiagonalStore | None:
    """Return what ``chosen`` where a mask holds, else a variable, stores into that variable, or None."""
    if not isinstance(mask, DiagonalMask) or not isinstance(other, Variable) or chosen.rank > 1:
        return None
    numbers = (mask.offset, *mask.shape, *other.shape)
    if chosen.dtype != other.dtype or not all(number.is_constant for number in numbers):
        return None
    rows, columns = (extent.constant for extent in mask.shape)
    row, column = max(-mask.offset.constant, 0), max(mask.offset.constant, 0)
    cells = min(rows - row, columns - column)
    if mask.shape != other.shape or cells < 1:
        return None
    added = None if mask.offset.constant else _added(chosen, other)
    return DiagonalStore(row, column, cells, chosen if added is None else added, added is not None)


def _added(chosen: Expression, other: Variable) -> Expression | None:
    """Return what is added to the diagonal of a variable, None where something else is computed."""
    if not isinstance(chosen, Elementwise) or chosen.op != "add":
        return None
    for old, update in (chosen.arguments, reversed(chosen.arguments)):
        if isinstance(old, Diagonal) and isinstance(old.argument, Variable) and old.argument.name == other.name:
            return update
    return None
