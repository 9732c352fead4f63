"""Whether programs that two engines found for one kernel are equal, as the checker decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.attempts import start_afresh
from tensorlift.comprehension.definition import KeptLoop
from tensorlift.deep import with_deep_stack
from tensorlift.proofs.certificate import certificate_from_json
from tensorlift.proofs.equality import check_equal
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.serialise import same_summary
from tensorlift.proofs.verify import verify
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.proofs.certificate import Certificate
    from tensorlift.record import Json


def disagreement(first: Mapping[str, Json], second: Mapping[str, Json], target: str) -> str:
    """Return why the programs of two certificates are not known to be equal, nothing where they are.

    Programs without kept loops are proved against each other.  Others, and those whose direct proof is too long, are
    proved once more against their definitions, which must be the same, or keep the same function's loops.
    """
    return with_deep_stack(lambda: _disagreement(first, second, target))


def _disagreement(first: Mapping[str, Json], second: Mapping[str, Json], target: str) -> str:
    start_afresh()
    one, other = certificate_from_json(first), certificate_from_json(second)
    keeps_loops = any(isinstance(item, KeptLoop) for item in (*one.summary.items, *other.summary.items))
    try:
        if not keeps_loops:
            check_equal(one, other, get_target(target))
            return ""
    except CheckFailure as failure:
        message = failure.diagnostics[0].message
        return "" if _by_definitions(one, other) else message
    return "" if _by_definitions(one, other) else "their definitions differ"


def _by_definitions(one: Certificate, other: Certificate) -> bool:
    """Tell whether both programs are proved, once more, against the same definitions."""
    try:
        verify(one)
        verify(other)
    except CheckFailure:
        return False
    return same_summary(one.summary, other.summary)
