"""What a front end refuses, by way of literal IR: lifted only where both halves of the proof are decided."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tensorlift.diagnostics import LiftError
from tensorlift.frontends.read_function import read_function
from tensorlift.record import Level

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorlift.frontends.read_function import ReadFunction
    from tensorlift.interface import Lifting
    from tensorlift.record import FunctionRecord

    Outcome = tuple[FunctionRecord, Lifting | None]

# Codes of control, bounds and places: what a front end refuses for another reason has no meaning, or none that is told.
_TRIED = {
    *("TL110", "TL111", "TL112", "TL113", "TL114", "TL115"),
    *("TL120", "TL121", "TL122", "TL123", "TL124", "TL125", "TL126"),
    *("TL130", "TL131", "TL132", "TL133", "TL134", "TL135", "TL137", "TL159", "TL166", "TL168", "TL195"),
}


def lifted_otherwise(function: ReadFunction, lift: Callable[[ReadFunction], Outcome]) -> Outcome | None:
    """Lift a refused function from the loop IR that its literal IR tells; None where that is not proved."""
    otherwise = function.otherwise
    if otherwise is None or any(diagnostic.code not in _TRIED for diagnostic in function.diagnostics):
        return None
    read = read_function(function.name, function.location, lambda: (otherwise(), ()), _refusal)
    if read.module is None:
        return None
    outcome = lift(replace(read, literally=function.literally))
    record, _ = outcome
    is_proved = record.lifted and record.level is record.definitions is Level.PROVED
    return outcome if is_proved else None


def _refusal(_reason: str, _location: object) -> LiftError:
    return LiftError()
