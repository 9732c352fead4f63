"""The programs that users try compile without a warning, and each states the verdict that is expected of it."""

from __future__ import annotations

import collections
import re
import shutil
import subprocess
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "programs"
PROGRAMS = sorted(FOLDER.glob("*.c"))
VERDICTS = {"loop-free", "scan", "hybrid", "refused"}


def _verdict(path: Path) -> str:
    return path.read_text().splitlines()[0].removeprefix("// expect: ")


def test_programs_state_their_verdicts_and_define_their_functions() -> None:
    for path in PROGRAMS:
        text = path.read_text()
        assert _verdict(path) in VERDICTS, path
        assert re.fullmatch(r"// \S.*\.", text.splitlines()[1]), path
        assert re.search(rf"^[\w ]+\b{path.stem}\(", text, re.MULTILINE), path


def test_every_verdict_occurs_often() -> None:
    counts = collections.Counter(map(_verdict, PROGRAMS))
    assert set(counts) == VERDICTS
    assert min(counts.values()) >= 10
    assert counts.total() >= 60


def test_readme_names_only_programs_that_are_refused() -> None:
    named = set(re.findall(r"`(\w+_\w+|collatz)`", (FOLDER / "README.md").read_text()))
    assert {_verdict(FOLDER / f"{name}.c") for name in named} == {"refused"}


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler named cc on the search path")
def test_programs_compile_without_a_warning() -> None:
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas", "-fsyntax-only"]
    done = subprocess.run(["cc", *flags, *map(str, PROGRAMS)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
