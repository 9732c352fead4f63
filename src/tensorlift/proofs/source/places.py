"""Where the arrays and numbers of definitions are in the memories of literal IR.

That is no claim: it is what the definitions mean, as callers of lifted programs rely on it.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.comprehension.polynomial import ONE, Polynomial, parse_polynomial
from tensorlift.ir.function import ROW
from tensorlift.proofs.source.integers import polynomial

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from xdsl.dialects.func import FuncOp

    from tensorlift.comprehension.definition import ArrayInfo, Summary
    from tensorlift.ir.function import FunctionView
    from tensorlift.ir.prototype import Dimension


class View(NamedTuple):
    """The array of the definitions that a memory of the literal IR is, with the distances between its cells."""

    array: str
    strides: tuple[Polynomial, ...]


class Places(NamedTuple):
    """Views by the names of memories; ``names`` are the parameters of the definitions by what literal IR calls them.

    ``extents`` are sizes that what is returned is to have, by what literal IR calls them: those of the arrays.

    How far the rows of a table are apart is not known: what is shown for any distance holds of rows anywhere, as each
    access is shown to be inside of its row.
    """

    views: Mapping[str, View]
    names: Mapping[str, str]
    extents: Mapping[str, Polynomial] = {}


def places_of(function: FuncOp, view: FunctionView, summary: Summary) -> Places:
    """Return the places of what a summary speaks of, by the parameters of its function."""
    outside = {parameter.name: parameter.literal_name for parameter in view.parameters}
    strides = {p.name: tuple(map(parse_polynomial, p.strides)) for p in view.parameters if p.strides is not None}
    marks: Any = function.arg_attrs or ()
    called = {mark.data["tl.name"].data for mark in marks}
    for name, literal_name in outside.items():
        rows = [Polynomial.variable(row) for row in _rows(literal_name, called)]
        if rows and name in summary.arrays:
            inner = (strides[name] if name in strides else dense(summary.arrays[name]))[len(rows) :]
            strides[name] = *(prod(rows[axis:], start=ONE) for axis in range(len(rows))), *inner
    views = {
        outside.get(name, name): View(name, strides[name] if name in strides else dense(info))
        for name, info in summary.arrays.items()
    }
    arrays = summary.arrays
    returned = {called: one for called, one in view.returned_sizes.items() if one.array in arrays}
    extents = {called: _extent(arrays[one.array], one) for called, one in returned.items()}
    return Places(views, view.literal_names, extents)


def _rows(literal_name: str, called: AbstractSet[str]) -> list[str]:
    """List the names of the distances between rows of a table, and between the rows of these."""
    found: list[str] = []
    while (row := f"{literal_name}{ROW * (len(found) + 1)}") in called:
        found.append(row)
    return found


def _extent(info: ArrayInfo, one: Dimension) -> Polynomial:
    """Return the size that a dimension of a container is to have; its last one may hold several of the array."""
    extents = [polynomial(extent) for extent in info.shape]
    return prod(extents[one.axis :], start=ONE) if one.axis == one.rank - 1 else extents[one.axis]


def dense(info: ArrayInfo) -> tuple[Polynomial, ...]:
    """Return the distances between the cells of an array that lie one after the other, row by row."""
    extents = [polynomial(extent) for extent in info.shape]
    return tuple(prod(extents[axis + 1 :], start=ONE) for axis in range(len(extents)))
