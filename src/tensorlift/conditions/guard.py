"""A guard: one condition that an emitted function checks of its arguments, and what it says where that fails."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorlift.conditions.language import Condition

INTEGER, NUMBER = "integer", "number"  # what scalars are guarded to be, in place of an exact type


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition over the parameters of an emitted function, and what is said where it does not hold."""

    condition: Condition
    message: str
