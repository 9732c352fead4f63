"""Accesses completed with the shapes, and those at places that depend on data: each subscript becomes an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects import affine, memref

from tensorlift.ir.c_types import INDEX, ir_type
from tensorlift.normalise.values import DATA_PLACE, Access, Array, Data, Gather, depends_on_data
from tensorlift.ops.c_types import LONG, TRUTH
from tensorlift.poly.polynomial import Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import SSAValue

    from tensorlift.diagnostics import Location
    from tensorlift.normalise.ir_sink import IRSink
    from tensorlift.poly.loops import Domain


def is_at_places(array: Array, subscripts: tuple[Polynomial, ...], domain: Domain) -> bool:
    """Tell whether subscripts are computed: of data, or by products where each has to stay in its dimension.

    A product of sizes alone is where a part of that dimension starts.
    """
    counters = {loop.variable for loop in domain.loops}

    def is_computed(subscript: Polynomial) -> bool:
        products = (monomial for monomial in subscript.terms if len(monomial) > 1)
        return array.keeps_rank and any(not counters.isdisjoint(monomial) for monomial in products)

    return array.at_places or any(depends_on_data(one) or is_computed(one) for one in subscripts)


def gather(sink: IRSink, array: Array, subscripts: tuple[Polynomial, ...], location: Location) -> Data:
    """Emit a load at places that depend on data, to be completed later."""
    places = _places(sink, array, subscripts, location)
    load = memref.LoadOp.create(result_types=[ir_type(array.element)], location=sink.place(location))
    array.gathers.append(Gather(location, load, places))
    return Data(sink.value_of(load), array.element, truth=array.element is TRUTH)


def scatter(sink: IRSink, array: Array, subscripts: tuple[Polynomial, ...], value: Data, location: Location) -> None:
    """Emit a store at places that depend on data, to be completed later."""
    places = _places(sink, array, subscripts, location)
    store = memref.StoreOp.create(operands=[value.ssa], location=sink.place(location))
    array.gathers.append(Gather(location, store, places))
    sink.add(store)


def _places(sink: IRSink, array: Array, subscripts: tuple[Polynomial, ...], location: Location) -> tuple[SSAValue, ...]:
    is_known = array.is_parameter or array.table or all(extent is not None for extent in array.extents)
    if not is_known or array.row_table:
        raise refusal("subscript-data", location, f"data, and `{array.name}` is no array that is passed whole")
    return tuple(place_value(sink, subscript, location) for subscript in subscripts)


def place_value(sink: IRSink, subscript: Polynomial, location: Location) -> SSAValue:
    """Emit a subscript as an index: the sum of what depends on data and a rest."""
    of_data = {m: v for m, v in subscript.terms.items() if any(name.startswith(DATA_PLACE) for name in m)}
    rest = subscript - Polynomial(of_data)
    is_sum = all(len(m) == 1 and m[0] in sink.data_places and factor == 1 for m, factor in of_data.items())
    if not is_sum:
        raise refusal("subscript-data", location, "data in this way")
    values = [sink.data_places[name] for (name,) in of_data]
    if rest.terms or not values:
        values.append(_computed(sink, rest, location))
    total, *others = values
    for value in others:
        total = sink.apply("arith.addi", [total, value], INDEX, location)
    return total


def _computed(sink: IRSink, subscript: Polynomial, location: Location) -> SSAValue:
    """Emit an index that does not depend on data; one that is not affine is computed in 64 bits."""
    if subscript.is_affine:
        return sink.affine_value(subscript, location)
    whole = sink.index_value(subscript, LONG, location, wraps=False).ssa
    return sink.apply("arith.index_cast", [whole], INDEX, location)


def complete(sink: IRSink, array: Array, access: Access, subscripts: Sequence[Polynomial]) -> None:
    """Set the memory and the indices of a load or store."""
    operation, (attribute, operands) = access.operation, sink.maps.map(subscripts)
    assert operation is not None, "it is emitted"
    kept = [operation.operands[0]] if isinstance(operation, affine.StoreOp) else []
    operation.operands = [*kept, memory_of(array), *operands]
    operation.properties["map"] = attribute


def complete_gather(array: Array, gather: Gather) -> None:
    """Set the memory of a load or store at places that depend on data."""
    gather.operation.operands = [*gather.operation.operands, memory_of(array), *gather.places]


def memory_of(array: Array) -> SSAValue:
    """Give the memory that an array has in the emitted program."""
    assert array.ssa is not None, "it is allocated"
    return array.ssa
