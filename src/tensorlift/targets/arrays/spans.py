"""Folds between bounds that are data, of ``x[low[i]:high[i]]`` for each ``i``: functions that texts define themselves.

Bounds may be in any order: rows may be apart, empty or overlap.  What is executed is the text, as a target has it; this
is what it means.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.segments import neutral_term
from tensorlift.comprehension.tensor import Indices, Obligations, SymbolicTensor
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import Domain, equal
from tensorlift.poly.names import fresh
from tensorlift.targets.arrays.creation import check_extents
from tensorlift.targets.arrays.scatter import require_in_range
from tensorlift.targets.target import Size, Tensor, row, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.target import OpRow

NAMES: dict[Reducer, str] = {"sum": "segment_sums", "max": "segment_max", "min": "segment_min"}
SPREADS: dict[Reducer, str] = {"sum": "spread_sums", "prod": "spread_products"}
_BOUNDS = ("i32", "i64")


def _require_bounds(o: Obligations, x: Tensor, low: Tensor, high: Tensor, extent: Affine) -> None:
    if not (x.is_strong and x.rank and x.dtype != "bool"):
        o.refuse("folds of segments of what is no array of numbers")
    if not low.is_strong or low.rank != 1 or high.rank != 1 or not low.dtype == high.dtype in _BOUNDS:
        o.refuse("the bounds of segments are no rows of integers of one type")
    o.require("each segment has two bounds", equal(low.shape[0], high.shape[0]))
    for bounds in (low, high):
        require_in_range(o, extent + 1, bounds)


def fold_between(
    op: Reducer, dtype: DType, extent: Affine, bounds: tuple[Term, Term], value: Callable[[Affine], Term]
) -> Term:
    """Return the fold of values at those of so many places that two bounds are around."""
    name = fresh("r")
    first, end = (terms.cast(bound, "i64") for bound in bounds)
    inside = terms.apply("within", terms.index(Affine.var(name), "i64"), first, end)
    chosen = terms.apply("select", inside, value(Affine.var(name)), neutral_term(op, dtype))
    return terms.reduce(op, (name,), Domain.box((name,), (extent,)), chosen)


def _folds(op: Reducer, o: Obligations, x: Tensor, low: Tensor, high: Tensor) -> SymbolicTensor:
    _require_bounds(o, x, low, high, x.shape[0] if x.rank else ZERO)
    extent = x.shape[0]

    def cell(at: Indices) -> Term:
        bounds = low.at(at[:1]), high.at(at[:1])
        return fold_between(op, x.dtype, extent, bounds, lambda place: x.at((place, *at[1:])))

    return SymbolicTensor((*low.shape, *x.shape[1:]), x.dtype, cell)


def _spread(  # noqa: PLR0913, PLR0917 - what is spread, and where
    op: Reducer, o: Obligations, x: Tensor, low: Tensor, high: Tensor, cells: Size
) -> SymbolicTensor:
    check_extents(o, (cells,))
    _require_bounds(o, x, low, high, cells)
    o.require("each cell has bounds", equal(low.shape[0], x.shape[0]))
    nothing = neutral_term(op, x.dtype)

    def cell(at: Indices) -> Term:
        name = fresh("r")
        first, end = (terms.cast(bounds.at((Affine.var(name),)), "i64") for bounds in (low, high))
        inside = terms.apply("within", terms.index(at[0], "i64"), first, end)
        value = terms.apply("select", inside, x.at((Affine.var(name), *at[1:])), nothing)
        return terms.reduce(op, (name,), Domain.box((name,), (x.shape[0],)), value)

    return SymbolicTensor((cells, *x.shape[1:]), x.dtype, cell)


def spreads_of(arange: str) -> list[OpRow]:
    """Return the rows of a target, which spells a range of integers so, for values spread between bounds."""
    up, down = f"{arange}(m)", f"{arange}(m - 1, -1, -1)"
    bounds = (f"{up}, {up} + 1", f"{up}, {down}", f"{up} * 0, {down} + 1", f"{down}, {up}")
    rows: list[OpRow] = []
    for op, name in SPREADS.items():
        texts = [f"{name}(a, {pair}, m + 1)" for pair in bounds]
        samples = (*(sample(text, 1, a="arith[m, n]") for text in texts), sample(texts[2], 1, a="real[m]"))
        rows.append(row(name, partial(_spread, op), *samples))
    return rows


def rows_of(arange: str) -> list[OpRow]:
    """Return the rows of a target, which spells a range of integers so."""
    spelled = (f"{arange}(min(m, n))", f"{arange}(min(m, n) - 1, -1, -1)")
    bounds = [f"{first}, {second}" for first in spelled for second in spelled] + [f"{spelled[0]} * 0, {spelled[1]} + 1"]
    rows: list[OpRow] = []
    for op, name in NAMES.items():
        texts = [f"{name}(a, {pair})" for pair in bounds]
        samples = (*(sample(text, 1, a="arith[m, n]") for text in texts), sample(texts[-1], 1, a="real[m]"))
        rows.append(row(name, partial(_folds, op), *samples))
    return rows
