"""Types of operands of imported operations, as MLIR has them; lists of integers are of types of the dialect."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition

from tensorlift.comprehension.instance import InstanceOperand
from tensorlift.targets.mlir_text.operations import ReadData
from tensorlift.targets.mlir_text.types import ELEMENT_TYPES, tensor_type

if TYPE_CHECKING:
    from xdsl.ir import Attribute
    from xdsl.parser import AttrParser

    from tensorlift.comprehension.instance import Instance


class ListType(ReadData, TypeAttribute):
    """The type of lists of so many integers, ``!dialect.name<2>``."""

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> int:
        """Read how many integers a list has."""
        with parser.in_angle_brackets():
            return parser.parse_integer(allow_boolean=False, allow_negative=False)


@cache
def list_type(name: str) -> type[ListType]:
    """Return the type of lists that has a name in its dialect."""
    return irdl_attr_definition(type("ListType", (ListType,), {"name": name}))


def is_list(value: SSAValue) -> bool:
    """Tell whether a value is a list of integers, which no cells are."""
    return isinstance(value.type, ListType)


def operand_type(operand: InstanceOperand) -> Attribute:
    """Return the type of an operand; extents that are sizes are open."""
    if operand.is_number:
        return ELEMENT_TYPES[operand.dtype]
    extents = [extent.constant if extent.is_constant else DYNAMIC_INDEX for extent in operand.shape]
    return tensor_type(extents, operand.dtype)


def result_of(instance: Instance) -> InstanceOperand:
    """Return the result of an instance as an operand of another would be."""
    return InstanceOperand(instance.result.name, instance.result.dtype, instance.result.shape)
