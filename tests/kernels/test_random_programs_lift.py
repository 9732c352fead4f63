"""Random programs are lifted rightly or refused: no lift contradicts the interpreter, and nothing crashes."""

from __future__ import annotations

import pytest
from bench.fuzz import lift_seed
from tests.shared import sampled

_BATCHES = sampled(1, 25)
_IN_BATCH = 12


@pytest.mark.parametrize("first", range(0, _BATCHES * _IN_BATCH, _IN_BATCH))
def test_no_random_program_has_a_fault(first: int) -> None:
    outcomes = {seed: lift_seed(seed, test=False) for seed in range(first, first + _IN_BATCH)}
    assert {seed: outcome for seed, outcome in outcomes.items() if outcome.fault} == {}
    assert any(outcome.kind.endswith("proved") for outcome in outcomes.values())


@pytest.mark.in_turns(2)
@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        (881841, "unchanged proved"),
        (882228, "hybrid proved"),
    ],  # piecewise values in each other, prefixes under masks
)
def test_programs_that_once_failed_lift(seed: int, kind: str) -> None:
    assert lift_seed(seed, test=False).kind == kind
