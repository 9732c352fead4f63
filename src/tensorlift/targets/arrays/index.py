"""Subscripts: slices with any bounds and constant steps, new axes, single indices, gathers by affine arrays, stores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.tensor import (
    CellMap,
    Indices,
    Obligations,
    SymbolicTensor,
    affine_of,
    broadcast_shape,
    broadcast_to,
    pieces,
)
from tensorlift.ops.dtypes import holds, is_integer
from tensorlift.poly.affine import ONE, ZERO, Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import strided
from tensorlift.targets.arrays.creation import checked_broadcast, range_extent
from tensorlift.targets.arrays.functions import as_type
from tensorlift.targets.arrays.scatter import require_in_range, updated
from tensorlift.targets.target import (
    Ellipsis_,
    Memory,
    NewAxis,
    Slice,
    SubscriptItem,
    Subscripts,
    Tensor,
    row,
    sample,
)

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Term

_FULL = Slice()


@dataclass
class Selection:
    """Which cells of an array a subscript picks.

    Axis ``a`` of the array is walked by ``origin[a] + stride[a] * index`` where ``axis[a]`` says which index of the
    result it is (None for a single cell); ``shape`` is the result's.
    """

    origin: list[Affine] = field(default_factory=list)
    stride: list[int] = field(default_factory=list)
    axis: list[int | None] = field(default_factory=list)
    shape: list[Affine] = field(default_factory=list)

    def source(self, indices: Indices) -> Indices:
        """Return the array's index for an index of the result."""
        return tuple(
            o if a is None else indices[a] * s + o for o, s, a in zip(self.origin, self.stride, self.axis, strict=True)
        )

    def walk(self, origin: Affine, stride: int, extent: Affine) -> None:
        """Let the next axis of the array be walked by a new axis of the result."""
        self.origin.append(origin)
        self.stride.append(stride)
        self.axis.append(len(self.shape))
        self.shape.append(extent)

    def fix(self, position: Affine) -> None:
        """Pick one position of the next axis of the array."""
        self.origin.append(position)
        self.stride.append(1)
        self.axis.append(None)


def expanded(o: Obligations, items: Subscripts, rank: int) -> list[SubscriptItem]:
    """Return one item for each axis, and the new axes, with ``...`` written out."""
    dots = [k for k, item in enumerate(items) if isinstance(item, Ellipsis_)]
    used = sum(not isinstance(item, NewAxis | Ellipsis_) for item in items)
    if len(dots) > 1 or used > rank:
        o.refuse("too many subscripts")
    place = dots[0] if dots else len(items)
    return [*items[:place], *[_FULL] * (rank - used), *items[place + 1 :]]


def select(o: Obligations, shape: Indices, items: Subscripts) -> Selection:
    """Return what basic subscripts (slices, new axes, single indices) pick of an array."""
    selection = Selection()
    extents = iter(shape)
    for item in expanded(o, items, len(shape)):
        if isinstance(item, NewAxis):
            selection.shape.append(ONE)
        elif isinstance(item, Slice):
            selection.walk(*bounds(o, item, next(extents)))
        elif isinstance(item, SymbolicTensor):
            selection.fix(position(o, item, next(extents)))
    return selection


def bounds(o: Obligations, item: Slice, extent: Affine) -> tuple[Affine, int, Affine]:
    """Return origin, step and extent of a slice, clipped as Python clips it."""
    if item.step == 0:
        o.refuse("a slice with step zero")
    if item.step > 0:
        if item.upper is not None and _ends_early(o, item.lower, item.upper, extent):
            return ZERO, item.step, ZERO
        upper = extent if item.upper is None else _clipped(o, item.upper, extent, extent)
        if item.lower is not None and _starts_late(o, item.lower, upper, extent):
            return ZERO, item.step, ZERO
        lower = ZERO if item.lower is None else _clipped(o, item.lower, extent, extent)
    else:
        lower = extent - 1 if item.lower is None else _clipped(o, item.lower, extent, extent - 1, least=-1)
        upper = Affine(-1) if item.upper is None else _clipped(o, item.upper, extent, extent - 1, least=-1)
    return lower, item.step, range_extent(o, lower, upper, item.step)


def _ends_early(o: Obligations, lower: Affine | None, upper: Affine, extent: Affine) -> bool:
    """Tell whether a slice that ends before the end of an array, as ``1:-1`` does, ends where it starts or before.

    Then it is empty, wherever the ends are clipped to, which need not be asked: sizes fall into fewer cases.
    """
    start = ZERO if lower is None else lower
    if not o.holds(at_least(start, 0), at_least(-1, upper)):
        return False
    if o.holds(at_least(start, extent + upper)):
        return True
    return lower is not None and not o.decide(at_least(extent + upper, lower))


def _starts_late(o: Obligations, lower: Affine, upper: Affine, extent: Affine) -> bool:
    """Tell whether a slice starts at its end or later, which is asked only where the start may lie past the array.

    Then it is empty, wherever the start is clipped to: the end lies inside.
    """
    if not o.holds(at_least(lower, 0)) or o.holds(at_least(extent, lower)):
        return False
    return o.decide(at_least(lower, upper))


