"""What an emitter gives: the text of a program, and hints for the checker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
