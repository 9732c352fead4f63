"""Proofs that an array is read inside of its bounds at places that depend on data.

C's read outside of an array is undefined, so that a program may read wherever the source does; elsewhere it must not:
NumPy raises there, or counts from the end.  A place is accepted if its type, or a mask, keeps it inside, or if the
source itself reads there, unconditionally, on the same points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension import terms
from tensorlift.comprehension.domain import at_least, less
from tensorlift.comprehension.matching import matches
from tensorlift.comprehension.names import fresh
from tensorlift.comprehension.places import PlaceRead, places_read
from tensorlift.comprehension.ranges import value_range
from tensorlift.comprehension.rewrite import substitute
from tensorlift.comprehension.terms import Piecewise
from tensorlift.proofs.surroundings import Facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorlift.comprehension.affine import Affine
    from tensorlift.comprehension.domain import Domain
    from tensorlift.comprehension.terms import Term
    from tensorlift.proofs.expansion import Definitions, Equality
    from tensorlift.proofs.surroundings import Surroundings


class Places:
    """Decides whether places are inside, knowing where the source reads."""

    def __init__(self, definitions: Definitions, surroundings: Surroundings) -> None:
        self._definitions = definitions
        self._reads = Facts(surroundings, self._collect, lambda read: read.place)

    def is_inside(self, place: Term, extent: Affine, domain: Domain) -> bool:
        """Tell whether a place is one of an axis at every point of a domain."""
        least, most = value_range(place)
        if domain.is_empty() or domain.implies(at_least(least, 0), less(most, extent)):
            return True
        if isinstance(place, Piecewise):
            return all(self.is_inside(piece, extent, domain & part) for part, piece in place.pieces)
        wanted = self._written_out(terms.cast(place, "i64"), domain)
        return any(
            self._is_there(read, term, extent, domain, equality)
            for read in self._reads
            for term in wanted
            for equality in self._definitions.equalities
        )

    def _written_out(self, place: Term, domain: Domain) -> tuple[Term, ...]:
        """Return a place with the definitions that it reads by name as far as they are known, and written out."""
        found = (self._definitions.expand(place, domain), self._definitions.expand(place, domain, fully=True))
        return tuple(dict.fromkeys(found))

    def _is_there(self, read: PlaceRead, place: Term, extent: Affine, domain: Domain, equality: Equality) -> bool:
        """Tell whether the source reads at a place on every point of a domain, along an axis that is not longer."""
        for values in matches(read.place, place, read.variables):
            mine, hit = substitute(read.place, values), fresh("hit")
            free = [v for v in read.variables if v not in values and v != read.hit]
            there = read.domain.project_out(*free).rename({read.hit: hit}).substitute(values)
            inside = (there & domain).implies(at_least(hit, 0), less(hit, extent))
            if inside and domain.is_subset(there.project_out(hit)) and (mine is place or equality(mine, place, domain)):
                return True
        return False

    def _collect(self, term: Term, domain: Domain, indices: tuple[str, ...]) -> Iterator[PlaceRead]:
        for read in places_read(term, domain, indices):
            for place in self._written_out(read.place, read.domain):
                yield read._replace(place=place)
