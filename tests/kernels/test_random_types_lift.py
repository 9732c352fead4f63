"""Random programs that mix element types do what their originals do once they are lifted, or are refused."""

from __future__ import annotations

from argparse import Namespace
from shutil import which

import pytest
from bench.fuzz_types import Runner
from tests.shared import sampled

from tensorlift.runtime.mlir.tools import find_tools

_COUNT = sampled(5, 12)


@pytest.mark.parametrize(("language", "first"), [("c", 0), ("python", 0), ("mlir", 120)])
def test_no_random_program_has_a_fault(language: str, first: int) -> None:
    if (language == "c" and which("cc") is None) or (language == "mlir" and find_tools() is None):
        pytest.skip("there is no compiler for the originals")
    runner = Runner(Namespace(language=language, to="numpy", first=first, count=_COUNT))
    outcomes = {seed: runner.run(seed) for seed in range(first, first + _COUNT)}
    assert {seed: outcome for seed, outcome in outcomes.items() if outcome.fault} == {}
    assert sum("proved" in outcome.kind for outcome in outcomes.values()) > 0.6 * _COUNT
