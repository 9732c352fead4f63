"""The memory of the interpreter: flat lists of Python numbers with extents, where an undefined cell holds None."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


class _NumpyTypes(dict[str, "np.dtype[Any]"]):
    """The types of arrays; that of ``bf16`` is in the package `ml_dtypes`, which is loaded when it is asked for."""

    def __missing__(self, name: str) -> np.dtype[Any]:
        if name != "bf16" or not has_arrays(name):
            raise KeyError(name)
        self[name] = np.dtype(import_module("ml_dtypes").bfloat16)
        return self[name]


NUMPY_TYPES = _NumpyTypes(
    {
        "bool": np.dtype(np.bool_),
        **{f"{sign}{bits}": np.dtype(f"{sign}{bits // 8}") for sign in "iu" for bits in (8, 16, 32, 64)},
        "f16": np.dtype(np.float16),
        "f32": np.dtype(np.float32),
        "f64": np.dtype(np.float64),
    }
)


def has_arrays(dtype: str) -> bool:
    """Whether there are arrays of a type here."""
    return dtype != "bf16" or find_spec("ml_dtypes") is not None


class Memory:
    """One array: ``cells`` in row-major order, integers in the signed range of their width."""

    __slots__ = ("cells", "extents")

    def __init__(self, cells: list[Any], extents: tuple[int, ...]) -> None:
        """Hold ``cells``, whose number is the product of ``extents``."""
        self.cells = cells
        self.extents = extents

    @staticmethod
    def undefined(extents: Sequence[int]) -> Memory:
        """Give fresh memory, in which no cell may be read before it is written."""
        return Memory([None] * prod(extents), tuple(extents))

    @staticmethod
    def of(array: np.ndarray[Any, np.dtype[Any]], *, one_bit: bool) -> Memory:
        """Copy an array in; the cells of an array of ``i1`` are 0 and -1."""
        cells = np.ascontiguousarray(array).view(_signed(array.dtype)).ravel()
        return Memory((-cells if one_bit else cells).tolist(), array.shape)

    def write_back(self, array: np.ndarray[Any, np.dtype[Any]], *, one_bit: bool) -> None:
        """Copy the cells out to the array that they came from."""
        cells = np.array(self.cells, dtype=_signed(array.dtype)).reshape(array.shape)
        array[...] = (-cells if one_bit else cells).view(array.dtype)


def _signed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Give the signed type of the same width; floats stay."""
    return np.dtype(f"i{dtype.itemsize}") if dtype.kind in "bu" else dtype
