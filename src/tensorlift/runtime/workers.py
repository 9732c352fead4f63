"""Workers: functions that run in subprocesses with limits, each forked from a process that has imported what they need.

A worker is a function ``work(facts, arrays) -> (facts, arrays)`` of a module of this room.  It runs in a process of its
own, in a temporary folder, and data goes both ways as JSON and ``.npz`` files, never as pickles.

    this process  -- requests, a line each -->  a nursery: a fresh Python with an empty environment that has imported
                                                NumPy and perhaps a library; it runs nothing else
                  <-- how each ended ---------     |
                                                   +-- forks a worker for each request, which takes its limits first

Starting a Python that imports NumPy takes a tenth of a second, and PyTorch two; a fork takes a few milliseconds.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from contextlib import suppress
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorlift.runtime.sandbox import Limits, Outcome, apply_limits, end_session, environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    Array = np.ndarray[Any, np.dtype[Any]]
    Facts = dict[str, Any]

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
        return facts, {name.removeprefix(_KEY): stored[name] for name in stored.files}
