"""Operands of samples: what ``a="number[m, n]"`` stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.tensor import array

if TYPE_CHECKING:
    from collections.abc import Collection

    from tensorlift.comprehension.tensor import Shape, SymbolicTensor
    from tensorlift.ops.dtypes import DType

SIZES = ("m", "n", "k")

# The element types that an operand of a kind is tried with, the plainest first.
KINDS: dict[str, tuple[DType, ...]] = {
    "number": ("f64", "i32", "f32", "i64", "u8", "i16"),
    "arith": ("f64", "i32", "f32", "i64", "u8", "i16"),
    "positive": ("f64", "i32", "f32", "i64", "u8"),
    "sparse": ("i32", "bool", "f64"),
    "tied": ("f64", "i32", "f32", "i64", "u8"),
    "integer": ("i32", "i8", "u8", "i64", "u32"),
    "signed": ("i32", "i64", "i16"),
    "positive_signed": ("i32", "i64", "i16"),
    "int_or_real": ("f64", "i32", "f32", "i64"),
    "real": ("f64", "f32"),
    "positive_real": ("f64", "f32"),
    "fraction": ("f64", "f32"),
    "above_one": ("f64", "f32"),
    "positive_wide_integer": ("i32", "i64", "i16"),
    "count": ("i32",),
}


def sample_types(spec: str, lacks: Collection[str] = ()) -> list[DType]:
    """Return the element types of an operand: those of its kind but for some that a target lacks, or the one named."""
    kind = spec.partition("[")[0]
    return [dtype for dtype in KINDS.get(kind, (kind,)) if dtype not in lacks]  # type: ignore[misc]  # samples name types


def sample_operand(name: str, spec: str, dtype: DType) -> SymbolicTensor:
    """Return an operand of a type, with the extents that its specification names."""
    return array(name, _shape(spec), dtype)


def _shape(spec: str) -> Shape:
    inside = spec.rstrip("]").partition("[")[2]
    return tuple(extent_of(text) for text in inside.split(",") if text.strip())


def extent_of(text: str) -> Affine:
    """Return the size that ``m + 1`` spells."""
    total = Affine(0)
    for sign, name in re.findall(r"([+-]?)\s*(\w+)", text):
        part = Affine(int(name)) if name.isdigit() else Affine.var(name)
        total = total - part if sign == "-" else total + part
    return total
