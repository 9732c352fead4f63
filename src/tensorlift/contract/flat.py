"""Flat memory as C's functions take it, seen as arrays; emitted adapters hold the functions of this file."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np


class PreconditionError(ValueError):
    """Raised where a precondition does not hold, so that only the original can say what the call does."""


def c_number(name: str, value: Any, dtype: Any) -> Any:
    """Give a number as C's parameter takes it; raise ValueError where it is none, or leaves its type."""
    if np.ndim(value) != 0:
        raise ValueError(f"{name} must be one number, not {type(value).__name__}")
    if np.dtype(dtype).kind == "f":
        return dtype(value)
    if not isinstance(value, (int, np.integer, np.bool_)):
        raise ValueError(f"{name} must be an integer, not {type(value).__name__}")
    limits = (0, 1) if dtype is np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if not limits[0] <= value <= limits[1]:
        raise ValueError(f"{name} is {value}, which is no {np.dtype(dtype).name}")
    return dtype(value)


def flat_view(name: str, memory: Any, dtype: Any, shape: Any, strides: Any, *, written: bool = False) -> Any:
    """Give an array over a contiguous NumPy array or a ctypes pointer; strides count elements.

    Raises ValueError where the memory has another type, is too short, or is to be written and cannot be.
    """
    if min(shape, default=0) < 0 or min(strides, default=0) < 0:
        raise PreconditionError(f"{name} has the extents {shape} and strides {strides}, and none must be negative")
    span = 0 if 0 in shape else 1 + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))
    if isinstance(memory, np.ndarray):
        if memory.dtype != dtype:
            raise ValueError(f"{name} must hold {np.dtype(dtype).name}, not {memory.dtype.name}")
        if not memory.flags.c_contiguous:
            raise ValueError(f"{name} must be contiguous, as C's memory is")
        if written and not memory.flags.writeable:
            raise ValueError(f"{name} is read-only, and is written")
        if memory.size < span:
            raise ValueError(f"{name} has length {memory.size}, expected {span} or more")
        flat = memory.reshape(-1)
    elif span == 0:
        flat = np.empty(0, dtype)
    elif c_pointer(name, memory).value is None:
        raise PreconditionError(f"{name} is a null pointer, and the call uses {span} elements")
    else:
        cell = ctypes.POINTER(np.ctypeslib.as_ctypes_type(dtype))
        flat = np.ctypeslib.as_array(ctypes.cast(c_pointer(name, memory), cell), (span,))
    itemsize = np.dtype(dtype).itemsize
    return np.lib.stride_tricks.as_strided(flat, shape, [stride * itemsize for stride in strides], writeable=written)


def row_views(name: str, table: Any, dtype: Any, shape: Any, *, written: bool = False) -> list[Any]:
    """Give the rows that a table of row pointers names, each as `flat_view` does."""
    rows = table if isinstance(table, (list, tuple, np.ndarray)) else _pointers(name, table)
    return [flat_view(f"{name}[{k}]", rows[k], dtype, shape[1:], (1,), written=written) for k in range(shape[0])]


def member_view(name: str, structure: Any, path: str, dtype: Any, shape: Any, strides: Any) -> Any:
    """Give an array, writable, over a member that lies in a structure of ctypes; of no extents, over one number."""
    offset, _ = _member(type(structure), path)
    return flat_view(name, ctypes.addressof(structure) + offset, dtype, shape, strides, written=True)


