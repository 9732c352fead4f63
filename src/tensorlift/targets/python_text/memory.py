"""In whose memory the values of a program lie, where an array library has views and stores into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import Broadcast, Diagonal, Subscript, Transpose, Variable, Windows

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Assign, Expression, SetSlice

_VIEWS = (Subscript, Transpose, Diagonal, Windows, Broadcast)


class Memory:
    """Follows the assignments of a program in order: each variable lies in the memory of one."""

    def __init__(self) -> None:
        """Begin where every variable has memory of its own."""
        self._homes: dict[str, str] = {}

    def assign(self, statement: Assign) -> None:
        """Let a variable lie where its value lies."""
        self._homes[statement.name] = self._home(statement.value) or statement.name

    def is_shared(self, statement: SetSlice, value: Expression) -> bool:
        """Tell whether a value lies in the memory that a statement stores into."""
        return self._home(value) == self._homes.get(statement.name, statement.name)

    def _home(self, value: Expression) -> str:
        """Return the variable in whose memory a view lies, no name for what has memory of its own."""
        while isinstance(value, _VIEWS):
            value = value.argument
        return self._homes.get(value.name, value.name) if isinstance(value, Variable) else ""
