"""Updates at index arrays: what becomes of a cell, from all places that hit it.

A place that is affine in its index tells which of them hit a cell, as ``np.arange(n)`` does; others are compared.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import simplified, substitute
from tensorlift.comprehension.tensor import (
    CellMap,
    Indices,
    Obligations,
    Strength,
    SymbolicTensor,
    affine_of,
    broadcast_shape,
    broadcast_to,
    decided_in_arms,
    pieces,
)
from tensorlift.comprehension.terms import applies
from tensorlift.ir.scalar_terms import choose, neutral
from tensorlift.ops.dtypes import NARROW, is_integer, rounded
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import UNIVERSE, Domain, at_least, equal, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.creation import checked_broadcast
from tensorlift.targets.arrays.functions import as_type
from tensorlift.targets.target import Memory, NewAxis, Slice, SubscriptItem, Subscripts, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import OpRow

    Combine = Callable[["Hits", "Term"], "Term"]


class Hits(NamedTuple):
    """What hits a cell: points of index arrays, where ``tests`` hold; ``value`` is what stands there."""

    names: tuple[str, ...]
    domain: Domain
    tests: tuple[Term, ...]
    value: Term

    def chosen(self, other: Term) -> Term:
        """Return the value where a point hits, another one elsewhere."""
        found = self.value
        for test in self.tests:
            found = choose(test, found, other)
        for condition in dict.fromkeys(_conditions(self.tests)):  # one place or another: which one, is asked first
            found = simplified("select", decided_in_arms(condition, found, found).args)
        return found

    def fold(self, op: Reducer, old: Term) -> Term:
        """Fold all values that hit a cell into it."""
        combiner = terms.COMBINER[op]
        if self.names:
            return terms.apply(
                combiner, old, terms.reduce(op, self.names, self.domain, self.chosen(neutral(op, old.dtype)))
            )
        updated = terms.apply(combiner, old, self.chosen(neutral(op, old.dtype)))
        return pieces((self.domain, updated), (self.domain.complement(), old))

    def last(self, o: Obligations, old: Term, *, is_ordered: bool) -> Term:
        """Store the value: that of the last point that hits a cell, where the library stores in order.

        Elsewhere all points must have it in common, unless one alone can hit a cell.
        """
        only = self._alone()
        if only.domain.is_empty():
            return old
        if not only.names:
            return pieces((only.domain, only.chosen(old)), (only.domain.complement(), old))
        if only.value.free.isdisjoint(only.names):
            some = terms.reduce("any", only.names, only.domain, _all(only.tests))
            return choose(some, only.value, old)
        if not is_ordered or len(only.names) > 1:
            o.refuse("values are stored at places of which several may be one, in no certain order")
        (name,), zero = only.names, terms.zero("i64")
        here, at = terms.index(Affine.var(name), "i64"), fresh("k")
        hit = choose(_all(only.tests), here, neutral("max", "i64"))
        latest = terms.apply("max", terms.constant(-1, "i64"), terms.reduce("max", only.names, only.domain, hit))
        picked = terms.apply("eq", terms.apply("max", latest, zero), terms.index(Affine.var(at), "i64"))
        value = choose(picked, substitute(only.value, {name: Affine.var(at)}), terms.zero(old.dtype))
        last = terms.reduce("sum", (at,), only.domain.rename({name: at}), value)
        return choose(terms.apply("ge", latest, zero), last, old)

    def _alone(self) -> Hits:
        """Solve for the points of which affine places tell which one hits a cell."""
        found = self
        for name in self.names:
            for equality in found.domain.equalities():
                value = equality.solve(name)
                if value is not None and found.names:
                    at = {name: value}
                    rest = tuple(n for n in found.names if n != name)
                    tests = tuple(substitute(test, at) for test in found.tests)
                    found = Hits(rest, found.domain.substitute(at), tests, substitute(found.value, at))
                    break
        return found


def _conditions(tests: Sequence[Term]) -> Iterator[Term]:
    """Yield the conditions that choose places."""
    for test in tests:
        place = test.children[0]
        while applies(place, "cast"):
            place = place.args[0]
        while applies(place, "select"):
            yield place.args[0]
            place = place.args[1]


def _all(tests: Sequence[Term]) -> Term:
    found: Term = terms.one("bool")
    for test in tests:
        found = simplified("and", (found, test))
    return found


def updated(
    o: Obligations, x: SymbolicTensor, items: Sequence[SubscriptItem], value: SymbolicTensor, combine: Combine
) -> SymbolicTensor:
    """Return the array after an update at index arrays, which stand on neighbouring axes; others are whole."""
    if any(isinstance(item, NewAxis) for item in items) or len(items) > x.rank:
        o.refuse("index arrays beside new axes")
    listed = [*items, *[Slice()] * (x.rank - len(items))]
    places = [axis for axis, item in enumerate(listed) if isinstance(item, SymbolicTensor)]
    if any(not isinstance(item, SymbolicTensor) and item != Slice() for item in listed):
        o.refuse("an update at index arrays beside parts of axes")
    if places != list(range(places[0], places[-1] + 1)):
        o.refuse("index arrays on axes that are no neighbours")
    arrays = [item for item in listed if isinstance(item, SymbolicTensor)]
    for axis, array in zip(places, arrays, strict=True):
        require_in_range(o, x.shape[axis], array)
    shape, before = broadcast_shape(o, [array.shape for array in arrays]), places[0]
    positions = [broadcast_to(o, array, shape) for array in arrays]
    whole = (*x.shape[:before], *shape, *x.shape[places[-1] + 1 :])
    cells = broadcast_to(o, as_type(o, value, x.dtype), checked_broadcast(o, value, whole))

    def cell(indices: Indices) -> Term:
        return combine(_hits(indices, positions, shape, before, cells), x.at(indices))

    return x.with_cells(x.shape, cell)


def _hits(indices: Indices, positions: Sequence[CellMap], shape: Indices, before: int, cells: CellMap) -> Hits:
    names = tuple(fresh("k") for _ in shape)
    points = tuple(map(Affine.var, names))
    domain, tests = Domain.box(names, shape) if names else UNIVERSE, list["Term"]()
    for position, index in zip(positions, indices[before:], strict=False):
        place = position(points)
        exact = affine_of(place)
        if exact is not None:
            domain = domain & Domain.of(equal(index, exact))
        else:
            tests.append(terms.apply("hits", terms.cast(place, "i64"), terms.index(index, "i64")))
    value = cells((*indices[:before], *points, *indices[before + len(positions) :]))
    return Hits(names, domain, tuple(tests), value)


def require_in_range(o: Obligations, extent: Affine, array: SymbolicTensor) -> None:
    """Demand that every position is one of an axis: by the sizes, or because the source reads or writes there."""
    if not is_integer(array.dtype):
        o.refuse("a place that is anything but an integer")
    names = tuple(fresh("g") for _ in array.shape)
    position = array.at(tuple(map(Affine.var, names)))
    value, over = affine_of(position), Domain.box(names, array.shape)
    o.require_always("there is a cell to pick", at_least(extent, 1), over=over)
    if value is not None:
        o.require("a place is in range", at_least(value, 0), less(value, extent), over=over)
    else:
        o.read("a place is in range", position, extent, over)


def folded(op: Reducer, o: Obligations, a: Tensor, indices: Subscripts, b: Tensor) -> SymbolicTensor:
    """Return the array after values are folded into its cells at index arrays."""
    if a.dtype == "bool" or o.types.result_type(o, (a, b)) != a.dtype:
        o.refuse(f"values of type {b.dtype} are folded into cells of type {a.dtype}")
    if not any(isinstance(item, SymbolicTensor) for item in indices):
        o.refuse("an update without index arrays")
    return updated(o, a, indices, b, lambda hits, old: hits.fold(op, old))


def _at(op: Reducer, o: Obligations, a: Tensor, indices: Subscripts, b: Tensor) -> SymbolicTensor:
    """Return the array after NumPy's method ``at``, which makes an array of a Python number first: its type counts.

    Values in a row at places in more dimensions it takes without broadcasting, from beyond their end (NumPy 2.4).
    """
    if a.rank == b.rank == 1 and any(isinstance(item, SymbolicTensor) and item.rank > 1 for item in indices):
        o.refuse("NumPy does not broadcast values in a row to places in more dimensions; use values[None]")
    if not b.is_strong and not _takes_numbers(a.dtype, b):
        o.refuse(f"a Python number has 64 bits and a sign here; convert it to the type of the cells, {a.dtype}, first")
    return folded(op, o, a, indices, b)


def _takes_numbers(dtype: DType, number: SymbolicTensor) -> bool:
    """Tell whether it is all one if 64 bits with a sign are folded into cells; unsigned ones of 64 become floats."""
    if dtype in NARROW:
        value = number.at(()) if number.strength is Strength.WEAK and not number.shape else None
        return isinstance(value, terms.Constant) and rounded(value.value, dtype) == value.value
    return dtype != "u64"


_PLACES = (
    "{}(a, (b > 0).astype(int), b)",
    "{}(a, np.arange(n), b)",
    "{}(a, (b > 0).astype(int), 1)",
    "{}(a, np.zeros(n, dtype=int), b)",
)
_NUMBERS = (
    ("{}(a, (b > 0).astype(int), 3)", "i32"),
    ("{}(a, (b > 0).astype(int), 0.5)", "f32"),
    ("{}(a, (b > 0).astype(int), np.uint64(3))", "u64"),
)
_CELLS = ("{}(a, ((b > 0).astype(int), (b < 0).astype(int)), b)", "{}(a, (slice(None), (b > 0).astype(int)), b)")


def _row(spelling: str, op: Reducer) -> OpRow:
    texts = [sample(text.format(spelling), 1, a="f64[n + 1]", b="f64[n]") for text in _PLACES]
    texts += [sample(text.format(spelling), 1, a="f64[m + 1, n + 1]", b="f64[n]") for text in _CELLS]
    texts += [sample(text.format(spelling), 1, a=f"{dtype}[n + 1]", b="f64[n]") for text, dtype in _NUMBERS]
    return row(spelling, partial(_at, op), *texts, name=spelling, memory=Memory.UPDATE)


# Each is a statement, by which the first operand changes.
_FOLDS: dict[str, Reducer] = {"add": "sum", "multiply": "prod", "maximum": "max", "minimum": "min"}
ROWS = [_row(f"np.{name}.at", op) for name, op in _FOLDS.items()]
