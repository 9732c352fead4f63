"""Emitting PyTorch: stores into slices, as in NumPy, with clones where a view would share memory.

New tensors take type and device of an array parameter, so that a program follows its arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.diagnostics import refuse
from tensorlift.ir.stores import in_place
from tensorlift.ir.tensor_program import At, Conditional, Reverse, Subscript
from tensorlift.targets.python_text.emission import Emission, Memory
from tensorlift.targets.python_text.text import Text
from tensorlift.targets.torch.speller import LIBRARY

if TYPE_CHECKING:
    from tensorlift.ir.tensor_program import Assign, Expression, SetSlice, TensorProgram
    from tensorlift.targets.emitted import Emitted


def emit(program: TensorProgram) -> Emitted:
    """Return the program as Python source over PyTorch.

    Raises:
        LiftError: TL305 or TL307 where PyTorch lacks a function or a type, TL306 where the program returns nothing.

    """
    return _TorchEmission(program).emit()


class _TorchEmission(Emission):
    library = LIBRARY
    reserved = frozenset({"torch"})

    def __init__(self, program: TensorProgram) -> None:
        self._memory = Memory()
        super().__init__(program)

    def imports(self) -> list[str]:
        """Import PyTorch."""
        for parameter in self.program.parameters:
            if not parameter.is_size:
                self.spell.dtype(parameter.dtype)
        return ["import torch"]

    def named(self, statement: Assign, name: str) -> tuple[str, str] | None:
        """Spell an assignment to a name: a single cell is cloned, as it would be a view, a number made a tensor."""
        self._memory.assign(statement)
        if self.spell.is_python(statement.value):
            return f"{name} =", self.spell.converted(self.spell(statement.value), statement.value.dtype).source
        return f"{name} =", self._own_cell(statement.value)

    def returned(self, value: Expression) -> str:
        """Spell a value that is returned, a single cell in memory of its own."""
        return self._own_cell(value)

    def stored(self, statement: SetSlice, name: str) -> tuple[str, str]:
        """Spell a store into slices; a view of the same memory is cloned before."""
        if any(isinstance(item, Reverse) for item in statement.items):
            raise refuse("TL305", "PyTorch has no store into reversed cells", remedy="lift to another target")
        update, value = in_place(statement)
        text = self.spell(value)
        is_cell = all(isinstance(item, At) for item in statement.items)
        if not is_cell and self._memory.is_shared(statement, value):
            text = Text(f"{text.atom}.clone()")
        return self.head(statement, name, update), text.source

    def _own_cell(self, value: Expression) -> str:
        """Spell a value, a single cell in memory of its own."""
        text = self.spell(value)
        return f"{text.atom}.clone()" if _may_be_cell(value) else text.source


def _may_be_cell(value: Expression) -> bool:
    if isinstance(value, Conditional):
        return _may_be_cell(value.chosen) or _may_be_cell(value.other)
    return isinstance(value, Subscript) and not value.rank
