"""The induction check: proves that a guessed closed form is what a loop computes.

The guess is the state before iteration ``i``, for every ``i`` up to the upper bounds.  It is right if

- *base*: where ``i`` is at most a lower bound, so that no iteration came before, every cell holds its initial value;
- *step*: where ``i`` is an iteration, running the body on the state before ``i`` gives the state before ``i + 1``;
- *gap*: where ``i`` is inside the bounds but no iteration (steps greater than one), the states before ``i`` and
  ``i + 1`` agree.

Where the step ``s`` is no constant, it is not known which ``i`` are iterations: the step is shown for all that could be
one, from ``i`` to ``i + s``, or to the least upper bound where that comes first.  Then there is no gap.

The state at the upper bound is then what the loop leaves: that is the *exit*, taken by substitution, so that there is
nothing left to check.  An empty loop is the base at the upper bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tensorlift.comprehension import normal, rewrite
from tensorlift.comprehension.state import Effect, Piece, RecurrenceError, at, own_cell
from tensorlift.comprehension.terms import Apply, Piecewise, Read, Term
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import EMPTY, UNIVERSE, Domain, at_least, less
from tensorlift.proofs.source.orders import equal_by_orders
from tensorlift.proofs.source.unrolling import equal_by_cases, unrolled, without_empty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import ArrayInfo


class Counted(Protocol):
    """A loop whose variable goes from the greatest lower bound up to below the least upper bound."""

    @property
    def variable(self) -> str:
        """The variable."""

    @property
    def lower(self) -> tuple[Affine, ...]:
        """The lower bounds."""

    @property
    def upper(self) -> tuple[Affine, ...]:
        """The upper bounds, which it stays below."""

    @property
    def step(self) -> Affine | int:
        """What each iteration adds, which is at least one."""


@dataclass(frozen=True)
class Guess:
    """What is to be proved of a loop.

    ``effect`` is one iteration, ``states`` the guess, ``region`` where ``loop.variable`` is at most each upper bound,
    ``iterations`` where it is an iteration.
    """

    loop: Counted
    effect: Effect
    states: Effect
    region: Domain
    iterations: Domain


def check_induction(guess: Guess, arrays: Mapping[str, ArrayInfo]) -> None:
    """Check a guess.

    Raises:
        RecurrenceError: where a part of the proof fails.

    """
    proof = _Proof(guess)
    for array in guess.effect:
        info = arrays[array]
        own = own_cell(array, len(info.shape), info.dtype)
        proof.base(own)
        proof.step(own)
        if isinstance(guess.loop.step, int) and guess.loop.step > 1:
            proof.gap(own)


class _Proof:
    """The obligations.

    Cells that neither an iteration nor the guess mentions keep their initial value on both sides, so that only the
    domains of pieces are looked at.
    """

    def __init__(self, guess: Guess) -> None:
        self.guess = guess
        self.variable = guess.loop.variable
        self.states = guess.states
        following = self._following()
        self.next = {
            array: [
                (here, rewrite.substitute(t, at))
                for where, at in following
                for d, t in pieces
                if not (here := d.substitute(at) & where).is_empty()
            ]
            for array, pieces in guess.states.items()
        }

    def _following(self) -> list[tuple[Domain, dict[str, Affine]]]:
        """Return the next value of the variable, piece by piece."""
        loop, now = self.guess.loop, affine(self.variable)
        if isinstance(loop.step, int):
            return [(UNIVERSE, {self.variable: now + 1})]
        found = [(Domain.of(*(at_least(high, now + loop.step) for high in loop.upper)), now + loop.step)]
        for number, high in enumerate(loop.upper):
            others = [less(high, other) for other in loop.upper[:number]]
            others += [at_least(other, high) for other in loop.upper[number + 1 :]]
            found.append((Domain.of(less(high, now + loop.step), *others), high))
        return [(where, {self.variable: value}) for where, value in found]

    def base(self, own: Read) -> None:
        """Nothing has changed before the first iteration."""
        for low in self.guess.loop.lower:
            start = Domain.of(at_least(low, self.variable))
            for domain, term in self.states[own.array]:
                here = domain & start
                if not here.is_empty():
                    self._require(without_empty(term, here), own, here, "base")

    def step(self, own: Read) -> None:
        """One iteration takes the state before it to the state after it."""
        written = self.guess.effect[own.array]
        for domain, term in written:
            for where, after in values_at(self.next[own.array], domain, own):
                self._require(self._run(term, where), after, where, "step")
        self._unchanged(own, self.guess.iterations, [domain for domain, _ in written], "step")

    def gap(self, own: Read) -> None:
        """Where there is no iteration, nothing happens."""
        inside = [at_least(self.variable, low) for low in self.guess.loop.lower]
        inside += [at_least(high, affine(self.variable) + 1) for high in self.guess.loop.upper]
        between = (self.guess.region & Domain.of(*inside)) - self.guess.iterations
        if not between.is_empty():
            self._unchanged(own, between.coalesce(), [], "gap")

    def _run(self, term: Term, domain: Domain) -> Term:
        """Evaluate a term of the body on the state before the iteration."""
        if term.reads.isdisjoint(self.states):
            return term

        def convert(found: Read, where: Domain) -> Term:
            if found.array not in self.states:
                return found
            return rewrite.lookup(self.states[found.array], at(found.array, found.indices), where, found)

        return rewrite.map_reads(term, domain, convert)

    def _unchanged(self, own: Read, points: Domain, written: list[Domain], part: str) -> None:
        """Compare the states before and after where the iteration writes nothing."""
        before, after = self.states[own.array], self.next[own.array]
        for domain, term in before:
            for where, later in values_at(after, _without(domain & points, written), own):
                self._require(term, later, where, part)
        known = Domain.union([*written, *(domain for domain, _ in before)])
        for domain, term in after:
            here = domain & points
            if not here.is_subset(known):
                self._require(own, term, here - known, part)

    def _require(self, left: Term, right: Term, domain: Domain, part: str) -> None:
        if left is not right and not self._equal(left, right, domain):
            array = next((a for a in self.guess.effect if a in left.reads or a in right.reads), self._first())
            raise RecurrenceError(array, f"has no closed form that induction proves ({part})")

    def _equal(self, left: Term, right: Term, domain: Domain) -> bool:
        """Decide at a glance, for fewer points, where fewer pieces apply, and then case by case, by the normal form."""
        if self._is_seen(left, right, domain):
            return True
        parts = _parts(left, domain)
        if parts and all(self._equal(restricted(left, part), right, part) for part in parts):
            return True
        later = unrolled(left, right, domain, self.variable)
        if equal_by_orders(left, later, domain) or equal_by_cases(left, later, domain):
            return True
        return later is not right and normal.equal(left, right, domain)

    def _is_seen(self, left: Term, right: Term, domain: Domain) -> bool:
        """Tell whether both sides look alike with the last iteration unrolled, perhaps for each piece by itself."""
        if normal.alike(left, unrolled(left, right, domain, self.variable), domain):
            return True
        parts = _parts(left, domain)
        return bool(parts) and all(self._is_seen(restricted(left, part), right, part) for part in parts)

    def _first(self) -> str:
        return next(iter(self.guess.effect))


def _parts(term: Term, domain: Domain) -> list[Domain]:
    """Return the parts of a domain where different pieces of a term apply; none where they do not tell it apart."""
    pieces = [piece for piece, _ in _pieces_in(term)]
    if any(domain.is_subset(piece) for piece in pieces):
        return []
    parts = [part for piece in pieces if not (part := domain & piece).is_empty()]
    return parts if domain.is_subset(Domain.union(parts)) else []


def _pieces_in(term: Term) -> tuple[Piece, ...]:
    """Return the pieces of the first piecewise value outside of reductions."""
    stack = [term]
    seen: set[Term] = set()
    while stack:
        node = stack.pop()
        if isinstance(node, Piecewise):
            return node.pieces
        if isinstance(node, Apply) and node.has_domains and node not in seen:
            seen.add(node)
            stack += node.args
    return ()


def restricted(term: Term, domain: Domain) -> Term:
    """Return a term without the pieces that do not apply at the points of a domain."""
    return rewrite.map_reads(term, domain, lambda found, _: found)


def _without(domain: Domain, others: list[Domain]) -> Domain:
    """Take domains away; subtracting is dear, so that only those that meet are."""
    for other in others:
        if domain.is_disjoint(other):
            continue
        if domain.is_subset(other):
            return EMPTY
        domain = domain - other
    return domain


def values_at(pieces: list[Piece], domain: Domain, default: Term) -> list[Piece]:
    """Return what a piecewise function is on parts of a domain."""
    found: list[Piece] = []
    for piece, term in pieces:
        if domain.is_empty():
            return found
        if domain.is_subset(piece):
            return [*found, (domain, term)]
        if not domain.is_disjoint(piece):
            found.append((domain & piece, term))
            domain = domain - piece
    return found if domain.is_empty() else [*found, (domain, default)]
