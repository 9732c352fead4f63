"""``tensorlift scan --cluster``: a scheduler with three worker processes, one of which is killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tensorlift.cli import main
from tensorlift.commands import scan_cluster
from tensorlift.commands.scan_worker import Task, scan_file
from tensorlift.pipeline import LiftOptions
from tensorlift.scanned import read_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCE = """
void scaled{0}(int n, double a[n]) {{ for (int i = 0; i < n; i++) a[i] = {0} * a[i]; }}
void smoothed{0}(int n, double *a) {{ for (int i = {0}; i < n; i++) a[i] = a[i - {0}] * a[i] + 1; }}
"""
_FILES = 6


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with sources."""
    monkeypatch.chdir(tmp_path)
    Path("code").mkdir()
    for k in range(1, _FILES + 1):
        Path(f"code/{k}.c").write_text(_SOURCE.format(k), encoding="utf-8")
    return tmp_path


@pytest.fixture
def workers() -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """Start a scheduler and three workers, each a process; give its address, and them."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-nanny", "--nthreads=1"]
        started = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(3)]
        with distributed.Client(cluster) as client:
            client.wait_for_workers(3, timeout=60)
        yield address, started
        for worker in started:
            worker.kill()
            worker.wait()


def test_a_worker_that_is_killed_loses_nothing(workers: tuple[str, list[subprocess.Popen[bytes]]]) -> None:
    address, (first, *others) = workers
    killer = threading.Thread(target=_kill_when_something_is_done, args=(Path("three.jsonl"), first), daemon=True)
    killer.start()
    assert main(["scan", "code", "--cluster", address, "-o", "three.jsonl", "--no-times"]) == 0
    assert (first.wait(), [other.poll() for other in others]) == (-signal.SIGKILL, [None, None])
    assert len(read_entries("three.jsonl")) == 2 * _FILES
    assert main(["scan", "code", "-j", "1", "-o", "one.jsonl", "--no-times"]) == 0
    assert Path("three.jsonl").read_bytes() == Path("one.jsonl").read_bytes()


def _kill_when_something_is_done(record: Path, worker: subprocess.Popen[bytes]) -> None:
    while not record.exists() or not record.read_bytes():
        time.sleep(0.01)
    worker.kill()


def test_a_file_that_is_another_one_on_the_worker_is_lost() -> None:
    (entry,) = scan_file(Task("code/1.c", "0" * 64, LiftOptions(), ()), 20)
    assert (entry.name, entry.code) == ("", "TL650")
    (entry,) = scan_file(Task("1.c", "0" * 64, LiftOptions(), (), folder="/"), 20)
    assert (entry.code, entry.reason) == ("TL650", "cannot read '1.c': there is no such file")


@pytest.mark.parametrize(
    ("address", "message", "remedy"),
    [
        ("tcp://127.0.0.1:9", "no cluster answers at 'tcp://127.0.0.1:9'", "start one with 'dask scheduler'"),
        ("tcp:", "no cluster answers at 'tcp:'", "start one with 'dask scheduler'"),
    ],
)
def test_an_address_where_nobody_answers_is_refused(
    address: str, message: str, remedy: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(scan_cluster, "_ANSWER_SECONDS", 0.2)
    assert main(["scan", "code", "--cluster", address]) == 2
    said = capfd.readouterr().err
    assert message in said
    assert "[TL597]" in said
    assert remedy in said


def test_a_cluster_needs_dask(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_cluster, "find_spec", lambda _: None)
    assert main(["scan", "code", "--cluster", "local"]) == 2
    assert "pip install 'tensorlift[cluster]'" in capfd.readouterr().err
    assert main(["scan", "code", "--cluster", "tcp://a:1", "-j", "2"]) == 2
