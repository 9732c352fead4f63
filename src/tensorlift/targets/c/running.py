"""Running folds: a fold over all cells up to the present one keeps its accumulator from cell to cell.

At each cell one point comes in to each of them.  Where none does at the first cell, as in sums over all cells before
the present one, the first cell is written before the loop.
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
from tensorlift.targets.c.courses import Course, courses_of, end_of, plain_folds
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.scalars import C_TYPES
from tensorlift.targets.c.sums import replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
    courses = _courses_of(piece)
    if not courses:
        return whole
    variable, term = courses[0].variable, piece.term
    for course in courses:
        fold, before = course.fold, course.before()
        read = substitute(fold.body, {fold.bound[0]: course.newest})
        if not (before & piece.where.project_out(variable)).is_empty():
            early = terms.reduce(fold.op, fold.bound, before, fold.body)
            read = terms.apply(terms.COMBINER[fold.op], early, read)
        term = replaced(term, fold, read)
    others: list[Read] = []
    visit_reads(term, piece.where, lambda one, _: others.append(one) if one.array in versions else None)
    follows = variable == piece.variables[-1] or all(one.indices == piece.own.indices for one in others)
    return term if follows else whole


def running(piece: Piece, cell_at: CellAt, names: Names) -> list[Line] | None:
    """Return statements for a piece with a running fold; None where there is none."""
    piece = _steered(piece)
    courses = _courses_of(piece)
    return _Running(piece, cell_at, names, courses).lines() if courses else None


def running_back(piece: Piece, cell_at: CellAt, names: Names) -> list[Line] | None:
    """Return statements for a piece with a fold that grows where a variable falls; None where there is none.

    They go through the cells of that variable from the last one on.
    """
    if not plain_folds(piece.term) or piece.domain.has_divisions:
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
            courses = _courses_of(turned)
            if courses and courses[0].variable == count:
                return _Running(turned, cell_at, names, courses).lines()
    return None


def _steered(piece: Piece) -> Piece:
    """Return a piece over those of its variables which the others do not tell."""
    if not plain_folds(piece.term) or piece.domain.has_divisions:
        return piece
    for variable in piece.variables:
        value = end_of(variable, piece.where, maximum=False)
        if value is not None and piece.where.implies(equal(variable, value)):
            rest = tuple(name for name in piece.variables if name != variable)
            return _steered(piece.over(rest, {variable: value}))
    return piece


def _courses_of(piece: Piece) -> list[Course]:
    """Find how the folds of a piece run."""
    return [] if piece.domain.has_divisions else courses_of(piece.term, piece.variables, piece.where)


@dataclass(frozen=True)
class _Running:
    """A piece with running folds, along one variable."""

    piece: Piece
    cell_at: CellAt
    names: Names
    courses: list[Course]

    def lines(self) -> list[Line] | None:
        """Return the loops; None where one is not over the variables themselves."""
        outer = [v for v in self.piece.variables if v != self.courses[0].variable]
        where = self.piece.where.project_out(self.courses[0].variable)
        try:
            with self.names.scope():
                return nest(where, outer, self.piece.context, self.row) if outer else self.row({})
        except NotAffine:
            return None

    def row(self, values: Mapping[str, Affine]) -> list[Line]:
        """Return the loop along the variable of the courses; ``values`` are those of outer variables that have one."""
        first, *_ = self.courses
        if values:  # as that of the last axis of `y[i][0]`
            piece = self.piece.over([name for name in self.piece.variables if name not in values], values)
            courses = _courses_of(piece)
            if not courses or courses[0].variable != first.variable:
                raise NotAffine
            return replace(self, piece=piece, courses=courses).row({})
        here, totals, lines = self.piece.where.project_out(first.variable), list[str](), list["Line"]()
        for course in self.courses:
            fold, before = course.fold, course.before()
            total = self.names.fresh(accumulator(fold.op))
            totals.append(total)
            lines.append(f"{C_TYPES[fold.dtype]} {total} = {neutral(fold.op, fold.dtype).source};")
            if not (before & here).is_empty():
                early = terms.reduce(fold.op, fold.bound, before, fold.body)
                assert isinstance(early, Reduce)
                lines += self.cell_at(here).folded(early, total)
        cells = self.piece.domain & here
        if first.starts_later:
            start = Domain.of(equal(first.variable, first.start))
            lines += nest(cells & start, [first.variable], here, lambda values: self._cell(values, totals))
            cells -= start
        return [*lines, *nest(cells, [first.variable], here, lambda values: self._step(values, totals))]

    def _step(self, values: Mapping[str, Affine], totals: Sequence[str]) -> list[Line]:
        """Let a point come in to each fold, and write a cell."""
        _require_none(values)
        lines = list["Line"]()
        for course, total in zip(self.courses, totals, strict=True):
            fold, cell = course.fold, self.cell_at(self.piece.where)
            with self.names.scope():
                added = cell.value(substitute(fold.body, {fold.bound[0]: course.newest}))
            lines += [*cell.lines, cell.update(fold.op, fold.dtype, total, added)]
        return [*lines, *self._cell(values, totals)]

    def _cell(self, values: Mapping[str, Affine], totals: Sequence[str]) -> list[Line]:
        """Write a cell, with what came in up to there."""
        cell, term = self.cell_at(self.piece.where), self.piece.term
        for course, total in zip(self.courses, totals, strict=True):
            folded = terms.read(total, (), course.fold.dtype)
            cell.know(folded, total)
            term = replaced(term, course.fold, folded)
        with self.names.scope():
            text = cell.value(substitute(term, values))
        return [*cell.lines, f"{self.piece.target(values)} = {text.source};"]


def _require_none(values: Mapping[str, Affine]) -> None:
    """Raise NotAffine where a variable is no iterator."""
    if values:
        raise NotAffine
