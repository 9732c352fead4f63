"""The types of C in the loop IR, and its attributes that are made again and again.

Attributes are immutable, and making one checks it.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseArrayBase,
    FileLineColLoc,
    FloatAttr,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)

from tensorlift.ops.c_types import CType, FloatType, IntegerType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute

    from tensorlift.diagnostics import Location
    from tensorlift.ops.dtypes import DType
    from tensorlift.poly.polynomial import Polynomial

_text = lru_cache(maxsize=16)(StringAttr)
_number = lru_cache(maxsize=4096)(IntAttr)
integer_attribute = lru_cache(maxsize=256)(IntegerAttr)


def location_attribute(location: Location) -> FileLineColLoc:
    """Make a location attribute; xDSL's way checks the classes of its parameters, for ten times as long."""
    made = FileLineColLoc.__new__(FileLineColLoc)
    object.__setattr__(made, "filename", _text(location.file))
    object.__setattr__(made, "line", _number(location.line))
    object.__setattr__(made, "column", _number(location.column))
    return made


def identifier(name: str) -> str:
    """Make an identifier of a name: members are spelled ``a.b`` in messages."""
    return "_".join(re.findall(r"\w+", name))


@cache
def segments(*sizes: int) -> Attribute:
    """Say how many operands belong to each group of an operation."""
    return DenseArrayBase.from_list(i32, list(sizes))


INDEX = IndexType()
_INTEGERS = {1: i1, 8: i8, 16: i16, 32: i32, 64: i64}
FLOATS: dict[DType, AnyFloat] = {"f16": f16, "bf16": bf16, "f32": f32, "f64": f64}
FLOAT_NAMES: dict[Attribute, DType] = {kind: dtype for dtype, kind in FLOATS.items()}
_memref = lru_cache(maxsize=256)(MemRefType)  # attributes are immutable, and making one checks it


def ir_type(ctype: CType) -> Attribute:
    """Give the type of a scalar in the loop IR."""
    if isinstance(ctype, FloatType):
        return FLOATS[ctype.dtype]
    assert isinstance(ctype, IntegerType)
    return _INTEGERS[ctype.width]


def float_attribute(value: float, ctype: FloatType) -> FloatAttr[AnyFloat]:
    """Give a constant of a float type, rounded to it."""
    return FloatAttr(ctype.rounded(value), FLOATS[ctype.dtype])


def memref_type(element: CType, extents: Sequence[Polynomial | None]) -> MemRefType[Attribute]:
    """Give the type of an array; an extent that is no constant is dynamic."""
    constants = [None if extent is None else extent.constant_value for extent in extents]
    shape = tuple(DYNAMIC_INDEX if constant is None else constant for constant in constants)
    return _memref(ir_type(element), shape)
