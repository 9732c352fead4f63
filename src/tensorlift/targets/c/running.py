"""Running folds: a fold over all cells up to the present one keeps its accumulator from cell to cell.

At each cell one point comes in.  Where none does at the first cell, as in sums over all cells before the present one,
the first cell is written before the loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import substitute, visit_reads
from tensorlift.comprehension.terms import Read, Reduce, Term
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, equal
from tensorlift.targets.c.cells import accumulator, neutral
from tensorlift.targets.c.courses import Course, course_of, end_of, only_fold
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.scalars import C_TYPES
from tensorlift.targets.c.sums import replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorlift.targets.c.cells import Cell
    from tensorlift.targets.c.storage import Piece
    from tensorlift.targets.c.text import Line, Names

    CellAt = Callable[[Domain], Cell]


def step(piece: Piece, versions: set[str]) -> Term:
    """Return what loops that go upwards read at each cell of a piece, the accumulator of a running fold aside.

    ``versions`` are those in the memory that is written; where they are read at other cells, and the loops do not
    follow each other as the axes do, that is all of the term.
    """
    whole, piece = piece.term, _steered(piece)
    course = _course_of(piece)
    if course is None:
        return whole
    fold, variable = course.fold, course.variable
    read = substitute(fold.body, {fold.bound[0]: course.newest})
    before = course.before()
    if not (before & piece.where.project_out(variable)).is_empty():
        early = terms.reduce(fold.op, fold.bound, before, fold.body)
        read = terms.apply(terms.COMBINER[fold.op], early, read)
    term = replaced(piece.term, fold, read)
    others: list[Read] = []
    visit_reads(term, piece.where, lambda one, _: others.append(one) if one.array in versions else None)
    follows = variable == piece.variables[-1] or all(one.indices == piece.own.indices for one in others)
    return term if follows else whole


def running(piece: Piece, cell_at: CellAt, names: Names) -> list[Line] | None:
    """Return statements for a piece with a running fold; None where there is none."""
    piece = _steered(piece)
    course = _course_of(piece)
    return None if course is None else _Running(piece, cell_at, names, course).lines()


def running_back(piece: Piece, cell_at: CellAt, names: Names) -> list[Line] | None:
    """Return statements for a piece with a fold that grows where a variable falls; None where there is none.

    They go through the cells of that variable from the last one on.
    """
    if only_fold(piece.term) is None or piece.domain.has_divisions:
        return None
    piece = _steered(piece)
    for variable in piece.variables:
        last = end_of(variable, piece.where, maximum=True)
        if last is None:
            continue
        with names.scope():
            count = names.fresh(variable)
            variables = [count if name == variable else name for name in piece.variables]
            turned = piece.over(variables, {variable: last - Affine.var(count)})
            course = _course_of(turned)
            if course is not None and course.variable == count:
                return _Running(turned, cell_at, names, course).lines()
    return None


def _steered(piece: Piece) -> Piece:
    """Return a piece over those of its variables which the others do not tell."""
    if only_fold(piece.term) is None or piece.domain.has_divisions:
        return piece
    for variable in piece.variables:
        value = end_of(variable, piece.where, maximum=False)
        if value is not None and piece.where.implies(equal(variable, value)):
            rest = tuple(name for name in piece.variables if name != variable)
            return _steered(piece.over(rest, {variable: value}))
    return piece


def _course_of(piece: Piece) -> Course | None:
    """Find a running fold."""
    return course_of(piece.term, piece.variables, piece.where) if not piece.domain.has_divisions else None


@dataclass(frozen=True)
class _Running:
    """A piece with a running fold."""

    piece: Piece
    cell_at: CellAt
    names: Names
    course: Course

    def lines(self) -> list[Line] | None:
        """Return the loops; None where one is not over the variables themselves."""
        outer = [v for v in self.piece.variables if v != self.course.variable]
        where = self.piece.where.project_out(self.course.variable)
        try:
            with self.names.scope():
                return nest(where, outer, self.piece.context, self.row) if outer else self.row({})
        except NotAffine:
            return None

    def row(self, values: Mapping[str, Affine]) -> list[Line]:
        """Return the loop along the variable of the course; ``values`` are those of outer variables that have one."""
        if values:  # as that of the last axis of `y[i][0]`
            piece = self.piece.over([name for name in self.piece.variables if name not in values], values)
            course = _course_of(piece)
            if course is None or course.variable != self.course.variable:
                raise NotAffine
            return replace(self, piece=piece, course=course).row({})
        fold, before = self.course.fold, self.course.before()
        total = self.names.fresh(accumulator(fold.op))
        here = self.piece.where.project_out(self.course.variable)
        lines: list[Line] = [f"{C_TYPES[fold.dtype]} {total} = {neutral(fold.op, fold.dtype).source};"]
        if not (before & here).is_empty():
            early = terms.reduce(fold.op, fold.bound, before, fold.body)
            assert isinstance(early, Reduce)
            lines += self.cell_at(here).folded(early, total)
        cells = self.piece.domain & here
        if self.course.starts_later:
            start = Domain.of(equal(self.course.variable, self.course.start))
            lines += nest(cells & start, [self.course.variable], here, lambda values: self._cell(values, total))
            cells -= start
        return [*lines, *nest(cells, [self.course.variable], here, lambda values: self._step(values, total))]

    def _step(self, values: Mapping[str, Affine], total: str) -> list[Line]:
        """Let a point come in, and write a cell."""
        _require_none(values)
        fold = self.course.fold
        cell = self.cell_at(self.piece.where)
        with self.names.scope():
            added = cell.value(substitute(self.course.fold.body, {self.course.fold.bound[0]: self.course.newest}))
        return [*cell.lines, cell.update(fold.op, fold.dtype, total, added), *self._cell(values, total)]

    def _cell(self, values: Mapping[str, Affine], total: str) -> list[Line]:
        """Write a cell, with what came in up to there."""
        cell = self.cell_at(self.piece.where)
        folded = terms.read(total, (), self.course.fold.dtype)
        cell.know(folded, total)
        with self.names.scope():
            text = cell.value(substitute(replaced(self.piece.term, self.course.fold, folded), values))
        return [*cell.lines, f"{self.piece.target(values)} = {text.source};"]


def _require_none(values: Mapping[str, Affine]) -> None:
    """Raise NotAffine where a variable is no iterator."""
    if values:
        raise NotAffine
