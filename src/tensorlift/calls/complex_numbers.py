"""Complex numbers that calls pass and are given back, where programs compute with their parts.

An array of complex numbers is seen as one of pairs, which in NumPy and PyTorch is the same memory.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.calls.errors import wrong_type
from tensorlift.calls.kinds import JAX, TORCH, library_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_RETURNED = "return"  # begins the row that says how items are returned
_REMEDY = "pass an array of complex64 or complex128, as the annotation says, or a number"


def _rows(described: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    for row in described:
        name, *parts = row.split()
        yield name, parts


def pairs_of(described: Sequence[str]) -> frozenset[str]:
    """Name the parameters that are arrays of complex numbers, by the rows that the front end describes them in."""
    return frozenset(name for name, parts in _rows(described) if not parts and name != _RETURNED)


def parts_of(described: Sequence[str]) -> dict[str, list[str]]:
    """Name the parameters that are complex numbers, with the two parts of each."""
    return {name: parts for name, parts in _rows(described) if parts and name != _RETURNED}


def ways_of(described: Sequence[str]) -> tuple[str, ...]:
    """Give how each item is returned: as ``pairs``, in ``parts`` or ``real``; nothing where all are real."""
    return next((tuple(parts) for name, parts in _rows(described) if name == _RETURNED), ())


def is_complex(value: Any) -> bool:
    """Whether a value is an array of complex numbers, of any library."""
    return "complex" in str(getattr(value, "dtype", ""))


def in_parts(values: Mapping[str, Any], described: Sequence[str]) -> dict[str, Any]:
    """Give the arguments of a call with those that are complex as pairs, or as two numbers.

    Raises ArgumentTypeError where something else is passed for a complex number.
    """
    found = dict(values)
    for name, parts in _rows(described):
        if name == _RETURNED:
            continue
        value = values[name]
        if not parts:
            found[name] = _pairs(value, name)
        elif getattr(value, "ndim", 0) or not (hasattr(value, "real") and hasattr(value, "imag")):
            raise wrong_type(f"`{name}` is an object of type {type(value).__name__}, and no complex number", _REMEDY)
        else:
            del found[name]
            found |= zip(parts, (value.real, value.imag), strict=True)
    return found


def _pairs(value: Any, name: str) -> Any:
    """See an array of complex numbers as one of pairs."""
    if not is_complex(value) or not value.ndim:
        raise wrong_type(f"`{name}` is an object of type {type(value).__name__}, and no complex array", _REMEDY)
    match library_of(value):
        case None:
            return value[..., np.newaxis].view(value.real.dtype)
        case library if library is TORCH:
            return sys.modules["torch"].view_as_real(value.resolve_conj())
    return sys.modules["jax"].numpy.stack([value.real, value.imag], axis=-1)


def of_pairs(value: Any) -> Any:
    """Make an array of complex numbers of their parts, which lie along the last axis."""
    return _joined(value[..., 0], value[..., 1])


def joined(items: Sequence[Any], ways: Sequence[str]) -> list[Any]:
    """Put together what is returned in parts; an array of the caller is itself."""
    if not ways:
        return list(items)
    left = iter(items)
    found: list[Any] = []
    for way in ways:
        item = next(left)
        if way == "parts":
            item = _joined(item, next(left))
        elif way == "pairs" and not is_complex(item) and hasattr(item, "dtype"):  # else it is the caller's
            item = of_pairs(item)
        found.append(item)
    return found


def _joined(re: Any, im: Any) -> Any:
    """Make complex numbers of their parts."""
    library = library_of(re) or library_of(im)
    if library is TORCH:
        torch = sys.modules["torch"]
        return torch.complex(*torch.broadcast_tensors(torch.as_tensor(re), torch.as_tensor(im)))
    if library is JAX:
        jax = sys.modules["jax"]
        return jax.lax.complex(*jax.numpy.broadcast_arrays(re, im))
    if isinstance(re, float) and isinstance(im, float) and not isinstance(re, np.generic):
        return complex(re, im)
    made = np.empty(np.broadcast_shapes(np.shape(re), np.shape(im)), np.result_type(re, im, np.complex64))
    made.real, made.imag = re, im
    return made[()]
