"""Projects in C give the same output where their files are rewritten in place by the documented commands."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from bench import projects
from tests.shared import has_turn

if TYPE_CHECKING:
    from pathlib import Path

_FILES = [path for path in sorted(projects.PROJECTS.glob("*/*.c")) if has_turn("/".join(path.parts[-2:]), 10, 16)]


@pytest.mark.skipif(shutil.which("make") is None or shutil.which("cc") is None, reason="needs make and cc")
@pytest.mark.parametrize("name", sorted({path.parent.name for path in _FILES}))
def test_a_project_whose_files_are_rewritten_gives_the_same_output(name: str, tmp_path: Path) -> None:
    before = projects.copied(name, tmp_path / "before")
    after = projects.copied(name, tmp_path / "after")
    files = [path.name for path in _FILES if path.parent.name == name]
    projects.rewritten(after, files)
    assert any((after / file).read_bytes() != (before / file).read_bytes() for file in files)
    made = [projects.made(folder, ["-O1"], "-lopenblas -lm") for folder in (before, after)]
    assert not made[1].warnings - made[0].warnings
    for one in made:
        one.run(threads=1)
    assert made[0].output == made[1].output != ""
