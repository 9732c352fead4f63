"""Borders that are read: places that are clamped to an array, or that wrap around its ends.

``{ x(i - 1) if i >= 1; x(0) if i = 0 }`` is ``x`` at place ``i - 1``, held between its ends.  With the array
``x_padded(p) = { x(p - 1) if 1 <= p <= n; x(0) if p = 0; x(n - 1) if p = n + 1 }`` it is ``x_padded(i)``, and so are
all reads of the definition that hold their places alike: windows over it are plain.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension import terms
from tensorlift.comprehension.definition import Definition
from tensorlift.comprehension.rewrite import rebuild_inside, transform
from tensorlift.comprehension.terms import Piecewise, Read, Reduce, Term
from tensorlift.poly.affine import ZERO, Affine
from tensorlift.poly.domain import Domain, NotAffine, equal
from tensorlift.poly.names import fresh
from tensorlift.synthesis.derive.scope import Span, ranges_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.rewrite import Descend

Cells = dict[tuple[Affine, ...], Domain]  # which cell is read, at which places


class Held(NamedTuple):
    """A read at places that are held within an array: the array, the places, the cells that are read there."""

    array: str
    places: tuple[Affine, ...]
    cells: Cells


class Borders:
    """Rewrites one definition; ``shapes`` are those of the versions, ``context`` is what is known of sizes."""

    def __init__(self, definition: Definition, shapes: Mapping[str, tuple[Affine, ...]], context: Domain) -> None:
        self.definition = definition
        self.shapes = shapes
        self.context = context
        self.names = {array: tuple(fresh("place") for _ in shape) for array, shape in shapes.items()}
        bound = {v for n in definition.nodes() if isinstance(n, Reduce) for v in n.bound}
        self.moving = {*definition.indices, *bound}

    def result(self) -> tuple[list[Definition], Definition] | None:
        """Return arrays with borders, and the definition over them; None where no place is held."""
        cells: dict[str, Cells] = {}

        def look(node: Term, where: Domain, descend: Descend) -> Term:
            held = self._held(node, where) if isinstance(node, Piecewise) else None
            if held is not None:
                known = cells.get(held.array, {})
                both = _joined(known, held.cells)
                cells[held.array] = known if both is None else both
            return rebuild_inside(node, where, descend) if node.has_domains else node

        for domain, term in self.definition.pieces:
            transform(term, domain & self.definition.domain, look)
        arrays = {}
        for array, found in cells.items():
            spans = self._spans(array, found)
            if spans is not None:
                arrays[array] = self._array(array, found, spans), spans
        if not arrays:
            return None

        def read(node: Term, where: Domain, descend: Descend) -> Term:
            held = self._held(node, where) if isinstance(node, Piecewise) else None
            if held is not None and held.array in arrays and _joined(cells[held.array], held.cells) is not None:
                padded, spans = arrays[held.array]
                indices = tuple(place - first for place, (first, _) in zip(held.places, spans, strict=True))
                return terms.read(padded.name, indices, node.dtype)
            return rebuild_inside(node, where, descend) if node.has_domains else node

        over = self.definition.mapped(lambda term, piece: transform(term, piece & self.definition.domain, read))
        return [array for array, _ in arrays.values()], over

    def _held(self, term: Piecewise, where: Domain) -> Held | None:
        """Return a piecewise value as cells of one array by the places at which they are read."""
        pieces = [(domain & where, piece) for domain, piece in term.pieces]
        reads = [(domain, piece) for domain, piece in pieces if isinstance(piece, Read) and not domain.is_empty()]
        if len(reads) < 2 or len(reads) < sum(not d.is_empty() for d, _ in pieces):  # noqa: PLR2004 - a border
            return None
        array = reads[0][1].array
        if any(read.array != array for _, read in reads) or not self.shapes[array]:
            return None
        _, inner = max(reads, key=self._freedom)
        places = inner.indices
        names = self.names[array]
        at_places = Domain.of(*(equal(name, place) for name, place in zip(names, places, strict=True)))
        cells: Cells = {}
        for domain, read in reads:
            cell = tuple(map(self._cell, read.indices, places, names))
            if None in cell:
                return None
            known = tuple(index for index in cell if index is not None)
            there = (domain & at_places).project_out(*self.moving)
            cells[known] = cells[known] | there if known in cells else there
        checked = _joined({}, cells)
        return None if checked is None else Held(array, places, checked)

    def _freedom(self, read: tuple[Domain, Read]) -> tuple[int, int]:
        """Rank reads: the one inside of the array moves along most axes, at the most points."""
        domain, found = read
        return sum(index.mentions(self.moving) for index in found.indices), -len(domain.equalities())

    def _cell(self, index: Affine, place: Affine, name: str) -> Affine | None:
        """Return which cell is read, by the place."""
        if not index.mentions(self.moving):
            return index
        shift = index - place
        return None if shift.mentions(self.moving) else Affine.var(name) + shift

    def _spans(self, array: str, cells: Cells) -> list[Span] | None:
        """Return the range of the places on each axis; None where it is that of the array, or parts are no boxes."""
        names = self.names[array]
        own = tuple(map(Affine.var, names))  # inside of the array there are all of these
        if not all(_is_box(domain, names) for cell, domain in cells.items() if cell != own):
            return None
        found = ranges_of(reduce(or_, cells.values()).coalesce(), names, names)
        if found is None:
            return None
        spans = [found[name] for name in names]
        return None if spans == [(ZERO, extent) for extent in self.shapes[array]] else spans

    def _array(self, array: str, cells: Cells, spans: list[Span]) -> Definition:
        names = self.names[array]
        indices = tuple(fresh("p") for _ in names)
        places = {name: Affine.var(i) + first for name, i, (first, _) in zip(names, indices, spans, strict=True)}
        shape = tuple(after - first for first, after in spans)
        box = self.context & Domain.box(indices, shape)
        dtype = next(n.dtype for n in self.definition.nodes() if isinstance(n, Read) and n.array == array)
        own = tuple(map(Affine.var, names))
        cells = {cell: domain if cell == own else domain - _same(cell, own) for cell, domain in cells.items()}
        inside = Domain.box(names, self.shapes[array])
        for cell, domain in cells.items():
            inside = inside if cell == own else inside - domain
        rest = box
        pieces: list[tuple[Domain, Term]] = []
        for cell, domain in cells.items():  # inside of the array all cells are its own, those too that nobody reads
            there = box & (inside if cell == own else domain).coalesce().substitute(places)
            pieces.append((there, terms.read(array, tuple(index.substitute(places) for index in cell), dtype)))
            rest = rest - there
        if not rest.is_empty():
            pieces.append((rest.coalesce(), terms.zero(dtype)))
        name = f"{array}_padded"
        while name in self.shapes:
            name += "_"
        return Definition(name, name, dtype, indices, shape, box, tuple(pieces), self.definition.location)


def _joined(known: Cells, more: Cells) -> Cells | None:
    """Join cells by places; None where both say different cells of one place."""
    result = dict(known)
    for cell, domain in more.items():
        rest = domain
        for other, taken in result.items():
            if other == cell or rest.is_disjoint(taken):
                continue
            if not (rest & taken).is_subset(_same(cell, other)):
                return None
            rest = rest - taken
        result[cell] = (result[cell] | rest).coalesce() if cell in result else rest
    return {cell: domain for cell, domain in result.items() if not domain.is_empty()}


def _same(cell: tuple[Affine, ...], other: tuple[Affine, ...]) -> Domain:
    """Return the places at which two cells are one."""
    return Domain.of(*(equal(a, b) for a, b in zip(cell, other, strict=True)))


def _is_box(domain: Domain, names: tuple[str, ...]) -> bool:
    """Tell whether each condition is one on a single place."""
    try:
        parts = domain.coalesce().conjuncts()
    except NotAffine:
        return False
    return all(sum(c.affine.mentions((name,)) for name in names) <= 1 for part in parts for c in part)
