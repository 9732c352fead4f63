"""What all tests share: the flag that refreshes generated text, and one run record with everything in it."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from tests.shared import has_turn, is_exhaustive, set_up

from tensorlift.contract.interface import Parameter, Precondition, Role
from tensorlift.diagnostics import Diagnostic, Location, Note, Severity
from tensorlift.record import (
    EngineRun,
    FunctionRecord,
    Level,
    LiftRecord,
    Outcome,
    Output,
    ResidualLoop,
    Trial,
    Verdict,
)
from tensorlift.source import Source, source_from_text

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = """void scale(int n, double s, double *a) {
  for (int i = 0; i < n; i++)
    a[i] = s * a[i];
}
void walk(int n, double *a) {
  for (int i = 1; i < n; i++)
    a[i] = f(a[i-1]);
}
"""

# The compiler that fuses first is slower on small programs too, and ends the process on some (`bench/fuzz_types.py`).
_XLA = "--xla_backend_optimization_level=0 --xla_cpu_parallel_codegen_split_count=1 --xla_cpu_use_fusion_emitters=false"

PROGRAM = """import numpy as np


def scale(s, a):
    return s * a
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update``, with which tests of generated text write it instead of comparing, and ``--exhaustive``."""
    parser.addoption("--update", action="store_true", help="refresh generated text in documents and golden files")
    parser.addoption("--exhaustive", action="store_true", help="take all of what is sampled otherwise")


def pytest_configure(config: pytest.Config) -> None:
    """Tell modules by ``TENSORLIFT_EXHAUSTIVE`` in the environment, while they are collected, that they take all.

    Garbage is looked for rarely: to go over all that JAX and PyTorch hold takes a tenth of the time.  What modules are
    compiled to is kept, or each of the processes that tests start would compile them again.  LLVM takes XLA's code
    as it is, since each program runs once: that halves the time that compiling takes; ``--exhaustive`` optimises it.
    """
    settings.register_profile("own", suppress_health_check=[HealthCheck.too_slow])  # machines differ, and are shared
    settings.load_profile("own")
    config.addinivalue_line("markers", "exhaustive: taken with --exhaustive, or where it is named")
    config.addinivalue_line("markers", "in_turns(n): one of n cases is taken, all with --exhaustive")
    gc.set_threshold(20_000, 20, 20)
    sys.dont_write_bytecode = False
    os.environ["TENSORLIFT_CACHE"] = "off"  # each test lifts what it calls
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if config.getoption("--exhaustive"):
        os.environ["TENSORLIFT_EXHAUSTIVE"] = "1"
    else:
        os.environ.setdefault("XLA_FLAGS", _XLA)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take one of some cases of a test that is marked ``in_turns``, by their names, or all with ``--exhaustive``.

    A test none of whose cases has its turn takes the first.
    """
    if is_exhaustive() or config.getoption("--update") or any("::" in argument for argument in config.args):
        return
    marks = [(item, item.get_closest_marker("in_turns")) for item in items]
    left = {item for item, mark in marks if mark is not None and not has_turn(item.nodeid, 0, mark.args[0])}
    taken = {_test_of(item) for item in items if item not in left}
    first = {_test_of(item): item for item in reversed(items)}
    left -= {item for test, item in first.items() if test not in taken}
    left |= {item for item in items if item.get_closest_marker("exhaustive") is not None}
    config.hook.pytest_deselected(items=list(left))
    items[:] = [item for item in items if item not in left]


def _test_of(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def pytest_collection_finish() -> None:
    """Never go over the tests, and what their modules hold, in search of garbage."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def _folder_of_the_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    own = tmp_path_factory.getbasetemp()
    set_up(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own)


@pytest.fixture(scope="session", autouse=True)
def _unoptimised() -> Iterator[None]:
    """Have LLVM take modules of MLIR as they are too, and what a machine is able to be measured in a few calls."""
    with pytest.MonkeyPatch.context() as patch:
        if not is_exhaustive():
            patch.setattr("tensorlift.runtime.mlir.program._OPTIMISED", 0)
            patch.setattr("tensorlift.runtime.machine._SECONDS", 0.0)
        yield


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    """Whether generated text is to be refreshed."""
    return bool(request.config.getoption("--update"))


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return Path(__file__).parent.parent


@pytest.fixture
def source() -> Source:
    """The source that `record` is about."""
    return source_from_text(TEXT, "scale.c")


@pytest.fixture
def scale() -> FunctionRecord:
    """A function lifted and proved, with every part of a record filled."""
    return FunctionRecord(
        "scale",
        Verdict.LOOP_FREE,
        Location("scale.c", 1, 6),
        Level.PROVED,
        Level.PROVED,
        "",
        "derive",
        "numpy",
        {"summarise": 0.0012345678, "derive": 0.001},
        (
            Parameter("n", Role.SIZE, "int64"),
            Parameter("s", Role.SCALAR, "float64"),
            Parameter("a", Role.ARRAY, "float64", ("n",), ("1",)),
        ),
        (Output("a", "float64", ("n",)),),
        (Precondition("n >= 1", "the loop runs", Location("scale.c", 2, 3)), Precondition("a is no alias", "")),
        residual_loops=(
            ResidualLoop("for i", "flow of a", "a[i] = s * a[i]", "it carries a", Location("scale.c", 2, 3)),
        ),
        diagnostics=(Diagnostic("TL210", "odd", Location("scale.c", 3, 5), severity=Severity.WARNING),),
        program=PROGRAM,
        certificate={"program": PROGRAM, "facts": [1, 2.5, None, {"deep": True}]},
        tests=(
            Trial("interpreter", 3, ({"n": 1}, {"n": 4}), 1e-16),
            Trial("compiled", 2, (), float("inf"), "n = 3: a[2]"),
        ),
        engines=(
            EngineRun("derive", Outcome.CHOSEN, "", 2500.0, 0.001),
            EngineRun("sketch", Outcome.REFUSED, "TL311: s: nothing computes it", None, 0.1, {"steps": 3}),
        ),
    )


@pytest.fixture
def walk() -> FunctionRecord:
    """A function refused."""
    why = Diagnostic(
        "TL203",
        "'f' is called and not defined here",
        Location("scale.c", 7, 12),
        "define 'f' in this file",
        notes=(Note("called for each cell of", Location("scale.c", 6, 3)), Note("nothing else stops it")),
    )
    return FunctionRecord("walk", Verdict.REFUSED, Location("scale.c", 5, 6), target="numpy", diagnostics=(why,))


@pytest.fixture
def record(source: Source, scale: FunctionRecord, walk: FunctionRecord) -> LiftRecord:
    """A run with a function lifted and one refused."""
    return LiftRecord("0.1.0", source.name, source.sha256, "numpy", (scale, walk), seconds={"read": 0.002})
