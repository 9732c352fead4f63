"""Folds between bounds that are data, as nodes of tensor programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import Along

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer
    from tensorlift.ir.tensor_program import Expression


@dataclass(frozen=True, eq=False, slots=True)
class Segments(Along):
    """Folds of the cells from each place up to the next one, one less than there are places; any value of no cells."""

    op: Reducer


@dataclass(frozen=True, eq=False, slots=True)
class Spans(Along):
    """Folds of cells along the first axis, from each place up to the one in another list; neutral if no later."""

    ends: Expression
    op: Reducer

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operand, the first places, and those behind the last ones."""
        return (self.argument, self.index, self.ends)

    def on(self, operands: tuple[Expression, ...]) -> Spans:
        """Return the same of other operands."""
        return replace(self, argument=operands[0], index=operands[1], ends=operands[2])


@dataclass(frozen=True, eq=False, slots=True)
class Spread(Along):
    """Folds, at each of so many places, of the cells along the first axis whose two bounds a place is between."""

    ends: Expression
    op: Reducer

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The operand, the first places, and those behind the last ones."""
        return (self.argument, self.index, self.ends)

    def on(self, operands: tuple[Expression, ...]) -> Spread:
        """Return the same of other operands."""
        return replace(self, argument=operands[0], index=operands[1], ends=operands[2])
