"""Contractions as calls of BLAS: products of matrices and vectors that lie in memory as BLAS wants them.

A sum of products of two reads is matched by the variables of its operands: those of the sum are in both, a row of the
result in one, a column in the other; whatever else varies is looped over.  Extents that depend on each other, other
element types than float and double, and operands without neighbours in memory stay loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension.affine import Affine
from tensorlift.comprehension.domain import Domain, at_least, less
from tensorlift.targets.c.cells import affine_text
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.operands import PREFIXES, Matrix, Operand, Product, box, matrix, symmetric_call
from tensorlift.targets.c.storage import reads_written
from tensorlift.targets.c.sums import sum_of_products

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tensorlift.targets.c.cells import Cell
    from tensorlift.targets.c.operands import Ranges
    from tensorlift.targets.c.storage import Memory, Piece
    from tensorlift.targets.c.sums import Part
    from tensorlift.targets.c.text import Line

    Spell = Callable[[str], list[Line]]  # the statements, given what the result is scaled by before

_ROWS = "CblasRowMajor"


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A call for addends: its statements, given what the result is scaled by before.

    With ``only_adds`` that must be one, since sums may be empty.
    """

    parts: tuple[Part, ...]
    spell: Spell
    only_adds: bool = False


class Matcher:
    """Matches sums with the routines of BLAS; ``used`` tells whether it found any."""

    def __init__(self, memory: Memory, cell_at: Callable[[Domain], Cell]) -> None:
        self._memory = memory
        self._cell_at = cell_at
        self.used = False

    def calls(self, parts: Sequence[Part], piece: Piece) -> list[Call]:
        """Return calls for addends of a piece, each for one or for two of them; BLAS has none for the others."""
        if not piece.variables:
            return []
        products = {part: product for part in parts if (product := self._product(part, piece)) is not None}
        calls: list[Call] = []
        for part, product in products.items():
            if any(part in call.parts for call in calls):
                continue
            others = [other for other in products if other is not part and not any(other in c.parts for c in calls)]
            pairs = (_symmetric({part: product, other: products[other]}) for other in others)
            call = next(filter(None, pairs), None) or _single(part, product)
            calls += [] if call is None else [call]
        self.used = self.used or bool(calls)
        return calls

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
        return f"{PREFIXES[piece.slot.dtype]}dot({', '.join([at.extent(found.summed), *vectors])})"

    def _product(self, part: Part, piece: Piece) -> Product | None:
        """Read an addend as a sum of products of two reads, with a scale that does not vary."""
        found = sum_of_products(part, piece.variables, piece.slot.dtype) if piece.slot.dtype in PREFIXES else None
        if found is None:
            return None
        points, inside = piece.domain & found.domain, self._memory.inside(piece.slot)
        scaling = () if found.scale is None else (found.scale,)
        if any(reads_written(f, points & piece.context, piece, inside) for f in (*found.reads, *scaling)):
            return None
        cell = self._cell_at(piece.context)
        text = "1.0" if found.scale is None else cell.value(found.scale, share=False).source
        if cell.lines:
            return None
        left, right = (Operand(self._memory.place[r.array], r.indices) for r in found.reads)
        return Product(piece, found.summed, (left, right), text, points)


def _single(part: Part, product: Product) -> Call | None:
    """Return the call for one product."""
    left, right = product.operands
    variables = product.piece.variables
    rows = [v for v in variables if left.uses(v) and not right.uses(v)]
    columns = [v for v in variables if right.uses(v) and not left.uses(v)]
    where = product.points & product.piece.context
    if any(not left.uses(v) and not right.uses(v) and not where.is_single_valued(v) for v in variables):
        return None
    if rows and columns:
        general = _matrices(part, product, rows, columns)
        return _symmetric({part: product}, general) or general
    return _vector(part, product, rows or columns, matrix_first=bool(rows)) if rows or columns else None


def _symmetric(products: Mapping[Part, Product], general: Call | None = None) -> Call | None:
    """Return the call for symmetric products; where what is there already counts too, the ``general`` one is taken."""
    listed = list(products.values())
    found = symmetric_call(listed)
    if found is None or (found.mirrored and general is None):
        return None
    piece = listed[0].piece

    def spell(beta: str) -> list[Line]:
        if found.mirrored and general is not None and beta != "0.0":
            return general.spell(beta)
        call = f"{PREFIXES[piece.slot.dtype]}{found.routine}({_ROWS}, {found.arguments(beta)});"
        return [call, *(_mirror(piece) if found.mirrored else [])]

    return Call(tuple(products), spell)


