"""Every reference kernel lifts to StableHLO, is proved there, and computes in XLA what the source does."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from bench.kernels.catalogue import Kernel, kernels, read
from bench.kernels.sizes import small_sizes
from tests.kernels.turns import lifted_to

from tensorlift.ir.function import FunctionView, functions
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import FunctionRecord, Level
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.source import read_source

if TYPE_CHECKING:
    from collections.abc import Mapping


def _lifted(kernel: Kernel, sizes: Mapping[str, int]) -> FunctionRecord:
    folders = (str(kernel.path.parent),)
    options = LiftOptions((kernel.function,), "stablehlo", include_dirs=folders, sizes=tuple(sizes.items()))
    return lift_source(read_source(str(kernel.path)), options).functions[0]


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("kernel", [k for k in kernels() if lifted_to(k, "stablehlo")], ids=str)
def test_kernel_lifts_to_stablehlo_and_runs_in_xla(kernel: Kernel) -> None:
    """At the first of some sizes at which the source is stable on the inputs."""
    (module,) = (one.module for one in read(kernel.path) if one.name == kernel.function)
    assert module is not None
    (func_op,) = functions(module)
    view = FunctionView(func_op)
    for sizes in reversed(small_sizes(kernel.path, kernel.function)):
        function = _lifted(kernel, sizes)
        assert function.diagnostics == ()
        assert (function.verdict, function.level, function.tests) == (kernel.expect, Level.PROVED, ())
        if find_spec("jax") is None:
            pytest.skip("JAX, which XLA comes with, is not installed: the program is proved, but was not run")
        report = compare_with_interpreter(
            func_op, function.program, function.name, view.written, [sizes], library="stablehlo"
        )
        assert not report.failures, [str(failure) for failure in report.failures]
        if report.cases:
            return
    pytest.fail("the source is stable at no sizes")
