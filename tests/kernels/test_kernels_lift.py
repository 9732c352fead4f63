"""Every reference kernel lifts with the verdict of the index, is proved for every size, and equals its original."""

from __future__ import annotations

import pytest
from bench.kernels import native
from bench.kernels.catalogue import Kernel, kernels
from tests.lifts import lifted_kernel
from tests.shared import has_turn

from tensorlift.record import Level


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_kernel_lifts_as_the_index_says_and_equals_its_original(kernel: Kernel) -> None:
    compiles = native.compiles(kernel) and has_turn(kernel, 0, 2)  # all are compared with their meanings
    function = lifted_kernel(kernel, test=compiles)
    assert function.diagnostics == ()
    assert (function.verdict, function.level, function.engine) == (
        kernel.interpreted or kernel.expect,
        Level.PROVED,
        "derive",
    )
    references = ["interpreter", "compiled"][: 1 + compiles]
    assert [(trial.against, trial.passed, trial.cases > 0) for trial in function.tests] == [
        (reference, True, True) for reference in references
    ]
