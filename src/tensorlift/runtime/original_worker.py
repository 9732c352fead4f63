"""The worker that calls a compiled original over flat memory; it alone executes code under analysis.

Each array lies in a buffer of its own between two guard zones.  All that is no element, the guards and the gaps of
padded rows, holds a pattern that the call must leave alone: otherwise the function writes outside of its extents.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from tensorlift.runtime.compare import Array

    Facts = dict[str, Any]

_GUARD = 64  # elements on each side
_PATTERN = 0xA5
_LINE = 64  # bytes


class Buffer:
    """The C memory of one array, which begins at a whole cache line."""

    def __init__(self, array: Array, strides: list[int], *, row_pointers: bool) -> None:
        """Lay ``array`` out; strides count elements."""
        span = 1 + sum((extent - 1) * stride for extent, stride in zip(array.shape, strides, strict=True))
        length = (span if array.size else 0) + 2 * _GUARD
        raw = np.full(length * array.itemsize + _LINE, _PATTERN, np.uint8)
        self.memory = raw[-raw.ctypes.data % _LINE :][: length * array.itemsize].view(array.dtype)
        self.strides = [stride * array.itemsize for stride in strides]
        self.shape = array.shape
        self.elements[...] = array
        self.rows = self._row_table() if row_pointers else None

    @property
    def elements(self) -> Array:
        """The elements, in their shape."""
        inside = self.memory[_GUARD:]
        return np.lib.stride_tricks.as_strided(inside, self.shape, self.strides)

    @property
    def address(self) -> int:
        """What C is passed."""
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


class Call:
    """One call of ``tl_call``: its arguments laid out in memory, once for any number of calls.

    A case lists the arguments, ``{"value": key}`` for a scalar, ``{"array": key, "strides": .., "row_pointers": ..}``;
    keys name arrays.
    """

    def __init__(
        self,
        library: str,
        case: list[Facts],
        arrays: dict[str, Array],
        result: str,
        buffers: dict[str, Buffer] | None = None,
    ) -> None:
        """Load a compiled library and lay the arguments out, but for those that lie in ``buffers``, which others use.

        ``result`` is the type that is returned, or empty.
        """
        loaded = ctypes.CDLL(library)
        self._call = loaded.tl_call
        self._call.restype = None
        self._nanoseconds = ctypes.c_longlong.in_dll(loaded, "tl_nanoseconds")
        self.returned = np.zeros((), result or "u1")
        self.buffers = {} if buffers is None else buffers
        self._kept = [arrays[argument["value"]] for argument in case if "value" in argument]  # what is pointed to
        self._pointers = (ctypes.c_void_p * max(len(case), 1))()
        for position, argument in enumerate(case):
            if "array" in argument:
                key = argument["array"]
                if key not in self.buffers:
                    self.buffers[key] = Buffer(arrays[key], argument["strides"], row_pointers=argument["row_pointers"])
                self._pointers[position] = self.buffers[key].address
            else:
                self._pointers[position] = arrays[argument["value"]].ctypes.data

    def __call__(self) -> float:
        """Call once; give the seconds that the function took."""
        self._call(self._pointers, ctypes.c_void_p(self.returned.ctypes.data))
        return float(self._nanoseconds.value) * 1e-9

    def restore(self, arrays: dict[str, Array]) -> None:
        """Put values back into arrays, by their keys."""
        for key, array in arrays.items():
            self.buffers[key].elements[...] = array

    def after(self) -> dict[str, Array]:
        """Give the arrays as they are now, by their keys."""
        return {key: np.ascontiguousarray(b.elements).reshape(b.shape) for key, b in self.buffers.items()}

    def written_outside(self) -> list[str]:
        """List the keys of arrays that were written outside of."""
        return [key for key, buffer in self.buffers.items() if not buffer.untouched_outside()]


def work(facts: Facts, arrays: dict[str, Array]) -> tuple[Facts, dict[str, Array]]:
    """Call ``tl_call`` of the library for every case; the reply holds the arrays after the call under the same keys."""
    outside: list[str] = []
    results: dict[str, Array] = {}
    for number, case in enumerate(facts["cases"]):
        call = Call(facts["library"], case, arrays, facts["result"])
        call()
        outside += call.written_outside()
        results |= call.after()
        results[f"{number}:"] = call.returned
    return {"outside": outside}, results
