"""Running folds: a fold over all cells up to the present one keeps its accumulator from cell to cell.

At each cell one point comes in.  Where none does at the first cell, as in sums over all cells before the present one,
the first cell is written before the loop.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, NotAffine, equal
from tensorlift.comprehension.rewrite import substitute, visit_reads
from tensorlift.comprehension.terms import Read, Reduce, Term
from tensorlift.targets.c.cells import accumulator, neutral, update
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.scalars import C_TYPES
from tensorlift.targets.c.sums import folds_of, has_fold, replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.targets.c.cells import Cell
    from tensorlift.targets.c.naming import Names
    from tensorlift.targets.c.storage import Piece
    from tensorlift.targets.c.text import Line

    CellAt = Callable[[Domain], Cell]


def step(piece: Piece, versions: set[str]) -> Term:
    """Return what loops that go upwards read at each cell of a piece, the accumulator of a running fold aside.

    ``versions`` are those in the memory that is written; where they are read at other cells, and the loops do not
    follow each other as the axes do, that is all of the term.
    """
    found = _found(piece)
    if found is None:
        return piece.term
    fold, variable, newest, start = found
    read = substitute(fold.body, {fold.bound[0]: newest})
    before = _before(fold, newest, {variable: start})
    if not (before & piece.where.project_out(variable)).is_empty():
        early = terms.reduce(fold.op, fold.bound, before, fold.body)
        read = terms.apply(terms.COMBINER[fold.op], early, read)
    term = replaced(piece.term, fold, read)
    others: list[Read] = []
    visit_reads(term, piece.where, lambda one, _: others.append(one) if one.array in versions else None)
    follows = variable == piece.variables[-1] or all(one.indices == piece.own.indices for one in others)
    return term if follows else piece.term


def running(piece: Piece, cell_at: CellAt, names: Names) -> list[Line] | None:
    """Return statements for a piece with a running fold; None where there is none."""
    found = _found(piece)
    return None if found is None else _Running(piece, cell_at, names, *found).lines()


def running_back(piece: Piece, cell_at: CellAt, names: Names) -> list[Line] | None:
    """Return statements for a piece with a fold that grows where a variable falls; None where there is none.

    They go through the cells of that variable from the last one on.
    """
    if not _has_one_fold(piece):
        return None
    for variable in piece.variables:
        last = _end(variable, piece, maximum=True)
        if last is None:
            continue
        with names.scope():
            count = names.fresh(variable)
            variables = [count if name == variable else name for name in piece.variables]
            turned = piece.over(variables, {variable: last - Affine.var(count)})
            found = _found(turned)
            if found is not None and found[1] == count:
                return _Running(turned, cell_at, names, *found).lines()
    return None


def _has_one_fold(piece: Piece) -> bool:
    folds = folds_of(piece.term)
    return len(folds) == 1 and len(folds[0].bound) == 1 and not has_fold(folds[0].body)


def _found(piece: Piece) -> tuple[Reduce, str, Affine, Affine] | None:
    """Find a running fold, the variable along which it runs, the point that comes in, and the first value."""
    if not _has_one_fold(piece):
        return None
    (fold,) = folds_of(piece.term)
    for variable in reversed(piece.variables):
        newest = _newest(fold, variable, piece.where)
        start = None if newest is None else _end(variable, piece, maximum=False)
        if newest is not None and start is not None:
            points = _first_points(fold, newest, {variable: start}) & piece.where.project_out(variable)
            inside = points & fold.domain.substitute({variable: start})
            if inside.is_empty() or inside.is_equal(points):
                return fold, variable, newest, start
    return None


def _first_points(fold: Reduce, newest: Affine, first: Mapping[str, Affine]) -> Domain:
    """Return the points that come in where a variable has its first value."""
    return Domain.of(equal(fold.bound[0], newest.substitute(first)))


def _before(fold: Reduce, newest: Affine, first: Mapping[str, Affine]) -> Domain:
    """Return the points of a fold that are in it before its variable has its first value."""
    return fold.domain.substitute(first) - _first_points(fold, newest, first)


def _newest(fold: Reduce, variable: str, where: Domain) -> Affine | None:
    """Return the point of a fold that comes in at each value of a variable; None where more or others do."""
    (bound,) = fold.bound
    if variable in fold.body.free or not fold.domain.mentions(variable):
        return None
    try:
        ends = (fold.domain & where).extreme(bound, maximum=True)
    except NotAffine:
        return None
    if len(ends) != 1 or ends[0][1].coefficient(variable) != 1:
        return None
    newest = ends[0][1]
    following = {variable: Affine.var(variable) + 1}
    both = where & where.substitute(following)
    grown = fold.domain | Domain.of(equal(bound, newest.substitute(following)))
    return newest if (grown & both).is_equal(fold.domain.substitute(following) & both) else None


def _end(variable: str, piece: Piece, *, maximum: bool) -> Affine | None:
    """Return the first or last value of a variable; None where it is no single expression, or some lie between."""
    try:
        ends = piece.where.extreme(variable, maximum=maximum)
    except NotAffine:
        return None
    return ends[0][1] if len(ends) == 1 and not piece.domain.has_divisions else None


@dataclass(frozen=True)
class _Running:
    """A piece with a fold that runs along a variable from ``start`` on; ``newest`` is the point that comes in."""

    piece: Piece
    cell_at: CellAt
    names: Names
    fold: Reduce
    variable: str
    newest: Affine
    start: Affine

    def lines(self) -> list[Line] | None:
        """Return the loops; None where one is not over the variables themselves."""
        outer = [v for v in self.piece.variables if v != self.variable]
        where = self.piece.where.project_out(self.variable)
        try:
            with self.names.scope():
                return nest(where, outer, self.piece.context, self._row) if outer else self._row({})
        except NotAffine:
            return None

    def _row(self, values: Mapping[str, Affine]) -> list[Line]:
        _require_none(values)
        total = self.names.fresh(accumulator(self.fold.op))
        here = self.piece.where.project_out(self.variable)
        first = {self.variable: self.start}
        before = _before(self.fold, self.newest, first)
        lines: list[Line] = [f"{C_TYPES[self.fold.dtype]} {total} = {neutral(self.fold.op, self.fold.dtype).source};"]
        if not (before & here).is_empty():
            early = terms.reduce(self.fold.op, self.fold.bound, before, self.fold.body)
            assert isinstance(early, Reduce)
            lines += self.cell_at(here).folded(early, total)
        cells = self.piece.domain & here
        if (_first_points(self.fold, self.newest, first) & self.fold.domain.substitute(first) & here).is_empty():
            start = Domain.of(equal(self.variable, self.start))
            lines += nest(cells & start, [self.variable], here, lambda values: self._cell(values, total))
            cells -= start
        return [*lines, *nest(cells, [self.variable], here, lambda values: self._step(values, total))]

    def _step(self, values: Mapping[str, Affine], total: str) -> list[Line]:
        """Let a point come in, and write a cell."""
        _require_none(values)
        cell = self.cell_at(self.piece.where)
        with self.names.scope():
            added = cell.value(substitute(self.fold.body, {self.fold.bound[0]: self.newest}))
        return [*cell.lines, update(self.fold.op, self.fold.dtype, total, added), *self._cell(values, total)]

    def _cell(self, values: Mapping[str, Affine], total: str) -> list[Line]:
        """Write a cell, with what came in up to there."""
        cell = self.cell_at(self.piece.where)
        folded = terms.read(total, (), self.fold.dtype)
        cell.know(folded, total)
        with self.names.scope():
            text = cell.value(substitute(replaced(self.piece.term, self.fold, folded), values))
        return [*cell.lines, f"{self.piece.target(values)} = {text.source};"]


def _require_none(values: Mapping[str, Affine]) -> None:
    """Raise NotAffine where a variable is no iterator."""
    if values:
        raise NotAffine
