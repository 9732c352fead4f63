"""A scan on several machines: each file is a call of `scan_worker.scan_file` on a worker of a Dask cluster.

A few files for each of its threads are handed out at a time, so this process stays small however many there are.  Where
a worker ends, the cluster gives its files to others; one that ends them again and again is lost.
"""

from __future__ import annotations

import logging
import multiprocessing
import warnings
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorlift.commands.scan_worker import scan_file
from tensorlift.diagnostics import refuse
from tensorlift.scanned import LOST

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tensorlift.commands.scan_worker import Task
    from tensorlift.diagnostics import LiftError
    from tensorlift.scanned import Entry

LOCAL = "local"
_ANSWER_SECONDS = 15.0  # until the scheduler answers, and until it has a worker
_AHEAD = 3  # files handed out for each thread: one that is lifted, and some that wait


def scan_on_cluster(tasks: Sequence[Task], seconds: float, address: str, jobs: int) -> Iterator[list[Entry]]:
    """Lift files on a cluster, or on one of so many processes that is started here; give the entries of each.

    Raises LiftError TL597 where Dask distributed is missing, the cluster does not answer, or its workers cannot lift.
    """
    if find_spec("distributed") is None:
        remedy = "install it: pip install 'tensorlift[cluster]', or leave --cluster out"
        raise refuse("TL597", "--cluster needs Dask distributed, which is not installed", remedy=remedy)
    with _connected(address, jobs) as client:
        try:
            yield from _handed_out(tasks, seconds, client)
        except OSError as error:
            raise _lost_cluster() from error


def _handed_out(tasks: Sequence[Task], seconds: float, client: Any) -> Iterator[list[Entry]]:
    from distributed import as_completed

    folder = str(Path.cwd())
    waiting = iter(tasks)
    running: dict[Any, Task] = {}
    done = as_completed(raise_errors=False)
    while True:
        wanted = max(_AHEAD * sum(client.nthreads().values()), 1)  # workers come and go
        for task in islice(waiting, max(wanted - len(running), 0)):
            future = client.submit(_scan, replace(task, folder=folder), seconds, pure=False)
            running[future] = task
            done.add(future)
        if not running:
            return
        future = next(done)
        yield _entries(future, running.pop(future))


def _scan(task: Task, seconds: float) -> list[Entry]:
    """Be a worker: one that a nanny started may have no processes of its own by default, which would outlive it."""
    multiprocessing.current_process().daemon = False  # ours end when it does
    return scan_file(task, seconds)


def _entries(future: Any, task: Task) -> list[Entry]:
    from distributed import KilledWorker

    if future.status == "finished":
        return future.result()  # type: ignore[no-any-return]  # it is what `_scan` gives
    error = future.exception() if future.status == "error" else None
    if isinstance(error, KilledWorker):
        return [task.entry("", 1, why=(LOST, "all workers that were to lift it ended"))]
    if error is None:
        raise _lost_cluster()
    message = f"a worker of the cluster cannot lift: {type(error).__name__}: {error}"
    raise refuse("TL597", message, remedy="install the same tensorlift with the same Python on all workers") from error


def _lost_cluster() -> LiftError:
    remedy = "start it again, and scan with the same -o RECORD, which holds what is done"
    return refuse("TL597", "the cluster was lost", remedy=remedy)


@contextmanager
def _connected(address: str, jobs: int) -> Iterator[Any]:
    import distributed

    for name in ("distributed", "distributed.client", "distributed.nanny"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said below
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of versions that differ: what matters shows in the first file
        try:
            if address == LOCAL:
                own = distributed.LocalCluster(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
                with own, distributed.Client(own) as client:
                    yield client
                return
            client = distributed.Client(address, timeout=_ANSWER_SECONDS)
        except (OSError, ValueError, TypeError) as error:
            remedy = f"start one with 'dask scheduler' and 'dask worker ADDRESS', and give its address; or '{LOCAL}'"
            raise refuse("TL597", f"no cluster answers at '{address}': {error}", remedy=remedy) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=_ANSWER_SECONDS)
        except TimeoutError as error:
            remedy = f"start some with 'dask worker {address}'"
            raise refuse("TL597", f"the cluster at '{address}' has no workers", remedy=remedy) from error
        yield client
