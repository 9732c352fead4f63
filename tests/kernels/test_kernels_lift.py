"""Every reference kernel lifts with the verdict of the index, is proved for every size, and equals its original."""

from __future__ import annotations

import pytest
from bench.kernels import native
from bench.kernels.catalogue import Kernel, kernels

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.source import read_source


@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_kernel_lifts_as_the_index_says_and_equals_its_original(kernel: Kernel) -> None:
    compiles = native.compiles(kernel)
    options = LiftOptions((kernel.function,), include_dirs=(str(kernel.path.parent),), test=compiles)
    (function,) = lift_source(read_source(str(kernel.path)), options).functions
    assert function.diagnostics == ()
    assert (function.verdict, function.level, function.engine) == (kernel.expect, Level.PROVED, "derive")
    references = ["interpreter", "compiled"][: 1 + compiles]
    assert [(trial.against, trial.passed, trial.cases > 0) for trial in function.tests] == [
        (reference, True, True) for reference in references
    ]
