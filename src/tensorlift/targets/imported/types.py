"""Types of operands of imported operations, as MLIR has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DYNAMIC_INDEX

from tensorlift.comprehension.instance import InstanceOperand
from tensorlift.targets.mlir_text.types import ELEMENT_TYPES, tensor_type

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from tensorlift.comprehension.instance import Instance


def operand_type(operand: InstanceOperand) -> Attribute:
    """Return the type of an operand; extents that are sizes are open."""
    if operand.is_number:
        return ELEMENT_TYPES[operand.dtype]
    extents = [extent.constant if extent.is_constant else DYNAMIC_INDEX for extent in operand.shape]
    return tensor_type(extents, operand.dtype)


def result_of(instance: Instance) -> InstanceOperand:
    """Return the result of an instance as an operand of another would be."""
    return InstanceOperand(instance.result.name, instance.result.dtype, instance.result.shape)
