"""Every reference kernel that keeps no loop lifts to StableHLO, is proved, and computes in XLA what the source does."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from bench.kernels.catalogue import Kernel, kernels, read

from tensorlift.ir.function import FunctionView, functions
from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.record import Level
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.sizes import choose_sizes, required
from tensorlift.source import read_source
from tensorlift.summarize import summarise

_KEPT_LOOPS = "hybrid"


@pytest.mark.parametrize("kernel", kernels(), ids=str)
def test_kernel_lifts_to_stablehlo_and_runs_in_xla(kernel: Kernel) -> None:
    (module,) = (one.module for one in read(kernel.path) if one.name == kernel.function)
    assert module is not None
    (func_op,) = functions(module)
    view = FunctionView(func_op)
    domain = summarise(func_op).context & required(view)
    sizes = choose_sizes(view.parameters, domain, seeded(5), 2, largest=7)[-1]
    options = LiftOptions(
        (kernel.function,), "stablehlo", include_dirs=(str(kernel.path.parent),), sizes=tuple(sizes.items())
    )
    (function,) = lift_source(read_source(str(kernel.path)), options).functions
    if kernel.expect == _KEPT_LOOPS:
        assert [d.code for d in function.diagnostics] == ["TL308"]
        return
    assert function.diagnostics == ()
    assert (function.verdict, function.level, function.tests) == (kernel.expect, Level.PROVED, ())
    if find_spec("jax") is None:
        pytest.skip("JAX, which XLA comes with, is not installed: the program is proved, but was not run")
    report = compare_with_interpreter(
        func_op, function.program, function.name, view.written, [sizes], library="stablehlo"
    )
    assert report.passed, [str(failure) for failure in report.failures]
