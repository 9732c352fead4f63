"""Contractions as calls of BLAS: products of matrices and vectors that lie in memory as BLAS wants them.

A sum of products of two reads is matched by the variables of its operands: those of the sum are in both, a row of the
result in one, a column in the other; whatever else varies is looped over.  Extents that depend on each other, other
element types than float and double, and operands without neighbours in memory stay loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, NotAffine, at_least
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Read
from tensorlift.targets.c.cells import affine_text
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.sums import factors, has_fold, product

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.targets.c.cells import Cell
    from tensorlift.targets.c.storage import Memory, Piece, Slot
    from tensorlift.targets.c.sums import Part
    from tensorlift.targets.c.text import Line

    Call = Callable[[str], list[Line]]  # the statements, given what the result is scaled by before

_PREFIXES = {"f64": "cblas_d", "f32": "cblas_s"}
_ROWS = "CblasRowMajor"


@dataclass(frozen=True, slots=True)
class _Operand:
    """A read in memory."""

    slot: Slot
    indices: tuple[Affine, ...]

    def uses(self, variable: str) -> bool:
        return any(index.coefficient(variable) for index in self.indices)

    def axis(self, variable: str) -> int:
        """Return the only axis that a variable runs along in steps of one; -1 where there is none."""
        found = [k for k, index in enumerate(self.indices) if index.coefficient(variable)]
        return found[0] if len(found) == 1 and self.indices[found[0]].coefficient(variable) == 1 else -1

    def stride(self, variable: str) -> str:
        return self.slot.stride(self.axis(variable))

    def address(self, values: Mapping[str, Affine]) -> str:
        return self.slot.address([index.substitute(values) for index in self.indices])


@dataclass(frozen=True, slots=True)
class _Matrix:
    """An operand as a matrix by rows: its flag and its leading dimension."""

    operand: _Operand
    flag: str
    leading: str


@dataclass(frozen=True, slots=True)
class _Product:
    """A sum over one variable of products of two reads; ``points`` are those of the cells and of the sum."""

    piece: Piece
    summed: str
    operands: tuple[_Operand, _Operand]
    scale: str
    points: Domain


class Matcher:
    """Matches sums with the routines of BLAS; ``used`` tells whether it found any."""

    def __init__(self, memory: Memory, cell_at: Callable[[Domain], Cell]) -> None:
        self._memory = memory
        self._cell_at = cell_at
        self.used = False

    def call(self, part: Part, piece: Piece) -> Call | None:
        """Return the call for an addend of a piece; None where BLAS has none."""
        found = self._product(part, piece)
        if found is None or not piece.variables:
            return None
        left, right = found.operands
        rows = [v for v in piece.variables if left.uses(v) and not right.uses(v)]
        columns = [v for v in piece.variables if right.uses(v) and not left.uses(v)]
        where = found.points & piece.context
        if any(not left.uses(v) and not right.uses(v) and not where.is_single_valued(v) for v in piece.variables):
            return None
        call = _matrices(found, rows, columns) if rows and columns else None
        if bool(rows) != bool(columns):
            call = _vector(found, rows or columns, matrix_first=bool(rows))
        self.used = self.used or call is not None
        return call

    def dot(self, part: Part, piece: Piece) -> str | None:
        """Spell an addend without axes that is a product of two vectors; None where it is none."""
        found = self._product(part, piece) if part.coefficient is None else None
        if found is None or any(o.axis(found.summed) < 0 for o in found.operands) or found.scale != "1.0":
            return None
        ranges = box(found.points, (found.summed,), piece.context)
        if ranges is None:
            return None
        self.used = True
        at = _At(found, ranges, {})
        vectors = [text for o in found.operands for text in (at.address(o), o.stride(found.summed))]
        return f"{_PREFIXES[piece.slot.dtype]}dot({', '.join([at.extent(found.summed), *vectors])})"

    def _product(self, part: Part, piece: Piece) -> _Product | None:
        """Read an addend as a sum of products of two reads, with a scale that does not vary."""
        fold = part.fold
        if fold is None or len(fold.bound) != 1 or fold.dtype not in _PREFIXES or fold.dtype != piece.slot.dtype:
            return None
        summed = fresh("summed")
        domain = fold.domain.rename({fold.bound[0]: summed})
        listed = factors(substitute(fold.body, {fold.bound[0]: Affine.var(summed)}))
        varying = {*piece.variables, summed}
        reads = [f for f in listed if isinstance(f, Read) and not f.free.isdisjoint(varying)]
        others = [f for f in listed if f not in reads] + ([] if part.coefficient is None else [part.coefficient])
        if len(reads) != 2 or any(f.dtype != fold.dtype for f in (*reads, *others)):  # noqa: PLR2004 - a product of two
            return None
        if any(not f.free.isdisjoint(varying) or has_fold(f) for f in others):
            return None
        inside = {version for version, slot in self._memory.place.items() if slot.name == piece.slot.name}
        if any(not f.reads.isdisjoint(inside) for f in (*reads, *others)):
            return None
        scale, cell = product(others), self._cell_at(piece.context)
        text = "1.0" if scale is None else cell.value(scale, share=False).source
        if cell.lines:
            return None
        operands = (_Operand(self._memory.place[r.array], r.indices) for r in reads)
        return _Product(piece, summed, (next(operands), next(operands)), text, piece.domain & domain)


def box(points: Domain, variables: Sequence[str], context: Domain) -> dict[str, tuple[Affine, Affine]] | None:
    """Return first and last value of variables that run through a box, at any point of the others; None without one."""
    found: dict[str, tuple[Affine, Affine]] = {}
    inside = points & context
    for name in variables:
        alone = inside.project_out(*(v for v in variables if v != name))
        try:
            first, last = (alone.extreme(name, maximum=maximum) for maximum in (False, True))
        except NotAffine:
            return None
        ends = _only(first, inside, name), _only(last, inside, name)
        if ends[0] is None or ends[1] is None:
            return None
        found[name] = (ends[0], ends[1])
    whole = inside.project_out(*variables)
    for name, (low, high) in found.items():
        whole = whole & Domain.of(at_least(name, low), at_least(high, name))
    return found if whole.is_subset(points) else None


def _only(pieces: Sequence[tuple[Domain, Affine]], inside: Domain, name: str) -> Affine | None:
    """Return a bound that is the same expression everywhere."""
    known = inside.project_out(name)
    here = [value for domain, value in pieces if not (domain & known).is_empty()]
    return here[0] if len(here) == 1 else None


def _matrices(found: _Product, rows: Sequence[str], columns: Sequence[str]) -> Call | None:
    left, right = found.operands
    last = found.piece.variables[-1]
    if last in rows:
        left, right, rows, columns = right, left, columns, rows
    if last not in columns or found.piece.slot.stride(found.piece.slot.rank - 1) != "1":
        return None
    for row in reversed(rows):
        a, b = _matrix(left, row, found.summed), _matrix(right, found.summed, last)
        if a is None or b is None:
            continue
        ranges = box(found.points, (row, last, found.summed), found.piece.context)
        if ranges is None:
            continue

        def spell(beta: str, row: str = row, a: _Matrix = a, b: _Matrix = b, ranges: _Ranges = ranges) -> list[Line]:
            def arguments(at: _At) -> list[str]:
                sizes = [at.extent(v) for v in (row, last, found.summed)]
                return [
                    a.flag, b.flag, *sizes, found.scale, at.address(a.operand), a.leading, at.address(b.operand),
                    b.leading, beta, at.result(), found.piece.slot.stride(found.piece.variables.index(row)),
                ]  # fmt: skip

            return _called(found, "gemm", ranges, arguments)

        return spell
    return None


def _vector(found: _Product, candidates: Sequence[str], *, matrix_first: bool) -> Call | None:
    matrix, vector = found.operands if matrix_first else found.operands[::-1]
    if vector.axis(found.summed) < 0:
        return None
    for row in reversed(candidates):
        a = _matrix(matrix, row, found.summed)
        ranges = None if a is None else box(found.points, (row, found.summed), found.piece.context)
        if a is None or ranges is None or not _never_empty(ranges[found.summed], found.piece.context):
            continue

        def spell(beta: str, row: str = row, a: _Matrix = a, ranges: _Ranges = ranges) -> list[Line]:
            def arguments(at: _At) -> list[str]:
                sizes = [at.extent(row), at.extent(found.summed)]
                return [
                    a.flag, *(sizes if a.flag == "CblasNoTrans" else sizes[::-1]), found.scale, at.address(a.operand),
                    a.leading, at.address(vector), vector.stride(found.summed), beta, at.result(),
                    found.piece.slot.stride(found.piece.variables.index(row)),
                ]  # fmt: skip

            return _called(found, "gemv", ranges, arguments)

        return spell
    return None


_Ranges = dict[str, tuple[Affine, Affine]]


@dataclass(frozen=True, slots=True)
class _At:
    """Spells arguments where the batch variables have values and those of the call start."""

    found: _Product
    ranges: _Ranges
    values: Mapping[str, Affine]

    def extent(self, variable: str) -> str:
        first, last = self.ranges[variable]
        return affine_text((last - first + 1).substitute(self.values)).source

    def _starts(self) -> dict[str, Affine]:
        return {v: low.substitute(self.values) for v, (low, _) in self.ranges.items()} | dict(self.values)

    def address(self, operand: _Operand) -> str:
        return operand.address(self._starts())

    def result(self) -> str:
        piece = self.found.piece
        return piece.slot.address([Affine.var(v).substitute(self._starts()) for v in piece.variables])


def _called(found: _Product, routine: str, ranges: _Ranges, arguments: Callable[[_At], list[str]]) -> list[Line]:
    piece = found.piece
    batch = [v for v in piece.variables if v not in ranges]
    points = (found.points & piece.context).project_out(*ranges)

    def body(values: Mapping[str, Affine]) -> list[Line]:
        listed = arguments(_At(found, ranges, values))
        return [f"{_PREFIXES[piece.slot.dtype]}{routine}({_ROWS}, {', '.join(listed)});"]

    return nest(points, batch, piece.context, body)


def _matrix(operand: _Operand, row: str, column: str) -> _Matrix | None:
    """See an operand as a matrix with these variables for rows and columns."""
    axes = operand.axis(row), operand.axis(column)
    last = operand.slot.rank - 1
    if min(axes) < 0 or axes[0] == axes[1] or operand.slot.stride(last) != "1":
        return None
    if axes[1] == last:
        return _Matrix(operand, "CblasNoTrans", operand.slot.stride(axes[0]))
    return _Matrix(operand, "CblasTrans", operand.slot.stride(axes[1])) if axes[0] == last else None


def _never_empty(ends: tuple[Affine, Affine], context: Domain) -> bool:
    return context.implies(at_least(ends[1], ends[0]))
