"""Reference kernels lift to every array library, are proved, and compute there what the interpreter does."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from bench.kernels.catalogue import Kernel, kernels, read
from tests.kernels.turns import lifted_to
from tests.lifts import lifted_kernel
from tests.shared import is_exhaustive

from tensorlift.contract.required import required
from tensorlift.ir.function import FunctionView, functions
from tensorlift.record import Level
from tensorlift.report.program import entry_name
from tensorlift.runtime.agreement import compare_with_interpreter
from tensorlift.runtime.data import seeded
from tensorlift.runtime.sizes import choose_sizes
from tensorlift.summarize import summarise
from tensorlift.targets import get_target, target_names

_LIBRARIES = [name for name in target_names() if get_target(name).language == "python" and get_target(name).library]


@pytest.mark.in_turns(6)
@pytest.mark.parametrize(
    ("kernel", "target"), [(k, t) for k in kernels() for t in _LIBRARIES if lifted_to(k, t)], ids=str
)
def test_kernel_lifts_to_a_library_and_runs_there(kernel: Kernel, target: str) -> None:
    function = lifted_kernel(kernel, target)
    assert function.diagnostics == ()
    expected = (get_target(target).is_interpreted and kernel.interpreted) or kernel.expect
    assert (function.verdict, function.level, function.tests) == (expected, Level.PROVED, ())
    library = get_target(target).library
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed: the program is proved, but was not run")
    (module,) = (one.module for one in read(kernel.path) if one.name == kernel.function)
    assert module is not None
    (func_op,) = functions(module)
    view = FunctionView(func_op)
    domain = summarise(func_op, nonempty=True).context & required(view)
    count = 3 if is_exhaustive() else 2  # JAX compiles for each
    sizes = choose_sizes(view.parameters, domain, seeded(7), count, largest=5)
    entry = entry_name(view.name, function.program)
    report = compare_with_interpreter(func_op, function.program, entry, view.written, sizes, library=library)
    assert report.passed, [str(failure) for failure in report.failures]
