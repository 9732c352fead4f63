"""Runs commands and workers in subprocesses with limits: code under analysis is never executed in this process.

A worker is a function ``work(facts, arrays) -> (facts, arrays)`` of a module of this room.  It runs in a fresh Python
with an empty environment, in a temporary folder, and data goes both ways as JSON and ``.npz`` files, never as pickles.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Array = np.ndarray[Any, np.dtype[Any]]
    Facts = dict[str, Any]


UNLIMITED = resource.RLIM_INFINITY


@dataclass(frozen=True, slots=True)
class Limits:
    """What a subprocess may use: seconds of wall clock, seconds of processor, bytes of memory and of any one file.

    ``memory`` may be `UNLIMITED`, as drivers of GPUs need; ``threads`` is what libraries for arrays are told to use.
    """

    wall_seconds: float = 30.0
    cpu_seconds: int = 20
    memory: int = 4 << 30
    file_size: int = 1 << 28
    threads: int = 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a subprocess ended; ``returncode`` is negative for a signal, None after a timeout."""

    returncode: int | None
    output: str
    errors: str

    @property
    def failure(self) -> str | None:
        """Say why it did not end well, None if it did."""
        if self.returncode is None:
            return "it ran out of time"
        if self.returncode == -signal.SIGXCPU:
            return "it ran out of processor time"
        if self.returncode < 0:
            return f"it was stopped by {signal.Signals(-self.returncode).name}"
        return f"it ended with code {self.returncode}" if self.returncode else None


class WorkerError(Exception):
    """Raised where a worker crashed, ran out of time or failed."""

    def __init__(self, outcome: Outcome) -> None:
        """Carry how it ended; the text is the reason and the last line of its error output."""
        last = outcome.errors.strip().splitlines()[-1:]
        super().__init__(": ".join([outcome.failure or "it gave no reply", *last]))
        self.outcome = outcome


def run_limited(command: Sequence[str], folder: Path, limits: Limits) -> Outcome:
    """Run a command in ``folder`` under limits, without standard input, and end all that it started with it."""
    process = subprocess.Popen(  # noqa: S603 - the command is a list made by this room, no shell reads it
        command,
        cwd=folder,
        env=_environment(folder, limits.threads),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=partial(_apply, limits),  # noqa: PLW1509 - it only sets limits, which takes no lock
    )
    try:
        output, errors = process.communicate(timeout=limits.wall_seconds)
    except subprocess.TimeoutExpired:
        _end_session(process)
        output, errors = process.communicate()
        return Outcome(None, output, errors)
    _end_session(process)
    return Outcome(process.returncode, output, errors)


def run_worker(
    module: str, facts: Facts, arrays: Mapping[str, Array], limits: Limits
) -> tuple[Facts, dict[str, Array]]:
    """Run ``tensorlift.runtime.<module>.work`` in a subprocess; raises WorkerError where it gives no reply."""
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        folder = Path(name)
        _write(folder, "request", facts, arrays)
        package_root = str(Path(__file__).parents[2])
        start = (
            f"import sys; sys.path.insert(0, {package_root!r}); from tensorlift.runtime.sandbox import serve; serve()"
        )
        outcome = run_limited([sys.executable, "-I", "-c", start, module, name], folder, limits)
        if outcome.failure or not (folder / "reply.json").exists():
            raise WorkerError(outcome)
        return _read(folder, "reply")


def serve() -> None:
    """Be the worker that the command line names: read the request, work, write the reply."""
    module, folder = sys.argv[1], Path(sys.argv[2])
    facts, arrays = import_module(f"tensorlift.runtime.{module}").work(*_read(folder, "request"))
    _write(folder, "reply", facts, arrays)


def _apply(limits: Limits) -> None:
    """Limit the process that is about to become the command."""
    for kind, bound in ((resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_FSIZE, limits.file_size)):
        resource.setrlimit(kind, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The second one more lets the signal of the soft limit say why it ended.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))


def _environment(folder: Path, threads: int) -> dict[str, str]:
    """Give the only variables that compilers and NumPy need; BLAS reserves memory for every thread."""
    return {
        "PATH": os.defpath,
        "TMPDIR": str(folder),
        "LC_ALL": "C",
        "OPENBLAS_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
    }


def _end_session(process: subprocess.Popen[str]) -> None:
    """Kill what the command left running; the session is its own, so nothing else is hit."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _write(folder: Path, stem: str, facts: Facts, arrays: Mapping[str, Array]) -> None:
    np.savez(folder / f"{stem}.npz", **{_KEY + name: array for name, array in arrays.items()})  # type: ignore[arg-type]  # numpy's stub takes the flag allow_pickle for an array
    (folder / f"{stem}.json").write_text(json.dumps(facts), encoding="utf-8")


def _read(folder: Path, stem: str) -> tuple[Facts, dict[str, Array]]:
    facts: Facts = json.loads((folder / f"{stem}.json").read_text(encoding="utf-8"))
    with np.load(folder / f"{stem}.npz", allow_pickle=False) as stored:
        return facts, {name.removeprefix(_KEY): stored[name] for name in stored.files}


_KEY = "array:"  # keeps names apart from the parameters of savez
