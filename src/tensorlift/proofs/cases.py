"""Proof by cases over the sizes: where a bound's meaning depends on them, each case is proved by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorlift.comprehension.domain import Domain
from tensorlift.proofs.failure import OBLIGATION, CheckFailure
from tensorlift.proofs.obligations import Undecided

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_CASES = 64


def by_cases(context: Domain, prove: Callable[[Domain], None], *, translated: bool = False) -> int:
    """Call ``prove`` on the context, or on parts that together are the context; return the number of parts.

    An empty context needs no proof, but of what is ``translated`` whether it runs or not.

    Raises:
        CheckFailure: where a part is not proved, or the parts become too many.

    """
    waiting, proved, runs = [context], 0, 0
    while waiting:
        case = waiting.pop()
        if case.is_empty() and not (translated and case is context):
            continue
        runs += 1
        if runs > _MOST_CASES:
            raise CheckFailure(OBLIGATION, "too many cases of the sizes must be told apart")
        try:
            prove(case)
            proved += 1
        except Undecided as question:
            holds = Domain.of(question.constraint)
            waiting += [case - holds, case & holds]
    return proved
