"""Accesses to memory: an offset becomes subscripts of the array that memory is, and memory that is made a local array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorlift.comprehension.polynomial import ONE, ZERO, Polynomial
from tensorlift.frontends.c.delinearise import respread
from tensorlift.frontends.c.refusals import refusal
from tensorlift.frontends.c.values import Access, Address, Array
from tensorlift.normalise.cells import element_type

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

    from tensorlift.normalise.execution import Execution, Rule

DISTANCE = "%row "  # begins the variables that stand for how far the rows of a table are apart


def _load(ex: Execution, op: Operation) -> None:
    array, subscripts = _place(ex, op.operands[0], op.operands[1])
    ex.values[op.results[0]] = ex.sink.load(array, subscripts, ex.domain, ex.place)


def _store(ex: Execution, op: Operation) -> None:
    value = ex.data(op.operands[0])
    array, subscripts = _place(ex, op.operands[1], op.operands[2])
    ex.sink.store(array, subscripts, value, ex.domain, ex.place)


def _place(ex: Execution, memory: SSAValue, offset: SSAValue) -> tuple[Array, tuple[Polynomial, ...]]:
    """Give the array and the subscripts of an access."""
    array, index = ex.array(memory), ex.as_index(offset)
    ex.rely_on(index)
    if not array.extents and array.is_parameter:
        return array, ()
    place = index.polynomial
    if array.row_table:
        row = f"{DISTANCE}{array.name}"
        return array, (place.coefficient(row), place.without([row]))
    if index.polynomial != ZERO or array.extents != [None]:
        array.subscripted = True
    return array, _in_dimensions(ex, array, place)


def _in_dimensions(ex: Execution, array: Array, place: Polynomial) -> tuple[Polynomial, ...]:
    """Divide an offset by the strides that the declared extents of an array tell."""
    if len(array.extents) < 2:  # noqa: PLR2004 - of one dimension
        return (place,)
    extents = [ONE if extent is None else extent for extent in array.extents]
    access = Access((*[ZERO] * (len(extents) - 1), place), ex.domain, ex.place, None)
    return respread(array, access, extents, ex.ranges).subscripts


def _allocate(ex: Execution, op: Operation) -> None:
    """Make a local array, of the dimensions whose product its length is."""
    memory = op.results[0]
    extents = _factors(ex, op.operands[0]) if op.operands else []
    for extent in extents:
        if not ex.ranges.leaves(extent) <= ex.ranges.sizes.keys():
            raise refusal("extent", ex.place, memory.name_hint or "a local array")
    array = Array(memory.name_hint or "local", element_type(memory), list(extents), ex.place)
    array.subscripted = True
    ex.sink.allocate(array, ex.domain)
    ex.arrays.append(array)
    ex.values[memory] = Address(array, (ZERO,))


def _factors(ex: Execution, count: SSAValue) -> list[Polynomial]:
    """Give the factors of a product as it is computed."""
    owner: Any = count.owner
    name = getattr(owner, "name", "")
    if name == "arith.index_cast":
        return _factors(ex, owner.operands[0])
    if name == "arith.muli":
        return [factor for operand in owner.operands for factor in _factors(ex, operand)]
    found = ex.index(count)
    if found is None:
        raise refusal("subscript-data", ex.place, "data in the extent of a local array")
    ex.rely_on(found)
    return [found.polynomial]


def _nothing(_ex: Execution, _op: Operation) -> None:
    """Pass over what says nothing."""


ACCESSES: dict[str, Rule] = {
    "memref.load": _load,
    "memref.store": _store,
    "memref.alloca": _allocate,
    "memref.alloc": _allocate,
    "memref.dealloc": _nothing,
}
