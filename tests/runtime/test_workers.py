"""Workers run apart from each other and from this process, keep to their limits, and end with it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlift.runtime.workers import UNLIMITED, Limits, WorkerError, run_worker


def _run(body: str, limits: Limits | None = None) -> Any:
    """Run the body of a function of one number in a worker."""
    facts = {"program": f"def f(x):\n    {body}\n", "entry": "f", "cases": 1, "outputs": 1, "library": ""}
    roles = {"roles": {"x": "size"}}
    _, results = run_worker("program_worker", {**facts, **roles}, {"0:x": np.array(7)}, limits or Limits())
    return results["0:0"][()]


def test_a_worker_that_fails_says_why() -> None:
    with pytest.raises(WorkerError, match="it ended with code 1: KeyError: 'program'"):
        run_worker("program_worker", {}, {}, Limits())


def test_arrays_go_both_ways_unchanged() -> None:
    arrays = {"0:a": np.arange(6, dtype=np.int16).reshape(2, 3), "0:file": np.array(2.5)}
    facts = {"program": "def f(a, file): return a * 2, file", "entry": "f", "cases": 1, "outputs": 2}
    reply, results = run_worker(
        "program_worker", {**facts, "library": "", "roles": {"a": "array", "file": "scalar"}}, arrays, Limits()
    )
    assert reply == {"broken": {}}
    np.testing.assert_array_equal(results["0:0"], arrays["0:a"] * 2)
    assert results["0:0"].dtype == np.int16
    assert results["0:1"] == 2.5


def test_only_workers_of_unlimited_memory_start_gpus() -> None:
    body = "import os; return os.environ.get('JAX_PLATFORMS') == 'cpu'"
    assert _run(body)
    assert not _run(body, Limits(memory=UNLIMITED))


def test_endless_workers_end() -> None:
    start = time.monotonic()
    with pytest.raises(WorkerError, match="it ran out of time"):
        _run("while True: pass", Limits(wall_seconds=0.3))
    with pytest.raises(WorkerError, match="it ran out of processor time"):
        _run("while True: pass", Limits(cpu_seconds=1))
    assert _run("return x + 1") == 8
    assert time.monotonic() - start < 15


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "it was stopped by SIGSEGV"),
        ("import os; os._exit(3)", "it ended with code 3"),
        ("import sys; sys.exit(3)", "it ended with code 1: SystemExit: 3"),
        ("import os; os.close(2); os._exit(0)", "it gave no reply"),
    ],
)
def test_how_a_worker_ended_is_named_and_the_next_one_works(body: str, reason: str) -> None:
    with pytest.raises(WorkerError, match=reason):
        _run(body)
    assert _run("return x + 1") == 8


def test_a_request_that_is_given_up_ends_and_has_no_reply_later() -> None:
    def give_up(_signal: int, _frame: object) -> None:
        raise TimeoutError

    known = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(TimeoutError):
            _run("import time; time.sleep(20); return x")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, known)
    assert _run("return x + 1") == 8


@pytest.mark.parametrize(
    ("body", "error"),
    [("bytearray(1 << 31)", "MemoryError"), ("open('large', 'wb').write(bytes(1 << 20))", "OSError")],
)
def test_memory_and_files_are_limited(body: str, error: str) -> None:
    limited = Limits(memory=1 << 30, file_size=1 << 16)
    assert _run(f"try:\n        {body}\n    except {error}:\n        return 1\n    return 2", limited) == 1


def test_workers_see_nothing_of_the_user_nor_of_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_USER", "1")
    assert _run("import os; return int('SECRET_OF_THE_USER' in os.environ or 'HOME' in os.environ)") == 0
    assert _run("import os; return len(os.listdir())") == 4  # the request's two files and the outputs
    assert _run("import sys, os; sys.known = 1; os.environ['KNOWN'] = '1'; return 1") == 1
    assert _run("import sys, os; return int(hasattr(sys, 'known') or 'KNOWN' in os.environ)") == 0
    assert _run("import sys; return len(sys.stdin.read())") == 0


def test_what_a_worker_started_ends_with_it() -> None:
    command = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    pid = int(_run(f"import subprocess, sys; return subprocess.Popen({command}).pid"))
    assert _ends(pid)


def test_what_workers_are_forked_from_ends_with_this_process() -> None:
    code = "from tests.runtime.test_workers import _run; print(int(_run('import os; return os.getppid()')))"
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert _ends(int(done.stdout))


def _ends(pid: int) -> bool:
    """Wait for a process to end, or to be left for its parent to ask for."""
    status = Path(f"/proc/{pid}/stat")
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            if status.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.01)
    return False
