"""Compares results: shapes and types exactly, integers exactly, floats up to a tolerance scaled by their magnitude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


SIGNLESS = ("linalg",)  # the libraries whose integers do not say how their bits are read


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far floats may be off, relative to the greatest magnitude in the array (at least 1).

    Where a library's integers are ``signless``, as MLIR's are, signed ones are taken for unsigned ones of their bits.
    """

    f64: float = 1e-9
    f32: float = 1e-4
    f16: float = 2e-2
    bf16: float = 1e-1
    signless: bool = False

    def by_name(self, dtype: str) -> float | None:
        """Return how far floats of a type may be off, by its name in NumPy; None for any other type."""
        return {"float64": self.f64, "float32": self.f32, "float16": self.f16, "bfloat16": self.bf16}.get(dtype)

    @staticmethod
    def of(library: str) -> Tolerance:
        """Return the usual tolerance for results of programs that are written for a library."""
        return Tolerance(signless=library in SIGNLESS)


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest scaled difference of two results, and what is wrong with the given one (empty: nothing)."""

    error: float
    complaint: str


def compare(name: str, expected: Array | np.generic, given: Any, tolerance: Tolerance) -> Difference:
    """Compare one result with what is expected."""
    wanted, found = np.asarray(expected), np.asarray(given)
    if found.shape != wanted.shape:
        return Difference(np.inf, f"{name} has shape {found.shape}, not {wanted.shape}")
    if tolerance.signless and (found.dtype.kind, wanted.dtype.kind) == ("i", "u"):
        found = found.view(wanted.dtype) if found.dtype.itemsize == wanted.dtype.itemsize else found
    if found.dtype != wanted.dtype:
        return Difference(np.inf, f"{name} has type {found.dtype}, not {wanted.dtype}")
    allowed = tolerance.by_name(wanted.dtype.name)
    if allowed is None:
        return _pick(name, wanted, found, wanted != found)
    return _compare_floats(name, wanted.astype(np.float64), found.astype(np.float64), allowed)


def _compare_floats(name: str, wanted: Array, found: Array, allowed: float) -> Difference:
    """Compare floats; infinities and NaN must stand in the same places."""
    finite = np.isfinite(wanted) & np.isfinite(found)
    scale = max(1.0, float(np.abs(wanted[finite]).max(initial=0.0)))
    distance = np.abs(np.where(finite, wanted, 0.0) - np.where(finite, found, 0.0)) / scale
    same_special = (wanted == found) | (np.isnan(wanted) & np.isnan(found))
    wrong = np.where(finite, distance > allowed, ~same_special)
    error = float(distance.max(initial=0.0))
    return _pick(name, wanted, found, wrong) if wrong.any() else Difference(error, "")


def _pick(name: str, wanted: Array, found: Array, wrong: Array) -> Difference:
    """Describe the first wrong element."""
    if not wrong.any():
        return Difference(0.0, "")
    at = tuple(int(k) for k in np.argwhere(wrong)[0])
    place = f"{name}[{', '.join(map(str, at))}]" if at else name
    return Difference(np.inf, f"{place} is {found[at]!s}, not {wanted[at]!s}")