def _clipped(o: Obligations, bound: Affine, extent: Affine, most: Affine, least: int = 0) -> Affine:
    """Resolve a bound: a negative one counts from the end, and none passes the ends."""
    if bound == extent and most == extent:
        return bound
    if not o.decide(at_least(bound, 0)):
        bound = bound + extent
        if not o.decide(at_least(bound, 0)):
            return Affine(least)
    return bound if o.decide(at_least(most, bound)) else most


def position(o: Obligations, item: SymbolicTensor, extent: Affine) -> Affine:
    """Return a single index, which must be in range; a negative one counts from the end."""
    value = affine_of(item.value()) if is_integer(item.dtype) and not item.rank else None
    if value is None:
        o.refuse("a subscript that is not affine in the sizes")
    if not o.decide(at_least(value, 0)):
        value = value + extent
        o.require("a negative index is in range", at_least(value, 0))
    o.require("an index is in range", less(value, extent))
    o.require_always("there is a cell to pick", at_least(extent, 1))
    return value


def is_basic(items: Subscripts) -> bool:
    """Tell whether subscripts are positions, slices and new axes alone."""
    return not any(isinstance(item, SymbolicTensor) and _is_place(item) for item in items)


def _is_place(item: SymbolicTensor) -> bool:
    """Tell an index array, and a number that depends on data, from a position."""
    return item.rank > 0 or (is_integer(item.dtype) and affine_of(item.value()) is None)


def subscript(o: Obligations, x: Tensor, items: Subscripts) -> SymbolicTensor:
    """Return ``x[items]``."""
    if not x.is_strong:
        o.refuse("a Python number has no subscripts")
    if not is_basic(items):
        return _gather(o, x, items)
    selection = select(o, x.shape, items)
    return x.with_cells(tuple(selection.shape), lambda indices: x.at(selection.source(indices)))


def _gather(o: Obligations, x: SymbolicTensor, items: Subscripts) -> SymbolicTensor:
    """Index arrays broadcast together; with slices beside them their axes stay in place only if they are neighbours."""
    listed = expanded(o, items, x.rank)
    if any(isinstance(item, NewAxis) for item in listed):
        o.refuse("index arrays beside new axes")
    gathered = [axis for axis, item in enumerate(listed) if isinstance(item, SymbolicTensor)]
    if gathered != list(range(gathered[0], gathered[-1] + 1)):
        o.refuse("index arrays on axes that are no neighbours")
    arrays = [item for item in listed if isinstance(item, SymbolicTensor)]
    if len(arrays) < len(listed) and not any(array.rank for array in arrays):
        o.refuse("rows at a place that depends on data, without an index array")
    shape = broadcast_shape(o, [t.shape for t in arrays])
    positions = [broadcast_to(o, t, shape) for t in arrays]
    for axis, array in zip(gathered, arrays, strict=True):
        require_in_range(o, x.shape[axis], array)
    kept = select(
        o,
        tuple(x.shape[a] for a, i in enumerate(listed) if isinstance(i, Slice)),
        tuple(i for i in listed if isinstance(i, Slice)),
    )
    before, rank = gathered[0], len(shape)

    def cell(indices: Indices) -> Term:
        inner = [p(indices[before : before + rank]) for p in positions]
        outer = kept.source(indices[:before] + indices[before + rank :])
        extents = [x.shape[axis] for axis in gathered]
        return read_at(inner, extents, lambda places: x.at((*outer[:before], *places, *outer[before:])))

    return x.with_cells((*kept.shape[:before], *shape, *kept.shape[before:]), cell)


def read_at(positions: list[Term], extents: list[Affine], cell: CellMap) -> Term:
    """Return the cell at positions; one that depends on data is that of the positions of the axis which it hits."""
    exact = [affine_of(position) for position in positions]
    names = [None if value is not None else fresh("g") for value in exact]
    places = zip(exact, names, strict=True)
    found = cell(tuple(Affine.var(str(name)) if value is None else value for value, name in places))
    for position, name, extent in zip(positions, names, extents, strict=True):
        if name is not None:
            test = terms.apply("hits", terms.cast(position, "i64"), terms.index(Affine.var(name), "i64"))
            chosen = terms.apply("select", test, found, terms.zero(found.dtype))
            found = terms.single(name, Domain.box((name,), (extent,)), chosen)
    return found


def store(o: Obligations, x: Tensor, items: Subscripts, value: Tensor, *, is_ordered: bool = False) -> SymbolicTensor:
    """Return the array after ``x[items] = value``; the value is converted to the array's type.

    Whether it ``is_ordered`` says that of cells that occur again in one index array the last value stays.
    """
    if not x.rank:
        o.refuse("a store into a number")
    if not is_basic(items):
        arrays = [item for item in items if isinstance(item, SymbolicTensor)]
        is_last = is_ordered and len(arrays) == 1
        return updated(o, x, items, value, lambda hits, old: hits.last(o, old, is_ordered=is_last))
    selection = select(o, x.shape, items)
    shape = tuple(selection.shape)
    cells = broadcast_to(o, as_type(o, value, x.dtype), checked_broadcast(o, value, shape))

    def cell(indices: Indices) -> Term:
        chosen = stored_cells(selection, indices)
        return pieces((chosen, stored_value(selection, indices, cells)), (chosen.complement(), x.at(indices)))

    return x.with_cells(x.shape, cell)


