"""Random Python functions do what their originals do once they are lifted, or are refused."""

from __future__ import annotations

import pytest
from bench.fuzz_python import lift_seed
from tests.shared import sampled

_BATCHES, _IN_BATCH = sampled(1, 6), 10


@pytest.mark.parametrize("first", range(0, _BATCHES * _IN_BATCH, _IN_BATCH))
def test_no_random_function_has_a_fault(first: int) -> None:
    outcomes = {seed: lift_seed(seed) for seed in range(first, first + _IN_BATCH)}
    assert {seed: outcome for seed, outcome in outcomes.items() if outcome.fault} == {}
    assert any(outcome.kind.endswith("proved") for outcome in outcomes.values())


@pytest.mark.parametrize("seed", [540, 758, 949, 20398])
def test_functions_that_had_a_fault_have_none(seed: int) -> None:
    assert lift_seed(seed).fault == ""
