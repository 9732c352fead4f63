"""The worker that calls a compiled original over flat memory; it alone executes code under analysis.

Each array lies in a buffer of its own between two guard zones.  All that is no element, the guards and the gaps of
padded rows, holds a pattern that the call must leave alone: otherwise the function writes outside of its extents.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    Array = np.ndarray[Any, np.dtype[Any]]
    Facts = dict[str, Any]

_GUARD = 64  # elements on each side
_PATTERN = 0xA5


class _Buffer:
    """The C memory of one array."""

    def __init__(self, array: Array, strides: list[int], *, row_pointers: bool) -> None:
        span = 1 + sum((extent - 1) * stride for extent, stride in zip(array.shape, strides, strict=True))
        length = span if array.size else 0
        self.memory = np.frombuffer(bytearray([_PATTERN]) * ((length + 2 * _GUARD) * array.itemsize), array.dtype)
        self.strides = [stride * array.itemsize for stride in strides]
        self.shape = array.shape
        self.elements[...] = array
        self.rows = self._row_table() if row_pointers else None

    @property
    def elements(self) -> Array:
        inside = self.memory[_GUARD:]
        return np.lib.stride_tricks.as_strided(inside, self.shape, self.strides)

    @property
    def address(self) -> int:
        return (
            int(self.memory.ctypes.data) + _GUARD * self.memory.itemsize if self.rows is None else self.rows.ctypes.data
        )

    def _row_table(self) -> Array:
        start = int(self.memory.ctypes.data) + _GUARD * self.memory.itemsize
        return np.array([start + row * self.strides[0] for row in range(self.shape[0])], np.uintp)

    def untouched_outside(self) -> bool:
        """Whether the pattern is still everywhere but in the elements."""
        rest = self.memory.view(f"u{self.memory.itemsize}").copy()  # whole bytes: a bool would become 0 or 1
        inside = np.lib.stride_tricks.as_strided(rest[_GUARD:], self.shape, self.strides)
        inside[...] = int.from_bytes([_PATTERN] * self.memory.itemsize, "little")
        return bool((rest.view(np.uint8) == _PATTERN).all())


def work(facts: Facts, arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Call ``tl_call`` of the library for every case.

    A case lists its arguments, ``{"value": key}`` for a scalar, ``{"array": key, "strides": .., "row_pointers": ..}``;
    keys name the arrays of the request, and the reply holds the arrays after the call under the same keys.
    """
    call = ctypes.CDLL(facts["library"]).tl_call
    call.restype = None
    outside: list[str] = []
    results: dict[str, Array] = {}
    for number, case in enumerate(facts["cases"]):
        returned = np.zeros((), facts["result"] or "u1")
        found, written_outside = _call(call, case, arrays, returned)
        outside += written_outside
        results |= found
        results[f"{number}:"] = returned
    return {"outside": outside}, results


def _call(
    call: Any, case: list[Facts], arrays: dict[str, Array], returned: Array
) -> tuple[dict[str, Array], list[str]]:
    """Call once; give the arrays after the call and the keys of those that it wrote outside of."""
    buffers: dict[str, _Buffer] = {}
    pointers = (ctypes.c_void_p * max(len(case), 1))()
    for position, argument in enumerate(case):
        if "array" in argument:
            key = argument["array"]
            buffers[key] = _Buffer(arrays[key], argument["strides"], row_pointers=argument["row_pointers"])
            pointers[position] = buffers[key].address
        else:
            pointers[position] = arrays[argument["value"]].ctypes.data
    call(pointers, ctypes.c_void_p(returned.ctypes.data))
    after = {key: np.ascontiguousarray(buffer.elements).reshape(buffer.shape) for key, buffer in buffers.items()}
    return after, [key for key, buffer in buffers.items() if not buffer.untouched_outside()]
