"""Phases: the closed form of what all iterations of a loop write to one array.

Each piece says what an iteration ``w`` does to the cells of a domain: it *assigns* a term that does not depend on the
cell's old value, *updates* the cell once, or *accumulates* an operand.  Writes that a later assignment overwrites are
dropped; what remains is ordered by time.  Where every write of one piece to a cell comes before every write of another
piece to it, the phases are applied one after the other: an assignment takes the value of the last iteration that
assigns, an accumulation becomes a reduction over the iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.counts import is_alone
from tensorlift.comprehension.rewrite import shorten
from tensorlift.comprehension.state import Piece, RecurrenceError, covered, overlay, split
from tensorlift.ir.scalar_terms import choose
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import Domain, NotAffine
from tensorlift.poly.names import fresh
from tensorlift.poly.variables import extreme_of, is_single_valued, unconstrained, without_divisions
from tensorlift.summarize.accumulate import recognise
from tensorlift.summarize.accumulation import Accumulation, has_self, replace_self

if TYPE_CHECKING:
    from tensorlift.comprehension.terms import Reducer, Term
    from tensorlift.summarize.statements import Loop


@dataclass(frozen=True, slots=True)
class _Phase:
    """What the iterations of ``domain`` do; several of them to one cell if it ``folds``."""

    domain: Domain
    term: Term
    step: Accumulation | None
    folds: bool

    @property
    def assigns(self) -> bool:
        return not has_self(self.term)


class Phases:
    """The pieces that the iterations ``variable`` of a ``loop`` write to one array.

    ``initial`` is the read of the cell before the loop; ``box`` holds every cell that there is, ``region`` the values
    of the remaining variables for which the closed form is wanted.
    """

    def __init__(  # noqa: PLR0913 - what is known of the loop, and of the array
        self, loop: Loop, array: str, variable: str, *, initial: Term, box: Domain, region: Domain
    ) -> None:
        self.loop = loop
        self.array = array
        self.variable = variable
        self.initial = initial
        self.box = box
        self.region = region

    def closed(self, pieces: list[Piece]) -> list[Piece]:
        """Return the cells after all iterations, as pieces over those that the loop writes.

        Raises:
            RecurrenceError: where the pieces have no closed form.

        """
        phases = self._classified(self._without_overwritten(pieces))
        result: list[Piece] = []
        for phase in self._ordered(phases):
            new = self._folded(phase, result) if phase.folds else self._once(phase, result)
            result = overlay(result, split(new))
        return result

    def _without_overwritten(self, pieces: list[Piece]) -> list[Piece]:
        """Drop writes that a later iteration's assignment overwrites."""
        assigned = [domain for domain, term in pieces if not has_self(term)]
        if not assigned or (len(pieces) == 1 and self._is_fixed(pieces[0][0])):
            return pieces
        later = fresh("later")
        overwritten = covered([(domain.rename({self.variable: later}), self.initial) for domain in assigned])
        overwritten = (overwritten & self.loop.order(self.variable, later)).project_out(later)
        if overwritten.is_empty():
            return pieces
        kept = [((domain - overwritten).coalesce(), term) for domain, term in pieces]
        return [piece for piece in kept if not piece[0].is_empty()]

    def _classified(self, pieces: list[Piece]) -> list[_Phase]:
        phases = []
        for domain, term in pieces:
            step = recognise(term, self.variable)
            if isinstance(term, terms.Read) and has_self(term):
                continue  # the cell keeps its value
            folds = has_self(term) and not self._is_fixed(domain)
            if folds and (step is None or not self._is_known(step, domain)):
                raise RecurrenceError(self.array, "is updated again and again, and not by a sum or the like")
            phases.append(_Phase(domain, term, step, folds))
        return phases

    def _is_known(self, step: Accumulation, domain: Domain) -> bool:
        """Tell whether all iterations leave the same value, or one alone leaves its own."""
        if step.latch is None or self.variable not in step.latch.free:
            return True
        earlier = fresh("earlier")
        pairs = domain & domain.rename({self.variable: earlier}) & self.loop.order(earlier, self.variable)
        return not step.flag and is_alone(step.term, self.variable, earlier, pairs)

    def _ordered(self, phases: list[_Phase]) -> list[_Phase]:
        """Sort phases by time; accumulations of one kind commute."""
        if len(phases) <= 1:
            return phases
        count = range(len(phases))
        before = {(i, j): self._precedes(phases[i], phases[j]) for i in count for j in count if i != j}
        for i, j in [pair for pair, holds in before.items() if holds and before[pair[::-1]]]:
            if not _commute(phases[i], phases[j]):
                raise RecurrenceError(self.array, "is written in two ways that take turns")
            before[i, j] = before[j, i] = False
        order: list[int] = []
        left = list(count)
        while left:
            ready = [i for i in left if not any(before[j, i] for j in left if j != i)]
            if not ready:
                raise RecurrenceError(self.array, "is written in several ways without an order")
            order += ready
            left = [i for i in left if i not in ready]
        return [phases[i] for i in order]

    def _precedes(self, first: _Phase, second: _Phase) -> bool:
        """Tell whether some cell is written by the first piece before the second writes it."""
        later = fresh("later")
        both = first.domain & second.domain.rename({self.variable: later}) & self.loop.order(self.variable, later)
        return not both.is_empty()

    def _is_fixed(self, domain: Domain) -> bool:
        """Tell whether at most one iteration writes a cell; mostly an equality says so."""
        if _is_solved(self.variable, domain):
            return True
        if isinstance(self.loop.step, int):
            return is_single_valued(domain, self.variable)
        later = fresh("later")
        return (domain & domain.rename({self.variable: later}) & self.loop.order(self.variable, later)).is_empty()

    def _once(self, phase: _Phase, before: list[Piece]) -> list[Piece]:
        """Assign or update at the one iteration that counts, the last."""
        found = []
        for domain, term in self._at_last(phase):
            if phase.assigns:
                found.append((domain, term))
            else:
                found += [(where, replace_self(term, old, where)) for where, old in self._values(before, domain)]
        return found

    def _at_last(self, phase: _Phase) -> list[Piece]:
        """Return the term at the last iteration, piece by piece."""
        if self.variable not in phase.term.free:
            return [(phase.domain.project_out(self.variable), phase.term)]
        try:
            iterations = solved(phase.domain, self.variable)
        except NotAffine:
            term = shorten(phase.term, phase.domain)
            if self.variable not in term.free:
                return [(phase.domain.project_out(self.variable), term)]
            if not phase.assigns or not _is_solved(self.variable, phase.domain):
                raise
            name = fresh("k")
            body = rewrite.substitute(phase.term, {self.variable: affine(name)})
            term = terms.single(name, phase.domain.rename({self.variable: name}), body)
            return [(phase.domain.project_out(self.variable), term)]
        return [(domain, rewrite.substitute(phase.term, {self.variable: i})) for domain, i in iterations]

    def _folded(self, phase: _Phase, before: list[Piece]) -> list[Piece]:
        step = phase.step
        assert step is not None
        bound = fresh("k")
        operand = rewrite.substitute(step.term, {self.variable: affine(bound)})
        iterations = phase.domain.rename({self.variable: bound}).coalesce()
        if isinstance(self.loop.step, int):
            folded = terms.reduce(step.op, (bound,), iterations, operand)
        else:
            folded = self._one_after_the_other(operand, step.op, bound, iterations)
        if step.latch is not None and self.variable in step.latch.free:
            latch = rewrite.substitute(step.latch, {self.variable: affine(bound)})
            alone = terms.single(bound, iterations, choose(operand, latch, terms.zero(latch.dtype)))
            step = replace(step, latch=alone)
        if step.is_neutral_without_iterations:
            cells = unconstrained(phase.domain, self.variable) & (self.box & self.region)
        else:
            cells = phase.domain.project_out(self.variable)
        return [(where, step.combine(old, folded)) for where, old in self._values(before, cells)]

    def _one_after_the_other(self, operand: Term, op: Reducer, bound: str, iterations: Domain) -> Term:
        """Fold all that iterations fold, each a stretch that begins where that of the one before ends.

        Raises:
            RecurrenceError: where they fold something else.

        """
        if not isinstance(operand, terms.Reduce) or operand.op != op or bound in operand.body.free:
            raise RecurrenceError(self.array, "is folded in steps of a size")
        points = (operand.domain & iterations).project_out(bound).coalesce()
        return terms.reduce(op, operand.bound, points, operand.body)

    def _values(self, pieces: list[Piece], cells: Domain) -> list[Piece]:
        """Return what the cells hold so far."""
        found: list[Piece] = []
        rest = cells
        for domain, term in pieces:
            here = domain & cells
            if not here.is_empty():
                found.append((here.coalesce(), term))
                rest = rest - domain
        if not rest.is_empty():
            found.append((rest.coalesce() if found else rest, self.initial))
        return found


