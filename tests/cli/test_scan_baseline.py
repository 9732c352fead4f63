"""What becomes of the project's own examples and benchmarks is no worse than ``tests/scan_baseline.jsonl`` says.

``pytest tests/cli/test_scan_baseline.py --update`` writes that file anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.shared import is_exhaustive

from tensorlift.cli import main
from tensorlift.commands.scan_worker import Task
from tensorlift.pipeline import LiftOptions
from tensorlift.record import Verdict
from tensorlift.scanned import read_baseline, regressions, verdicts_of

if TYPE_CHECKING:
    import pytest

_BASELINE = "tests/scan_baseline.jsonl"
_SCANNED = ["bench/layers.c", "bench/python_programs/list_style.py", "examples"]


def test_nothing_lifts_worse_than_it_did(
    root: Path,
    update: bool,  # noqa: FBT001 - a fixture
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(root)
    compared = ["--verdicts" if update else "--baseline", _BASELINE]
    scanned = _SCANNED if update or is_exhaustive() else _SCANNED[:-1]  # those of the documentation are lifted there
    assert main(["scan", *scanned, "-j", "2", "--time-limit", "120", *compared]) == 0
    assert "regression" not in capsys.readouterr().out


def test_verdicts_alone_are_a_baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    task = Task("a.c", "", LiftOptions(), ())
    old = [task.entry("f", 9, Verdict.SCAN), task.entry("f", 2, Verdict.LOOP_FREE), task.entry("g", 20)]
    Path("old.jsonl").write_text(verdicts_of(old), encoding="utf-8")
    assert Path("old.jsonl").read_text("utf-8") == (
        '{"file": "a.c", "verdicts": [["f", "loop-free"], ["f", "scan"], ["g", "refused"]]}\n'
    )
    new = [task.entry("f", 3, Verdict.LOOP_FREE), task.entry("f", 30, Verdict.HYBRID), task.entry("g", 40)]
    assert [(was.verdict, now.verdict, now.line) for was, now in regressions(read_baseline("old.jsonl"), new)] == [
        ("scan", "hybrid", 30)
    ]
