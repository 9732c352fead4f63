"""Types of results where the text states every type: operands of an operation are of one type, and nothing converts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.tensor import Strength
from tensorlift.ops.dtypes import is_float
from tensorlift.targets.arrays.promotion import ArrayTypes, Operand

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.tensor import Obligations, SymbolicTensor
    from tensorlift.ops.dtypes import DType


class StatedTypes(ArrayTypes):
    """Type rules of a dialect whose operations do not convert."""

    of_negative_reals = "a negative real becomes zero as an unsigned integer"

    def common(self, o: Obligations, operands: Sequence[Operand]) -> DType:
        """Return the only type of the operands."""
        first = operands[0].dtype
        if any(operand.dtype != first for operand in operands):
            o.refuse("operands of different element types")
        return first

    def float_type(self, o: Obligations, dtype: DType) -> DType:
        """Return the type, which must be one of reals."""
        if not is_float(dtype):
            o.refuse(f"a function of reals on values of the type {dtype}")
        return dtype

    def function_strength(self, o: Obligations, tensors: Sequence[SymbolicTensor]) -> Strength:  # noqa: ARG002 - all count alike
        """Return how much the type of a result counts."""
        return Strength.STRONG

    def filled_type(self, o: Obligations, value: SymbolicTensor) -> DType:  # noqa: ARG002 - every value has a type
        """Return the type of a value."""
        return value.dtype

    def real_type(self, o: Obligations) -> DType:
        """Refuse: every type is stated."""
        return o.refuse("an element type that is not stated")
