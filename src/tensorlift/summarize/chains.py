"""Chains: an array whose cells follow each other, ``A[x] = A[x - k] op t``, as reductions over earlier iterations.

The piece that reads its own array must write one cell an iteration along one axis, with the subscript ``fx(i)``, and
read the cell that the iteration ``d`` before it writes.  Then there are ``d`` chains, one beside the other: after its
``t``-th iteration ``f + d * t`` the cell holds the value of the cell before the first iteration ``f``, folded with the
operands of the iterations ``f, f + d .. f + d * t``.  Other pieces of the array, which do not read it, give the cells
where a chain starts.

What is subtracted from, ``A[x] = t - A[x - k]``, is a sum of which each second operand has the other sign; so has each
second cell.  This is what the source rounds, too.

What a condition takes, ``A[x] = c ? v : A[x - 1]``, is what the latest iteration took at which it holds.

This is a guess; the induction check decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.state import Piece, at, overlay, split
from tensorlift.comprehension.terms import Read, Term, applies
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, NotAffine, at_least, equal, less
from tensorlift.poly.names import formals, fresh
from tensorlift.poly.variables import extreme_of, strided
from tensorlift.summarize.accumulate import recognise
from tensorlift.summarize.accumulation import Accumulation, has_self, self_read
from tensorlift.summarize.phases import solved
from tensorlift.summarize.scan import latest_of, taken_by_choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.ops.dtypes import DType
    from tensorlift.summarize.scan import Shapes
    from tensorlift.summarize.statements import Loop


_MARK = "!"
_MOST_CHAINS = 8  # side by side: each is a piece of the definition


def guess_chain(  # noqa: PLR0913 - what is known of the loop, and of the array
    loop: Loop, array: str, pieces: list[Piece], region: Domain, shapes: Shapes, *, as_loops: bool
) -> list[Piece] | None:
    """Return the cells of the array before iteration ``loop.variable``, or None where the shape is another.

    To be computed ``as_loops``, several chains side by side are better left as they are, and so are signs that change.
    """
    chained = [piece for piece in pieces if array in piece[1].reads]
    starts = [piece for piece in pieces if array not in piece[1].reads]
    if len(chained) != 1 or any(has_self(term) for _, term in pieces) or not isinstance(loop.step, int):
        return None
    try:
        chain = _Chain.of(loop, array, chained[0], shapes)
        return None if chain is None or (as_loops and not chain.is_plain) else chain.closed(starts, region)
    except NotAffine:
        return None


@dataclass(frozen=True)
class _Chain:
    """The piece that continues a chain: on one axis it writes the subscript ``fx`` of the loop variable.

    It reads the cell that was written ``period`` before, in terms of the loop variable.
    """

    loop: Loop
    array: str
    names: tuple[str, ...]
    domain: Domain
    step: Accumulation
    dtype: DType
    alternates: bool
    axis: str
    fx: Affine
    period: int
    shapes: Shapes

    @staticmethod
    def of(loop: Loop, array: str, piece: Piece, shapes: Shapes) -> _Chain | None:
        """Read a piece as a link of a chain, or give None."""
        domain, term = piece
        reads = _reads_of(array, term, domain)
        if len(reads) != 1:
            return None
        (own,) = reads
        names = formals(array, len(own.indices))
        written = _moving_axis(domain, names, loop.variable)
        period = None if written is None else _period(domain, own, written, loop)
        if written is None or period is None:
            return None
        marked = rewrite.map_reads(term, domain, lambda r, _: self_read(r.dtype) if r is own else r)
        step = recognise(marked, loop.variable)
        turned = None if step is not None else _subtracted(marked)
        if turned is not None:
            step = Accumulation("sum", turned)
        if step is None or step.latch is not None:
            taken = taken_by_choice(marked) if period == 1 else None
            step = None if taken is None else Accumulation("any", *taken)
        if step is None:
            return None
        return _Chain(loop, array, names, domain, step, term.dtype, turned is not None, *written, period, shapes)

    @property
    def variable(self) -> str:
        """The loop variable."""
        return self.loop.variable

    @property
    def is_plain(self) -> bool:
        """Whether each cell continues the one before it, and operands keep their signs."""
        return abs(self.distance) == 1 and not self.alternates and self.step.latch is None

    @property
    def distance(self) -> int:
        """How far a cell is from the one before it in its chain."""
        return self.fx.coefficient(self.variable) * self.period

    def closed(self, starts: list[Piece], region: Domain) -> list[Piece] | None:
        """Fold the operands of all iterations of a chain up to the one that writes the cell."""
        earlier = fresh("earlier")
        past = region & Domain.of(less(earlier, self.variable))
        cells = (self.domain.rename({self.variable: earlier}) & past).project_out(earlier)
        before = _assigned_before(starts, self.variable, past, earlier)
        along = self.domain.project_out(self.axis)  # the iterations of all chains
        found = []
        for domain, first in extreme_of(along, self.variable, maximum=False):
            for chain, begin, is_turned in self._chains(first):
                where = cells & domain & chain
                if not where.is_empty():
                    found.append((where.coalesce(), self._folded(before, along, begin, where, is_turned=is_turned)))
        return overlay(before, split(found)) if found else None

    def _chains(self, first: Affine) -> Iterator[tuple[Domain, Affine, bool]]:
        """Yield the cells of each chain, or each second cell of it, with its first iteration, and whether it turns."""
        assert isinstance(self.loop.step, int)
        for begin in range(0, self.period, self.loop.step):
            for turn in range(1 + self.alternates):
                cell = self.fx.substitute({self.variable: first + begin + turn * self.period})
                yield strided(self.axis, cell, abs(self.distance) * (1 + self.alternates)), first + begin, turn == 1

    def _folded(self, starts: list[Piece], along: Domain, first: Affine, where: Domain, *, is_turned: bool) -> Term:
        bound = fresh("k")
        iteration = {self.variable: affine(bound)}
        operand = rewrite.substitute(rewrite.substitute(self.step.term, {self.axis: self.fx}), iteration)
        cell, step = self.fx.substitute(iteration), self.fx.coefficient(self.variable)
        ahead = (affine(self.axis) - cell) * (1 if step > 0 else -1)
        steps = along.substitute(iteration) & strided(bound, first, self.period) & Domain.of(at_least(ahead, 0))
        start = self._start(starts, first, where)
        if self.step.latch is not None:
            return self._taken(start, self.step.latch, first, bound, (steps & where).coalesce(), operand)
        if self.alternates:
            start = terms.apply("neg", start)
            even, odd = (strided(bound, first + turn * self.period, 2 * self.period) for turn in range(2))
            operand = terms.piecewise([(even, operand), (odd, terms.apply("neg", operand))])
        value = self.step.combine(start, terms.reduce(self.step.op, (bound,), (steps & where).coalesce(), operand))
        return terms.apply("neg", value) if is_turned else value

    def _taken(  # noqa: PLR0913, PLR0917 - what is taken, and of which iterations
        self, start: Term, taken: Term, first: Affine, bound: str, points: Domain, holds: Term
    ) -> Term:
        """Return what the latest iteration took, or the cell that the first one reads."""
        condition, value = (rewrite.substitute(term, {self.axis: self.fx}) for term in (self.step.term, taken))
        latest = latest_of(self.variable, first, bound, points, holds, self.shapes)
        if not latest.has(value):
            raise NotAffine("what was taken last")
        some = latest.of(condition) if latest.has(condition) else terms.reduce("any", (bound,), points, holds)
        return terms.apply("select", some, latest.of(value), start)

    def _start(self, starts: list[Piece], first: Affine, where: Domain) -> Term:
        """Return the cell that the first iteration of a chain reads."""
        previous = self.fx.substitute({self.variable: first - self.period})
        indices = tuple(previous if name == self.axis else affine(name) for name in self.names)
        default = terms.read(self.array + _MARK, indices, self.dtype)
        return rewrite.lookup(starts, at(self.array, indices), where, default)


def _subtracted(term: Term) -> Term | None:
    """Return what the old value is subtracted from."""
    if not applies(term, "sub"):
        return None
    left, right = term.args
    return left if isinstance(right, Read) and has_self(right) and not has_self(left) else None


def _reads_of(array: str, term: Term, domain: Domain) -> list[Read]:
    found: dict[Read, None] = {}
    rewrite.visit_reads(term, domain, lambda r, _: found.setdefault(r) if r.array == array else None)
    return list(found)


def _moving_axis(domain: Domain, names: Sequence[str], variable: str) -> tuple[str, Affine] | None:
    """Return the axis on which the written cell moves with the loop, and its subscript."""
    for equality in domain.equalities():
        for name in names:
            others = any(v in equality.variables for v in names if v != name)
            if equality.coefficient(name) in (1, -1) and equality.coefficient(variable) and not others:
                fx = equality.solve(name)
                if fx is not None:
                    return name, fx
    return None


def _period(domain: Domain, read: Read, written: tuple[str, Affine], loop: Loop) -> int | None:
    """Return how far the iteration is that writes the cell of a read, None where it is no earlier one of the chain."""
    axis, fx = written
    period = None
    for name, index in zip(formals(read.array, len(read.indices)), read.indices, strict=True):
        got = index.substitute({axis: fx})
        if name == axis:
            distance = domain.reduced(fx - got)
            period = distance.constant // fx.coefficient(loop.variable) if distance.is_constant else 0
            wanted = fx - fx.coefficient(loop.variable) * period
        else:
            wanted = affine(name)
        if got != wanted and not domain.implies(equal(got, wanted)):
            return None
    assert isinstance(loop.step, int)
    is_chain = period and period > 0 and not period % loop.step and period // loop.step <= _MOST_CHAINS
    return period if is_chain else None


def _assigned_before(starts: list[Piece], variable: str, past: Domain, earlier: str) -> list[Piece]:
    """Return what the pieces that start chains have written before iteration ``variable``."""
    found: list[Piece] = []
    for domain, term in starts:
        when = domain.rename({variable: earlier}) & past
        for where, iteration in solved(when, earlier) if not when.is_empty() else ():
            found = overlay(found, split([(where, rewrite.substitute(term, {variable: iteration}))]))
    return found
