"""Compaction: the values that a mask keeps are stored one after the other, ``a[k : k + m.sum()] = b[m]``.

The ``m`` keeps as many values as it has true cells, each at the number of those before it: cell ``c`` is the value at
the only ``i`` with ``m(i)`` and ``c == k + sum(j : 0 <= j < i) m(j)``, if there is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import normal, terms
from tensorlift.comprehension.counts import summands
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.tensor import CellMap, Indices, Obligations, SymbolicTensor, affine_of, broadcast_to
from tensorlift.comprehension.terms import Term, applies, unconverted
from tensorlift.ir.scalar_terms import choose
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, at_least, less
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.creation import checked_broadcast
from tensorlift.targets.arrays.functions import as_type
from tensorlift.targets.target import Subscripts, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.ops.dtypes import DType

    Equal = Callable[[Term, Term], bool]

SPELLING = "x[a:b] = v[m]"


def compacted(  # noqa: PLR0913, PLR0917 - what such a statement is made of
    o: Obligations,
    x: SymbolicTensor,
    start: SymbolicTensor,
    stop: SymbolicTensor,
    value: SymbolicTensor,
    mask: SymbolicTensor,
    equal: Equal,
) -> SymbolicTensor:
    """Return an array after values that a mask keeps are stored from ``start`` up to ``stop``, as many as there are."""
    if mask.rank != 1 or mask.dtype != "bool":
        o.refuse("what keeps values is no row of truth values")
    if start.rank or stop.rank or (start.is_strong and start.dtype != stop.dtype):
        o.refuse("the bounds of a slice have no common type")
    kept = Kept(mask.at, mask.shape[0], start.at(()), stop.dtype)
    if not equal(stop.at(()), kept.place(kept.length)):
        o.refuse("a slice is not shown to have as many cells as a mask keeps")
    return kept.stored(o, x, value)


def dropped(o: Obligations, x: SymbolicTensor, items: Subscripts, value: SymbolicTensor, mode: str) -> SymbolicTensor:
    """Return an array after values are stored at places that count those that a mask keeps; others are behind it."""
    at = items[0]
    if mode != "drop" or len(items) != 1 or not isinstance(at, SymbolicTensor) or at.rank != 1:
        o.refuse("an update that drops values, at anything but a row of places")
    point = fresh("k")
    term = unconverted(at.at((affine(point),)))
    behind = affine_of(unconverted(term.args[2])) if applies(term, "select") else None
    if not applies(term, "select") or behind is None:
        o.refuse("an update that drops values, at places without a mask")
    o.require("a value that is dropped is after the array", at_least(behind, x.shape[0]))
    condition, place = term.args[0], unconverted(term.args[1])

    def mask(indices: Indices) -> Term:
        return substitute(condition, {point: indices[0]})

    fixed = [part for part in summands(place) if point not in part.free]
    first: Term = terms.zero(place.dtype)
    for part in fixed:
        first = terms.apply("add", first, part)
    kept = Kept(mask, at.shape[0], first, place.dtype)
    if not normal.equal(place, kept.place(affine(point)), Domain.box((point,), at.shape)):
        o.refuse("an update that drops values, at places that do not count those that are kept")
    return kept.stored(o, x, value)


class Kept(NamedTuple):
    """Cells of a row that a mask keeps; from ``start`` on they have places one after the other."""

    mask: CellMap
    length: Affine
    start: Term
    dtype: DType

    def place(self, end: Affine) -> Term:
        """Return the place behind the cells that are kept before an end."""
        bound = fresh("j")
        kept = terms.cast(self.mask((affine(bound),)), self.dtype)
        before = terms.reduce("sum", (bound,), Domain.of(at_least(bound, 0), less(bound, end)), kept)
        is_zero = isinstance(self.start, terms.Constant) and not self.start.value
        return before if is_zero else terms.apply("add", terms.cast(self.start, self.dtype), before)

    def stored(self, o: Obligations, x: SymbolicTensor, value: SymbolicTensor) -> SymbolicTensor:
        """Return an array after values are stored at the places of those that are kept."""
        shape, point = (self.length,), fresh("k")
        if self.dtype not in {"i32", "i64"} or x.rank != 1:
            o.refuse("what a mask keeps is stored in no row, or counted in another type")
        o.fits("what a mask keeps is counted", self.length, self.dtype)
        o.require_always("there is a cell to store in", at_least(x.shape[0], 1))
        at = (affine(point),)
        place = choose(self.mask(at), self.place(at[0]), terms.zero(self.dtype))
        o.read("a place is in range", place, x.shape[0], Domain.box((point,), shape))
        cells = broadcast_to(o, as_type(o, value, x.dtype), checked_broadcast(o, value, shape))

        def cell(indices: Indices) -> Term:
            name = fresh("k")
            here, box = (affine(name),), Domain.box((name,), shape)
            hit = terms.apply("hits", terms.cast(self.place(here[0]), "i64"), terms.index(indices[0], "i64"))
            test = terms.apply("and", self.mask(here), hit)
            kept = cells(here)
            if name in kept.free:  # else it is the same for all that are kept
                nothing = terms.zero(x.dtype)
                kept = terms.single(name, box, choose(self.mask(here), choose(hit, kept, nothing), nothing))
            return choose(terms.reduce("any", (name,), box, test), kept, x.at(indices))

        return x.with_cells(x.shape, cell)


ROWS = [
    row(
        SPELLING,
        compacted,
        sample("a[:(b > 0).sum()] = b[b > 0]", 1, a="f64[n]", b="f64[n]"),
        sample("a[: (b > 0).sum()] = c[b > 0]", 1, a="f64[n]", b="f64[n]", c="f64[n]"),
        sample("a[1 : 1 + (b > 0).sum()] = b[b > 0]", 1, a="f64[n + 1]", b="f64[n]"),
        sample("a[: (b > 0).sum(dtype=np.int32)] = b[b > 0]", 1, a="f64[n]", b="f64[n]"),
        name="compaction",
    )
]
