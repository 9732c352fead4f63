"""The text tests under tests/filecheck pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def test_lit_suite_passes(tmp_path: Path) -> None:
    suite = Path(__file__).parents[1] / "filecheck"
    lit = Path(sys.executable).parent / "lit"
    ran = subprocess.run(
        [lit, "-v", f"-Dfolder={tmp_path}", suite], capture_output=True, text=True, check=False, timeout=120
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
