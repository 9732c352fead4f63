"""Contractions as calls of BLAS: products of matrices and vectors that lie in memory as BLAS wants them.

A sum of products of two reads is matched by the variables of its operands: those of the sum are in both, a row of the
result in one, a column in the other; whatever else varies is looped over.  Extents that depend on each other, other
element types than float and double, and operands without neighbours in memory stay loops.

Products of a triangular matrix, as calls of BLAS: ``B = alpha * op(A) * B`` or ``B = alpha * B * op(A)``.

What is overwritten is multiplied in place; another matrix is copied first to where the product goes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import multiplied
from tensorlift.comprehension.terms import read
from tensorlift.poly.affine import Affine
from tensorlift.poly.domain import Domain, NotAffine, at_least, less
from tensorlift.poly.variables import extreme_of, is_single_valued
from tensorlift.targets.c.cells import affine_text
from tensorlift.targets.c.nests import nest
from tensorlift.targets.c.operands import (
    PREFIXES,
    Matrix,
    Operand,
    Product,
    box,
    matrix,
    renamed,
    symmetric_call,
    within,
)
from tensorlift.targets.c.storage import reads_written
from tensorlift.targets.c.sums import addends, has_fold, product, sum_of_products

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tensorlift.comprehension.terms import Read, Term
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
    """Matches sums with the routines of BLAS, where these are ``there``; ``used`` tells whether it found any."""

    def __init__(
        self, memory: Memory, cell_at: Callable[[Domain], Cell], fresh: Callable[[str], str], *, there: bool
    ) -> None:
        self.there = there
        self._memory = memory
        self._cell_at = cell_at
        self._fresh = fresh
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
            taken = {
                part,
                *(one for call in calls for one in call.parts),
                *(p for p in products if products[p].repeated),
            }
            others = [] if product.repeated else [other for other in products if other not in taken]
            pairs = (_symmetric({part: product, other: products[other]}) for other in others)
            call = next(filter(None, pairs), None) or self._single(part, product)
            calls += [] if call is None else [call]
        self.used = self.used or bool(calls)
        return calls

    def dot(self, part: Part, piece: Piece) -> str | None:
        """Spell an addend without axes that is a product of two vectors; None where it is none."""
        found = self._product(part, piece) if part.coefficient is None else None
        if found is None or found.repeated or found.scale != "1.0":
            return None
        if any(o.axis(found.summed) < 0 for o in found.operands):
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
        has_routine = self.there and piece.slot.dtype in PREFIXES
        found = sum_of_products(part, piece.variables, piece.slot.dtype) if has_routine else None
        if found is None or not found.summed:
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
        *repeated, summed = found.summed
        return Product(piece, summed, (left, right), text, points, tuple(repeated))

    def _single(self, part: Part, product: Product) -> Call | None:
        """Return the call for one product; one of matrices adds for each value of all variables of the sum but one."""
        if not product.repeated:
            return _called_once(part, product)
        if any(Affine.var(v) not in operand.indices for v in product.repeated for operand in product.operands):
            return None  # of windows that overlap; cell by cell is faster
        summed = (*product.repeated, product.summed)
        choices = (replace(product, summed=v, repeated=tuple(o for o in summed if o != v)) for v in reversed(summed))
        found = next((choice for choice in choices if _called_once(part, choice) is not None), None)
        if found is None:
            return None
        call = _called_once(part, renamed(found, {v: self._fresh("k") for v in found.repeated}))
        return None if call is None else replace(call, only_adds=True)


def _called_once(part: Part, product: Product) -> Call | None:
    left, right = product.operands
    variables = product.piece.variables
    rows = [v for v in variables if left.uses(v) and not right.uses(v)]
    columns = [v for v in variables if right.uses(v) and not left.uses(v)]
    where = product.points & product.piece.context
    if any(not left.uses(v) and not right.uses(v) and not is_single_valued(where, v) for v in variables):
        return None
    if not rows and not columns:
        return None
    if rows and columns:
        general = _matrices(part, product, rows, columns)
        return (None if product.repeated else _symmetric({part: product}, general)) or general
    return None if product.repeated else _vector(part, product, rows or columns, matrix_first=bool(rows))


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
    batch = [*(v for v in piece.variables if v not in ranges), *found.repeated]
    points = (found.points & piece.context).project_out(*ranges)

    def body(values: Mapping[str, Affine]) -> list[Line]:
        listed = arguments(_At(found, ranges, values))
        return [f"{PREFIXES[piece.slot.dtype]}{routine}({_ROWS}, {', '.join(listed)});"]

    return nest(points, batch, piece.context, body)


def _never_empty(ends: tuple[Affine, Affine], context: Domain) -> bool:
    return context.implies(at_least(ends[1], ends[0]))


_OTHER = {"Upper": "Lower", "Lower": "Upper"}


class TriangularProduct(NamedTuple):
    """A call; where another matrix is multiplied, ``copy`` is the piece that puts it where the product goes."""

    call: str
    copy: Piece | None


class _Triangle(NamedTuple):
    """The reads of the triangle and, at the cell itself, of what it multiplies; ``free`` is the axis that it walks.

    ``points`` are those of cells and of the sum over ``summed``, and both addends are scaled by ``scale``.  The
    ``half`` is that of the matrix as it is multiplied.
    """

    matrix: Read
    moved: Read
    free: str
    summed: str
    points: Domain
    scale: Term | None
    is_unit: bool
    half: str = ""


def triangular_product(piece: Piece, memory: Memory, cell_at: Callable[[Domain], Cell]) -> TriangularProduct | None:
    """Return the call for a piece that is a product of a triangular matrix and another one, else None."""
    if len(piece.variables) != 2 or piece.slot.dtype not in PREFIXES or piece.slot.strides is not None:  # noqa: PLR2004 - a matrix
        return None
    ranges = _box(piece)
    if ranges is None:
        return None
    for found in _triangles(piece):
        half = _half(found, piece, ranges)
        if half is not None:
            return _multiplied(found._replace(half=half), ranges, piece, memory, cell_at)
    return None


def _multiplied(
    found: _Triangle,
    ranges: Sequence[tuple[Affine, Affine]],
    piece: Piece,
    memory: Memory,
    cell_at: Callable[[Domain], Cell],
) -> TriangularProduct | None:
    place, inside, is_own = memory.place[found.matrix.array], memory.inside(piece.slot), found.moved is piece.own
    if place.strides is not None or found.matrix.array in inside or (found.moved.array in inside and not is_own):
        return None
    if found.scale is not None and not (is_own or found.scale.reads.isdisjoint(inside)):
        return None
    cell = cell_at(piece.context)
    scale = "1.0" if found.scale is None else cell.value(found.scale, share=False).source
    if cell.lines:
        return None
    is_left = found.free == piece.variables[0]
    walked = (found.free, found.summed) if is_left else (found.summed, found.free)
    is_straight = found.matrix.indices == tuple(map(Affine.var, walked))
    flags = [
        "CblasRowMajor",
        "CblasLeft" if is_left else "CblasRight",
        f"Cblas{found.half if is_straight else _OTHER[found.half]}",
        "CblasNoTrans" if is_straight else "CblasTrans",
        "CblasUnit" if found.is_unit else "CblasNonUnit",
    ]
    start = [low for low, _ in ranges]
    corner = start[0 if is_left else 1]
    sizes = [affine_text(high - low + 1).source for low, high in ranges]
    matrices = [
        place.address((corner, corner)),
        place.stride(0),
        piece.slot.address(start),
        piece.slot.stride(0),
    ]
    call = f"{PREFIXES[piece.slot.dtype]}trmm({', '.join([*flags, *sizes, scale, *matrices])});"
    return TriangularProduct(call, None if is_own else replace(piece, term=found.moved))


def _box(piece: Piece) -> Sequence[tuple[Affine, Affine]] | None:
    """Return the first and the last value of each variable, where each is one expression."""
    try:
        ends = [[extreme_of(piece.where, v, maximum=most) for most in (False, True)] for v in piece.variables]
    except NotAffine:
        return None
    if any(len(found) != 1 for both in ends for found in both):
        return None
    return [(first[0][1], last[0][1]) for first, last in ends]


def _half(found: _Triangle, piece: Piece, ranges: Sequence[tuple[Affine, Affine]]) -> str | None:
    """Tell which half of the square of the triangle, as it is multiplied, the points are."""
    spans = dict(zip(piece.variables, ranges, strict=True))
    spans[found.summed] = spans[found.free]
    around = piece.context & within(spans)
    after, before = Domain.of(less(found.free, found.summed)), Domain.of(less(found.summed, found.free))
    upper, lower = (after, before) if found.free == piece.variables[0] else (before, after)
    halves = {"Upper": upper, "Lower": lower}
    if not found.is_unit:
        halves = {half: around - halves[other] for half, other in _OTHER.items()}
    return next((h for h, part in halves.items() if (around & part).is_equal(found.points & piece.context)), None)


def _triangles(piece: Piece) -> Iterator[_Triangle]:
    """Yield how a term may be read as such a product."""
    parts = addends(piece.term)
    folds = [part for part in parts if part.fold is not None]
    others = [part for part in parts if part.fold is None]
    if len(folds) != 1 or len(others) > 1 or any(has_fold(part.term) for part in others):
        return
    for found in _products(folds[0], piece, is_unit=bool(others)):
        if not others or _is_scaled(others[0].term, found.moved, found.scale):
            yield found


def _is_scaled(term: Term, own: Read, scale: Term | None) -> bool:
    listed = multiplied(term)
    rest = [factor for factor in listed if factor is not own]
    return len(rest) == len(listed) - 1 and product(rest) is scale


def _products(part: Part, piece: Piece, *, is_unit: bool) -> Iterator[_Triangle]:
    found = sum_of_products(part, piece.variables, piece.slot.dtype)
    if found is None or len(found.summed) != 1:
        return
    points, (summed,) = piece.domain & found.domain, found.summed
    own = tuple(map(Affine.var, piece.variables))
    for square, moved in (found.reads, found.reads[::-1]):
        for free in piece.variables:
            walked = (Affine.var(free), Affine.var(summed))
            there = tuple(index.substitute({free: walked[1]}) for index in own)
            if moved.indices == there and square.indices in (walked, walked[::-1]):
                here = read(moved.array, own, moved.dtype)
                yield _Triangle(square, here, free, summed, points, found.scale, is_unit)
