"""Programs that differ from a right one in one place are rejected, unless they are right as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.mutants import Tally, lift, mutants, try_mutants

KERNELS = Path(__file__).parents[2] / "bench" / "kernels"


@pytest.mark.parametrize(
    "kernel", ["polybench/gemm.c", "polybench/trisolv.c", "blend/color_burn_8.cpp", "polybench/trmm.c"]
)
def test_no_mutant_is_accepted_and_wrong(kernel: str) -> None:
    (lifted,) = lift(KERNELS / kernel)
    tally = Tally()
    texts = list(mutants(lifted.emitted.text))
    try_mutants(lifted, texts, tally)
    assert len(texts) > 15
    assert not tally.wrong
    assert sum(n for outcome, n in tally.outcomes.items() if outcome.startswith("rejected")) > len(texts) / 2
