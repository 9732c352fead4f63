"""The same input twice gives the same bytes: in one process, and in two with different hash seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main

if TYPE_CHECKING:
    from pathlib import Path

_FILE = "examples/covariance.c"

pytestmark = pytest.mark.xfail(reason="the pipeline's steps are not connected yet", strict=True)


def test_one_process_gives_the_same_bytes_twice(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(root)
    outputs = []
    for _ in range(2):
        assert main(["lift", _FILE]) == 0
        assert main(["lift", _FILE, "--json", "-", "--no-times"]) == 0
        outputs.append(capsys.readouterr())
    assert outputs[0] == outputs[1]


def test_two_processes_give_the_same_bytes(root: Path) -> None:
    outputs = []
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "tensorlift", "lift", _FILE, "--json", "-", "--no-times"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0
        outputs.append((done.stdout, done.stderr))
    assert outputs[0] == outputs[1]
