"""The proof of an emitted MLIR program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.tensor import Strength, scalar_value
from tensorlift.proofs.proof import Proof
from tensorlift.proofs.tensor_text.execute import TextExecution
from tensorlift.proofs.tensor_text.read import read_function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.tensor import SymbolicTensor
    from tensorlift.ir.cut import Cut
    from tensorlift.proofs.values import Item
    from tensorlift.targets.target import Target


class TextProof(Proof):
    """A program in MLIR's text against one summary; its scalars are tensors of rank 0."""

    scalar_strength = Strength.STRONG

    def __init__(self, text: str, entry: str, summary: Summary, target: Target, cuts: Sequence[Cut]) -> None:
        super().__init__(summary, target, cuts)
        self.function = read_function(text, entry, target)

    def size(self, name: str) -> SymbolicTensor:
        """Return a size: an index, or where all values are tensors one of 64 bits, whose arithmetic wraps."""
        if self.target.has_numbers:
            return super().size(name)
        return scalar_value(terms.index(Affine.var(name), "i64"), Strength.STRONG)

    def execute(self) -> tuple[TextExecution, Item]:
        """Execute the function with names of the source as its parameters."""
        execution = TextExecution(self, self.function, self.cuts)
        returned = execution.run(self.parameters(self.function.parameters))
        return execution, returned[0] if len(returned) == 1 else returned
