"""Where the arrays and numbers of definitions are in the memories of literal IR.

That is no claim: it is what the definitions mean, as callers of lifted programs rely on it.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.polynomial import ONE, Polynomial, parse_polynomial
from tensorlift.proofs.source.integers import polynomial

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import ArrayInfo, Summary
    from tensorlift.ir.function import FunctionView


class View(NamedTuple):
    """The array of the definitions that a memory of the literal IR is, with the distances between its cells."""

    array: str
    strides: tuple[Polynomial, ...]


class Places(NamedTuple):
    """Views by the names of memories; ``numbers`` are variables at file scope that are parameters of definitions."""

    views: Mapping[str, View]
    numbers: Mapping[str, str]


def places_of(view: FunctionView, summary: Summary) -> Places:
    """Return the places of what a summary speaks of, by the parameters of its function."""
    outside = {p.name: f"@{p.access.removesuffix('[]')}" for p in view.parameters if p.access}
    strides = {p.name: tuple(map(parse_polynomial, p.strides)) for p in view.parameters if p.strides is not None}
    views = {
        outside.get(name, name): View(name, strides[name] if name in strides else _dense(info))
        for name, info in summary.arrays.items()
    }
    return Places(views, {symbol: name for name, symbol in outside.items() if name not in summary.arrays})


def _dense(info: ArrayInfo) -> tuple[Polynomial, ...]:
    """Return the distances between the cells of an array that lie one after the other, row by row."""
    extents = [polynomial(extent) for extent in info.shape]
    return tuple(prod(extents[axis + 1 :], start=ONE) for axis in range(len(extents)))
