"""Nests of two loops that stay, where each cell needs its neighbours above and to the left, as one over anti-diagonals.

    for i: for j:  a(i, j) = f(a(i - 1, j), a(i, j - 1), ...)
    for t:  a(x, y) = { f(a(x - 1, y), a(x, y - 1), ...) if x + y = t;  a(x, y) elsewhere }

An iteration writes one cell, which no other one writes.  What it reads of the array is a cell of another iteration, at
a distance that is the same everywhere, or one that no iteration writes.  A cell that an earlier iteration has written
must be on an earlier diagonal, one that is as it was before the nest on the same diagonal or on a later one.  Both are
shown here, so that both the search and its checker may do it, as they peel loops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.definition import Carried, Definition, KeptLoop, Summary, definitions_of, loops_of
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, at_least, equal, less
from tensorlift.poly.names import unused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import Item
    from tensorlift.comprehension.terms import Read, Term


class _StaysError(Exception):
    """A nest is none of this kind."""


def skewed(summary: Summary) -> Summary | None:
    """Return a summary of the same function whose nests are over anti-diagonals where they may be, None without any."""
    taken = {*summary.sizes, *summary.scalars, *summary.arrays, *(d.name for d in definitions_of(summary.items))}
    taken |= {loop.variable for loop in loops_of(summary.items)}
    items = tuple(_skewed(item, summary.context, taken) for item in summary.items)
    return None if items == summary.items else replace(summary, items=items)


def _skewed(item: Item, known: Domain, taken: set[str]) -> Item:
    if not isinstance(item, KeptLoop) or not item.body or not isinstance(item.body[-1], KeptLoop):
        return item
    try:
        return _nest_of(item, item.body[-1]).skewed(known, unused("diagonal", taken))
    except _StaysError:
        return item


def _nest_of(outer: KeptLoop, inner: KeptLoop) -> _Nest:
    written = [d for d in inner.body if isinstance(d, Definition) and d.name == inner.carried[0].after]
    others = [d for d in (*outer.body[:-1], *inner.body) if d not in written]
    is_nest = (
        outer.step == inner.step == 1
        and outer.goes_on is None
        and inner.goes_on is None
        and len(outer.carried) == len(inner.carried) == len(written) == 1
        and outer.carried[0].array == inner.carried[0].array
        and (outer.carried[0].name, outer.carried[0].after) == (inner.carried[0].before, inner.carried[0].name)
        and not any(end.mentions((outer.variable,)) for end in (inner.lower, inner.upper))
        and len(written[0].indices) == 2  # noqa: PLR2004 - a matrix
    )
    locals_ = {d.name: d for d in others if isinstance(d, Definition)}
    if not is_nest or len(locals_) != len(others):
        raise _StaysError
    return _Nest(outer, inner, written[0], locals_)


@dataclass
class _Nest:
    """Two loops, what they write, and what their bodies define beside it."""

    outer: KeptLoop
    inner: KeptLoop
    written: Definition
    locals: Mapping[str, Definition]

    def skewed(self, known: Domain, variable: str) -> KeptLoop:
        """Return the loop over anti-diagonals; ``known`` holds for all sizes."""
        loops = self.outer, self.inner
        names = [loop.variable for loop in loops]
        inside = Domain.of(*(c for i in loops for c in (at_least(i.variable, i.lower), less(i.variable, i.upper))))
        version = self.inner.carried[0].name
        given = [
            (known & inside & self.written.domain & where, where, term)
            for where, term in self.written.pieces
            if not (self.written.is_own_cell(term) and term.reads == {version})
        ]
        given = [one for one in given if not one[0].is_empty()]
        if not given:
            raise _StaysError
        shifts = self._shifts(given[0][0])
        cells = tuple(Affine.var(name) + shift for name, shift in zip(names, shifts, strict=True))
        is_there = tuple(equal(x, at) for x, at in zip(self.written.indices, cells, strict=True))
        if not all(points.implies(*is_there) for points, _, _ in given):
            raise _StaysError
        there = {name: Affine.var(x) - s for name, x, s in zip(names, self.written.indices, shifts, strict=True)}
        bounds = inside.substitute(there)
        reads = _Reads(self, cells, bounds)
        total = there[names[0]] + there[names[1]]
        lower, upper = self.outer.lower + self.inner.lower, self.outer.upper + self.inner.upper - 1
        runs = known & Domain.of(at_least(variable, lower), less(variable, upper))
        box = runs & Domain.box(self.written.indices, self.written.shape)
        diagonal = box & bounds & Domain.of(equal(total, variable))
        pieces = [
            (diagonal & where.substitute(there), rewrite.substitute(reads.resolved(term, points), there))
            for points, where, term in given
        ]
        rest = box
        for where, _ in pieces:
            rest = rest - where
        (carried,) = self.outer.carried
        own = terms.read(carried.name, self.written.cell, self.written.dtype)
        body = replace(self.written, domain=box, pieces=(*pieces, (rest, own)))
        after = Carried(carried.array, carried.before, carried.name, body.name)
        return replace(
            self.outer, variable=variable, lower=lower, upper=upper, domain=runs, carried=(after,), body=(body,)
        )

    def _shifts(self, points: Domain) -> tuple[int, ...]:
        """Return by how much the cell that an iteration writes is beside its variables."""
        found = []
        for cell, loop in zip(self.written.indices, (self.outer, self.inner), strict=True):
            values = [equality.solve(cell) for equality in points.equalities()]
            shifts = [value - Affine.var(loop.variable) for value in values if value is not None]
            constants = [shift.constant for shift in shifts if shift.is_constant]
            if not constants:
                raise _StaysError
            found.append(constants[0])
        return tuple(found)


@dataclass
class _Reads:
    """What iterations read: ``cells`` is where each writes, ``bounds`` which cells are written at all."""

    nest: _Nest
    cells: tuple[Affine, ...]
    bounds: Domain

    def resolved(self, term: Term, points: Domain) -> Term:
        """Return a term of an iteration over versions from around the nest, and over the array by its name there.

        Raises:
            _StaysError: where it reads what is not there yet, or no longer, on its diagonal.

        """
        return rewrite.map_reads(term, points, self._read)

    def _read(self, found: Read, where: Domain) -> Term:
        nest = self.nest
        local = nest.locals.get(found.array)
        if local is not None:
            values = dict(zip(local.indices, found.indices, strict=True))
            fits = [t for piece, t in local.pieces if where.is_subset(piece.substitute(values))]
            if len(fits) != 1:
                raise _StaysError
            return self.resolved(rewrite.substitute(fits[0], values), where)
        name = nest.outer.carried[0].name
        if found.array not in (name, nest.inner.carried[0].name):
            return found
        self._check(found, where, is_of_row=found.array == name)
        return terms.read(name, found.indices, found.dtype)

    def _check(self, found: Read, where: Domain, *, is_of_row: bool) -> None:
        """Demand that a cell is on its diagonal as it is in its iteration; one ``is_of_row`` is as before its row."""
        written = self.bounds.substitute(dict(zip(self.nest.written.indices, found.indices, strict=True)))
        if (where & written).is_empty():
            return
        down, along = (index - cell for index, cell in zip(found.indices, self.cells, strict=True))
        if not (down.is_constant and along.is_constant):
            raise _StaysError
        is_earlier = down.constant < 0 or (down.constant == 0 and along.constant < 0 and not is_of_row)
        if is_earlier != (down.constant + along.constant < 0):
            raise _StaysError


__all__ = ["skewed"]