def _is_solved(variable: str, domain: Domain) -> bool:
    """Tell whether an equality gives the variable, up to a factor."""
    return any(e.coefficient(variable) for e in domain.zeros) or any(
        e.coefficient(variable) for e in domain.equalities()
    )


def iteration_of(domain: Domain, variable: str) -> Affine | None:
    """Return the value that the only equality with a variable gives it, where no other one says more of that value."""
    with_variable = [zero for zero in domain.zeros if zero.coefficient(variable)]
    if len(with_variable) != 1:
        return None
    value = with_variable[0].solve(variable)
    if value is None or any(zero.mentions(value.variables) for zero in domain.zeros if zero is not with_variable[0]):
        return None
    return value


def _commute(first: _Phase, second: _Phase) -> bool:
    if first.step is None or second.step is None or first.assigns or second.assigns:
        return False
    one, other = first.step, second.step
    return (one.op, one.flag) == (other.op, other.flag) and one.latch is other.latch


def solved(domain: Domain, variable: str) -> list[tuple[Domain, Affine]]:
    """Return the greatest value of a variable piece by piece, each with the points of the others for which it holds.

    Raises:
        NotAffine: where a value needs an integer division.

    """
    given = iteration_of(domain, variable)
    if given is not None:
        return [(domain.project_out(variable), given)]
    hull = domain.equalities() or without_divisions(domain).equalities()  # a superset's hold here as well
    for equality in hull:
        value = equality.solve(variable)
        if value is not None:
            return [(domain.project_out(variable), value)]
    projected = domain.project_out(variable)
    return [(projected & piece, value) for piece, value in extreme_of(domain, variable, maximum=True)]
