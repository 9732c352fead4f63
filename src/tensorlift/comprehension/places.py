"""Where terms read arrays at places that depend on data, however their conditions turn out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tensorlift.comprehension.rewrite import place_of, walk
from tensorlift.comprehension.terms import Apply, Piecewise, Read, Reduce

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.domain import Domain
    from tensorlift.comprehension.terms import Term


class PlaceRead(NamedTuple):
    """A cell is read at a place: on every point of a domain, over which ``hit`` walks the cells of the axis."""

    place: Term
    domain: Domain
    variables: tuple[str, ...]
    hit: str
    value: Term


def always_computed(term: Apply) -> tuple[Term, ...]:
    """Return the operands that C computes in any case; of a conjunction nobody knows which one came first."""
    if term.op in ("and", "or"):
        return ()
    return term.args[:1] if term.op == "select" else term.args


def cell_read(read: PlaceRead) -> tuple[Read, int]:
    """Return the cell that is read, and the axis that the place is on."""
    return next(
        (node, axis)
        for node in walk(read.value)
        if isinstance(node, Read)
        for axis, index in enumerate(node.indices)
        if index.variable == read.hit
    )


def places_read(term: Term, domain: Domain, variables: tuple[str, ...]) -> Iterator[PlaceRead]:
    """Yield where a term reads at places that depend on data, however its conditions turn out."""
    if isinstance(term, Reduce):
        inside, place = domain & term.domain, place_of(term)
        if place is not None:
            assert isinstance(term.body, Apply)
            value = term.body.args[1]
            yield PlaceRead(place, inside, variables + term.bound, term.bound[0], value)
            yield from places_read(place, domain, variables)
            yield from places_read(value, inside, variables + term.bound)
        elif term.op not in ("any", "all"):
            yield from places_read(term.body, inside, variables + term.bound)
    elif isinstance(term, Piecewise):
        for part, piece in term.pieces:
            yield from places_read(piece, domain & part, variables)
    elif isinstance(term, Apply):
        for argument in always_computed(term):
            yield from places_read(argument, domain, variables)
