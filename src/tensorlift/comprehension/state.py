"""The state of arrays inside a block: for each written array, its cells as a piecewise function of the state at entry.

A piece is a domain over the array's index variables (and the variables of enclosing loops and sizes) with a term that
reads the entry state.  Cells in no piece are as they were at entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import rewrite, terms
from tensorlift.comprehension.hits import seen_where_hit
from tensorlift.comprehension.terms import Piecewise, Term
from tensorlift.poly.affine import Affine, affine
from tensorlift.poly.domain import EMPTY, Domain, equal
from tensorlift.poly.names import formals
from tensorlift.session import SESSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tensorlift.ops.dtypes import DType

Piece = tuple[Domain, Term]
Effect = dict[str, list[Piece]]


MOST_PIECES = 48  # of one array: pieces are compared pair by pair


class RecurrenceError(Exception):
    """Raised where a loop has no closed form; says which array is carried and why, and the variable of the loop."""

    def __init__(self, array: str, why: str) -> None:
        super().__init__(f"{array} {why}")
        self.array = array
        self.why = why
        self.variable: str | None = None

    def renamed(self, names: Mapping[str, str]) -> RecurrenceError:
        """Say it of an array that has another name now."""
        if self.array not in names:
            return self
        other = RecurrenceError(names[self.array], self.why)
        other.variable = self.variable
        return other


class State:
    """The arrays that a block has written so far."""

    def __init__(self) -> None:
        self.pieces: Effect = {}
        # The last store to an array, where nothing was stored since: subscripts, term, and where it holds.
        self._last: dict[str, tuple[tuple[Affine, ...], Term, Domain]] = {}

    def copy(self) -> State:
        """Return a state that changes by itself."""
        other = State()
        other.pieces = {array: list(pieces) for array, pieces in self.pieces.items()}
        other._last = dict(self._last)
        return other

    def read(self, array: str, indices: tuple[Affine, ...], dtype: DType, context: Domain) -> Term:
        """Return a cell for the points of the context."""
        initial = terms.read(array, indices, dtype)
        pieces = self.pieces.get(array)
        if not pieces:
            return initial
        last = self._last.get(array)
        if last is not None and last[0] == indices and (last[2] is context or context.is_subset(last[2])):
            return last[1]
        return rewrite.lookup(pieces, at(array, indices), context, initial)

    def store(self, array: str, indices: tuple[Affine, ...], term: Term, context: Domain) -> None:
        """Overwrite one cell for each point of the context."""
        cell = context & cell_domain(array, indices)
        self.overwrite(array, split([(cell, term)]))
        self._last[array] = (indices, term, context)

    def overwrite(self, array: str, new: list[Piece]) -> None:
        """Put pieces over those that are there."""
        self._last.pop(array, None)
        self.pieces[array] = overlay(self.pieces.get(array, []), new)
        if len(self.pieces[array]) > MOST_PIECES:
            raise RecurrenceError(array, f"is written in more than {MOST_PIECES} ways")

    def forget(self, array: str) -> None:
        """Make an array undefined, as at the place of its declaration."""
        self._last.pop(array, None)
        self.pieces.pop(array, None)

    def apply(self, effect: Effect, resolve: Mapping[str, Term]) -> None:
        """Run an effect, whose terms read this state and outer values."""
        after = {
            array: split((d, seen_where_hit(self.resolved(term, d, resolve), d)) for d, term in pieces)
            for array, pieces in effect.items()
        }
        for array, pieces in after.items():
            self.overwrite(array, pieces)

    def choose(
        self,
        condition: Domain | Term,
        then: tuple[State, Domain],
        otherwise: tuple[State, Domain],
        own: Callable[[str], terms.Read],
    ) -> None:
        """Become the state of the arm that a condition takes; each arm holds at the points of a domain."""
        (chosen, inside), (other, outside) = then, otherwise
        for array in dict.fromkeys((*chosen.pieces, *other.pieces)):
            first, second = chosen.pieces.get(array, []), other.pieces.get(array, [])
            if first == second == self.pieces.get(array, []):
                continue
            if first == second:
                new = first
            elif isinstance(condition, Domain):
                new = _either(first, second, inside, outside)
            else:
                new = _selected(condition, first, second, own(array))
            self.overwrite(array, new)

    def resolved(self, term: Term, domain: Domain, resolve: Mapping[str, Term]) -> Term:
        """Return a term of the current state as one of the entry state."""
        if term.reads.isdisjoint(self.pieces) and term.reads.isdisjoint(resolve):
            return term

        def convert(found: terms.Read, where: Domain) -> Term:
            value = resolve.get(found.array)
            return value if value is not None else self.read(found.array, found.indices, found.dtype, where)

        return rewrite.map_reads(term, domain, convert)


def at(array: str, indices: tuple[Affine, ...]) -> dict[str, Affine]:
    """Return the index variables of an array at a cell, those that are themselves left out."""
    names = formals(array, len(indices))
    return {name: index for name, index in zip(names, indices, strict=True) if index.variable != name}


@SESSION.cached
def cell_domain(array: str, indices: tuple[Affine, ...]) -> Domain:
    """Return the points where the array's index variables are the subscripts."""
    return Domain.of(*(equal(name, index) for name, index in at(array, indices).items()))


