"""Workers: functions that run in subprocesses with limits, each forked from a process that has imported what they need.

A worker is a function ``work(facts, arrays) -> (facts, arrays)`` of a module of this room.  It runs in a process of its
own, in a temporary folder, and data goes both ways as JSON and ``.npz`` files, never as pickles.

    this process  -- requests, a line each -->  a nursery: a fresh Python with an empty environment that has imported
                                                NumPy and perhaps a library; it runs nothing else
                  <-- how each ended ---------     |
                                                   +-- forks a worker for each request, which takes its limits first

Starting a Python that imports NumPy takes a tenth of a second, and PyTorch two; a fork takes a few milliseconds.

Runs commands in subprocesses with limits: code under analysis is never executed in this process.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from dataclasses import astuple, dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorlift.runtime.compare import Array

    Facts = dict[str, Any]


UNLIMITED = resource.RLIM_INFINITY
_PLATFORMS = "JAX_PLATFORMS"  # what JAX may start


@dataclass(frozen=True, slots=True)
class Limits:
    """What a subprocess may use: seconds of wall clock, seconds of processor, bytes of memory and of any one file.

    Memory is counted in addresses, of which JAX reserves 6 GiB where its libraries for GPUs are installed.  ``memory``
    may be `UNLIMITED`, as drivers of GPUs need; ``threads`` is what libraries for arrays are told to use.
    """

    wall_seconds: float = 30.0
    cpu_seconds: int = 20
    memory: int = 16 << 30
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
        _PLATFORMS: "cpu",  # without which JAX starts each GPU that there is, whose drivers no limit of memory holds
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",  # for the next compilation: none has the same folder
        "TORCHINDUCTOR_VEC_ISA_OK": "1",  # what the processor has is not compiled for in a trial, which takes 10 s
    }


def end_session(pid: int) -> None:
    """Kill what the command left running; the session is its own, so nothing else is hit."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


_KEY = "array:"  # keeps names apart from the parameters of savez
_STANDARD_INPUT = 0


class WorkerError(Exception):
    """Raised where a worker crashed, ran out of time or failed."""

    def __init__(self, outcome: Outcome) -> None:
        """Carry how it ended; the text is the reason and the last line of its error output."""
        last = outcome.errors.strip().splitlines()[-1:]
        super().__init__(": ".join([outcome.failure or "it gave no reply", *last]))
        self.outcome = outcome


def run_worker(
    module: str, facts: Facts, arrays: Mapping[str, Array], limits: Limits, library: str = ""
) -> tuple[Facts, dict[str, Array]]:
    """Run ``tensorlift.runtime.<module>.work`` in a subprocess; raises WorkerError where it gives no reply.

    ``library`` is a package that it will import.
    """
    with tempfile.TemporaryDirectory(prefix="tensorlift-") as name:
        folder = Path(name)
        _write(folder, "request", facts, arrays)
        outcome = _nursery(limits.threads, library).run(module, folder, limits)
        if outcome.failure or not (folder / "reply.json").exists():
            raise WorkerError(outcome)
        return _read(folder, "reply")


class _Nursery:
    """The process that workers are forked from; it ends when this one does."""

    def __init__(self, threads: int, library: str) -> None:
        package_root = str(Path(__file__).parents[2])
        start = (
            f"import sys; sys.path.insert(0, {package_root!r}); from tensorlift.runtime.workers import serve; serve()"
        )
        self._process = subprocess.Popen(  # noqa: S603 - the command is a list made here, no shell reads it
            [sys.executable, "-I", "-c", start, *filter(None, [library])],
            cwd="/",
            env=environment(Path(tempfile.gettempdir()), threads),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._replies = self._process.stdin, self._process.stdout
        self._lock = threading.Lock()

    @property
    def is_alive(self) -> bool:
        """Whether it takes requests."""
        return self._process.poll() is None and not self._requests.closed

    def run(self, module: str, folder: Path, limits: Limits) -> Outcome:
        """Have a worker do the request that lies in a folder."""
        with self._lock:
            try:
                print(json.dumps([module, str(folder), astuple(limits)]), file=self._requests, flush=True)
                reply = self._replies.readline()
            except BrokenPipeError:
                reply = ""
            except BaseException:
                self._requests.close()  # the worker ends too, and no reply to another request is taken for its own
                raise
        if not reply:
            return Outcome(1, "", "no worker can be started")
        return Outcome(json.loads(reply), _text(folder / "output"), _text(folder / "errors"))


_nurseries: dict[tuple[int, int, str], _Nursery] = {}


def _nursery(threads: int, library: str) -> _Nursery:
    key = (os.getpid(), threads, library)
    found = _nurseries.get(key)
    if found is None or not found.is_alive:
        found = _nurseries[key] = _Nursery(threads, library)
    return found


def serve() -> None:
    """Be the nursery that the command line names: fork a worker for each request, until there are no more."""
    requests, replies = os.fdopen(_STANDARD_INPUT, "rb", buffering=0, closefd=False), os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no reply
    with suppress(ImportError):  # the worker that needs it says so
        for library in sys.argv[1:]:
            import_module(library)
    while request := requests.readline():
        module, folder, numbers = json.loads(request)
        limits = Limits(*numbers)
        worker = import_module(f"tensorlift.runtime.{module}").work
        is_done, ends = os.pipe()  # that it has ended, with all that it started, is told by the end that they hold
        pid = os.fork()
        if not pid:
            os.close(is_done)
            os.close(replies.fileno())
            _be_worker(worker, Path(folder), limits)
        os.close(ends)
        ready, _, _ = select.select([is_done, _STANDARD_INPUT], [], [], limits.wall_seconds)
        os.kill(pid, signal.SIGKILL)  # before it has a session of its own, too
        end_session(pid)
        _, status = os.waitpid(pid, 0)
        os.close(is_done)
        print(json.dumps(os.waitstatus_to_exitcode(status) if is_done in ready else None), file=replies, flush=True)


def _be_worker(work: Any, folder: Path, limits: Limits) -> None:
    """Do the request in a folder, and end this process."""
    status = 1
    try:
        os.setsid()
        os.chdir(folder)
        for number, name in ((0, os.devnull), (1, "output"), (2, "errors")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), number)
        os.environ["TMPDIR"] = str(folder)
        tempfile.tempdir = None
        apply_limits(limits)
        if limits.memory == UNLIMITED:
            os.environ.pop(_PLATFORMS)
        _write(folder, "reply", *work(*_read(folder, "request")))
        status = 0
    except BaseException:  # noqa: BLE001 - whatever it is, this process ends with it
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


def _write(folder: Path, stem: str, facts: Facts, arrays: Mapping[str, Array]) -> None:
    np.savez(folder / f"{stem}.npz", **{_KEY + name: array for name, array in arrays.items()})  # type: ignore[arg-type]  # numpy's stub takes the flag allow_pickle for an array
    (folder / f"{stem}.json").write_text(json.dumps(facts), encoding="utf-8")


def _read(folder: Path, stem: str) -> tuple[Facts, dict[str, Array]]:
    facts: Facts = json.loads((folder / f"{stem}.json").read_text(encoding="utf-8"))
    with np.load(folder / f"{stem}.npz", allow_pickle=False) as stored:
        return facts, {name.removeprefix(_KEY): _typed(stored[name]) for name in stored.files}


def _typed(array: Array) -> Array:
    """Give an array its type again where files have none for it: they say of bf16 only how many bytes it has."""
    return array.view(import_module("ml_dtypes").bfloat16) if array.dtype.kind == "V" else array
