"""Loops that stay: what is known about why, and which of their arrays an iteration hands to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.state import RecurrenceError
from tensorlift.diagnostics import Diagnostic, Note, Severity
from tensorlift.summarize.dependence import Conflict, accesses, is_parallel
from tensorlift.summarize.statements import Loop, Store, walk

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.comprehension.definition import ArrayInfo
    from tensorlift.comprehension.domain import Domain, NotAffine
    from tensorlift.diagnostics import Location

MOST_PAIRS = 6  # of accesses that are looked at for the sake of a message, or of a shorter program
_REMEDY = "none is needed: the loop stays and its body is lifted"


def reason_for(
    loop: Loop, error: RecurrenceError | NotAffine, context: Domain, arrays: Mapping[str, ArrayInfo]
) -> Diagnostic:
    """Say why a loop stays: the array that iterations hand on, over which distance, and where it is written."""
    name = loop.variable
    if not isinstance(error, RecurrenceError):
        what = f", {error}" if error.args else ""
        message = f"the loop over {name} stays: its closed form needs an integer division{what}"
        return Diagnostic("TL220", message, loop.location, _REMEDY, Severity.NOTE)
    if error.variable not in (None, name) and is_parallel(loop, context):
        why = f"its iterations are independent, and the loop over {error.variable} in it stays"
        message = f"the loop over {name} stays: {why}"
        return Diagnostic("TL220", message, loop.location, _REMEDY, Severity.NOTE)
    distance = _distance(loop, error.array, context)
    over = f", {distance} iteration{'s' if distance != 1 else ''} apart" if distance else ""
    array = arrays[error.array].source_name if error.array in arrays else error.array
    message = f"the loop over {name} stays: {array} {error.why}{over}"
    notes = tuple(Note(f"{array} is written here", place) for place in _writers(loop, error.array))
    return Diagnostic("TL220", message, loop.location, _REMEDY, Severity.NOTE, notes)


def hands_on(loop: Loop, array: str, iterations: Domain) -> bool:
    """Tell whether an iteration may read a cell of an array that an earlier one wrote."""
    found = [a for a in accesses(loop.body, iterations, (loop.variable,)) if a.array == array]
    pairs = [(store, load) for store in found if store.writes for load in found if not load.writes]
    return len(pairs) > MOST_PAIRS or any(Conflict(store, load, loop.variable).forward() for store, load in pairs)


def _writers(loop: Loop, array: str) -> list[Location]:
    places = (s.location for s in walk(loop.body) if isinstance(s, Store) and s.array == array)
    return [place for place in dict.fromkeys(places) if place is not None][:3]


def _distance(loop: Loop, array: str, context: Domain) -> int | None:
    """Return the one distance between a store and a later load of the array, where there is one."""
    found = [a for a in accesses(loop.body, context & loop.domain(), (loop.variable,)) if a.array == array]
    pairs = [(store, load) for store in found if store.writes for load in found if not load.writes]
    if len(pairs) > MOST_PAIRS:
        return None
    conflicts = (Conflict(store, load, loop.variable) for store, load in pairs)
    distances = {conflict.distance() for conflict in conflicts if conflict.forward()}
    return distances.pop() if len(distances) == 1 else None
