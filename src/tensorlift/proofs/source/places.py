"""Where the arrays and numbers of definitions are in the memories of literal IR.

That is no claim: it is what the definitions mean, as callers of lifted programs rely on it.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.comprehension.polynomial import ONE, Polynomial, parse_polynomial
from tensorlift.ir.function import ROW
from tensorlift.proofs.source.integers import polynomial
from tensorlift.proofs.source.operations import element_type
from tensorlift.proofs.source.sense import are_bits_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xdsl.dialects.func import FuncOp

    from tensorlift.comprehension.definition import ArrayInfo, Summary
    from tensorlift.ir.function import FunctionView


class View(NamedTuple):
    """The array of the definitions that a memory of the literal IR is, with the distances between its cells."""

    array: str
    strides: tuple[Polynomial, ...]


class Places(NamedTuple):
    """Views by the names of memories; ``names`` are the parameters of the definitions by what literal IR calls them.

    How far the rows of a table are apart is not known: what is shown for any distance holds of rows anywhere, as each
    access is shown to be inside of its row.
    """

    views: Mapping[str, View]
    names: Mapping[str, str]


def places_of(function: FuncOp, view: FunctionView, summary: Summary) -> Places:
    """Return the places of what a summary speaks of, by the parameters of its function."""
    outside = {parameter.name: parameter.literal_name for parameter in view.parameters}
    strides = {p.name: tuple(map(parse_polynomial, p.strides)) for p in view.parameters if p.strides is not None}
    marks: Any = function.arg_attrs or ()
    called = {mark.data["tl.name"].data for mark in marks}
    for name, literal_name in outside.items():
        if f"{literal_name}{ROW}" in called:
            strides[name] = Polynomial.variable(f"{literal_name}{ROW}"), ONE
    arrays = summary.all_arrays()
    views = {
        outside.get(name, name): View(name, strides[name] if name in strides else dense(info))
        for name, info in arrays.items()
    }
    for memory, array in _unnamed(function, views, arrays):
        views[memory] = View(array, dense(arrays[array]))
    return Places(views, view.literal_names)


def _unnamed(function: FuncOp, views: Mapping[str, View], arrays: Mapping[str, ArrayInfo]) -> Iterator[tuple[str, str]]:
    """Yield local memories that have no name of an array, with the arrays that no memory has the name of, in order.

    Which local memory is which local array is for the proof alone: any choice of one for each does.
    """
    made = [op.results[0] for op in function.walk() if op.name in {"memref.alloc", "memref.alloca"}]
    names = {memory.name_hint for memory in made}
    left = [name for name, info in arrays.items() if info.shape and not (info.is_parameter or name in names)]
    for memory in made:
        of_type: Any = memory.type
        if memory.name_hint is not None and memory.name_hint not in views:
            same = next((n for n in left if are_bits_of(element_type(of_type), arrays[n].dtype)), None)
            if same is not None:
                left.remove(same)
                yield memory.name_hint, same


def dense(info: ArrayInfo) -> tuple[Polynomial, ...]:
    """Return the distances between the cells of an array that lie one after the other, row by row."""
    extents = [polynomial(extent) for extent in info.shape]
    return tuple(prod(extents[axis + 1 :], start=ONE) for axis in range(len(extents)))
