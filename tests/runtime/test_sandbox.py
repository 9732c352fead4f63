"""Subprocesses of the sandbox keep to their limits and leave nothing behind."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tensorlift.runtime.workers import Limits, run_limited

if TYPE_CHECKING:
    import pytest


def python(code: str, folder: Path, limits: Limits | None = None) -> tuple[str | None, str]:
    outcome = run_limited([sys.executable, "-I", "-c", code], folder, limits or Limits())
    return outcome.failure, outcome.output.strip()


def test_endless_loops_end(tmp_path: Path) -> None:
    start = time.monotonic()
    failure, _ = python("while True: pass", tmp_path, Limits(wall_seconds=0.5))
    assert failure == "it ran out of time"
    failure, _ = python("while True: pass", tmp_path, Limits(cpu_seconds=1))
    assert failure == "it ran out of processor time"
    assert time.monotonic() - start < 15


def test_memory_is_limited(tmp_path: Path) -> None:
    failure, _ = python("x = bytearray(1 << 31)", tmp_path, Limits(memory=1 << 30))
    assert failure == "it ended with code 1"


def test_crashes_are_named(tmp_path: Path) -> None:
    assert python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", tmp_path)[0] == "it was stopped by SIGSEGV"


def test_the_environment_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_USER", "1")
    _, output = python("import os; print(sorted(os.environ), os.getcwd())", tmp_path)
    assert "SECRET" not in output
    assert "HOME" not in output
    assert output.endswith(str(tmp_path))


def test_what_a_command_started_ends_with_it(tmp_path: Path) -> None:
    code = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    outcome = run_limited(
        ["timeout", "20", sys.executable, "-I", "-c", code.replace(").pid", ", stdout=-3, stderr=-3).pid")],
        tmp_path,
        Limits(),
    )
    pid = int(outcome.output)
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}/cmdline").exists() and Path(f"/proc/{pid}/cmdline").read_bytes():
        assert time.monotonic() < deadline, "the child is still running"
        time.sleep(0.01)
