"""Preconditions that reads at places that depend on data stay inside of their arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain, at_least, less
from tensorlift.comprehension.places import cell_read, places_read
from tensorlift.comprehension.ranges import value_range
from tensorlift.comprehension.terms import Apply, Constant, Read
from tensorlift.contract.language import Extent, Inside, ReadInside, Sum
from tensorlift.ir.location import location_of
from tensorlift.ops.dtypes import is_float

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.definition import Summary
    from tensorlift.comprehension.places import PlaceRead
    from tensorlift.comprehension.terms import Term
    from tensorlift.diagnostics import Location
    from tensorlift.ir.function import FunctionView

_ADDED_IN = ("i32", "i64")  # in these types NumPy adds a number as the source does


def inside(view: FunctionView, summary: Summary) -> Iterator[tuple[Inside | ReadInside, Location | None]]:
    """Yield what keeps the reads of each array inside, with the first of them; nothing where types do."""
    reads = [
        read
        for definition in summary.definitions()
        for piece, term in definition.pieces
        for read in places_read(term, definition.domain & piece, definition.indices)
        if not _is_inside_by_type(read, summary)
    ]
    stated = {plain for read in reads if (plain := _plain(read)) is not None and _covers(read, summary)}
    for read in reads:
        array, plain = cell_read(read)[0].array, _plain(read)
        yield plain if plain is not None and plain in stated else ReadInside(array), _place_in(view, array)


def _is_inside_by_type(read: PlaceRead, summary: Summary) -> bool:
    cell, axis = cell_read(read)
    extent, (least, most) = summary.arrays[cell.array].shape[axis], value_range(read.place)
    return read.domain.implies(at_least(least, 0), less(most, extent))


def _plain(read: PlaceRead) -> Inside | None:
    """Return the condition on all cells of the array that holds the places."""
    (cell, axis), found = cell_read(read), _cells_plus(read.place)
    return None if found is None else Inside(found[0].array, found[1], Sum.name(Extent(cell.array, axis)))


def _cells_plus(place: Term) -> tuple[Read, int] | None:
    """Return the cells that are the places but for what is added to them."""
    place = _converted(place)
    if isinstance(place, Read):
        return place, 0
    if isinstance(place, Apply) and place.op in ("add", "sub") and place.dtype in _ADDED_IN:
        cells, number = place.args
        if isinstance(cells, Read) and cells.dtype == place.dtype and isinstance(number, Constant):
            return cells, int(number.value) if place.op == "add" else -int(number.value)
    return None


def _converted(place: Term) -> Term:
    """Look through the conversion of an integer to a place."""
    if isinstance(place, Apply) and place.op == "cast" and place.dtype == "i64" and not is_float(place.args[0].dtype):
        return place.args[0]
    return place


def _covers(read: PlaceRead, summary: Summary) -> bool:
    """Tell whether all cells of an array of the caller are places that are read at."""
    found = _cells_plus(read.place)
    info = None if found is None else summary.arrays.get(found[0].array)
    names = [] if found is None else [index.variable for index in found[0].indices]
    if info is None or not info.is_parameter or None in names or len(set(names)) < len(names):
        return False
    box = summary.context & Domain.box(tuple(map(str, names)), info.shape)
    others = [v for v in read.domain.variables() if v not in box.variables()]
    return box.is_subset(read.domain.project_out(*others))


def _place_in(view: FunctionView, array: str) -> Location | None:
    """Find the first read of an array at a place that depends on data."""
    values = {p.value for p in view.parameters if p.name == array}
    reads = (op for op in view.operations if op.name == "memref.load" and op.operands[0] in values)
    return next((place for place in map(location_of, reads) if place is not None), view.location)
