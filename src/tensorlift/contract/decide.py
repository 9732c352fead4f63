"""Decides conditions for the arguments of a call: sizes, extents, types, memory that is shared."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.contract.language import (
    AnyOf,
    Compare,
    Condition,
    Distinct,
    DistinctRows,
    Extent,
    Inside,
    IsArray,
    IsScalar,
    Relation,
    Separate,
    Sum,
    names_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Array = np.ndarray[Any, np.dtype[Any]]

_RELATED: dict[Relation, Callable[[int, int], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
_MOST_WORK = 1000  # to decide whether two arrays overlap; what takes more counts as an overlap


def holds(condition: Condition, values: Mapping[str, Any]) -> bool:
    """Decide a condition for values and arrays by name; one that speaks of others, or in words, is taken to hold."""
    match condition:
        case Compare() | AnyOf():
            return not names_of(condition) <= values.keys() or _relations_hold(condition, values)
        case Separate(array, others, or_same):
            written = values.get(array)
            found = [values[other] for other in others if isinstance(values.get(other), np.ndarray)]
            return not isinstance(written, np.ndarray) or all(are_separate(written, o, or_same) for o in found)
        case Inside(array, added, limit):
            places, known = values.get(array), names_of(condition) <= values.keys()
            return not known or not isinstance(places, np.ndarray) or _are_inside(places + added, limit, values)
        case Distinct(array, other):
            pair = values.get(array), values.get(other)
            starts = [each.ctypes.data for each in pair if isinstance(each, np.ndarray)]
            return len(starts) < len(pair) or starts[0] != starts[1]
        case DistinctRows(array):
            return not isinstance(values.get(array), np.ndarray) or is_injective(values[array])
        case IsArray(name, dtype, rank):
            value = values.get(name)
            return not isinstance(value, np.ndarray) or (value.dtype.name == dtype and value.ndim == rank)
        case IsScalar(name, _):
            return np.ndim(values.get(name, 0)) == 0
        case _:
            return True


def length_found(array: str, axis: int, shape: Sequence[int], expected: str) -> str:
    """Say how long an array is along an axis, and how long it was expected to be."""
    place = array if len(shape) == 1 else f"axis {axis} of {array}"
    return f"{place} has length {shape[axis]}, expected {expected}"


def broken_extent(condition: Condition, values: Mapping[str, Any]) -> str:
    """Say which extent breaks a relation that does not hold, and what was expected; nothing where none does alone."""
    if not isinstance(condition, Compare) or condition.relation not in ("==", ">=", "<="):
        return ""
    shapes, is_equality = _shapes(values), condition.relation == "=="
    excess = condition.right - condition.left if condition.relation == "<=" else condition.left - condition.right
    missing = -excess.at(values, shapes)
    places = [(factor, atoms[0]) for factor, atoms in excess.terms if len(atoms) == 1 and abs(factor) == 1]
    for factor, place in sorted(places, key=lambda found: -found[0]):
        if isinstance(place, Extent):
            wanted = shapes[place.array][place.axis] + factor * missing
            bound = "" if is_equality else " or more" if factor > 0 else " or less"
            return length_found(place.array, place.axis, shapes[place.array], f"{wanted}{bound}")
    return ""


def are_separate(written: Array, other: Array, or_same: bool = False) -> bool:  # noqa: FBT001, FBT002 - a field of the condition
    """Tell whether two arrays share no element's memory or, with ``or_same``, are the same elements."""
    if or_same and (written.ctypes.data, written.strides, written.shape) == (
        other.ctypes.data,
        other.strides,
        other.shape,
    ):
        return True
    return not np.may_share_memory(written, other, max_work=_MOST_WORK)  # type: ignore[arg-type]  # numpy's stub knows two of the numbers only


def is_injective(array: Array) -> bool:
    """Tell whether each stride passes all that lies inside of it, so that no two elements share memory."""
    span = array.itemsize
    for stride, extent in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if stride < span:
            return array.size == 0
        span += stride * (extent - 1)
    return True


def _are_inside(places: Array, limit: Sum, values: Mapping[str, Any]) -> bool:
    return bool(((places >= 0) & (places < limit.at(values, _shapes(values)))).all())


def _shapes(values: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    return {name: value.shape for name, value in values.items() if isinstance(value, np.ndarray)}


def _relations_hold(condition: Compare | AnyOf, values: Mapping[str, Any]) -> bool:
    if isinstance(condition, AnyOf):
        return any(all(_relations_hold(part, values) for part in choice) for choice in condition.choices)
    shapes = _shapes(values)
    return _RELATED[condition.relation](condition.left.at(values, shapes), condition.right.at(values, shapes))
