"""Definitions as calls of BLAS: sums of products of two arrays, whatever the order of their axes; the rest is Linalg.

The axes of a product fall into groups: those of the first operand and the result, of the second and the result, and
those that are summed.  Where the groups lie side by side in an operand, it is a matrix as it is; where they do not, it
is transposed into an array of its own first, and so is the result behind the product (TTGT).  What a sum is added to is
the routine's business where it is a multiple of the cell's value before.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.rewrite import multiplied
from tensorlift.poly.affine import Affine
from tensorlift.raising.bodies import Body, operand, unraisable
from tensorlift.raising.linalg import Emission, Piece
from tensorlift.raising.routines import Routine
from tensorlift.targets.c.sums import Part, addends, has_fold, joined, product, sum_of_products
from tensorlift.targets.linalg.writer import operands_text
from tensorlift.targets.mlir_text.text import names_and_types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.raising.bodies import Loop, MemRef
    from tensorlift.targets.linalg.writer import Value

_PAIR = 2
_REALS = ("f64", "f32")


@dataclass(frozen=True)
class _Product:
    """A sum of products of two reads at plain variables, with a factor that does not vary."""

    reads: tuple[Read, Read]
    factor: Term | None
    variables: tuple[str, ...]  # of the cells
    summed: tuple[str, ...]
    loops: Sequence[Loop]


@dataclass
class BlasEmission(Emission):
    """Writes calls where it can; ``routines`` are those that were called."""

    routines: dict[str, Routine] = field(default_factory=dict)

    def write_piece(self, piece: Piece) -> None:
        """Write what computes a piece."""
        piece = self.moving(piece)
        found = [(part, self._product_in(part, piece)) for part in addends(piece.term)]
        products = [one for _, one in found if one is not None]
        if not products:
            super().write_piece(piece)
            return
        rest = [part for part, one in found if one is None]
        start = joined(rest, piece.term.dtype)
        beta = terms.zero(piece.term.dtype) if start is None else self._scale(start, piece)
        if beta is None or not products[0].summed:
            if start is not None:
                super().write_piece(replace(piece, term=start))
            else:
                self.assign(piece, terms.zero(piece.term.dtype))
            beta = terms.one(piece.term.dtype)
        for one in products:
            self._call(piece, one, beta)
            beta = terms.one(piece.term.dtype)

    def _scale(self, start: Term, piece: Piece) -> Term | None:
        """Return by what the cell's value before is multiplied, where that is all of a term."""
        listed = multiplied(start)
        rest = [factor for factor in listed if factor is not piece.own]
        if len(rest) != len(listed) - 1:
            return None
        scale = product(rest)
        if scale is None:
            return terms.one(start.dtype)
        varies = not scale.free.isdisjoint(piece.variables) or scale.reads or has_fold(scale)
        return None if varies or scale.dtype != start.dtype else scale

    def _product_in(self, part: Part, piece: Piece) -> _Product | None:
        """Read an addend as a product for BLAS; an outer product has no sum."""
        dtype = piece.target.dtype
        found = sum_of_products(part, piece.variables, dtype) if dtype in _REALS else None
        if found is None or (found.scale is not None and found.scale.reads):
            return None
        if any(read.array == piece.own.array for read in found.reads) or not self._fits(
            found.reads, piece, found.summed
        ):
            return None
        loops = self.loops(piece.domain & found.domain, (*piece.variables, *found.summed))
        return _Product(found.reads, found.scale, piece.variables, found.summed, loops)

    @staticmethod
    def _fits(reads: Sequence[Read], piece: Piece, summed: Sequence[str]) -> bool:
        """Tell whether each index is in exactly two of the operands and the result, and the groups suffice."""
        sides = [[index.variable for index in read.indices if not _still(index, piece, summed)] for read in reads]
        if any(None in side or len(set(side)) != len(side) for side in sides):
            return False
        left, right = map(set, sides)
        cells = {index.variable for index in piece.indices if not _still(index, piece, summed)}
        if cells != set(piece.variables) or (left & right) != set(summed) or (left ^ right) != cells:
            return False
        return bool(summed) or bool(left and right)

    # -- calls

    def _call(self, piece: Piece, found: _Product, beta: Term) -> None:
        """Write a call, with what must be transposed before and behind it."""
        first, second = found.reads
        if _position(first, piece) > _position(second, piece):
            first, second = second, first
        rows = tuple(v for v in found.variables if v in first.free)
        columns = tuple(v for v in found.variables if v in second.free)
        if not rows:
            first, second, rows, columns = second, first, columns, rows
        operands = [operand(self.at(read), read.indices, found.loops, self.writer) for read in (first, second)]
        axes = [tuple(str(s.variable) for s in one.subscripts) for one in operands]
        summed = _summed_order(axes, rows, columns, found.summed)
        out = operand(piece.target, piece.indices, found.loops, self.writer)
        ranks = (len(rows), len(columns), len(summed))
        is_joint = max(ranks) > 1
        a, ta = self._laid_out(operands[0].memref, axes[0], (rows, summed), found, dense=is_joint)
        b, tb = self._laid_out(operands[1].memref, axes[1], (summed, columns), found, dense=is_joint)
        is_in_order = tuple(str(s.variable) for s in out.subscripts) == (*rows, *columns)
        if is_in_order and (not is_joint or not out.memref.has_layout):
            self._write(Routine(piece.target.dtype, ranks, (ta, tb), _is_zero(beta)), found, (a, b, out.memref), beta)
            return
        extents = {loop.variable: loop.extent for loop in found.loops}
        target = self.new("product", piece.target.dtype, [extents[v] for v in (*rows, *columns)])
        self._write(Routine(piece.target.dtype, ranks, (ta, tb), is_new=True), found, (a, b, target), beta)
        firsts = {loop.variable: loop.first for loop in found.loops}
        indices = tuple(Affine.var(v) - firsts[v] for v in (*rows, *columns))
        cell = terms.read(f"{target.name} multiplied before", indices, target.dtype)
        self.place[cell.array] = target
        before = terms.apply("mul", beta, piece.own)
        total = cell if _is_zero(beta) else terms.apply("add", before, cell)
        super().write_piece(replace(piece, term=total))

    def _laid_out(
        self,
        memref: MemRef,
        axes: tuple[str, ...],
        groups: tuple[tuple[str, ...], tuple[str, ...]],
        found: _Product,
        *,
        dense: bool,
    ) -> tuple[MemRef, bool]:
        """Return an operand with its groups side by side, and whether they are exchanged."""
        first, second = groups
        usable = memref.strides[-1] == 1 and not (dense and memref.has_layout) if len(axes) > 1 else not dense
        usable = usable or (dense and not memref.has_layout)
        if usable and axes == (*first, *second):
            return memref, False
        if usable and axes == (*second, *first):
            return memref, True
        extents = {loop.variable: loop.extent for loop in found.loops}
        order = (*first, *second)
        target = self.new("laid_out", memref.dtype, [extents[v] for v in order])
        if axes == order:
            self.writer.line(f"memref.copy {memref.name}, {target.name} : {memref.type} to {target.type}")
            self.names.append("memref.copy")
            return target, False
        listed = ", ".join(str(axes.index(v)) for v in order)
        self.writer.line(f"linalg.transpose {operands_text([memref], target)} permutation = [{listed}]")
        self.names.append("linalg.transpose")
        return target, False

    def _write(self, routine: Routine, found: _Product, memrefs: Sequence[MemRef], beta: Term) -> None:
        if routine.family in ("ger", "dot", "gemv") and max(routine.ranks) > 1 and routine.family != "gemv":
            raise unraisable(f"BLAS has no {routine.family} for joint axes")
        self.routines[routine.name] = routine
        one = terms.one(memrefs[-1].dtype)
        alpha = self._number(one if found.factor is None else found.factor)
        casts = [self._cast(memref, routine.type_of(k)) for k, memref in enumerate(memrefs)]
        given = [alpha, casts[0], casts[1], *([self._number(beta)] if routine.takes_beta else []), casts[2]]
        listed, types = names_and_types(given)
        self.writer.line(f"func.call @{routine.name}({listed}) : ({types}) -> ()")
        self.names.append(routine.cblas)

    def _number(self, term: Term) -> Value:
        return Body(self.writer, (), self.at).value(term)

    def _cast(self, memref: MemRef, wanted: str) -> Value | MemRef:
        if memref.type == wanted:
            return memref
        value = f"memref.cast {memref.name} : {memref.type} to {wanted}"
        return self.writer.once(("cast", memref.name, wanted), value, wanted)


def _still(index: Affine, piece: Piece, summed: Sequence[str]) -> bool:
    return not any(v in piece.variables or v in summed for v in index.variables)


def _position(read: Read, piece: Piece) -> int:
    """Return where the first axis of the cells that an operand shares stands."""
    return next((k for k, v in enumerate(piece.variables) if v in read.free), len(piece.variables))


def _summed_order(
    axes: Sequence[tuple[str, ...]], rows: Sequence[str], columns: Sequence[str], summed: Sequence[str]
) -> tuple[str, ...]:
    """Return the order of the summed indices in an operand whose groups are apart, so that it stays as it is."""
    for side, others in zip(axes, (rows, columns), strict=True):
        order = tuple(v for v in side if v in summed)
        kept = tuple(v for v in side if v in others)
        if side in ((*kept, *order), (*order, *kept)) and kept == tuple(others):
            return order
    return tuple(v for v in axes[0] if v in summed)


def _is_zero(term: Term) -> bool:
    return isinstance(term, terms.Constant) and term.value == 0
