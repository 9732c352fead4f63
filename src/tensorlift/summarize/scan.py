"""Scans: an array whose cells follow each other, ``A[x] = A[x - 1] op t``, as reductions over a prefix of iterations.

The piece that reads its own array must write one cell an iteration along one axis, with the subscript ``fx(i)``, and
read the cell of the iteration before, ``fx(i - 1)``.  Then after iteration ``i`` the cell holds the value of the cell
before the first iteration ``f``, folded with the operands of the iterations ``f .. i``.  Other pieces of the array,
which do not read it, give the cells where a chain starts.  This is a guess; the induction check decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.affine import Affine, affine
from tensorlift.comprehension.domain import Domain, NotAffine, at_least, equal, less
from tensorlift.comprehension.names import formals, fresh
from tensorlift.comprehension.state import Piece, at, overlay, split
from tensorlift.summarize.accumulate import recognise
from tensorlift.summarize.accumulation import Accumulation, has_self, self_read
from tensorlift.summarize.phases import solved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorlift.comprehension.terms import Read, Term
    from tensorlift.summarize.statements import Loop

_MARK = "!"


def guess_scan(loop: Loop, array: str, pieces: list[Piece], region: Domain) -> list[Piece] | None:
    """Return the cells of the array before iteration ``loop.variable``, or None where the shape is another."""
    chained = [piece for piece in pieces if array in piece[1].reads]
    starts = [piece for piece in pieces if array not in piece[1].reads]
    if len(chained) != 1 or any(has_self(term) for _, term in pieces):
        return None
    try:
        chain = _Chain.of(loop, array, chained[0])
        return None if chain is None else chain.closed(starts, region)
    except NotAffine:
        return None


@dataclass(frozen=True)
class _Chain:
    """The piece that continues a chain: on one axis it writes the subscript ``fx`` of the loop variable."""

    loop: Loop
    array: str
    names: tuple[str, ...]
    domain: Domain
    step: Accumulation
    axis: str
    fx: Affine

    @staticmethod
    def of(loop: Loop, array: str, piece: Piece) -> _Chain | None:
        """Read a piece as a link of a chain, or give None."""
        domain, term = piece
        reads = _reads_of(array, term, domain)
        if len(reads) != 1:
            return None
        (own,) = reads
        names = formals(array, len(own.indices))
        written = _moving_axis(domain, names, loop.variable)
        if written is None or not _reads_previous(domain, own, written, loop):
            return None
        marked = rewrite.map_reads(term, domain, lambda r, _: self_read(r.dtype) if r is own else r)
        step = recognise(marked, loop.variable)
        if step is None or step.latch is not None:
            return None
        return _Chain(loop, array, names, domain, step, *written)

    @property
    def variable(self) -> str:
        """The loop variable."""
        return self.loop.variable

    @property
    def iteration(self) -> Affine:
        """The iteration that writes a cell."""
        coefficient = self.fx.coefficient(self.variable)
        return (affine(self.axis) - self.fx + Affine.var(self.variable, coefficient)) * coefficient

    def closed(self, starts: list[Piece], region: Domain) -> list[Piece] | None:
        """Fold the operands of all iterations up to the one that writes the cell."""
        earlier = fresh("earlier")
        past = region & Domain.of(less(earlier, self.variable))
        cells = (self.domain.rename({self.variable: earlier}) & past).project_out(earlier)
        before = _assigned_before(starts, self.variable, past, earlier)
        along = self.domain.project_out(self.axis)  # the iterations of a chain
        found = []
        for domain, first in along.extreme(self.variable, maximum=False):
            where = cells & domain
            if not where.is_empty():
                found.append((where.coalesce(), self._folded(before, along, first, where)))
        return overlay(before, split(found)) if found else None

    def _folded(self, starts: list[Piece], along: Domain, first: Affine, where: Domain) -> Term:
        bound = fresh("k")
        to = {self.variable: affine(bound)}
        operand = rewrite.substitute(rewrite.substitute(self.step.term, {self.axis: self.fx}), to)
        steps = along.rename({self.variable: bound}) & Domain.of(at_least(self.iteration, bound))
        folded = terms.reduce(self.step.op, (bound,), (steps & where).coalesce(), operand)
        return self.step.combine(self._start(starts, first, where), folded)

    def _start(self, starts: list[Piece], first: Affine, where: Domain) -> Term:
        """Return the cell that the first iteration of a chain reads."""
        previous = self.fx.substitute({self.variable: first - self.loop.step})
        indices = tuple(previous if name == self.axis else affine(name) for name in self.names)
        default = terms.read(self.array + _MARK, indices, self.step.term.dtype)
        return rewrite.lookup(starts, at(self.array, indices), where, default)


def _reads_of(array: str, term: Term, domain: Domain) -> list[Read]:
    found: dict[Read, None] = {}
    rewrite.visit_reads(term, domain, lambda r, _: found.setdefault(r) if r.array == array else None)
    return list(found)


def _moving_axis(domain: Domain, names: Sequence[str], variable: str) -> tuple[str, Affine] | None:
    """Return the axis on which the written cell moves with the loop, and its subscript."""
    for equality in domain.equalities():
        for name in names:
            others = any(v in equality.variables for v in names if v != name)
            if equality.coefficient(name) * equality.coefficient(variable) in (1, -1) and not others:
                fx = equality.solve(name)
                if fx is not None:
                    return name, fx
    return None


def _reads_previous(domain: Domain, read: Read, written: tuple[str, Affine], loop: Loop) -> bool:
    """Tell whether a read is of the cell that the iteration before writes."""
    axis, fx = written
    previous = fx.substitute({loop.variable: affine(loop.variable) - loop.step})
    for name, index in zip(formals(read.array, len(read.indices)), read.indices, strict=True):
        wanted = previous if name == axis else affine(name)
        got = index.substitute({axis: fx})
        if got != wanted and not domain.implies(equal(got, wanted)):
            return False
    return True


def _assigned_before(starts: list[Piece], variable: str, past: Domain, earlier: str) -> list[Piece]:
    """Return what the pieces that start chains have written before iteration ``variable``."""
    found: list[Piece] = []
    for domain, term in starts:
        when = domain.rename({variable: earlier}) & past
        for where, iteration in solved(when, earlier) if not when.is_empty() else ():
            found = overlay(found, split([(where, rewrite.substitute(term, {variable: iteration}))]))
    return found
