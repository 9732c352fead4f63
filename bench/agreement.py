"""Whether programs that two engines found for one kernel are equal, as the checker decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.definition import KeptLoop
from tensorlift.comprehension.session import SESSION
from tensorlift.deep import with_deep_stack
from tensorlift.proofs.certificate import certificate_from_json, same_summary
from tensorlift.proofs.equality import check_equal
from tensorlift.proofs.failure import CheckFailure
from tensorlift.proofs.verify import verify
from tensorlift.targets import get_target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorlift.record import Json


def disagreement(first: Mapping[str, Json], second: Mapping[str, Json], target: str) -> str:
    """Return why the programs of two certificates are not known to be equal, nothing where they are.

    Programs without kept loops are proved against each other.  Others, and those whose direct proof is too long, are
    proved once more against their definitions, which must be the same: they keep the same loops.
    """
    return with_deep_stack(lambda: _disagreement(first, second, target))


def _disagreement(first: Mapping[str, Json], second: Mapping[str, Json], target: str) -> str:
    SESSION.restart()
    one, other = certificate_from_json(first), certificate_from_json(second)
    keeps_loops = any(isinstance(item, KeptLoop) for item in (*one.summary.items, *other.summary.items))
    try:
        if not keeps_loops:
            check_equal(one, other, get_target(target))
            return ""
    except CheckFailure as failure:
        message = failure.diagnostics[0].message
    else:
        message = "they keep different loops"
    try:
        verify(one)
        verify(other)
    except CheckFailure as failure:
        return failure.diagnostics[0].message
    return "" if same_summary(one.summary, other.summary) else message
