"""One definition in C: a loop nest for each piece, folds as accumulators, contractions as calls of BLAS.

A piece is ``coefficient * fold + ... + rest``.  A fold that does not depend on all axes is computed once, before, or at
the start of the row whose cells share it.  What BLAS computes goes there; a sum whose innermost loop would stride
through memory is added up in the cells themselves, row by row; all else is computed cell by cell.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import multiplied, renewed, substitute, visit_reads
from tensorlift.comprehension.terms import Apply, Read, Reduce, Term
from tensorlift.ops.dtypes import is_integer
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.variables import extreme_of, is_single_valued
from tensorlift.targets.c.calls import Matcher, triangular_product
from tensorlift.targets.c.cells import Cell
from tensorlift.targets.c.nests import condition, nest
from tensorlift.targets.c.points import counted, reads_exist, upwards
from tensorlift.targets.c.rows import computed_twice, depth_of_rows, folds_by_rows, nesting, read_before, shared_in_rows
from tensorlift.targets.c.running import running, running_back, step
from tensorlift.targets.c.scalars import C_TYPES, may_overflow
from tensorlift.targets.c.storage import Piece, Slot, reads_written
from tensorlift.targets.c.sums import (
    Part,
    addends,
    folds_of,
    has_fold,
    joined,
    product,
    replaced,
    strides_through,
)
from tensorlift.targets.c.text import Block
from tensorlift.targets.c.updates import UpdateWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tensorlift.comprehension.definition import Definition
    from tensorlift.comprehension.updates import Update
    from tensorlift.ops.dtypes import DType
    from tensorlift.targets.c.beside import Beside
    from tensorlift.targets.c.scalars import Text
    from tensorlift.targets.c.storage import Memory
    from tensorlift.targets.c.text import Line, Names

    NewSlot = Callable[[str, DType, Sequence[Affine]], Slot]


_COMPOUND = ("f32", "f64", "i32", "i64")  # types of which a cell is updated with +=


class PieceWriter:
    """Writes the cells of pieces into memory; a ``plain`` one computes each cell by itself.

    Without ``blas`` it calls no routine of that.
    """

    def __init__(  # noqa: PLR0913 - where cells lie, and how they are computed
        self,
        memory: Memory,
        names: Names,
        sizes: Sequence[str],
        new_slot: NewSlot,
        *,
        wrapping: Collection[int],
        plain: bool,
        blas: bool,
    ) -> None:
        self.memory = memory
        self.names = names
        self.sizes = frozenset(sizes)
        self.new_slot = new_slot
        self.wrapping = wrapping
        self.plain = plain
        self.matcher = Matcher(memory, self.cell, self.names.fresh, there=blas)
        self.counted: list[tuple[Term, Read]] = []  # what counters hold

    def cell(self, where: Domain) -> Cell:
        """Return a writer of values at the points of a domain."""

        def read(found: Read, places: Mapping[str, Text]) -> Text:
            indices = [places.get(str(index.variable), index) for index in found.indices]
            return self.memory.place[found.array].cell(indices)

        return Cell(where, read, self.names, self.wrapping)

    def _asked(self, piece: Piece) -> tuple[Domain, Domain]:
        """Split a domain into equalities of sizes and the rest."""
        if piece.domain.size != 1 or piece.domain.has_divisions:
            return Domain.of(), piece.domain
        (constraints,) = piece.domain.conjuncts()
        asked = [c for c in constraints if c.is_equality and {*c.affine.variables} <= self.sizes]
        return Domain.of(*asked), Domain.of(*(c for c in constraints if c not in asked))

    def piece(self, piece: Piece) -> list[Line]:
        """Return statements that compute a piece; what it asks of sizes is asked once, before it."""
        asked, rest = self._asked(piece)
        test = condition(asked, piece.context)
        if test is not None:
            return [Block(f"if ({test.source})", self.piece(replace(piece, domain=rest)))]
        lines, piece = self.hoisted(counted(piece, self.names.fresh))
        lines += self._cells(piece) if self.plain else self._computed(piece)
        self.names.keep(line for line in lines if isinstance(line, str))
        return lines

    def updates(self, updates: Sequence[Update], definition: Definition, slot: Slot, context: Domain) -> list[Line]:
        """Return statements that make updates at places that depend on data."""
        shapes = {version: place.shape for version, place in self.memory.place.items()}
        writer = UpdateWriter(definition, slot, context, shapes, self.names, self.cell, self.new_slot)
        lines, counters = writer.lines(updates)
        for counter in counters:
            after = terms.read(f"{counter.slot.name} after all", (), counter.slot.dtype)
            self.memory.put(after.array, counter.slot)
            self.counted.append((counter.end, after))
        self.names.keep(line for line in lines if isinstance(line, str))
        return lines

    def _computed(self, piece: Piece) -> list[Line]:
        if self._goes_by_rows(piece):
            return self._cells(piece)
        called = triangular_product(piece, self.memory, self.cell) if self.matcher.there else None
        if called is not None:
            self.matcher.used = True
            return [*(self._cells(called.copy) if called.copy is not None else []), called.call]
        if not piece.falling:
            found = running(piece, self.cell, self.names)
            if found is not None:
                return found
            if not self._reads_written(piece.term, piece, but_own=True):
                back = running_back(piece, self.cell, self.names)
                return back or self._by_sums(piece) or self._through_sum(piece) or self._cells(piece)
        return self._cells(piece)

    def _cells(self, piece: Piece) -> list[Line]:
        """Return a nest that computes cell by cell, but what the cells of rows share once for each row."""
        piece = piece if self.plain else upwards(piece, self.memory.inside(piece.slot))
        depth = None if self.plain else depth_of_rows(piece)
        if depth is not None:
            return self._rows(piece, depth)

        def body(values: Mapping[str, Affine]) -> list[Line]:
            cell = self.cell(piece.where)
            with self.names.scope():
                here = substitute(piece.term, values)
                if not piece.variables and terms.applies(here, "select") and here.args[2] is piece.own:
                    return self._sometimes(here.args[0], here.args[1], piece)
                wraps = may_overflow("add", here.dtype, self.wrapping)
                rest = None if wraps else _added_to(here, substitute(piece.own, values))
                if not piece.variables and rest is None:
                    self._use_dots(cell, piece)
                chosen = _narrowed_choice(here) if rest is None else None
                text = cell.value(chosen or (here if rest is None else rest)).source
                if chosen is not None:
                    name = self.names.fresh("t")
                    cell.lines.append(f"const {C_TYPES[chosen.dtype]} {name} = {text};")
                    text = f"({C_TYPES[here.dtype]}){name}"
            return [*cell.lines, f"{piece.target(values)} {'=' if rest is None else '+='} {text};"]

        return nest(piece.domain, piece.variables, piece.context, body, falling=piece.falling)

    def _rows(self, piece: Piece, depth: int) -> list[Line]:
        """Return loops over rows of a piece, each of which computes what its cells share, and then these."""
        outer, inner = piece.variables[:depth], piece.variables[depth:]
        points = piece.domain.project_out(*inner)

        def row(values: Mapping[str, Affine]) -> list[Line]:
            here = (piece.context & points).substitute(values)
            one, cell = replace(piece.over(inner, values), context=here), self.cell(here)
            with self.names.scope():
                while (shared := shared_in_rows(one.term, inner)) is not None:
                    if (stored := self._stored_first(one)) is not None:
                        lines, one = stored
                        cell.lines += lines
                        continue
                    name = cell.named(shared)
                    known = terms.read(f"{name} of a row", (), shared.dtype)
                    self.memory.put(known.array, Slot(name, shared.dtype, (), is_local=True))
                    one = replace(one, term=replaced(one.term, shared, known))
                return [*cell.lines, *self._cells(one)]

        return nest(points, outer, piece.context, row, falling=piece.falling)

    def _stored_first(self, piece: Piece) -> tuple[list[Line], Piece] | None:
        """Return statements that store what cells and folds over them need, and the piece that is left; else None."""
        found = computed_twice(piece)
        if found is None:
            return None
        term, bounds = found
        stored = terms.read(f"{piece.slot.name} stored first", piece.own.indices, piece.own.dtype)
        rest = replaced(piece.term, term, stored)
        for bound in bounds:
            there = {piece.variables[0]: Affine.var(bound)}
            rest = replaced(rest, substitute(term, there), substitute(stored, there))
        if not rest.reads.isdisjoint(self.memory.inside(piece.slot)):
            return None  # they would be overwritten
        lines = self._cells(replace(piece, term=term))
        self.memory.put(stored.array, piece.slot)
        return lines, replace(piece, term=rest, own=stored)

    def _sometimes(self, test: Term, chosen: Term, piece: Piece) -> list[Line]:
        """Return statements that give a variable another value where a test holds."""
        cell, arm = self.cell(piece.where), self.cell(piece.where)
        condition_ = cell.value(test).source
        text = arm.value(chosen).source
        return [*cell.lines, Block(f"if ({condition_})", [*arm.lines, f"{piece.target({})} = {text};"])]

    def beside(self, found: Beside) -> list[Line]:
        """Return loops that compute pieces side by side: all that is stored is computed first."""
        lines: list[Line] = []
        for group in found.groups:
            with self.names.scope():
                lines += nest(
                    group[0].domain, group[0].variables, group[0].context, partial(self._group, group),
                    falling=found.falling,
                )  # fmt: skip
        return lines

    def _group(self, group: Sequence[Piece], values: Mapping[str, Affine]) -> list[Line]:
        cell = self.cell(group[0].where)
        with self.names.scope():
            texts = cell.values([substitute(piece.term, values) for piece in group])
        *others, last = [f"{piece.target(values)} = {text};" for piece, text in zip(group, texts, strict=True)]
        return [*cell.lines, last, *others]

    def _use_dots(self, cell: Cell, piece: Piece) -> None:
        """Let BLAS compute products of vectors."""
        for part in () if self.plain else addends(piece.term):
            text = self.matcher.dot(part, piece)
            if text is not None:
                cell.know(part.term, text)

    def _reads_written(self, term: Term, piece: Piece, *, but_own: bool = False) -> bool:
        """Tell whether a term of a piece reads cells that the piece writes."""
        return reads_written(term, piece.where, piece, self.memory.inside(piece.slot), but_own=but_own)

    # -- what does not vary

    def hoisted(self, piece: Piece) -> tuple[list[Line], Piece]:
        """Return statements that compute folds that do not depend on all variables once, and the piece that is left."""
        lines: list[Line] = []
        for end, counter in self.counted if has_fold(piece.term) else ():
            piece = replace(piece, term=replaced(piece.term, end, counter))
        while not self.plain and not self._goes_by_rows(piece):
            repeats = [fold for fold in folds_of(piece.term) if _repeats(fold, piece)]
            fold = min(repeats, key=lambda fold: (_is_varied(fold, piece), nesting(fold)), default=None)
            once = fold or self._apart(piece) or self._steady(piece)
            own = () if once is None else tuple(v for v in piece.variables if v in once.free)
            where = piece.where.project_out(*(v for v in piece.variables if v not in own))
            if isinstance(once, Read) and reads_exist(once, piece.context, self.memory.shape):
                where = piece.context
            shape = None if once is None else self._extents(own, where)
            if once is None or shape is None:
                break
            named = f"{self.memory.place[once.array].name}_cell" if isinstance(once, Read) else "part"
            slot = self.new_slot(named, once.dtype, shape)
            cell = terms.read(f"{slot.name} computed before", tuple(map(Affine.var, own)), once.dtype)
            lines += self.piece(Piece(slot, own, where, once, piece.context, cell))
            self.memory.put(cell.array, slot)
            piece = replace(piece, term=replaced(piece.term, once, cell))
        return lines, piece

    def _apart(self, piece: Piece) -> Reduce | None:
        """Return a sum that strides through memory and that cells of another type cannot add up."""
        if not piece.variables or is_single_valued(piece.where, piece.variables[-1]):
            return None
        sums = (fold for fold in folds_of(piece.term) if fold.op == "sum" and fold.dtype != piece.slot.dtype)
        return next((one for one in sums if strides_through(Part(one, one), piece.variables, self.memory)), None)

    def _goes_by_rows(self, piece: Piece) -> bool:
        return not self.plain and folds_by_rows(piece, self.memory, blas=self.matcher.there)

    def read_by_cells(self, piece: Piece) -> Term:
        """Return what loops that go upwards read at each cell of a piece, but for what is computed before."""
        return read_before(piece) if self._goes_by_rows(piece) else step(piece, self.memory.inside(piece.slot))

    def _steady(self, piece: Piece) -> Read | None:
        """Return a cell that is read at all points of a piece, and that compilers may take to be written at some.

        It is in the memory that is written, which may go on after it was read, or of its type in a loop for threads.
        """
        if has_fold(piece.term) or all(is_single_valued(piece.where, variable) for variable in piece.variables):
            return None
        outer, found = {*self.sizes, *piece.context.variables()} - {*piece.variables}, list[Read]()

        def visit(read: Read, _: Domain) -> None:
            indices = read.indices if read.dtype == piece.slot.dtype and self.memory.place[read.array].shape else ()
            if indices and all(outer.issuperset(index.variables) for index in indices):
                found.append(read)

        visit_reads(piece.term, piece.where, visit)
        where = piece.where.project_out(*piece.variables)
        return next((one for one in found if reads_exist(one, where, self.memory.shape)), None)

    def _extents(self, variables: Sequence[str], where: Domain) -> list[Affine] | None:
        """Return extents over sizes that hold all values of variables; None where they are no such expressions."""
        found = []
        for name in variables:
            others = [v for v in where.variables() if v != name and v not in self.sizes]
            try:
                ends = extreme_of(where.project_out(*others), name, maximum=True)
            except NotAffine:
                return None
            if len(ends) != 1:
                return None
            found.append(ends[0][1] + 1)
        return found

    # -- sums

    def _by_sums(self, piece: Piece) -> list[Line] | None:
        """Return statements that add sums up in memory, None where cell by cell is as good."""
        parts = addends(piece.term)
        folds = [part.fold for part in parts if part.fold is not None]
        if not folds or any(part.fold is None and has_fold(part.term) for part in parts):
            return None
        if any(self._reads_written(fold, piece) for fold in folds):
            return None
        calls = self.matcher.calls(parts, piece)
        called = [part for call in calls for part in call.parts]
        moving = bool(piece.variables) and not is_single_valued(piece.where, piece.variables[-1])
        others = [part for part in parts if part not in called] if moving else []
        summed = [part for part in others if strides_through(part, piece.variables, self.memory)]
        if not called and not summed:
            return None
        start = joined([p for p in parts if p not in called and p not in summed], piece.term.dtype)
        beta = None
        if called:
            beta = "0.0" if start is None else self._scale(start, piece)
            beta = None if calls[0].only_adds else beta
        lines: list[Line] = []
        if beta is None:
            first = terms.zero(piece.term.dtype) if start is None else start
            lines += [] if first is piece.own else self._cells(replace(piece, term=first))
            beta = "1.0"
        for call in calls:
            lines += call.spell(beta)
            beta = "1.0"
        for part in summed:
            lines += self._added_up(piece, part)
        return lines

    def _through_sum(self, piece: Piece) -> list[Line] | None:
        """Return statements that put a sum into the cells and then what is computed from it; None without one."""
        folds = folds_of(piece.term)
        if len(folds) != 1 or folds[0].dtype != piece.slot.dtype or self._reads_written(piece.term, piece):
            return None
        summed = self._by_sums(replace(piece, term=folds[0]))
        if summed is None:
            return None
        cell = terms.read(f"{piece.slot.name} summed up", piece.own.indices, piece.own.dtype)
        self.memory.put(cell.array, piece.slot)
        rest = replace(piece, term=replaced(piece.term, folds[0], cell), own=cell)
        return [*summed, *self._cells(rest)]

    def _scale(self, start: Term, piece: Piece) -> str | None:
        """Spell by what the own cell is multiplied, where that is all of a term."""
        if start is piece.own:
            return "1.0"
        listed = multiplied(start)
        rest = [factor for factor in listed if factor is not piece.own]
        scale = product(rest)
        if scale is None or len(rest) != len(listed) - 1 or self._reads_written(scale, piece):
            return None
        if scale.dtype != piece.own.dtype or not scale.free.isdisjoint(piece.variables):
            return None
        cell = self.cell(piece.context)
        text = cell.value(scale, share=False).source
        return None if cell.lines else text

    def _added_up(self, piece: Piece, part: Part) -> list[Line]:
        """Add a sum up in memory, with the last axis of the array innermost."""
        fold = part.fold
        assert fold is not None
        with self.names.scope():
            bound, domain, body = renewed(fold, self.names.fresh)
            points = piece.domain & domain
            body = body if part.coefficient is None else terms.apply("mul", part.coefficient, body)

            def step(values: Mapping[str, Affine]) -> list[Line]:
                cell = self.cell(points & piece.context)
                with self.names.scope():
                    text = cell.value(substitute(body, values))
                return [*cell.lines, cell.update("sum", fold.dtype, piece.target(values), text)]

            order = [*piece.variables[:-1], *bound, piece.variables[-1]]
            return nest(points, order, piece.context, step)


def _is_varied(fold: Reduce, piece: Piece) -> bool:
    """Tell whether a fold depends on some variable of a piece."""
    return not fold.free.isdisjoint(piece.variables)


def _repeats(fold: Reduce, piece: Piece) -> bool:
    """Tell whether a fold has the same value at several points of a piece."""
    return any(v not in fold.free and not is_single_valued(piece.where, v) for v in piece.variables)


def _narrowed_choice(term: Term) -> Term | None:
    """Return what is chosen where an integer is made narrow: compilers would make what it is chosen from narrow."""
    if not isinstance(term, Apply) or term.op != "cast" or not is_integer(term.dtype):
        return None
    chosen = term.args[0]
    return chosen if isinstance(chosen, Apply) and chosen.op == "select" and is_integer(chosen.dtype) else None


def _added_to(term: Term, own: Term) -> Term | None:
    """Return what is added to the own cell, where the term is such a sum."""
    if not isinstance(term, Apply) or term.op != "add" or term.dtype not in _COMPOUND:
        return None
    left, right = term.args
    if own in (left, right):
        return right if left is own else left
    inner = _added_to(left, own)
    return None if inner is None else terms.apply("add", inner, right)
