"""Types of tensors in MLIR: element types and shapes, and what a type in a text says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, Signedness, TensorType

from tensorlift.ops.dtypes import SIGNED, UNSIGNED, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute

    from tensorlift.ops.dtypes import DType

ELEMENT_TYPES: dict[DType, Attribute] = {
    "bool": IntegerType(1),
    **{dtype: IntegerType(width(dtype)) for dtype in SIGNED},
    **{dtype: IntegerType(width(dtype), Signedness.UNSIGNED) for dtype in UNSIGNED},
    "f32": Float32Type(),
    "f64": Float64Type(),
}
_DTYPES = {element: dtype for dtype, element in ELEMENT_TYPES.items()}


def tensor_type(shape: Sequence[int], dtype: DType) -> TensorType[Attribute]:
    """Return the type of tensors of a shape; ``DYNAMIC_INDEX`` of xDSL is an open extent."""
    return TensorType(ELEMENT_TYPES[dtype], list(shape))


def dtype_of(element: Attribute) -> DType | None:
    """Return the element type that a type in a text is, None where it is none of ours."""
    return _DTYPES.get(element)
