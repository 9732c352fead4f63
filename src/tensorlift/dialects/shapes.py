"""What a definition says of an operation: its operands, and what a meaning cannot be found for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from xdsl.ir import Attribute


@dataclass(frozen=True)
class DefinedOperand:
    """An operand or a result by its name, and which types it may have; all of one ``group`` have the same."""

    name: str
    takes: Callable[[Attribute], bool]
    group: int


@dataclass(frozen=True)
class DefinedOperation:
    """An operation of a dialect; ``obstacle`` says why nothing of its form can be given a meaning, if so."""

    name: str
    operands: tuple[DefinedOperand, ...]
    results: tuple[DefinedOperand, ...]
    obstacle: str = ""
