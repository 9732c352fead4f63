"""Runs commands in subprocesses with limits: code under analysis is never executed in this process."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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


def run_limited(command: Sequence[str], folder: Path, limits: Limits) -> Outcome:
    """Run a command in ``folder`` under limits, without standard input, and end all that it started with it."""
    process = subprocess.Popen(  # noqa: S603 - the shell reads numbers, the command is its arguments
        ["/bin/sh", "-c", _limiting(limits), "sh", *command],
        cwd=folder,
        env=environment(folder, limits.threads),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=limits.wall_seconds)
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        output, errors = process.communicate()
        return Outcome(None, output, errors)
    end_session(process.pid)
    return Outcome(process.returncode, output, errors)


def _limiting(limits: Limits) -> str:
    """Spell a shell that takes limits and becomes its arguments: this process, which may be large, is not copied."""
    memory = "unlimited" if limits.memory == UNLIMITED else limits.memory // 1024
    times = f"-S -t {limits.cpu_seconds}", f"-H -t {limits.cpu_seconds + 1}"
    wanted = f"-v {memory}", f"-f {limits.file_size // 512}", "-c 0", *times
    return "".join(f"ulimit {limit} && " for limit in wanted) + 'exec "$@"'


def apply_limits(limits: Limits) -> None:
    """Limit this process, as a worker does before it works."""
    for kind, bound in ((resource.RLIMIT_AS, limits.memory), (resource.RLIMIT_FSIZE, limits.file_size)):
        resource.setrlimit(kind, (bound, bound))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The second one more lets the signal of the soft limit say why it ended.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))


def environment(folder: Path, threads: int) -> dict[str, str]:
    """Give the only variables that compilers and libraries need; BLAS reserves memory for every thread."""
    return {
        "PATH": os.defpath,
        "TMPDIR": str(folder),
        "LC_ALL": "C",
        "OPENBLAS_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",  # for the next compilation: none has the same folder
    }


def end_session(pid: int) -> None:
    """Kill what the command left running; the session is its own, so nothing else is hit."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
