"""Accesses completed with the shapes, and those at places that depend on data: each subscript becomes an index."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from xdsl.dialects import affine, memref
from xdsl.ir import Block

from tensorlift.diagnostics import LiftError
from tensorlift.ir.c_types import INDEX, ir_type
from tensorlift.normalise.delinearise import Split, dimensions_of
from tensorlift.normalise.edit import move
from tensorlift.normalise.values import DATA_PLACE, Access, Array, Data, depends_on_data
from tensorlift.ops.c_types import LONG, TRUTH
from tensorlift.poly.loops import LoopRange
from tensorlift.poly.polynomial import ONE, ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Operation, SSAValue

    from tensorlift.diagnostics import Location
    from tensorlift.normalise.ir_sink import IRSink
    from tensorlift.poly.loops import Domain
    from tensorlift.poly.ranges import Ranges


def is_at_places(array: Array, subscripts: tuple[Polynomial, ...], domain: Domain) -> bool:
    """Tell whether subscripts are computed: of data, or by products where each has to stay in its dimension.

    A product of sizes alone is where a part of that dimension starts.
    """
    counters = {loop.variable for loop in domain.loops}

    def is_computed(subscript: Polynomial) -> bool:
        products = (monomial for monomial in subscript.terms if len(monomial) > 1)
        return array.keeps_rank and any(not counters.isdisjoint(monomial) for monomial in products)

    return array.at_places or any(depends_on_data(one) or is_computed(one) for one in subscripts)


def gather(sink: IRSink, array: Array, access: Access) -> Data:
    """Emit a load at places that depend on data, to be completed later."""
    load = memref.LoadOp.create(result_types=[ir_type(array.element)], location=sink.place(access.location))
    _add(array, access, load)
    return Data(sink.value_of(load), array.element, truth=array.element is TRUTH)


def scatter(sink: IRSink, array: Array, value: Data, access: Access) -> None:
    """Emit a store at places that depend on data, to be completed later."""
    store = memref.StoreOp.create(operands=[value.ssa], location=sink.place(access.location))
    _add(array, access, store)
    sink.add(store)


def _add(array: Array, access: Access, operation: Operation) -> None:
    is_known = array.is_parameter or array.table or all(extent is not None for extent in array.extents)
    if not is_known or array.row_table:
        raise refusal("subscript-data", access.location, f"data, and `{array.name}` is no array that is passed whole")
    array.gathers.append(replace(access, operation=operation))


def place_value(sink: IRSink, subscript: Polynomial, location: Location) -> SSAValue:
    """Emit a subscript as an index: the sum of what depends on data and a rest."""
    of_data = {m: v for m, v in subscript.terms.items() if any(name.startswith(DATA_PLACE) for name in m)}
    rest = subscript - Polynomial(of_data)
    values = [_multiple(sink, monomial, factor, location) for monomial, factor in of_data.items()]
    if rest.terms or not values:
        values.append(_computed(sink, rest, location))
    total, *others = values
    for value in others:
        total = sink.apply("arith.addi", [total, value], INDEX, location)
    return total


def _multiple(sink: IRSink, monomial: tuple[str, ...], factor: int, location: Location) -> SSAValue:
    """Emit a product of data and of what is known."""
    found = [name for name in monomial if name in sink.data_places]
    if len(found) != 1:
        raise refusal("subscript-data", location, "data in this way")
    others = Polynomial({tuple(name for name in monomial if name not in found): factor})
    value = sink.data_places[found[0]]
    if others == ONE:
        return value
    (wide,) = value.owner.operands  # type: ignore[union-attr] # of an index cast
    known = sink.index_value(others, LONG, location, wraps=False).ssa
    product = sink.apply("arith.muli", [wide, known], ir_type(LONG), location)
    return sink.apply("arith.index_cast", [product], INDEX, location)


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


def complete_gather(sink: IRSink, array: Array, access: Access) -> None:
    """Set the memory and the places of a load or store at places that depend on data."""
    operation = access.operation
    assert operation is not None, "it is emitted"
    with sink.inside(Block()):
        places = [place_value(sink, subscript, access.location) for subscript in access.subscripts]
        move(list(sink.block.ops), operation)
    operation.operands = [*operation.operands, memory_of(array), *places]


def in_rows(array: Array, ranges: Ranges) -> tuple[list[Polynomial], list[Split]] | None:
    """Find the dimensions of flat memory of which data choose rows: ``table[token[t] * d + j]``; None without any.

    All other columns are certain to be in these rows.  A column that data choose, as in ``x[i * n + y[i]]``, is one
    where others tell how long rows are; data that alone say where, as in ``x[place[i]]``, may be in any row.
    """
    gathers = [replace(one, domain=_over_data(one)) for one in array.gathers]
    try:
        strides, splits = dimensions_of(_flat(array, [*array.accesses, *gathers]), ranges)
        if len(strides) == 1 or not all(_is_in_row(split, strides, ranges) for split in splits):
            return None
        if any(map(depends_on_data, (s for split in splits for s in split.subscripts[1:]))):
            others = dimensions_of(_flat(array, array.accesses), ranges)[0] if array.accesses else []
            is_of_any = any(depends_on_data(b) and a == ZERO for split in splits for a, b in pairwise(split.subscripts))
            strides = strides if strides == others and not is_of_any else []
    except LiftError:
        return None
    return (strides, splits) if strides else None


def _is_in_row(split: Split, strides: list[Polynomial], ranges: Ranges) -> bool:
    """Tell whether all columns are certain to be in their rows, but those that data choose."""
    for (outer, stride), column in zip(pairwise(strides), split.subscripts[1:], strict=True):
        width, gap = outer.divide(stride)
        rooms = () if depends_on_data(column) else (column, width - ONE - column)
        domain = replace(split.access.domain, guards=(*split.access.domain.guards, width - ONE))
        if gap != ZERO or not all(ranges.is_certain(room, domain) for room in rooms):
            return False
    return True


def _flat(array: Array, accesses: list[Access]) -> Array:
    return Array(array.name, array.element, [None], array.location, accesses=accesses)


_END = Polynomial.variable(f"{DATA_PLACE} end")


def _over_data(access: Access) -> Domain:
    """Count what data tell as variables of loops that end nobody knows where."""
    names = sorted({name for one in access.subscripts for name in one.variables() if name.startswith(DATA_PLACE)})
    loops = (LoopRange(name, ZERO, (_END,)) for name in names)
    return replace(access.domain, loops=(*access.domain.loops, *loops))


def memory_of(array: Array) -> SSAValue:
    """Give the memory that an array has in the emitted program."""
    assert array.ssa is not None, "it is allocated"
    return array.ssa
