"""Accesses to memory: an offset becomes subscripts of the array; memory that is made becomes a local array."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from xdsl.ir import Block, Operation, SSAValue

from tensorlift.ir import nodes
from tensorlift.ir.function import TEXT
from tensorlift.ir.location import location_of
from tensorlift.ir.tables import constants_of, extents_of, known_cell
from tensorlift.normalise.bounds import extent_name
from tensorlift.normalise.cells import element_type
from tensorlift.normalise.exact import integer_or_float
from tensorlift.normalise.induction import nested_loops
from tensorlift.normalise.respread import respread
from tensorlift.normalise.values import Access, Address, Array, Data, Slot
from tensorlift.ops.c_types import TRUTH
from tensorlift.poly.index_arithmetic import Index
from tensorlift.poly.polynomial import ZERO, Polynomial
from tensorlift.refusals import refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.diagnostics import Location
    from tensorlift.normalise.execution import Execution, Rule
    from tensorlift.poly.loops import Domain

_MOST_CELLS = 1 << 32  # memory of more cells is that of a container that grows
DISTANCE = "%row "  # begins the variables that stand for how far the rows of a table are apart


def _load(ex: Execution, op: Operation) -> None:
    variable = _global(ex, op.operands[0])
    if variable is not None:
        bound = ex.environment.get(variable)
        ex.values[op.results[0]] = bound if isinstance(bound, Index | Data) else ex.sink.load(*_slot(ex, variable))
        return
    array, subscripts = _place(ex, op.operands[0], op.operands[1])
    known = _known_cell(array, subscripts)
    if known is not None:
        ex.values[op.results[0]] = ex.sink.constant(known, array.element, ex.place)
        return
    ex.values[op.results[0]] = ex.sink.load(array, subscripts, ex.domain, ex.place)


def _store(ex: Execution, op: Operation) -> None:
    value, variable = ex.number(op.operands[0]), _global(ex, op.operands[1])
    if variable is not None:
        array, none, domain, place = _slot(ex, variable)
        ex.sink.store(array, none, value, domain, place)
        return
    array, subscripts = _place(ex, op.operands[1], op.operands[2])
    if array.table is not None:
        raise refusal("global", ex.place, array.name)
    ex.sink.store(array, subscripts, value, ex.domain, ex.place)


def _global(ex: Execution, memory: SSAValue) -> nodes.Variable | None:
    """Give the number at file scope that memory is, if it is one."""
    found = ex.values[memory]
    return found.base if isinstance(found, Address) and isinstance(found.base, nodes.Variable) else None


def _slot(ex: Execution, variable: nodes.Variable) -> tuple[Array, tuple[()], Domain, Location]:
    """Give the memory of a number at file scope that the function writes."""
    bound = ex.environment.get(variable)
    if not isinstance(bound, Slot):
        raise refusal("global", ex.place, variable.name)
    return bound.array, (), ex.domain, ex.place


def _get_global(ex: Execution, op: Operation) -> None:
    """Give the array or number at file scope that a symbol stands for."""
    symbol: Any = op.properties["name"]
    name = symbol.string_value()
    if name in ex.tables:
        ex.values[op.results[0]] = ex.tables[name]
        return
    for variable, bound in ex.environment.items():
        if variable.is_global and variable.symbol == name:
            ex.values[op.results[0]] = bound if isinstance(bound, Address) else Address(variable, ())
            return
    raise refusal("string" if name.startswith(TEXT) else "global", ex.place, name)


def _cast(ex: Execution, op: Operation) -> None:
    ex.values[op.results[0]] = ex.values[op.operands[0]]


def declare_tables(ex: Execution) -> None:
    """Make the tables of constants that a function reads: arrays with known contents."""
    module: Any = ex.function.parent_op()
    got: list[Any] = [op.properties["name"] for op in ex.function.walk() if op.name == "memref.get_global"]
    read = {symbol.string_value() for symbol in got}
    for table in constants_of(module):
        symbol, place = table.sym_name.data, location_of(table) or ex.place
        if symbol in read:
            of_type: Any = table.type
            element = integer_or_float(of_type.element_type, signed="tl.unsigned" not in table.attributes)
            extents: list[Polynomial | None] = [*map(Polynomial.constant, extents_of(table))]
            array = Array(symbol.rpartition(".")[2], element, extents, place)
            array.table, array.subscripted = table, True
            ex.sink.allocate(array)
            ex.arrays.append(array)
            ex.tables[symbol] = Address(array, (ZERO,))


def _known_cell(array: Array, subscripts: tuple[Polynomial, ...]) -> float | None:
    """Return what a cell of a table is, where the subscripts are constant or all cells are alike."""
    if array.table is None:
        return None
    place: int | None = 0
    for extent, subscript in zip(extents_of(array.table), subscripts, strict=True):
        index = subscript.constant_value
        if place is not None:
            place = place * extent + index if index is not None and 0 <= index < extent else None
    return known_cell(array.table, place)


def _place(ex: Execution, memory: SSAValue, offset: SSAValue) -> tuple[Array, tuple[Polynomial, ...]]:
    """Give the array and the subscripts of an access."""
    array, index = ex.array(memory), ex.as_index(offset)
    ex.rely_on(index)
    if not array.extents and array.is_parameter:
        return array, ()
    place, rows = index.polynomial, ex.rows.get(array, 0)
    if not rows and (place != ZERO or array.extents != [None] or _is_moved(offset)):
        array.subscripted = True
    strides = [row_name(array, axis) for axis in range(rows)]
    outer, inner = [_rows(place.without(strides[:k]), strides[k:]) for k in range(rows)], place.without(strides)
    if rows == len(array.extents) and inner == ZERO:
        return array, tuple(outer)
    return array, (*outer, *_in_dimensions(ex, array, array.extents[rows:], inner))


def _is_moved(offset: SSAValue) -> bool:
    """Whether a pointer was moved to where it is used, as in ``p[0]``, if only by nothing."""
    owner = offset.owner
    while not isinstance(owner, Block) and owner.name == "arith.index_cast":
        owner = owner.operands[0].owner
    return not isinstance(owner, Block) and owner.name in {"arith.addi", "arith.subi"}


def _rows(place: Polynomial, strides: Sequence[str]) -> Polynomial:
    """Give how often an offset holds the first of some strides, each of which may count in the next one."""
    found = place.coefficient(strides[0])
    for inner in strides[1:]:
        if found.without((inner,)) == ZERO:
            found = found.coefficient(inner)
    return found


def row_name(array: Array, axis: int) -> str:
    """Name the variable that stands for how far the rows of an array are apart along an axis."""
    return f"{DISTANCE}{axis} {array.name}"


def counts_rows(place: Polynomial) -> bool:
    """Tell whether an offset is made of distances of rows, which no program knows."""
    return any(name.startswith(DISTANCE) for name in place.variables())


def _in_dimensions(
    ex: Execution, array: Array, declared: Sequence[Polynomial | None], place: Polynomial
) -> tuple[Polynomial, ...]:
    """Divide an offset by the strides that declared extents tell."""
    if len(declared) < 2:  # noqa: PLR2004 - of one dimension
        return (place,)
    groups = _in_groups(declared, place)
    if groups is not None:
        return groups
    extents = [
        Polynomial.variable(extent_name(array, axis)) if extent is None else extent
        for axis, extent in enumerate(declared, len(array.extents) - len(declared))
    ]
    access = Access((*[ZERO] * (len(extents) - 1), place), ex.domain, ex.place, None)
    return respread(array, access, extents, ex.ranges).subscripts


def _in_groups(declared: Sequence[Polynomial | None], place: Polynomial) -> tuple[Polynomial, ...] | None:
    """Divide an offset by groups of constant extents, in memory whose length is open: ``z[i*n + j]`` of pairs.

    The dimensions of the first subscript are found later.
    """
    first, *inner = declared
    lengths = [None if extent is None else extent.constant_value for extent in inner]
    known = [length for length in lengths if length]
    size = prod(known)
    is_whole = all(value % size == 0 for monomial, value in place.terms.items() if monomial)
    if len(known) < len(lengths) or place.is_affine or not is_whole or (first is not None and first.is_affine):
        return None
    cell = place.terms.get((), 0) % size
    group = Polynomial({monomial: value // size for monomial, value in place.terms.items()})
    within: list[Polynomial] = []
    for length in reversed(known):
        cell, position = divmod(cell, length)
        within.insert(0, Polynomial.constant(position))
    return (group, *within)


def _allocate(ex: Execution, op: Operation) -> None:
    """Make a local array, of the dimensions whose product its length is."""
    memory = op.results[0]
    extents = _factors(ex, op.operands[0], memory.name_hint or "a local array") if op.operands else []
    given = ex.given_out(memory)
    if given is not None:
        if given.keeps_rank or (len(extents) == 1 and extents[0].is_affine):  # else accesses tell the dimensions
            given.extents = [*extents[: len(given.extents)]]
            _clear(ex, given)
        ex.values[memory] = Address(given, (ZERO,))
        return
    known = [None if extent.is_constant and extent.terms.get((), 0) > _MOST_CELLS else extent for extent in extents]
    name = memory.name_hint if memory.name_hint and memory.name_hint.isidentifier() else "local"
    array = Array(name, element_type(memory), known, ex.place)
    array.subscripted = True
    ex.sink.allocate(array)
    ex.arrays.append(array)
    ex.values[memory] = Address(array, (ZERO,))


def _clear(ex: Execution, array: Array) -> None:
    """Fill an array that is given out with zeros, as good as any values where nothing is stored."""
    loops, _ = nested_loops([extent for extent in array.extents if extent is not None], "i", ex)
    for over in loops:
        ex.sink.begin_loop(over, "i", ex.place)
    with ex.inside(loops=loops):
        cell = tuple(Polynomial.variable(over.variable) for over in loops)
        zero = ex.sink.truth(0, ex.place) if array.element is TRUTH else ex.sink.constant(0, array.element, ex.place)
        ex.sink.store(array, cell, zero, ex.domain, ex.place)
    for over in reversed(loops):
        ex.sink.end_loop(over)


def _free(ex: Execution, op: Operation) -> None:
    """Pass over the end of memory that the function made; that of the caller stays."""
    found = ex.values[op.operands[0]]
    array = found.base if isinstance(found, Address) else None
    if isinstance(array, Array) and array.is_parameter:
        raise refusal("heap", ex.place, "free")


def _factors(ex: Execution, count: SSAValue, array: str, *, is_first: bool = True) -> list[Polynomial]:
    """Give the factors of a product as it is computed, which are the extents of an array.

    The first one may change with the loops around where a language ``cuts_off``: then it is the greatest.
    """
    owner: Any = count.owner
    name = getattr(owner, "name", "")
    if name == "arith.index_cast":
        return _factors(ex, owner.operands[0], array, is_first=is_first)
    if name == "arith.muli":
        first, second = owner.operands
        found = [_factors(ex, first, array, is_first=is_first), _factors(ex, second, array, is_first=False)]
        return [factor for factors in found for factor in factors]
    extent, place = ex.index(count), ex.place if isinstance(owner, Block) else ex.at(owner)
    if extent is None:
        raise refusal("extent-data", place)
    ex.rely_on(extent)
    most = extent.polynomial
    if is_first and ex.language.cuts_off and not _is_of_sizes(ex, most):
        most = ex.ranges.maximum(most, ex.domain) or most
    if not _is_of_sizes(ex, most):
        raise refusal("extent", place, array)
    return [most]


def _is_of_sizes(ex: Execution, extent: Polynomial) -> bool:
    return ex.ranges.leaves(extent) <= ex.ranges.sizes.keys()


ACCESSES: dict[str, Rule] = {
    "memref.load": _load,
    "memref.store": _store,
    "memref.alloca": _allocate,
    "memref.alloc": _allocate,
    "memref.dealloc": _free,
    "memref.get_global": _get_global,
    "memref.cast": _cast,
}
