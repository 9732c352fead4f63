"""Folds between bounds that follow each other, as a node of tensor programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import Along

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer


@dataclass(frozen=True, eq=False, slots=True)
class Segments(Along):
    """Folds of the cells from each place up to the next one, one less than there are places; any value of no cells."""

    op: Reducer
