"""The same input twice gives the same bytes: in one process, in two with other hash seeds, functions in any order."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
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
    main(["lift", file])
    main(["lift", file, "--json", "-", "--no-times"])
"""


@pytest.mark.parametrize("file", _FILES)
def test_one_process_gives_the_same_bytes_twice(
    root: Path, file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    outputs = []
    for _ in range(2):
        assert main(["lift", file]) == 0
        assert main(["lift", file, "--json", "-", "--no-times"]) == 0
        outputs.append(capsys.readouterr())
    assert outputs[0] == outputs[1]


def test_two_processes_with_other_hash_seeds_give_the_same_bytes(root: Path) -> None:
    outputs = []
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", _SCRIPT, *_FILES]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=120, check=False)
        assert done.returncode == 0
        outputs.append((done.stdout, done.stderr))
    assert outputs[0] == outputs[1]
    assert outputs[0][0].count(b'"level": "proved"') >= len(_FILES)


def test_the_order_in_which_functions_are_lifted_changes_no_program(root: Path) -> None:
    texts = [(root / file).read_text(encoding="utf-8") for file in _FILES]
    forwards, backwards = (_programs("\n".join(order)) for order in (texts, texts[::-1]))
    assert len(forwards) == len(_FILES)
    assert forwards == backwards


def test_a_function_lifted_alone_is_lifted_as_among_others(root: Path) -> None:
    text = "\n".join((root / file).read_text(encoding="utf-8") for file in _FILES)
    among = _programs(text)
    assert {name: _programs(text, name)[name] for name in among} == among


def _programs(text: str, *functions: str) -> dict[str, str]:
    record = lift_source(source_from_text(text, "all.c"), LiftOptions(functions))
    return {function.name: function.program for function in record.functions}
