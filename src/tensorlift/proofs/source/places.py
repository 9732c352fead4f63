"""Where the arrays and numbers of definitions are in the memories of literal IR.

That is no claim: it is what the definitions mean, as callers of lifted programs rely on it.
"""

from __future__ import annotations

from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorlift.contract.language import Distinct, NotNull
from tensorlift.contract.notation import parse_condition
from tensorlift.ir.function import FAILS, NULL, ROW, SAME, SIZE, FunctionView, axis_name
from tensorlift.ir.literal_function import argument_names
from tensorlift.ir.requirements import NONE_FAILS
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, equal, less
from tensorlift.poly.polynomial import ONE, Polynomial, parse_polynomial
from tensorlift.proofs.source.operations import element_type
from tensorlift.proofs.source.sense import are_bits_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from xdsl.dialects.func import FuncOp

    from tensorlift.comprehension.definition import ArrayInfo, Summary
    from tensorlift.contract.language import Condition
    from tensorlift.ir.prototype import Dimension


_MOST_OF_INDEX = 1 << 48  # no object has so many bytes


class View(NamedTuple):
    """The array of the definitions that a memory of the literal IR is, with the distances between its cells."""

    array: str
    strides: tuple[Polynomial, ...]


class Places(NamedTuple):
    """Views by the names of memories; ``names`` are the parameters of the definitions by what literal IR calls them.

    ``extents`` are sizes that what is returned is to have, by what literal IR calls them: those of the arrays.

    How far the rows of a table are apart is not known: what is shown for any distance holds of rows anywhere, as each
    access is shown to be inside of its row.  So it is with all strides of a memref.  ``sizes`` are those of memrefs, by
    their names; ``within`` says what sizes are: those that the source has as constants, about which alone it is asked,
    and those of type ``index``, whose arithmetic is taken to stay within 64 bits, as less than 2 to the 48.
    ``returned`` are arrays that the function makes and returns, in order; ``denied`` are the truth values
    of pointers that are stated to be false, by what literal IR calls them.
    """

    views: Mapping[str, View]
    names: Mapping[str, str]
    sizes: Mapping[str, Affine]
    within: Domain
    returned: tuple[str, ...]
    extents: Mapping[str, Polynomial] = MappingProxyType({})
    denied: frozenset[str] = frozenset()


def places_of(function: FuncOp, view: FunctionView, summary: Summary) -> Places:
    """Return the places of what a summary speaks of, by the parameters of its function."""
    outside = {parameter.name: parameter.literal_name for parameter in view.parameters}
    strides = {p.name: tuple(map(parse_polynomial, p.strides)) for p in view.parameters if p.strides is not None}
    called = set(argument_names(function))
    for name, literal_name in outside.items():
        rows = [Polynomial.variable(row) for row in _rows(literal_name, called)]
        if rows and name in summary.arrays:
            inner = (strides[name] if name in strides else dense(summary.arrays[name]))[len(rows) :]
            strides[name] = *(prod(rows[axis:], start=ONE) for axis in range(len(rows))), *inner
    sizes: dict[str, Affine] = {}
    for name, info in summary.arrays.items():
        of_axes = [axis_name(name, axis, ROW) for axis in range(len(info.shape))]
        if info.is_parameter and not called.isdisjoint(of_axes):
            strides[name] = tuple(Polynomial.variable(row) if row in called else ONE for row in of_axes)
        if info.is_parameter:
            sizes |= {axis_name(name, axis, SIZE): extent for axis, extent in enumerate(info.shape)}
    constants = {name: Affine(number) for name, number in view.generalised.items()}
    known = summary.all_arrays()
    views = {
        outside.get(name, name): View(name, strides[name] if name in strides else dense(info, constants))
        for name, info in known.items()
    }
    for memory, array in _unnamed(function, views, known):
        views[memory] = View(array, dense(known[array]))
    within = Domain.of(*(equal(size, number) for size, number in view.generalised.items()))
    if view.source.endswith(".mlir"):
        wide = [
            parameter.name for parameter in view.parameters if parameter.role == "size" and parameter.dtype == "i64"
        ]
        within = within & Domain.of(*(c for n in wide for c in (less(-_MOST_OF_INDEX, n), less(n, _MOST_OF_INDEX))))
    arrays = [name for name, info in summary.arrays.items() if info.is_parameter and not info.contents]
    returned = tuple(n for n in arrays if outside[n] not in called and not outside[n].startswith("@"))
    expected = [(called, one) for called, one in view.returned_sizes.items() if one.array in summary.arrays]
    extents = {called: _extent(summary.arrays[one.array], one) for called, one in expected}
    stated = [parse_condition(row.text) for row in view.requires]
    denied = frozenset(_denied(stated, outside))
    return Places(views, view.literal_names, sizes, within, returned, extents, denied)


def _denied(stated: Iterable[Condition], outside: Mapping[str, str]) -> Iterator[str]:
    """Yield what literal IR is told to be false, by its names there."""
    for one in stated:
        if isinstance(one, NotNull) and one.array in outside:
            yield f"{outside[one.array]}{NULL}"
        elif isinstance(one, Distinct) and outside.keys() >= {one.array, one.other}:
            yield f"{outside[one.array]}{SAME}{outside[one.other]}"
        elif str(one) == NONE_FAILS:
            yield FAILS


def _rows(literal_name: str, called: AbstractSet[str]) -> list[str]:
    """List the names of the distances between rows of a table, and between the rows of these."""
    found: list[str] = []
    while (row := f"{literal_name}{ROW * (len(found) + 1)}") in called:
        found.append(row)
    return found


def _extent(info: ArrayInfo, one: Dimension) -> Polynomial:
    """Return the size that a dimension of a container is to have; its last one may hold several of the array."""
    extents = [Polynomial.of(extent) for extent in info.shape]
    return prod(extents[one.axis :], start=ONE) if one.axis == one.rank - 1 else extents[one.axis]


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


def dense(info: ArrayInfo, constants: Mapping[str, Affine] = MappingProxyType({})) -> tuple[Polynomial, ...]:
    """Return the distances between the cells of an array that lie one after the other, row by row."""
    extents = [Polynomial.of(extent.substitute(constants)) for extent in info.shape]
    return tuple(prod(extents[axis + 1 :], start=ONE) for axis in range(len(extents)))
