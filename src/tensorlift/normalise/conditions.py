"""Conditions: affine ones, and truth values of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.normalise.values import Data

if TYPE_CHECKING:
    from tensorlift.poly.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class AffineCondition:
    """A conjunction of constraints (``polynomial >= 0``, or ``== 0`` if marked); its negation if ``inverted``."""

    constraints: tuple[tuple[Polynomial, bool], ...]
    inverted: bool = False


Condition = AffineCondition | Data
