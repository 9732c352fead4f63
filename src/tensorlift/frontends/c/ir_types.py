"""The types of C in the loop IR."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType, f32, f64, i1, i8, i16, i32, i64

from tensorlift.frontends.c.c_types import CType, FloatType, IntegerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute

    from tensorlift.comprehension.polynomial import Polynomial

INDEX = IndexType()
_INTEGERS = {1: i1, 8: i8, 16: i16, 32: i32, 64: i64}
_FLOATS = {32: f32, 64: f64}
_memref = lru_cache(maxsize=256)(MemRefType)  # attributes are immutable, and making one checks it


def ir_type(ctype: CType) -> Attribute:
    """Give the type of a scalar in the loop IR."""
    if isinstance(ctype, FloatType):
        return _FLOATS[ctype.width]
    assert isinstance(ctype, IntegerType)
    return _INTEGERS[ctype.width]


def memref_type(element: CType, extents: Sequence[Polynomial | None]) -> MemRefType[Attribute]:
    """Give the type of an array; an extent that is no constant is dynamic."""
    constants = [None if extent is None else extent.constant_value for extent in extents]
    shape = tuple(DYNAMIC_INDEX if constant is None else constant for constant in constants)
    return _memref(ir_type(element), shape)