def _store(o: Obligations, x: Tensor, items: Subscripts, value: Tensor) -> SymbolicTensor:
    """Return the array after a store as NumPy makes it, which raises for a number that an array of integers lacks.

    Other libraries convert a number as they convert an array.  Places of one axis are written in order; those of
    several are not where all index arrays run backwards in memory.
    """
    is_number = value.is_strong and not value.rank and value.dtype != "bool"
    if is_number and is_integer(x.dtype) and not (is_integer(value.dtype) and holds(x.dtype, value.dtype)):
        o.refuse(f"a number of type {value.dtype} that {x.dtype} may not hold is stored; convert it first")
    return store(o, x, items, value, is_ordered=True)


def stored_cells(selection: Selection, indices: Indices) -> Domain:
    """Return the points at which an index of the array is among the selected ones."""
    domain = UNIVERSE
    for index, origin, stride, axis in zip(indices, selection.origin, selection.stride, selection.axis, strict=True):
        if axis is None:
            domain = domain & Domain.of(equal(index, origin))
            continue
        last = (selection.shape[axis] - 1) * stride + origin
        low, high = (origin, last) if stride > 0 else (last, origin)
        domain = domain & Domain.of(at_least(index, low), at_least(high, index))
        if abs(stride) != 1:
            name = fresh("t")
            domain = domain & strided(name, origin, abs(stride)).substitute({name: index})
    return domain


def stored_value(selection: Selection, indices: Indices, cells: CellMap) -> Term:
    """Return the value that is stored at an index: along a larger step, that of the step which leads there."""
    places = [ZERO] * len(selection.shape)
    steps: dict[str, Domain] = {}
    for index, origin, stride, axis in zip(indices, selection.origin, selection.stride, selection.axis, strict=True):
        if axis is None:
            continue
        if abs(stride) == 1:
            places[axis] = (index - origin) * stride
        else:
            places[axis] = step = Affine.var(name := fresh("t"))
            steps[name] = Domain.of(equal(index, origin + step * stride))
    value = cells(tuple(places))
    for name, domain in steps.items():
        value = terms.single(name, domain, value) if name in value.free else value
    return value


def _memory(x: Tensor, items: Subscripts) -> Memory:
    """Tell a view from a copy: a gather copies, and so does a subscript that picks a single cell."""
    if not is_basic(items):
        return Memory.NEW
    single = sum(isinstance(item, SymbolicTensor) for item in items)
    cells_only = single == x.rank and not any(isinstance(item, NewAxis | Ellipsis_ | Slice) for item in items)
    return Memory.NEW if cells_only else Memory.VIEW


ROWS = [
    row(
        "x[]", subscript, "a[0]", "a[-1]", "a[:, 0]", "a[0, n - 1]", "a[m - 1, -1]", "a[1:]", "a[:-1]", "a[:, 1:-1]",
        "a[::-1]", "a[:, ::2]", "a[1::2, ::-2]", "a[None]", "a[:, None]", "a[:, None, :, None]", "a[...]", "a[..., 0]",
        "a[..., None]", "a[0:m - 1, 1:n]", "a[2:1]", "a[n:, :m]", "a[m - 2:0:-1]", "a[-2:]", "a[:1 - n]", "a[()]",
        sample("x[()]", x="arith[]"), sample("x[None]", x="arith[]"),
        sample("a[np.arange(min(m, n)), np.arange(min(m, n))]", 1, a="f64[m, n]"),
        sample("a[np.arange(min(m, n))[:, None], np.arange(min(m, n))]", 1, a="f64[m, n]"),
        sample("a[np.arange(min(m, n)), 0]", 1, a="f64[m, n]"),
        sample("a[:, np.arange(n - 1, -1, -1)]", a="f64[m, n]"),
        sample("a[np.arange(m)[:, None] + np.arange(n)]", 1, a="f64[m + n - 1, 2]"),
        name="subscript", memory=_memory, least=1, a="arith[m, n]",
    ),
    row(
        "x[] =", _store, "a[0] = 1", "a[-1] = b", "a[:, 0] = 2.5", "a[1:] = 3", "a[:-1, 1:] = b[1:]", "a[:, ::-1] = b",
        "a[1::2, ::-2] = 1", "a[...] = b", "a[1:-1, 1:-1] = 0", "a[:, n:] = 7",
        sample("a[0, n - 1] = b[0]", 1, a="real[m, n]", b="f64[n]"),
        sample("a[::2] = b[0]", 1, a="real[m, n]", b="f64[n]"),
        sample("a[0, n - 1] = b[0]", 1, a="i64[m, n]", b="u8[n]"), sample("a[:, 1:] = a[:, :-1]", a="f64[m, n]"),
        name="store", least=1, a="arith[m, n]", b="f64[n]",
    ),
]  # fmt: skip