def _mirror(piece: Piece) -> list[Line]:
    """Copy the upper half of a square to the lower one."""
    row, column = piece.variables
    lower = piece.domain & Domain.of(less(column, row))

    def body(values: Mapping[str, Affine]) -> list[Line]:
        turned = (Affine.var(name).substitute(values) for name in (column, row))
        return [f"{piece.target(values)} = {piece.slot.cell(tuple(turned)).source};"]

    return nest(lower, piece.variables, piece.context, body)


def _matrices(part: Part, found: Product, rows: Sequence[str], columns: Sequence[str]) -> Call | None:
    left, right = found.operands
    last = found.piece.variables[-1]
    if last in rows:
        left, right, rows, columns = right, left, columns, rows
    if last not in columns or found.piece.slot.stride(found.piece.slot.rank - 1) != "1":
        return None
    for row in reversed(rows):
        a, b = matrix(left, row, found.summed), matrix(right, found.summed, last)
        if a is None or b is None:
            continue
        ranges = box(found.points, (row, last, found.summed), found.piece.context)
        if ranges is None:
            continue

        def spell(beta: str, row: str = row, a: Matrix = a, b: Matrix = b, ranges: Ranges = ranges) -> list[Line]:
            def arguments(at: _At) -> list[str]:
                sizes = [at.extent(v) for v in (row, last, found.summed)]
                return [
                    a.flag, b.flag, *sizes, found.scale, at.address(a.operand), a.leading, at.address(b.operand),
                    b.leading, beta, at.result(), found.piece.slot.stride(found.piece.variables.index(row)),
                ]  # fmt: skip

            return _called(found, "gemm", ranges, arguments)

        return Call((part,), spell)
    return None


def _vector(part: Part, found: Product, candidates: Sequence[str], *, matrix_first: bool) -> Call | None:
    table, vector = found.operands if matrix_first else found.operands[::-1]
    if vector.axis(found.summed) < 0:
        return None
    for row in reversed(candidates):
        a = matrix(table, row, found.summed)
        ranges = None if a is None else box(found.points, (row, found.summed), found.piece.context)
        if a is None or ranges is None:
            continue

        def spell(beta: str, row: str = row, a: Matrix = a, ranges: Ranges = ranges) -> list[Line]:
            def arguments(at: _At) -> list[str]:
                sizes = [at.extent(row), at.extent(found.summed)]
                return [
                    a.flag, *(sizes if a.flag == "CblasNoTrans" else sizes[::-1]), found.scale, at.address(a.operand),
                    a.leading, at.address(vector), vector.stride(found.summed), beta, at.result(),
                    found.piece.slot.stride(found.piece.variables.index(row)),
                ]  # fmt: skip

            return _called(found, "gemv", ranges, arguments)

        return Call((part,), spell, only_adds=not _never_empty(ranges[found.summed], found.piece.context))
    return None


@dataclass(frozen=True, slots=True)
class _At:
    """Spells arguments where the batch variables have values and those of the call start."""

    found: Product
    ranges: Ranges
    values: Mapping[str, Affine]

    def extent(self, variable: str) -> str:
        first, last = self.ranges[variable]
        return affine_text((last - first + 1).substitute(self.values)).source

    def _starts(self) -> dict[str, Affine]:
        return {v: low.substitute(self.values) for v, (low, _) in self.ranges.items()} | dict(self.values)

    def address(self, operand: Operand) -> str:
        return operand.address(self._starts())

    def result(self) -> str:
        piece = self.found.piece
        return piece.slot.address([Affine.var(v).substitute(self._starts()) for v in piece.variables])


def _called(found: Product, routine: str, ranges: Ranges, arguments: Callable[[_At], list[str]]) -> list[Line]:
    piece = found.piece
    batch = [v for v in piece.variables if v not in ranges]
    points = (found.points & piece.context).project_out(*ranges)

    def body(values: Mapping[str, Affine]) -> list[Line]:
        listed = arguments(_At(found, ranges, values))
        return [f"{PREFIXES[piece.slot.dtype]}{routine}({_ROWS}, {', '.join(listed)});"]

    return nest(points, batch, piece.context, body)


def _never_empty(ends: tuple[Affine, Affine], context: Domain) -> bool:
    return context.implies(at_least(ends[1], ends[0]))
