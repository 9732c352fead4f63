"""The same input twice gives the same bytes: in one process, in two with other hash seeds, functions in any order."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from tensorlift.pipeline import LiftOptions, lift_source
from tensorlift.source import source_from_text

if TYPE_CHECKING:
    from pathlib import Path

_EXAMPLES = ["blur", "conv2d", "covariance", "gauss_seidel", "gemm_lda", "prefix_sum", "softmax_rows"]
_KERNELS = ["adi", "correlation", "deriche", "fdtd_2d", "gramschmidt", "lu", "nussinov", "symm"]
_FILES = [f"examples/{name}.c" for name in _EXAMPLES] + [f"bench/kernels/polybench/{name}.c" for name in _KERNELS]
_SCRIPT = """
import sys
from tensorlift.cli import main
for file in sys.argv[1:]:
    assert main(["lift", file, "--json", "/dev/stderr", "--no-times"]) == 0
"""


def test_a_process_gives_the_same_bytes_twice_and_one_with_another_hash_seed_gives_them_too(root: Path) -> None:
    twice, once = _outputs(root, "1", [*_FILES, *_FILES]), _outputs(root, "2", _FILES)
    assert twice == tuple(2 * output for output in once)
    assert once[1].count(b'"level": "proved"') >= len(_FILES)


def _outputs(root: Path, seed: str, files: list[str]) -> tuple[bytes, bytes]:
    """Return what a process with a hash seed prints of files, and their records."""
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", _SCRIPT, *files]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0
    return done.stdout, done.stderr


def test_what_other_functions_are_lifted_and_in_which_order_changes_no_program(root: Path) -> None:
    texts = [(root / file).read_text(encoding="utf-8") for file in _FILES]
    forwards, backwards = (_programs("\n".join(order)) for order in (texts, texts[::-1]))
    assert len(forwards) == len(_FILES)
    assert forwards == backwards
    # Each alone, too.
    assert {name: _programs("\n".join(texts), name)[name] for name in forwards} == forwards


def _programs(text: str, *functions: str) -> dict[str, str]:
    record = lift_source(source_from_text(text, "all.c"), LiftOptions(functions))
    return {function.name: function.program for function in record.functions}
