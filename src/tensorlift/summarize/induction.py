"""The induction check: proves that a guessed closed form is what a loop computes.

The guess is the state before iteration ``i``, for every ``i`` up to the upper bounds.  It is right if

- *base*: where ``i`` is at most a lower bound, so that no iteration came before, every cell holds its initial value;
- *step*: where ``i`` is an iteration, running the body on the state before ``i`` gives the state before ``i + 1``;
- *gap*: where ``i`` is inside the bounds but no iteration (steps greater than one), the states before ``i`` and
  ``i + 1`` agree.

The state at the upper bound is then what the loop leaves: that is the *exit*, taken by substitution, so that there is
nothing left to check.  An empty loop is the base at the upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensorlift.comprehension import normal, rewrite
from tensorlift.comprehension.affine import affine
from tensorlift.comprehension.domain import EMPTY, Domain, at_least
from tensorlift.comprehension.terms import Read, Term
from tensorlift.summarize.phases import RecurrenceError
from tensorlift.summarize.program import formals
from tensorlift.summarize.state import Effect, Piece, at, own_cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.summarize.statements import Loop


@dataclass(frozen=True)
class Guess:
    """What is to be proved of a loop.

    ``effect`` is one iteration, ``states`` the guess, ``region`` where ``loop.variable`` is at most each upper bound,
    ``iterations`` where it is an iteration.
    """

    loop: Loop
    effect: Effect
    states: Effect
    region: Domain
    iterations: Domain


def check_induction(guess: Guess, arrays: Mapping[str, ArrayInfo]) -> None:
    """Check a guess.

    Raises:
        RecurrenceError: where a part of the proof fails.

    """
    proof = _Proof(guess.loop, guess.effect, guess.states)
    for array in guess.effect:
        info = arrays[array]
        cells = Domain.box(formals(array, len(info.shape)), info.shape)
        own = own_cell(array, len(info.shape), info.dtype)
        proof.base(own, guess.region & cells)
        proof.step(own, guess.iterations & cells)
        if guess.loop.step > 1:
            proof.gap(own, (guess.region & cells) - guess.iterations)


class _Proof:
    def __init__(self, loop: Loop, effect: Effect, states: Effect) -> None:
        self.loop = loop
        self.effect = effect
        self.states = states
        advance = {loop.variable: affine(loop.variable) + 1}
        self.next = {
            array: [(d.substitute(advance), rewrite.substitute(t, advance)) for d, t in pieces]
            for array, pieces in states.items()
        }

    def base(self, own: Read, cells: Domain) -> None:
        """Nothing has changed before the first iteration."""
        starts = EMPTY
        for low in self.loop.lower:
            starts = starts | (cells & Domain.of(at_least(low, self.loop.variable)))
        for domain, term in self.states[own.array]:
            here = domain & starts
            if not here.is_empty():
                self._require(term, own, here, "base")

    def step(self, own: Read, cells: Domain) -> None:
        """One iteration takes the state before it to the state after it."""
        rest = cells
        for domain, term in self.effect[own.array]:
            here = domain & cells
            rest = rest - domain
            self._agree(self._run(term, here), own, here, "step")
        if not rest.is_empty():
            self._unchanged(own, rest.coalesce(), "step")

    def gap(self, own: Read, cells: Domain) -> None:
        """Where there is no iteration, nothing happens."""
        inside = [at_least(self.loop.variable, low) for low in self.loop.lower]
        inside += [at_least(high, affine(self.loop.variable) + 1) for high in self.loop.upper]
        cells = cells & Domain.of(*inside)
        if not cells.is_empty():
            self._unchanged(own, cells.coalesce(), "gap")

    def _run(self, term: Term, domain: Domain) -> Term:
        """Evaluate a term of the body on the state before the iteration."""
        if term.reads.isdisjoint(self.states):
            return term

        def convert(found: Read, where: Domain) -> Term:
            if found.array not in self.states:
                return found
            return rewrite.lookup(self.states[found.array], at(found.array, found.indices), where, found)

        return rewrite.map_reads(term, domain, convert)

    def _agree(self, term: Term, own: Read, cells: Domain, part: str) -> None:
        """Compare a term with the state after the iteration, piece by piece."""
        for where, after in _pieces_at(self.next[own.array], own, cells):
            self._require(term, after, where, part)

    def _unchanged(self, own: Read, cells: Domain, part: str) -> None:
        for where, before in _pieces_at(self.states[own.array], own, cells):
            self._agree(before, own, where, part)

    def _require(self, left: Term, right: Term, domain: Domain, part: str) -> None:
        if left is not right and not normal.equal(left, right, domain):
            array = left if isinstance(left, Read) else right
            raise RecurrenceError(self._name(array), f"has no closed form that induction proves ({part})")

    def _name(self, term: Term) -> str:
        return next((a for a in self.effect if a in term.reads), next(iter(self.effect)))


def _pieces_at(pieces: list[Piece], own: Read, cells: Domain) -> list[Piece]:
    """Return what the own cell holds, on parts of the domain; where no piece applies, its initial value."""
    found: list[Piece] = []
    rest = cells
    for domain, term in pieces:
        here = domain & rest
        if not here.is_empty():
            found.append((here, term))
            rest = rest - domain
    if not rest.is_empty():
        found.append((rest, own))
    return found
