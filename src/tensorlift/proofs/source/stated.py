"""Places that preconditions keep inside: each cell of an array is a place at which definitions read or write.

What counts from the end where it is below zero, as Python has it, is the place itself there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.places import cells_plus, places_read
from tensorlift.comprehension.terms import Constant, Term, applies
from tensorlift.contract.gather import covers
from tensorlift.poly.domain import EMPTY, UNIVERSE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import Definition, Summary
    from tensorlift.proofs.source.operations import Value

Stated = frozenset[tuple[str, int]]


def places_stated(summary: Summary) -> Stated:
    """Return the arrays that nobody writes, of which all cells, with a number added, are places by precondition."""
    definitions = {definition.name: definition for definition in summary.definitions()}
    written = {definition.array for definition in definitions.values()}
    found: set[tuple[str, int]] = set()
    for definition in definitions.values():
        for piece, term in definition.pieces:
            for read in places_read(term, definition.domain & piece, definition.indices):
                cells = cells_plus(read.place, definitions)
                is_always = read.is_any or (not read.guards and covers(read, summary))
                if is_always and cells is not None and cells[0].array not in written:
                    found.add((cells[0].array, cells[1]))
    return frozenset(found)


def decided_by_places(test: Value, stated: Stated, definitions: Mapping[str, Definition]) -> Value:
    """Decide whether a place is below zero, where a precondition keeps it inside; other values stay."""
    if not stated or not isinstance(test, Term) or not applies(test, ("lt", "ge")):
        return test
    place, bound = test.args
    if not isinstance(bound, Constant) or bound.value != 0:
        return test
    cells = cells_plus(place, definitions)
    if cells is None or (cells[0].array, cells[1]) not in stated:
        return test
    return EMPTY if test.op == "lt" else UNIVERSE
