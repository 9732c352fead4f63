"""Every MLIR program in bench/mlir_programs lifts, is proved, and agrees with the interpreter."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tensorlift.pipeline import LiftOptions, intermediate, lift_source
from tensorlift.record import Level, Verdict
from tensorlift.source import read_source, source_from_text

PROGRAMS = sorted((Path(__file__).parents[3] / "bench" / "mlir_programs").glob("*.mlir"))
EXPECTED = {
    "generic": Verdict.SCAN,
    "static_stencil": Verdict.HYBRID,
}
OPT = shutil.which("mlir-opt") or shutil.which("mlir-opt-22")


def test_there_are_twenty_programs() -> None:
    assert len(PROGRAMS) == 20


@pytest.mark.in_turns(3)
@pytest.mark.parametrize("generalise", [None, False, True])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_proved_and_agrees(path: Path, generalise: bool | None) -> None:  # noqa: FBT001 - a parameter of a test
    record = lift_source(read_source(str(path)), LiftOptions(generalise=generalise, test=True))
    (function,) = record.functions
    assert function.verdict is EXPECTED.get(path.stem, Verdict.LOOP_FREE), function.diagnostics
    assert function.level is Level.PROVED
    assert [(trial.against, trial.passed) for trial in function.tests] == [("interpreter", True)]
    assert all(trial.cases > 0 for trial in function.tests)


@pytest.mark.in_turns(4)
@pytest.mark.skipif(OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("flags", [["--mlir-print-op-generic"], ["--canonicalize", "--mlir-print-debuginfo"]])
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_what_upstream_prints_again_is_the_same_program(path: Path, flags: list[str]) -> None:
    """Through mlir-opt in generic form, and simplified in custom form with locations."""
    assert OPT is not None
    done = subprocess.run([OPT, str(path), *flags], capture_output=True, text=True, check=True, timeout=20)
    (function,) = lift_source(source_from_text(done.stdout, "k.mlir"), LiftOptions()).functions
    assert function.verdict is EXPECTED.get(path.stem, Verdict.LOOP_FREE), function.diagnostics
    assert function.level is Level.PROVED


@pytest.mark.in_turns(2)
@pytest.mark.skipif(OPT is None, reason="mlir-opt is not installed")
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_upstream_accepts_the_loop_ir_of_a_program(path: Path) -> None:
    assert OPT is not None
    (shown,) = intermediate(read_source(str(path)), LiftOptions(), "ir")
    assert shown.text.startswith("builtin.module")
    subprocess.run([OPT, "-"], input=shown.text, capture_output=True, text=True, check=True, timeout=20)
