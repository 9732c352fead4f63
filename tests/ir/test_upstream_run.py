"""The interpreter agrees with upstream's own lowering and execution of the same module."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.ir import one_bit
from tests.ir.programs import function

from tensorlift.ir.interpreter import interpret

OPT = shutil.which("mlir-opt") or shutil.which("mlir-opt-22")
RUN = shutil.which("mlir-runner") or shutil.which("mlir-runner-22")
LOWERING = ["--lower-affine", "--convert-scf-to-cf", "--expand-strided-metadata", "--arith-expand", "--convert-to-llvm"]


needs_upstream = pytest.mark.skipif(OPT is None or RUN is None, reason="mlir-opt and mlir-runner are not installed")


@needs_upstream
def test_interpreter_agrees_with_upstream_execution() -> None:
    """Division, remainders, bounds of several maps, sets, carried values and local memory."""
    text = (Path(__file__).parent / "upstream_run.mlir").read_text()
    assert str(interpret(function(text), {}).value) == _run_upstream(text, "i32")


@needs_upstream
def test_interpreter_agrees_with_upstream_on_integers_of_one_bit() -> None:
    assert str(interpret(function(one_bit.main()), {}).value) == _run_upstream(one_bit.main(), "i64")


def _run_upstream(text: str, result: str) -> str:
    assert OPT is not None
    assert RUN is not None
    lowered = subprocess.run(
        [OPT, *LOWERING, "--reconcile-unrealized-casts"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
    ).stdout
    command = [RUN, "-e", "main", f"-entry-point-result={result}"]
    return subprocess.run(command, input=lowered, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