def column_view(name: str, records: Any, path: str, dtype: Any, shape: Any, strides: Any = (1,)) -> Any:
    """Give an array, writable, over one member of all structures that an array or a pointer of ctypes names.

    Strides count elements as if there were no other members; the last dimensions may be those of the member itself.
    """
    several = isinstance(records, ctypes.Array) or (hasattr(type(records), "contents") and records)
    first = records[0] if several else c_structure(name, records)
    size = ctypes.sizeof(first) // np.dtype(dtype).itemsize
    if size * np.dtype(dtype).itemsize != ctypes.sizeof(first):
        raise PreconditionError(f"{name} does not stand at whole multiples of its size")
    _, kind = _member(type(first), path)
    cells = ctypes.sizeof(kind) // np.dtype(dtype).itemsize
    apart = [stride // cells * size if stride >= cells else stride for stride in strides]
    return member_view(name, first, path, dtype, shape, apart)


def _member(kind: Any, path: str) -> tuple[int, Any]:
    """Give where in a structure a member is, and its type."""
    place = 0
    for part in path.split("."):
        place += getattr(kind, part).offset
        kind = next(field[1] for field in kind._fields_ if field[0] == part)
    return place, kind


def share_memory(one: Any, other: Any, *, or_same: bool = False) -> bool:
    """Tell whether two arrays, or lists of rows, share memory; where that is hard to tell, they do.

    With or_same the very same elements do not count.
    """
    ones, others = (each if isinstance(each, list) else [each] for each in (one, other))
    places = [[(row.ctypes.data, row.strides, row.shape) for row in rows] for rows in (ones, others)]
    if or_same and places[0] == places[1]:
        return False
    overlap: Any = np.may_share_memory
    return any(overlap(a, b, max_work=1000) for a in ones for b in others)


def rows_overlap(rows: list[Any]) -> bool:
    """Tell whether two of the rows share memory."""
    return any(share_memory(row, other) for k, row in enumerate(rows) for other in rows[:k])


def store(target: Any, value: Any) -> None:
    """Write a result to an array, or row by row."""
    if isinstance(target, list):
        for row, new in zip(target, value, strict=True):
            row[...] = new
    else:
        target[...] = value


def call_original(original: Any, result: Any, arguments: list[Any]) -> Any:
    """Call a function of ctypes with values of ctypes; ``result`` is its type, None for void."""
    returned = None if result is None else np.ctypeslib.as_ctypes_type(result)
    address = ctypes.cast(original, ctypes.c_void_p).value or 0
    return ctypes.CFUNCTYPE(returned, *map(type, arguments))(address)(*arguments)


def c_value(value: Any, dtype: Any) -> Any:
    """Give a number as one of ctypes."""
    return np.ctypeslib.as_ctypes_type(dtype)(value.item() if isinstance(value, np.generic) else value)


def c_pointer(name: str, memory: Any) -> ctypes.c_void_p:
    """Give the pointer to an array, a structure or what a pointer of ctypes points to; an integer is an address."""
    if memory is None or isinstance(memory, int):
        return ctypes.c_void_p(memory)
    if isinstance(memory, np.ndarray):
        return ctypes.c_void_p(memory.ctypes.data)
    if isinstance(memory, ctypes.Structure):
        return ctypes.c_void_p(ctypes.addressof(memory))
    is_pointer = hasattr(type(memory), "contents") or hasattr(memory, "_obj")
    if not is_pointer and not isinstance(memory, (ctypes.Array, ctypes.c_void_p)):
        raise ValueError(f"{name} must be a NumPy array or a ctypes pointer, not {type(memory).__name__}")
    return ctypes.cast(memory, ctypes.c_void_p)


def c_table(name: str, rows: Any) -> ctypes.c_void_p:
    """Give the pointer to a table of the pointers to rows, where they are arrays, or the pointer that it is."""
    if not isinstance(rows, (list, tuple, np.ndarray)):
        return c_pointer(name, rows)
    table = (ctypes.c_void_p * len(rows))(*(c_pointer(name, row) for row in rows))
    return ctypes.cast(table, ctypes.c_void_p)


def c_structure(name: str, structure: Any) -> Any:
    """Give a structure of ctypes, or the one that a pointer, or what ``byref`` gives, points to."""
    found = getattr(structure, "_obj", structure)
    if hasattr(type(found), "contents"):
        if not found:
            raise PreconditionError(f"{name} is a null pointer")
        found = found.contents
    if not isinstance(found, ctypes.Structure):
        raise ValueError(f"{name} must be a structure of ctypes, not {type(structure).__name__}")
    return found


def _pointers(name: str, table: Any) -> Any:
    """Read a table of row pointers where ctypes gives its address."""
    if c_pointer(name, table).value is None:
        raise PreconditionError(f"{name} is a null pointer")
    return ctypes.cast(c_pointer(name, table), ctypes.POINTER(ctypes.c_void_p))
