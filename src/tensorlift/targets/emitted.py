"""What an emitter gives: the text of a program, and hints for the checker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse

if TYPE_CHECKING:
    from fractions import Fraction

    from tensorlift.ir.cut import Cut
    from tensorlift.ir.tensor_program import Parameter


@dataclass(frozen=True, slots=True)
class Emitted:
    """The source of a module, the name of its function, and where variables hold definitions.

    A cut stands at the first line of its statement; at the ``for`` of a kept loop cuts tell which variables carry what.
    ``parameters`` are those of the function in order, with their names in the source.
    """

    text: str
    entry: str
    cuts: tuple[Cut, ...]
    parameters: tuple[Parameter, ...]


def as_float(value: Fraction) -> float:
    """Return the nearest number in double precision; raises LiftError TL305 where it is larger than any."""
    try:
        return float(value)
    except OverflowError:
        digits = len(str(abs(int(value)))) - 1
        message = f"a product of constants is about 1e{digits}, more than any number in double precision"
        raise refuse("TL305", message, remedy="keep the product in range, or write the infinity that it is") from None
