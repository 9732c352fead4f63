"""The surface: which parameters the program takes, in source order, and where its sizes come from.

Sizes come from shapes, and stay parameters only where no shape tells them.  An array that is written whole and never
read is no parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.ir.tensor_program import (
    Parameter,
    SizeSource,
    Statement,
    TensorProgram,
    roots_of,
    variables_in,
)
from tensorlift.poly.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.definition import ArrayInfo, Summary


def surface(summary: Summary, body: tuple[Statement, ...], read: set[str]) -> TensorProgram:
    """Return the program of named statements; ``read`` are the versions that statements read before naming."""
    derived = {d.name for d in summary.derived}
    certain = [a for a in _arrays(summary) if _is_kept(a, summary, read, set())]
    told_without = {s.name for s in _sources(certain, derived)}
    known = told_without.union(n for n in summary.sizes if not summary.parameters or n in summary.parameters)
    for quotient in summary.derived:
        known |= {quotient.name} if known.issuperset(quotient.made_of) else set()
    arrays = [a for a in _arrays(summary) if _is_kept(a, summary, read, known)]
    sources = tuple(_sources(arrays, derived))
    told = {source.name for source in sources} | derived
    kept = {a.name for a in arrays}
    parameters = []
    for name in _parameter_order(summary):
        if name in kept:
            info = summary.arrays[name]
            parameters.append(Parameter(name, info.dtype, info.shape))
        elif name in summary.scalars:
            parameters.append(Parameter(name, summary.scalars[name]))
        elif name in summary.sizes and name not in told:
            is_narrow, is_unsigned = summary.is_narrow(name), summary.is_unsigned(name)
            parameters.append(Parameter(name, "i64", is_size=True, is_narrow=is_narrow, is_unsigned=is_unsigned))
    location = next((a.location for a in arrays if a.location), None)
    tables = tuple(info for info in summary.arrays.values() if info.contents and info.name in read)
    return TensorProgram(
        summary.name,
        tuple(parameters),
        sources,
        summary.derived,
        body,
        location,
        summary.context,
        tables,
        summary.ranges,
    )


def read_versions(body: tuple[Statement, ...]) -> set[str]:
    """Return every variable that some statement reads."""
    return {name for value in roots_of(body) for name in variables_in(value)}


def _arrays(summary: Summary) -> list[ArrayInfo]:
    return [info for info in summary.arrays.values() if info.is_parameter and not info.contents]


def _is_kept(info: ArrayInfo, summary: Summary, read: set[str], told: set[str]) -> bool:
    """Keep arrays that are read or not written, and those whose shape nothing else tells."""
    if info.name in read or info.name not in dict(summary.outputs):
        return True
    return bool(told) and any(v not in told for extent in info.shape for v in extent.variables)


def _parameter_order(summary: Summary) -> list[str]:
    names = [*summary.sizes, *summary.scalars, *(a.name for a in _arrays(summary))]
    return sorted(names, key=summary.parameters.index) if set(names) <= set(summary.parameters) else names


def _sources(arrays: list[ArrayInfo], derived: set[str]) -> Iterator[SizeSource]:
    """Yield one source for each size that shapes tell: plain extents first, then what they leave in others.

    Quotients of sizes are computed from those, never told by a shape.
    """
    extents = [(info.name, axis, extent) for info in arrays for axis, extent in enumerate(info.shape)]
    extents.sort(key=lambda entry: entry[2].variable is None)
    found: set[str] = set()
    progress = True
    while progress:
        progress = False
        for array, axis, extent in extents:
            unknown = [v for v in extent.variables if v not in found]
            if len(unknown) == 1 and unknown[0] not in derived and extent.coefficient(unknown[0]) > 0:
                name, factor = unknown[0], extent.coefficient(unknown[0])
                found.add(name)
                progress = True
                yield SizeSource(name, array, axis, extent - Affine.var(name, factor), factor)
