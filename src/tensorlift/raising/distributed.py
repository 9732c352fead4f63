"""Definitions as affine loops: a nest of its own for each step, over plain ranges, in the memory of the arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.terms import COMBINER, Read, Reduce, Term
from tensorlift.raising.bodies import Body, Loop, reads_in_order
from tensorlift.raising.linalg import Emission, Piece
from tensorlift.targets.linalg.writer import Value, element_type, map_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.affine import Affine
    from tensorlift.raising.memrefs import MemRef


@dataclass
class LoopEmission(Emission):
    """Writes perfect nests with one store each."""

    def assign(self, piece: Piece, term: Term) -> None:
        """Overwrite cells, in a nest even where it is a copy or a number."""
        if term is not piece.own:
            term = self.without_folds(term, piece.domain, piece.variables)
            self.write_nest(piece, self.loops(piece.domain, piece.variables), (), term, None)

    def write_nest(
        self, piece: Piece, loops: Sequence[Loop], bound: Sequence[str], term: Term, fold: Reduce | None
    ) -> None:
        """Write the nest that computes a term at each point."""
        del bound
        symbols = dict(self.writer.symbols)
        for loop in loops:
            variable = Value(self.writer.fresh("i"), "index")
            lower, upper = self._bound(loop.first), self._bound(loop.first + loop.extent)
            self.writer.line(f"affine.for {variable.name} = {lower} to {upper} {{")
            self.writer.symbols[loop.variable] = variable
        with self.writer.region():
            value = self._computed(piece, loops, term, fold)
            cell = self._place(piece.target, piece.indices, loops)
            self.writer.line(f"affine.store {value.name}, {cell}")
        for _ in loops:
            self.writer.line("}")
        self.writer.symbols = symbols
        self.names.append("affine.for")

    def _computed(self, piece: Piece, loops: Sequence[Loop], term: Term, fold: Reduce | None) -> Value:
        body = _LoopBody(self.writer, (), self.at)
        dtype = piece.target.dtype
        for read in reads_in_order([term]):
            place = self._place(self.at(read), read.indices, loops)
            body.cells[read] = self.writer.define(f"affine.load {place}", element_type(read.dtype))
        value = body.value(term)
        if fold is None:
            return value
        place = self._place(piece.target, piece.indices, loops)
        before = self.writer.define(f"affine.load {place}", element_type(dtype))
        combiner = COMBINER[fold.op]
        return body.applied(combiner, [before, value], terms.apply(combiner, term, term))

    def _bound(self, value: Affine) -> str:
        if value.is_constant:
            return str(value.constant)
        symbols = value.variables
        operands = ", ".join(self.writer.symbols[name].name for name in symbols)
        return f"{map_text((), (value,), symbols)}()[{operands}]"

    def _place(self, memref: MemRef, indices: Sequence[Affine], loops: Sequence[Loop]) -> str:
        """Spell a cell."""
        moving = {loop.variable for loop in loops}
        found = []
        for index in indices:
            parts = [str(index.constant)] if index.constant or not index.terms else []
            for name, factor in index.terms:
                spelled = self.writer.symbols[name].name
                spelled = spelled if name in moving else f"symbol({spelled})"
                parts.append(f"{spelled} * {factor}")
            found.append(" + ".join(parts))
        return f"{memref.name}[{', '.join(found)}] : {memref.type}"


@dataclass
class _LoopBody(Body):
    """Operations inside of loops; ``cells`` are the values of what was loaded before."""

    cells: dict[Read, Value] = field(default_factory=dict)

    def value(self, term: Term) -> Value:
        """Return the value of a term."""
        return self.cells[term] if isinstance(term, Read) else super().value(term)
