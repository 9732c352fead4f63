"""Reference kernels lift to Linalg, are proved, and compute under upstream MLIR what the interpreter does."""

from __future__ import annotations

import pytest
from bench.kernels.catalogue import Kernel, kernels, read
from tests.kernels.turns import lifted_to
from tests.lifts import lifted_kernel

from tensorlift.contract.required import required
from tensorlift.ir.function import FunctionView, functions
from tensorlift.poly.domain import Domain
from tensorlift.record import Level
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.mlir.tools import find_tools
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.summarize import summarise


@pytest.mark.in_turns(4)
@pytest.mark.parametrize("kernel", [k for k in kernels() if lifted_to(k, "linalg")], ids=str)
def test_kernel_lifts_to_linalg_and_runs_there(kernel: Kernel) -> None:
    function = lifted_kernel(kernel, "linalg")
    assert function.diagnostics == ()
    assert (function.verdict, function.level, function.tests) == (kernel.expect, Level.PROVED, ())
    if find_tools() is None:
        pytest.skip("upstream MLIR's tools are not installed: the program is proved, but was not run")
    (module,) = (one.module for one in read(kernel.path) if one.name == kernel.function)
    assert module is not None
    (func_op,) = functions(module)
    view = FunctionView(func_op)
    summary = summarise(func_op)
    context = summary.context & Domain.of(*summary.nonempty) & required(view)
    sizes = choose_sizes(view.parameters, context, seeded(7), 3, largest=5)
    report = compare_with_interpreter(func_op, function.program, function.name, view.written, sizes, library="linalg")
    assert report.passed, [str(failure) for failure in report.failures]