def own_cell(array: str, rank: int, dtype: DType) -> terms.Read:
    """Return the read of the cell that a definition of the array defines."""
    return terms.read(array, tuple(map(affine, formals(array, rank))), dtype)


def overlay(old: list[Piece], new: list[Piece]) -> list[Piece]:
    """Put new pieces over old ones."""
    kept = []
    for domain, term in old:
        rest = domain
        for above, _ in new:
            if not rest.is_disjoint(above):
                rest = rest - above
        if not rest.is_empty():
            kept.append((domain if rest is domain else rest.coalesce(), term))
    return merged([*new, *kept])


def merged(pieces: list[Piece]) -> list[Piece]:
    """Unite pieces of one term."""
    if len({term for _, term in pieces}) == len(pieces):
        return pieces
    united: dict[Term, Domain] = {}
    for domain, term in pieces:
        united[term] = united[term] | domain if term in united else domain
    return [(domain.coalesce(), term) for term, domain in united.items()]


def split(pieces: Iterable[Piece]) -> list[Piece]:
    """Turn a piecewise term into pieces of its own; drop pieces without points."""
    found: list[Piece] = []
    for domain, term in pieces:
        if isinstance(term, Piecewise):
            found += split((domain & inner, part) for inner, part in term.pieces)
        elif not domain.is_empty():
            found.append((domain, term))
    return found


def covered(pieces: list[Piece]) -> Domain:
    """Return the cells that pieces define."""
    return Domain.union(domain for domain, _ in pieces)


def _either(first: list[Piece], second: list[Piece], inside: Domain, outside: Domain) -> list[Piece]:
    """Return the pieces of the arm that is taken."""
    common = {term: domain for domain, term in first if any(domain is d and term is t for d, t in second)}
    found = [(domain, term) for term, domain in common.items()]
    found += [(d & inside, t) for d, t in first if common.get(t) is not d]
    found += [(d & outside, t) for d, t in second if common.get(t) is not d]
    return split(found)


def _selected(condition: Term, first: list[Piece], second: list[Piece], old: Term) -> list[Piece]:
    """Choose between what two arms leave, cell by cell."""
    found: list[Piece] = []
    for domain, term in _filled(first, second, old):
        for other_domain, other in _filled(second, first, old):
            both = domain & other_domain
            if not both.is_empty():
                both = both.coalesce()
                found.append((both, seen_where_hit(rewrite.simplified("select", (condition, term, other)), both)))
    return found


def _filled(pieces: list[Piece], others: list[Piece], old: Term) -> list[Piece]:
    """Add the old value where only the other arm writes."""
    rest = (covered(others) - covered(pieces)) if pieces else covered(others)
    return pieces if rest is EMPTY or rest.is_empty() else [*pieces, (rest.coalesce(), old)]
