"""The same input twice gives the same bytes: in one process, in two with other hash seeds, functions in any order."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.shared import sampled

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

_EXAMPLES = ["blur", "conv2d", "covariance", "gauss_seidel", "gemm_lda", "prefix_sum", "softmax_rows"]
_KERNELS = ["adi", "correlation", "deriche", "fdtd_2d", "gramschmidt", "lu", "nussinov", "symm"]
_ALL = [f"examples/{name}.c" for name in _EXAMPLES] + [f"bench/kernels/polybench/{name}.c" for name in _KERNELS]
_FILES = _ALL[:: sampled(2, 1)]
_AGAIN = 3  # files that a process is given twice
_END = b"-- end --\n"
_SCRIPT = """
import sys
from tensorlift.cli import main
for file in sys.argv[1:]:
    assert main(["lift", file, "--json", "/dev/stderr", "--no-times"]) == 0
    for stream in (sys.stdout, sys.stderr):
        print("-- end --", file=stream, flush=True)
"""


def test_all_processes_give_the_same_bytes_in_any_order_and_whatever_else_they_lift(root: Path) -> None:
    forwards, backwards = _outputs(root, "1", _FILES), _outputs(root, "2", [*_FILES[::-1], *_FILES[:_AGAIN]])
    assert backwards == [*forwards[::-1], *forwards[:_AGAIN]]
    assert all(b'"level": "proved"' in record for _, record in forwards)
    together = "\n".join((root / file).read_text(encoding="utf-8") for file in _FILES)
    programs = _programs(together)
    assert len(programs) == len(_FILES)
    assert [
        name
        for (name, program), (shown, _) in zip(programs.items(), forwards, strict=True)
        if program.strip().encode() not in shown
    ] == []
    # One that is asked for, too.
    assert {name: _programs(together, name)[name] for name in list(programs)[:_AGAIN]}.items() <= programs.items()


def _outputs(root: Path, seed: str, files: list[str]) -> list[tuple[bytes, bytes]]:
    """Return what a process with a hash seed prints of each file, and its record."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", _SCRIPT, *files]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return list(zip(done.stdout.split(_END)[:-1], done.stderr.split(_END)[:-1], strict=True))


def _programs(text: str, *functions: str) -> dict[str, str]:
    record = lift_source(source_from_text(text, "all.c"), LiftOptions(functions))
    return {function.name: function.program for function in record.functions}
